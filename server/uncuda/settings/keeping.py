"""Writes settings into a configuration file: only the lines of their keys change, all other lines stay as the user
wrote them.

The new text is parsed and must contain the old settings and the new values; otherwise nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import lazy_re
from .toml import InvalidTomlError, parse_toml

_HEADER = lazy_re.compile(r"[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*uncuda[ \t]*\][ \t]*(?:#.*)?$")
_TABLE = lazy_re.compile(r"[ \t]*\[")
_VALUE = lazy_re.compile(r"""([ \t]*([\w-]+)[ \t]*=[ \t]*)(?:"[^"\\]*"|'[^']*')([ \t]*(?:#.*)?)$""")
_NOTHING = lazy_re.compile(r"[ \t]*(?:#.*)?$")


class NotWrittenError(ValueError):
    """Raised if a key in the text is not on a separate line, so that it cannot be changed line by line."""


def with_values(text: str, inside: bool, values: Mapping[str, str | None]) -> str:
    """Return a configuration file's text with new values (None removes a key); `inside`: whether the keys are in
    `[tool.uncuda]`.

    Raise NotWrittenError if the keys cannot be changed line by line.
    """
    lines = text.split("\n")
    ending = "\r" if any(line.endswith("\r") for line in lines[:-1]) else ""
    first, last = _section([line.rstrip("\r") for line in lines], inside)
    added: list[str] = []
    for key, value in values.items():
        at = next((number for number in range(first, last) if _key(lines[number]) == key), None)
        if at is not None and value is None:
            del lines[at]
            last -= 1
        elif at is not None:
            found = _VALUE.match(lines[at].rstrip("\r"))
            assert found is not None
            end = "\r" if lines[at].endswith("\r") else ""
            lines[at] = f'{found[1]}"{value}"{found[3]}{end}'
        elif value is not None:
            added.append(f'{key} = "{value}"{ending}')
    while not inside and first < last and _NOTHING.match(lines[first].rstrip("\r")):
        first += 1  # keys are added below comments at the top of the file
    if added and first == len(lines):  # the file contains only comments, perhaps without a final line break
        lines = [*(lines if lines[-1] else lines[:-1]), *added, ""]
    else:
        lines[first:first] = added
    written = "\n".join(lines)
    _check(text, written, inside, values)
    return written


def _section(lines: list[str], inside: bool) -> tuple[int, int]:
    """Return the first line that may contain keys, and the line after the last line that may contain keys."""
    first = 0
    if inside:
        first = next((number for number, line in enumerate(lines, 1) if _HEADER.match(line)), 0)
        if not first:
            raise NotWrittenError
    return first, next((n for n in range(first, len(lines)) if _TABLE.match(lines[n])), len(lines))


def _key(line: str) -> str:
    found = _VALUE.match(line.rstrip("\r"))
    return found[2] if found else ""


def _check(before: str, after: str, inside: bool, values: Mapping[str, str | None]) -> None:
    try:
        wanted, found = parse_toml(before), parse_toml(after)
    except InvalidTomlError:
        raise NotWrittenError from None
    table = wanted["tool"]["uncuda"] if inside else wanted
    for key, value in values.items():
        table.pop(key, None)
        if value is not None:
            table[key] = value
    if wanted != found:
        raise NotWrittenError
