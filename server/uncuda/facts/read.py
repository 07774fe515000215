"""Reads the facts of a text, i.e. the statements, imports, names and strings that checks look at. Only statements that
contain a relevant word (called statement islands in the docs) are parsed."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice

from .. import lazy_re
from ..limits import Work
from .bindings import Binding
from .changes import Region, Searches, between, of_edits
from .digest import Digest
from .layout import Layout
from .model import READ as _READ
from .model import Facts, Name, Statement, Words, digest_text, references
from .names import LATE, Names, imported_name, is_late_torch
from .narrow import narrow, renewed
from .recovery import Parts
from .relayout import relayout
from .scans import imports, line_starts, matches, plain, uses
from .scopes import IndentScopes

# Strings with more characters than this are ignored: they are text for people or code in another language, which rules
# do not cover.
_LONG = 1000
_COMMENT = lazy_re.compile(r"[ \t\f]*#")
_STAR = "import *"
# an import of torch from a module of the project that imports it late or with care: `from .lazy import torch`
_LENT = lazy_re.compile(
    r"^from[ \t]+(?!torch\b)\.*(?:\w+\.)*"
    r"\w*(?:lazy|import|compat|optional|depend|deps|extern|third|vendor|common|util)\w*"
    r"[ \t]+import[ \t]+(?:[\w ,]*,[ \t]*)?torch[ \t]*(?=[,#\r\n]|\Z)",
    re.M,
)
# a module `torch` of another package has none of these
_LENDS = ("torch.cuda.", "torch.device(", "torch.dtype", "torch.bfloat16", "torch.float16", "torch.no_grad(")
_NONE = lazy_re.compile(r"torch[ \t]+is[ \t]+(?:not[ \t]+)?None\b")  # where torch may be missing, so may be its plugin
_STORES = {  # for each name under which classes store torch: what the statement begins with
    name: lazy_re.compile(rf"^[ \t]*self\.{name}[ \t]*(?::[^=\n]*)?=(?!=)[ \t]*([^#\n]*)", re.M)
    for name in ("torch", "_torch")
}
_FAR = 2000  # maximum length of a line that is parsed alone because a bracket above it is not closed
_OUTER = 8  # maximum number of blocks around an edit that `_is_apart` checks
_TRIES = 10  # how often a statement with a syntax error is parsed at most, each time repaired in another way

__all__ = ["Facts", "Name", "Statement", "Words", "read"]


def read(
    text: str,
    words: Words,
    before: Facts | None = None,
    edits: Collection[tuple[int, int, str]] = (),
    work: Work | None = None,
) -> Facts:
    """Read the facts of a text. A statement is parsed only if it contains a word that a rule looks for.

    `before`: the facts of the previous text, read for the same `words`; `edits`: the edits (start, end, text) that
    turned the previous text into this one, if they are known. Facts of unchanged lines are reused; the result is the
    same as without `before` and `edits`. `work`: counts the work, and raises LimitExceeded; None for no limit.
    """
    if before is None:
        plain = narrow(text)
        searches, layout, taken = Searches(plain, work=work), Layout(plain, work=work), None
    else:
        regions = of_edits(before.text, edits) if edits else between(before.text, text)
        plain = renewed(before.layout.text, text, regions)
        searches = Searches(plain, before.searches, regions, work)
        layout, taken = relayout(before.layout, plain, regions, work)
    scopes, region, same, alike = IndentScopes(layout, searches), None, False, False
    if before is not None and taken is not None:
        same = scopes.take_over(before.indents, taken)
        if len(taken) == len(searches.regions) == 1 and (same or _is_apart(before, scopes, taken[0])):
            region = _in_prose(before.layout, layout, searches.regions[0]) or taken[0]
            alike = same and scopes.follow(before.indents, taken[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        facts = None
        if before is not None and region is not None:
            facts = _Reader(text, words, searches, layout, scopes, before).read_line(before, region)
        if facts is None:
            facts = _Reader(text, words, searches, layout, scopes, before).read_all()
    if before is not None:
        facts.origin, facts.region, facts.same_blocks, facts.alike = before.token, region, same, alike
    return facts


def _is_apart(before: Facts, scopes: IndentScopes, span: Region) -> bool:
    """Return whether the changed lines are in a block that begins and ends at the same lines as before the edit, and in
    which no statement was parsed before the edit. If a block begins and ends at the same lines as before the edit, the
    blocks outside of this block are unchanged."""
    blocks = scopes.blocks_around(before.indents, span)
    return any(not before.holds_part_of(start, end) for start, end in islice(blocks, _OUTER))


def _in_prose(before: Layout, layout: Layout, region: Region) -> Region | None:
    """The changed physical lines if they are inside a docstring; None if they are not."""
    inside = before.is_prose(region.old, region.old_end) and layout.is_prose(region.new, region.new_end)
    return region if inside else None


class _Reader:
    def __init__(
        self,
        text: str,
        words: Words,
        searches: Searches,
        layout: Layout,
        scopes: IndentScopes,
        before: Facts | None = None,
    ) -> None:
        self.text, self.words, self.layout = layout.text, words, layout  # `text`: "?" for characters beyond Latin-1
        names = Names(scopes, layout.work, _stored(layout, searches))
        self.facts = Facts(text, layout, scopes, scopes, names, searches)
        self._work = layout.work
        self._digests = before.digests if before is not None else {}
        self._failed: dict[int, Parts | None] = {}
        self._pending: list[Statement] = []
        self._stars: dict[str, dict[str, str]] = {}

    def read_all(self) -> Facts:
        """Parse every statement that contains a word that a rule looks for, or a local alias of such a word."""
        self.read_at(self.anchored())
        searches, roots = self.facts.searches, self.words.roots
        # in a file without anchors (words without which rules find nothing), only rules about top-level modules other
        # than torch can report anything
        if not self._found_any():
            own = roots - {"torch"}
            self.read_at(searches.find(("imports", own), imports(own)))
        if self._found_any():
            self.read_at(searches.find(("imports", roots), imports(roots)))
            self.read_at(filter(self._is_late, searches.find(("late", LATE), line_starts(LATE, "torch"))))
        self.follow_names()
        return self.finish()

    def read_line(self, before: Facts, region: Region) -> Facts | None:
        """Read the changed lines and reuse all others; None if these lines may affect other lines."""
        facts = self.facts
        line = region.old, region.old_end
        if before.names.stars or self._says_star(before, region) or before.names.stored != facts.names.stored:
            return None
        if any(not line[0] <= start < line[1] for start in before.broken):
            return None
        for old, new in facts.searches.imports():
            if len(old) != len(new) or _inside(new, region.new, region.new_end):
                return None
        if any(line[0] <= start < line[1] and s.digest.bindings for start, s in before.statements.items()):
            return None
        moved = before.moved(facts, region)
        facts.imported = before.imported  # the line binds no name, neither before nor after the edit
        anchored = self.anchored()
        # if no unchanged statement contains an anchor (a word that rules look for), imports of torch may be unparsed
        if not facts.holds_any(anchored):
            return None
        # The statements at the offsets found are parsed in the same order as in `read_all`: if several of the offsets
        # are in one statement with an error, only the first offset decides whether `facts.unread` gets the statement.
        for found in (anchored, *(facts.searches.find(key, uses(*key)) for key in facts.followed.items())):
            self.read_at(_inside(found, region.new, region.new_end))
        if any(statement.digest.bindings for statement in self._pending):
            return None
        facts.references = [*moved, *chain.from_iterable(map(self._references, self._pending))]
        facts.taken_over = True
        facts.broken = tuple(self._failed)
        return facts

    def _says_star(self, before: Facts, region: Region) -> bool:
        """Return whether the change of a line may add, remove or change a star import, or change whether `torch` comes
        from a star import."""
        lines = before.layout.text[region.old : region.old_end], self.text[region.new : region.new_end]
        if before.star >= 0 or any(_STAR in line or _LENT.search(line) or LATE.search(line) for line in lines):
            return True
        searches = self.facts.searches
        brought = searches.has(("text", _STAR), plain(_STAR)) or searches.has(("lent", _LENT), matches(_LENT, "import"))
        return brought and any("torch" in line for line in lines)

    def anchored(self) -> list[int]:
        """Return the offsets of all anchors, and record which anchors the text contains; an anchor is a word without
        which a rule finds nothing."""
        found = self.facts.searches.each("anchor", self.words.scans)
        self.facts.present = frozenset(found)
        return sorted(chain.from_iterable(found.values()))

    def _found_any(self) -> bool:
        """Whether any statement was parsed, successfully or not."""
        return bool(self.facts.statements or self._failed)

    def read_at(self, offsets: Iterable[int]) -> None:
        """Parse the statements at these sorted offsets."""
        done = -1
        for offset in offsets:
            self._work.compare()
            if offset >= done:
                done = self._statement(offset)

    def _is_late(self, offset: int) -> bool:
        """Return whether the statement at an offset binds `torch` to what a function gives that imports it late."""
        statement = self.facts.peek(offset)
        return statement is not None and is_late_torch(statement.digest.piece.nodes)

    def _statement(self, offset: int) -> int:
        """Parse the statement at an offset; a comment or a long string is skipped. Return the end of the statement,
        comment or string; -1 if the statement cannot be parsed."""
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
        found = self._digest(start, end)
        if found is not None:
            self._keep(start, end, found)
            return end
        self._work.compare(1 + _TRIES * len(text[start:end]) // _READ)
        self._failed[start] = None
        if not self._recover(start, end, offset):
            self.facts.unread.append((start, end))
            self._recover_part(start, end, offset)
        return -1

    def _digest(self, start: int, end: int) -> Digest | None:
        """Return the names, strings and bindings in a part of the text; None if this part cannot be parsed."""
        text = self.facts.text[start:end].rstrip()
        self._work.compare(1 + len(text) // _READ)
        found = self._digests[text] if text in self._digests else digest_text(text, self._work.limits.depth)
        self.facts.digests[text] = found
        return found

    def _hopeless(self, offset: int) -> int:
        """Return the end of the long string or comment line that contains an offset; -1 if neither contains it."""
        holder = self.layout.string_around(offset)
        if holder is not None:
            prefix = self.text[max(0, holder[0] - 2) : holder[0]].lower()
            return holder[1] if holder[1] - holder[0] > _LONG and "f" not in prefix and "t" not in prefix else -1
        line = self.layout.line_start(offset)
        return self.layout.line_break(offset) if _COMMENT.match(self.text, line) else -1

    def _prose(self, start: int, end: int, offset: int) -> bool:
        """Whether the statement is nothing but a triple-quoted string."""
        holder = self.layout.string_around(offset)
        return holder is not None and holder[0] - start <= 2 and not self.text[holder[1] : end].strip()

    def _recover(self, start: int, end: int, offset: int) -> bool:
        """If an unclosed bracket above joins several lines into one statement, parse only the physical line at
        `offset`; return whether this line was parsed."""
        if start not in self.layout.unclosed and self.layout.line_start(start) not in self.layout.unclosed:
            return False
        first = self.layout.line_start(offset)
        while first < end and self.text[first] in " \t\f":
            first += 1
        if first == start or first in self.facts.statements or self.layout.string_around(offset):
            return False
        last = self.layout.line_end(first, _FAR)
        if last > first + _FAR:
            return False
        found = self._digest(first, last)
        if found is None:
            return False
        self._keep(first, last, found)
        return True

    def _recover_part(self, start: int, end: int, offset: int) -> None:
        """Of an invalid statement, parse only the largest valid part in brackets that contains the word at `offset`."""
        parts = self._failed[start] = self._failed[start] or Parts(self.facts.text, self.layout, start, end)
        found = parts.around(offset)
        if found is not None and found[0] not in self.facts.statements:
            self._keep(*found)

    def _keep(self, start: int, end: int, found: Digest) -> None:
        self._work.statement()
        statement = Statement(start, end, found)
        self.facts.statements[start] = statement
        self._pending.append(statement)

    def follow_names(self) -> None:
        """Parse the statements that use, or bind again, the names bound by imports and aliases; repeat for new names
        until there are none."""
        self._follow_bound()
        if self._take_from_elsewhere():
            self._follow_bound()
        self.facts.names.settle()

    def _take_from_elsewhere(self) -> bool:
        """Treat the name `torch` as the module, if the text uses the name and only a star import, such as `from .common
        import *`, or an import from another module, `from .lazy import torch`, can bind it."""
        searches, names = self.facts.searches, self.facts.names
        top = [bound for bound in names.bindings("torch") if bound.scope < 0]
        star = None if not self._found_any() or any(bound.dotted for bound in top) else self._lender()
        if star is None or any(bound.statement != star[1].start for bound in top):
            return False
        used = searches.find(("torch", True), uses("torch", True))
        self._work.compare(len(used))
        if all(self.layout.token_at(at) or names.resolve("torch", at) for at in used):
            return False
        binding, statement = star
        self.read_at([statement.start])
        self.facts.star = statement.start
        self.facts.followed.setdefault("torch", False)
        names.add("torch", "torch", replace(binding, name="torch", kind="from", dotted="torch"), statement.start)
        self.read_at(searches.find(("torch", False), uses("torch", False)))
        return True

    def _lender(self) -> tuple[Binding, Statement] | None:
        """Return the last import that may bind `torch` to the module although it is not from torch."""
        searches = self.facts.searches
        places = [(at, "*") for at in searches.find(("text", _STAR), plain(_STAR))]
        lends = (at for word in _LENDS for at in searches.find(("text", word), plain(word)))
        if any(not self.layout.token_at(at) for at in lends) and not searches.has(("none", _NONE), matches(_NONE)):
            places += ((at, "torch") for at in searches.find(("lent", _LENT), matches(_LENT, "import")))
        for at, name in sorted(places, reverse=True):
            statement = self.facts.peek(at)
            for binding in statement.digest.bindings if statement is not None else ():
                if binding.name == name and statement is not None:
                    return binding, statement
        return None

    def _follow_bound(self) -> None:
        known = self.facts.followed
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
            self._work.compare(2 * len(waiting))
            for binding, statement in waiting:
                if binding.value is not None and (dotted := self._meaning(binding, statement)):
                    fresh |= self._follow(binding, dotted, known)
            for name in sorted(fresh):
                key = (name, known.pop(name))
                known[name] = key[1]  # the order of `known` is that in which names are read
                self.read_at(self.facts.searches.find(key, uses(*key)))
            if not self._pending:
                waiting = self._bind(waiting, known)

    def _bind(
        self, waiting: list[tuple[Binding, Statement]], known: dict[str, bool]
    ) -> list[tuple[Binding, Statement]]:
        """Record the bindings of the names in `known`, and star imports; return all other bindings."""
        rest = []
        for binding, statement in waiting:
            if binding.name in known or binding.kind == "star":
                meaning = self._meaning(binding, statement)
                self.facts.names.add(binding.name, meaning, binding, statement.start)
            else:
                rest.append((binding, statement))
        return rest

    def _meaning(self, binding: Binding, statement: Statement) -> str | None:
        """Return the dotted name of the object that an import or assignment binds, if rules cover this name; otherwise
        None."""
        if binding.kind in ("import", "from", "star"):
            return binding.dotted if self.words.told_apart(binding.dotted) else None
        if binding.value is None:
            return None
        if binding.name == "torch" and is_late_torch(statement.digest.piece.nodes):
            return "torch"
        dotted = imported_name(binding.value) or self.facts.names.resolve_node(
            binding.value, statement.start, statement.digest
        )
        return dotted if dotted and self.words.relevant(dotted) else None

    def _follow(self, binding: Binding, dotted: str, known: dict[str, bool]) -> set[str]:
        if not self.words.relevant(dotted):
            return set()
        if binding.kind == "star":
            names = self._stars.get(dotted)
            if names is None:
                children = self.words.children(dotted)
                self._work.search(0, len(children) * len(self.text))
                names = {child: f"{dotted}.{child}" for child in children if child in self.text}
                self._stars[dotted] = names
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

    def finish(self) -> Facts:
        facts = self.facts
        for statement in facts.statements.values():
            self._work.compare(len(statement.digest.chains))
            facts.references += self._references(statement)
        facts.broken = tuple(self._failed)
        return facts

    def _references(self, statement: Statement) -> Iterable[Name]:
        return references(statement, self.facts.names, self.words)


def _stored(layout: Layout, searches: Searches) -> frozenset[str]:
    """Return the names under which classes of a text store the module, `self.torch = torch`, and nothing else but
    None."""
    found = set[str]()
    for name, pattern in _STORES.items():
        places = searches.find(("stored", name), line_starts(pattern, f"self.{name}"))
        stores = (pattern.match(layout.text, at) for at in places if not layout.string_around(at))
        values = {match[1].strip() for match in stores if match is not None}
        found |= {name} if "torch" in values and values <= {"torch", "None"} else set()
    return frozenset(found)


def _inside(offsets: Sequence[int], start: int, end: int) -> Sequence[int]:
    return offsets[bisect_left(offsets, start) : bisect_left(offsets, end)]
