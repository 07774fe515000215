"""The workspace job: fixes every file in a process of its own, and says what it would change.

In: a `Job`, one line of JSON; whatever comes after it, or the end of the input, stops the process at once. Out: one
line of JSON a message, `kind` first: "progress" (done, total), "file" (one that changes; after a tab its edits, ready
to be sent), "undecided" (targets: nothing chooses among them) or "failed" (reason), and last "done" (skipped, manual,
diff). Neither "undecided" nor "failed" is followed by anything.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any, BinaryIO

from uncuda.catalogue import load
from uncuda.workspace import UndecidedTarget

from .job import Job

Message = tuple[dict[str, Any], str]
_PAUSE = 0.05  # seconds between two progress messages


def main() -> None:
    """Read a job, work, write messages."""
    line = sys.stdin.buffer.readline()
    if not line:
        return
    threading.Thread(target=_stop_with_input, daemon=True).start()
    gc.disable()  # nearly everything made here is a tree without cycles
    with contextlib.suppress(BrokenPipeError):
        _write(sys.stdout.buffer, _messages(Job.decode(line)))
    os._exit(0)  # the thread waits for input


def _stop_with_input() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(0)


def _write(out: BinaryIO, messages: Iterator[Message]) -> None:
    due = 0.0
    for head, body in messages:
        if head["kind"] == "progress" and time.monotonic() < due:
            continue
        due = time.monotonic() + _PAUSE if head["kind"] == "progress" else due
        out.write(json.dumps(head).encode() + (b"\t" + body.encode() if body else b"") + b"\n")
        out.flush()


def _messages(job: Job) -> Iterator[Message]:
    from .rewrite import rewrite

    try:
        yield from rewrite(job, load())
    except UndecidedTarget as error:
        yield {"kind": "undecided", "targets": error.targets}, ""
    except Exception as error:  # noqa: BLE001 the server must be able to say why
        traceback.print_exc()
        yield {"kind": "failed", "reason": f"{type(error).__name__}: {error}"}, ""
