"""Module-level constants that name a target's device or backend: `BACKEND = "hccl"` says what a project runs on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from uncuda.limits import LimitExceeded, Limits

from ..facts.layout import Layout
from ..source import SourceError
from .files import FileProblem
from .scan import Read, read_text


class Constants:
    """Finds the constants in texts; `words`: those of each target."""

    def __init__(self, words: Mapping[str, tuple[str, ...]]) -> None:
        self._owners = {word: target for target, own in words.items() for word in own if word}
        self._quoted = [(quote + word).encode() for word in self._owners for quote in "\"'"]
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
        if not any(quoted in data for quoted in self._quoted):
            return found
        text = data.decode("utf-8", "replace")
        layout: Layout | None = None
        for match in self._constant.finditer(text):
            layout = layout or Layout(text)
            if match[2] not in match[1].lower() and layout.token_at(match.start()) == "":
                found.setdefault(self._owners[match[2]], match[0].strip())
        return found


def named_targets(paths: Iterable[str], words: Mapping[str, tuple[str, ...]], read: Read = read_text) -> dict[str, str]:
    """The targets that a constant of the files names, each with the first such line; `words`: of each target."""
    constants = Constants(words)
    found: dict[str, str] = {}
    for path in paths:
        with suppress(FileProblem, SourceError, LimitExceeded):
            found = constants.named(read(path, Limits.bytes)) | found
    return found
