"""Starts the tested program with limits, and finds processes that remain after it has ended. The module works on Linux
only."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from cli.command import environment

MEMORY_KIB = 2 * 1024 * 1024
CPU_SECONDS = 20
WALL_SECONDS = 60  # in seconds of wall time; a waiting process uses no CPU time, and a machine under load is slow
REMAIN_SECONDS = 3.0
_MARK = "UNCUDA_FUZZ_RUN"
COMMAND = [sys.executable, "-m", "uncuda"]


class Done(NamedTuple):
    """The result of a command that ended, or (`hung`) was killed; negative exit codes are signals."""

    code: int
    out: bytes
    err: bytes
    hung: bool
    remained: tuple[str, ...]


def limited(command: list[str], cpu: int = CPU_SECONDS) -> list[str]:
    """Return the command with limits on memory and CPU time for each of its processes, and without core dumps."""
    limits = f'ulimit -c 0; ulimit -v {MEMORY_KIB}; ulimit -t {cpu}; exec "$@"'
    return ["/bin/sh", "-c", limits, "sh", *command]


def marked(**more: str) -> tuple[str, dict[str, str]]:
    """Return a random mark, and an environment that contains it; processes that inherit the environment are found by
    this mark."""
    mark = uuid.uuid4().hex
    return mark, environment(GIT_CEILING_DIRECTORIES="/", **{_MARK: mark}, **more)


def run(
    command: list[str], folder: Path, *, cpu: int = CPU_SECONDS, stdin: bytes = b"", wall: float = WALL_SECONDS,
    env: Mapping[str, str] | None = None,
) -> Done:  # fmt: skip
    """Run a command until it ends or its time is up."""
    mark, variables = marked(**(env or {}))
    with subprocess.Popen(
        limited(command, cpu), cwd=folder, env=variables, start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        hung = False
        try:
            out, err = process.communicate(stdin, timeout=wall)
        except subprocess.TimeoutExpired:
            hung = True
            end_all(mark)
            out, err = process.communicate()
        except BaseException:
            end_all(mark)
            raise
    remained = () if hung else remaining(mark)
    hung = hung or process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return Done(process.returncode, out, err, hung, remained)


def remaining(mark: str, seconds: float = REMAIN_SECONDS) -> tuple[str, ...]:
    """Wait until no process has the mark; kill those that remain, and return their command lines."""
    deadline = time.monotonic() + seconds
    while found := dict(_having(mark)):
        if time.monotonic() > deadline:
            end_all(mark)
            return tuple(found.values())
        time.sleep(0.02)
    return ()


def end_all(mark: str) -> None:
    """Kill every process whose environment contains this mark, which `marked` has made."""
    for process, _ in _having(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _having(mark: str) -> Iterator[tuple[int, str]]:
    """Yield the processes whose environment contains this mark, with their command lines; zombies are left out."""
    wanted = f"{_MARK}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                    yield int(entry.name), command
