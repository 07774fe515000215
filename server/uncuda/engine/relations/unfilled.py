"""Finds variables and attributes that hold None until code in given spans assigns a value to them. The spans are code
that runs only on CUDA, because a condition stays unchanged; on the target these names stay None."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ... import lazy_re
from ...facts.changes import Worded
from ...facts.scans import plain, uses
from ...facts.scopes import Header
from .flags import CONDITIONS
from .questions import Questions, Stretch

_MOST = 100  # maximum number of names whose uses are searched in one text
_EMPTY = lazy_re.compile(r"[ \t]*((?:self\.|cls\.)?[A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?=[ \t]*None\b")
_BEFORE = lazy_re.compile(r"[ \t(\[]*(?:[\w.*]+[ \t]*[,=][ \t]*)*")  # the targets of an assignment before a name …
_AFTER = lazy_re.compile(r"(?:[ \t]*,[ \t]*[\w.*]+)*[ \t)\]]*(?::[^=\n]+)?(?:[-+*/@|&]|//)?=(?!=)")  # … and after it
_NOTHING = lazy_re.compile(r"(?:[ \t]*[\w.]+[ \t]*=(?!=))*[ \t]*None\b[ \t]*(?:[#;].*)?\r?$", re.M)
_BINDS = frozenset({"async", "class", "def", "except", "for", "from", "import", "with"})
_BINDING = lazy_re.compile(rf"[ \t]*(?:{'|'.join(sorted(_BINDS))})\b")
_GLOBAL = "global "
_TESTED = lazy_re.compile(r"[ \t]*(?:is\b|or\b|[!=]=)")
_TESTS = lazy_re.compile(r"\b(?:if|elif|while|and|not)[ \t(]+$")
_BLANKS = 20  # maximum number of characters between `=` and None
_LONGEST = 12  # a match of `_TESTS` is at most this long, except for further blanks


class Use(NamedTuple):
    """A use of a name that holds None unless the condition `question` (its index in the list of hits) finds CUDA."""

    at: int
    name: str
    question: int


class _Scope(NamedTuple):
    """A name, and the span in which it is visible. `header`: the offset of the function around it, -1 for the
    module, or None for an attribute."""

    name: str
    start: int
    end: int
    header: int | None


def unfilled(behind: Mapping[Stretch, int], questions: Questions) -> list[Use]:
    """Return the uses, sorted, of names to which only code in the spans `behind` assigns a value other than None; uses
    in these spans, and uses after a test of the name, are left out. `behind`: the spans of code that runs only if a
    condition finds CUDA, each with the index of the condition in the list of hits."""
    names = _Names(behind, questions)
    return sorted(use for scope in names.empty() for use in names.uses(scope))


class _Names:
    def __init__(self, behind: Mapping[Stretch, int], questions: Questions) -> None:
        self._questions, self._facts = questions, questions.facts
        self._text, self._indents = self._facts.text, self._facts.indents
        self._spans: list[tuple[int, int, int]] = []  # sorted; those that overlap are united
        for (start, end), question in sorted(behind.items()):
            if self._spans and start < self._spans[-1][1]:
                first, last, known = self._spans[-1]
                self._spans[-1] = first, max(last, end), known
            else:
                self._spans.append((start, end, question))

    def empty(self) -> Iterator[_Scope]:
        """Yield the names to which code outside of the spans assigns None, and code in the spans a value. The scopes
        and uses of other names are not looked at: an edit of a line that was read may change the fixes of others."""
        filled, found = dict[str, list[int]](), set[_Scope]()
        for at in self._facts.searches.find(("unfilled",), _NONE) if self._spans else ():
            match = _EMPTY.match(self._text, at)
            if match is None or (len(filled) == _MOST and match[1] not in filled):
                continue
            if match[1] not in filled:
                filled[match[1]] = list(self._fills(match[1]))
            if filled[match[1]] and self._question(match.start(1)) is None:
                scope = self._scope(match[1], match.start(1))
                if scope is not None and any(scope.start <= fill < scope.end for fill in filled[match[1]]):
                    found.add(scope)
        yield from found

    def _fills(self, name: str) -> Iterator[int]:
        """Yield the uses of a name in lines in the spans that may assign a value to it."""
        find = uses(name, True)
        for start, end, _ in self._spans:
            self._facts.layout.reads(start, end)
            self._questions.work.search(start, end)
            for at in find(self._text, start, end):
                line = self._text.rfind("\n", 0, at) + 1
                after = _AFTER.match(self._text, at + len(name))
                if _BINDING.match(self._text, line, at) or (after and _BEFORE.fullmatch(self._text, line, at)):
                    yield at

    def uses(self, scope: _Scope) -> list[Use]:
        """Return the uses of a name outside of the spans, without those after a test of the name; [] if code outside
        of the spans assigns a value other than None to the name, or if no code in the spans does."""
        question, found, tested = None, list[int](), list[Stretch]()
        every = self._facts.searches.find(("flag", scope.name), uses(scope.name, True))
        for at in every[bisect_left(every, scope.start) : bisect_left(every, scope.end)]:
            self._questions.work.compare(4)
            if self._facts.layout.token_at(at):
                continue
            line, end, behind = self._indents.header_at(at), at + len(scope.name), self._question(at)
            if self._binds(scope, line, at, end):
                if _NOTHING.match(self._text, self._text.find("=", end) + 1):
                    continue
                if behind is None or not self._is_seen(scope, at):
                    return []
                question = behind if question is None else question
            elif behind is None and self._is_test(line, at, end):
                tested += self._after_test(line)
            elif behind is None:
                found.append(at)
        return [Use(at, scope.name, question) for at in _outside(found, tested)] if question is not None else []

    def _scope(self, name: str, at: int) -> _Scope | None:
        """Return the scope of a name that is assigned at an offset; None for a name in the body of a class."""
        if "." in name:
            around = next((header for header in self._indents.headers(at) if header.word == "class"), None)
            return _Scope(name, around.start, self._indents.extent(around.start), None) if around is not None else None
        scope = self._indents.scope_of(at)
        if scope is None:
            return _Scope(name, 0, len(self._text), -1)
        return _Scope(name, scope[0], self._indents.extent(scope[0]), scope[0]) if scope[1] == "def" else None

    def _question(self, at: int) -> int | None:
        """Return the condition of the span that contains an offset."""
        number = bisect_right(self._spans, (at, len(self._text), 0)) - 1
        return self._spans[number][2] if number >= 0 and at < self._spans[number][1] else None

    def _binds(self, scope: _Scope, line: Header, at: int, end: int) -> bool:
        """Return whether a statement assigns a value to the name in the span [at, end)."""
        if line.word in _BINDS:
            return scope.header is not None and self._may_bind(line, at, end)
        return bool(_BEFORE.fullmatch(self._text, line.start, at) and _AFTER.match(self._text, end))

    def _may_bind(self, line: Header, at: int, end: int) -> bool:
        """Return whether the header of a block, or an import, may bind a plain name: a parameter, `for NAME in`,
        `as NAME`; the value that a loop or a `with` uses is no such place."""
        if line.word in ("for", "with"):
            named = "for" if line.word == "for" else "as"
            before = self._text[line.start : at].split()
            return named in before and "in" not in before
        return True

    def _is_seen(self, scope: _Scope, at: int) -> bool:
        """Return whether an assignment at an offset assigns to the name of this scope, and not to a name of a function
        in it."""
        if scope.header is None:
            return True
        around = self._indents.scope_of(at)
        start = around[0] if around is not None else -1
        return start == scope.header or (start, scope.name) in self._globals

    @cached_property
    def _globals(self) -> set[tuple[int, str]]:
        """The names in statements such as `global a, b`, each with the offset of the function around the statement."""
        found = set[tuple[int, str]]()
        for at in self._facts.searches.find(("text", _GLOBAL), plain(_GLOBAL)):
            line, around = self._indents.header_at(at), self._indents.scope_of(at)
            if line.word == "global" and around is not None:
                names = self._text[at + len(_GLOBAL) : line.end].partition("#")[0]
                found.update((around[0], name.strip()) for name in names.split(","))
        return found

    def _is_test(self, line: Header, at: int, end: int) -> bool:
        """Return whether code asks if the name at an offset holds a value: `NAME is not None`, `if NAME:`."""
        if _TESTED.match(self._text, end):
            return True
        return self._text[end : end + 1] not in (".", "(", "[") and bool(
            _TESTS.search(self._text[max(line.start, at - _LONGEST) : at])
        )

    def _after_test(self, line: Header) -> Iterator[Stretch]:
        """Yield the spans of the code that a test of a name in a statement decides about."""
        if line.word not in CONDITIONS:
            yield line.start, line.end
            return
        yield line.start, self._indents.extent(self._indents.clauses(line)[-1].start)
        if self._questions.leaves(line) and not self._questions.raises(line):
            yield self._questions.below(line)


def _empties(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the starts of lines that assign None to a name; a search for the word is faster than one for the line."""
    done = start - 1
    for at in _WORD(text, start, end):
        if text[max(start, at - _BLANKS) : at].rstrip(" \t")[-1:] == "=":
            line = text.rfind("\n", start, at) + 1 or start
            if line > done and _EMPTY.match(text, line):
                yield line
            done = line


_WORD = plain("None")
_NONE = Worded("None", _empties)


def _outside(offsets: Sequence[int], spans: Sequence[Stretch]) -> Iterator[int]:
    """Yield those of the sorted `offsets` that are in none of the spans."""
    waiting, end = sorted(spans, reverse=True), -1
    for at in offsets:
        while waiting and waiting[-1][0] <= at:
            end = max(end, waiting.pop()[1])
        if at >= end:
            yield at
