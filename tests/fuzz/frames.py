"""Random bytes for the server's input: headers and bodies that no client would send."""

import json
import random
from collections.abc import Iterator, Sequence

from fuzz.methods import junk
from fuzz.model import Find, chance
from fuzz.sessions import Session, converse
from fuzz.trees import tree
from lsp.harness.wire import frame
from lsp.test_malformed import Hostile


class Frames:
    """Each fuzz input is a sequence of bytes. After the last input of a run, the server may be unable to find the next
    frame."""

    name = "frames"
    size = 25

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        """Send frames with a correct length in one session, then a broken frame; then end the session by closing the
        server's input."""
        with tree() as folder:
            session = Session(folder)
            hostile = Hostile(session.client)

            def speak(case: int) -> Iterator[Find]:
                choose = chance(seed, self.name, case)
                if case % self.size < self.size - 1:
                    session.client.send_bytes(whole(choose))
                    hostile.check()
                else:
                    session.client.send_bytes(broken(choose))
                    yield from session.end(orderly=False)

            return converse(session, cases, speak)


def whole(choose: random.Random) -> bytes:
    """A frame with a correct length, whatever its content."""
    content = body(choose)
    names = choose.choice(("Content-Length", "Content-Length", "content-length", "CONTENT-LENGTH", "Content-length"))
    number = choose.choice(("{}", "{}", "{}", "0{}", " {} ", "\t{}", "0000000000000000000{}")).format(len(content))
    headers = [f"{names}: {number}".encode()]
    if choose.random() < 0.3:
        kind = choose.choice(
            ("application/vscode-jsonrpc; charset=utf-8", "text/plain", "x; charset=klingon", "", "\x1b[31m")
        )
        headers.insert(choose.randrange(2), f"Content-Type: {kind}".encode())
    if choose.random() < 0.1:
        headers.insert(choose.randrange(2), b"X-Other: " + b"y" * choose.choice((0, 1, 1000, 100_000)))
    return b"\r\n".join(headers) + b"\r\n\r\n" + content


def body(choose: random.Random) -> bytes:
    """The body of a frame: JSON that is not a message, invalid JSON, or bytes that are not text."""
    kind = choose.randrange(8)
    if kind == 0:
        return choose.randbytes(choose.choice((0, 1, 10, 1000)))
    if kind == 1:
        depth = choose.choice((10, 500, 990, 2000, 100_000))
        before, after = choose.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"[", b"")))
        return before * depth + b"1" + after * depth
    if kind == 2:
        identifier = choose.choice((b"9" * 5000, b"1e999", b"NaN", b"-0", b"1.0", b"null", b'""', b"[]"))
        return b'{"jsonrpc":"2.0","id":' + identifier + b',"method":"textDocument/hover"}'
    message = choose.choice(
        (
            junk(choose),
            {"jsonrpc": choose.choice(("2.0", "1.0", 2.0, None)), "method": junk(choose), "params": junk(choose)},
            {
                "jsonrpc": "2.0",
                "id": choose.choice((None, 1.5, True, [], {}, "", "a")),
                "method": "unknown",
                "params": junk(choose),
            },
            {"jsonrpc": "2.0", "id": junk(choose), "result": junk(choose)},
            {"jsonrpc": "2.0", "id": choose.choice(("x", 10**9)), "error": junk(choose)},
            [{"jsonrpc": "2.0", "method": "x"}] * 3,
        )
    )
    data = json.dumps(message).encode() if choose.random() < 0.5 else frame(message).partition(b"\r\n\r\n")[2]
    if kind == 3 and data:
        at = choose.randrange(len(data))
        return data[:at] + choose.choice((b"", b"\xff", b"\0", b'"', b"\xed\xa0\x80", b"}")) + data[at + 1 :]
    if kind == 4:
        return choose.choice(
            (b"\xef\xbb\xbf" + data, data.decode("utf-8", "replace").encode("utf-16"), data + b"\n\n", data * 2)
        )
    return data


def broken(choose: random.Random) -> bytes:
    """Return bytes after which no next frame can be found."""
    length = choose.choice(
        (
            "9" * 5000,
            "99999999999",
            "-5",
            "+5",
            "0x10",
            "x",
            "",
            "1 2",
            "1,2",
            "1e3",
            "٣",
            "5;q",
            "\0",
            "  ",
            "18446744073709551617",
        )
    )
    return choose.choice(
        (
            *[f"Content-Length: {length}\r\n\r\n{{}}".encode()] * 5,
            f"Content-Length: 2\r\nContent-Length: {length}\r\n\r\n{{}}".encode(),
            b"Content-Length: 2\n\n{}",
            b"\r\n\r\n{}",
            b"\r\n" * choose.choice((1, 100_000)),
            b"Content-Length 2\r\n\r\n{}",
            b"Content-Length: 1000\r\n\r\n{",
            b"Content-Length: ",
            b"X" * choose.choice((1, 5_000_000)),
            choose.randbytes(choose.choice((10, 10_000))),
            b"\0" * 1000,
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"Content-Type: text/plain\r\n\r\n{}",
            frame({"jsonrpc": "2.0", "method": "exit"})[:-1],
            frame({"jsonrpc": "2.0", "id": "end", "method": "shutdown"}) + b"\xff\xff",
        )
    )
