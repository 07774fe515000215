"""Comments that suppress findings: `# uncuda: ignore[rule]` for a line, `# uncuda: file-ignore[rule]` for a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, TypeVar

from uncuda import lazy_re
from uncuda.edits import Edit
from uncuda.source import Span

RULE = "unused-suppression"

_COMMENT = lazy_re.compile(r"#[ \t]*uncuda:[ \t]*(?P<file>file-)?ignore\b(?:[ \t]*\[(?P<names>[^\]\r\n]*)\])?[^#\r\n]*")
_NAME = lazy_re.compile(r"[^\s,]+")
_LINE = lazy_re.compile(r"[^\r\n]*")
_BREAK = lazy_re.compile(r"\r\n|\n|\r")


class Located(Protocol):
    """The attributes of an object that can be suppressed, such as a finding."""

    @property
    def rule(self) -> str: ...
    @property
    def span(self) -> Span: ...


StringAround = Callable[[int], "tuple[int, int] | None"]
FindingT = TypeVar("FindingT", bound=Located)


class Unused(NamedTuple):
    """A suppression comment that suppresses no finding, or that contains rule names which suppress none. `rules`: the
    rule names that `edit` removes, empty if the comment has none; `unknown`: the removed names that no rule has."""

    span: Span
    rules: tuple[str, ...]
    unknown: tuple[str, ...]
    edit: Edit


class Comment(NamedTuple):
    """A suppression comment. `names`: the spans of the rule names, None if the comment suppresses all rules; `line`:
    the line to which the comment applies, None for the whole file."""

    span: Span
    names: tuple[Span, ...] | None
    line: Span | None


def _no_string(_: int) -> None:
    return None


@dataclass(frozen=True)
class Suppressions:
    """The suppression comments of one text. `string_around`: see `parse`."""

    text: str = ""
    comments: tuple[Comment, ...] = ()
    string_around: StringAround = field(default=_no_string, compare=False)

    def __bool__(self) -> bool:
        return bool(self.comments)

    def lines_of(self, span: Span) -> tuple[Span, Span]:
        """Return the first and the last line, without line breaks, on which a comment can suppress a finding at `span`.

        A line that ends inside a string or with a backslash cannot contain a comment; the line after it is used
        instead.
        """
        last = _line_at(self.text, max(span.start, span.end - 1))
        while (end := self._goes_on(last)) is not None:
            last = _line_at(self.text, end)
        return _line_at(self.text, span.start), last

    def _goes_on(self, line: Span) -> int | None:
        """Return the offset at which a line that ends inside a string or with a backslash continues; None for other
        lines."""
        holder = self.string_around(line.end)
        if holder is not None and holder[0] < line.end:
            return holder[1]
        rest = _BREAK.match(self.text, line.end) if self.text.endswith("\\", line.start, line.end) else None
        return rest.end() if rest else None

    def apply(
        self,
        findings: Iterable[FindingT],
        known_rules: Collection[str],
        active_rules: Collection[str],
    ) -> tuple[list[FindingT], list[Unused]]:
        """Return the findings that no comment suppresses; also the comments and rule names that suppress no finding.

        `known_rules`: the names of all rules. `active_rules`: the names of the rules that were checked in this text;
        only their names can be reported as unused.
        """
        findings = list(findings)
        if not self.comments:
            return findings, []
        used: set[tuple[Comment, str]] = set()
        kept = [finding for finding in findings if not self._silence(finding.rule, finding.span, used)]
        spoken = {comment for comment, _ in used}
        entries = [self._unused(comment, used, spoken, known_rules, active_rules) for comment in self.comments]
        return kept, [entry for entry in entries if entry and not self._silence(RULE, entry.span, used, named=True)]

    def _silence(self, rule: str, span: Span, used: set[tuple[Comment, str]], named: bool = False) -> bool:
        """Return whether a comment suppresses a finding of this rule at this span; with `named`, only comments with the
        name of the rule count."""
        silent = False
        for comment in self._about(span):
            names = comment.names
            if rule in self._words(names) if names is not None else not named:
                used.add((comment, rule))
                silent = True
        return silent

    def _about(self, span: Span) -> Iterator[Comment]:
        """Yield the comments on the lines of a span, and the comments for the whole file."""
        for line in dict.fromkeys((None, *self.lines_of(span))):
            yield from self._by_line.get(line, ())

    @cached_property
    def _by_line(self) -> dict[Span | None, list[Comment]]:
        found: dict[Span | None, list[Comment]] = {}
        for comment in self.comments:
            found.setdefault(comment.line, []).append(comment)
        return found

    def _unused(
        self,
        comment: Comment,
        used: set[tuple[Comment, str]],
        spoken: set[Comment],
        known: Collection[str],
        active: Collection[str],
    ) -> Unused | None:
        if comment.names is None:
            return None if comment in spoken else Unused(comment.span, (), (), self._without(comment, ()))
        kept: dict[str, Span] = {}
        idle_names = []
        for name, word in zip(comment.names, self._words(comment.names), strict=True):
            needed = word == RULE or (comment, word) in used or (word in known and word not in active)
            if needed and word not in kept:
                kept[word] = name
            else:
                idle_names.append(name)
        if comment.names and not idle_names:
            return None
        words = self._words(idle_names)
        unknown = tuple(word for word in words if word not in known)
        return Unused(comment.span, words, unknown, self._without(comment, tuple(kept)))

    def _words(self, names: Iterable[Span]) -> tuple[str, ...]:
        return tuple(self.text[name.start : name.end] for name in names)

    def _without(self, comment: Comment, kept: tuple[str, ...]) -> Edit:
        """Return the edit that removes all rule names except `kept` from a comment, or the whole comment if `kept` is
        empty."""
        if kept and comment.names:
            return Edit(comment.names[0].start, comment.names[-1].end, ", ".join(kept))
        start, end = comment.span
        line = _line_at(self.text, start)
        before, after = self.text[line.start : start], self.text[end : line.end]
        if after.strip():  # another comment follows; only the blanks before it are removed
            return Edit(start, end + len(after) - len(after.lstrip()), "")
        if before.strip():
            return Edit(line.start + len(before.rstrip()), line.end, "")
        rest = _BREAK.match(self.text, line.end)
        return Edit(line.start, rest.end() if rest else line.end, "")


NONE = Suppressions()


def parse(text: str, is_comment: Callable[[int], bool], string_around: StringAround | None = None) -> Suppressions:
    """Return the suppression comments of a text.

    `is_comment(offset)` returns whether a `#` at this offset begins a comment; `string_around(offset)` returns the span
    of the triple-quoted string that contains this offset.
    """
    if "uncuda:" not in text:
        return NONE
    comments = []
    for match in _COMMENT.finditer(text):
        if not is_comment(match.start()):
            continue
        end = match.start() + len(match[0].rstrip())
        names = None
        if match["names"] is not None:
            start = match.start("names")
            names = tuple(Span(start + word.start(), start + word.end()) for word in _NAME.finditer(match["names"]))
        line = None if match["file"] else _line_at(text, match.start())
        comments.append(Comment(Span(match.start(), end), names, line))
    return Suppressions(text, tuple(comments), string_around or _no_string) if comments else NONE


def _line_at(text: str, offset: int) -> Span:
    start = text.rfind("\n", 0, offset) + 1
    start = max(start, text.rfind("\r", start, offset) + 1)
    end = _LINE.match(text, start)
    assert end is not None
    return Span(start, end.end())
