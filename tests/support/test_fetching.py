"""Tests that if a package cannot be fetched, the test is skipped, and that if a package is broken, the test fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.fetching import Missing, fetch
from support.imports import ROOT


def failing(text: str) -> list[str]:
    return ["sh", "-c", f"echo '{text}' >&2; exit 3"]


def test_what_it_prints() -> None:
    assert fetch(["echo", "fine"]) == "fine\n"


@pytest.mark.parametrize(
    "said",
    [
        "npm error code ENOTFOUND",
        "E: Unable to locate package emacs-nox",
        "ERROR: No matching distribution found for playwright==1.2",
        "[ERROR] Could not transfer artifact org.example:a:pom:1 from/to central",
    ],
)
def test_what_is_not_reached_is_missing(said: str) -> None:
    with pytest.raises(Missing, match=r"sh -c .* failed: "):
        fetch(failing(said))


def test_what_is_broken_fails() -> None:
    with pytest.raises(AssertionError, match="TS2322: no such type"):
        fetch(failing("src/server.ts: TS2322: no such type"))


def test_a_test_that_misses_something_is_skipped(tmp_path: Path) -> None:
    test = "from support.fetching import Missing\ndef test_it(): raise Missing('no Python 3.9')\n"
    (tmp_path / "test_it.py").write_text(test, encoding="utf-8")
    path = {**os.environ, "PYTHONPATH": str(ROOT / "tests"), "CI": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), "-rs", str(tmp_path)]
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "no Python 3.9" in done.stdout
