"""Computes the layout of an edited text from the layout before the edit; parts that the changed lines cannot affect are
reused."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ..limits import Work
from .changes import Region, moved
from .layout import Layout, triple_strings

_QUOTING, _ENDING = frozenset("\"'\\"), frozenset("#\r\n")


def relayout(
    before: Layout, text: str, regions: Sequence[Region], work: Work | None = None
) -> tuple[Layout, list[Region] | None]:
    """Return the layout of a text, made from the layout of the previous text (`before`), and the logical lines that
    changed. The second result is None if logical lines outside of `regions` may have changed, too."""
    strings = None if before.mended else _strings(before, text, regions)
    layout = Layout(text, strings, work)
    return layout, _take_lines(layout, before, regions) if strings is not None else None


def _strings(before: Layout, text: str, regions: Sequence[Region]) -> list[tuple[int, int]] | None:
    """Return the triple-quoted strings, if no changed line can begin or end one; otherwise None."""
    changed, fresh = [], list[tuple[int, int]]()
    for region in regions:
        above = text[max(0, region.new - 3) : region.new]
        parts = above, before.text[region.old : region.old_end], text[region.new : region.new_end]
        if any(part.rstrip("\r\n").endswith("\\") for part in parts) or _has_triple(above):
            return None
        part = region
        if _has_triple(parts[1]) or _has_triple(parts[2]):
            inner = _between_quotes(before.text, text, region)
            if inner is not None:
                part = inner
            elif (own := _own_strings(before, text, region)) is not None:
                fresh += own
            else:
                return None
        changed.append(part)
    if fresh or len(changed) != 1:
        starts = moved([start for start, _ in before.strings], changed)
        ends = moved([end for _, end in before.strings], changed)
        return sorted([*zip(starts, ends, strict=True), *fresh])
    return _around(before.strings, changed[0])


def _around(strings: list[tuple[int, int]], region: Region) -> list[tuple[int, int]]:
    """Return the strings outside of a region, and the one around it, with the offsets after the edit."""
    first, last = bisect_left(strings, (region.old, -1)), bisect_left(strings, (region.old_end, -1))
    above, shift = strings[:first], region.shift
    if above and above[-1][1] >= region.old_end:
        above[-1] = above[-1][0], above[-1][1] + shift
    return above + ([(start + shift, end + shift) for start, end in strings[last:]] if shift else strings[last:])


def _own_strings(before: Layout, text: str, region: Region) -> list[tuple[int, int]] | None:
    """Return the triple-quoted strings in the changed lines; None if, before or after the edit, only a part of such a
    string is in these lines."""
    for edge in (region.old, region.old_end):
        holder = before.string_around(edge)
        if holder is not None and holder[0] < edge:
            return None
    if before.string_around(region.old_end - 1):  # this string ends the text, without a line break after it
        return None
    strings, mended = triple_strings(text[region.new : region.new_end])
    return None if mended else [(start + region.new, end + region.new) for start, end in strings]


def _has_triple(text: str) -> bool:
    return '"""' in text or "'''" in text


def _between_quotes(old: str, new: str, region: Region) -> Region | None:
    """Return the part in which the old and the new text of a line differ, or None if this part may change which strings
    the line contains."""
    was, now = old[region.old : region.old_end], new[region.new : region.new_end]
    first = _alike(was, now)
    last = min(_alike(was[::-1], now[::-1]), len(was) - first, len(now) - first)
    beside = was[max(0, first - 1) : first] + was[len(was) - last : len(was) - last + 1]
    if not _QUOTING.isdisjoint(beside):
        return None
    for part in (was[first : len(was) - last], now[first : len(now) - last]):
        if not _QUOTING.isdisjoint(part) or not _ENDING.isdisjoint(part):
            return None
    return Region(region.old + first, region.old_end - last, region.new + first, region.new_end - last)


def _alike(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def _take_lines(layout: Layout, before: Layout, regions: Sequence[Region]) -> list[Region] | None:
    """Reuse the logical lines around the changed lines, if they still end at the same places.

    Nothing is reused if a bracket outside the changed lines is not closed: the ends of the logical lines below such a
    bracket are only a guess.
    """
    spans = _spans(before, regions)
    if any(not any(span.old <= start < span.old_end for span in spans) for start in before.unclosed):
        return None
    if _take_around(layout, before, spans):
        return spans
    wider = _widened(layout, before, spans[0]) if len(spans) == 1 else None
    return [wider] if wider is not None and _take_around(layout, before, [wider]) else None


def _take_around(layout: Layout, before: Layout, spans: Sequence[Region]) -> bool:
    """Reuse the logical lines outside of `spans` (the changed lines), and read the logical lines inside of `spans`.
    Return False, and reuse no line, if the edit may have changed where logical lines outside of `spans` end."""
    starts, ends = list[int](), list[int]()
    done = shift = 0
    for span in spans:
        last = bisect_left(before.known_starts, span.old)
        if max(before.known_ends[:last], default=0) > span.old:
            # The span begins inside the brackets of an earlier logical line, with a line that looks like a statement.
            return False
        starts += [start + shift for start in before.known_starts[done:last]]
        ends += [end + shift for end in before.known_ends[done:last]]
        layout.known_starts, layout.known_ends = starts, ends
        lines = _lines(layout, span)
        sure = _holds_sure(before, span.old, span.old_end) and not layout.is_sure(span.new)
        if lines is None or (sure and not _ends(layout, span.new)):
            layout.known_starts, layout.known_ends = [], []
            layout.unclosed.clear()
            return False
        starts += [start for start, _ in lines]
        ends += [end for _, end in lines]
        done, shift = bisect_left(before.known_starts, span.old_end), span.shift
    starts += [start + shift for start in before.known_starts[done:]]
    ends += [end + shift for end in before.known_ends[done:]]
    return True


def _spans(before: Layout, regions: Sequence[Region]) -> list[Region]:
    """Return the changed regions of the text, extended to whole logical lines."""
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


def _widened(layout: Layout, before: Layout, span: Region) -> Region | None:
    """Return `span` with the lines below it that now belong to its last logical line, because a bracket is not closed.
    Return None if there are no such lines, or if no logical line of the text before the edit begins where they end."""
    position = span.new
    while position < span.new_end:
        position = layout.line_end(position)
    old = position - span.shift
    layout.unclosed.clear()
    if position == span.new_end or position >= len(layout.text) or before.logical_line(old)[0] != old:
        return None
    return Region(span.old, old, span.new, position)


def _lines(layout: Layout, span: Region) -> list[tuple[int, int]] | None:
    """Return the logical lines in a span of the new text; None if the last of them does not end at the end of the
    span."""
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


def _ends(layout: Layout, offset: int) -> bool:
    """Return whether a logical line ends at an offset, with all its brackets closed."""
    if offset == 0:
        return True
    start, end = layout.logical_line(offset - 1)
    return end == offset and start not in layout.unclosed


def _holds_sure(layout: Layout, start: int, end: int) -> bool:
    """Return whether a physical line between two offsets certainly begins a statement; if the offsets are equal,
    whether the line at this offset does. The layout does not look for open brackets above a line that certainly begins
    a statement."""
    if start == end:
        return layout.is_sure(start)
    while start < end:
        if layout.is_sure(start):
            return True
        start = layout.text.find("\n", start, end) + 1 or end
    return False


def _doubtful(layout: Layout, start: int, end: int) -> bool:
    """Return whether a physical line in a logical line looks like the beginning of a statement; a bracket above it is
    then probably not closed."""
    at = layout.text.find("\n", start, end) + 1
    while 0 < at < end:
        holder = layout.string_around(at)
        if holder is not None and holder[0] < at:
            at = holder[1]
        elif layout.is_sure(at):
            return True
        at = layout.text.find("\n", at, end) + 1
    return False
