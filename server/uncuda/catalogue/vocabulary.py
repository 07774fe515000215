"""Validates a rule's declaration: reports unknown keys, values of a wrong type, and placeholders that have no value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .keys import CHECKS, FLAG, NUMBER, PATTERN, PATTERNS, TABLE, TEXT, TEXTS, Key, keys_of
from .model import IN_BRACES, nearest, strings
from .words import HELPER_NAMES

_MESSAGES = ("message", "message-zh")
_LAST = {"last"}  # `{last}` is the last part of the replaced dotted name


def problems(raw: Mapping[str, Any], words: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the errors in a rule's declaration, each as the wrong key and a sentence about the error. `words`: the
    placeholders that a target may replace."""
    check = raw.get("check")
    if not isinstance(check, str):
        yield "check", "'check' is missing" if check is None else "check must be a string"
        return
    if check not in CHECKS:
        yield "check", f"unknown check {check!r}{nearest(check, CHECKS)}"
        return
    keys = keys_of(check)
    for name, value in raw.items():
        if name not in keys:
            yield name, _unknown(name, check, keys)
        elif what := _wrong(keys[name], value):
            yield name, what
        elif what := _unfilled(keys[name], value, check, words):
            yield name, what
    yield from ((key.name, f"{key.name!r} is missing") for key in keys.values() if key.required and key.name not in raw)


def _unknown(name: str, check: str, keys: Collection[str]) -> str:
    elsewhere = [other for other in CHECKS if name in keys_of(other)]
    if elsewhere and not (near := nearest(name, keys)):
        return f"{name!r} is no key of check {check!r}, but of {', '.join(elsewhere)}"
    return f"unknown key {name!r}{near if elsewhere else nearest(name, keys)}"


def _wrong(key: Key, value: Any) -> str | None:
    """The error in the value of a key; None if it is valid."""
    if (wrong := _wrong_kind(value, key.kind)) is not None:
        return f"{key.name} must be {wrong}"
    for name, inner in value.items() if key.each else ():
        if (wrong := _wrong_kind(inner, key.each)) is not None:
            return f"{key.name}: {name!r} must be {wrong}"
    said = value if isinstance(value, list) else [value]
    nothing = not said or value == {}
    if (nothing and not key.empty) or not all(text.strip() for text in strings(value)):
        return f"{key.name} is empty: say something, or leave it out"
    for word in said if key.choices else ():
        if word not in key.choices and key.kind == TEXT:
            return f"{key.name} = {word!r} is none of {', '.join(key.choices)}{nearest(word, key.choices)}"
        if word not in key.choices:
            return f"{key.name}: unknown word {word!r}{nearest(word, key.choices)}"
    return None


def _unfilled(key: Key, value: Any, check: str, words: Collection[str]) -> str | None:
    """Return an error if the value contains a placeholder without a word that replaces it; otherwise None."""
    known: set[str] = set(words)
    if key.name in _MESSAGES:
        known |= {"target", *CHECKS[check].words}
    elif key.name == "portable":
        known = {*HELPER_NAMES}
    elif check == "name":
        known |= _LAST
    elif not key.filled:
        return None
    for word in (name for text in strings(value) for name in IN_BRACES.findall(text)):
        if word not in known:
            return f"{key.name}: nothing fills {{{word}}}{nearest(word, known)}"
    return None


def _wrong_kind(value: Any, kind: str) -> str | None:
    if kind == TEXT:
        return None if isinstance(value, str) else "a string"
    if kind in (TEXTS, PATTERNS):
        good = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return None if good and kind == TEXTS else _wrong_pattern(value) if good else "a list of strings"
    if kind == NUMBER:
        return None if isinstance(value, int) and not isinstance(value, bool) else "a number"
    if kind == FLAG:
        return None if isinstance(value, bool) else "true or false"
    if kind == TABLE:
        return None if isinstance(value, dict) else "a table"
    assert kind == PATTERN
    return _wrong_pattern([value])


def _wrong_pattern(values: list[Any]) -> str | None:
    try:
        for value in values:
            re.compile(value)
    except (re.error, TypeError) as error:
        return f"a regular expression: {error}"
    return None
