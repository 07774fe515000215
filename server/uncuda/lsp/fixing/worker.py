"""The workspace job: fixes every file in a process of its own, and says what it would change.

In: a `Job`, one line of JSON; whatever comes after it, or the end of the input, stops the process at once. Out: lines
of JSON, each of a `kind`: "progress" (done, total), "file" (a FileChange), "undecided" (targets: nothing chooses among
them) or "failed" (reason), and last "done" (skipped, left: of each file as it is, diff). Nothing follows "undecided" or
"failed".
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any, BinaryIO

from uncuda.catalogue import load
from uncuda.workspace import UndecidedTarget

from ..wire.background import only_request
from .job import Job
from .rewrite import Message, rewrite

_PAUSE = 0.05  # seconds between two progress messages


def main() -> None:
    """Read a job, work, write messages."""
    job = only_request()
    if job is None:
        return
    with contextlib.suppress(BrokenPipeError):
        _write(sys.stdout.buffer, _messages(job))
    os._exit(0)  # the thread waits for input


def _write(out: BinaryIO, messages: Iterator[Message]) -> None:
    due = 0.0
    for message in messages:
        if message["kind"] == "progress" and time.monotonic() < due:
            continue
        due = time.monotonic() + _PAUSE if message["kind"] == "progress" else due
        out.write(json.dumps(message).encode() + b"\n")
        out.flush()


def _messages(record: dict[str, Any]) -> Iterator[Message]:
    try:
        yield from rewrite(Job.of_record(record), load())
    except UndecidedTarget as error:
        yield {"kind": "undecided", "targets": error.targets}
    except Exception as error:  # noqa: BLE001 the server must be able to say why
        traceback.print_exc()
        yield {"kind": "failed", "reason": f"{type(error).__name__}: {error}"}
