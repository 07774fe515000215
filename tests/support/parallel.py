"""Distributes tests to the xdist workers of a parallel run."""

from typing import Any

import pytest

# All tests of a group in TOGETHER run on the same worker and share what one of them started or built.
TOGETHER = ("tests/e2e/vscode/", "tests/pycharm/test_plugin.py", "tests/ci/", "tests/test_bundle.py",
            "tests/corpus/test_accepted.py", "tests/corpus/test_screen.py", "tests/corpus/test_yolov5.py",
            "tests/vscode/test_extension.py", "tests/vscode/test_vsix.py")  # fmt: skip
# Beginning of the ids of a test that runs for each package and target. It reads a package once for all targets; the
# target is the last part of the id.
PACKAGES = "tests/corpus/test_differential.py::test_islands_equal_the_oracle["
# Tests that take minutes: if they started last, one worker would still be running when the others have finished.
LONG = (*TOGETHER, "tests/test_other_pythons.py", "tests/corpus/", "tests/editors/",
        "tests/vscode/", "tests/lsp/test_soak", "tests/lsp/test_gone.py", "tests/support/witness/")  # fmt: skip
# The longest of the other test files: they start directly after the tests in LONG, so that short files are left to
# balance the workers at the end.
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
    """Distribute long tests one by one, except groups that share a worker, and all other tests by file: fixtures of a
    file are then made once, and the scheduler has 25 times fewer parts to distribute."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    config.option.loadscopereorder = False
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = part_of
    return scheduler


def part_of(test: str) -> str:
    """Return the group of a test: all tests of a group run on the same worker. `test`: the id of the test."""
    if test.startswith(PACKAGES):
        return test.rpartition("-")[0]
    whole = next((place for place in TOGETHER if test.startswith(place)), "")
    return whole or (test if test.startswith(LONG) else test.partition("::")[0])
