"""Determines which characters of the fixed text are new: compares lines first, then the words of changed lines."""

from __future__ import annotations

import difflib
import re

WORD = re.compile(rb"\w+|[^\s\w]")


class Change:
    """The columns, in bytes, that were replaced or added in each line (from 1) of the fixed text."""

    def __init__(self, before: str | None, after: str) -> None:
        self._spans: dict[int, list[tuple[int, int, bool]]] = {}
        self.whole = before is None
        new = after.encode().split(b"\n")
        old = (before or "").encode().split(b"\n")
        if before == after or self.whole:
            return
        for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "replace":
                self._compare(old[i:j], new[k:m], k + 1)
            elif tag == "insert":
                for line in range(k, m):
                    self._spans[line + 1] = [(0, len(new[line]), True)]

    def _compare(self, old: list[bytes], new: list[bytes], first: int) -> None:
        left = [word for line in old for word in WORD.findall(line)]
        right = [(first + n, found) for n, line in enumerate(new) for found in WORD.finditer(line)]
        matcher = difflib.SequenceMatcher(None, left, [found[0] for _, found in right], autojunk=False)
        for tag, _, _, k, m in matcher.get_opcodes():
            if tag in ("replace", "insert"):
                for line, found in right[k:m]:
                    self._spans.setdefault(line, []).append((found.start(), found.end(), tag == "insert"))

    def moved(self, line: int, start: int, end: int) -> bool:
        """Return whether any word between the columns `start` and `end` of a line is new."""
        return self.whole or any(a < end and start < b for a, b, _ in self._spans.get(line, ()))

    def added(self, line: int, start: int, end: int) -> bool:
        """Return whether the span is new and did not replace any text."""
        return self.whole or any(a < end and start < b and added for a, b, added in self._spans.get(line, ()))

    @property
    def any(self) -> bool:
        """Return whether the text changed at all."""
        return self.whole or bool(self._spans)
