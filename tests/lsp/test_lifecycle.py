"""Tests of the server from start to exit: its streams, the modules it imports, the clients it accepts, and its exit
code."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cli.command import environment
from lsp.harness import wire
from lsp.harness.client import SERVER
from lsp.harness.connection import ResponseError
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from uncuda import __version__

TEXT = "import torch\nx.cuda()\n"


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_offered(start: Start, profile: str) -> None:
    client = start(profile)
    offered = client.server
    assert offered["textDocumentSync"] == {"openClose": True, "change": 2, "save": True}
    assert offered["positionEncoding"] == ("utf-8" if profile == "neovim" else "utf-16")
    pulls = client.profile.can("textDocument.diagnostic") is not None
    assert ("diagnosticProvider" in offered) == pulls
    assert ("notebookDocumentSync" in offered) == (client.profile.can("notebookDocument") is not None)


def test_it_says_who_it_is(start: Start) -> None:
    client = start(initialize=False)
    result = client.request("initialize", client.profile.initialize(client.folders))
    assert result["serverInfo"] == {"name": "uncuda", "version": __version__}
    client.notify("initialized", {})


@pytest.mark.parametrize("flag", [["--stdio"], []])
def test_flags_of_clients(start: Start, flag: list[str]) -> None:
    client = start(command=[*SERVER, *flag])
    assert client.diagnostics(client.open("untitled:1", TEXT))


def test_capabilities_of_a_client_to_come(start: Start) -> None:
    profile = PROFILES["vscode"].having(
        textDocument__publishDiagnostics__tagSupport={"valueSet": [1, 2, 99]},
        general__positionEncodings=["utf-64", "utf-32"],
        workspace__workspaceEdit__failureHandling="someNewWay",
    )
    client = start(profile, initialize=False)
    parameters = profile.initialize(client.folders)
    reply = client.reply(client.begin("initialize", parameters, deliberate=True))
    assert reply["capabilities"]["positionEncoding"] == "utf-32"
    client.notify("initialized", {})
    # The checks for conformance know no capability of this invented client.
    client.tolerated += ["initialize", "client/registerCapability", "workspace/configuration"]


def test_rubbish_in_initialize(start: Start) -> None:
    client = start(initialize=False)
    parameters: dict[str, Any] = {
        "capabilities": {"textDocument": [], "general": {"positionEncodings": "utf-8"}, "workspace": None},
        "processId": "no",
        "workspaceFolders": [{"uri": 1}, None, {"name": "x"}],
        "initializationOptions": [1],
        "clientInfo": "me",
        "locale": 5,
    }
    assert client.reply(client.begin("initialize", parameters, deliberate=True))["capabilities"]
    client.tolerated.append("")


def test_shutdown_is_quick(start: Start) -> None:
    client = start(files={"a.py": TEXT}, options={"settings": {"workspaceDiagnostics": True}})
    client.open("untitled:1", TEXT)
    client.settle()
    client.request("shutdown")
    began = time.monotonic()
    client.notify("exit")
    assert client.end() == 0
    assert time.monotonic() - began < 1.0


def test_nothing_but_frames_on_standard_output(start: Start, tmp_path: Path) -> None:
    noisy = tmp_path / "noisy.py"
    noisy.write_text(
        "import os, sys, uncuda.engine\n"
        "check = uncuda.engine.Engine.check\n"
        "def loud(*arguments, **named):\n"
        "    print('printed'); os.write(1, b'written\\n')\n"
        "    return check(*arguments, **named)\n"
        "uncuda.engine.Engine.check = loud\n"
        "from uncuda.cli import main\n"
        "sys.exit(main(['server']))\n"
    )
    client = start(command=[sys.executable, str(noisy)])
    assert client.diagnostics(client.open("untitled:1", TEXT))
    client.wait(lambda: "printed" in client.stderr and "written" in client.stderr, "what was printed")


def test_a_log_file(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "uncuda.log"
    client = start(command=[*SERVER, "--log-file", str(log)])
    client.settle()
    assert f"uncuda {__version__}" in log.read_text(encoding="utf-8")


def test_a_log_file_that_cannot_be_written(tmp_path: Path) -> None:
    command = [*SERVER, "--log-file", str(tmp_path)]
    done = subprocess.run(command, input=b"", capture_output=True, env=environment(), check=False, timeout=60)
    assert done.returncode == 2
    assert b"error:" in done.stderr
    assert done.stdout == b""


def test_it_leaves_with_the_process_that_started_it(start: Start) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = start(initialize=False)
    parameters = client.profile.initialize(client.folders) | {"processId": parent.pid}
    client.request("initialize", parameters)
    client.notify("initialized", {})
    parent.communicate(b"\n")
    assert client.process.wait(20) == 1


def test_a_process_that_is_not_of_this_machine_is_not_waited_for(start: Start) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    client = start(initialize=False)
    client.request("initialize", client.profile.initialize(client.folders) | {"processId": gone.pid})
    client.notify("initialized", {})
    with pytest.raises(subprocess.TimeoutExpired):
        client.process.wait(3)


@pytest.mark.slow
def test_a_socket(tmp_path: Path) -> None:
    command = [*SERVER, "--tcp", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=tmp_path, env=environment()) as server:
        assert server.stderr is not None
        host, _, port = server.stderr.readline().decode().split()[-1].rpartition(":")
        assert host == "127.0.0.1"
        with socket.create_connection((host, int(port))) as connection, connection.makefile("rb") as stream:
            parameters = PROFILES["vscode"].initialize([tmp_path])
            connection.sendall(wire.frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}))
            assert wire.read(stream)["result"]["capabilities"]
            connection.sendall(wire.frame({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}))
            while wire.read(stream).get("id") != 2:
                pass
            connection.sendall(wire.frame({"jsonrpc": "2.0", "method": "exit"}))
        assert server.wait(20) == 0


@pytest.mark.parametrize("place", ["nonsense", "localhost:99999", ":"])
def test_no_socket(place: str) -> None:
    done = subprocess.run(
        [*SERVER, "--tcp", place], input=b"", capture_output=True, env=environment(), check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert place in done.stderr.decode()


def test_the_workspace_is_not_imported(start: Start, tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n"
    names = [
        "jedi",
        "pygls",
        "torch",
        "tomllib",
        "json",
        "asyncio",
        "pathspec",
        "sitecustomize",
        "usercustomize",
        "click",
        "logging",
    ]
    files: dict[str, str | bytes] = {f"{name}.py": trap for name in names}
    files |= {"conftest.py": trap, "setup.py": trap, "a.py": "import torch\nimport jedi\nx.cuda()\n"}
    client = start(files=files, options={"settings": {"workspaceDiagnostics": True}}, env={"PYTHONPATH": ""})
    uri = client.open(tmp_path / "a.py")
    assert client.diagnostics(uri)
    client.settle()
    assert not (tmp_path / "sprung").exists()


def test_big_messages_both_ways(start: Start) -> None:
    client = start()
    text = "import torch\n" + "torch.cuda.synchronize()  # 中文 😀 and more\n" * 20_000
    items = client.diagnostics(client.open("untitled:1", text))
    assert len(items) == 20_000


@pytest.mark.skipif(sys.platform == "win32", reason="needs /proc")
def test_idle_costs_nothing(start: Start) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    client = start()
    client.settle()

    def used() -> int:
        fields = Path(f"/proc/{client.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    client.wait(lambda: True, "nothing")
    done = threading.Event()
    done.wait(1.0)  # waits for the background scan of the empty folder
    before = used()
    done.wait(2.0)
    assert used() - before <= 0.05 * os.sysconf("SC_CLK_TCK")
    with contextlib.suppress(OSError):
        client.settle()


@pytest.mark.parametrize("level, verbose", [("off", None), ("messages", False), ("verbose", True)])
def test_traces(start: Start, level: str, verbose: bool | None) -> None:
    client = start()
    client.notify("$/setTrace", {"value": level})
    uri = client.open("untitled:1", TEXT)
    client.diagnostics(uri)
    traced = client.traffic.received("$/logTrace")
    assert bool(traced) == (verbose is not None)
    assert all(("verbose" in item) == verbose for item in traced)
    client.notify("$/setTrace", {"value": "off"})


def test_shutdown_while_a_command_runs(start: Start) -> None:
    files: dict[str, str | bytes] = {f"p/m{number}.py": TEXT * 50 for number in range(200)}
    client = start(files={**files, "uncuda.toml": 'target = "npu"\n'})
    began = threading.Event()

    def create(params: Any) -> None:
        began.set()

    client.answers["window/workDoneProgress/create"] = create
    client.tolerated.append("has no end")  # after a shutdown request the server sends only replies
    command = client.begin("workspace/executeCommand", {"command": "uncuda.fixAllInWorkspace", "arguments": []})
    assert began.wait(30)
    assert client.shutdown() == 0
    with pytest.raises(ResponseError, match="-32800"):
        client.reply(command)


def test_a_reader_that_fails_ends_the_server(start: Start, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(
        "import sys, uncuda.lsp.server\n"
        "def frames(read):\n"
        "    read(1)\n"
        "    raise RuntimeError('that was all')\n"
        "    yield\n"
        "uncuda.lsp.server.frames = frames\n"
        "from uncuda.cli import main\n"
        "sys.exit(main(['server']))\n"
    )
    client = start(command=[sys.executable, str(broken)], initialize=False)
    client.tolerated = ["on standard error"]
    client.send_bytes(b"x")
    assert client.process.wait(20) == 1
    client.end()
    assert "that was all" in client.stderr
