"""Module-level constants that name a target's device or backend: `BACKEND = "hccl"` says what a project runs on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from ..facts.layout import Layout
from ..limits import LimitExceeded


class Constants:
    """Finds the constants in texts; `words`: those of each target."""

    def __init__(self, words: Mapping[str, tuple[str, ...]]) -> None:
        self._owners = {word: target for target, own in words.items() for word in own if word}
        self._words = [(word, (b'"' + word, b"'" + word)) for word in map(str.encode, self._owners)]
        either = "|".join(map(re.escape, sorted(self._owners)))
        self._constant = re.compile(
            rf"^([A-Z][A-Z0-9_]*)[ \t]*(?::[^=\n]+)?=[ \t]*[\"']({either})(?::\d+)?[\"'][ \t]*(?=#|\r?$)", re.M
        )

    def named(self, data: bytes) -> dict[str, str]:
        """The targets that a constant of a text names, each with the first such line.

        `HCCL_BACKEND = "hccl"` is an entry of a list of backends, not a choice: a name that says the word does not
        count.
        """
        found: dict[str, str] = {}
        # A word first: where it is missing, one search tells; `npu` alone is in every `input`.
        if not any(word in data and any(one in data for one in quoted) for word, quoted in self._words):
            return found
        text = data.decode("utf-8", "replace")
        layout: Layout | None = None
        for match in self._constant.finditer(text):
            layout = layout or Layout(text)
            if match[2] not in match[1].lower() and layout.token_at(match.start()) == "":
                found.setdefault(self._owners[match[2]], match[0].strip())
        return found

    def known(self, named: dict[str, str], data: bytes) -> dict[str, str]:
        """What earlier texts named, and what one more does; nothing of one that goes beyond a limit."""
        with suppress(LimitExceeded):
            return self.named(data) | named
        return named
