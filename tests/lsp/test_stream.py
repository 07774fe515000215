"""Tests of the LSP reader: frames, invalid bytes, and the time that each takes."""

from __future__ import annotations

import io
import tracemalloc

import pytest

from lsp.harness.starting import Start
from uncuda.lsp.wire.stream import LARGEST, BadFrame, frames

GOOD = b"Content-Length: 5\r\n\r\nhello"
PARSE_ERROR = -32700


def taken(data: bytes, most: int = 1 << 16) -> list[bytes | BadFrame]:
    """Return what the reader yields for bytes that arrive in pieces of random size."""
    stream = io.BytesIO(data)
    return list(frames(lambda size: stream.read(min(size, most))))


@pytest.mark.parametrize("most", [1, 7, 1 << 16])
@pytest.mark.parametrize(
    "header, reason",
    [
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", "a length of 5000 digits"),
        (b"Content-Length: " + b"9" * 20_000 + b"\r\n\r\n", "a header without an end"),
        (b"Content-Length: 99999999999\r\n\r\n", "a length of 11 digits"),
        (b"Content-Length: +5\r\n\r\n", "no number: +5"),
        (b"Content-Length: -5\r\n\r\n", "no number: -5"),
        (b"Content-Length: 1_0\r\n\r\n", "no number: 1_0"),
        (b"Content-Length: \xd9\xa3\r\n\r\n", "no number"),
        (b"Content-Length:\r\n\r\n", "no number"),
        (b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", "two lengths"),
        (b"Content-Length: 5\r\nno header\r\n\r\n", "without an empty line"),
        (b"Content-Length: x\r\n\r\n" * 3, "no number: x"),
    ],
)
def test_a_header_that_is_none_is_reported_once(header: bytes, reason: str, most: int) -> None:
    bad, *good = taken(header + GOOD + GOOD, most)
    assert isinstance(bad, BadFrame) and reason in bad.reason
    assert good == [b"hello", b"hello"]


@pytest.mark.parametrize("most", [1, 1 << 16])
@pytest.mark.parametrize(
    "data",
    [
        b"hello\n",
        b"\r\n\r\n",
        b"{}",
        b"\0" * 99,
        b"a:b\n" * 5000,
        b"Content-Type: text\r\n",
        b"x" * 100_000,
    ],
)
def test_what_stands_before_a_frame_is_passed_over(data: bytes, most: int) -> None:
    assert taken(data + GOOD, most) == [b"hello"]


@pytest.mark.parametrize(
    "data, body",
    [
        (b"content-length:0\r\n\r\n", b""),
        (b"CONTENT-LENGTH: \t5 \nX-Y: z\n\nhello", b"hello"),
        (b"Content-Length: 00005\r\n\r\nhello", b"hello"),
        (b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", b"hello"),
    ],
)
def test_headers_that_serve(data: bytes, body: bytes) -> None:
    assert taken(data + GOOD, 3) == [body, b"hello"]


def test_a_message_that_is_too_large_is_passed_over_and_not_kept() -> None:
    pieces = [b"Content-Length: %d\r\n\r\n" % (LARGEST + 1), *[b"{" * (1 << 20)] * (LARGEST >> 20), b"{", GOOD]
    pieces.reverse()
    tracemalloc.start()
    try:
        bad, good = frames(lambda size: pieces.pop() if pieces else b"")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert isinstance(bad, BadFrame) and f"{LARGEST + 1:,} bytes" in bad.reason
    assert good == b"hello"


@pytest.mark.parametrize(
    "piece", [b"content-length: 1\n", b"content-length: 1", b"a:b\n", b"1", b"content-length: 1\na:b\n"]
)
def test_time_follows_size(piece: bytes) -> None:
    """Reading many header lines without a body takes linear time; a reader with quadratic time took minutes."""
    assert taken(piece * ((4 << 20) // len(piece)) + b"\n\n" + GOOD + GOOD)[-1] == b"hello"


UNREADABLE = [
    b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    b"Content-Length: 1000000\r\n\r\n" + b"[" * 1_000_000,
    b'Content-Length: 5007\r\n\r\n{"id":' + b"1" * 5000 + b"}",
    b'Content-Length: 32\r\n\r\n{"id":1e400,"method":"shutdown" }',
    b'Content-Length: 10\r\n\r\n{"id":NaN}',
]


def test_what_cannot_be_read_is_answered(start: Start) -> None:
    client = start()
    client.tolerated = ["digits"]

    def refusals() -> int:
        replies = [record.message for record in client.traffic if record.source == "server"]
        return sum(reply.get("id", 0) is None and reply["error"]["code"] == PARSE_ERROR for reply in replies)

    for number, data in enumerate(UNREADABLE, 1):
        client.send_bytes(data)
        client.wait(lambda number=number: refusals() == number, "error reply")  # type: ignore[misc]
    client.settle()
