"""The facts of a text: its statements that were read, names and references."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ..limits import Limits, Work
from .bindings import Binding
from .changes import FOLLOWED, Region, Scan, Searches
from .digest import Chain, Digest, digest
from .layout import Layout
from .names import Names
from .new_syntax import read_new_syntax
from .piece import Piece, read_line
from .scans import anchors as scan_for
from .scans import plain
from .scopes import IndentScopes, ScopeMap

MENTIONED = "mentioned"
"""The first part of the key of a search of which only counts whether the text has the word."""
_FEW = 64
READ = 8  # number of characters that `ast` parses in about the time of one comparison that `Work.compare` counts


@dataclass(frozen=True)
class Words:
    """The words because of which a statement is read; all of them come from the rules.

    Names in these sets may end with `*`. `spoken`: words covered by rules, among words that contain an anchor;
    `families`: the beginnings of such words; if both are empty, every word that contains an anchor counts. `libraries`:
    modules of which only imports are read.
    """

    anchors: tuple[str, ...]
    roots: frozenset[str]
    names: frozenset[str]
    prefixes: frozenset[str]
    listed: frozenset[str] = frozenset()
    spoken: frozenset[str] = frozenset()
    families: tuple[str, ...] = ()
    libraries: frozenset[str] = frozenset()
    _bound: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)
    _children: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    def bound(self, dotted: str) -> bool:
        """Whether a dotted name, or one of its parents, is covered by rules."""
        known = self._bound.get(dotted)
        if known is None:
            parent = dotted.rpartition(".")[0]
            named = dotted in self.names or dotted.startswith(self.beginnings)
            known = self._bound[dotted] = named or (parent != "" and self.bound(parent))
        return known

    @cached_property
    def scans(self) -> tuple[tuple[str, Scan], ...]:
        """Pairs of an anchor and a function that finds the occurrences of the anchor whose statements must be read."""
        return tuple((anchor, scan_for(anchor, self.speaks)) for anchor in self.anchors)

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """The beginnings of dotted names that rules cover."""
        return tuple(name[:-1] for name in self.names if name.endswith("*"))

    def speaks(self, word: str) -> bool:
        """Return whether rules may cover a word that contains an anchor: they may cover `is_cuda`, but not
        `cuda_graph_mode`."""
        return not self.spoken or word in self.spoken or word.startswith(self.families)

    def anchored(self, name: str) -> bool:
        """Whether statements that contain this name are read because of an anchor in it."""
        return self.speaks(name) and any(anchor in name for anchor in self.anchors)

    def relevant(self, dotted: str) -> bool:
        """Return whether a dotted name is covered by rules, or is a parent or a member of such a name."""
        return dotted in self.prefixes or self.bound(dotted)

    def told_apart(self, dotted: str) -> bool:
        """Return whether the dotted name of an imported object is kept, because rules cover it or it belongs to a
        library."""
        if self.relevant(dotted):
            return True
        while dotted and dotted not in self.libraries:
            dotted = dotted.rpartition(".")[0]
        return bool(dotted)

    def children(self, module: str) -> frozenset[str]:
        """The names covered by rules that `from module import *` may bind."""
        known = self._children.get(module)
        if known is None:
            dot, every = module + ".", self.names | self.prefixes | self.listed
            below = (name[len(dot) :] for name in every if name.startswith(dot))
            known = self._children[module] = frozenset(name for name in below if "." not in name)
        return known


@dataclass(slots=True, eq=False)
class Statement:
    """A logical line that was read: the offset of its first character, its end, and its contents."""

    start: int
    end: int
    digest: Digest


@dataclass(slots=True, eq=False)
class Name:
    """A reference that resolves to `dotted`. `hidden`: the number of leading segments of the name that an import alias
    replaces."""

    dotted: str
    chain: Chain
    statement: Statement
    hidden: int

    def spans(self) -> list[tuple[int, int] | None]:
        """Return the spans of the segments of `dotted`; None for segments that an import alias replaces."""
        base = self.statement.start
        spelled = [(a + base, b + base) for a, b in self.chain.segments()]
        if self.hidden:
            spelled = spelled[1:]
        missing = self.dotted.count(".") + 1 - len(spelled)
        return [*([None] * missing), *spelled]


@dataclass(frozen=True, eq=False)
class Imported:
    """The names in the imports of a text."""

    dotted: Mapping[str, str]
    """The local names that imports bind, with the dotted names of the imported objects."""
    roots: frozenset[str]
    """The first segments of the names of the imported modules."""
    bound: frozenset[str]
    """The local names that the imports bind."""
    spelled: frozenset[str]
    """The modules and names, spelled as in the import statements."""


@dataclass(slots=True, eq=False)
class Facts:
    """The facts of a text: the statements that were read, and what they contain."""

    text: str
    layout: Layout
    scopes: ScopeMap
    indents: IndentScopes
    names: Names
    searches: Searches
    statements: dict[int, Statement] = field(default_factory=dict)
    unread: list[tuple[int, int]] = field(default_factory=list)
    references: list[Name] = field(default_factory=list)
    present: frozenset[str] = frozenset()  # the anchors that occur in words covered by rules
    digests: dict[str, Digest | None] = field(default_factory=dict)  # by the text of the logical line
    # for each name: True if its uses with attributes were read, too
    followed: dict[str, bool] = field(default_factory=dict)
    star: int = -1  # the offset of the star import that must be the one that binds `torch`; -1: there is none
    broken: Collection[int] = ()  # the starts of statements that could not be parsed, or only in part
    # If a single region of changed lines turned another text into this one: the token of the other text's facts, and
    # the region. `same_blocks`: whether all other lines are in the same blocks as before; `alike`: whether they also
    # follow upon each other as before. Otherwise, this may have changed for lines of the same function.
    origin: object = None
    region: Region | None = None
    same_blocks: bool = False
    alike: bool = False
    token: object = field(default_factory=object)
    imported: Imported | None = None  # computed when it is first used; see `import_names`
    _imports: list[tuple[Binding, Statement]] | None = None

    @property
    def work(self) -> Work:
        """The work counter of the current analysis."""
        return self.layout.work

    @work.setter
    def work(self, work: Work) -> None:
        self.layout.work = self.names.work = self.searches.work = work

    def says(self, word: str) -> bool:
        """Return whether the text contains a word, or any other string without a line break."""
        return self.searches.has(("text", word), plain(word))

    def places(self, word: str, start: int = 0, end: int = sys.maxsize) -> Sequence[int]:
        """Return the offsets of a word in a part of the text. Results that depend on them must also depend on another
        search or on `Context.asked`, because an edit of such a word alone is not noticed."""
        found = self.searches.find((FOLLOWED, word), plain(word))
        return found[bisect_left(found, start) : bisect_left(found, end)]

    def mentions(self, word: str) -> bool:
        """The same as `says`, for an answer to which it makes no difference where the word is."""
        return self.searches.has((MENTIONED, word), plain(word))

    def moved(self, facts: Facts, region: Region) -> list[Name]:
        """Copy the statements outside `region`, and all names, to the facts of the changed text.

        Returns the references in these statements, in the order in which they were read.
        """

        for start, statement in self.statements.items():
            if start >= region.old_end and region.shift:
                end = statement.end + region.shift
                facts.statements[start + region.shift] = Statement(start + region.shift, end, statement.digest)
            elif not region.old <= start < region.old_end:
                facts.statements[start] = statement
        facts.names = self.names.moved(facts.scopes, region.place, facts.work)
        facts.followed = dict(self.followed)
        facts.digests = (
            self.digests
            if len(self.digests) < 2 * len(facts.statements) + _FEW
            else {statement.digest.piece.text: statement.digest for statement in facts.statements.values()}
        )
        references = []
        for name in self.references:
            start = name.statement.start
            if not region.old <= start < region.old_end:
                references.append(Name(name.dotted, name.chain, facts.statements[region.place(start)], name.hidden))
        return references

    def holds_part_of(self, start: int, end: int) -> bool:
        """Return whether a statement between two offsets was read, or could not be parsed."""
        return any(start <= at < end for at in self.statements) or any(start <= at < end for at in self.broken)

    def holds_any(self, offsets: Iterable[int]) -> bool:
        """Return whether a statement that was read contains one of these offsets."""
        starts = sorted(self.statements)
        for offset in offsets:
            at = bisect_right(starts, offset) - 1
            if at >= 0 and offset < self.statements[starts[at]].end:
                return True
        return False

    def peek(self, offset: int) -> Statement | None:
        """The statement at `offset`, parsed on demand without adding it to the facts."""
        start, end = self.layout.logical_line(offset)
        while start < end and self.text[start] in " \t\f":
            start += 1
        if start in self.statements:
            return self.statements[start]
        if self.layout.string_around(start) or self.text[start : start + 1] in "#\"'":
            return None
        self.work.compare((end - start) // READ)
        found = digest_text(self.text[start:end].rstrip(), self.work.limits.depth)
        return Statement(start, end, found) if found else None

    def imports(self) -> list[tuple[Binding, Statement]]:
        """Return every import that was read; the list is complete after the text has been read."""
        if self._imports is None:
            self._imports = [
                (binding, statement)
                for statement in self.statements.values()
                for binding in statement.digest.bindings
                if binding.kind in ("import", "from", "star")
            ]
        return self._imports

    def import_names(self) -> Imported:
        """The names in the imports that were read."""
        if self.imported is None:
            every = [binding for binding, _ in self.imports()]
            self.imported = Imported(
                {one.name: one.dotted for one in every if one.kind != "star" and one.dotted},
                frozenset(one.dotted.partition(".")[0] for one in every),
                frozenset(one.name for one in every),
                frozenset(one.alias.name for one in every if one.alias is not None),
            )
        return self.imported


@lru_cache(maxsize=512)
def digest_text(text: str, depth: int = Limits.depth) -> Digest | None:
    """Return the digest of a logical line, cached by its text; None if the line cannot be parsed or is nested deeper
    than `depth`."""
    piece: Piece | None = read_line(text) or read_new_syntax(text, depth)
    return None if piece is None else digest(piece)


def references(statement: Statement, names: Names, words: Words) -> Iterator[Name]:
    """The names of a statement that resolve to names covered by rules."""
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
    names.work.compare(len(names.stars))
    for module in dict.fromkeys(module for module, _, _ in names.stars):
        if chain.root in words.children(module):
            return ".".join([module, chain.root, *chain.parts])
    return None
