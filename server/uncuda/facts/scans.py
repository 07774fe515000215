"""Functions, called scans, that search a text for the statements that must be parsed. Each scan searches a range of
whole lines; what a scan finds in a line does not depend on other lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from .. import lazy_re
from .changes import Scan, Worded

_IMPORT = "import "
_WORD = lazy_re.compile(r"\w+")
_TORCH = lazy_re.compile(r"torch(?![\w.])(?<![\w.]torch)")


@lru_cache(maxsize=4096)
def plain(word: str) -> Scan:
    """Return a function that finds all occurrences of a string."""

    def scan(text: str, start: int, end: int) -> Iterable[int]:
        at = text.find(word, start, end)
        return every(text, at, end) if at >= 0 else ()

    def every(text: str, at: int, end: int) -> Iterator[int]:
        while at >= 0:
            yield at
            at = text.find(word, at + len(word), end)

    return Worded(word, scan)


def whole_word(name: str) -> Scan:
    """Return a function that finds a name as a whole word; a dot may be before or after it."""
    size = len(name)

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        at = text.find(name, start, end)
        while at >= 0:
            around = text[at - 1 if at else 0 : at], text[at + size : at + size + 1]
            if not any(one == "_" or one.isalnum() for one in around):
                yield at
            at = text.find(name, at + size, end)

    return Worded(name, scan)


def imports_of(roots: frozenset[str]) -> Scan:
    """Return a function that finds the imports of modules whose first segment is in `roots`: the offsets of the word
    `import`."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        done = start
        for at in plain(_IMPORT)(text, start, end):
            if at < done:
                continue
            line, done = text.rfind("\n", 0, at) + 1, text.find("\n", at) % (len(text) + 1)
            words = text[line:at].split()
            if not words:
                parts = text[at + len(_IMPORT) : done].split(",")
                words = ["from", *(named[0] for part in parts if (named := part.split()))]
            if words[0] == "from" and not roots.isdisjoint(word.partition(".")[0] for word in words[1:]):
                yield at

    return Worded(_IMPORT, scan)


def matches(pattern: re.Pattern[str], word: str = "") -> Scan:
    """Return a function that finds the matches of a pattern; a match must be inside one line. `word`: a word that every
    match contains."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        for match in pattern.finditer(text, start, end):
            yield match.start()

    return Worded(word, scan)


def line_starts(pattern: re.Pattern[str], word: str) -> Scan:
    """Return a function that finds the starts of lines that match a pattern which begins with `^[ \\t]*` and the word.
    A search for the word is ten times faster than one for such a pattern."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        at = text.find(word, start, end)
        while at >= 0:
            line = max(start, text.rfind("\n", start, at) + 1)
            if not text[line:at].strip(" \t") and pattern.match(text, line, end):
                yield line
            after = text.find("\n", at, end)
            at = text.find(word, after, end) if after >= 0 else -1

    return Worded(word, scan)


def around(words: Iterable[str], pattern: re.Pattern[str]) -> Scan:
    """Return a function that finds the matches of a pattern that begin with an identifier, or with the character before
    it; the identifier contains one of the `words`. Upper and lower case are the same; `words` and `pattern` must be in
    lower case."""
    finders = [plain(word) for word in words]

    def scan(text: str, start: int, end: int) -> Iterable[int]:
        lines, found = text[start:end].lower(), set[int]()
        for find in finders:
            done = 0
            for at in find(lines, 0, len(lines)):
                if at >= done:
                    first, done = _word_around(lines, at)
                    found.add(first)
        places = (at for first in sorted(found) for at in (first - 1, first) if at >= 0)
        return (start + at for at in places if pattern.match(lines, at))

    return scan


def anchors(anchor: str, speaks: Callable[[str], bool]) -> Scan:
    """Return a function that finds the text `anchor`, such as `cuda`, inside identifiers, such as `is_cuda`, but not in
    an identifier for which `speaks` returns False. If `anchor` is not an identifier, the function finds every
    occurrence, and `speaks` is not called."""
    whole, size = not anchor.isidentifier(), len(anchor)

    def scan(text: str, start: int, end: int) -> Iterable[int]:
        at = text.find(anchor, start, end)
        return every(text, at, end) if at >= 0 else ()

    def every(text: str, at: int, end: int) -> Iterator[int]:
        done, spoken = -1, whole
        while at >= 0:
            if at >= done and not whole:
                first, done = _word_around(text, at)
                spoken = speaks(text[first:done])
            if spoken:
                yield at
            at = text.find(anchor, at + size, end)

    return Worded(anchor, scan)


def word_before(text: str, offset: int) -> str:
    """Return the identifier, or its beginning, that ends at an offset; "" if there is none."""
    start = offset
    while start and (text[start - 1] == "_" or text[start - 1].isalnum()):
        start -= 1
    return text[start:offset]


def _word_around(text: str, offset: int) -> tuple[int, int]:
    """The span of the identifier around an offset."""
    start = offset - len(word_before(text, offset))
    match = _WORD.match(text, start)
    return start, match.end() if match else start


@lru_cache(maxsize=16)
def imports(roots: frozenset[str]) -> Scan:
    """Return a function that finds the word "import" in lines that contain one of the `roots`, which are names of
    top-level modules, and in lines whose statement continues on the next line."""
    root = re.compile("|".join(map(re.escape, sorted(roots))))

    @lru_cache(maxsize=4096)  # the files of a project repeat their imports
    def concerns(line: str) -> bool:
        return root.search(line) is not None or line.rstrip().endswith(("\\", "("))

    def scan(text: str, start: int, stop: int) -> Iterator[int]:
        # only the first "import" of each line is checked; in a text with carriage returns, which may also end lines,
        # every "import" is checked
        carriages = "\r" in text[start:stop]
        at = text.find("import", start, stop)
        while at >= 0:
            line = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            if concerns(text[line:end]):
                yield at
            at = text.find("import", at + 6 if carriages else end, stop)

    return Worded("import", scan)


def uses(name: str, every: bool) -> Scan:
    """Return a function that finds a name that is not an attribute; `every`: whether uses with attributes after the
    name are included."""
    size = len(name)

    def torch(text: str, start: int, end: int) -> Iterator[int]:
        for match in _TORCH.finditer(text, start, end):
            yield match.start()

    def scan(text: str, start: int, end: int) -> Iterable[int]:
        at = text.find(name, start, end)
        return every_one(text, at, end) if at >= 0 else ()

    def every_one(text: str, at: int, end: int) -> Iterator[int]:
        while at >= 0:
            after = text[at + size : at + size + 1]
            if (after != "." or every) and not (after.isalnum() or after == "_"):
                before = text[at - 1] if at else "\n"
                if before not in "._" and not before.isalnum():
                    yield at
            at = text.find(name, at + size, end)

    # Without `every`, uses with attributes (`torch.x`) are skipped. Nearly all uses of "torch" have attributes, and the
    # function `torch` skips them faster than the function `scan`.
    return Worded(name, torch if name == "torch" and not every else scan)


def beginnings(words: tuple[str, ...]) -> Scan:
    """Return a function that finds the starts of lines that begin with one of these words."""

    def scan(text: str, start: int, end: int) -> list[int]:
        found = []
        for word in words:
            at = text.find(word, start, end)
            while at >= 0:
                line = text.rfind("\n", 0, at) + 1
                after = text[at + len(word) : at + len(word) + 1]
                if not text[line:at].strip(" \t\f") and not (after.isalnum() or after == "_"):
                    found.append(line)
                at = text.find(word, at + len(word), end)
        return sorted(found)

    return scan
