"""Finds the packages that a file may import, without reading it as Python; a fast check before exact searches."""

from __future__ import annotations

from uncuda import lazy_re

_WORD = lazy_re.compile(rb"[ \t]*(\w+)")


def import_roots(data: bytes) -> frozenset[bytes]:
    """Return the first parts of the names of all modules that the imports of a file name: `a` for `import a.b`, `from
    a import c` and `from a.b import c`. The result may contain other words, because strings and comments are searched,
    too."""
    found: set[bytes] = set()
    before, *parts = data.split(b"import")
    for part in parts:
        if match := _WORD.match(part):
            found.add(match[1])
        words = before[before.rfind(b"\n") + 1 :].split()
        if len(words) > 1 and words[-2].endswith(b"from"):
            found.add(words[-1].partition(b".")[0])
        elif b"," in part:
            names = part.partition(b"\n")[0].split(b",")[1:]
            found.update(match[1] for name in names if (match := _WORD.match(name)))
        before = part
    return frozenset(found)
