"""Parses TOML from untrusted files with Python's parser; every error is raised as one exception type with its line."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any

from uncuda import lazy_re

_MOST_PARTS = 16
# The parser takes time quadratic in the number of parts of a key. This expression can match only from the first part of
# a key, and each part must end before a dot, so that there is only one way to match.
_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = lazy_re.compile(rf"""(?<![\w."'-])(?:{_PART}[ \t]*\.[ \t]*){{{_MOST_PARTS}}}""")
# Matches strings and comments, which may look like a key with many parts. A string that is not closed extends to the
# end of the text.
_SAID = lazy_re.compile(
    r""""{3}(?:[^"\\]|\\.|"(?!""))*(?:"{3})?|'{3}(?:[^']|'(?!''))*(?:'{3})?|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|#[^\n]*""",
    re.DOTALL,
)
_LONG_NUMBER = lazy_re.compile(r"\d[\d_]{1000,}")
_BRACKET = lazy_re.compile(r"[\[{\]}]")
_DEEP = 100


class InvalidTomlError(ValueError):
    """Raised for a text that is not TOML, or that the parser cannot process. `line`: the line of the error, from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table of a TOML text; raise InvalidTomlError if the text is invalid."""
    toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    if _LONG_KEY.search(text) and (long := _LONG_KEY.search(keys := _SAID.sub(_blank, text))):
        raise InvalidTomlError(f"a key of more than {_MOST_PARTS} parts", _line(keys, long.start()))
    try:
        document: dict[str, Any] = toml.loads(text)
    except toml.TOMLDecodeError as error:
        found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(error), re.DOTALL)
        line = int(found[2]) if found and found[2] else text.count("\n") + 1
        raise InvalidTomlError(found[1] if found else str(error), line) from None
    except RecursionError:
        raise InvalidTomlError("nested too deeply", _line(text, _deepest(text))) from None
    except ValueError as error:  # Python cannot read an integer with so many digits
        number = _LONG_NUMBER.search(text)
        raise InvalidTomlError(str(error).partition(";")[0], _line(text, number.start() if number else 0)) from None
    return document


def _blank(said: re.Match[str]) -> str:
    """Return the replacement of a matched string or comment: for a string, `''` and as many line breaks as the string
    contains; for a comment, an empty text."""
    return "" if said[0].startswith("#") else "''" + "\n" * said[0].count("\n")


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _deepest(text: str) -> int:
    """Return an offset near which a text is nested too deeply; brackets in strings and comments are counted, too."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > _DEEP:
            return bracket.start()
    return 0
