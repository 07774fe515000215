"""Tests that the jedi process is restarted after a timeout, a crash or memory growth, and no longer used after repeated
failures."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from receivers.processes import Starts, said
from receivers.project import HEAD, sites, verdicts
from uncuda.child import command
from uncuda.project import Site
from uncuda.receivers import Receivers
from uncuda.receivers.process import Process
from uncuda.receivers.sandbox import memory
from uncuda.source import Span

Notes = list[tuple[Any, ...]]
Make = Callable[..., Receivers]


@pytest.fixture
def notes() -> Notes:
    return []


@pytest.fixture
def make(notes: Notes) -> Iterator[Make]:
    made: list[Receivers] = []

    def receivers(start: Callable[[], Process], seconds: float = 60) -> Receivers:
        made.append(Receivers([], lambda *said: notes.append(said), seconds, start))
        return made[-1]

    yield receivers
    for each in made:
        each.close()


def ask(receivers: Receivers, *lines: str, path: str = "a.py", timeout: float = 60) -> list[str]:
    """Return the verdict ("silent", "review" or "unknown") on the object at the start of each line."""
    text, asked = "", []
    for line in lines:
        asked.append(Site("rule", Span(len(text), len(text) + 1), len(text)))
        text += line + "\n"
    answers = receivers.ask(path, text, asked, timeout)
    return [answers[site] for site in asked]


@pytest.mark.slow
def test_a_question_that_takes_too_long_is_unknown_and_the_others_are_answered(make: Make, notes: Notes) -> None:
    starts = Starts()
    receivers = make(starts, 2)
    assert ask(receivers, "silent: 1", "hang: 2", "review: 3") == ["silent", "unknown", "review"]
    assert len(starts.started) == 2
    assert starts.alive == starts.started[1:]
    assert said(notes) == [["receivers late", 1]]


@pytest.mark.slow
def test_a_question_that_took_too_long_is_not_put_again(make: Make) -> None:
    starts = Starts()
    receivers = make(starts, 2)
    assert ask(receivers, "hang: 1") == ["unknown"]
    assert ask(receivers, "hang: 1") == ["unknown"]
    assert len(starts.started) == 1


@pytest.mark.slow
def test_the_time_of_a_file_ends(make: Make, notes: Notes) -> None:
    receivers = make(Starts())
    assert ask(receivers, "silent: 1", "hang: 2", "review: 3", timeout=3) == ["silent", "unknown", "unknown"]
    assert said(notes) == [["receivers late", 2]]


def test_what_there_was_no_time_for_is_asked_the_next_time(make: Make) -> None:
    receivers = make(Starts())
    assert ask(receivers, "silent: 1", timeout=0) == ["unknown"]
    assert ask(receivers, "silent: 1") == ["silent"]


@pytest.mark.parametrize("how", ["die", "garbage"])
def test_a_process_that_ends_over_a_question_is_started_anew(make: Make, notes: Notes, how: str) -> None:
    starts = Starts()
    assert ask(make(starts), "silent: 1", f"{how}: 2", "review: 3") == ["silent", "unknown", "review"]
    assert len(starts.started) == 2
    assert said(notes) == [["receivers late", 1]]


def test_a_process_that_ended_between_two_files_costs_no_answer(make: Make, notes: Notes) -> None:
    starts = Starts()
    receivers = make(starts)
    assert ask(receivers, "silent: 1") == ["silent"]
    starts.started[0].close()
    assert ask(receivers, "review: 2", path="b.py") == ["review"]
    assert not notes


def test_after_three_ends_in_a_row_nothing_is_asked_any_more(make: Make, notes: Notes) -> None:
    starts = Starts()
    receivers = make(starts)
    assert ask(receivers, *[f"die: {number}" for number in range(5)]) == ["unknown"] * 5
    assert ask(receivers, "silent: 1", path="b.py") == ["unknown"]
    assert len(starts.started) == 3
    assert said(notes) == [["receivers late", 3], ["receivers off"]]


def test_ends_with_answers_between_them_go_on(make: Make, notes: Notes) -> None:
    lines = [f"{word}: {number}" for number in range(4) for word in ("die", "silent")]
    assert ask(make(Starts()), *lines) == ["unknown", "silent"] * 4
    assert said(notes) == [["receivers late", 4]]


def test_a_process_that_does_not_start(make: Make, notes: Notes) -> None:
    def missing() -> Process:
        return Process([sys.executable + "-that-is-not-there"])

    assert ask(make(missing), "silent: 1", "silent: 2", "silent: 3") == ["unknown"] * 3
    assert said(notes) == [["receivers late", 3], ["receivers off"]]


def test_a_process_that_starts_and_ends_at_once(make: Make, notes: Notes) -> None:
    assert ask(make(Starts("raise SystemExit")), "silent: 1", "silent: 2", "silent: 3") == ["unknown"] * 3
    assert said(notes) == [["receivers late", 3], ["receivers off"]]


def test_a_process_that_grew_is_replaced_before_the_next_file(make: Make) -> None:
    starts = Starts()
    receivers = make(starts)
    assert ask(receivers, "grow: 1", "silent: 2") == ["unknown", "silent"]
    assert len(starts.started) == 1
    assert ask(receivers, "grow: 1", path="b.py") == ["unknown"]
    assert ask(receivers, "silent: 2", path="c.py") == ["silent"]
    assert len(starts.started) == 2
    assert len(starts.alive) == 1


def test_nothing_is_started_before_the_first_question(make: Make) -> None:
    starts = Starts()
    receivers = make(starts)
    assert receivers.ask("a.py", "", []) == {}
    assert not starts.started


def test_closing_ends_the_process(make: Make) -> None:
    starts = Starts()
    receivers = make(starts)
    ask(receivers, "silent: 1")
    receivers.close()
    assert not starts.alive
    assert ask(receivers, "silent: 2") == ["unknown"]
    assert len(starts.started) == 1


class TestReal:
    """Tests with the real jedi process."""

    @pytest.mark.slow
    def test_it_is_killed_over_a_question(self, make: Make, project: Path) -> None:
        text = HEAD + "Renamed(1).cuda()\nbuild().cuda()\n"
        asked = sites(text)
        started: list[Process] = []

        def start() -> Process:
            # SIGSTOP stops the first process when it is asked; it is killed when the time for its answer is over.
            started.append(Process())
            if len(started) == 1:
                put = started[0].ask

                def frozen(question: dict[str, Any], seconds: float) -> str:
                    os.kill(started[0].pid, signal.SIGSTOP)
                    return put(question, 0.2)

                started[0].ask = frozen  # type: ignore[method-assign]
            return started[-1]

        if not hasattr(signal, "SIGSTOP"):
            pytest.skip("no process can be stopped here")
        receivers = make(start)
        answers = receivers.ask(str(project / "main.py"), text, asked)
        assert [answers[site] for site in asked] == ["unknown", "silent"]
        assert [process.alive for process in started] == [False, True]

    @pytest.mark.slow
    def test_its_own_clock_ends_it_when_nobody_does(self, project: Path) -> None:
        program = command("uncuda.receivers.child")
        program[-1] = program[-1].replace(
            "main()",
            "from uncuda.receivers import child, judge; endless = lambda *_: exec('while True: pass'); "
            "child.seal = lambda: setattr(judge, 'answer', endless); main()",
        )
        process = Process(program)
        process.open(str(project / "main.py"), "x.cuda()\n", [])
        process._say({"line": 1, "column": 2, "argument": False, "lacking": [], "seconds": 0.2})
        assert process._hear() == b""
        process.close()

    def test_it_stops_when_its_input_ends(self) -> None:
        process = Process()
        process.open("a.py", "x = 1\n", [])
        assert process._popen.stdin is not None
        process._popen.stdin.close()
        assert process._popen.wait(60) == 0
        process.close()

    def test_a_stop_comes_back_to_who_waits(self) -> None:
        process = Process([sys.executable, "-I", "-c", "import time; time.sleep(3600)"])
        process.close()
        assert not process.alive

    @pytest.mark.slow
    @pytest.mark.skipif(sys.platform != "linux", reason="address space cannot be limited")
    def test_too_much_memory_ends_it_and_the_next_file_is_answered(
        self, make: Make, project: Path, notes: Notes
    ) -> None:
        program = command("uncuda.receivers.child")
        program[-1] = program[-1].replace(
            "main()",
            "from uncuda.receivers import child; pages = int(open('/proc/self/statm').read().split()[0]); "
            "child.ADDRESS_SPACE = pages * __import__('resource').getpagesize() + (64 << 20); main()",
        )
        started: list[Process] = []

        def start() -> Process:
            started.append(Process(program))
            return started[-1]

        receivers = make(start)
        large = "x = [" + "[1, 2, 3], " * 50_000 + "]\ny.cuda()\n"
        site = Site("rule", Span(0, 0), large.index("cuda"))
        assert receivers.ask(str(project / "large.py"), large, [site]) == {site: "unknown"}
        assert not started[0].alive
        assert not notes
        assert verdicts(receivers, project, HEAD + "Renamed(1).cuda()\n") == ["silent"]

    @pytest.mark.slow
    def test_it_says_what_memory_it_has(self, project: Path) -> None:
        """The memory limit applies to the child process only: its parent may use more."""
        held = bytearray(500 << 20)
        held[:: 1 << 12] = b"x" * len(held[:: 1 << 12])
        process = Process()
        process.open(str(project / "main.py"), HEAD + "Renamed(1).cuda()\n", [str(project)])
        question = {"line": HEAD.count("\n") + 1, "column": 11, "argument": False, "lacking": []}
        assert process.ask(question, 60) == "silent"
        assert (10 << 20 < process.memory < 400 << 20) or not memory()
        process.close()
