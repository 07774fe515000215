"""Reads one untrusted file: only a regular file is read, opening never blocks, and the number of bytes is limited."""

from __future__ import annotations

import errno
import os
import stat

LARGEST_CONFIGURATION = 1_000_000
"""The maximum size in bytes of files other than Python source: configuration, .gitignore, requirements."""

_FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY"):  # each of these flags is missing on some systems
    _FLAGS |= getattr(os, _name, 0)
_PART = 1_000_000
_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


class TooLargeError(OSError):
    """Raised if a file has more bytes than are allowed. `size`: the number of bytes in the file, as far as it is
    known."""

    def __init__(self, size: int, largest: int) -> None:
        super().__init__(errno.EFBIG, f"larger than {largest / 1e6:g} MB ({size / 1e6:.1f} MB)")
        self.size = size


class NotUtf8Error(ValueError):
    """Raised for bytes that are not UTF-8 text. `line`: the line of the first invalid byte, from 1."""

    def __init__(self, data: bytes, place: int) -> None:
        self.message = f"byte 0x{data[place]:02x}"
        self.line = data.count(b"\n", 0, place) + 1
        super().__init__(f"line {self.line}: {self.message}")


def read_bytes(path: str, largest: int = LARGEST_CONFIGURATION) -> bytes:
    """Return the bytes of a regular file, also if the path is a link to one; the function never blocks.

    Raise OSError if the file cannot be read or is not a regular file, but a pipe or a device, for example; raise
    TooLargeError if there are more than `largest` bytes, also if the file grows during the call.
    """
    try:
        # This function is called for every file; it would take 2 times as long with pathlib.Path, and 1.5 times as long
        # with a file object.
        file = os.open(path, _FLAGS)
    except ValueError as error:  # the path is invalid: it contains a NUL, or a character that no file name can contain
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
    """Return the text of UTF-8 bytes without a byte order mark; raise NotUtf8Error if the bytes are not UTF-8."""
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
    parts, total = [data], len(data)  # the file grows during the call, or the system reports no size
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
