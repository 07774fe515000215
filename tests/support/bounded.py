"""Running what may hang in a process of its own."""

import subprocess
import sys

from cli.command import environment

SECONDS = 60
"""Far more than what ends takes on any machine, far less than what used to hang took."""


def run_bounded(code: str, *arguments: str) -> str:
    """What Python code prints; fails if it does not end."""
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
