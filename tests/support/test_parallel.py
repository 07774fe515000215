"""Tests that the tests of a file that share a costly fixture run on one worker, and that a worker sends each result."""

from pathlib import Path

import pytest

from support.imports import ROOT
from support.parallel import is_silent, part_of

FILES = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if path != Path(__file__)]
SHARING = [path.relative_to(ROOT).as_posix() for path in FILES if 'scope="module"' in path.read_text("utf-8")]


@pytest.mark.parametrize("path", SHARING)
def test_a_fixture_of_a_file_is_made_once(path: str) -> None:
    assert part_of(f"{path}::test_one") == part_of(f"{path}::test_other")


@pytest.mark.parametrize("when", ["setup", "call", "teardown"])
@pytest.mark.parametrize("outcome", ["passed", "failed", "skipped"])
def test_the_controller_learns_what_every_test_did(when: str, outcome: str) -> None:
    sent = not is_silent("testreport", {"data": {"when": when, "outcome": outcome}})
    assert sent == (when == "call" or outcome != "passed")


def test_the_controller_learns_that_a_test_is_complete() -> None:
    assert not is_silent("runtest_protocol_complete", {"item_index": 0, "duration": 1.0})
