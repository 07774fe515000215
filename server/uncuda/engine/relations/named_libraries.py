"""Finds conditions that ask for CUDA and choose a library, or an algorithm of one, by its name: `if x.is_cuda:
implementation = "warp"`; and conditions that choose the project's own package for CUDA or CUTLASS: `from .cuda import
Linear`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.scans import matches
from ...module_names import is_test
from .guarded import over_words
from .kernels import Libraries
from .questions import Questions

_DRIVERS = frozenset({"gesvda", "gesvdj"})
"""The names of algorithms that only cuSOLVER has; `torch.linalg.svd(driver=…)` takes them for tensors on CUDA only."""
_PACKAGE = lazy_re.compile(r"from[ \t]+(?!(?:torch|numba|cuda)\b)\.*(?:\w+\.)*(?:cuda|cutlass)(?:\.\w+)*[ \t]+import\b")
_SHOWS = lazy_re.compile(r"[ \t]*(?:print|warn|\w*log\w*\.\w+|warnings\.\w+)\(")


def over_named(hits: Sequence[Hit], questions: Questions, branches: Branches, libraries: Libraries) -> Iterator[int]:
    """Yield the indices of conditions that guard a string which is the name of a library that takes no tensors of the
    target (`Libraries.named`), or of an algorithm of cuSOLVER. The target's table says so of these libraries. Also
    yield those that guard an import from a module of the project that is called `cuda` or `cutlass`, or is in such a
    package, and those that guard uses of the imported names; in a file of tests, also of names that are imported
    without a condition."""
    if not questions.may_guard():
        return
    imports = set(_imports(branches))
    places = sorted({*_named(branches, libraries.named), *imports})
    chosen = imports.copy() if is_test(branches.path) else set[int]()
    for index in questions if places else ():
        for start, end in questions.regions(index):
            branches.work.compare(1 + len(places).bit_length())
            at = bisect_left(places, start)
            if at < len(places) and places[at] < end:
                chosen.update(imports.intersection(places[at : bisect_left(places, end)]) if imports else ())
                yield index
                break
    statements = (branches.facts.peek(at) for at in sorted(chosen))
    words = [(one.name, found.start) for found in statements if found is not None for one in found.digest.bindings]
    for held in over_words(words, hits, questions, branches, libraries) if words else ():
        yield held.question


def _named(branches: Branches, names: frozenset[str]) -> Iterator[int]:
    layout = branches.facts.layout
    found = branches.facts.searches.find(("named", names), matches(_pattern(names))) if names else ()
    for at in found:
        if at and not layout.token_at(at - 1) and layout.token_at(at) != "#" and not _is_shown(at, branches):
            yield at


def _imports(branches: Branches) -> Iterator[int]:
    """Yield the offsets of imports from the project's packages for CUDA."""
    found = branches.facts.searches.find(("imports", _PACKAGE), matches(_PACKAGE, "import"))
    yield from (at for at in found if not branches.facts.layout.token_at(at))


def _is_shown(at: int, branches: Branches) -> bool:
    """Return whether a string is in a message, such as that of a `raise`."""
    line = branches.indents.header_at(at)
    branches.work.search(line.start, line.end)
    return line.word in ("raise", "assert") or _SHOWS.match(branches.text, line.start, line.end) is not None


@cache
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for a string literal that is one of the names, or one of _DRIVERS."""
    return re.compile(rf"""(?<![\w"'\\])(["'])(?:{"|".join(sorted(map(re.escape, names | _DRIVERS)))})\1""")
