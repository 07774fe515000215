"""Tests of the fuzzer itself: the same seed gives the same inputs, and errors are found."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from fuzz import configuration, edits, frames, judge, methods, names, processes, sessions, texts, trees
from fuzz.__main__ import main
from fuzz.kinds import KINDS
from fuzz.model import Find, chance
from fuzz.processes import Done
from fuzz.runner import Runner
from lsp.harness.client import Client
from lsp.harness.traffic import Record, Traffic
from support.imports import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


class Planted:
    """Inputs of which some cause a failure on purpose: number 13 alone, and numbers 70 and 71 together."""

    name, size = "planted", 40

    def __init__(self) -> None:
        self.ran: list[list[int]] = []

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        self.ran.append(list(cases))
        alone = [Find("bad", "one\nalone", files={"input": b"13"})] if 13 in cases else []
        return [*alone, *([Find("bad", "two\ntogether")] if {70, 71} <= set(cases) else [])]


def made(kind: str, folder: Path) -> object:
    """Generate a few inputs of a kind from a fixed seed, so that a test can compare the inputs of two calls."""
    everything: list[object] = []
    for case in range(6):
        choose = chance("7", kind, case)
        if kind == "files":
            everything.append(texts.encoded(texts.python(choose), choose))
        elif kind == "edits":
            everything.append((edits._text(choose), [edits._edit(choose) for _ in range(5)]))
        elif kind == "frames":
            everything.append((frames.whole(choose), frames.broken(choose)))
        elif kind == "methods":
            everything.append(repr(methods._message(choose, Path("/w"), ["a", "b"])))
        elif kind == "configuration":
            everything.append([configuration._content(name, choose) for name in configuration._NAMES])
        else:
            everything.append(names._make(folder, case, choose))
    return everything


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_makes_the_same_inputs(kind: str, tmp_path: Path) -> None:
    one, other = made(kind, tmp_path), made(kind, tmp_path)
    assert one == other
    assert len({repr(item) for item in one}) > 3  # type: ignore[attr-defined]


@pytest.mark.slow
def test_links_to_other_places_are_made_but_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    (outside / "folder").mkdir(parents=True)
    inside.mkdir()
    (outside / "file").write_text("kept")
    before = outside.stat().st_mode, trees.state(outside)
    targets = [str(outside), str(outside / "folder"), str(outside / "file"), str(outside / "missing")]
    monkeypatch.setattr(configuration, "_TARGETS", targets)
    monkeypatch.setattr(configuration, "_NAMES", ("uncuda.toml", ".gitignore", "b", "b/a.py", "b/c/a.py"))
    monkeypatch.setattr(configuration, "_content", lambda name, choose: b"x")
    for case in range(1500):
        configuration._fill(inside / f"c{case}", chance("7", "links", case), traps=True)
    assert any(path.is_symlink() for path in inside.glob("*/*"))
    assert (outside.stat().st_mode, trees.state(outside)) == before


def command(code: str, folder: Path, **more: float) -> list[str]:
    """Return the failures that are found if a program with this code takes the place of the command line."""
    done = processes.run([sys.executable, "-c", code], folder, **more)  # type: ignore[arg-type]
    found = [*judge.ended(done, ["uncuda"]), *judge.streams(done, "text")]
    return [find.what for find in found]


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("", []),
        ("raise SystemExit(2)", []),
        ("raise SystemExit(3)", ["crash"]),
        ("import os; os.kill(os.getpid(), 11)", ["crash"]),
        ("import sys; print('uncuda: internal error, x', file=sys.stderr)", ["internal error"]),
        ("1 / 0", ["traceback"]),
        ("x = bytearray(4 << 30)", ["internal error"]),
        ("print('\\x1b[31m')", ["a control character on standard output as text"]),
        ("print('a\\u202eb')", ["a bidirectional control on standard output as text"]),
        ("import sys; print('::error::x', file=sys.stderr)", ["a workflow command on standard error"]),
    ],
)
def test_what_a_command_must_not_do(code: str, what: list[str], tmp_path: Path) -> None:
    assert command(code, tmp_path) == what


def test_a_command_that_hangs(tmp_path: Path) -> None:
    assert command("import time; time.sleep(600)", tmp_path, wall=0.3) == ["hang"]


def test_a_process_that_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes.remaining, "__defaults__", (0.1,))
    code = (
        "import pathlib, subprocess\n"
        "child = subprocess.Popen(['sleep', '600'], start_new_session=True, stdout=-3, stderr=-3)\n"
        "while not pathlib.Path(f'/proc/{child.pid}/environ').read_bytes():\n"  # empty while the program is loaded
        "    pass\n"
    )
    assert command(code, tmp_path) == ["a process remains"]


def test_headers_of_a_diff_and_json() -> None:
    def found(out: bytes, output_format: str) -> list[str]:
        return [find.what for find in judge.streams(Done(1, out, b"", False, ()), output_format)]

    assert found(b"--- a/x\x1b\n+++ b/x\n-\x1b\n", "diff") == ["a control character on the headers of a diff"]
    assert found(b"{", "sarif") == ["no sarif on standard output"]
    assert found(b"::set-output x::y\n", "github") == ["an unknown workflow command"]
    assert not found(b"::error file=a.py,line=1::x\n", "github")


def test_what_a_command_did_to_files(tmp_path: Path) -> None:
    for name in ("changed.py", "fixed.py", "gone.py"):
        (tmp_path / name).write_text("a")
    before = trees.state(tmp_path)
    for name in ("changed.py", "fixed.py", "left.tmp"):
        (tmp_path / name).write_text("b")
    (tmp_path / "gone.py").unlink()
    found = [find.what for find in trees.changes(before, trees.state(tmp_path), [b"fixed.py"])]
    assert found == ["a file was changed", "something is gone", "something is left behind"]


def test_replies_that_are_missing_or_too_many() -> None:
    traffic = Traffic(Record("client", {"id": number, "method": "m"}) for number in (1, 2, 3))
    traffic += [Record("server", {"id": number, "result": None}) for number in (1, 1, 3, 4)]
    traffic[-2] = Record("server", {"id": 3, "error": {"code": -32603, "message": "x"}})
    assert sorted(find.what for find in sessions.replies(traffic, complete=True)) == [
        *("a second reply", "a second reply", "an internal error as reply", "no reply"),
    ]


class Server:
    """A client whose server shows diagnostics with these `codes`, whatever document is open."""

    def __init__(self, *codes: str) -> None:
        self._items = [{"code": code} for code in codes]

    def text(self, uri: str) -> str:
        return "x"

    def open(self, uri: str, text: str) -> None:
        assert (uri, text) == ("untitled:a", "x")

    def close(self, uri: str) -> None: ...

    def diagnostics(self, uri: str) -> list[dict[str, str]]:
        return self._items


@pytest.mark.slow
def test_diagnostics_that_typing_changes() -> None:
    def found(typed: Server, fresh: Server) -> list[str]:
        return [find.what for find in edits._same(cast(Client, typed), cast(Client, fresh), "untitled:a")]

    assert found(Server("a", "b"), Server("b", "a")) == []
    assert found(Server("a"), Server("a", "b")) == ["typed is not fresh"]


def test_finds_are_narrowed_kept_and_repeated(tmp_path: Path) -> None:
    kind, said = Planted(), list[str]()
    runner = Runner([kind], "7", folder=tmp_path, say=said.append)
    for _ in range(2):
        tally = runner.tallies[0]
        runner._try(tally, range(tally.runs * 40, tally.runs * 40 + 40))
    assert "make fuzz SEED=7 KIND=planted CASE=13\n" in said[0]
    assert (tmp_path / "planted-7-13" / "input").read_bytes() == b"13"
    first, last = map(int, re.findall(r"CASE=(\d+)-(\d+)", said[1])[0])
    assert first <= 70
    assert 71 <= last < first + 40
    assert runner.found == 2
    assert runner.table().splitlines()[1].split() == ["planted", "80", "2", "2", "0"]


def test_an_interrupted_run_keeps_what_it_found(tmp_path: Path) -> None:
    class Interrupted(Planted):
        def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
            if len(cases) < 40:
                raise KeyboardInterrupt
            return super().run(seed, cases)

    said = list[str]()
    runner = Runner([Interrupted()], "7", folder=tmp_path, say=said.append)
    with pytest.raises(KeyboardInterrupt):
        runner.run(600)
    assert "CASE=0-39\n" in said[0]


@pytest.mark.slow
def test_a_real_input_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "7", "--kind", "names", "--case", "1000000", "--folder", str(tmp_path)]) == 0
    assert re.search(r"^names +1 +1 +0 ", capsys.readouterr().out, re.MULTILINE)


def test_make_has_the_target() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "make fuzz " in listed
    dry = ["make", "--dry-run", "fuzz", "MINUTES=3", "SEED=7", "KIND=files", "CASE=1-2"]
    said = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "-m fuzz --minutes 3 --seed 7 --kind files --case 1-2" in said
