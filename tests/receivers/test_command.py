"""Tests that with `--receivers`, or the setting `receivers`, the command line waits until jedi has searched for the
type of every receiver (the `x` of `x.cuda()`), and prints notes about this search only with --verbose."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import Run, environment, uncuda
from receivers.project import FILES, HEAD, write

CODE = HEAD + "Renamed(1).cuda()\nArray().cuda()\nNet().cuda()\ntorch.zeros(3).cuda()\n"


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, FILES)
    write(tmp_path, {"main.py": CODE, "uncuda.toml": 'target = "npu"\nselect = ["cuda-method"]\n'})
    monkeypatch.chdir(tmp_path)


def count(*arguments: str) -> int:
    """Return the number of findings that the command reports."""
    return len(uncuda("check", "--output-format", "json", *arguments).json["findings"])


def test_off_by_default() -> None:
    assert count("main.py") == 4


def test_the_option() -> None:
    assert count("--receivers", "main.py") == 2


def test_the_setting_and_the_option_against_it() -> None:
    with Path("uncuda.toml").open("a", encoding="utf-8") as file:
        file.write("receivers = true\n")
    assert count("main.py") == 2
    assert count("--no-receivers", "main.py") == 4


def test_the_text_says_no_more_than_before() -> None:
    plain = uncuda("check", "main.py")
    asked = uncuda("check", "--receivers", "main.py")
    assert asked.err == plain.err
    shown, before = (run.out.partition(" findings in ")[0].rpartition("\n")[0].splitlines() for run in (asked, plain))
    assert shown
    assert set(shown) <= set(before)


@pytest.mark.slow
def test_fix_leaves_what_is_silent() -> None:
    assert uncuda("fix", "--receivers", "--review-fixes", "--quiet", ".").code == 0
    fixed = Path("main.py").read_text(encoding="utf-8")
    assert "Renamed(1).cuda()\nArray().cuda()\nNet().npu()\ntorch.zeros(3).npu()\n" in fixed
    assert uncuda("check", "--receivers", "main.py").code == 0


@pytest.mark.slow
def test_standard_input() -> None:
    run = uncuda("check", "--receivers", "--output-format", "json", "--stdin-filename", "main.py", "-", stdin=CODE)
    assert len(run.json["findings"]) == 2
    fixed = uncuda("fix", "--receivers", "--review-fixes", "--stdin-filename", "main.py", "-", stdin=CODE)
    assert "Renamed(1).cuda()" in fixed.out
    assert "Net().npu()" in fixed.out


@pytest.mark.slow
def test_what_took_too_long_is_said_with_verbose_only(tmp_path: Path) -> None:
    script = tmp_path / "elsewhere" / "late.py"
    write(script.parent, {"late.py": LATE})
    arguments = ("check", "--receivers", "--output-format", "json", "main.py")
    quiet = _with(script, *arguments)
    assert len(quiet.json["findings"]) == 4
    assert "took too long" not in quiet.err
    verbose = _with(script, *arguments, "--verbose")
    assert len(verbose.json["findings"]) == 4
    assert "main.py: receiver analysis timed out at 4 places" in verbose.err


LATE = """\
from uncuda.receivers import supervisor
from uncuda.receivers.process import Process, TimedOut

def late(self, question, seconds):
    self.close()
    raise TimedOut

Process.ask = late
supervisor._MOST_FAILURES = 10
from uncuda.cli import main
main()
"""


def _with(script: Path, *arguments: str) -> Run:
    """Run the command line from a Python script."""
    done = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, check=False, env=environment()
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())
