"""Text to facts, reading only the statements that hold a word that matters: statement islands."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .bindings import Binding
from .digest import Digest
from .layout import Layout
from .model import Facts, Name, Statement, Words, digest_text, references
from .names import Names, imported_name
from .parts import Parts
from .scopes import IndentScopes

_WORD = re.compile(r"\w+")
_TORCH = re.compile(r"torch(?![\w.])(?<![\w.]torch)")
# No string that rules speak of is longer; what stands in a longer one is prose, or another language.
_LONG = 1000

__all__ = ["Facts", "Name", "Statement", "Words", "read"]


def read(text: str, words: Words) -> Facts:
    """Read the islands of a text."""
    plain = _narrow(text)
    layout = Layout(plain)
    reader = _Reader(text, words, layout, IndentScopes(layout))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        offsets, reader.facts.present = anchor_offsets(plain, words)
        reader.read_at(offsets)
        reader.read_at(_import_offsets(plain, _any_of(words.roots)))
        reader.follow_names()
    return reader.finish()


def _narrow(text: str) -> str:
    """The text with characters of one byte each, every other one as "?": a search in it is up to four times as fast."""
    return text if text.isascii() else text.encode("latin-1", "replace").decode("latin-1")


class _Reader:
    def __init__(self, text: str, words: Words, layout: Layout, scopes: IndentScopes) -> None:
        self.text, self.words, self.layout = layout.text, words, layout  # the text to search in
        self.facts = Facts(text, layout, scopes, scopes, Names(scopes))
        self._failed: dict[int, Parts | None] = {}
        self._pending: list[Statement] = []

    def read_at(self, offsets: Iterable[int]) -> None:
        """Read the statements that hold these offsets, which are in order."""
        done = -1
        for offset in offsets:
            if offset >= done:
                done = self._statement(offset)

    def _statement(self, offset: int) -> int:
        """Read the statement at an offset; gives the offset up to which nothing is left to look at."""
        if (end := self._hopeless(offset)) >= 0:
            return end
        text = self.text
        start, end = self.layout.logical_line(offset)
        while start < end and text[start] in " \t\f":
            start += 1
        if start in self._failed:
            if not self._recover(start, end, offset):
                self._recover_part(start, end, offset)
            return -1
        if start in self.facts.statements or text[start] == "#":
            return end
        if text[start] in "\"'rRuU" and self._prose(start, end, offset):
            return end
        found = digest_text(self.facts.text[start:end].rstrip())
        if found is not None:
            self._keep(start, end, found)
            return end
        self._failed[start] = None
        if not self._recover(start, end, offset):
            self.facts.unread.append((start, end))
            self._recover_part(start, end, offset)
        return -1

    def _hopeless(self, offset: int) -> int:
        """Where the long string without fields, or the line of comment, that holds a place ends; -1 for other places.

        Most hits lie in such places.
        """
        holder = self.layout.string_around(offset)
        if holder is not None:
            prefix = self.text[max(0, holder[0] - 2) : holder[0]].lower()
            return holder[1] if holder[1] - holder[0] > _LONG and "f" not in prefix and "t" not in prefix else -1
        line = self.layout.line_start(offset)
        return offset + 1 if self.text[line:offset].lstrip(" \t\f")[:1] == "#" else -1

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
        found = digest_text(self.facts.text[first:last].rstrip())
        if found is None:
            return False
        self._keep(first, last, found)
        return True

    def _recover_part(self, start: int, end: int, offset: int) -> None:
        """Read only the largest part in brackets around the word that can be read."""
        parts = self._failed[start] = self._failed[start] or Parts(self.facts.text, self.layout, start, end)
        found = parts.around(offset)
        if found is not None and found[0] not in self.facts.statements:
            self._keep(*found)

    def _keep(self, start: int, end: int, found: Digest) -> None:
        statement = Statement(start, end, found)
        self.facts.statements[start] = statement
        self._pending.append(statement)

    def follow_names(self) -> None:
        """Read the statements that use or rebind the names that imports and aliases gave, until no new one comes up."""
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
            spoken = self.words.bound(meaning) or any(anchor in meaning for anchor in self.words.anchors)
            every = spoken and not self.words.anchored(name)
            if name not in known or (every and not known[name]):
                known[name] = every or known.get(name, False)
                fresh.add(name)
        return fresh

    def _uses(self, name: str, every: bool) -> Iterator[int]:
        """Offsets where a name stands by itself; `every`: also where attributes follow."""
        text, size = self.text, len(name)
        if name == "torch" and not every:  # nearly always an attribute follows: let the pattern pass over those
            for match in _TORCH.finditer(text):
                yield match.start()
            return
        at = text.find(name)
        while at >= 0:
            after = text[at + size : at + size + 1]
            if (after != "." or every) and not (after.isalnum() or after == "_"):
                before = text[at - 1] if at else "\n"
                if before not in "._" and not before.isalnum():
                    yield at
            at = text.find(name, at + size)

    def finish(self) -> Facts:
        facts = self.facts
        for statement in facts.statements.values():
            facts.references += references(statement, facts.names, self.words)
        return facts


def anchor_offsets(text: str, words: Words) -> tuple[list[int], frozenset[str]]:
    """Where anchors stand in words that rules speak of, and which anchors the text holds at all."""
    offsets: list[int] = []
    present = set()
    find, speaks = text.find, words.speaks
    for anchor in words.anchors:
        at = find(anchor)
        if at >= 0:
            present.add(anchor)
        whole, size = not anchor.isidentifier(), len(anchor)
        while at >= 0:
            if whole or speaks(_word_around(text, at)):
                offsets.append(at)
            at = find(anchor, at + size)
    offsets.sort()
    return offsets, frozenset(present)


def _word_around(text: str, offset: int) -> str:
    """The letters, digits and underscores around an offset where one of them stands."""
    start = offset
    while start and (text[start - 1] == "_" or text[start - 1].isalnum()):
        start -= 1
    match = _WORD.match(text, start)
    return match[0] if match else ""


@lru_cache(maxsize=16)
def _any_of(roots: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(roots))))


def _import_offsets(text: str, roots: re.Pattern[str]) -> Iterator[int]:
    carriages = "\r" in text  # a line may end there: look at every place
    at = text.find("import")
    while at >= 0:
        line = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        if roots.search(text, line, end) or text[line:end].rstrip().endswith(("\\", "(")):
            yield at
        at = text.find("import", at + 6 if carriages else end)
