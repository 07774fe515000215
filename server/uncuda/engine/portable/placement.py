"""Where the import of the helper goes: after the project's own first imports, else after the last import of torch."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...edits import REVIEW, SAFE, Edit
from ...facts.read import Facts
from ...project import Helper

_IMPORT = re.compile(r"^(?:from|import)[ \t]+(\.*[\w.]*)", re.M)
_PATH = re.compile(
    r"^[ \t]*(?:sys\.path\.(?:append|insert|extend)\(|sys\.path[ \t]*(?:\+?=|\[)|site\.addsitedir\()", re.M
)
_SCRIPT = re.compile(r"^if[ \t]+__name__[ \t]*==", re.M)
_NEXT = re.compile(r"^(?![ \t#\r\n)\]}])", re.M)
_TORCH_INSIDE = re.compile(r"^[ \t]+(?:import[ \t]+torch\b|from[ \t]+torch[. \t])", re.M)


class _Line(NamedTuple):
    """An import at the head of a line."""

    start: int
    end: int
    module: str

    @property
    def root(self) -> str:
        """The first word of the module; a dot where the import is relative."""
        return "." if self.module.startswith(".") else self.module.partition(".")[0]


@dataclass(frozen=True)
class Gap:
    """Where a line may be added, what it may be followed by, and the best class of a fix that adds it."""

    at: int
    newline: str
    opened: bool
    """Whether the line before ends there, without an end of its own."""
    allowed: str = SAFE

    def insert(self, lines: Sequence[str]) -> list[Edit]:
        """The edit that adds lines."""
        text = self.newline.join(lines)
        return [Edit(self.at, self.at, f"{self.newline}{text}" if self.opened else f"{text}{self.newline}")]


def above(facts: Facts, at: int) -> Gap:
    """The line above the one that holds `at`."""
    start = facts.layout.line_start(at)
    return Gap(start, facts.layout.newline_at(start), opened=False)


def below(facts: Facts, at: int) -> Gap:
    """The line below the statement that holds `at`."""
    return _at(facts, facts.layout.logical_line(at - 1)[1], SAFE)


def place_of(facts: Facts, path: str, helper: Helper) -> Gap:
    """The place for the import of the helper."""
    own = helper.own | {helper.module.partition(".")[0]}
    facts.work.search(0, 4 * len(facts.text))
    lines = _lines(facts)
    changed = _path_changed(facts)
    after = [line for line in lines if line.start >= changed]
    first = _first_group([line for line in after if line.root in (own | {"."}) - {"torch"}], facts)
    torch = [line for line in after if line.root == "torch"]
    line = first or (torch[-1] if torch else None)
    imports_own = any(one.root in own or one.root == "." for one in lines)
    reaches = bool(changed) or imports_own or _is_near(path, helper, _SCRIPT.search(facts.text) is not None)
    allowed = SAFE if reaches else REVIEW
    if line is None and changed:
        return _at(facts, changed, allowed)
    if line is None:
        inside = _TORCH_INSIDE.search(facts.text) is not None  # torch is imported late, and the helper imports it
        last = lines[-1] if lines else None
        place = _at(facts, last.end if last else _head(facts), allowed)
        return place if not inside else Gap(place.at, place.newline, place.opened, REVIEW)
    return _at(facts, line.end, allowed)


def early_place(facts: Facts, first: int, usual: Gap) -> Gap:
    """A place above `first`, where the usual one is below it."""
    before = [line for line in _lines(facts) if line.end <= first]
    place = _at(facts, before[-1].end if before else _head(facts), usual.allowed)
    return replace(place, allowed=REVIEW) if _path_changed(facts) > place.at else place


def _lines(facts: Facts) -> list[_Line]:
    """The imports at the head of a line, in order."""
    found = []
    for match in _IMPORT.finditer(facts.text):
        if not facts.layout.string_around(match.start()) and not _continued(facts.text, match.start()):
            found.append(_Line(match.start(), facts.layout.logical_line(match.start())[1], match[1]))
    return found


def _continued(text: str, start: int) -> bool:
    return text[:start].rstrip("\r\n").endswith("\\")


def _first_group(lines: Sequence[_Line], facts: Facts) -> _Line | None:
    """The last of the first imports that stand one below the other."""
    last = lines[0] if lines else None
    for line in lines[1:]:
        assert last is not None
        if facts.text[last.end : line.start].strip():
            break
        last = line
    return last


def _path_changed(facts: Facts) -> int:
    """Where the statement at the head of a line ends below which all changes of `sys.path` are made; 0: none is."""
    places = [match.start() for match in _PATH.finditer(facts.text) if not facts.layout.token_at(match.start())]
    inside = [at for at in places if not _in_function(facts, at)]
    if not inside:
        return 0
    end = facts.layout.logical_line(inside[-1])[1]
    following = _NEXT.search(facts.text, end)
    if facts.text[facts.layout.line_start(inside[-1])] not in " \t":
        return end
    return following.start() if following else len(facts.text)


def _in_function(facts: Facts, at: int) -> bool:
    return any(header.word in ("def", "async", "class") for header in facts.indents.headers(at))


def _is_near(path: str, helper: Helper, is_script: bool) -> bool:
    """Whether a file finds the module without more: it lies beside it, or in its package and is not started by its
    path. What builds a package is run before that can be imported."""
    if not path or not helper.path:
        return True
    if posixpath.basename(path.replace("\\", "/")) == "setup.py":
        return False
    root = helper.path.replace("\\", "/")
    for _ in range(helper.module.count(".") + 1):
        root = posixpath.dirname(root)
    folder = posixpath.dirname(path.replace("\\", "/"))
    package = posixpath.join(root, helper.module.partition(".")[0]) if "." in helper.module else root
    inside = "." in helper.module and (folder == package or folder.startswith(package + "/"))
    return not is_script if inside else folder == root


def _head(facts: Facts) -> int:
    """Where the first statement begins, below comments and the docstring."""
    text, at = facts.text, 0
    while match := re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n").match(text, at):
        at = match.end()
    if re.compile(r"[rRuU]?[\"']").match(text, at):
        at = facts.layout.logical_line(at)[1]
    return at


def _at(facts: Facts, end: int, allowed: str) -> Gap:
    text = facts.text
    newline = facts.layout.newline_at(end)
    if 0 < end < len(text) and not text[:end].endswith(("\n", "\r")):
        stop = facts.layout.line_break(end)
        end = stop
    opened = end > 0 and not text[:end].endswith(("\n", "\r"))
    return Gap(end, newline, opened, allowed)
