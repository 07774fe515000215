"""Escapes text from users and files for pop-ups, hovers and titles."""

from __future__ import annotations

from uncuda import lazy_re
from uncuda.printable import cut, cut_middle, printable
from uncuda.printable import markdown_code as code

__all__ = ["code", "label", "popup", "sentence"]

_LONGEST = 1_000
_CODE = lazy_re.compile("`([^`]*)`")


def popup(text: str) -> str:
    """Return a text for a pop-up: one line, in which nothing becomes a link. VS Code would make a link even from
    `[…](command:…)` in a file name."""
    return printable(cut_middle(text, _LONGEST)).replace("](", "]\\x28")


def sentence(text: str) -> str:
    """Return a text for a diagnostic, with code in quotes instead of backticks, because no editor renders Markdown
    there."""
    return _CODE.sub(lambda found: f"'{found[1]}'", printable(text))


def label(text: str) -> str:
    """Return `text` for the title of an action or a button: control characters are escaped, and a long text is cut."""
    return cut(printable(text))
