"""Removes `import torch` if nothing uses it after the fixes."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Collection, Iterator, Sequence

from ...edits import Edit
from ...facts.read import Facts
from .placement import has_code

_LINE = re.compile(r"^import[ \t]+torch[ \t]*(?:\r?\n|\Z)", re.M)
_NAMES = re.compile(r"(?<![\w.])torch\b|\b(?:is_)?cuda\b")
_IMPORTS = re.compile(r"^[ \t]*(?:from[ \t]+torch[.\w]*[ \t]+import\b|import[ \t]+torch[.\w]*[ \t]+as\b)", re.M)
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+\.*([\w.]*)[^\n]*", re.M)
_FREE = sys.stdlib_module_names | {
    *("", "click", "hydra", "matplotlib", "numpy", "omegaconf", "packaging", "pandas", "PIL", "pytest", "requests"),
    *("scipy", "torch", "torchvision", "tqdm", "typing_extensions", "yaml"),
}
"""Modules that do not need torch to be imported before them, or that import it themselves."""
_COMPILED = re.compile(r"\b_C\b|_ext\b|_cuda\b")


class UnusedTorch:
    """Finds an `import torch` in one text that fixes make unused. `taken`: modules from which another file imports
    `torch`; `own`: top-level names of the project's modules."""

    def __init__(self, facts: Facts, path: str, taken: Collection[str], own: frozenset[str]) -> None:
        self._facts, self._own = facts, own
        name = posixpath.basename(path.replace("\\", "/"))
        module = name.removesuffix(".py")
        self._may_go = module not in taken and module != "__init__" and not name.endswith(".ipynb")

    def edits(self, edits: Sequence[Edit], place: int) -> list[Edit]:
        """Return the edit that removes `import torch` if these edits replace its last use, otherwise no edit. `place`:
        the offset at which the helper module is imported, which itself imports torch."""
        text = self._facts.text
        if not edits or not self._may_go or self._facts.says("__all__"):
            return []
        lines = list(_LINE.finditer(text))
        if len(lines) != 1 or self._facts.layout.token_at(lines[0].start()):
            return []
        if any("torch" in edit.text for edit in edits) or any(self._left(lines[0].span(), edits)):
            return []
        return [Edit(*lines[0].span(), "")] if self._is_free(lines[0].end(), place) else []

    def _is_free(self, start: int, place: int) -> bool:
        """Return whether every module imported between `import torch` and the import of the helper module works without
        torch being imported before."""
        if place < start or has_code(self._facts.text, start, place):
            return False
        for match in _IMPORT.finditer(self._facts.text, start, place):
            root = match[1].partition(".")[0]
            if _COMPILED.search(match[0]) or root not in _FREE | self._own:
                return False
        return True

    def _left(self, line: tuple[int, int], edits: Sequence[Edit]) -> Iterator[bool]:
        """Yield True for each use of torch that stays; a use in a string counts, and so does code that a later fix may
        change to use torch."""
        text, layout = self._facts.text, self._facts.layout
        self._facts.work.search(0, len(text))
        for match in _NAMES.finditer(text):
            at = match.start()
            if line[0] <= at < line[1] or layout.token_at(at) == "#":
                continue
            if any(edit.start <= at < edit.end for edit in edits):
                continue
            if match[0] == "torch" and _IMPORTS.match(text, layout.line_start(at)):
                continue
            yield True
