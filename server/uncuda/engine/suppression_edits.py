"""Edits that insert or extend a suppression comment for a finding."""

from __future__ import annotations

from .. import lazy_re
from ..edits import Edit
from ..facts.layout import Layout
from ..source import Span, is_encoding_line
from ..suppress import Comment, Suppressions, parse

_BLANK = lazy_re.compile(r"(?:[ \t\f]*(?:\r\n|\n|\r))+")
_BREAK = lazy_re.compile(r"\r\n|\n|\r")


def ignore_on_line(text: str, layout: Layout, span: Span, rule: str, reason: str = "") -> Edit | None:
    """Return the edit that suppresses `rule` on a line of `span`; None if no line of the span can have a comment.
    `reason`: the text in a new comment that says why the finding is suppressed."""
    known = parse(text, layout.is_comment, layout.string_around)
    lines = Suppressions(text, (), layout.string_around).lines_of(span)
    for comment in known.comments:
        if comment.names is not None and comment.line in lines:
            return _named(text, comment, rule)
    for line in dict.fromkeys(lines):
        end = line.start + len(text[line.start : line.end].rstrip())
        if _has_room(text, layout, end, line):
            return Edit(end, end, f"  # uncuda: ignore[{rule}] {reason}".rstrip())
    return None


def ignore_in_file(text: str, layout: Layout, rule: str) -> Edit:
    """Return the edit that suppresses `rule` in the whole file. The edit extends the first comment that suppresses
    rules in the whole file; if there is no such comment, the edit inserts one near the top."""
    for comment in parse(text, layout.is_comment).comments:
        if comment.names is not None and comment.line is None:
            return _named(text, comment, rule)
    at = _top(text)
    newline = found[0] if (found := _BREAK.search(text)) else "\n"
    said = f"# uncuda: file-ignore[{rule}]"
    return Edit(at, at, newline + said if at and text[at - 1] not in "\r\n\ufeff" else said + newline)


def _named(text: str, comment: Comment, rule: str) -> Edit:
    """Return the edit that adds the name of a rule to a suppression comment."""
    assert comment.names is not None
    if comment.names:
        end = comment.names[-1].end
        return Edit(end, end, f", {rule}")
    bracket = text.index("[", comment.span.start) + 1
    return Edit(bracket, bracket, rule)


def _has_room(text: str, layout: Layout, end: int, line: Span) -> bool:
    """Return whether a comment can be inserted after the last character of a line."""
    holder = layout.string_around(line.end)
    if holder is not None and holder[0] < line.end:
        return False
    return end == line.start or text[end - 1] != "\\" or layout.is_comment(end - 1)


def _top(text: str) -> int:
    """The offset for a new comment near the top of a text, below the shebang and the encoding line."""
    start = int(text.startswith("\ufeff"))
    ends = [match.end() for match, _ in zip(_BREAK.finditer(text, start), range(2))] or [len(text)]
    first, second = text[start : ends[0]], text[ends[0] : ends[-1]]
    if is_encoding_line(second) and first.lstrip(" \t\f")[:1] in "#\r\n":
        return ends[-1]
    if first.startswith("#!") or is_encoding_line(first):
        return ends[0]
    blank = _BLANK.match(text, start)
    return blank.end() if blank is not None and blank.end() < len(text) else start
