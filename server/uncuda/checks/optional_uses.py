"""The uses of a name that an optional import binds, and the code that asks whether the import worked."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from .. import lazy_re
from ..facts.read import Statement
from ..facts.scans import around, uses
from ..facts.scopes import Header
from .amp_c_guards import Guard
from .base import Context, Hit

_WORD = lazy_re.compile(r"[A-Za-z_]\w*")
# if a line contains one of these words, it may ask whether an optional import worked
_DECIDES = lazy_re.compile(r"\b(?:if|elif|while|assert|and|or|not|is|skipif|skipIf|skipUnless|hasattr|bool)\b")
# what code contains that looks for a name or a module
_LOOKING = ["find_spec", "import_module", "__import__", "nameerror", "sys.modules"]
_LOOKING += ["suppress", "globals", "locals", "vars", "dir"]
_LOOKS = lazy_re.compile(
    r"\b(?:find_spec|import_module|__import__|nameerror|sys\.modules|(?:suppress|globals|locals|vars|dir)[ \t]*\()"
)
# a line that defines or imports a name, or that has parameters
_BINDS = lazy_re.compile(r"(?:async[ \t]+)?def\b|class[ \t]+\w+[ \t]*\[|.*\b(?:import|as|lambda)\b")
# matches the text after the name `x` in a call `x(…)` or `x.y(…)`: the call fails if `x` is not bound, or is None
_CALLS = lazy_re.compile(r"(?:[ \t]*\.[ \t]*\w+)*[ \t]*\(")
_BASE = lazy_re.compile(r"[ \t]*class[ \t]+\w+[^:=]*$")
_ATTRIBUTE = lazy_re.compile(r"[ \t]*\.")
# matches the part of a line before a name, unless the name is in an annotation
_EVALUATED = lazy_re.compile(r"[^:>]*(?:[(=@]|\breturn\b)[^:>]*$")
_SET = lazy_re.compile(r"^[ \t]+(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.M)
_FEW = 8  # maximum number of variables set in a block whose uses outside of the block are searched
_FAR = 400  # maximum number of characters before a name that are searched for the beginning of an annotation
_BLOCK = lazy_re.compile(r"(?:try|else|finally|if\b[^\n]*?|except\b[^\n]*?)[ \t]*:(?=\s)")
_NOTES = lazy_re.compile(
    r"$|#|[\"')]|f[\"']|pass\b|[\w, \t]+(?::[^=]*)?=[ \t]*(?:None|False|True)\b|(?:print|_?log\w*|warnings?)[\w.]*\("
)
# a line that imports a name, or one line of an import over several lines
_IMPORTED = lazy_re.compile(r"(?:from|import)\b|\w+(?:[ \t]+as[ \t]+\w+)?,?[ \t]*$")
_TELLS = lazy_re.compile(r"^[ \t]*(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*(?:True|False)\b", re.M)
_SEVERAL = lazy_re.compile(r"^[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)+)[ \t]*=(?!=)", re.M)
IMPORTED_AS = lazy_re.compile(r"(?:\w+(?:\.\w+)*[ \t]+as[ \t]+)?(\w+)")
"""Matches an imported name in an import statement, up to the first dot; group 1 is the name that the import binds."""


class _Uses(NamedTuple):
    """The offsets of the uses of a name in code, and those of the uses in lines that may bind the name or ask whether
    it is bound."""

    places: Sequence[int]
    telling: Sequence[int]


class OptionalUses:
    """Finds, in one source file, the uses of optionally imported names that no condition guards."""

    def __init__(self, context: Context) -> None:
        self._context, self._indents, self._text = context, context.facts.indents, context.text
        # caches; their keys are, in this order: start of a block, start of a clause, name, name, top-level module
        self._told: dict[int, frozenset[str]] = {}
        self._notes: dict[int, bool] = {}
        self._used: dict[str, _Uses] = {}
        self._safe: dict[str, Sequence[int]] = {}
        self._asks_for: dict[str, Sequence[int]] = {}

    def untested(self, hit: Hit, module: str, word: str, guard: Guard) -> Sequence[int]:
        """Return the offsets at which the file uses the name that an optional import binds; empty if a line of the file
        asks whether the import worked. `word`: the keyword of the block that makes the import optional."""
        statement, alias = hit.statement, IMPORTED_AS.match(self._text, hit.start, hit.end)
        if statement is None or alias is None or not statement.start <= hit.start < statement.end:
            return ()
        name, clauses = alias[1], self._clauses(statement, word)
        if not clauses:
            return ()
        block = range(clauses[0].start, self._indents.extent(clauses[-1].start))
        if word == "if" and len(clauses) == 1 and (unbound := self._unbound(block, self._asking(module))):
            return unbound
        if _are_beside(self._asking(module), block):
            return ()
        if name in guard.fallbacks or not all(map(self._only_notes, clauses)):
            return ()
        used = self._uses(name)
        if _are_beside(used.telling, block) or _are_beside(self._harmless(name), block):
            return ()
        return () if self._tested(guard, block) - {name} else _beside(used.places, block)

    def raising(self, name: str, block: range) -> Sequence[int]:
        """Return the offsets, outside of a block, of the uses of a name that raise an exception if the name is not
        bound."""
        return [at for at in _beside(self._uses(name).places, block) if self._is_raising(name, at)]

    def _tested(self, guard: Guard, block: range) -> frozenset[str]:
        """The variables that the block of an optional import sets, and that conditions elsewhere in the file read."""
        if block.start not in self._told:
            self._context.facts.layout.reads(block.start, block.stop)
            told = set(_TELLS.findall(self._text, block.start, block.stop))
            for names in _SEVERAL.findall(self._text, block.start, block.stop):
                told.update(_WORD.findall(names))
            flags = ((flag, self._uses(flag)) for flag in guard.flags | told)
            tested = (flag for flag, of in flags if _are_beside(of.places if flag in told else of.telling, block))
            self._told[block.start] = frozenset(tested)
        return self._told[block.start]

    def _unbound(self, block: range, asking: Sequence[int]) -> Sequence[int]:
        """The offsets at which functions use a variable that only the block of an optional import sets: the variable
        does not exist if the library is missing. Functions that contain one of the offsets `asking` are left out,
        because they ask whether the library is there."""
        self._context.facts.work.search(0, len(block))
        self._context.facts.layout.reads(block.start, block.stop)
        for name in list(dict.fromkeys(_SET.findall(self._text, block.start, block.stop)))[:_FEW]:
            used = [at for at in _beside(self._uses(name).places, block) if self._text[at - 1] != "."]
            lines = [line for line, _ in self._lines(used)]
            bound = re.compile(rf"\b{name}\b[^\n=!<>]*=(?!=)")
            if any(_BINDS.match(line) or bound.search(line) for line in lines):
                continue
            if unbound := [at for at in used if not self._is_careful(at, asking)]:
                return unbound
        return ()

    def _is_careful(self, at: int, asking: Sequence[int]) -> bool:
        """Return whether code is in a `try`, or not in a function, or in a function that asks whether the library is
        there, i.e. contains one of the offsets `asking`."""
        scope = self._indents.scope_of(at)
        if scope is None or any(header.word == "try" for header in self._indents.headers(at)):
            return True
        first = bisect_left(asking, scope[0])
        return first < len(asking) and asking[first] < self._indents.extent(scope[0])

    def _clauses(self, statement: Statement, word: str) -> list[Header]:
        """The clauses of the innermost `try` or `if` around a statement; empty if there is none."""
        own = self._indents.header_at(statement.start)
        headers = (own, *self._indents.headers(statement.start))
        header = next((header for header in headers if header.word in (word, "def", "class")), own)
        return self._indents.clauses(header) if header.word == word else []

    def _only_notes(self, clause: Header) -> bool:
        """Return whether all that a clause does is to import, to set variables to constants, and to print or log
        text."""
        if clause.start not in self._notes:
            block = self._text[clause.start : self._indents.extent(clause.start)]
            self._context.facts.layout.reads(clause.start, clause.start + len(block))
            self._context.facts.work.search(0, len(block))
            lines = map(str.strip, _BLOCK.sub("", block, count=1).splitlines())
            imports = clause.word in ("try", "if")
            self._notes[clause.start] = ";" not in block and all(
                _NOTES.match(line) or (imports and _IMPORTED.match(line)) for line in lines
            )
        return self._notes[clause.start]

    def _uses(self, name: str) -> _Uses:
        """The uses of a name in code."""
        if name not in self._used:
            facts = self._context.facts
            found = facts.searches.find(("optional", name), uses(name, True))
            facts.work.compare(len(found))
            places = [at for at in found if not facts.layout.token_at(at)]
            telling = [at for line, offsets in self._lines(places) if _tells(line) for at in offsets]
            self._used[name] = _Uses(places, telling)
        return self._used[name]

    def _harmless(self, name: str) -> Sequence[int]:
        """The offsets of the uses of a name that may work although the name is not bound or is None, such as an
        annotation, an argument, or a use in a `try`."""
        if name not in self._safe:
            self._safe[name] = [at for at in self._uses(name).places if not self._is_raising(name, at)]
        return self._safe[name]

    def _is_raising(self, name: str, at: int) -> bool:
        if any(header.word == "try" for header in self._indents.headers(at)):
            return False
        before = self._text[max(self._text.rfind("\n", 0, at) + 1, at - _FAR) : at]
        if before.strip(" \t") == "class":
            return False
        if before.rstrip(" \t").endswith("@") or _BASE.match(before) or _CALLS.match(self._text, at + len(name)):
            return True
        return _ATTRIBUTE.match(self._text, at + len(name)) is not None and _EVALUATED.match(before) is not None

    def _lines(self, places: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
        """For each physical line that contains some of these offsets: the line without its indentation, and the
        offsets."""
        for _, group in groupby(places, self._context.facts.layout.line_break):
            offsets = list(group)
            yield self._line(offsets[0]).lstrip(), offsets

    def _asking(self, module: str) -> Sequence[int]:
        """The offsets at which code contains a word such as `has_x` or `is_x_available` for a module, or looks for
        names or modules, as in `"x" in globals()`."""
        root = module.partition(".")[0]
        if root not in self._asks_for:
            facts = self._context.facts
            asking = facts.searches.find(("asking", root), around([root.lower()], _asking_for(root.lower())))
            found = sorted({*asking, *facts.searches.find(("asking", ""), around(_LOOKING, _LOOKS))})
            facts.work.compare(len(found))
            coded = (at for at in found if self._text[at] in "\"'" or not facts.layout.token_at(at))
            lines = (offsets for line, offsets in self._lines(coded) if not _IMPORTED.match(line))
            self._asks_for[root] = [at for offsets in lines for at in offsets]
        return self._asks_for[root]

    def _line(self, at: int) -> str:
        return self._text[self._text.rfind("\n", 0, at) + 1 : self._context.facts.layout.line_break(at)]


def _tells(line: str) -> bool:
    return _DECIDES.search(line) is not None or _BINDS.match(line) is not None


def _beside(offsets: Sequence[int], block: range) -> Sequence[int]:
    """The offsets outside a block."""
    return [*offsets[: bisect_left(offsets, block.start)], *offsets[bisect_left(offsets, block.stop) :]]


def _are_beside(offsets: Sequence[int], block: range) -> bool:
    """Return whether any of these sorted offsets is outside a block."""
    return len(offsets) > 0 and (offsets[0] < block.start or offsets[-1] >= block.stop)


@cache
def _asking_for(root: str) -> re.Pattern[str]:
    root = re.escape(root)
    has = rf"_?(?:has|have|is|with|needs?|requires?|skip|no|check|ensure)\w{{0,60}}?{root}"
    # a function such as `ensure_x_compat` adapts the library's version; it does not ask whether the library is there
    has += r"(?!_compat)"
    available = rf"\w{{0,60}}?{root}\w{{0,60}}?available"
    return re.compile(rf"\b(?:{has}|{available})|[\"']{root}[\"'][ \t]+(?:not[ \t]+)?in\b")
