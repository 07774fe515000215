"""Makes text safe to print on a terminal or in the log of a CI system: characters that control a terminal are replaced
by Python's escapes.

Untrusted text means file names, comments, settings, and messages of Python that quote them. Untrusted text is escaped
when it is written to a terminal, a log or a message in an editor; findings, paths and edits in memory are not escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from uncuda import lazy_re

# Matches ASCII and C1 control characters, marks that change the direction of text, line separators, and lone
# surrogates.
_LATER = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff"
_STEERING = lazy_re.compile(f"[\\x00-\\x1f{_LATER}]")
_STEERING_JSON = lazy_re.compile(f"[{_LATER}]")  # JSON already escapes the other control characters in strings
# GitHub runs lines that begin with `::`, or contain `##[`, as commands; Azure Pipelines runs `##vso[`.
_COMMAND = lazy_re.compile(r"(?:(?<=##)|(?<=##vso))\[", re.IGNORECASE)
_COMMAND_START = lazy_re.compile(r"(\A\s*):(?=:|\Z)")
_BACKTICKS = lazy_re.compile("`+")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
LONGEST_QUOTE = 200


def printable(text: str) -> str:
    r"""Return the text on one line, without characters that control a terminal and without text that a CI system runs
    as a command.

    The escapes are Python's: `\n`, `\x1b`, `\u202e`, and `\udcff` for the byte 0xff in a name that is not UTF-8.
    Printable characters are unchanged, including backslashes.
    """
    if text.isprintable() and "##" not in text and "::" not in text and not text.endswith(":"):
        return text
    return _COMMAND_START.sub(r"\1\\x3a", _COMMAND.sub(r"\\x5b", controls_escaped(text)))


def printable_lines(text: str) -> str:
    """Return a text of several lines with each line escaped as `printable` does."""
    return "\n".join(map(printable, text.split("\n")))


def controls_escaped(text: str) -> str:
    """Return the text on one line, without characters that control a terminal; text that a CI system runs as a command
    stays."""
    return text if text.isprintable() else _STEERING.sub(_escape, text)


def printable_json(text: str) -> str:
    """Return JSON text with the same value, without characters that control a terminal or text that a CI system runs as
    a command."""
    if text.isprintable() and "##" not in text:
        return text
    return _COMMAND.sub(r"\\u005b", _STEERING_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def cut(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Return the text; if it has more characters than `longest`, its beginning and an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def cut_middle(text: str, longest: int) -> str:
    """Return the text; if it has more characters than `longest`, its beginning, an ellipsis and its end, because
    messages end with what to do."""
    return text if len(text) <= longest else f"{text[: longest * 2 // 3]} … {text[-longest // 3 :]}"


def markdown_code(text: str) -> str:
    """Return a text as a code span in Markdown, with more backticks around it than any run of backticks in the text."""
    text = cut(printable(text))
    runs = [len(run) for run in _BACKTICKS.findall(text)]
    if not runs:
        return f"`{text}`"
    fence = "`" * (max(runs) + 1)
    return f"{fence} {text} {fence}"


def code_parted(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a sentence, each with True if the part is code in backticks, otherwise False.

    If the number of backticks is odd, the whole sentence is a single part that is not code.
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:
        yield text, False
        return
    for number, part in enumerate(parts):
        if part:
            yield part, number % 2 == 1


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return _NAMED.get(char) or (f"\\x{ord(char):02x}" if char < "\u0100" else f"\\u{ord(char):04x}")
