"""Finds out whether an edit changes only lines that no check read, so that the hits in all other lines stay the same.

`Layout` records each logical line that a check asks for. After an edit, the checks would return the same hits if
none of the recorded lines was edited, no search of a check has a match in the edited lines, and all other lines stay in
the same blocks: the checks would then read the same lines and find the same matches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from keyword import kwlist
from typing import NamedTuple

from .. import lazy_re
from ..checks.leaving import leaves
from ..facts.changes import Region
from ..facts.read import Facts
from ..facts.scopes import columns

IMPORTING = "text", "import "
"""The key, in `Facts.searches`, of the text search that finds imports."""
_OUTER = 4  # maximum number of parts from `IndentScopes.blocks_around` in which lines that were read are looked for
_WORD = lazy_re.compile(r"\w+")
_ATTRIBUTE = lazy_re.compile(r"\.[ \t]*(\w+)")
# lines that may change what names in other lines mean
_ALTERS = lazy_re.compile(r"[ \t]*(?:class|global|nonlocal)\b|.*\b__name__\b")
_OPENS = lazy_re.compile(r"[ \t\f]*(?:@|async|def|if|for|while|with|try|except|else|elif|finally|match|case)\b")
_SHARES = lazy_re.compile(r"\b(?:global|nonlocal)\b")
_RESULT = lazy_re.compile(r"[ \t]*(?:return|raise|yield|del)\b")
_FUNCTION = lazy_re.compile(r"[ \t]*(?:async[ \t]+)?def\b[ \t]*(\w*)")
_NAMED = lazy_re.compile(r"[ \t]*([\w.]+)[ \t]*:(?!=)")
_BINDS = lazy_re.compile(
    r"\bfor\b(.*\bin\b|.*)|\b(?:as|del)\b(.*)|\blambda\b([^:]*)|(\w+)[ \t]*:=|(.*)[\])}][ \t]*=(?!=)"
)
_IMPORT = lazy_re.compile(r"\b(?:from|import)\b")  # names that stand before an import in a line are not imported
_IMPORTS = frozenset({"from", "import", "as"})
_OWN = frozenset({"self", "cls", *kwlist})
_DEFINED = lazy_re.compile(r"[ \t]*(?:@|async\b|def\b|class\b)")
_STRING = lazy_re.compile(r"\"[^\"\n]*\"?|'[^'\n]*'?|#.*")
_SIGN = lazy_re.compile(r"[=!<>:]=|[=(\[{\])}]")


class Reads(NamedTuple):
    """What the checks read of a text. `lines`: sorted offsets, at least one in each logical line that was read;
    `parts`: spans of several lines that were read at once."""

    lines: Sequence[int]
    parts: frozenset[tuple[int, int]]

    def joined(self, lines: Collection[int], parts: AbstractSet[tuple[int, int]]) -> Reads:
        """Return an object with these lines and parts, and with further lines and parts of the same text."""
        fresh = [line for line in lines if not self._any(line, line + 1)]
        known = self if parts <= self.parts else self._replace(parts=self.parts | parts)
        return known._replace(lines=sorted([*self.lines, *fresh])) if fresh else known

    def moved(self, region: Region) -> Reads:
        """Return these reads with the offsets that they have in the text after an edit."""
        lines, parts, shift = self.lines, self.parts, region.shift
        first, last = bisect_left(lines, region.old), bisect_left(lines, region.old_end)
        if first < last:
            parts |= {(region.old, region.old_end)}
        elif not shift:
            return self
        after = [line + shift for line in lines[last:]] if shift else lines[last:]
        return Reads([*lines[:first], *after], frozenset((region.place(a), region.place(b)) for a, b in parts))

    def spare(self, block: tuple[int, int]) -> bool:
        """Return whether no check read any text between two offsets."""
        first, last = block
        return not self._any(*block) and not any(start < last and first < end for start, end in self.parts)

    def between(self, start: int, end: int) -> Sequence[int]:
        """Return those of `lines` between two offsets."""
        return self.lines[bisect_left(self.lines, start) : bisect_left(self.lines, end)]

    def say(self, facts: Facts, start: int, end: int, words: AbstractSet[str], attributes: bool = False) -> bool:
        """Return whether one of the lines between two offsets that a check has read contains one of these words; if
        `attributes` is true, as the name of an attribute (`b` in `a.b`)."""
        lines, line = self.between(start, end), facts.layout.logical_line
        if not lines or not words:
            return False
        text, pattern = facts.text, _ATTRIBUTE if attributes else _WORD
        first, last = line(lines[0])[0], line(lines[-1])[1]
        if sum(text.count(word, first, last) for word in words) > len(lines):
            return any(not words.isdisjoint(pattern.findall(text, *span)) for span in dict.fromkeys(map(line, lines)))
        spans = dict.fromkeys(line(at) for word in words for at in _places(text, word, first, last))
        read = (span for span in spans if self.between(max(start, span[0]), min(end, span[1])))
        return any(not words.isdisjoint(pattern.findall(text, *span)) for span in read)

    def _any(self, start: int, end: int) -> bool:
        at = bisect_left(self.lines, start)
        return at < len(self.lines) and self.lines[at] < end


NOTHING = Reads((), frozenset())


def are_unread(reads: Reads, before: Facts, facts: Facts, region: Region, edited: Region, begin: bool) -> bool:
    """Return whether no check read the lines that an edit changes, and none would read them if it ran again. `before`,
    `facts`: the text before and after the edit. `region`: the logical lines that changed; `edited`: the physical lines.
    `begin`: whether an edited line begins with words that a check searched for at the start of lines."""
    if before.holds_part_of(*region[:2]) or facts.holds_part_of(*region[2:]):
        return False
    if not reads.spare((region.old, region.old_end)):
        return False
    if _DEFINED.match(before.text, region.old_end) and reads.between(*before.layout.logical_line(region.old_end)):
        return False  # the lines above a definition may be its decorators
    lines = [line for text, start, end in _both(before, facts, edited) for line in _lines(text, start, end)]
    if any(map(_ALTERS.match, lines)):
        return False
    around = before.indents.outer_function(region.old, region.old_end) or (0, len(before.text))
    opens = not facts.alike and any(map(_OPENS.match, lines))
    flat = facts.same_blocks and not opens
    leaving = any(_RESULT.match(line) or leaves(line.lstrip()) for line in lines)
    if not flat or ((begin or not facts.alike or leaving) and _is_beside(reads, before, facts, region, around[1])):
        if not any(map(reads.spare, islice(facts.indents.blocks_around(before.indents, region), _OUTER))):
            return False
    return _bind_nothing(reads, before, facts, region, edited, around)


def _places(text: str, word: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets of a word between two offsets."""
    at = text.find(word, start, end)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word), end)


def _both(before: Facts, facts: Facts, region: Region) -> tuple[tuple[Facts, int, int], tuple[Facts, int, int]]:
    """Return (text, start, end) of a region before the edit, and after the edit."""
    return (before, region.old, region.old_end), (facts, region.new, region.new_end)


def _lines(facts: Facts, start: int, end: int) -> list[str]:
    return facts.text[start:end].splitlines(keepends=True)


def _bind_nothing(
    reads: Reads, before: Facts, facts: Facts, region: Region, edited: Region, around: tuple[int, int]
) -> bool:
    """Return whether no line that a check has read contains a name that the edited lines bind or import. `around`: the
    span of the function that contains the edited lines."""
    if _SHARES.search(before.text, *around):
        around = 0, len(before.text)
    for text, start, end in _both(before, facts, edited):
        lines = _lines(text, start, end)
        if any("import" in line for line in lines):
            code = "".join(lines)
            importing = _IMPORT.search(code)
            imported = set(_WORD.findall(code, importing.start() if importing else 0)) - _IMPORTS
            if reads.say(before, 0, len(before.text), imported):
                return False
        names, attributes = _bound(lines, start in (region.old, region.new))
        if reads.say(before, *around, names) or reads.say(before, 0, len(before.text), attributes, attributes=True):
            return False
    return True


def _is_beside(reads: Reads, before: Facts, facts: Facts, region: Region, end: int) -> bool:
    """Return whether a check may have gone line by line through the block that contains the edited lines: the line
    directly above or below them was read, or any later line that is not indented deeper than they are. `end`: the end
    of the function, in the text before the edit."""
    layout = before.layout
    for line in (layout.logical_line(region.old_end), layout.logical_line(max(0, region.old - 1))):
        if reads.between(*line):
            return True
    widths = *_widths(before, *region[:2]), *_widths(facts, *region[2:])
    below = (layout.logical_line(line)[0] for line in reads.between(region.old_end, end))
    return any(_width(before.text, line) <= max(widths, default=0) for line in below)


def _widths(facts: Facts, start: int, end: int) -> Iterable[int]:
    while start < end:
        yield _width(facts.text, start)
        start = facts.layout.logical_line(start)[1]


def _width(text: str, start: int) -> int:
    """The indentation of a line in columns."""
    first = start
    while text[first : first + 1] in (" ", "\t", "\f"):
        first += 1
    return columns(text[start:first])


def _bound(lines: Iterable[str], begins: bool) -> tuple[set[str], set[str]]:
    """Return the names, and the attributes (`b` in `a.b = 1`), to which lines may assign a value. `begins`: whether the
    first of the lines is the beginning of a statement."""
    names, attributes = set[str](), set[str]()
    for number, line in enumerate(lines):
        code = _STRING.sub(" ", line)
        function, named = _FUNCTION.match(code), _NAMED.match(code)
        if function is not None:
            targets = function[1]
        else:
            targets = " ".join(part for parts in _BINDS.findall(code) for part in parts)
            if begins or number:
                targets += " " + (_target(code) or (named[1] if named is not None else ""))
        attributes.update(_ATTRIBUTE.findall(targets))
        names.update(_WORD.findall(targets))
    return names - attributes - _OWN, attributes - _OWN


def _target(code: str) -> str:
    """Return the targets of an assignment: the part of a line before its last `=` outside of brackets."""
    depth, end = 0, 0
    for sign in _SIGN.finditer(code):
        if sign[0] in "([{":
            depth += 1
        elif sign[0] in ")]}":
            depth -= 1
        elif sign[0] == "=" and depth <= 0:
            end = sign.start()
    return code[:end]
