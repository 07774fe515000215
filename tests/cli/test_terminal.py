"""Tests that colours and a progress bar are shown on a terminal, and only there."""

import io
import itertools
import os
import re
import subprocess
import sys

import pytest

from cli.command import SAFE, environment, make
from uncuda.cli.console import Console
from uncuda.report.words import Words

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")


def on_terminal(*arguments: str, **env: str) -> str:
    """The text that a terminal shows: standard output and standard error together."""
    main, side = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "uncuda", *arguments],
        stdin=subprocess.DEVNULL, stdout=side, stderr=side, env=environment(**{"TERM": "xterm", **env}),
    )  # fmt: skip
    os.close(side)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(main)
    process.wait()
    return shown.decode()


def test_colours() -> None:
    make({"a.py": SAFE})
    assert "\x1b[31merror\x1b[0m" in on_terminal("check", "--target", "npu")
    assert "\x1b[32m" in on_terminal("fix", "--target", "npu", "--diff")


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours(env: dict[str, str]) -> None:
    make({"a.py": SAFE})
    assert "\x1b[3" not in on_terminal("check", "--target", "npu", **env)


def test_no_bar_for_what_is_done_at_once() -> None:
    make({"a.py": SAFE})
    assert "[." not in on_terminal("check", "--target", "npu")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_if_it_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(step=0.04)
    monkeypatch.setattr("uncuda.cli.console.time.monotonic", lambda: next(clock))
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    console = Console(Words("en"))
    for item in console.progress(list(range(100)), shown=True):
        if item == 50:
            console.print("a note")
    shown = terminal.getvalue()
    assert re.search(r"\[#{12}\.{18}\] 4\d/100", shown)
    assert "\r\x1b[Ka note\n" in shown
    assert shown.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("quiet", "shown", "stream"), [(True, True, Terminal), (False, False, Terminal), (False, True, io.StringIO)]
)
def test_no_bar(monkeypatch: pytest.MonkeyPatch, quiet: bool, shown: bool, stream: type[io.StringIO]) -> None:
    clock = itertools.count()
    monkeypatch.setattr("uncuda.cli.console.time.monotonic", lambda: next(clock))
    out = stream()
    monkeypatch.setattr(sys, "stderr", out)
    assert list(Console(Words("en"), quiet).progress([1, 2, 3], shown)) == [1, 2, 3]
    assert out.getvalue() == ""


def test_no_bar_on_a_terminal_that_can_remove_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dumb terminal knows no escape sequences."""
    monkeypatch.setenv("TERM", "dumb")
    test_no_bar(monkeypatch, quiet=False, shown=True, stream=Terminal)
