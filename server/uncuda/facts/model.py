"""The facts of a text: its parsed statements, and their names and references."""

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
"""First part of the keys of searches that find out whether the text contains a word, but not where."""
_FEW = 64
READ = 8  # `ast` parses about this many characters in the time of one comparison that `Work.compare` counts


@dataclass(frozen=True)
class Words:
    """A statement is parsed only if it contains one of these words, which the rules define.

    Names in the sets of this class may end with `*`. `anchors`: texts, such as `cuda`, that a quick search
    looks for. `spoken`: the words that rules cover and that contain one of the `anchors`. `families`: a word that
    begins with one of the texts in `families` counts as a member of `spoken`. If `spoken` is empty, rules may report
    every word that contains one of the `anchors`. `libraries`: modules for which only the statements that import them
    are parsed.
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
        """Whether rules cover a dotted name or one of its parents."""
        known = self._bound.get(dotted)
        if known is None:
            parent = dotted.rpartition(".")[0]
            named = dotted in self.names or dotted.startswith(self.beginnings)
            known = self._bound[dotted] = named or (parent != "" and self.bound(parent))
        return known

    @cached_property
    def scans(self) -> tuple[tuple[str, Scan], ...]:
        """For each anchor (a text, such as `cuda`, that a quick search looks for): the function that finds the places
        of the anchor at which the statement must be parsed."""
        return tuple((anchor, scan_for(anchor, self.speaks)) for anchor in self.anchors)

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """The texts before `*` in `names`: rules report every dotted name that begins with one of these texts."""
        return tuple(name[:-1] for name in self.names if name.endswith("*"))

    def speaks(self, word: str) -> bool:
        """Return whether rules may cover a word that contains an anchor (a text that rules look for, such as `cuda`):
        True for `is_cuda`, False for `cuda_graph_mode`."""
        return not self.spoken or word in self.spoken or word.startswith(self.families)

    def anchored(self, name: str) -> bool:
        """Whether the name contains an anchor, i.e. a word that rules look for; statements with such a name are
        parsed."""
        return self.speaks(name) and any(anchor in name for anchor in self.anchors)

    def relevant(self, dotted: str) -> bool:
        """Return whether rules cover a dotted name, a parent of it, or a name below it."""
        return dotted in self.prefixes or self.bound(dotted)

    def told_apart(self, dotted: str) -> bool:
        """Return whether `Facts.names` stores the dotted name of an imported object: True if rules cover the name, or
        if the object belongs to one of `libraries`."""
        if self.relevant(dotted):
            return True
        while dotted and dotted not in self.libraries:
            dotted = dotted.rpartition(".")[0]
        return bool(dotted)

    def children(self, module: str) -> frozenset[str]:
        """Return the names that rules cover and that `from module import *` may bind."""
        known = self._children.get(module)
        if known is None:
            dot, every = module + ".", self.names | self.prefixes | self.listed
            below = (name[len(dot) :] for name in every if name.startswith(dot))
            known = self._children[module] = frozenset(name for name in below if "." not in name)
        return known


@dataclass(slots=True, eq=False)
class Statement:
    """A parsed logical line: the offset of its first character, its end, and its contents."""

    start: int
    end: int
    digest: Digest

    def chain_at(self, offset: int) -> Chain | None:
        """Return the dotted name that begins at an offset of the text; None if none begins there."""
        at = offset - self.start
        return next((chain for chain in self.digest.chains if chain.piece.start(chain.node) == at), None)


@dataclass(slots=True, eq=False)
class Name:
    """A use of a name in the code, which refers to the object with the dotted name `dotted`. `hidden`: the number of
    leading segments of `dotted` that the code does not spell because of an import alias."""

    dotted: str
    chain: Chain
    statement: Statement
    hidden: int

    def spans(self) -> list[tuple[int, int] | None]:
        """Return the spans of the segments of `dotted`; None for a segment that an import alias replaces."""
        base = self.statement.start
        spelled = [(a + base, b + base) for a, b in self.chain.segments()]
        length = self.dotted.count(".") + 1
        spelled = spelled[1:] if self.hidden else spelled[-length:]  # of `self.torch.cuda`, `self` is no segment
        missing = length - len(spelled)
        return [*([None] * missing), *spelled]


@dataclass(frozen=True, eq=False)
class Imported:
    """The names in the import statements of a text."""

    dotted: Mapping[str, str]
    """The local names that imports bind, each with the dotted name of the imported object."""
    roots: frozenset[str]
    """The first parts of the names of imported modules."""
    bound: frozenset[str]
    """The local names that the imports bind."""
    spelled: frozenset[str]
    """The modules and names as the import statements spell them."""
    every: frozenset[str]
    """The dotted names of all imported objects, and the modules of star imports."""


@dataclass(slots=True, eq=False)
class Facts:
    """The facts of a text: its parsed statements, and what they contain."""

    text: str
    layout: Layout
    scopes: ScopeMap
    indents: IndentScopes
    names: Names
    searches: Searches
    statements: dict[int, Statement] = field(default_factory=dict)
    unread: list[tuple[int, int]] = field(default_factory=list)
    references: list[Name] = field(default_factory=list)
    # the anchors (strings, such as `cuda`, without which rules find nothing) in the text; an anchor inside a word that
    # no rule reports does not count
    present: frozenset[str] = frozenset()
    # for the text of each logical line that was read: its names, strings and bindings; None if it cannot be parsed
    digests: dict[str, Digest | None] = field(default_factory=dict)
    # for each local name whose uses are parsed: whether uses with attributes, such as `name.x`, are parsed, too
    followed: dict[str, bool] = field(default_factory=dict)
    star: int = -1  # the offset of the star import that certainly binds `torch`; -1 if there is none
    broken: Collection[int] = ()  # the starts of statements that could not be parsed completely
    # If this text differs from an earlier text in a single region of lines: the field `token` of the facts of the
    # earlier text, and the region. `same_blocks`: whether each line outside `region` is in the same blocks in both
    # texts. If `same_blocks` is False, only lines of the function that contains `region` may be in other blocks than in
    # the earlier text. `alike`: whether `same_blocks` is True and the edit added or removed no line of code
    # (exceptions: see `IndentScopes.follow`).
    # `taken_over`: whether the statements outside `region` were copied from the facts of the earlier text.
    origin: object = None
    region: Region | None = None
    same_blocks: bool = False
    alike: bool = False
    taken_over: bool = False
    token: object = field(default_factory=object)
    imported: Imported | None = None  # computed at the first call of `import_names`
    _imports: list[tuple[Binding, Statement]] | None = None

    @property
    def work(self) -> Work:
        """The object that counts the work of the current analysis."""
        return self.layout.work

    @work.setter
    def work(self, work: Work) -> None:
        self.layout.work = self.names.work = self.searches.work = work

    def says(self, word: str) -> bool:
        """Return whether the text contains the string `word`, which must not contain a line break."""
        return self.searches.has(("text", word), plain(word))

    def places(self, word: str, start: int = 0, end: int = sys.maxsize) -> Sequence[int]:
        """Return the offsets of a word in a part of the text. The engine does not notice an edit that changes these
        offsets. If the caller's result depends on the word, the caller must therefore also add the word to
        `Context.asked`, or call another method that searches for it (with a key that does not begin with FOLLOWED)."""
        found = self.searches.find((FOLLOWED, word), plain(word))
        return found[bisect_left(found, start) : bisect_left(found, end)]

    def mentions(self, word: str) -> bool:
        """Return whether the text contains a word. A check may use this only if its hits do not depend on the position
        of the word: after an edit that only moves the word, the engine keeps these hits."""
        return self.searches.has((MENTIONED, word), plain(word))

    def moved(self, facts: Facts, region: Region) -> list[Name]:
        """Copy to `facts`, the facts of the edited text, the bindings of all names, and the statements outside
        `region`.

        Return the uses of names in the statements outside `region`, in the order in which the statements were parsed.
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
        """Return whether a statement that begins between two offsets was parsed, successfully or with a syntax
        error."""
        return any(start <= at < end for at in self.statements) or any(start <= at < end for at in self.broken)

    def holds_any(self, offsets: Iterable[int]) -> bool:
        """Return whether one of these offsets is in a parsed statement."""
        starts = sorted(self.statements)
        for offset in offsets:
            at = bisect_right(starts, offset) - 1
            if at >= 0 and offset < self.statements[starts[at]].end:
                return True
        return False

    def peek(self, offset: int) -> Statement | None:
        """Return the statement at `offset`, parsed if necessary, but not added to the facts."""
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

    def statements_at(self, offsets: Iterable[int]) -> Iterator[tuple[int, Statement]]:
        """Yield the statements at sorted offsets, each once, with the first offset in it; see `peek`."""
        done = -1
        for at in offsets:
            if at >= done and (statement := self.peek(at)) is not None:
                done = statement.end
                yield at, statement

    def imports(self) -> list[tuple[Binding, Statement]]:
        """Return all parsed imports; none is missing after the whole text has been read."""
        if self._imports is None:
            self._imports = [
                (binding, statement)
                for statement in self.statements.values()
                for binding in statement.digest.bindings
                if binding.kind in ("import", "from", "star")
            ]
        return self._imports

    def import_names(self) -> Imported:
        """Return the names in the parsed imports."""
        if self.imported is None:
            every = [binding for binding, _ in self.imports()]
            self.imported = Imported(
                {one.name: one.dotted for one in every if one.kind != "star" and one.dotted},
                frozenset(one.dotted.partition(".")[0] for one in every),
                frozenset(one.name for one in every),
                frozenset(one.alias.name for one in every if one.alias is not None),
                frozenset(one.dotted for one in every),
            )
        return self.imported


@lru_cache(maxsize=512)
def digest_text(text: str, depth: int = Limits.depth) -> Digest | None:
    """Return the names, strings and bindings in a logical line, cached by its text; None if the line cannot be parsed,
    or is nested deeper than `depth`."""
    piece: Piece | None = read_line(text) or read_new_syntax(text, depth)
    return None if piece is None else digest(piece)


def references(statement: Statement, names: Names, words: Words) -> Iterator[Name]:
    """Yield the references in a statement to names that rules cover."""
    found = statement.digest
    for chain in found.chains:
        if not (names.bindings(chain.root) or names.stars or (names.stored and chain.root == "self")):
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
