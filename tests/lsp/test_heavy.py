"""Tests of documents whose analysis takes longer than the time between two keystrokes: a separate process analyses
them."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lsp.harness.client import Client
from lsp.harness.starting import Start
from lsp.harness.traffic import Json
from lsp.test_commands import ready
from uncuda.child.records import Channel
from uncuda.lsp.state import analyst as analyst_process
from uncuda.lsp.state.task import CODEC, Answer

CALL = "torch.cuda.synchronize()\n"
LIGHT = f"import torch\n{CALL}"
SHARE = 5  # the server itself analyses only texts with less than 1/SHARE of the maximum number of statements
MOST = 2_000
CONFIGURATION = f'target = "npu"\nmax-statements = {MOST}\n'


def text(statements: int) -> str:
    return "import torch\n" + CALL * statements


HEAVY, TOO_HEAVY = text(MOST // SHARE + 100), text(MOST + 100)
NOTE = "uncuda did not check this file: "


def begin(start: Start, tmp_path: Path, profile: str = "vscode", written: str = HEAVY, **more: str) -> Client:
    """Start a session with light.py and heavy.py open, and wait until the folder was scanned; after the scan, both
    files are analysed again."""
    files: dict[str, str | bytes] = {
        "light.py": LIGHT,
        "heavy.py": written,
        "uncuda.toml": CONFIGURATION + "".join(more.values()),
    }
    client = start(profile, files=files)
    ready(client)
    for name in ("light.py", "heavy.py"):
        client.open(tmp_path / name)
    return client


def analyst(client: Client) -> list[int]:
    """Return the ids of the server's processes that analyse documents."""
    children = Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children").read_text(encoding="ascii")
    return [int(pid) for pid in children.split() if b"uncuda.lsp.state.analyst" in command_line(pid)]


def command_line(pid: str) -> bytes:
    """Return the command line of a process, or nothing if the process has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except ProcessLookupError:
        return b""


def pull(client: Client, path: Path) -> object:
    return client.begin("textDocument/diagnostic", {"textDocument": {"uri": path.as_uri()}})


def hover(client: Client, path: Path) -> Json:
    found: Json = client.request(
        "textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": {"line": 1, "character": 14}}
    )
    return found


needs_proc = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="children are read from /proc")


def test_nothing_waits_for_it(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path)
    waiting = pull(client, tmp_path / "heavy.py")
    assert hover(client, tmp_path / "light.py")
    assert not client.answered(waiting)
    assert len(client.reply(waiting)["items"]) == HEAVY.count(CALL)


@pytest.mark.parametrize("profile", ["vscode", "eglot"])
def test_it_is_checked_like_any_other(start: Start, tmp_path: Path, profile: str) -> None:
    client = begin(start, tmp_path, profile)
    heavy = tmp_path / "heavy.py"
    found = client.diagnostics(heavy)
    (tmp_path / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
    client.watched(tmp_path / "uncuda.toml", 2)
    client.settle()
    client.close(heavy)
    client.open(heavy)
    assert found == client.diagnostics(heavy) != []


def test_one_fix_is_made_and_all_are_made_by_a_command(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path)
    heavy = tmp_path / "heavy.py"
    place = client.range(heavy, "torch.cuda.synchronize")
    fix, *_, every = client.actions(heavy, place)
    client.do(fix)
    assert client.text(heavy).count("torch.npu.") == 1
    assert len(client.diagnostics(heavy)) == HEAVY.count(CALL) - 1
    assert "edit" not in client.resolve(every)
    assert "uncuda fix" in client.traffic.received("window/logMessage")[-1]["message"]
    assert client.execute("uncuda.fixAllInFile", {"uri": heavy.as_uri()})["applied"]
    assert "cuda" not in client.text(heavy)


def test_hovers_know_its_findings(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path)
    assert client.diagnostics(tmp_path / "heavy.py")
    assert "**cuda-api**" in hover(client, tmp_path / "heavy.py")["contents"]["value"]


def note(client: Client, path: Path) -> str:
    (item,) = client.diagnostics(path)
    assert item["severity"] == 3
    assert item["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    message: str = item["message"]
    return message


@pytest.mark.parametrize("profile", ["vscode", "eglot"])
def test_what_is_beyond_the_limits_is_named(start: Start, tmp_path: Path, profile: str) -> None:
    client = begin(start, tmp_path, profile, TOO_HEAVY)
    heavy = tmp_path / "heavy.py"
    said = note(client, heavy)
    assert said.startswith(NOTE)
    assert "max-statements" in said
    assert f"{MOST:,}" in said
    assert len(client.diagnostics(tmp_path / "light.py")) == 1
    client.type(heavy, LIGHT)
    assert len(client.diagnostics(heavy)) == 1


def test_it_is_named_in_chinese(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path, written=TOO_HEAVY, locale='locale = "zh"\n')
    assert note(client, tmp_path / "heavy.py").startswith("uncuda 未检查此文件：")


@needs_proc
@pytest.mark.parametrize(
    ("number", "why"),
    [(signal.SIGKILL, "its process ended"), (signal.SIGSTOP, "it took longer than 10 s")],
    ids=["ended", "stopped"],
)
def test_a_process_that_does_not_answer(start: Start, tmp_path: Path, number: int, why: str) -> None:
    client = begin(start, tmp_path)
    heavy = tmp_path / "heavy.py"
    assert client.diagnostics(heavy)
    (pid,) = analyst(client)
    os.kill(pid, signal.SIGSTOP)
    client.type(heavy, HEAVY + CALL)
    waiting = pull(client, heavy)
    assert hover(client, tmp_path / "light.py")
    os.kill(pid, number)  # a signal before the request could make the server start another process for the request
    (item,) = client.reply(waiting)["items"]
    assert why in item["message"]
    client.type(heavy, HEAVY + 2 * CALL)
    assert len(client.diagnostics(heavy)) == HEAVY.count(CALL) + 2


def test_a_busy_machine_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only CPU time counts: a task keeps reporting that it runs until it has used more CPU time than is allowed."""
    monkeypatch.setattr(analyst_process, "_PULSE", 0.001)
    channel, said = Channel(CODEC), list[object]()
    monkeypatch.setattr(channel, "say", said.append)
    threads = threading.active_count()
    with analyst_process.signs_of_life(channel, 7):
        while len(said) < 3:
            time.sleep(0.001)
        assert set(said) == {Answer(7)}
        monkeypatch.setattr(analyst_process, "LONGEST", 0.0)
        while threading.active_count() > threads:
            time.sleep(0.001)


@needs_proc
def test_the_process_ends_with_the_last_heavy_document(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path)
    assert client.diagnostics(tmp_path / "heavy.py")
    assert len(analyst(client)) == 1
    client.close(tmp_path / "heavy.py")
    wait(client, lambda: not analyst(client))


def test_closed_while_it_is_analysed(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path)
    waiting = pull(client, tmp_path / "heavy.py")
    client.close(tmp_path / "heavy.py")
    assert client.reply(waiting) == {"kind": "full", "items": []}


def test_changed_while_it_is_analysed(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path)
    heavy = tmp_path / "heavy.py"
    waiting = pull(client, heavy)
    client.type(heavy, HEAVY + CALL)
    assert len(client.reply(waiting)["items"]) == HEAVY.count(CALL) + 1


def test_light_for_a_moment_while_it_is_analysed(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path)
    heavy = tmp_path / "heavy.py"
    pull(client, heavy)
    client.type(heavy, LIGHT)
    assert len(client.diagnostics(heavy)) == 1
    client.close(tmp_path / "light.py")
    client.type(heavy, HEAVY)
    assert len(client.diagnostics(heavy)) == HEAVY.count(CALL)


def test_only_the_last_of_many_changes_counts(start: Start, tmp_path: Path) -> None:
    client = begin(start, tmp_path)
    heavy = tmp_path / "heavy.py"
    for number in range(30):
        client.type(heavy, HEAVY + number * CALL)
        pull(client, heavy)
    assert len(client.diagnostics(heavy)) == HEAVY.count(CALL) + 29


def wait(client: Client, condition: Callable[[], bool]) -> None:
    """Wait for a condition that no message announces."""
    while not condition():
        client.settle()
