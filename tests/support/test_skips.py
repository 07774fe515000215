"""Tests that a skip which is not listed makes a CI run fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.skips import expected_skips, unexpected_skips

TESTS = """
import pytest

def test_runs(): pass

@pytest.mark.parametrize("target", ["npu", "musa"])
def test_skips(target): pytest.skip("no device")
"""


def run(folder: Path, listed: str, ci: str) -> "subprocess.CompletedProcess[str]":
    (folder / ".ci").mkdir()
    (folder / ".ci" / "expected-skips").write_text(listed, encoding="utf-8")
    (folder / "test_it.py").write_text(TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--rootdir", str(folder), "-p", "support.skips", str(folder)]
    path = str(Path(__file__).resolve().parent.parent)
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "CI": ci, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_unlisted_skip_fails_ci(tmp_path: Path) -> None:
    done = run(tmp_path, "test_it.py::test_skips[npu]\tneeds a device\n", "true")
    assert done.returncode == 1, done.stdout
    assert "UNEXPECTED SKIP test_it.py::test_skips[musa]: Skipped: no device" in done.stdout
    assert "UNEXPECTED SKIP test_it.py::test_skips[npu]" not in done.stdout


def test_listed_skip_passes_ci(tmp_path: Path) -> None:
    done = run(tmp_path, "# devices\ntest_it.py::test_skips*\tneeds a device\n", "true")
    assert done.returncode == 0, done.stdout


def test_any_skip_passes_elsewhere(tmp_path: Path) -> None:
    assert run(tmp_path, "", "").returncode == 0


def test_a_line_without_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected-skips:2: write `test id or glob<TAB>reason`"):
        expected_skips("# fine\ntests/test_x.py\n")


def test_brackets_are_literal() -> None:
    skipped = {"t.py::test_a[x-y]": "why", "t.py::test_ax": "why"}
    assert unexpected_skips(skipped, ["t.py::test_a[x-*]"]) == {"t.py::test_ax": "why"}
