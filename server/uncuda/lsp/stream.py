"""Frames on standard input and output, or on a socket: blocking reads in a thread, writes as they come."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# What stands before it and is no header is passed over, so that one broken frame costs itself and no more.
_HEADER = re.compile(rb"content-length:[ \t]*(\d+)[ \t]*\r?\n(?:[\w-]+:[^\n]*\n)*\r?\n", re.IGNORECASE)
_LARGEST = 1 << 30
_CHUNK = 1 << 16
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Connection:
    """Bytes from and to the client. `read` gives at most so many, none at the end; both may raise OSError."""

    read: Callable[[int], bytes]
    write: Callable[[bytes], object]


def frames(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """The bodies of the frames in a stream, until it ends."""
    buffer = bytearray()
    while True:
        header = _HEADER.search(buffer)
        length = int(header[1]) if header else 0
        if header and length <= _LARGEST:
            start = header.end()
            del header  # while it is there, the buffer cannot grow
            if not _fill(buffer, start + length, read):
                return
            yield bytes(buffer[start : start + length])
            del buffer[: start + length]
            continue
        if header:
            end = header.end()
            del header
            del buffer[:end]
            continue
        if len(buffer) > _CHUNK:
            del buffer[: -_CHUNK // 2]
        if not _fill(buffer, len(buffer) + 1, read):
            return


def _fill(buffer: bytearray, size: int, read: Callable[[int], bytes]) -> bool:
    """Read until the buffer holds so many bytes; whether the stream had them."""
    while len(buffer) < size:
        data = read(max(_CHUNK, min(size - len(buffer), 1 << 20)))
        if not data:
            return False
        buffer += data
    return True


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
