"""Tests that the tests of a file that share a costly fixture run on one worker."""

from pathlib import Path

import pytest

from support.imports import ROOT
from support.parallel import part_of

FILES = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if path != Path(__file__)]
SHARING = [path.relative_to(ROOT).as_posix() for path in FILES if 'scope="module"' in path.read_text("utf-8")]


@pytest.mark.parametrize("path", SHARING)
def test_a_fixture_of_a_file_is_made_once(path: str) -> None:
    assert part_of(f"{path}::test_one") == part_of(f"{path}::test_other")
