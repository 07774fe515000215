"""Tests of the messages for users: each exists in both languages with the same placeholders, is used, and is defined
only once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from uncuda.catalogue.keys import PREREQUISITES, STATUSES
from uncuda.limits import Kind
from uncuda.messages import Room
from uncuda.messages.fixes import FIXES, titled
from uncuda.report.port.shown import SHOWN
from uncuda.workspace import CLASSES
from uncuda.workspace.overview import KINDS, PLACES, SEVERITIES

PACKAGE = Path(__file__).resolve().parents[1] / "server" / "uncuda"
MESSAGES = PACKAGE / "messages"
ROOMS = sorted(path.stem for path in MESSAGES.glob("*.py") if path.stem != "__init__")
CHINESE = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
ELSEWHERE = {
    "__main__.py",  # the program prints this message before any import is possible
    "catalogue/keys.py",  # the Chinese texts in this file describe the keys of rule pages
    "catalogue/rules.py",  # the text is the heading of the last section of a rule page
    "settings/editor.py",  # the Chinese texts in this file and the next describe the settings
    "settings/options.py",
}
# Keys of messages that the code builds from parts: the first part, and the possible endings.
ENDS = {
    "exceeds": get_args(Kind),
    "status": STATUSES,
    "not checked": ("long", "crashed"),
    "plugin": ("set", "asked for", "range", "goes with", "goes with set", "near", "near set", "assumed"),
    "target": ("assumed", "switched", "found", "asked for", "named", "overrides"),
    "table": ("older", "newer"),
    "unknown": ("locale", "output format", "format", "class"),
    "summary": CLASSES,
    "column": CLASSES,
    "step": (*PREREQUISITES, *CLASSES),
    "missing": ("one",),
    "means": (*SHOWN, "none"),
    "class": KINDS,
    "tooltip": KINDS,
    "place": PLACES,
    "severity": SEVERITIES,
    "proof": ("run", "signature", "neither"),
}
ENDED = {f"{begin} {end}" for begin, ends in ENDS.items() for end in ends} | {
    f"{command} in short" for command in ("check", "fix", "report", "rule", "server")
}


def room(name: str) -> Room:
    """Return the message table of a module of `uncuda.messages`."""
    module = import_module(f"uncuda.messages.{name}")
    table: Room = getattr(module, name.upper())
    return table


def values(text: str) -> set[str]:
    """Return the placeholders of a message."""
    return {field for _, field, _, _ in Formatter().parse(text) if field is not None}


@pytest.mark.parametrize("name", ROOMS)
def test_both_languages_say_the_same_values(name: str) -> None:
    for key, (english, chinese) in room(name).items():
        assert english and CHINESE.search(chinese) and not CHINESE.search(english), key
        unsaid = {"package"} if key == "known since" else set()  # the Chinese message does not name the plugin
        assert values(english) == values(chinese) | unsaid, key


def strings() -> Iterator[str]:
    """Yield every string in the package outside the message tables."""
    for path in PACKAGE.rglob("*.py"):
        if path.parent != MESSAGES:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_every_sentence_is_used() -> None:
    said = set(strings())
    unused = [(name, key) for name in ROOMS for key in room(name) if key not in said and key not in ENDED]
    assert not unused


def test_what_is_put_together_is_there() -> None:
    every = {key for name in ROOMS for key in room(name)}
    assert {key for key in ENDED if key not in every} == set()


def test_the_terminal_says_what_it_is_given() -> None:
    """Every call that prints a message passes the key of a message and the values that the message needs."""
    table, calls = room("terminal"), 0
    for path in (PACKAGE / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                key = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
                if isinstance(key, str):
                    calls += 1
                    assert values(table[key][0]) == {word.arg for word in node.keywords}, key
    assert calls > 20


def test_sentences_are_written_in_one_place() -> None:
    written = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.parent != MESSAGES and CHINESE.search(path.read_text(encoding="utf-8"))
    }
    assert written == ELSEWHERE


def test_every_key_of_a_title_exists() -> None:
    keys = {
        argument.value
        for path in (PACKAGE / "checks").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "titled"
        for argument in _either(node.args[0])
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }
    assert keys | {"remove suppression"} == FIXES.keys()


def _either(node: ast.expr) -> list[ast.expr]:
    return [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]


def test_a_title_is_its_english_and_knows_its_chinese() -> None:
    title = titled("import from", "`torch.npu`")
    assert (title, title.chinese) == ("Import from `torch.npu`", "改为从 `torch.npu` 导入")
