"""Fixtures and hooks for all tests."""

import gc
import importlib.util
import os
import signal
import sys

import pytest
from hypothesis import settings

from support import notes, parallel, skips
from support.corpus import corpus as corpus
from support.folders import tmp_path as tmp_path

# Hypothesis must not fail a run because of time or a random seed, which would say nothing about the tested change.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "default")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the settings of a pytest plugin that only the server's tests need, in case the plugin is not
    installed."""
    if importlib.util.find_spec("pytest_asyncio") is None:
        for name in ("asyncio_mode", "asyncio_default_fixture_loop_scope"):
            parser.addini(name, "pytest-asyncio's")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(skips, "expected-skips")
    config.pluginmanager.register(parallel, "parallel")
    config.pluginmanager.register(notes, "notes")
    # Imported modules, tables and collected tests live until the process ends. With the default thresholds of Python's
    # garbage collector, visiting them again and again would take a tenth of the time of the tests.
    gc.set_threshold(10_000, 20, 1_000)
    # `make test &` starts with Ctrl-C ignored, and so would the processes to which tests send this signal.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep what was imported and collected out of all later garbage collections, because it lives until the end."""
    if sys.platform != "emscripten":  # there Hypothesis asks the garbage collector for objects that `freeze` hides
        gc.freeze()


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Collect garbage after the last test of a process: this test fails if an earlier test has left a file or another
    resource open that only a reference cycle still holds."""
    if nextitem is None:
        gc.collect()
        gc.freeze()  # pytest and Python collect garbage several times more before the process ends
