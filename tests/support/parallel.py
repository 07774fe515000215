"""How tests are shared out to the workers of a parallel run."""

from typing import Any

import pytest

# Tests of each of these run on one worker: what they have started or made serves them all.
TOGETHER = ("tests/e2e/vscode/", "tests/ci/", "tests/test_bundle.py", "tests/corpus/test_accepted.py")
# They take minutes each: at the end of a run one worker would still be at them when the others have nothing left.
LONG = (*TOGETHER, "tests/pycharm/test_plugin.py", "tests/test_other_pythons.py", "tests/corpus/", "tests/editors/",
        "tests/vscode/", "tests/lsp/test_soak", "tests/lsp/test_gone.py", "tests/support/witness/")  # fmt: skip
# Their files take longer than others, so that these are left to share out at the end.
NEXT = ("tests/lsp/", "tests/cli/")
PLACES = (*LONG, *NEXT)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest."""
    items.sort(
        key=lambda item: next((rank for rank, place in enumerate(PLACES) if item.nodeid.startswith(place)), len(PLACES))
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share out the long ones one by one, but for those that stay together, and the others by their files: what a file
    makes for all of its tests is made once, and who shares out has 25 times fewer parts to look through."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    config.option.loadscopereorder = False
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = part_of
    return scheduler


def part_of(test: str) -> str:
    """What is given to one worker as a whole, by the id of a test in it."""
    whole = next((place for place in TOGETHER if test.startswith(place)), "")
    return whole or (test if test.startswith(LONG) else test.partition("::")[0])
