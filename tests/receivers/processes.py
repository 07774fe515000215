"""Replacements for the process that runs jedi; they misbehave on command."""

from __future__ import annotations

import json
import sys
from typing import Any

from uncuda.receivers.process import Process

# The process answers with the first word of the line, as in `silent: x.cuda()`; some words make it misbehave instead.
_PROGRAM = """
import json, os, signal, sys, time
def say(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()
say({"ready": True})
lines = []
for line in sys.stdin:
    message = json.loads(line)
    if "text" in message:
        lines = message["text"].split("\\n")
        continue
    word = lines[message["line"] - 1].split(":")[0]
    if word == "hang":
        while True:
            time.sleep(3600)
    if word == "die":
        os._exit(3)
    if word == "garbage":
        sys.stdout.write("not json\\n")
        sys.stdout.flush()
        continue
    if word == "wait":
        while not os.path.exists(lines[0]):
            time.sleep(0.005)
        word = "unknown"
    memory = 0
    if word == "grow":
        word, memory = "unknown", 1 << 40
    say({"verdict": word, "memory": memory})
"""


class Starts:
    """Starts test processes in place of the real ones, and lists them."""

    def __init__(self, program: str = _PROGRAM) -> None:
        self.started: list[Process] = []
        self._program = program

    def __call__(self) -> Process:
        self.started.append(Process([sys.executable, "-I", "-c", self._program]))
        return self.started[-1]

    @property
    def alive(self) -> list[Process]:
        """Return the processes that have not exited."""
        return [process for process in self.started if process.alive]


def said(notes: list[tuple[Any, ...]]) -> list[Any]:
    """Return the notes, each as its key and arguments, without its path."""
    return [json.loads(json.dumps([note[0], *note[2:]])) for note in notes]
