"""Every test of the command line runs in a new empty folder."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
