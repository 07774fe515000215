"""Reads statements that this Python's `ast` rejects but libcst accepts: PEP 701 f-strings, PEP 695 `type` and generics,
t-strings, `except*`. If libcst is not installed, uncuda ignores statements that this Python's `ast` rejects.

libcst is only used to confirm that a text is valid Python. After libcst has accepted a text, the new syntax in it is
replaced by old syntax of the same length, and `ast` parses the result. In every Python version, the fields of f-strings
are parsed one by one.
"""

from __future__ import annotations

import re

from .. import lazy_re
from ..limits import Limits
from .depth import nesting, split_strings
from .piece import Piece, read_line
from .strings import formatted_end, plain_end

_STRING = lazy_re.compile(r"#[^\n\r]*|(?<![\w\"'])([A-Za-z]{0,2})(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')")
_ALIAS = lazy_re.compile(r"type[ \t]+(?=\w)[^=\n]*?(?=[ \t]*=)")
_GENERIC = lazy_re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+\w+[ \t]*(?=\[)")
_BRACKET = lazy_re.compile(r"[(\[{]")
_STEP = lazy_re.compile(r"\b(?:not|and|or|if|else|await|lambda|for|in|is)\b|[.+*/%@&|^~<>:-]")
# this many operators in a field of an f-string count as one bracket: libcst takes a minute for thousands of operators,
# and crashes if there are even more
_STEPS = 2
_WRAPPERS = (
    "{}", "{}\n pass", "if 0:pass\n{}\n pass", "if 0:pass\n{}", "try:pass\n{}\n pass", "try:pass\n{}",
    "{}\n pass\nexcept:pass", "{}\ndef _():pass", "match 0:\n {}\n  pass", "match 0:\n {}",
)  # fmt: skip


def readable(text: str, depth: int = Limits.depth) -> bool:
    """Whether libcst can parse a text; False, without calling libcst, if the text is nested deeper than `depth`
    brackets."""
    return _is_shallow(text, depth) and _parses(text)


def _parses(text: str) -> bool:
    try:
        import libcst
    except ImportError:
        return False
    try:
        libcst.parse_module(text)
    except Exception:  # noqa: BLE001 libcst raises several kinds; whichever it is, the text is not readable
        return False
    return True


def _is_shallow(text: str, depth: int) -> bool:
    """Whether a text is not too deep for libcst, which recurses on the stack of this process.

    To find where an f-string ends, libcst parses the f-string first, without the text around it; only then is it known
    which brackets of that text are code.
    """
    parts = split_strings(text)
    if parts is None:
        return False
    plain, fields = parts
    deepest = max((len(_BRACKET.findall(part)) + len(_STEP.findall(part)) // _STEPS for part in fields), default=0)
    return deepest + nesting(plain, depth) <= depth and all(_parses(f"({part})") for part in fields)


def read_new_syntax(text: str, depth: int = Limits.depth) -> Piece | None:
    """Parse a logical line that only libcst accepts; None if libcst is not installed or rejects it, too. `depth`: the
    highest allowed nesting; a line that is nested more deeply is not parsed, and the result is None."""
    plain = _blanked(text)
    if plain is None or plain == text:
        return None
    piece = read_line(plain)
    if piece is None or not _is_shallow(text, depth):
        return None
    if not any(_parses(wrapper.replace("{}", text)) for wrapper in _WRAPPERS):
        return None
    piece.text = text
    return piece


def wants_libcst(text: str) -> bool:
    """Whether a logical line that could not be parsed looks like newer Python, which libcst could parse if it were
    installed."""
    try:
        import libcst  # noqa: F401
    except ImportError:
        pass
    else:
        return False
    plain = _blanked(text)
    return plain is not None and plain != text and read_line(plain) is not None


def _blanked(text: str) -> str | None:
    """Return the text with new syntax replaced by old syntax of the same length, in characters and in bytes."""
    parts, position = [], 0
    for start, end in _formatted_strings(text):
        parts += [text[position:start], _placeholder(text[start:end])]
        position = end
    plain = "".join(parts) + text[position:]
    if match := _ALIAS.match(plain):
        plain = "_" * match.end() + plain[match.end() :]
    elif match := _GENERIC.match(plain):
        depth, end = 0, match.end()
        while end < len(plain):
            depth += {"[": 1, "]": -1}.get(plain[end], 0)
            end += 1
            if not depth:
                break
        plain = plain[: match.end()] + _hidden(plain[match.end() : end], " ") + plain[end:]
    elif re.match(r"except[ \t]*\*", plain):
        plain = plain.replace("*", " ", 1)
    return plain


def _formatted_strings(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    position = 0
    while match := _STRING.search(text, position):
        position = match.end()
        quotes = match[2] or match[3]
        if not quotes:
            continue
        prefix = (match[1] or "").lower()
        formatted = "f" in prefix or "t" in prefix
        end = formatted_end(text, position, quotes)[0] if formatted else plain_end(text, position, quotes)
        if end < 0:
            return spans
        position = end + len(quotes)
        if formatted:
            spans.append((match.start(), position))
    return spans


def reusing(text: str) -> int:
    """Return the number of f-string fields that contain the quotes of their own f-string, which Python before 3.12
    rejects."""
    found = position = 0
    while match := _STRING.search(text, position):
        position, quotes = match.end(), match[2] or match[3]
        if not quotes:
            continue
        fields: list[tuple[int, int]] = []
        if "f" in (match[1] or "").lower():
            end, fields = formatted_end(text, position, quotes)
        else:
            end = plain_end(text, position, quotes)
        if end < 0:
            return found
        position = end + len(quotes)
        inside = [text[start:stop] for start, stop in fields]
        found += sum((quotes in each) + reusing(each) for each in inside if '"' in each or "'" in each)
    return found


def _placeholder(text: str) -> str:
    """Return a plain string literal of the same length as a text, with the same line breaks."""
    quotes = "'''" if "\n" in text and len(text) >= 6 else "'"
    return quotes + _hidden(text[len(quotes) : -len(quotes)], "_") + quotes


def _hidden(text: str, fill: str) -> str:
    return "".join(char if char in "\r\n" or not char.isascii() else fill for char in text)
