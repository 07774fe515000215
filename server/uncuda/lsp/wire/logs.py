"""Sends log records to the client once it is ready, and to a file if one is requested, but never to standard output."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from uncuda.printable import printable, printable_lines

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_TYPES = ((logging.ERROR, 1), (logging.WARNING, 2), (logging.INFO, 3), (0, 4))
_KEPT = 200

logger = logging.getLogger("uncuda.lsp")


class _Formatter(logging.Formatter):
    """Formats a record on one line, with a traceback below; control characters in quoted text are escaped."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 named by logging
        return printable(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return printable_lines(super().formatException(ei))


class ToClient(logging.Handler):
    """Sends records with `send(type, text)` (types of window/logMessage); records logged before `open` are stored until
    then."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._send: Callable[[int, str], object] | None = None
        self._kept: list[tuple[int, str]] = []
        self.setFormatter(_Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Send a log record; before `open` was called, store it."""
        kind = next(number for level, number in _TYPES if record.levelno >= level)
        entry = kind, self.format(record)
        if self._send is not None:
            self._send(*entry)
        elif len(self._kept) < _KEPT:
            self._kept.append(entry)

    def open(self, send: Callable[[int, str], object]) -> None:
        """Send the stored log records, and from now on each record at once."""
        self._send = send
        for entry in self._kept:
            send(*entry)
        self._kept.clear()


def start(log_file: str | None) -> ToClient:
    """Set up logging; OSError if the file cannot be written. For pygls only errors are logged, because its other
    messages contain whole documents."""
    client = ToClient()
    root = logging.getLogger()
    root.handlers[:] = [client]
    if log_file:
        file = logging.FileHandler(log_file, encoding="utf-8", errors="backslashreplace")
        file.setFormatter(_Formatter(_FORMAT))
        root.addHandler(file)
    root.setLevel(logging.WARNING)
    logger.setLevel(logging.DEBUG if log_file else logging.INFO)
    logging.getLogger("pygls").setLevel(logging.ERROR)
    return client
