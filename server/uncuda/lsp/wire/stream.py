"""Reads and writes messages (frames) on standard input and output, or on a socket; a separate thread reads."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from uncuda import lazy_re

LARGEST = 128 << 20
"""The largest accepted size of a message body in bytes: six times the largest file, because the JSON of a file may need
that many bytes."""
_BELIEVED = 1 << 32  # a larger Content-Length counts as invalid, and no bytes are skipped for it
_LONGEST_HEADER = 8 << 10
_CHUNK = 1 << 16
_LOOPBACK = "127.0.0.1"
_LENGTH = lazy_re.compile(rb"content-length:", re.IGNORECASE)
_HEADER = lazy_re.compile(rb"[\w-]+:")


@dataclass(frozen=True)
class Connection:
    """Bytes from and to the client. `read(n)` returns at most n bytes, b"" at the end; `read` and
    `write` may raise OSError."""

    read: Callable[[int], bytes]
    write: Callable[[bytes], object]


@dataclass(frozen=True)
class BadFrame:
    """A frame without a usable body. `reason`: why the body is not usable, for the client."""

    reason: str


def frames(read: Callable[[int], bytes]) -> Iterator[bytes | BadFrame]:
    """Yield the bodies of the frames in a stream until it ends, and a BadFrame for each unusable frame.

    Bytes between frames are skipped, so that an invalid frame does not affect the following ones. If several headers in
    a row are invalid, only the first is reported. The time is proportional to the number of bytes, and the memory to
    the size of the largest body.
    """
    stream, in_step = _Stream(read), True
    while stream.find_length():
        length = stream.read_header()
        if isinstance(length, int) and length <= LARGEST:
            body = stream.take(length)
            if body is None:
                return
            in_step = True
            yield body
        elif isinstance(length, int):
            yield BadFrame(f"a message of {length:,} bytes; the most is {LARGEST:,}")
            in_step = True
            if not stream.skip(length):
                return
        elif in_step:
            in_step = False
            yield BadFrame(length)


class _Stream:
    """A stream with a buffer for bytes that have been read but not used."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._buffer = bytearray()

    def find_length(self) -> bool:
        """Skip everything before the next `Content-Length:`; returns whether there is one."""
        while not (found := _LENGTH.search(self._buffer)):
            del self._buffer[: 1 - len("content-length:")]
            if not self._fill(len(self._buffer) + 1):
                return False
        start = found.start()
        del found  # the buffer cannot shrink while the match exists
        del self._buffer[:start]
        return True

    def read_header(self) -> int | str:
        """Read the header up to its empty line; returns the length of the body, or a sentence about the error."""
        lengths: set[bytes] = set()
        left = _LONGEST_HEADER
        while (end := self._line_end(left)) is not None:
            line = bytes(self._buffer[:end])
            if not line.rstrip(b"\r\n"):
                del self._buffer[:end]
                return _length_of(lengths)
            if not _HEADER.match(line):  # another header may begin in the middle of this line
                return "a header without an empty line after it"
            del self._buffer[:end]
            left -= end
            if begin := _LENGTH.match(line):
                lengths.add(line[begin.end() :].strip())
        if not lengths:
            del self._buffer[: len("content-length:")]
        return f"a header without an end, or of more than {_LONGEST_HEADER:,} bytes"

    def take(self, size: int) -> bytes | None:
        """The next `size` bytes; None if the stream ends before that."""
        if not self._fill(size):
            return None
        with memoryview(self._buffer) as view:
            data = bytes(view[:size])
        del self._buffer[:size]
        return data

    def skip(self, size: int) -> bool:
        """Skip `size` bytes without storing them; return whether the stream contained that many."""
        while size > len(self._buffer):
            size -= len(self._buffer)
            self._buffer.clear()
            if not self._fill(1):
                return False
        del self._buffer[:size]
        return True

    def _line_end(self, longest: int) -> int | None:
        """The end of the next line in the buffer; None if the line is longer than `longest`, or if the stream ends."""
        size = 0
        while (end := self._buffer.find(b"\n", size, longest)) < 0:
            size = len(self._buffer)
            if size >= longest or not self._fill(size + 1):
                return None
        return end + 1

    def _fill(self, size: int) -> bool:
        """Read until the buffer contains `size` bytes; return whether the stream contained that many."""
        while len(self._buffer) < size:
            data = self._read(max(_CHUNK, min(size - len(self._buffer), 1 << 20)))
            if not data:
                return False
            self._buffer += data
        return True


def _length_of(lengths: set[bytes]) -> int | str:
    """The length on which all `Content-Length` values of a header agree, or a sentence about the error."""
    if len(lengths) > 1:
        return "a header with two lengths"
    (value,) = lengths
    digits = value.lstrip(b"0") or value[:1]
    if not digits.isdigit():  # isdigit of bytes accepts only 0 to 9
        return f"a length that is no number: {value[:40].decode('ascii', 'backslashreplace')}"
    if len(digits) > len(str(_BELIEVED)) or int(digits) > _BELIEVED:
        return f"a length of {len(digits)} digits"
    return int(digits)


def standard() -> Connection:
    """Use standard input and output for the connection, and redirect other printed text to standard error."""
    reader, writer = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (reader, writer):
            msvcrt.setmode(descriptor, os.O_BINARY)

    def write(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(writer, view) :]

    return Connection(lambda size: os.read(reader, size), write)


def accept(place: str, say: Callable[[str], object]) -> Connection:
    """Wait for the first client at "[HOST:]PORT" and return the connection to it (port 0: any free port; `say` is
    called with its number)."""
    host, _, port = place.rpartition(":")
    host = host.strip("[]") or _LOOPBACK
    if not port.isdigit() or int(port) > 65535:
        raise ValueError(f"`{place}` is not [HOST:]PORT")
    with socket.create_server((host, int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        say("{}:{}".format(*listener.getsockname()[:2]))
        client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Connection(client.recv, client.sendall)
