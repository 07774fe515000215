"""Reading one file that anybody wrote: a regular file, opened without waiting, and no more of it than is wanted."""

from __future__ import annotations

import errno
import os
import stat

LARGEST_CONFIGURATION = 1_000_000
"""Bytes of a file that is not a document: configuration, .gitignore, requirements."""

_FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY"):  # which of them there are depends on the system
    _FLAGS |= getattr(os, _name, 0)
_PART = 1_000_000
_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


class TooLargeError(OSError):
    """A file of more bytes than were asked for. `size`: how many it has, as far as that is known."""

    def __init__(self, size: int, largest: int) -> None:
        super().__init__(errno.EFBIG, f"larger than {largest / 1e6:g} MB ({size / 1e6:.1f} MB)")
        self.size = size


class NotUtf8Error(ValueError):
    """Bytes that are not text in UTF-8. `line`, from 1: where the first of them stands."""

    def __init__(self, data: bytes, place: int) -> None:
        self.message = f"byte 0x{data[place]:02x}"
        self.line = data.count(b"\n", 0, place) + 1
        super().__init__(f"line {self.line}: {self.message}")


def read_bytes(path: str, largest: int = LARGEST_CONFIGURATION) -> bytes:
    """The bytes of a regular file or of one that a link leads to; never waits for a writer.

    OSError if it cannot be read or is something else, such as a pipe or a device; TooLargeError if there are more than
    `largest` bytes, also where a file grows while it is read.
    """
    try:
        # This runs for every file: with a Path it costs twice as much, with a file object half as much again.
        file = os.open(path, _FLAGS)
    except ValueError as error:  # no path: it holds a NUL, or a character that no name can
        raise OSError(errno.EINVAL, str(error)) from None
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.EINVAL, "is a socket, not a file") from None
        raise
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise _not_regular(status.st_mode)
        return _read(file, status.st_size, largest)
    finally:
        os.close(file)


def decode_utf8(data: bytes) -> str:
    """The text of bytes in UTF-8, without a byte order mark; NotUtf8Error where it is not."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotUtf8Error(data, error.start) from None


def _read(file: int, size: int, largest: int) -> bytes:
    if size > largest:
        raise TooLargeError(size, largest)
    data = os.read(file, size + 1)
    if len(data) == size:
        return data
    parts, total = [data], len(data)  # it changes, or its size is not known
    while parts[-1]:
        if total > largest:
            raise TooLargeError(total, largest)
        parts.append(os.read(file, _PART))
        total += len(parts[-1])
    return b"".join(parts)


def _not_regular(mode: int) -> OSError:
    if stat.S_ISDIR(mode):
        return IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return OSError(errno.EINVAL, f"is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file")
