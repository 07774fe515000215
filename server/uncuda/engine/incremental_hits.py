"""Reuses hits after an edit: if the edited line is only a plain call, name or comment, only this line is checked again.

A line can affect the hits in other lines by names that it binds, by block headers and strings, and by uses of names
that a check traces. A line that is only a comment, or a dotted name, called or not, affects no other line, unless it
contains a name that a check traces.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Hashable, Sequence
from functools import lru_cache
from keyword import iskeyword
from typing import NamedTuple

from ..checks import Context, Hit
from ..checks.given_device import WHOLE_WORD, said_of
from ..checks.hit import moved
from ..checks.leaving import leaves
from ..checks.target_variants import BEGINNING
from ..facts.changes import Region
from ..facts.digest import Digest
from ..facts.model import MENTIONED
from ..facts.read import Facts
from ..project import Project
from ..source import Span

_PLAIN = re.compile(r"[ \t]*(?:(?P<first>[A-Za-z_]\w*)(?:\.\w*)*(?:\([\w., \t]*\)?)?[ \t]*)?\r?\n?")
_COMMENT = re.compile(r"[ \t]*#(?!!)[^\r\n]*\r?\n?")
# Words for skipped tests and TorchScript; a line with one of them affects the hits in other lines.
_SPOKEN = re.compile(r"script|skip", re.I)
_WORD = re.compile(r"\w+")
_FUNCTION = re.compile(r"\bdef[ \t]+(\w+)")
_DEFINES = re.compile(
    r"[ \t]*(?:async[ \t]+def|def|class|import|from|global|nonlocal|del|try|except|else|elif|finally|match|case|return"
    r"|yield|raise)\b|[ \t]*@|.*->"
)
# an unindented assignment or annotation of a name; a check may search for this line by the name
_NAMED = re.compile(r"(\w+)[ \t]*(?:[:=]|.*\bLiteral\b)")
_HEADER = re.compile(r"^[ \t\f]*(?:async|if|elif|else|for|while|with|try|except|finally|match|case)\b", re.M)
_OF_LINES = frozenset({"anchor", "imports", "uses", BEGINNING})
# for these kinds of searches, a match is read together with the headers of the blocks around it
_OF_BLOCKS = frozenset({"kernel", "left"})
_DEFINITIONS = ("def ", "class ")
_TO_ITEM = re.compile(r"[\])}][ \t]*=(?!=)")
_RESULT = re.compile(r"[ \t]*(?:return|raise)\b")
_IN_VALUE = re.compile(r"[(\[{\"'#]")
_COMPARING = ("!", "<", ">")
# the kinds of searches that `_same_elsewhere` ignores: those for anchors (words whose statements are parsed), and those
# for the definitions and assignments that have the target's name in place of CUDA's
_NOT_PLAIN = frozenset({"anchor", BEGINNING})
_APART = frozenset({"try", "except", "else", "finally", "match", "case"})


Row = Sequence[tuple[Hit, "bool | None"]]
"""The hits of one check; each has a flag that tells whether a sibling branch handles the target, None if that is
unknown."""


class Found(NamedTuple):
    """The results of all checks of one text. `hits`: the hits of each check; each hit has a flag that tells whether a
    sibling branch handles the target. `asked` and `absent`: the values of the Context's fields of the same name.
    `keys`: the keys of all searches that the checks used; `placed`: the keys of searches whose offsets the checks used.
    `certain`: False if a result depends on text that earlier fixes may have written. `linked`: the hits after the
    engine has linked fixes that must be applied together; None if the engine was given types of receivers (objects on
    which methods are called)."""

    facts: Facts
    project: Project
    hits: Sequence[Row]
    asked: set[str]
    absent: Collection[str]
    keys: frozenset[Hashable]
    placed: frozenset[Hashable]
    certain: bool
    linked: Sequence[Hit] | None = None


class Kept(NamedTuple):
    """Hits of an earlier check that are still valid after an edit, at their new offsets. `line`: the only line that
    must be checked again.

    `linked`: the hits, with links between fixes that must be applied together; None if a hit is on `line` or a fix
    touches `line`.
    """

    hits: Sequence[Row]
    line: Span
    linked: Sequence[Hit] | None = None


class Carried:
    """The results for the last two checked versions of each text, by the engine's key for the text; two are kept
    because an edit is often undone."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Found] = {}
        self._earlier: dict[Hashable, Found] = {}

    def earlier(self, key: Hashable, text: str) -> Facts | None:
        """Return the `Facts` of the version before the last checked one, if the text of that version is `text`;
        otherwise None."""
        found = self._earlier.get(key)
        if found is None or found.facts.text != text:
            return None
        found.facts.text = text  # the next edit is recognised by the identity of this string object
        return found.facts

    def take(self, key: Hashable, facts: Facts, project: Project) -> tuple[Found, Kept] | tuple[None, None]:
        """Return the results for the text before the edit, and the hits that are still valid; (None, None) if the whole
        text must be checked again."""
        found, earlier = self._found.get(key), self._earlier.get(key)
        if earlier is not None and earlier.facts is facts:
            found = earlier
        kept = carry(found, facts, project) if found is not None else None
        return (found, kept) if found is not None and kept is not None else (None, None)

    def keep(
        self,
        key: Hashable,
        facts: Facts,
        context: Context,
        old: Found | None,
        hits: Sequence[Row],
        linked: Sequence[Hit] | None,
        certain: bool,
    ) -> None:
        """Store the results of a check. `old`: the results whose hits were reused; the other arguments are as in
        `Found`."""
        asked, placed, keys = context.asked, facts.searches.placed, old.keys if old is not None else frozenset()
        if more := facts.searches.keys(keys):
            keys |= more
        if old is not None:
            asked = asked | old.asked if asked - old.asked else old.asked
            placed = placed | old.placed if placed - old.placed else old.placed
            certain = certain and old.certain
        last = self._found.get(key)
        if last is not None and last.facts is not facts:
            self._earlier[key] = last
        self._found[key] = Found(facts, context.project, hits, asked, context.absent, keys, placed, certain, linked)

    def forget(self, key: Hashable) -> None:
        """Forget the results for a text."""
        self._found.pop(key, None)
        self._earlier.pop(key, None)


def carry(found: Found, facts: Facts, project: Project) -> Kept | None:
    """Return the hits of `found` that are still valid after one edit of its text; None if the whole text must be
    checked again."""
    if found.project is not project:
        return None
    if facts is found.facts:
        return Kept(found.hits, _NONE, found.linked)
    if not facts.searches.know(found.keys):
        return None
    if facts.origin is not found.facts.token or facts.region is None or facts.present != found.facts.present:
        return None
    region = facts.region
    plain = (
        facts.alike
        and _is_plain(found.facts, region.old, region.old_end, found.asked)
        and _is_plain(facts, region.new, region.new_end, found.asked)
    )
    if not (plain and _same_elsewhere(found, facts, region)) and not _is_apart(found, facts, region):
        return None
    kept: list[list[tuple[Hit, bool | None]]] = []
    for row in found.hits:
        kept.append([])
        for hit, served in row:
            statement = hit.statement
            if statement is None:
                return None
            if region.old <= statement.start < region.old_end:
                continue
            now = facts.statements.get(region.place(statement.start))
            if now is None or now.digest is not statement.digest or _reaches(hit, region):
                return None
            kept[-1].append((moved(hit, now, region), served if found.certain else None))
    return Kept(kept, Span(region.new, region.new_end), _linked(found, facts, region, sum(map(len, kept))))


def _linked(found: Found, facts: Facts, region: Region, kept: int) -> list[Hit] | None:
    if found.linked is None or not found.certain or kept < sum(map(len, found.hits)):
        return None
    linked = []
    for hit in found.linked:
        if hit.statement is None or _reaches(hit, region):
            return None
        linked.append(moved(hit, facts.statements[region.place(hit.statement.start)], region))
    return linked


@lru_cache(maxsize=1024)
def _words(digest: Digest) -> frozenset[str]:
    return frozenset(_WORD.findall(digest.piece.text))


def same(kept: Row, found: Row) -> bool:
    """Whether the check of the line found the same hits as before the edit."""
    return [hit for hit, _ in kept] == [hit for hit, _ in found]


_NONE = Span(0, 0)


def _is_plain(facts: Facts, start: int, end: int, asked: Collection[str]) -> bool:
    """Whether lines affect no other line: they are empty or in a docstring, or are a single line with a comment, a
    plain dotted name or a plain call."""
    text = facts.text[start:end]
    if _SPOKEN.search(text):
        return False
    prose = facts.layout.is_prose(start, end)
    if not text.strip() and not facts.layout.string_around(start):
        return not any(header.word in _APART for header in facts.indents.around(start)[:2])
    if not _COMMENT.fullmatch(text):
        match = _PLAIN.fullmatch(text)
        if not prose and (match is None or iskeyword(match["first"] or "") or leaves(text.lstrip())):
            return False
        if _says_asked(set(_WORD.findall(text)), asked):
            return False
    if not prose and (facts.layout.logical_line(start) != (start, end) or facts.layout.string_around(start)):
        return False
    above = facts.indents.header_above(start)
    if above is not None and above.word in _APART:
        return False
    if any(name.startswith("def ") for name in asked) and _is_read(facts, start, asked):
        return False
    return all(name.hidden == 0 for name in facts.references if start <= name.statement.start < end)


def _is_apart(found: Found, facts: Facts, region: Region) -> bool:
    """Whether the edited line is in a function of which no statement was parsed, and contains no name that a check
    traces; both before and after the edit. If the result is True, the edit has no effect on the hits in other lines."""
    old = found.facts.indents.outer_function(region.old, region.old_end)
    new = facts.indents.outer_function(region.new, region.new_end)
    if old is None or new is None or new != (old[0], old[1] + region.shift):
        return False
    line, fresh = Span(region.old, region.old_end), Span(region.new, region.new_end)
    # of a logical line with several physical lines, only the changed ones are checked
    edited = facts.searches.regions[0] if _is_one_line(found.facts, line) and _is_one_line(facts, fresh) else region
    if not _are_quiet(found.facts, line, Span(edited.old, edited.old_end), found):
        return False
    if not _are_quiet(facts, fresh, Span(edited.new, edited.new_end), found):
        return False
    for text, (start, end) in ((found.facts, old), (facts, new)):
        if text.holds_part_of(start, end):
            return False
    if any(name.startswith("def ") for name in found.asked):
        if _is_read(found.facts, region.old, found.asked) or _is_read(facts, region.new, found.asked):
            return False
    return _nothing_found(found, facts, region, edited, (old, new))


def _nothing_found(
    found: Found, facts: Facts, region: Region, edited: Region, functions: tuple[tuple[int, int], tuple[int, int]]
) -> bool:
    """Whether the searches that the checks made in the text find nothing in the edited code, neither in its old nor in
    its new version. Depending on the search, the edited code is the whole function or only the edited line. `edited`:
    the physical lines that changed."""
    line, fresh = (region.old, region.old_end), (region.new, region.new_end)
    (start, end), (_, new_end) = functions
    earlier, now = found.facts.searches, facts.searches
    flat = facts.same_blocks
    for text, first, lines in (
        (found.facts, region.old, (edited.old, edited.old_end)),
        (facts, region.new, (edited.new, edited.new_end)),
    ):
        flat = flat and _HEADER.match(text.text, first) is None and _HEADER.search(text.text, *lines) is None
    for key in found.keys:
        kind, more = (key[0], key[-1]) if isinstance(key, tuple) else ("", "")
        if kind == "beginnings":  # matches of this kind of search affect only the block that contains them
            continue
        if kind == MENTIONED:
            if bool(earlier.again(key)) != bool(now.again(key)):
                return False
            continue
        # For these searches, a match in another line of the function has no effect on the edited line: if it had, the
        # other line would have been parsed as a statement, but no statement of the function was parsed.
        own = kind in _OF_LINES or isinstance(more, bool) or key == ("text", "import ") or key not in found.placed
        below = kind in _OF_BLOCKS or (kind == "text" and more.startswith(_DEFINITIONS))
        first = region.old if below else start
        if own or kind == WHOLE_WORD or (below and flat):
            if earlier.touches(key, *line) or now.touches(key, *fresh):
                said = said_of(more, found.facts.text[slice(*line)]) if kind == WHOLE_WORD else None
                if kind != WHOLE_WORD or said != said_of(more, facts.text[slice(*fresh)]):
                    return False
        elif _within(earlier.again(key), first, end) or _within(now.again(key), first, new_end):
            return False
    return True


def _is_one_line(facts: Facts, lines: Span) -> bool:
    return facts.layout.logical_line(lines.start) == lines


def _are_quiet(facts: Facts, span: Span, edited: Span, found: Found) -> bool:
    """Whether the edited lines define nothing and assign no name that a parsed statement uses, and the lines in `span`
    contain no name that a check traces."""
    lines = facts.text[edited.start : edited.end].splitlines(keepends=True)
    if edited.start > span.start:
        lines.append(facts.text[span.start : facts.text.index("\n", span.start) + 1])
    for line in lines if edited.start == span.start or not _RESULT.match(lines[-1]) else lines[:-1]:
        if _DEFINES.match(line) or _SPOKEN.search(line) or leaves(line.lstrip()):
            return False
    if _says_asked(set(_WORD.findall(facts.text, *span)), found.asked):
        return False
    bound = set[str]()
    for line in lines:
        bound.update(_WORD.findall(_assigned(line)))
        if match := _NAMED.match(line):
            bound.add(match[1])
    return all(bound.isdisjoint(_words(statement.digest)) for statement in found.facts.statements.values())


def _says_asked(words: Collection[str], asked: Collection[str]) -> bool:
    """Return whether `words`, all words of some lines, contain a name in `asked`, whose uses a check has searched for;
    for a name such as `device.type`, `words` must contain both `device` and `type`."""
    for name in asked:
        if not name.startswith("def "):
            parts = _WORD.findall(name)
            if parts and parts[-1] in words and (parts[-1] != "type" or parts[-2:][0] in words):
                return True
    return False


def _assigned(line: str) -> str:
    """The part of a line up to the last `=` of an assignment to attributes or items. Return "" if only local names are
    assigned: only statements of the same function can use these names, and no statement of this function was parsed."""
    if "=" not in line:
        return ""
    if ":=" in line or _TO_ITEM.search(line):
        return line[: line.rfind("=") + 1]
    end = start = 0
    while (at := line.find("=", start)) >= 0 and not _IN_VALUE.search(line, start, at):
        if line[at + 1 : at + 2] == "=" or line[max(start, at - 1) : at] in _COMPARING:
            break
        end = start = at + 1
    return line[:end] if "." in line[:end] else ""


def _is_read(facts: Facts, start: int, asked: Collection[str]) -> bool:
    """Whether a line is in a function whose whole source a check read."""
    for header in facts.indents.around(start):
        if header.word == "def" and (match := _FUNCTION.search(facts.text, header.start, header.end)):
            if f"def {match[1]}" in asked:
                return True
    return False


def _same_elsewhere(found: Found, facts: Facts, region: Region) -> bool:
    """Return True if the searches that the checks made in the text find nothing in the edited line, neither before nor
    after the edit. Searches for statements to parse are ignored.

    For a search that only tells whether the text contains a word, a further occurrence of the word changes nothing.
    """
    earlier, now = found.facts.searches, facts.searches
    for key in found.keys:
        kind, more = (key[0], key[-1]) if isinstance(key, tuple) else ("", "")
        if kind in _NOT_PLAIN or (
            isinstance(more, bool) and isinstance(key, tuple) and len(key) == 2
        ):  # (name, flag): a search for the statements that use this name
            continue
        if not earlier.touches(key, region.old, region.old_end) and not now.touches(key, region.new, region.new_end):
            continue
        if kind == WHOLE_WORD:
            old, new = found.facts.text[region.old : region.old_end], facts.text[region.new : region.new_end]
            if said_of(more, old) != said_of(more, new):
                return False
            continue
        if kind not in ("text", MENTIONED) or bool(earlier.again(key)) != bool(now.again(key)):
            return False
    return True


def _within(offsets: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(offsets, start)
    return at < len(offsets) and offsets[at] < end


def _reaches(hit: Hit, region: Region) -> bool:
    """Whether an edit of the text affects the fixes of a hit: a fix changes the edited lines or text next to them, or
    lines are inserted directly after the code that the fixes keep for CUDA (`Hit.keeps`)."""
    if hit.keeps[1] == region.old == region.old_end:
        return True
    return any(edit.start <= region.old_end and region.old <= edit.end for fix in hit.fixes for edit in fix.edits)
