"""Simulates the server of an older uncuda, which does not know the requests that the constant UNKNOWN lists.

`older.py ASKED PYTHON ARGUMENT…` starts the real server with the command `PYTHON ARGUMENT…`, and passes messages on.
Requests in UNKNOWN are answered with an error, and their methods are written to the file ASKED, one per line.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

UNKNOWN = ("uncuda/overview", "uncuda/overviewPath", "uncuda/review", "uncuda/fixedText", "uncuda/changes")


def passed_on(source: IO[bytes], look: Callable[[Any], Any], sink: IO[bytes]) -> None:
    """Pass messages on until the source ends; `look` returns the message to send instead of each one, or None to send
    none."""
    while header := source.readline():
        while (line := source.readline()).strip():
            header += line
        length = next(int(part.split(b":")[1]) for part in header.splitlines() if part.lower().startswith(b"content-l"))
        message = look(json.loads(source.read(length)))
        if message is not None:
            data = json.dumps(message).encode()
            sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
            sink.flush()
    sink.close()


def main(asked: str, command: list[str]) -> int:
    """Run the server until it ends; return its exit code."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin and server.stdout
    out = sys.stdout.buffer

    def from_client(message: Any) -> Any:
        if message.get("method") not in UNKNOWN:
            return message
        with Path(asked).open("a", encoding="utf-8") as file:
            file.write(f"{message['method']}\n")
        answer = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown method"}}
        data = json.dumps(answer).encode()
        out.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        out.flush()
        return None

    def from_server(message: Any) -> Any:
        if isinstance(result := message.get("result"), dict) and "capabilities" in result:
            del result["capabilities"]["experimental"]["uncudaOverview"]
        return message

    threading.Thread(target=passed_on, args=(sys.stdin.buffer, from_client, server.stdin), daemon=True).start()
    passed_on(server.stdout, from_server, out)
    return server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
