"""Text to facts, reading only the statements that hold a word that matters: statement islands."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from .digest import Binding, Chain, Digest, digest
from .layout import Layout
from .names import Names, imported_name
from .newer import read_newer
from .piece import Piece, read_line
from .scopes import IndentScopes, ScopeMap


@dataclass(frozen=True)
class Words:
    """What makes a statement worth reading. Everything comes from the rules."""

    anchors: tuple[str, ...]
    roots: frozenset[str]
    names: frozenset[str]
    prefixes: frozenset[str]
    listed: frozenset[str] = frozenset()

    def bound(self, dotted: str) -> bool:
        """Whether a dotted name is one that rules speak of, or lies below one."""
        while dotted:
            if dotted in self.names:
                return True
            dotted = dotted.rpartition(".")[0]
        return False

    def relevant(self, dotted: str) -> bool:
        """Whether a dotted name is, leads to, or lies below one that rules speak of."""
        return dotted in self.prefixes or self.bound(dotted)

    def children(self, module: str) -> Iterator[str]:
        """What `from module import *` may bind, of the names that rules speak of."""
        dot = module + "."
        for name in self.names | self.prefixes | self.listed:
            if name.startswith(dot) and "." not in name[len(dot) :]:
                yield name[len(dot) :]


@dataclass(slots=True, eq=False)
class Statement:
    """A logical line that was read: offsets of its first character and of its end, and what it says."""

    start: int
    end: int
    digest: Digest


@dataclass(slots=True, eq=False)
class Name:
    """A reference that resolves to `dotted`. `hidden` counts the leading segments that an alias hides."""

    dotted: str
    chain: Chain
    statement: Statement
    hidden: int

    def spans(self) -> list[tuple[int, int] | None]:
        """Offsets of each segment of `dotted`, None for hidden ones."""
        base = self.statement.start
        spelled = [(a + base, b + base) for a, b in self.chain.segments()]
        if self.hidden:
            spelled = spelled[1:]
        missing = self.dotted.count(".") + 1 - len(spelled)
        return [*([None] * missing), *spelled]


@dataclass(slots=True, eq=False)
class Facts:
    """What a text says, in the statements that were read."""

    text: str
    layout: Layout
    scopes: ScopeMap
    indents: IndentScopes
    names: Names
    statements: dict[int, Statement] = field(default_factory=dict)
    unread: list[tuple[int, int]] = field(default_factory=list)
    references: list[Name] = field(default_factory=list)

    def peek(self, offset: int) -> Statement | None:
        """The statement at `offset`, read for a look: it is not one of the islands."""
        start, end = self.layout.logical_line(offset)
        while start < end and self.text[start] in " \t\f":
            start += 1
        if start in self.statements:
            return self.statements[start]
        if self.layout.string_around(start) or self.text[start : start + 1] in "#\"'":
            return None
        found = _digest(self.text[start:end].rstrip())
        return Statement(start, end, found) if found else None

    def imports(self) -> Iterator[tuple[Binding, Statement]]:
        """Every import that was read."""
        for statement in self.statements.values():
            for binding in statement.digest.bindings:
                if binding.kind in ("import", "from", "star"):
                    yield binding, statement


def read(text: str, words: Words) -> Facts:
    """Read the islands of a text."""
    layout = Layout(text)
    reader = _Reader(text, words, layout, IndentScopes(layout))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader.read_at(_anchor_offsets(text, words.anchors))
        reader.read_at(_import_offsets(text, words.roots))
        reader.follow_names()
    return reader.finish()


class _Reader:
    def __init__(self, text: str, words: Words, layout: Layout, scopes: IndentScopes) -> None:
        self.text, self.words, self.layout = text, words, layout
        self.facts = Facts(text, layout, scopes, scopes, Names(scopes))
        self._failed: set[int] = set()
        self._pending: list[Statement] = []

    def read_at(self, offsets: Iterable[int]) -> None:
        """Read the statements that hold these offsets."""
        for offset in offsets:
            self._statement(offset)

    def _statement(self, offset: int) -> None:
        start, end = self.layout.logical_line(offset)
        while start < end and self.text[start] in " \t\f":
            start += 1
        if start in self.facts.statements or start in self._failed:
            if start in self._failed:
                self._recover(start, end, offset)
            return
        if self.text[start] == "#":
            return
        if self.text[start] in "\"'rRuU" and self._prose(start, end, offset):
            return
        found = _digest(self.text[start:end].rstrip())
        if found is not None:
            self._keep(start, end, found)
            return
        self._failed.add(start)
        if not self._recover(start, end, offset):
            self.facts.unread.append((start, end))

    def _prose(self, start: int, end: int, offset: int) -> bool:
        """Whether the statement is a lone triple-quoted string."""
        holder = self.layout.string_around(offset)
        return holder is not None and holder[0] - start <= 2 and not self.text[holder[1] : end].strip()

    def _recover(self, start: int, end: int, offset: int) -> bool:
        """Read only the line with the word, where a bracket left open above swallowed it."""
        if start not in self.layout.unclosed and self.layout.line_start(start) not in self.layout.unclosed:
            return False
        first = self.layout.line_start(offset)
        while first < end and self.text[first] in " \t\f":
            first += 1
        if first == start or first in self.facts.statements or self.layout.string_around(offset):
            return False
        last = self.layout.line_end(first)
        found = _digest(self.text[first:last].rstrip())
        if found is None:
            return False
        self._keep(first, last, found)
        return True

    def _keep(self, start: int, end: int, found: Digest) -> None:
        statement = Statement(start, end, found)
        self.facts.statements[start] = statement
        self._pending.append(statement)

    def follow_names(self) -> None:
        """Read the statements that use or rebind the names that imports and aliases gave, until no new name comes up."""
        known: dict[str, bool] = {}
        waiting: list[tuple[Binding, Statement]] = []
        while self._pending:
            batch, self._pending = self._pending, []
            fresh: set[str] = set()
            for statement in batch:
                for binding in statement.digest.bindings:
                    waiting.append((binding, statement))
                    if dotted := self._meaning(binding, statement):
                        fresh |= self._follow(binding, dotted, known)
            waiting = self._bind(waiting, known)
            for binding, statement in waiting:
                if binding.value is not None and (dotted := self._meaning(binding, statement)):
                    fresh |= self._follow(binding, dotted, known)
            for name in sorted(fresh):
                self.read_at(self._uses(name, known[name]))
            if not self._pending:
                waiting = self._bind(waiting, known)
        self.facts.names.settle()

    def _bind(
        self, waiting: list[tuple[Binding, Statement]], known: dict[str, bool]
    ) -> list[tuple[Binding, Statement]]:
        """Record the bindings of the names that matter; give back the others."""
        rest = []
        for binding, statement in waiting:
            if binding.name in known or binding.kind == "star":
                meaning = self._meaning(binding, statement)
                self.facts.names.add(binding.name, meaning, binding, statement.start)
            else:
                rest.append((binding, statement))
        return rest

    def _meaning(self, binding: Binding, statement: Statement) -> str | None:
        """The dotted name that a binding gives, if it is one that rules speak of."""
        if binding.kind in ("import", "from", "star"):
            return binding.dotted if self.words.relevant(binding.dotted) else None
        if binding.value is None:
            return None
        dotted = imported_name(binding.value) or self.facts.names.resolve_node(
            binding.value, statement.start, statement.digest
        )
        return dotted if dotted and self.words.relevant(dotted) else None

    def _follow(self, binding: Binding, dotted: str, known: dict[str, bool]) -> set[str]:
        if binding.kind == "star":
            names = {child: f"{dotted}.{child}" for child in self.words.children(dotted) if child in self.text}
            self.facts.names.stars.append((dotted, binding, 0))
        else:
            names = {binding.name: dotted}
        fresh = set()
        for name, meaning in names.items():
            every = self.words.bound(meaning) and not any(anchor in name for anchor in self.words.anchors)
            if name not in known or (every and not known[name]):
                known[name] = every or known.get(name, False)
                fresh.add(name)
        return fresh

    def _uses(self, name: str, every: bool) -> Iterator[int]:
        """Offsets where a name stands by itself; `every`: also where attributes follow."""
        for match in _name_pattern(name, every).finditer(self.text):
            start = match.start()
            before = self.text[start - 1] if start else "\n"
            if before != "." and not before.isalnum() and before != "_":
                yield start

    def finish(self) -> Facts:
        facts = self.facts
        for statement in facts.statements.values():
            facts.references += references(statement, facts.names, self.words)
        return facts


def references(statement: Statement, names: Names, words: Words) -> Iterator[Name]:
    """The references of a statement that resolve to names that rules speak of."""
    found = statement.digest
    for chain in found.chains:
        if not names.bindings(chain.root):
            if not names.stars:
                continue
        dotted = names.resolve_node(chain.node, statement.start, found)
        if dotted is None:
            dotted = _from_star(chain, names, words)
        if dotted is not None and words.relevant(dotted):
            hidden = dotted.count(".") + 1 - len(chain.parts)
            root = chain.root if hidden == 1 else ""
            yield Name(dotted, chain, statement, 0 if root and dotted.split(".")[0] == root else hidden)


def _from_star(chain: Chain, names: Names, words: Words) -> str | None:
    if names.bindings(chain.root):
        return None
    for module, _, _ in names.stars:
        if chain.root in words.children(module):
            return ".".join([module, chain.root, *chain.parts])
    return None


@lru_cache(maxsize=4096)
def _digest(text: str) -> Digest | None:
    piece: Piece | None = read_line(text) or read_newer(text)
    return None if piece is None else digest(piece)


@lru_cache(maxsize=512)
def _name_pattern(name: str, every: bool) -> re.Pattern[str]:
    return re.compile(re.escape(name) + (r"(?!\w)" if every else r"(?![\w.])"))


def _anchor_offsets(text: str, anchors: tuple[str, ...]) -> list[int]:
    offsets = []
    for anchor in anchors:
        at = text.find(anchor)
        while at >= 0:
            offsets.append(at)
            at = text.find(anchor, at + len(anchor))
    offsets.sort()
    return offsets


def _import_offsets(text: str, roots: frozenset[str]) -> Iterator[int]:
    at = text.find("import")
    while at >= 0:
        line = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        row = text[line : end if end >= 0 else len(text)]
        if any(root in row for root in roots) or row.rstrip().endswith(("\\", "(")):
            yield at
        at = text.find("import", end if end >= 0 else len(text))
