"""Reading and writing one file: sizes, permissions, and never half a file."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from itertools import count
from pathlib import Path

from uncuda.limits import LimitExceeded, Limits

_serial = count()
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class FileProblem(Exception):
    """A file that cannot be read or written; the message says why and, if that helps, what to do."""


def read_file(path: str, most: int = Limits.bytes) -> bytes:
    """The bytes of a file; FileProblem if it cannot be read, LimitExceeded if it has more than `most` bytes."""
    try:
        # This runs for every file: with a Path it costs twice as much, with a file object half as much again.
        file = os.open(path, _READ)
        try:
            return _read(file, most)
        finally:
            os.close(file)
    except OSError as error:
        raise FileProblem(f"cannot be read: {error.strerror or error}") from None


def _read(file: int, most: int) -> bytes:
    size = os.fstat(file).st_size
    if size > most:
        raise LimitExceeded("bytes", most)
    data = os.read(file, size + 1)
    if len(data) == size:
        return data
    parts = [data]  # it changes, or its size is not known
    while parts[-1]:
        parts.append(os.read(file, most))
        if sum(map(len, parts)) > most:
            raise LimitExceeded("bytes", most)
    return b"".join(parts)


def write_atomically(path: str, data: bytes) -> None:
    """Replace the contents of a file in one step; its mode, owner and links to it stay. FileProblem if it cannot be.

    Whatever interrupts it, the file holds the old bytes or the new ones, and no other file is left behind.
    """
    try:
        real = Path(path).resolve(strict=True)
        before = real.stat()
    except OSError as error:
        raise FileProblem(f"cannot be written: {error.strerror or error}") from None
    if not _may_write(real):
        raise FileProblem("is read-only; nothing was written")
    try:
        _replace(real, real.with_name(f".{real.name[:200]}.uncuda-{os.getpid()}-{next(_serial)}"), data, before)
    except OSError as error:
        reason = error.strerror or str(error)
        if not _may_write(real.parent):
            reason = f"the folder {real.parent} is read-only ({reason})"
        raise FileProblem(f"cannot be written: {reason}; the file is as it was") from None


def _replace(real: Path, temporary: Path, data: bytes, before: os.stat_result) -> None:
    try:
        with temporary.open("xb") as file:
            file.write(data)
        _keep_owner(temporary, before)
        temporary.chmod(stat.S_IMODE(before.st_mode))
        temporary.replace(real)
    except FileExistsError:  # it is not ours
        raise
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _keep_owner(temporary: Path, before: os.stat_result) -> None:
    now = temporary.stat()
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with suppress(PermissionError):  # only root may give a file away
            os.chown(temporary, before.st_uid, before.st_gid)


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
