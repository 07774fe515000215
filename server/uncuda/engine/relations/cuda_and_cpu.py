"""Finds code that hands tensors or graphs to a library which takes them only on CUDA and on the CPU, as Horovod and
DGL do. Unported, such code runs on the CPU of a machine without CUDA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import PurePath

from ... import lazy_re
from ...checks import Context
from ...checks.branches import Branches
from ...facts.names import from_imports, plain_imports
from ...facts.scans import plain, whole_word
from ...module_names import imported_from

FOR_LIBRARY = "for-cuda-and-cpu"
"""The id in rules/limits.tsv of the sentence "this code is for a library that takes tensors and graphs only on CUDA and
on the CPU"."""
_WORD = 4  # the number of characters of a name, such as `warp`, that a module of another kind may have, too
_HOROVOD = ("hvd", "orovod")
_BLOCKS = frozenset({"class", "def"})
_DEFAULT = lazy_re.compile(r"\w+[^,()=\n]*=")  # the default of a parameter: `horovod: bool = False`


class CudaAndCpu:
    """Tells which code of one text is there for a library that takes objects only on CUDA and on the CPU. The target's
    table lists these libraries with the kind `cuda-and-cpu`."""

    def __init__(self, branches: Branches, context: Context) -> None:
        self._facts, self._indents, self._work = branches.facts, branches.indents, branches.work
        self._context = context

    def holds(self, at: int) -> bool:
        """Return whether an offset is in a file for such a library, or in a function or class for one. A file is for a
        library if it imports it outside of all blocks; for Horovod, also if the file's name says so. A function is for
        a library if a line directly in its body begins with the import, and so is a function such as `get_device` at
        module level that a file for such a library imports. A function or class is for Horovod if its
        header names Horovod, but not in a parameter with a default: `def test_sum(hvd_executor):`."""
        if self._is_whole:
            return True
        lines = (self._indents.header_at(at), *self._indents.headers(at)) if self._headers else ()
        self._work.compare(len(lines))
        return any(line.start in self._headers for line in lines)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether the file is for such a library."""
        name = PurePath(self._context.path).name
        named = any(word in name for word in _HOROVOD) and any(map(self._facts.says, _HOROVOD))
        if named or self._imports_user():
            return True
        return any(map(self._is_imported, self._libraries))

    @cached_property
    def _libraries(self) -> Sequence[str]:
        """The libraries of which the file imports the package."""
        context, target = self._context, self._context.target
        if not context.imports_from(target.cuda_and_cpu_roots):
            return ()
        roots = context.imported_roots
        return [one for one in sorted(target.cuda_and_cpu) if one.partition(".")[0] in roots]

    def _imports_user(self) -> bool:
        """Return whether the file imports, outside of all blocks, a module of the project that imports such a
        library."""
        context, listed = self._context, self._context.target.cuda_and_cpu
        roots = context.project.roots_of_users
        if not roots or not context.path or not context.imports_from(roots):
            return False
        searches = self._facts.searches
        for dotted in {dotted for _, dotted in chain(plain_imports(searches), from_imports(searches))}:
            parent = dotted.rpartition(".")[0]
            for name in filter(None, (dotted, parent)):
                found = context.project.libraries_of(imported_from(name, context.path), context.path)
                if not found.isdisjoint(listed):
                    if any(map(self._is_at_top, (f"import {name}", f"from {name}", f"from {parent or '.'}"))):
                        return True
        return False

    def _is_imported(self, library: str) -> bool:
        """Return whether the file imports a library, or a part of one, outside of all blocks."""
        parent, context = library.rpartition(".")[0], self._context
        found = self._is_at_top(f"import {library}") or self._is_at_top(f"from {library}")
        if not found and parent:
            found = library in context.foreign_names.values() and self._is_at_top(f"from {parent}")
            found = found or (self._facts.says(library) and self._is_at_top(f"import {parent}"))
        return found and not self._is_own(library)

    def _is_own(self, library: str) -> bool:
        """Return whether an import finds a module of the project that only has the name of a library. A module with a
        longer name is the library itself, in its own project or copied: its code runs its kernels, too."""
        is_word = len(library.partition(".")[0]) <= _WORD
        return is_word and self._context.project.owns(library, self._context.path)

    def _is_at_top(self, words: str) -> bool:
        """Return whether a line begins with these words."""
        layout = self._facts.layout
        places = self._facts.searches.find(("whole", words), whole_word(words))
        return any(at == layout.line_start(at) and not layout.token_at(at) for at in places)

    @cached_property
    def _headers(self) -> frozenset[int]:
        """The starts of the headers of functions and classes for such a library."""
        return frozenset(chain(self._found(), self._importing(), self._makers()))

    def _makers(self) -> Iterator[int]:
        """Yield the starts of the headers of functions that make devices for code with such a library in other
        files."""
        for words in (f"def {name}(" for name in sorted(self._context.project.makers_in(self._context.path))):
            for at in self._facts.searches.find(("text", words), plain(words)) if self._facts.says(words) else ():
                line = self._indents.header_at(at)
                if line.start == at and not line.indent:
                    yield at

    def _importing(self) -> Iterator[int]:
        """Yield the starts of the headers of functions that import such a library directly in their body."""
        layout, searches = self._facts.layout, self._facts.searches
        for words in (f"{word} {library}" for library in self._libraries for word in ("import", "from")):
            for at in searches.find(("whole", words), whole_word(words)):
                header = self._indents.header_at(at)
                above = self._indents.header_above(at) if header.start == at and not layout.token_at(at) else None
                if above is not None and above.word == "def":
                    if not self._is_own(words.partition(" ")[2]):
                        yield above.start

    def _found(self) -> Iterator[int]:
        for name in filter(self._facts.says, _HOROVOD):
            for at in self._facts.searches.find(("text", name), plain(name)):
                line = self._indents.header_at(at)
                if line.word in _BLOCKS and line.start <= at < line.end and not _DEFAULT.match(self._facts.text, at):
                    yield line.start
