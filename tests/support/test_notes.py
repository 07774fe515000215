"""The notes of passing tests are printed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
def test_says(record_property):
    record_property("note", "two rules are missing")
    record_property("other", "of no interest")
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "1"])
def test_notes_are_shown(tmp_path: Path, workers: str) -> None:
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        workers,
        "--rootdir",
        str(tmp_path),
        "-p",
        "support.notes",
        "-p",
        "xdist.plugin",
    ]
    path = str(Path(__file__).resolve().parent.parent)
    done = subprocess.run(
        [*command, str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("NOTE test_it.py::test_says: two rules are missing\n") == 1
    assert "of no interest" not in done.stdout
