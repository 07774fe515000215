"""Converts a text to one-byte characters; searches in such a text are up to four times as fast."""

from __future__ import annotations

from collections.abc import Sequence

from .changes import Region


def narrow(text: str) -> str:
    """Return the text with "?" for every character beyond Latin-1, so that each character takes one byte."""
    return text if text.isascii() else text.encode("latin-1", "replace").decode("latin-1")


def renewed(plain: str, text: str, regions: Sequence[Region]) -> str:
    """Return the result of `narrow` for an edited text; only the changed regions are converted. `plain`: the result of
    `narrow` for the text before the edit."""
    if text.isascii():
        return text
    parts, done = [], 0
    for region in regions:
        parts += [plain[done : region.old], narrow(text[region.new : region.new_end])]
        done = region.old_end
    return "".join([*parts, plain[done:]])
