"""Text of others in what an editor shows: pop-ups, hovers, titles."""

from __future__ import annotations

import re

from uncuda.printable import cut, cut_middle, printable
from uncuda.printable import markdown_code as code

__all__ = ["code", "label", "popup", "sentence"]

_LONGEST = 1_000
_CODE = re.compile("`([^`]*)`")


def popup(text: str) -> str:
    """A message for a pop-up: one line, and no link: VS Code makes one of `[…](command:…)` in a file's name."""
    return printable(cut_middle(text, _LONGEST)).replace("](", "]\\x28")


def sentence(text: str) -> str:
    """What a diagnostic says: no editor reads Markdown there, so code stands in quotes."""
    return _CODE.sub(lambda found: f"'{found[1]}'", printable(text))


def label(text: str) -> str:
    """The title of an action or a button."""
    return cut(printable(text))
