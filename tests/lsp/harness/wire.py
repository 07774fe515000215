"""Reads and writes the protocol's message frames on a byte stream."""

import json
from typing import IO, Any


class BadFrame(Exception):
    """Raised if bytes are not a frame; the message shows the bytes."""


def frame(message: Any) -> bytes:
    """A message as a frame of bytes."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read(stream: IO[bytes]) -> Any:
    """The next message; None at the end of the stream; BadFrame if the bytes are not a frame."""
    length = None
    line = stream.readline()
    if not line:
        return None
    while line != b"\r\n":
        name, colon, value = line.rstrip(b"\r\n").partition(b": ")
        if not colon or not line.endswith(b"\r\n") or name not in (b"Content-Length", b"Content-Type"):
            raise BadFrame(f"not a header: {line[:200]!r}")
        if name == b"Content-Length":
            length = int(value)
        line = stream.readline()
    if length is None:
        raise BadFrame("a frame without a Content-Length")
    body = stream.read(length)
    if len(body) < length:
        raise BadFrame(f"a frame of {length} bytes ends after {len(body)}: {body[-200:]!r}")
    try:
        return json.loads(body.decode("utf-8"))
    except ValueError as error:
        raise BadFrame(f"{error}: {body[:200]!r}") from error
