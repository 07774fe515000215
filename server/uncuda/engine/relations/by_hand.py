"""Finds code that makes the value by which a person chooses the target: the lines above `if device.startswith("npu"):`
with `try: import torch_npu`, and the functions whose results they assign to `device`. A fix of this code could change
which values reach the code of the person."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ... import lazy_re
from ...catalogue import Target
from ...checks.branches import Branches
from ...facts.scans import plain

_NAMES = lazy_re.compile(r"(?<![\w.\"'])[A-Za-z_]\w*")


class ByHand:
    """The spans of code in one text that makes the values by which a person chooses the target."""

    def __init__(self, branches: Branches, target: Target) -> None:
        self._branches, self._facts, self._indents = branches, branches.facts, branches.indents
        imported = f"import {target.words['package']}"
        places = self._facts.searches.find(("text", imported), plain(imported))
        self._spans = sorted({span for at in places for span in self._found(at)})

    def holds(self, at: int) -> bool:
        """Return whether an offset is in such code."""
        self._branches.work.compare(len(self._spans))
        return any(start <= at < end for start, end in self._spans)

    def _found(self, at: int) -> Iterator[tuple[int, int]]:
        """Yield the spans for an import of the plugin. A person wrote the import if it is in a `try` in the block of a
        condition that asks for the target, because fixes insert no import there."""
        headers = list(self._indents.headers(at))
        function = next((line for line in headers if line.word == "def"), None)
        if function is None or headers[0].word != "try" or headers[1].word not in ("if", "elif"):
            return
        asking = headers[1]
        condition = self._facts.text[asking.start : asking.end]
        if self._branches.asked(condition) > 0:
            self._facts.layout.reads(function.start, asking.end)
            yield function.start, asking.start
            yield from self._makers(frozenset(_NAMES.findall(condition)), function.end, asking.start)

    def _makers(self, names: frozenset[str], start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the spans of the functions of this text whose results the code between two offsets assigns to variables
        with these names."""
        self._branches.work.search(start, end)
        made = re.compile(rf"^[ \t]*(?:{'|'.join(sorted(names))})[ \t]*=[ \t]*(\w+)\(", re.M)
        for called in {match[1] for match in made.finditer(self._facts.text, start, end)}:
            head = f"def {called}("
            for at in self._facts.searches.find(("text", head), plain(head)):
                line = self._indents.header_at(at)
                if line.word == "def":
                    yield line.start, self._indents.extent(line.start)
