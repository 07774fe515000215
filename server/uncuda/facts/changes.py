"""The differences between two texts as regions of whole lines; only these lines are searched again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ..byte_search import contains
from ..limits import UNLIMITED, Work

_STRETCH = 4096
# The results of an earlier version of a text are kept while the number of searches made in the current version is less
# than `_MOST` times the number made in the earlier one.
_MOST = 0.8
# All versions of a text share one dictionary of search functions, until it has `_FEW` entries plus `_IN_VAIN` for each
# search whose results are kept; the next version then gets a copy without the searches that are no longer made.
_FEW, _IN_VAIN = 100, 4
_WIDE = 0.2  # if a larger share of a text has changed, the results of earlier texts are not kept
_APART = 16  # search results of an earlier text are kept if the current text differs in at most this number of regions
FAR = 20_000  # a search in at least this many characters of a text reuses results from before the last edit
FOLLOWED = "followed"
"""If the key of a search for a word begins with this string, the engine does not compare the results of the search
before and after an edit. A search for a word may have a key that begins with `FOLLOWED` only if
a search with another key or the names in `Context.asked` show the engine that an edit adds, moves or removes the word,
or if the check that searches for the word runs after every edit."""
Scan = Callable[[str, int, int], Iterable[int]]


class Worded:
    """A scan whose matches all contain a word, so that it finds nothing in a line, or in a text, without this word."""

    __slots__ = ("_bytes", "_scan", "word")

    def __init__(self, word: str, scan: Scan) -> None:
        self.word = word
        self._bytes = _bytes_of(word)
        self._scan = scan

    def may_find(self, data: bytes) -> bool:
        """Return False if the text with these bytes does not contain the word; `data`: the result of `_bytes_of`."""
        return contains(data, self._bytes)

    def __call__(self, text: str, start: int, end: int) -> Iterable[int]:
        return self._scan(text, start, end)


class Region(NamedTuple):
    """Lines that differ between two texts: the offsets [old, old_end) of the lines in the one text, and the offsets
    [new, new_end) of the lines that replace them in the other."""

    old: int
    old_end: int
    new: int
    new_end: int

    @property
    def shift(self) -> int:
        """The number to add to an offset of the old text after this region to get the offset in the new text."""
        return self.new_end - self.old_end

    def place(self, offset: int) -> int:
        """Return the new offset for an old offset outside of this region, if the texts differ only in this region."""
        return offset + self.new_end - self.old_end if offset >= self.old_end else offset


def _around(regions: Sequence[Region]) -> Region:
    """Return a region that contains all these regions."""
    first, last = regions[0], regions[-1]
    return Region(first.old, last.old_end, first.new, last.new_end)


def one_after_the_other(one: Region, other: Region) -> Region:
    """Return the region that two successive edits change together."""
    start, end = min(one.new, other.old), max(one.new_end, other.old_end)
    return Region(start, end - one.shift, start, end + other.shift)


def _followed_by(regions: Sequence[Region], later: Region) -> list[Region]:
    """Return the regions in which the text after several edits differs from the text before all of them. `regions`: the
    regions that all edits but the last changed; `later`: the region that the last edit changed."""
    above = [one for one in regions if one.new_end < later.old]
    below = [one for one in regions if one.new > later.old_end]
    beside = regions[len(above) : len(regions) - len(below)]
    if beside:
        start, end = min(beside[0].new, later.old), max(beside[-1].new_end, later.old_end)
        old = start - (beside[0].new - beside[0].old)
        merged = Region(old, end - beside[-1].shift, start, end + later.shift)
    else:
        shift = above[-1].shift if above else 0
        merged = Region(later.old - shift, later.old_end - shift, later.new, later.new_end)
    moved_on = (Region(one.old, one.old_end, one.new + later.shift, one.new_end + later.shift) for one in below)
    return [*above, merged, *moved_on]


def between(old: str, new: str) -> list[Region]:
    """Return one region from the first to the last difference between two texts; empty if the texts are equal."""
    if old == new:
        return []
    size, last, end = min(len(old), len(new)), len(old), len(new)
    start = _alike(size, lambda a, b: old[a:b] == new[a:b])
    tail = _alike(size - start, lambda a, b: old[last - b : last - a] == new[end - b : end - a])
    return _in_lines(old, [(start, last - tail, end - last, False)])


def of_edits(old: str, edits: Iterable[tuple[int, int, str]]) -> list[Region]:
    """Return the regions for edits (start, end, text), where `start` and `end` are offsets in the old text. The edits
    must not overlap."""
    apart: list[tuple[int, int, str]] = []
    for start, end, text in sorted(edits):
        if apart and start <= apart[-1][1]:  # edits without a character between them are one edit
            first, _, before = apart.pop()
            apart.append((first, end, before + text))
        else:
            apart.append((start, end, text))
    return _in_lines(old, [_by_lines(old, *edit) for edit in apart])


def _by_lines(old: str, start: int, end: int, text: str) -> tuple[int, int, int, bool]:
    """Return an edit as (start, end, growth, whole); `whole`: whether it inserts or deletes only whole lines.

    A line break typed at the end of a line is the same edit as a line inserted before the next one.
    """
    growth = len(text) - (end - start)
    if old[start : start + 1] == "\n" == old[end : end + 1] and (text.startswith("\n") if start == end else not text):
        return start + 1, end + 1, growth, True
    begins = start == 0 or old[start - 1] == "\n"
    return start, end, growth, begins and (text.endswith("\n") if start == end else not text and old[end - 1] == "\n")


def _alike(size: int, part: Callable[[int, int], bool]) -> int:
    """Return the length of the common beginning of two texts, at most `size`; `part(a, b)` returns whether both texts
    are equal in [a, b)."""
    low = 0
    while low < size and part(low, min(low + _STRETCH, size)):
        low += _STRETCH
    if low >= size:
        return size
    high = min(low + _STRETCH, size)
    while high - low > 1:  # the texts are equal up to low, but not up to high
        middle = (low + high) // 2
        if part(low, middle):
            low = middle
        else:
            high = middle
    return low


def _in_lines(old: str, edits: Iterable[tuple[int, int, int, bool]]) -> list[Region]:
    """Return regions of whole lines, in order, for edits in the form that `_by_lines` returns; edits of the same line
    share a region."""
    regions: list[Region] = []
    shift = 0
    for start, end, growth, whole in edits:
        first = old.rfind("\n", 0, start) + 1
        newline = end - 1 if whole else old.find("\n", max(end, first))
        last = newline + 1 if newline >= 0 or whole else len(old)
        if regions and first < regions[-1].old_end:
            region = regions.pop()
            first, begin = region.old, region.new
            last = max(last, region.old_end)
        else:
            begin = first + shift
        shift += growth
        regions.append(Region(first, last, begin, last + shift))
    return regions


class _Words(NamedTuple):
    """The keys of searches, each with a word that all matches of the search contain ("" if there is no such word)."""

    keys: frozenset[Hashable]
    words: list[tuple[Hashable, str]]


class _Base(NamedTuple):
    """The results of all searches in an earlier text, and the regions in which this text differs from the present
    text."""

    found: Mapping[Hashable, list[int]]
    regions: Sequence[Region]


class Searches:
    """The results of searches in a text. If the text is an edited version of another text, only the changed lines are
    searched again."""

    def __init__(
        self,
        text: str,
        before: Searches | None = None,
        regions: Sequence[Region] = (),
        work: Work | None = None,
    ) -> None:
        self.text = text
        self.work = work or Work(UNLIMITED)
        self.regions = regions
        self._found: dict[Hashable, list[int]] = {}
        self._before: Mapping[Hashable, list[int]] = before._found if before is not None else {}
        self._base = before._base_for(regions) if before is not None else None
        self._placed: set[Hashable] = set()
        self._bytes: bytes | None = None
        self._changed: tuple[Region | None, str] = (None, "")
        self._scans: dict[Hashable, Scan] = before._scans_for() if before is not None else {}
        # the keys that `know` last found in `_scans`; no key is ever removed from this dictionary
        kept = before is not None and before._scans is self._scans
        self._stored: AbstractSet[Hashable] | None = before._stored if before is not None and kept else None
        self._words: _Words = before._words if before is not None else _Words(frozenset(), [])

    def _base_for(self, regions: Sequence[Region]) -> _Base:
        """Return the results that searches in the next version of the text can reuse: the results for this version or,
        if only a few of the searches were made in this version, the results for an earlier version."""
        self._bytes = None
        if self._base is not None and len(self._found) < _MOST * len(self._base.found):
            every = _followed_by(self._base.regions, _around(regions)) if regions else self._base.regions
            size = sum(one.new_end - one.new for one in every)
            if len(every) <= _APART and size < len(self.text) * _WIDE:
                return _Base(self._base.found, every)
        return _Base(self._found, [_around(regions)] if regions else [])

    def _scans_for(self) -> dict[Hashable, Scan]:
        """Return a dictionary that maps the key of each search to the search's function `scan`. All versions of a text
        share one dictionary; but if it contains too many searches that are no longer made, return a copy without these
        searches."""
        used = len(self._found) if self._base is None else max(len(self._found), len(self._base.found))
        if len(self._scans) < _FEW + _IN_VAIN * used:
            return self._scans
        return {key: self._scans[key] for key in self._found}

    def find(self, key: Hashable, scan: Scan) -> list[int]:
        """Return the sorted offsets that `scan` finds in the text. `scan`: a function of the text and the range of
        whole lines to search; `key`: identifies the search."""
        self._placed.add(key)
        return self._all(key, scan)

    def each(self, kind: str, scans: Iterable[tuple[str, Scan]]) -> dict[str, list[int]]:
        """Return what `find` returns for each pair of a word and a scan, by word, without the scans that find nothing.
        `kind`: the first part of the key of each search; the word is the second. A new text is searched for all words
        at once, which takes half the time."""
        every = {(kind, word): scan for word, scan in scans}
        self._placed.update(every)
        if not self._before and self._base is None:
            data = self._in_bytes()
            absent = [key for key, scan in every.items() if isinstance(scan, Worded) and not scan.may_find(data)]
            self._found.update((key, []) for key in absent)
            self._scans.update((key, every.pop(key)) for key in absent)
            self.work.search(0, len(absent) * len(self.text))
        return {key[1]: found for key, scan in every.items() if (found := self._all(key, scan))}

    def has(self, key: Hashable, scan: Scan) -> bool:
        """Whether `find` would return any offset."""
        return bool(self._all(key, scan))

    def _all(self, key: Hashable, scan: Scan) -> list[int]:
        found = self._found.get(key)
        if found is None:
            old, regions = self._before.get(key), self.regions
            if old is None and self._base is not None:
                old, regions = self._base.found.get(key), self._base.regions
            found = self._renewed(old, scan, regions) if old is not None else self._searched(scan)
            self.work.search(0, len(self.text) if old is None else 0, len(found))
            self._found[key] = found
            self._scans[key] = scan
        return found

    def _searched(self, scan: Scan) -> list[int]:
        """Return what a scan finds in the whole text. Most words that rules look for are not in a text: a search in its
        bytes, which is faster than one in the text, comes first."""
        if isinstance(scan, Worded) and not scan.may_find(self._in_bytes()):
            return []
        return list(scan(self.text, 0, len(self.text)))

    def _in_bytes(self) -> bytes:
        if self._bytes is None:
            self._bytes = _bytes_of(self.text)
        return self._bytes

    def keys(self, known: Collection[Hashable] = ()) -> frozenset[Hashable]:
        """The keys of all searches so far, except the keys in `known` and the keys that begin with FOLLOWED."""
        found = [key for key in self._found if key not in known]
        return frozenset(key for key in found if not (isinstance(key, tuple) and key[0] == FOLLOWED))

    def placed(self, known: Collection[Hashable] = ()) -> frozenset[Hashable]:
        """The keys of the searches whose offsets `find` returned, without those in `known`; `has`, which returns no
        offsets, does not count."""
        return frozenset(key for key in self._placed if key not in known)

    def know(self, keys: AbstractSet[Hashable]) -> bool:
        """Return whether the search functions for `keys` are stored; `again` and `touching` can be called only with
        stored keys."""
        if self._stored is not keys and self._scans.keys() >= keys:
            self._stored = keys
        return self._stored is keys

    def again(self, key: Hashable) -> list[int]:
        """Run the search function that is stored for the key, and return the offsets that it finds in the text."""
        return self._all(key, self._scans[key])

    def touching(self, keys: frozenset[Hashable], start: int, end: int) -> list[Hashable]:
        """Return those of the keys whose search has a match in a range of whole lines."""
        if self._words.keys is not keys:
            scans = [(key, self._scans[key]) for key in keys]
            words = [(key, scan.word if isinstance(scan, Worded) else "") for key, scan in scans]
            self._words = _Words(keys, words)
        text, line = self.text, self.text[start:end]
        likely = [key for key, word in self._words.words if word in line]
        return [key for key in likely if next(iter(self._scans[key](text, start, end)), None) is not None]

    def _lines_of(self, region: Region) -> str:
        """The changed lines of the text."""
        if self._changed[0] is not region:
            self._changed = region, self.text[region.new : region.new_end]
        return self._changed[1]

    def imports(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield, for each search for imports that was made in the previous text, the offsets found there, and the
        offsets that the same search finds in this text."""
        for key in [key for key in self._before if isinstance(key, tuple) and key[0] == "imports"]:
            yield self._before[key], self.again(key)

    def _renewed(self, old: list[int], scan: Scan, regions: Sequence[Region]) -> list[int]:
        if not regions:
            return old
        if len(regions) == 1:
            region = regions[0]
            found_none = isinstance(scan, Worded) and scan.word not in self._lines_of(region)
            fresh = () if found_none else tuple(scan(self.text, region.new, region.new_end))
            if not old:
                return list(fresh) if fresh else old
            at, done = bisect_left(old, region.old), bisect_left(old, region.old_end)
            if at == done and not fresh and (done == len(old) or not region.shift):
                return old
            return [*old[:at], *fresh, *_moved(old[done:], region.new_end - region.old_end)]
        found: list[int] = []
        done = shift = 0
        for region in regions:
            at = bisect_left(old, region.old)
            found += _moved(old[done:at], shift)
            found += scan(self.text, region.new, region.new_end)
            done = bisect_left(old, region.old_end)
            shift = region.shift
        found += _moved(old[done:], shift)
        return found


def _bytes_of(text: str) -> bytes:
    """Return the text with one byte for each character, and "?" for each character beyond Latin-1."""
    return text.encode("latin-1", "replace")


def moved(offsets: list[int], regions: Sequence[Region]) -> list[int]:
    """Return sorted offsets in the old text as offsets in the new text, without offsets inside a changed region."""
    found: list[int] = []
    done = shift = 0
    for region in regions:
        found += _moved(offsets[done : bisect_left(offsets, region.old)], shift)
        done = bisect_left(offsets, region.old_end)
        shift = region.shift
    return found + _moved(offsets[done:], shift)


def _moved(offsets: list[int], shift: int) -> list[int]:
    return [offset + shift for offset in offsets] if shift else offsets
