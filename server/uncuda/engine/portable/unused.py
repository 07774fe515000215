"""Removes `import torch` from a text whose fixes replace all uses of torch."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Collection, Iterator, Sequence

from ... import lazy_re
from ...edits import Edit
from ...facts.read import Facts
from .placement import has_code

_LINE = lazy_re.compile(r"^import[ \t]+torch[ \t]*(?:\r?\n|\Z)", re.M)
_INNER = lazy_re.compile(r"^[ \t]+import[ \t]+torch[ \t]*\r?\n(?:[ \t]*\r?\n)?", re.M)
"""Matches an import inside a function, with the empty line below the import."""
_NAMES = lazy_re.compile(r"(?<![\w.])torch\b|\b(?:is_)?cuda\b")
_IMPORTS = lazy_re.compile(r"^[ \t]*(?:from[ \t]+torch[.\w]*[ \t]+import\b|import[ \t]+torch[.\w]*[ \t]+as\b)", re.M)
_IMPORT = lazy_re.compile(r"^[ \t]*(?:from|import)[ \t]+\.*([\w.]*)[^\n]*", re.M)
_FREE = sys.stdlib_module_names | {
    *("", "click", "hydra", "matplotlib", "numpy", "omegaconf", "packaging", "pandas", "PIL", "pytest", "requests"),
    *("scipy", "torch", "torchvision", "tqdm", "typing_extensions", "yaml"),
}
"""Modules that may be imported before torch is imported."""
_COMPILED = lazy_re.compile(r"\b_C\b|_ext\b|_cuda\b")


class UnusedTorch:
    """Finds each `import torch` in one text that the fixes make unused. `taken`: modules from which another file
    imports `torch`; `own`: the top-level names of the project's modules."""

    def __init__(self, facts: Facts, path: str, taken: Collection[str], own: frozenset[str]) -> None:
        self._facts, self._own = facts, own
        name = posixpath.basename(path.replace("\\", "/"))
        module = name.removesuffix(".py")
        self._may_go = module not in taken and module != "__init__" and not name.endswith(".ipynb")

    def edits(self, edits: Sequence[Edit], place: int) -> list[Edit]:
        """Return edits that remove each `import torch` that the given edits make unused; empty if there is none.
        `place`: the offset at which the helper module is imported; the helper module imports torch."""
        text = self._facts.text
        if any("torch" in edit.text for edit in edits):
            return []
        return [*self._at_head(text, edits, place), *self._in_functions(text, edits)]

    def _in_functions(self, text: str, edits: Sequence[Edit]) -> Iterator[Edit]:
        """Yield the edits that remove an `import torch` from functions that contain the given edits."""
        for match in _INNER.finditer(text) if edits else ():
            header = next(self._facts.indents.headers(match.start()), None)
            if header is None or header.word not in ("def", "async") or self._facts.layout.token_at(match.start()):
                continue
            end = self._facts.indents.extent(header.start)
            inside = [edit for edit in edits if header.start <= edit.start < end]
            if inside and not any(self._left(match.span(), inside, (header.start, end))):
                yield Edit(*match.span(), "")

    def _at_head(self, text: str, edits: Sequence[Edit], place: int) -> list[Edit]:
        """Return the edit that removes the `import torch` at the top of the text."""
        if not edits or not self._may_go or self._facts.says("__all__"):
            return []
        lines = list(_LINE.finditer(text))
        if len(lines) != 1 or self._facts.layout.token_at(lines[0].start()):
            return []
        if any(self._left(lines[0].span(), edits, (0, len(text)))):
            return []
        return [Edit(*lines[0].span(), "")] if self._is_free(lines[0].end(), place) else []

    def _is_free(self, start: int, place: int) -> bool:
        """Whether all modules that are imported between torch and the helper module may be imported before torch."""
        if place < start:
            return True  # the helper module, which is imported above, has loaded torch already
        if has_code(self._facts.text, start, place):
            return False
        for match in _IMPORT.finditer(self._facts.text, start, place):
            root = match[1].partition(".")[0]
            if _COMPILED.search(match[0]) or root not in _FREE | self._own:
                return False
        return True

    def _left(self, line: tuple[int, int], edits: Sequence[Edit], within: tuple[int, int]) -> Iterator[bool]:
        """Yield True for each use of torch that remains after the edits. Words in strings other than docstrings count
        as uses of torch, because a later fix may write torch in place of the string."""
        text, layout = self._facts.text, self._facts.layout
        self._facts.work.search(*within)
        for match in _NAMES.finditer(text, *within):
            at = match.start()
            if line[0] <= at < line[1] or layout.token_at(at) == "#" or self._is_documentation(at):
                continue
            if any(edit.start <= at < edit.end for edit in edits):
                continue
            is_word = text[at - 1] in "\"'" and text[match.end() : match.end() + 1] in "\"':"
            if match[0] != "torch" and layout.token_at(at) and not is_word:
                continue  # the word is in text for people, not in code
            if match[0] == "torch" and _IMPORTS.match(text, layout.line_start(at)):
                continue
            yield True

    def _is_documentation(self, at: int) -> bool:
        """Return whether an offset is in a triple-quoted string that is a whole statement."""
        text, layout = self._facts.text, self._facts.layout
        string = layout.string_around(at)
        if string is None:
            return False
        start, end = layout.logical_line(string[0])
        return not text[start : string[0]].strip(" \t\r\nrRuU") and not text[string[1] : end].strip()
