"""The terminal: output streams, colours, the progress bar, notes, and a delayed Ctrl-C while a file is written."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from uncuda.printable import printable
from uncuda.report.words import Words
from uncuda.workspace import Problem

from .texts import one_line

T = TypeVar("T")


def colored(stream: Any) -> bool:
    """Return whether to print colours to a stream: it must be a terminal that supports colours, and NO_COLOR must not
    be set."""
    return _knows_escapes(stream) and not os.environ.get("NO_COLOR")


def _knows_escapes(stream: Any) -> bool:
    """Return whether a stream is a terminal that understands escape sequences."""
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


class Console:
    """Prints notes and errors to standard error."""

    def __init__(self, words: Words, quiet: bool = False, verbose: bool = False) -> None:
        self.words = words
        self.quiet = quiet
        self.verbose = verbose
        self._progress = False

    def note(self, text: str) -> None:
        """Print a line, unless `--quiet` is given."""
        if not self.quiet:
            self.print(text)

    def error(self, problem: Problem, trace: str = "") -> None:
        """Print a line about an error; with `--verbose` its traceback first."""
        if trace and self.verbose:
            for line in trace.rstrip().split("\n"):
                self.print(line)
        self.print(f"uncuda: {self.words('error')}: {problem.path}: {one_line(problem.message)}")

    def left_out(self, skipped: Iterable[Problem]) -> None:
        """With `--verbose`, print which files were left out on purpose, and the reason for each."""
        for path, why in skipped if self.verbose else ():
            self.print(self.words("left out", path, why))

    def print(self, text: str) -> None:
        """Print a line to standard error with control characters escaped."""
        self.print_painted(printable(text))

    def print_painted(self, text: str) -> None:
        """Print a line to standard error that is already escaped and may contain uncuda's own colour codes."""
        self.clear()
        sys.stderr.write(text + "\n")

    def progress(self, items: list[T], shown: bool) -> Iterator[T]:
        """Yield the items; draw a progress bar on a terminal if the loop takes more than half a second."""
        if not shown or self.quiet or not _knows_escapes(sys.stderr):
            yield from items
            return
        due = time.monotonic() + 0.5
        for number, item in enumerate(items):
            if time.monotonic() > due:
                self._draw(number, len(items))
                due = time.monotonic() + 0.1
            yield item
        self.clear()

    def clear(self) -> None:
        """Remove the progress bar from the terminal before other text is printed."""
        if self._progress:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._progress = False

    def _draw(self, number: int, total: int) -> None:
        filled = 30 * number // total
        sys.stderr.write(f"\r\x1b[K[{'#' * filled}{'.' * (30 - filled)}] {number:,}/{total:,}")
        sys.stderr.flush()
        self._progress = True


# Signals that request a process to end; SIGBREAK is the Ctrl-Break of Windows.
_INTERRUPTS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK") if hasattr(signal, name)
]


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C and other signals that end the process until the end of the block, then handle them as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[int] = []
    before: dict[int, Any] = {}
    try:
        for number in _INTERRUPTS:
            before[number] = signal.signal(number, lambda number, _: pending.append(number))
        yield
    finally:
        for number in reversed(before):  # Ctrl-C comes last, because its handler raises an exception at once
            signal.signal(number, before[number] or signal.SIG_DFL)  # None means that Python did not set the handler
        for number in dict.fromkeys(pending):
            signal.raise_signal(number)
