"""The programs, files and addresses that a command and its processes use, as strace reports them."""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from editors.install import debian
from support.fetching import Missing

_CALL = re.compile(r"^\d+ +(?:\[[^\]]*\] )?(execve|execveat|open|openat|connect)\((.*)", re.M)
_PATH = re.compile(r'(?:AT_FDCWD, |^)"((?:[^"\\]|\\.)*)"')


class Trace(NamedTuple):
    """`started`, `opened`: resolved paths, including those of failed attempts; `connected`: network addresses."""

    started: list[str]
    opened: list[str]
    connected: list[str]


def command(output: Path, program: list[str]) -> list[str]:
    """A command that runs a program under strace, writing to a file; raises Missing if tracing is impossible."""
    strace = str(debian("strace", "strace"))
    tried = subprocess.run([strace, "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise Missing(f"nothing can be traced here: {tried.stderr.strip()}")
    calls = "trace=execve,execveat,open,openat,connect"
    return [strace, "-f", "--seccomp-bpf", "-qq", "-s", "4096", "-e", calls, "-o", str(output), *program]


def read(output: Path, folder: Path) -> Trace:
    """The trace in a file; relative paths are resolved against `folder`."""
    found = Trace([], [], [])
    for call, rest in _CALL.findall(output.read_text(encoding="utf-8", errors="replace")):
        if call == "connect":
            if "AF_INET" in rest:
                found.connected.append(rest)
            continue
        path = _PATH.search(rest)
        if path:
            place = os.path.normpath(folder / path[1])
            (found.started if call.startswith("execve") else found.opened).append(place)
    return found
