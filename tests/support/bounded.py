"""Runs code that might never end in a separate process with a time limit."""

import subprocess
import sys

from cli.command import environment

SECONDS = 60
"""The time limit in seconds: much longer than correct code takes on any machine, and much shorter than the hangs that
were found earlier."""


def run_bounded(code: str, *arguments: str) -> str:
    """Run Python code in a new process and return its output; fail if the process does not end in time."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::FutureWarning", "-c", code, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=SECONDS,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
