"""Finds module-level constants that name a target's device or backend: `BACKEND = "hccl"` shows the project's
target."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from ..byte_search import contains_any
from ..facts.layout import Layout
from ..limits import LimitExceeded


class Constants:
    """Finds constants such as `DEVICE = "musa"` in texts; `words` maps each target to the names of its device and
    backend."""

    def __init__(self, words: Mapping[str, tuple[str, ...]]) -> None:
        self._owners = {word: target for target, own in words.items() for word in own if word}
        self._quoted = [quote + word.encode() for word in self._owners for quote in (b'"', b"'")]
        either = "|".join(map(re.escape, sorted(self._owners)))
        self._constant = re.compile(
            rf"^([A-Z][A-Z0-9_]*)[ \t]*(?::[^=\n]+)?=[ \t]*[\"']({either})(?::\d+)?[\"'][ \t]*(?=#|\r?$)", re.M
        )

    def named(self, data: bytes) -> dict[str, str]:
        """Return the targets that constants in a text name, each with the line of the first constant that names it.

        A constant whose name contains the backend's name, such as `HCCL_BACKEND = "hccl"`, is ignored, because it only
        gives the backend a name and does not choose it.
        """
        found: dict[str, str] = {}
        # A fast search for the quoted name comes first and excludes most files; the name `npu` without quotes occurs in
        # every `input`.
        if not contains_any(data, self._quoted):
            return found
        text = data.decode("utf-8", "replace")
        layout: Layout | None = None
        for match in self._constant.finditer(text):
            layout = layout or Layout(text)
            if match[2] not in match[1].lower() and layout.token_at(match.start()) == "":
                found.setdefault(self._owners[match[2]], match[0].strip())
        return found

    def known(self, named: dict[str, str], data: bytes) -> dict[str, str]:
        """Return the targets named in earlier texts or in this one; a text that exceeds a work limit adds no target."""
        with suppress(LimitExceeded):
            return self.named(data) | named
        return named
