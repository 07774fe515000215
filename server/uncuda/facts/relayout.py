"""Computes the layout of an edited text from the previous layout, reusing the parts that the changed lines cannot
affect."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ..limits import Work
from .changes import Region, moved
from .layout import Layout


def relayout(before: Layout, text: str, regions: Sequence[Region], work: Work | None = None) -> tuple[Layout, bool]:
    """Return the layout of a text, computed from the layout before its changed regions, and whether each change is
    within one logical line, so that the logical lines of both texts correspond."""
    strings = _strings(before, text, regions)
    layout = Layout(text, strings, work)
    return layout, strings is not None and _take_lines(layout, before, regions)


def _strings(before: Layout, text: str, regions: Sequence[Region]) -> list[tuple[int, int]] | None:
    """Return the triple-quoted strings, if no changed line can have begun or ended one; otherwise None."""
    if before.mended:
        return None
    for region in regions:
        above = text[max(0, region.new - 3) : region.new]
        for part in (above, before.text[region.old : region.old_end], text[region.new : region.new_end]):
            if '"""' in part or "'''" in part or part.rstrip("\r\n").endswith("\\"):
                return None
    starts = moved([start for start, _ in before.strings], regions)
    return list(zip(starts, moved([end for _, end in before.strings], regions), strict=True))


def _take_lines(layout: Layout, before: Layout, regions: Sequence[Region]) -> bool:
    """Reuse the logical lines outside of the changed ones, if the changed lines still end at the same offsets.

    Return whether each change is within one logical line. Below an unclosed bracket, the ends of lines were guessed
    from the lines around them; these lines are computed again, unless the bracket is in the changed line.
    """
    spans = _spans(before, regions)
    if any(not any(span.old <= start < span.old_end for span in spans) for start in before.unclosed):
        return False
    alike = True
    starts, ends = layout.known_starts, layout.known_ends
    done = shift = 0
    for span in spans:
        last = bisect_left(before.known_starts, span.old)
        if max(before.known_ends[:last], default=0) > span.old:
            return False  # a keyword that starts statements is inside a bracket, so the line boundary was a guess
        starts += [start + shift for start in before.known_starts[done:last]]
        ends += [end + shift for end in before.known_ends[done:last]]
        lines = _lines(layout, span)
        if lines is None or (_holds_sure(before, span.old, span.old_end) and not layout.is_sure(span.new)):
            layout.unclosed.clear()
            return False
        alike = alike and len(lines) == 1 and before.logical_line(span.old) == (span.old, span.old_end)
        starts += [start for start, _ in lines]
        ends += [end for _, end in lines]
        done, shift = bisect_left(before.known_starts, span.old_end), span.shift
    starts += [start + shift for start in before.known_starts[done:]]
    ends += [end + shift for end in before.known_ends[done:]]
    return alike


def _spans(before: Layout, regions: Sequence[Region]) -> list[Region]:
    """The regions, widened to all logical lines that they touch."""
    spans: list[Region] = []
    size, shift = len(before.text), 0
    for region in regions:
        start, end = before.logical_line(min(region.old, max(0, size - 1)))
        if start == region.old == region.old_end:
            end = start
        while end < region.old_end:
            end = before.logical_line(end)[1]
        if spans and start < spans[-1].old_end:
            above = spans.pop()
            start, end, begin = above.old, max(end, above.old_end), above.new
        else:
            begin = start + shift
        shift = region.shift
        spans.append(Region(start, end, begin, end + shift))
    return spans


def _lines(layout: Layout, span: Region) -> list[tuple[int, int]] | None:
    """The logical lines of a span of the new text; None unless the last line ends where the span ends."""
    lines: list[tuple[int, int]] = []
    position = span.new
    while position < span.new_end:
        end = layout.line_end(position)
        if end > span.new_end or (end < span.new_end and position in layout.unclosed):
            return None
        if _doubtful(layout, position, end):
            return None
        lines.append((position, end))
        position = end
    return lines


def _holds_sure(layout: Layout, start: int, end: int) -> bool:
    """Return whether a logical line contains a line that certainly begins a statement, so that lines above it were not
    searched for brackets."""
    while start < end:
        if layout.is_sure(start):
            return True
        start = layout.text.find("\n", start, end) + 1 or end
    return False


def _doubtful(layout: Layout, start: int, end: int) -> bool:
    """Return whether a physical line inside a logical line looks like the beginning of a statement, which means that a
    bracket above is open."""
    at = layout.text.find("\n", start, end) + 1
    while 0 < at < end:
        holder = layout.string_around(at)
        if holder is not None and holder[0] < at:
            at = holder[1]
        elif layout.is_sure(at):
            return True
        at = layout.text.find("\n", at, end) + 1
    return False
