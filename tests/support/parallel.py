"""How tests are shared out to the workers of a parallel run."""

from typing import Any

import pytest

# Tests of these folders run on one worker each: what they have started serves them all.
TOGETHER = ("tests/e2e/vscode/",)
# They take minutes each: at the end of a run one worker would still be at them when the others have nothing left.
LONG = (*TOGETHER, "tests/pycharm/test_plugin.py", "tests/test_other_pythons.py", "tests/corpus/", "tests/editors/",
        "tests/vscode/", "tests/lsp/test_soak", "tests/lsp/test_gone.py", "tests/test_bundle.py")  # fmt: skip


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest."""
    items.sort(
        key=lambda item: next((rank for rank, place in enumerate(LONG) if item.nodeid.startswith(place)), len(LONG))
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share out one by one, but for those that stay together; they begin."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = lambda test: next((folder for folder in TOGETHER if test.startswith(folder)), test)
    return scheduler
