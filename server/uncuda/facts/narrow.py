"""A text with characters of one byte each: a search in it is up to four times as fast."""

from __future__ import annotations

from collections.abc import Sequence

from .changes import Region


def narrow(text: str) -> str:
    """The text with characters of one byte each, every other one as "?": a search in it is up to four times as fast."""
    return text if text.isascii() else text.encode("latin-1", "replace").decode("latin-1")


def renewed(plain: str, text: str, regions: Sequence[Region]) -> str:
    """The narrow form of a text, from that of the text that it came from."""
    if text.isascii():
        return text
    parts, done = [], 0
    for region in regions:
        parts += [plain[done : region.old], narrow(text[region.new : region.new_end])]
        done = region.old_end
    return "".join([*parts, plain[done:]])
