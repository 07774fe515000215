"""Finds the line for the import of the helper module: beside the first imports of the project's own modules, otherwise
after the last import of torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ... import lazy_re
from ...edits import REVIEW, SAFE, Edit
from ...facts.read import Facts
from .reach import PATH_CHANGED, Reach

_IMPORT = lazy_re.compile(r"^(from|import)[ \t]+(\.*[\w.]*)", re.M)
_COMMENTS = lazy_re.compile(r"#[^\n]*")
_COMMENT_BEFORE = lazy_re.compile(r"^[ \t]*#[^\n]*\n\Z", re.M)
_BLANK = lazy_re.compile(r"[ \t]*\r?\n")
_CODE = lazy_re.compile(r"^(?!from\b|import\b)[^\s#)]", re.M)
_NEXT = lazy_re.compile(r"^(?![ \t#\r\n)\]}])", re.M)
_TORCHES = frozenset({"torch", "torchvision", "torchaudio"})


class _Line(NamedTuple):
    """An import statement that begins at the start of a line."""

    start: int
    end: int
    module: str
    is_plain: bool
    """Whether the statement is `import MODULE` instead of `from MODULE import …`."""

    @property
    def root(self) -> str:
        """The first part of the module's dotted name; "." for a relative import."""
        return "." if self.module.startswith(".") else self.module.partition(".")[0]


class Gap(NamedTuple):
    """A position at which lines can be inserted, and the safest class that a fix which inserts lines there may
    have."""

    at: int
    newline: str
    opened: bool
    """Whether the line before this position has no line break at its end."""
    allowed: str = SAFE
    apart: bool = False
    """Whether the inserted lines need an empty line before them, because the imports above are another section."""
    below: tuple[str, ...] = ()
    """The empty line after the inserted lines, if they need one and it is missing."""

    def insert(self, lines: Sequence[str]) -> list[Edit]:
        """Return the edits that insert these lines."""
        text = self.newline.join((*([""] if self.apart else []), *lines, *self.below))
        return [Edit(self.at, self.at, f"{self.newline}{text}" if self.opened else f"{text}{self.newline}")]


def above(facts: Facts, at: int) -> Gap:
    """Return the position above the line that contains the offset `at`."""
    start = facts.layout.line_start(at)
    return Gap(start, facts.layout.newline_at(start), opened=False)


def below(facts: Facts, at: int) -> Gap:
    """Return the position below the statement that contains the offset `at`."""
    return _at(facts, facts.layout.logical_line(at - 1)[1], SAFE)


def place_of(facts: Facts, reach: Reach, is_plain: bool = False) -> Gap:
    """Return the position for the import of the helper module. `is_plain`: whether the import is written as `import
    MODULE`."""
    own = reach.helper.own | {reach.helper.module.partition(".")[0], reach.module.partition(".")[0]}
    facts.work.search(0, 4 * len(facts.text))
    lines = _lines(facts)
    changed = _path_changed(facts)
    after = [line for line in lines if line.start >= changed]
    torch = [line for line in lines if line.root == "torch"]
    owned = [line for line in after if line.root in (own | {"."}) - {"torch", ""}]
    if torch and owned and has_code(facts.text, owned[0].start, torch[0].start):
        # some code must run before torch is imported; the helper module imports torch, so its import goes below
        owned = [line for line in owned if line.start > torch[0].start]
    after_torch = bool(torch) and bool(owned) and torch[0].start < owned[0].start
    group = (_sorted_block(owned, after, facts) if after_torch else []) or _first_group(owned, facts)
    if not any(line.root in _TORCHES for line in lines):
        # loading this file does not import torch (at most, a function imports torch later); after the fix, it would,
        # because the helper module imports torch
        reach = reach._replace(allowed=REVIEW)
    if group:
        return _in_order(facts, group, reach, after_torch, is_plain)
    if not after and changed:
        return _at(facts, changed, reach.allowed)
    first = _block(after or lines, facts)
    # code before the import of torch, such as code that sets environment variables, must still run before it
    if torch and first and torch[-1].start > first[-1].start:
        first = _block(lines[lines.index(torch[-1]) :], facts)
    if not first:
        return _at(facts, _head(facts), reach.allowed)
    gap = _at(facts, first[-1].end, reach.allowed)
    is_followed = facts.text[gap.at : gap.at + 1] not in ("", "\r", "\n")
    return gap._replace(apart=True, below=("",) if is_followed else ())


def has_code(text: str, start: int, end: int) -> bool:
    """Return whether a line between two offsets begins with code other than an import."""
    return _CODE.search(text, start, max(start, end)) is not None


def _in_order(facts: Facts, group: Sequence[_Line], reach: Reach, after_torch: bool, is_plain: bool) -> Gap:
    """Return the position for the import of the helper module among the imports of the project's own modules: by
    alphabetical order if these imports are sorted, otherwise below them."""
    keys = [_key(line.module, line.is_plain) for line in group]
    new = _key(reach.module, is_plain)
    if not after_torch or keys != sorted(keys) or new >= keys[-1]:
        return _at(facts, group[-1].end, reach.allowed)
    before = [line for key, line in zip(keys, group, strict=True) if key < new and key[1] == new[1]]
    if before:
        return _at(facts, before[-1].end, reach.allowed)
    line = next(line for key, line in zip(keys, group, strict=True) if new < key)
    gap = above(facts, _with_comments(facts.text, line.start))._replace(allowed=reach.allowed)
    # isort has relative imports in a section of their own, if the text has sections
    is_apart = line.root == "." and not reach.module.startswith(".") and _ends_section(facts.text, gap.at)
    return gap._replace(below=("",)) if is_apart else gap


def _ends_section(text: str, at: int) -> bool:
    """Return whether the line above the offset `at` is empty."""
    return text[:at].endswith(("\n\n", "\n\r\n"))


def _with_comments(text: str, start: int) -> int:
    """Return the start of the comments directly above a line; the start of the line if there are none."""
    while match := _COMMENT_BEFORE.search(text, 0, start):
        start = match.start()
    return start


def _key(module: str, is_plain: bool) -> tuple[bool, int, str]:
    """Return the key by which isort sorts an import within its section."""
    dots = len(module) - len(module.lstrip("."))
    return not is_plain, -dots if dots else -(1 << 8), module.lstrip(".").lower()


def _block(lines: Sequence[_Line], facts: Facts) -> list[_Line]:
    """Return the first imports; only comments and empty lines may be between them."""
    found: list[_Line] = []
    for line in lines:
        if found and _COMMENTS.sub("", facts.text[found[-1].end : line.start]).strip():
            break
        found.append(line)
    return found


def early_place(facts: Facts, first: int, usual: Gap) -> Gap:
    """Return a position above the offset `first`, for files whose usual position for the import is below this
    offset."""
    before = [line for line in _lines(facts) if line.end <= first]
    place = _at(facts, before[-1].end if before else _head(facts), usual.allowed)
    return place._replace(allowed=REVIEW) if _path_changed(facts) > place.at else place


def in_place_of(facts: Facts, gone: Edit, place: Gap, lines: Sequence[str]) -> list[Edit]:
    """Return the edits that insert `lines` and remove `import torch`. A single edit replaces `import torch` by `lines`
    if `place` is directly below this import, and the import is at the start of the file or below an empty line."""
    text = facts.text
    before = text[: gone.start].rstrip(" \t")
    alone = before.endswith(("\n\n", "\r\n\r\n")) or not before
    if place.at != gone.end or not alone:
        blank = _BLANK.match(text, gone.end) if alone and place.at > gone.end else None
        return [*place.insert(lines), gone._replace(end=blank.end()) if blank else gone]
    (added,) = place._replace(apart=False, below=()).insert(lines)
    return [Edit(gone.start, gone.end, added.text if not place.opened else added.text.lstrip("\r\n"))]


def _lines(facts: Facts) -> list[_Line]:
    """Return the imports that begin at the start of a line, in source order."""
    found = []
    for match in _IMPORT.finditer(facts.text):
        if not facts.layout.string_around(match.start()) and not _continued(facts.text, match.start()):
            found.append(
                _Line(match.start(), facts.layout.logical_line(match.start())[1], match[2], match[1] == "import")
            )
    return found


def _continued(text: str, start: int) -> bool:
    return text[:start].rstrip("\r\n").endswith("\\")


def _first_group(lines: Sequence[_Line], facts: Facts) -> list[_Line]:
    """Return the first imports; no other code and no comment may be between them."""
    found = list(lines[:1])
    for line in lines[1:]:
        if facts.text[found[-1].end : line.start].strip():
            break
        found.append(line)
    return found


def _sorted_block(owned: Sequence[_Line], lines: Sequence[_Line], facts: Facts) -> list[_Line]:
    """Return the imports from the first import of the project's own modules (`owned`) to the last in the same block; an
    empty list if these imports are not sorted, or if they import only the project's own modules."""
    found = [owned[0]]
    for line in lines[lines.index(owned[0]) + 1 :]:
        between = facts.text[found[-1].end : line.start]
        if between.strip() or _ends_section(facts.text, line.start):
            break
        found.append(line)
    while found[-1] not in owned:
        found.pop()
    keys = [_key(line.module, line.is_plain) for line in found]
    return found if keys == sorted(keys) and not all(line in owned for line in found) else []


def _path_changed(facts: Facts) -> int:
    """Return the end offset of the last statement at module level that changes `sys.path`; 0 if there is none."""
    places = [match.start() for match in PATH_CHANGED.finditer(facts.text) if not facts.layout.token_at(match.start())]
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


def _head(facts: Facts) -> int:
    """Return the offset of the first statement after the comments and the docstring of the file."""
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
