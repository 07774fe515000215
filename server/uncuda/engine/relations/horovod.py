"""Finds code that hands tensors to Horovod, which takes only tensors of CUDA and of the CPU. Unported, such code runs
on the CPU. Source: `_check_function` in horovod/torch/mpi_ops.py."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from pathlib import PurePath

from ... import lazy_re
from ...checks.branches import Branches
from ...facts.scans import plain, whole_word

HOROVOD = "horovod"
"""The id in rules/limits.tsv of the sentence "Horovod takes only tensors of CUDA and of the CPU"."""
_NAMES = ("hvd", "orovod")
_BLOCKS = frozenset({"class", "def"})
_DEFAULT = lazy_re.compile(r"\w+[^,()=\n]*=")  # the default of a parameter: `horovod: bool = False`


class Horovod:
    """Tells which code of one text is there for Horovod."""

    def __init__(self, branches: Branches, path: str) -> None:
        self._facts, self._indents, self._work = branches.facts, branches.indents, branches.work
        self._path = path

    def holds(self, at: int) -> bool:
        """Return whether an offset is in a file for Horovod, or in a function or class for it. A file is for Horovod if
        its name says so, or if it imports Horovod outside of all blocks; a function or class, if its header names
        Horovod, but not in a parameter with a default: `def test_sum(hvd_executor):`."""
        if self._is_whole:
            return True
        lines = (self._indents.header_at(at), *self._indents.headers(at)) if self._headers else ()
        self._work.compare(len(lines))
        return any(line.start in self._headers for line in lines)

    @cached_property
    def _says(self) -> bool:
        return any(map(self._facts.says, _NAMES))

    @cached_property
    def _is_whole(self) -> bool:
        """Whether the file is for Horovod."""
        return self._says and (any(name in PurePath(self._path).name for name in _NAMES) or self._is_imported())

    def _is_imported(self) -> bool:
        facts = self._facts
        words = (f"{word} {HOROVOD}" for word in ("import", "from"))
        places = chain.from_iterable(facts.searches.find(("whole", one), whole_word(one)) for one in words)
        return any(at == facts.layout.line_start(at) and not facts.layout.token_at(at) for at in places)

    @cached_property
    def _headers(self) -> frozenset[int]:
        """The starts of the headers of functions and classes for Horovod."""
        return frozenset(self._found()) if self._says else frozenset()

    def _found(self) -> Iterator[int]:
        for name in _NAMES:
            for at in self._facts.searches.find(("text", name), plain(name)):
                line = self._indents.header_at(at)
                if line.word in _BLOCKS and line.start <= at < line.end and not _DEFAULT.match(self._facts.text, at):
                    yield line.start
