"""Finds conditions that ask for CUDA and choose a library, or an algorithm of one, by its name: `if x.is_cuda:
implementation = "warp"`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache

from ... import lazy_re
from ...checks.branches import Branches
from ...facts.scans import matches
from .kernels import Libraries
from .questions import Questions

_DRIVERS = frozenset({"gesvda", "gesvdj"})
"""The names of algorithms that only cuSOLVER has; `torch.linalg.svd(driver=…)` takes them for tensors on CUDA only."""
_SHOWS = lazy_re.compile(r"[ \t]*(?:print|warn|\w*log\w*\.\w+|warnings\.\w+)\(")


def over_named(questions: Questions, branches: Branches, libraries: Libraries) -> Iterator[int]:
    """Yield the indices of conditions that guard a string which is the name of a library that takes no tensors of the
    target (`Libraries.named`), or of an algorithm of cuSOLVER. The target's table says so of these libraries."""
    if not libraries.named or not questions.may_guard():
        return
    layout = branches.facts.layout
    found = branches.facts.searches.find(("named", libraries.named), matches(_pattern(libraries.named)))
    places = [at for at in found if at and not layout.token_at(at - 1) and layout.token_at(at) != "#"]
    places = [at for at in places if not _is_shown(at, branches)]
    for index in questions if places else ():
        for start, end in questions.regions(index):
            branches.work.compare(1 + len(places).bit_length())
            at = bisect_left(places, start)
            if at < len(places) and places[at] < end:
                yield index
                break


def _is_shown(at: int, branches: Branches) -> bool:
    """Return whether a string is in a message, such as that of a `raise`."""
    line = branches.indents.header_at(at)
    branches.work.search(line.start, line.end)
    return line.word in ("raise", "assert") or _SHOWS.match(branches.text, line.start, line.end) is not None


@cache
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for a string literal that is one of the names, or one of _DRIVERS."""
    return re.compile(rf"""(?<![\w"'\\])(["'])(?:{"|".join(sorted(map(re.escape, names | _DRIVERS)))})\1""")
