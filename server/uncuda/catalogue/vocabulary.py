"""The words a rule may use: every check with its keys, and the values that keys take."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

STATUSES = ("supported", "present", "renamed", "limited", "replaced", "noop", "missing", "unlisted")
SEVERITIES = ("error", "warning", "information")
FIXES = ("safe", "review")
SHIM = ("flag", "silent", "table")
TAGS = ("deprecated",)  # how an editor shows a place: struck through
ROLES = ("argument", "comparison", "membership", "default", "assignment", "key", "value", "item", "subscript",
         "return", "receiver", "case", "concatenation", "compared")  # fmt: skip

# Kinds of values: how a key is checked.
TEXT, TEXTS, NUMBER, FLAG, TABLE, PATTERN, PATTERNS = "text", "texts", "number", "flag", "table", "pattern", "patterns"

COMMON: dict[str, str] = {
    "check": TEXT, "severity": TEXT, "fix": TEXT, "needs": TEXT, "when-imported": TEXT, "shim": TEXT, "status": TEXTS,
    "imports": TEXTS, "anchors": TEXTS, "with-torch": FLAG, "gate": TEXTS, "gate-patterns": PATTERNS, "tags": TEXTS,
    "title-zh": TEXT, "message": TEXT, "message-zh": TEXT,
}  # fmt: skip

CHECKS: dict[str, dict[str, str]] = {
    "name": {"names": TEXTS, "members-only": FLAG, "called": FLAG, "exact": FLAG, "replace": TEXT,
             "replacements": TABLE, "skip-calls": TEXTS, "silent-calls": TEXTS, "review-limits": TEXTS,
             "manual-limits": TEXTS, "fields": TEXTS, "numbers": TABLE, "results": TABLE, "collectives": TEXTS,
             "unbound": TEXTS, "leading": TABLE, "beyond": TABLE, "only-with": TEXTS,
             "call-limits": TABLE, "group": TEXT, "harmless-sources": TEXTS, "by-hand-words": TEXTS, "on-device": FLAG},
    "method": {"methods": TEXTS, "call": FLAG, "replace": TEXT, "arguments": TEXTS, "receivers": TEXTS,
               "not-from": TABLE, "for-all": TEXT, "with-device": TEXT, "scripted": TEXT, "collectives": TEXTS,
               "on-device": FLAG},
    "string": {"pattern": PATTERN, "words": TABLE, "calls": TEXTS, "parameters": TEXTS, "methods": TEXTS,
               "anywhere": FLAG, "names": TEXTS, "compared": TEXTS, "beside": TEXTS, "near": TEXTS, "otherwise": TEXT,
               "apart": TEXTS, "hints": TEXTS, "own": FLAG, "questions": TEXTS, "entry": FLAG, "silent-calls": TEXTS,
               "commands": TEXTS, "implementations": TEXTS, "message-text": FLAG,
               "silent-parameters": TEXTS, "silent-names": TEXTS,
               "roles": TEXTS, "shim-roles": TEXTS, "shim-fix": TEXT, "needs-import": TEXTS},
    "argument": {"calls": TEXTS, "argument": TEXT, "position": NUMBER, "replace": TEXT, "add": TEXT,
                 "values": TEXTS, "statements": TABLE, "rename": FLAG},
    "module": {"modules": TEXTS, "except": TEXTS, "pattern": PATTERN, "status": TEXTS, "uses": FLAG,
               "probes": TEXTS},
    "environment": {"calls": TEXTS, "mappings": TEXTS, "names": TEXTS, "status": TEXTS, "value-limits": TEXTS,
                    "format-limits": TEXTS, "values": TEXTS},
    "missing-import": {"words": TEXTS, "by-itself": TEXT},
    "jit-script": {"names": TEXTS},
    "amp-c": {"module": TEXT, "part": TEXT, "applier": TEXT},
    "integer-device": {"calls": TEXTS, "methods": TEXTS, "arguments": TEXTS},
    "accelerator-api": {"names": TEXTS, "cases": TABLE, "ways": TABLE},
    "accelerator-member": {},
    "missing-shim": {},
    "suppression": {},
}  # fmt: skip

_ALLOWED = {
    "severity": SEVERITIES, "fix": FIXES, "shim": SHIM, "otherwise": ("review", "silent"), "shim-fix": FIXES,
}  # fmt: skip
EXAMPLE_OPTIONS = ("version", "torch", "strategy")  # ```python npu version:2.6.0
REQUIRED = ("check", "severity", "message", "message-zh")


def nearest(word: str, words: Any) -> str:
    """` (did you mean …?)` when a known word is close, else an empty string."""
    close = get_close_matches(word, list(words), n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""


def problem(key: str, value: Any, check: str) -> str | None:
    """What is wrong with one key of a rule, or None."""
    keys = COMMON | CHECKS[check]
    if key not in keys:
        return f"unknown key {key!r}{nearest(key, keys)}"
    kind = keys[key]
    if (wrong := _wrong_kind(value, kind)) is not None:
        return f"{key} must be {wrong}"
    allowed = _ALLOWED.get(key)
    if allowed and value not in allowed:
        return f"{key} = {value!r} is none of {', '.join(allowed)}{nearest(value, allowed)}"
    lists = {"status": _statuses(check), "shim-roles": ROLES, "roles": ROLES, "tags": TAGS}.get(key)
    for word in value if lists else ():
        if lists and word not in lists:
            return f"{key}: unknown word {word!r}{nearest(word, lists)}"
    return None


def _statuses(check: str) -> tuple[str, ...]:
    if check == "module":
        return ("adapted", "upstream", "replaced", "unsupported", "unknown")
    if check == "environment":
        return ("safe", "review", "manual")
    return STATUSES


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
    return _wrong_pattern([value])


def _wrong_pattern(values: list[Any]) -> str | None:
    try:
        for value in values:
            re.compile(value)
    except (re.error, TypeError) as error:
        return f"a regular expression: {error}"
    return None
