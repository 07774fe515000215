"""Distributes tests to the xdist workers of a parallel run."""

import sys
from collections.abc import Generator
from typing import Any

import pytest

from support.imports import ROOT

# All tests of a group in TOGETHER run on the same worker and share what one of them started or built.
TOGETHER = ("tests/e2e/vscode/", "tests/pycharm/test_plugin.py", "tests/ci/", "tests/test_bundle.py",
            "tests/corpus/test_accepted.py", "tests/corpus/test_screen.py", "tests/corpus/test_yolov5.py",
            "tests/vscode/test_extension.py", "tests/vscode/test_vsix.py")  # fmt: skip
# Beginning of the ids of a test that runs for each package and target. The test reads a package once for all targets;
# the target is the last part of the id.
PACKAGES = "tests/corpus/test_differential.py::test_islands_equal_the_oracle["
# Tests that take minutes: if they started last, one worker would still be running when the other workers have finished.
LONG = (*TOGETHER, "tests/test_other_pythons.py", "tests/corpus/", "tests/editors/",
        "tests/vscode/", "tests/lsp/test_soak", "tests/lsp/test_gone.py", "tests/support/witness/")  # fmt: skip
# The longest of the other test files: they start directly after the tests in LONG, so that short files are left to
# balance the workers at the end. The first two compute, while those of the language server mostly wait.
NEXT = ("tests/test_contributing.py", "tests/engine/test_carried.py", "tests/lsp/", "tests/cli/")
PLACES = (*LONG, *NEXT)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """In a new checkout, let one worker import the test files before the other workers do. This worker compiles all of
    them, with pytest's assertions; workers that import them at the same moment would all compile them."""
    if not hasattr(session.config, "workerinput") or _is_compiled():
        return (yield)
    from support.locks import after_the_first  # not where Python for WebAssembly has no file locks

    with after_the_first(ROOT / ".cache" / "collection.lock"):
        return (yield)


def _is_compiled() -> bool:
    """Return whether a worker has compiled the test files: one of the files that are collected last has byte code."""
    last = max((ROOT / "tests").glob("test_*.py"))
    return any((last.parent / "__pycache__").glob(f"{last.stem}.{sys.implementation.cache_tag}-pytest-*.pyc"))


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


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let a worker send only the messages that the controller shows: each test would otherwise send six, which takes
    longer than many tests."""
    shown = config.option.xmlpath or config.option.durations is not None
    if hasattr(config, "workerinput") and not shown:
        (worker,) = (one for one in config.pluginmanager.get_plugins() if type(one).__name__ == "WorkerInteractor")
        send = worker.sendevent
        worker.sendevent = lambda name, **data: None if is_silent(name, data) else send(name, **data)


def is_silent(name: str, data: dict[str, Any]) -> bool:
    """Return whether the controller shows nothing of a worker's message: that a test starts, or that its fixtures did
    what they should."""
    if name == "testreport":
        report = data["data"]
        return bool(report["when"] != "call" and report["outcome"] == "passed")
    return name == "logstart"


def part_of(test: str) -> str:
    """Return the group of a test: all tests of a group run on the same worker. `test`: the id of the test."""
    if test.startswith(PACKAGES):
        return test.rpartition("-")[0]
    whole = next((place for place in TOGETHER if test.startswith(place)), "")
    return whole or (test if test.startswith(LONG) else test.partition("::")[0])
