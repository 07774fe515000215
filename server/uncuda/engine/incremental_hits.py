"""Reuses hits after an edit: if the edited line is only a plain call, name or comment, only this line is checked again.

A line can affect the hits in other lines by names that it binds, by block headers and strings, and by uses of names
that a check traces. A line does not affect the hits in other lines if it is only a comment, a dotted name (`x.y`) or a
call of one (`x.y(z)`), and contains no name that a check traces.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Sequence
from functools import lru_cache, partial
from keyword import iskeyword
from typing import Any

from .. import lazy_re
from ..checks import Context, Hit
from ..checks.given_device import WHOLE_WORD, said_of
from ..checks.hit import moved
from ..checks.leaving import leaves
from ..checks.target_variants import BEGINNING
from ..facts.changes import Region, one_after_the_other
from ..facts.digest import Digest
from ..facts.model import MENTIONED
from ..facts.read import Facts
from ..project import Project
from ..source import Span
from .kept import Found, Kept, Results, Row, reaches, statement_of
from .results import Movable, Report
from .unread import IMPORTING, NOTHING, are_unread

_PLAIN = lazy_re.compile(r"[ \t]*(?:(?P<first>[A-Za-z_]\w*)(?:\.\w*)*(?:\([\w., \t]*\)?)?[ \t]*)?\r?\n?")
_COMMENT = lazy_re.compile(r"[ \t]*#(?!!)[^\r\n]*\r?\n?")
# An assignment to one local name, without strings, and without lambda and `:=`, which may bind further names.
_LOCAL = lazy_re.compile(r"[ \t]+(?P<first>[A-Za-z_]\w*)[ \t]*=(?!=)(?!.*(?:\blambda\b|:=))[^\"'#;\\\r\n]*\r?\n?")
# Words for skipped pytest tests and TorchScript; a line with one of them affects the hits in other lines.
_SPOKEN = lazy_re.compile(r"script|skip", re.I)
_WORD = lazy_re.compile(r"\w+")
_IMPORTS = lazy_re.compile(r"[ \t]*(?:from|import)\b")
_FUNCTION = lazy_re.compile(r"\bdef[ \t]+(\w+)")
_DEFINES = lazy_re.compile(
    r"[ \t]*(?:async[ \t]+def|def|class|import|from|global|nonlocal|del|try|except|else|elif|finally|match|case|return"
    r"|yield|raise)\b|[ \t]*@|.*->"
)
# an unindented assignment or annotation of a name; a check may search for this line by the name
_NAMED = lazy_re.compile(r"(\w+)[ \t]*(?:[:=]|.*\bLiteral\b)")
_HEADER = lazy_re.compile(r"^[ \t\f]*(?:async|if|elif|else|for|while|with|try|except|finally|match|case)\b", re.M)
_OF_LINES = frozenset({"anchor", "imports", "unfilled", "uses", BEGINNING})
# for these kinds of searches, a match is read together with the headers of the blocks around it
_OF_BLOCKS = frozenset({"kernel", "left"})
_DEFINITIONS = ("def ", "class ")
_TO_ITEM = lazy_re.compile(r"[\])}][ \t]*=(?!=)")
_RESULT = lazy_re.compile(r"[ \t]*(?:return|raise)\b")
_IN_VALUE = lazy_re.compile(r"[(\[{\"'#]")
_COMPARING = ("!", "<", ">")
# The kinds of searches that `_same_elsewhere` ignores. Searches of the kind "anchor" find words whose statements are
# parsed. Searches of the kind BEGINNING find definitions of and assignments to the target's counterpart of a name, such
# as `is_npu` for `is_cuda`.
_NOT_PLAIN = frozenset({"anchor", BEGINNING})
_APART = frozenset({"try", "except", "else", "finally", "match", "case"})


class Carried:
    """The results for the last two checked versions of each text; two are kept because an edit is often undone.
    The key of a text consists of its path and its `Ruleset`."""

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
        results: Results,
        certain: bool,
        bare: tuple[int, int] | None = None,
    ) -> None:
        """Store the results of a check. `old`: the results whose hits were reused; the other arguments are as in
        `Found`."""
        asked, keys, placed = context.asked, frozenset[Hashable](), frozenset[Hashable]()
        if old is not None:
            keys, placed = old.keys, old.placed
        if more := facts.searches.keys(keys):
            keys |= more
        if more := facts.searches.placed(placed):
            placed |= more
        if old is not None:
            asked = old.asked if asked <= old.asked else asked | old.asked
            certain = certain and old.certain
            bare = bare if keys is old.keys and placed is old.placed else None
        before = old.reads if old is not None else NOTHING
        if old is not None and old.facts is not facts and facts.region is not None:
            before = before.moved(facts.region)
        parsed = [*facts.statements, *facts.broken]  # checks look at all parsed statements
        if old is not None and facts.region is not None:
            parsed = [start for start in parsed if facts.region.new <= start < facts.region.new_end]
        reads = before.joined(facts.layout.read_lines.union(parsed), facts.layout.read_parts)
        last = self._found.get(key)
        if last is not None and last.facts is not facts:
            self._earlier[key] = last
        self._found[key] = Found(
            facts, context.project, results, asked, context.absent, keys, placed, certain, reads, bare
        )

    def report(self, key: Hashable, facts: Facts, report: Report) -> None:
        """Store the report on the last checked version of a text. The report depends only on the linked hits. The fix
        of a linked hit also contains the edits of other hits that must be made together with it."""
        found = self._found.get(key)
        if found is not None and found.facts is facts and found.results.linked is not None:
            self._found[key] = found._replace(results=found.results._replace(report=Movable(report)))

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
        return Kept(found.results, facts, _NONE)
    if not facts.searches.know(found.keys):
        return None
    if facts.origin is not found.facts.token or facts.region is None or facts.present != found.facts.present:
        return None
    region = facts.region
    is_read = partial(_is_in_part, found, region)
    plain = (
        facts.alike
        and _is_plain(found.facts, region.old, region.old_end, found.asked, is_read)
        and _is_plain(facts, region.new, region.new_end, found.asked, is_read)
    )
    bare = None
    if not (plain and _same_elsewhere(found, facts, region)):
        bare = _apart(found, facts, region)
        if bare is None and not _unread(found, facts, region):
            return None
    results = _moved_on(found, facts, region)
    return None if results is None else Kept(results, facts, Span(region.new, region.new_end), bare)


def _moved_on(found: Found, facts: Facts, region: Region) -> Results | None:
    """Return the results without those in the edited lines; None if the edit affects a hit in another line."""
    results, since = found.results, found.results.since
    if since is not None and (since.new_end < region.old or region.old_end < since.new):
        results, since = results.placed(found.facts), None  # a hit may be between this edit and the last
    if found.certain and facts.taken_over and results.linked is not None:
        whole = region if since is None else one_after_the_other(since, region)
        if results.stay(facts, whole):
            return results._replace(since=whole)
    results = results.placed(found.facts)
    rows: list[Row] = []
    for row in results.rows:
        kept = []
        for hit, served in row:
            statement = hit.statement
            if statement is None:
                return None
            if region.old <= statement.start < region.old_end:
                continue
            now = statement_of(hit, facts, region)
            if now is None:
                return None
            kept.append((moved(hit, now, region), served if found.certain else None))
        rows.append(kept)
    changed = sum(map(len, rows)) < sum(map(len, results.rows))
    return Results(rows, None if changed or not found.certain else _linked(results.linked, facts, region))


def _linked(linked: Sequence[Hit] | None, facts: Facts, region: Region) -> list[Hit] | None:
    found = []
    for hit in linked or ():
        if hit.statement is None or reaches(hit, region):
            return None
        found.append(moved(hit, facts.statements[region.place(hit.statement.start)], region))
    return None if linked is None else found


@lru_cache(maxsize=1024)
def _words(digest: Digest) -> frozenset[str]:
    return frozenset(_WORD.findall(digest.piece.text))


_NONE = Span(0, 0)


def _is_in_part(found: Found, region: Region) -> bool:
    """Return whether the edited lines are in a span that a check read at once, or below it with only empty lines
    between."""
    text, last = found.facts.text, region.old
    while last and text[last - 1].isspace():
        last -= 1
    return any(start < region.old_end and last <= end for start, end in found.reads.parts)


def _is_plain(facts: Facts, start: int, end: int, asked: Collection[str], is_read: Callable[[], bool]) -> bool:
    """Whether lines affect no other line: they are empty or in a docstring, or are a single line with a comment, a
    plain dotted name or a plain call, or an assignment to a local variable. `is_read`: returns whether a check read a
    span of several lines around the edit at once; an assignment there is not plain."""
    text = facts.text[start:end]
    if _SPOKEN.search(text):
        return False
    prose = facts.layout.is_prose(start, end)
    if not text.strip() and not facts.layout.string_around(start):
        return not any(header.word in _APART for header in facts.indents.around(start)[:2])
    if not _COMMENT.fullmatch(text):
        match = _PLAIN.fullmatch(text)
        if not prose and (match is None or leaves(text.lstrip())):
            match = _LOCAL.fullmatch(text)
            if match is None or is_read() or not _is_local(facts, start, end, match["first"]):
                return False
        if not prose and match is not None and iskeyword(match["first"] or ""):
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


def _is_local(facts: Facts, start: int, end: int, name: str) -> bool:
    """Whether the line that assigns `name` is in a function and was not parsed, and no parsed statement contains
    `name`."""
    if facts.holds_part_of(start, end) or facts.indents.outer_function(start, end) is None:
        return False
    return not any(name in _words(statement.digest) for statement in facts.statements.values())


def _apart(found: Found, facts: Facts, region: Region) -> tuple[int, int] | None:
    """Return the function around the edited line if the edit has no effect on the hits in other lines; otherwise None.

    The edit may have an effect if, before or after it, a statement of this function is parsed, or the line contains a
    name that a check traces.
    """
    old = found.facts.indents.outer_function(region.old, region.old_end)
    new = facts.indents.outer_function(region.new, region.new_end)
    if old is None or new is None or new != (old[0], old[1] + region.shift):
        return None
    line, fresh = Span(region.old, region.old_end), Span(region.new, region.new_end)
    edited = _edited(found.facts, facts, region)
    if not _are_quiet(found.facts, line, Span(edited.old, edited.old_end), found):
        return None
    if not _are_quiet(facts, fresh, Span(edited.new, edited.new_end), found):
        return None
    for text, (start, end) in ((found.facts, old), (facts, new)):
        if text.holds_part_of(start, end):
            return None
    if any(name.startswith("def ") for name in found.asked):
        if _is_read(found.facts, region.old, found.asked) or _is_read(facts, region.new, found.asked):
            return None
    return new if _nothing_found(found, facts, region, edited, old) else None


def _unread(found: Found, facts: Facts, region: Region) -> bool:
    """Return whether, before and after the edit, no check reads the edited lines and no search of a check has a match
    in them."""
    edited = _edited(found.facts, facts, region)
    if any(_IMPORTS.match(text.text, at) for text, at in ((found.facts, region.old), (facts, region.new))):
        edited = region  # the lines of an import are read together
    begin = False
    for key in _touched(found, facts, edited):
        kind, more = _parts(key)
        if kind == "beginnings":
            begin = True
        elif kind == WHOLE_WORD:
            if not _said_alike(found, facts, region, more):
                return False
        elif key == IMPORTING:
            continue  # `are_unread` compares the imported names with the names in the lines that the checks read
        elif kind != MENTIONED and (kind != "text" or key in found.placed):
            return False
        elif bool(found.facts.searches.again(key)) != bool(facts.searches.again(key)):
            return False
    for text, start, end in ((found.facts, edited.old, edited.old_end), (facts, edited.new, edited.new_end)):
        lines = text.text[start:end]
        if _SPOKEN.search(lines) or _says_asked(set(_WORD.findall(lines)), found.asked):
            return False
        if any(name.startswith("def ") for name in found.asked) and _is_read(text, start, found.asked):
            return False
    return are_unread(found.reads, found.facts, facts, region, edited, begin)


def _nothing_found(found: Found, facts: Facts, region: Region, edited: Region, function: tuple[int, int]) -> bool:
    """Whether the searches of the checks find nothing that can affect hits in other lines: nothing in the edited line,
    neither before nor after the edit, and nothing in `function` that can affect the function's other hits. `edited`:
    the physical lines that changed; `function`: the span of the function around them in the text before the edit."""
    old, now = found.facts.searches, facts.searches
    flat = facts.same_blocks
    for text, first, lines in (
        (found.facts, region.old, (edited.old, edited.old_end)),
        (facts, region.new, (edited.new, edited.new_end)),
    ):
        flat = flat and _HEADER.match(text.text, first) is None and _HEADER.search(text.text, *lines) is None
    touched = _touched(found, facts, region)
    for key in touched:
        kind, more = _parts(key)
        if kind == MENTIONED:
            if bool(old.again(key)) != bool(now.again(key)):
                return False
        elif kind == WHOLE_WORD:
            if not _said_alike(found, facts, region, more):
                return False
        elif kind != "beginnings":  # a search for "beginnings" finds starts of lines, which affect only their block
            return False
    # outside of the edited line, the searches have the same matches as before
    start, end = function
    wide, below = _wide(found.keys, found.placed)
    if found.bare != function and any(_within(old.again(key), start, end) for key in wide):
        return False
    return flat or not any(_within(old.again(key), region.old, end) for key in below)


@lru_cache(maxsize=64)
def _wide(keys: frozenset[Hashable], placed: frozenset[Hashable]) -> tuple[list[Hashable], list[Hashable]]:
    """Return (wide, below), two lists with some of the `keys`; each key stands for a search in the text. An edit in a
    function may affect the hits in other lines if a search in `wide` has a match anywhere in the function, or if a
    search in `below` has a match between the edited line and the end of the function."""
    wide, below = list[Hashable](), list[Hashable]()
    for key in keys:
        kind, more = _parts(key)
        # `own`: whether to leave the key out of `wide` and `below`. A match of a search whose key is left out affects
        # hits only if the line with the match was parsed, and no line of the function was parsed.
        own = kind in _OF_LINES or isinstance(more, bool) or key == ("text", "import ") or key not in placed
        if not own and kind not in ("beginnings", MENTIONED, WHOLE_WORD):
            beneath = kind in _OF_BLOCKS or (kind == "text" and more.startswith(_DEFINITIONS))
            (below if beneath else wide).append(key)
    return wide, below


def _touched(found: Found, facts: Facts, region: Region) -> set[Hashable]:
    """The keys (in `Facts.searches`) of the text searches that have a match in the edited lines, before or after the
    edit."""
    keys, old, now = found.keys, found.facts.searches, facts.searches
    return {*old.touching(keys, region.old, region.old_end), *now.touching(keys, region.new, region.new_end)}


def _parts(key: Hashable) -> tuple[Any, Any]:
    """The kind of a search, and what it looks for."""
    return (key[0], key[-1]) if isinstance(key, tuple) else ("", "")


def _said_alike(found: Found, facts: Facts, region: Region, word: str) -> bool:
    """Whether the edited lines assign the same kind of values to the name `word` before and after the edit: only
    devices, some values that are not devices, or no value."""
    old, new = found.facts.text[region.old : region.old_end], facts.text[region.new : region.new_end]
    return said_of(word, old) == said_of(word, new)


def _edited(before: Facts, facts: Facts, region: Region) -> Region:
    """The lines that changed: of one logical line with several physical lines, only the changed ones."""
    line, fresh = Span(region.old, region.old_end), Span(region.new, region.new_end)
    return facts.searches.regions[0] if _is_one_line(before, line) and _is_one_line(facts, fresh) else region


def _is_one_line(facts: Facts, lines: Span) -> bool:
    return facts.layout.logical_line(lines.start) == lines


def _are_quiet(facts: Facts, span: Span, edited: Span, found: Found) -> bool:
    """Whether the edited lines contain no definition and no other statement that may affect other lines (`import`,
    `return`, `else` …), and assign no name that a parsed statement uses. In addition, the lines in `span` must contain
    no name whose uses a check has searched for."""
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
    return not bound or all(bound.isdisjoint(_words(one.digest)) for one in found.facts.statements.values())


def _says_asked(words: Collection[str], asked: Collection[str]) -> bool:
    """Return whether `words` contains a name in `asked`, i.e. a name whose uses a check has searched for. For a name
    such as `device.type`, `words` must contain both `device` and `type`; for other dotted names, the last word is
    enough."""
    for name in asked:
        if not name.startswith("def "):
            parts = _WORD.findall(name)
            if parts and parts[-1] in words and (parts[-1] != "type" or parts[-2:][0] in words):
                return True
    return False


def _assigned(line: str) -> str:
    """The part of a line up to the last `=` of an assignment to attributes or items; "" if the line assigns only to
    local names. Local names have no effect on hits, because no statement of their function was parsed."""
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
    after the edit. A search that only decides which statements are parsed may find something there.

    For a search that only tells whether the text contains a word, a further occurrence of the word changes nothing.
    """
    old, now = found.facts.searches, facts.searches
    for key in _touched(found, facts, region):
        kind, more = _parts(key)
        if kind in _NOT_PLAIN or (isinstance(key, tuple) and len(key) == 2 and isinstance(more, bool)):
            continue  # a search whose key is the arguments of `uses`: it only decides which statements are parsed
        if kind == WHOLE_WORD:
            if not _said_alike(found, facts, region, more):
                return False
        elif kind not in ("text", MENTIONED) or bool(old.again(key)) != bool(now.again(key)):
            return False
    return True


def _within(offsets: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(offsets, start)
    return at < len(offsets) and offsets[at] < end
