"""How tests are distributed to the xdist workers of a parallel run."""

from typing import Any

import pytest

# All tests of these folders run on one worker, since they share an editor that they start.
TOGETHER = ("tests/e2e/vscode/",)
# Tests that take minutes each: started last, one worker would still run them when the others have finished.
LONG = (*TOGETHER, "tests/pycharm/test_plugin.py", "tests/test_other_pythons.py", "tests/corpus/", "tests/editors/",
        "tests/vscode/", "tests/lsp/test_soak", "tests/lsp/test_gone.py", "tests/test_bundle.py", "tests/ci/",
        "tests/support/witness/")  # fmt: skip
# Files that take longer than the others: run next, so that short ones are left to balance the workers.
NEXT = ("tests/lsp/", "tests/cli/")
PLACES = (*LONG, *NEXT)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests so that the longest start first."""
    items.sort(
        key=lambda item: next((rank for rank, place in enumerate(PLACES) if item.nodeid.startswith(place)), len(PLACES))
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Distribute long tests one by one, except those that stay together, and the others by file: fixtures of a file are
    made once, and the scheduler has 25 times fewer parts to look through."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    config.option.loadscopereorder = False
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = part_of
    return scheduler


def part_of(test: str) -> str:
    """The group that a test belongs to, all of which runs on one worker; `test`: the test's id."""
    folder = next((folder for folder in TOGETHER if test.startswith(folder)), "")
    return folder or (test if test.startswith(LONG) else test.partition("::")[0])
