"""Frames on standard input and output, or on a socket: blocking reads in a thread, writes as they come."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LARGEST = 128 << 20
"""Bytes of the largest body that is taken in: six times the largest file that is read, as JSON may need for it."""
_BELIEVED = 1 << 32  # a longer body is no body: what says so is not a frame, and nothing is passed over for it
_LONGEST_HEADER = 8 << 10
_CHUNK = 1 << 16
_LOOPBACK = "127.0.0.1"
_LENGTH = re.compile(rb"content-length:", re.IGNORECASE)
_HEADER = re.compile(rb"[\w-]+:")


@dataclass(frozen=True)
class Connection:
    """Bytes from and to the client. `read` gives at most so many, none at the end; both may raise OSError."""

    read: Callable[[int], bytes]
    write: Callable[[bytes], object]


@dataclass(frozen=True)
class BadFrame:
    """What announced a message and holds none that can be taken in. `reason`: why, for the client."""

    reason: str


def frames(read: Callable[[int], bytes]) -> Iterator[bytes | BadFrame]:
    """The bodies of the frames in a stream, until it ends; in the place of one that is none, a BadFrame.

    What stands before a header and is none is passed over, so that one broken frame costs itself and no more. Of
    several headers in a row that cannot be used, the first is reported. Time follows the number of bytes, and memory
    the largest body, whatever comes.
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
    """A stream with what was read of it and not used yet."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._buffer = bytearray()

    def find_length(self) -> bool:
        """Pass over what stands before the next `Content-Length:`, wherever that is; whether there is one."""
        while not (found := _LENGTH.search(self._buffer)):
            del self._buffer[: 1 - len("content-length:")]
            if not self._fill(len(self._buffer) + 1):
                return False
        start = found.start()
        del found  # while it is there, the buffer cannot shrink
        del self._buffer[:start]
        return True

    def read_header(self) -> int | str:
        """Take the lines up to the empty one: how long the body is, or what is wrong with the header."""
        lengths: set[bytes] = set()
        left = _LONGEST_HEADER
        while (end := self._line_end(left)) is not None:
            line = bytes(self._buffer[:end])
            if not line.rstrip(b"\r\n"):
                del self._buffer[:end]
                return _length_of(lengths)
            if not _HEADER.match(line):  # though another header may begin in the middle of it
                return "a header without an empty line after it"
            del self._buffer[:end]
            left -= end
            if begin := _LENGTH.match(line):
                lengths.add(line[begin.end() :].strip())
        if not lengths:
            del self._buffer[: len("content-length:")]
        return f"a header without an end, or of more than {_LONGEST_HEADER:,} bytes"

    def take(self, size: int) -> bytes | None:
        """So many bytes; None if the stream ends before."""
        if not self._fill(size):
            return None
        with memoryview(self._buffer) as view:
            data = bytes(view[:size])
        del self._buffer[:size]
        return data

    def skip(self, size: int) -> bool:
        """Pass over so many bytes and keep none; whether the stream had them."""
        while size > len(self._buffer):
            size -= len(self._buffer)
            self._buffer.clear()
            if not self._fill(1):
                return False
        del self._buffer[:size]
        return True

    def _line_end(self, longest: int) -> int | None:
        """Where the next line ends; None where it is longer, or the stream ends in it."""
        size = 0
        while (end := self._buffer.find(b"\n", size, longest)) < 0:
            size = len(self._buffer)
            if size >= longest or not self._fill(size + 1):
                return None
        return end + 1

    def _fill(self, size: int) -> bool:
        """Read until the buffer holds so many bytes; whether the stream had them."""
        while len(self._buffer) < size:
            data = self._read(max(_CHUNK, min(size - len(self._buffer), 1 << 20)))
            if not data:
                return False
            self._buffer += data
        return True


def _length_of(lengths: set[bytes]) -> int | str:
    """The length that the values of `Content-Length` in a header agree on, or what is wrong with them."""
    if len(lengths) > 1:
        return "a header with two lengths"
    (value,) = lengths
    digits = value.lstrip(b"0") or value[:1]
    if not digits.isdigit():  # of bytes: 0 to 9 alone
        return f"a length that is no number: {value[:40].decode('ascii', 'backslashreplace')}"
    if len(digits) > len(str(_BELIEVED)) or int(digits) > _BELIEVED:
        return f"a length of {len(digits)} digits"
    return int(digits)


def standard() -> Connection:
    """Standard input and output, taken away from everybody else: what is printed goes to standard error."""
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
    """The first client that connects to "[HOST:]PORT" (port 0: any that is free; `say` is told which)."""
    host, _, port = place.rpartition(":")
    host = host.strip("[]") or _LOOPBACK
    if not port.isdigit() or int(port) > 65535:
        raise ValueError(f"`{place}` is not [HOST:]PORT")
    with socket.create_server((host, int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        say("{}:{}".format(*listener.getsockname()[:2]))
        client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Connection(client.recv, client.sendall)
