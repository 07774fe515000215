"""Tests that after the client has ended, in whatever way, no process of its session is left, whatever the server was
doing."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from cli.command import SAFE, environment
from lsp.harness import wire
from lsp.harness.client import SERVER
from lsp.harness.profiles import PROFILES
from lsp.harness.traffic import Json

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc"),
]
MARK = "UNCUDA_TEST_SESSION"
LEFT_AFTER = 3.0  # seconds after which no process may be left
PATIENCE = 60.0
AGAIN = 15.0  # seconds after which a step is repeated, long enough for a slow machine to begin it
MODULES = ("state.scan_process", "state.inspection_process", "fixing.worker", "receivers.child")
# A program that starts a server as an editor does, prints its process id, and runs until it is killed.
EDITOR = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL if "--tcp" not in sys.argv else None)
sys.stderr.write(f"{server.pid}\\n")
sys.stderr.flush()
time.sleep(3600)
"""
LINES = "".join(f"x{number} = torch.cuda.device_count() + {number}\n" for number in range(3000))


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Return the result of a condition once it is true; if it never is, the AssertionError names `what`."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"no {what} within {seconds:g} s"
        time.sleep(0.01)
    return found


class Session:
    """A server started by a separate process that acts as the editor; the test holds the ends of its pipes."""

    def __init__(self, folder: Path, tcp: bool) -> None:
        self.folder, self.mark = folder, uuid4().hex
        folder.mkdir()
        (folder / "uncuda.toml").write_text('target = "npu"\n')
        (folder / "a.py").write_text("import torch\n\n\ndef f(x):\n    return x.cuda()\n")
        pipe = subprocess.PIPE
        command = [sys.executable, "-I", "-c", EDITOR, *SERVER, *(["--tcp", "0"] if tcp else [])]
        self.editor = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=environment(**{MARK: self.mark})
        )
        assert self.editor.stdin and self.editor.stdout and self.editor.stderr
        self.server = int(self.editor.stderr.readline())
        self.socket: socket.socket | None = None
        if tcp:
            port = self.editor.stderr.readline().decode().rpartition(":")[2]
            self.socket = socket.create_connection(("127.0.0.1", int(port)))
            self.output = self.socket.makefile("rb")
        else:
            self.output = self.editor.stdout  # type: ignore[assignment]
        options = {"settings": {"workspaceDiagnostics": True}}
        profile = PROFILES["neovim"]  # the server sends few requests to this client
        self.request("initialize", profile.initialize([folder], options) | {"processId": self.editor.pid})
        self.send("initialized", {})

    def write(self, message: Json) -> None:
        data = wire.frame({"jsonrpc": "2.0", **message})
        if self.socket:
            self.socket.sendall(data)
        else:
            assert self.editor.stdin
            self.editor.stdin.write(data)
            self.editor.stdin.flush()

    def send(self, method: str, params: Any = None, **more: Any) -> None:
        self.write({"method": method, "params": params, **more})

    def request(self, method: str, params: Any) -> None:
        """Send a request, and read until its reply."""
        self.send(method, params, id=method)
        while (message := wire.read(self.output)).get("id") != method:
            if "id" in message and "method" in message:
                self.write({"id": message["id"], "result": None})

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": document})

    def processes(self) -> dict[int, str]:
        """Return the server and all processes that it started, from process id to command line."""
        found = {}
        for place in Path("/proc").iterdir():
            with suppress(OSError):  # the process has ended, or belongs to another user
                if place.name.isdigit() and f"{MARK}={self.mark}".encode() in (place / "environ").read_bytes():
                    found[int(place.name)] = (place / "cmdline").read_bytes().decode()
        found.pop(self.editor.pid, None)
        return found

    def end(self) -> None:
        """Kill all processes, even if the test failed."""
        for process in [*self.processes(), self.editor.pid]:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        self.editor.wait()
        if self.socket:
            self.socket.close()
        for stream in (self.editor.stdin, self.editor.stdout, self.editor.stderr):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]


def idle(session: Session) -> None:
    session.request("textDocument/hover", hover("untitled:nothing"))


def hover(uri: str) -> Json:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}


def busy(session: Session) -> None:
    """Send so many texts that the server analyses them for seconds before it reads the next message."""
    for number in range(200):
        session.open(f"untitled:{number}", f"import torch\nn = {number}\n" + LINES)
        session.send("textDocument/hover", hover(f"untitled:{number}"), id=number)


def unread(session: Session) -> None:
    """Let the server send more replies than the client reads, so that it blocks while writing."""
    session.open("untitled:large", "import torch\n" + LINES)
    for number in range(3):
        session.send("textDocument/diagnostic", {"textDocument": {"uri": "untitled:large"}}, id=number)
    until(lambda: "pipe" in Path(f"/proc/{session.server}/wchan").read_text() or state(session.server) == "S", "wait")


def children(session: Session) -> None:
    """Start a child process of every kind and stop each with SIGSTOP, so that it cannot react, as in a long call of C
    code."""
    idle(session)
    until(lambda: not any(MODULES[0] in said for said in session.processes().values()), "end of the first scan")
    heavy = session.folder / "heavy.py"
    heavy.write_text((SAFE + "\n") * 5000)
    for number in range(100):
        (session.folder / f"heavy{number}.py").hardlink_to(heavy)
    asked = [reconfigure(session)]
    a = session.folder / "a.py"
    session.open(a.as_uri(), a.read_text())
    session.send("textDocument/hover", hover(a.as_uri()), id="a")
    command = {"command": "uncuda.fixAllInWorkspace", "arguments": [{"dryRun": True}]}
    session.send("workspace/executeCommand", command, id="fix")

    def stopped() -> bool:
        found = {name: process for process, said in session.processes().items() for name in MODULES if name in said}
        for name, process in found.items():
            if "scan" in name and len(found) < len(MODULES):
                continue  # the other processes wait for a running scan, so the scan is stopped last
            # A process with a second thread has finished starting, and watches whether its parent is alive.
            if state(process) != "T" and len(list(Path(f"/proc/{process}/task").iterdir())) > 1:
                os.kill(process, signal.SIGSTOP)
        if len(found) < len(MODULES) and time.monotonic() > asked[-1] + AGAIN:
            asked.append(reconfigure(session))  # the scan ended before the test could stop it
        return len(found) == len(MODULES) and all(state(process) == "T" for process in found.values())

    until(lambda: suppressed(stopped), "process of every kind", 2 * PATIENCE)


def reconfigure(session: Session) -> float:
    """Make the server scan and check all files again; return the time of the request."""
    configuration = (session.folder / "uncuda.toml").as_uri()
    session.send("workspace/didChangeWatchedFiles", {"changes": [{"uri": configuration, "type": 2}]})
    return time.monotonic()


def suppressed(condition: Callable[[], bool]) -> bool:
    try:
        return condition()
    except OSError:  # the process has ended meanwhile
        return False


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def killed(session: Session) -> None:
    """Kill the client, which closes its ends of the pipes."""
    session.editor.kill()
    session.editor.wait()
    assert session.editor.stdin and session.editor.stdout
    session.editor.stdin.close()
    session.editor.stdout.close()


def orphaned(session: Session) -> None:
    """Kill the client while another process still holds its ends of the pipes."""
    session.editor.kill()
    session.editor.wait()


def closed(session: Session) -> None:
    """Close only the server's standard input."""
    assert session.editor.stdin
    session.editor.stdin.close()


def exited(session: Session) -> None:
    """Let the client send `exit` without `shutdown`, and leave its connection open."""
    session.send("exit")


def reset(session: Session) -> None:
    """Reset the socket connection."""
    assert session.socket
    session.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    session.output.close()
    session.socket.close()


def half_closed(session: Session) -> None:
    """Close the client's sending half of the socket."""
    assert session.socket
    session.socket.shutdown(socket.SHUT_WR)


def shot(session: Session) -> None:
    """Kill the server itself."""
    os.kill(session.server, signal.SIGKILL)


Step = Callable[[Session], None]
CASES: list[tuple[Step, list[Step]]] = [
    (idle, [orphaned, reset, half_closed]),  # test_malformed.py tests the other ways in which a session can end
    (busy, [killed, orphaned, exited, reset]),
    (unread, [closed, orphaned]),
    (children, [killed, shot]),
]


@pytest.mark.parametrize("doing, ways", CASES, ids=[doing.__name__ for doing, _ in CASES])
def test_nothing_is_left(tmp_path: Path, doing: Step, ways: list[Step]) -> None:
    """Every way to end a session leaves no process; all of them are tried at the same time, since each takes as long as
    the server's timeout."""
    wrong: list[str] = []

    def run(way: Step) -> None:
        session = Session(tmp_path / way.__name__, tcp=way in (reset, half_closed))
        try:
            doing(session)
            way(session)
            until(lambda: not session.processes(), f"end after {way.__name__}", LEFT_AFTER)
        except Exception as error:  # noqa: BLE001 a thread has nobody to tell
            left = [f"{number}: {said[-60:]!r}" for number, said in session.processes().items()]
            wrong.append(f"{way.__name__}: {type(error).__name__}: {error}; left: {left}")
        finally:
            session.end()

    threads = [threading.Thread(target=run, args=(way,)) for way in ways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, "\n".join(wrong)
