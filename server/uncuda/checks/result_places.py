"""Finds the reads of a name, an attribute, or a function's result in one file."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from .. import lazy_re
from ..facts.digest import Text
from ..facts.read import Statement
from ..facts.scans import whole_word
from ..facts.scopes import FUNCTION
from .base import Context

_WORD = lazy_re.compile(r"[^\W\d]\w*")
_ASKED = lazy_re.compile(r"(?:getattr|hasattr|attrgetter)[ \t]*\([^\n]*\Z")
_PROPERTY = lazy_re.compile(r"@[ \t]*(?:\w+\.)*\w*property\b")
_MANY = 60  # maximum number of occurrences of one word that are checked
_BEFORE = 200
_FEW = 8


class Place(NamedTuple):
    """An expression that reads a value. `node`: None if the value has too many uses to check, or has a use that cannot
    be traced."""

    node: ast.expr | None
    statement: Statement


class Function(NamedTuple):
    """A function of the file: its name, its offset, whether it is a method, and whether it is a property."""

    name: str
    start: int
    method: bool
    attribute: bool


class Places:
    """Finds the occurrences of words and the reads of values in one file. The file is searched for each of the first
    few words that a caller asks for; for all later words, an index of the words in the file is built once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._words: dict[str, list[int]] | None = None
        self._looked = 0

    def _at(self, word: str, start: int = 0, end: int = -1) -> list[int]:
        """Return the offsets of a word in a part of the text."""
        if self._looked < _FEW:
            self._looked += 1
            stretch = start, end if end >= 0 else len(self._context.text)
            self._context.facts.work.search(*stretch)
            return list(whole_word(word)(self._context.text, *stretch))
        if self._words is None:
            text, self._words = self._context.text, {}
            self._context.facts.work.search(0, 16 * len(text))
            for match in _WORD.finditer(text):
                self._words.setdefault(match[0], []).append(match.start())
        found = self._words.get(word, [])
        return found[bisect_left(found, start) : bisect_left(found, end) if end >= 0 else len(found)]

    def _statements(self, word: str, offsets: list[int]) -> Iterator[Statement | None]:
        """Yield the statements at the given offsets, then None if there are more than `_MANY`."""
        facts, seen = self._context.facts, set()
        self._context.asked.add(word)
        facts.work.compare(len(offsets[:_MANY]))
        for at in offsets[:_MANY]:
            statement = facts.peek(at)
            if statement is not None and statement.start not in seen:
                seen.add(statement.start)
                facts.work.compare(len(statement.digest.chains))
                yield statement
        if len(offsets) > _MANY:
            yield None

    def names(self, name: str, start: int, end: int) -> Iterator[Statement | None]:
        """Yield the statements in a part of the file that contain a name, then None if there are too many."""
        text, size = self._context.text, len(name)
        found = self._at(name, start, end)
        yield from self._statements(
            name, [at for at in found if text[at - 1 : at] != "." and text[at + size : at + size + 1] != "("]
        )

    def attributes(self, name: str, root: str, holder: Statement) -> Iterator[Place]:
        """Yield the places that read an attribute of this name, of any object. `root`: the variable on which the
        statement `holder` sets the attribute, such as `self`."""
        text, size = self._context.text, len(name)
        self._context.asked.add(name)
        found = self._at(name)
        quoted = [
            at for at in found if text[at - 1 : at] in ("'", '"') and text[at - 1] == text[at + size : at + size + 1]
        ]
        if any(_ASKED.search(text[max(text.rfind("\n", 0, at), at - _BEFORE) + 1 : at - 1]) for at in quoted[:_MANY]):
            yield Place(None, holder)
        for statement in self._statements(name, [at for at in found if text[at - 1 : at] == "."]):
            if statement is None:
                yield Place(None, holder)
                return
            for node in _spelling(name, root, self._context, statement):
                call = statement.digest.parents.get(node)
                if isinstance(node.ctx, ast.Load) and not (isinstance(call, ast.Call) and call.func is node):
                    yield Place(node, statement)

    def function(self, statement: Statement) -> Function | None:
        """The function that contains a statement; None at module level."""
        indents, text = self._context.facts.indents, self._context.text
        scope = indents.scope_of(statement.start)
        start = statement.start if FUNCTION.match(text, statement.start) else scope[0] if scope else -1
        match = FUNCTION.match(text, start) if start >= 0 else None
        if match is None:
            return None
        above = indents.scope_of(start)
        marks = islice(indents.decorators(start), 8)
        attribute = any(_PROPERTY.match(text, line.start, line.end) for line in marks)
        return Function(match[1], start, above is not None and above[1] == "class", attribute)

    def calls(self, function: Function, holder: Statement) -> Iterator[Place]:
        """Yield the places in this file that name `function`, whether they call it or not; `Place.node` is the node of
        the name."""
        text, name = self._context.text, function.name
        found = [at for at in self._at(name) if (text[at - 1 : at] == ".") == function.method]
        for statement in self._statements(name, found):
            if statement is None:
                yield Place(None, holder)
                return
            if function.method:
                yield from (Place(node, statement) for node in _spelling(name, "self", self._context, statement))
            else:
                chains = statement.digest.chains
                yield from (Place(chain.node, statement) for chain in chains if chain.spelled == name)


def fields_of(text: Text, source: str, statement: Statement) -> set[str]:
    """Return the source of each field of an f-string, such as `name` for `{name}`."""
    at = statement.start
    return {source[at + first : at + last].strip() for token in text.tokens for first, last in token.fields}


def _spelling(name: str, root: str, context: Context, statement: Statement) -> Iterator[ast.Attribute]:
    """Yield the attributes called `name` in a statement, such as `x.name`. Attributes of imported modules are left out,
    except those of the module whose name is passed as `root`."""
    for chain in statement.digest.chains:
        if name in chain.parts and (chain.root == root or chain.root not in context.imported):
            node: ast.expr = chain.node
            for part in reversed(chain.parts):
                if part == name and isinstance(node, ast.Attribute):
                    yield node
                node = node.value if isinstance(node, ast.Attribute) else node
    for member in statement.digest.members:
        if member.name == name:
            yield member.node
