"""All sentences that a user reads, in English and Chinese, by key; and the choice of the language.

The sentences are in tables ("rooms"), each of which is loaded when it is needed: help of the command line, reports, the
server's commands, editors, findings. The texts of rules, tables and settings are in the files that define these rules,
tables and settings.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import ClassVar

Room = Mapping[str, tuple[str, str]]
"""A table of sentences by key, each in English and Chinese. Placeholders in braces are numbered or named, and are the
same in both languages."""

_COUNTED: Mapping[str, tuple[str, str, str]] = {
    "finding": ("finding", "findings", "处问题"),
    "file": ("file", "files", "个文件"),
    "folder": ("folder", "folders", "个目录"),
    "statement": ("statement", "statements", "条语句"),
    "name": ("other name", "other names", "个其他名称"),
    "more": ("more place", "more places", "处"),
    "decision": ("decision", "decisions", "项决定"),
    "example": ("example", "examples", "个示例"),
    "error": ("error", "errors", "个错误"),
    "warning": ("warning", "warnings", "个警告"),
    "information": ("information", "information", "条信息"),
}
"""Nouns that follow a number: the English singular and plural, and the Chinese noun with its measure word. `more`: the
places that are listed below a message which all of them share."""


def language(locale: str) -> str:
    """Return the language, "en" or "zh", for the value of the setting `locale`; "auto" reads the environment (LC_ALL,
    LC_MESSAGES, LANG)."""
    if locale in ("en", "zh"):
        return locale
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


class Sentences:
    """The sentences of one table in one language, "en" or "zh"."""

    room: ClassVar[Room]

    def __init__(self, locale: str) -> None:
        self.locale = locale
        self.chinese = locale == "zh"

    def __call__(self, key: str, *values: object, **named: object) -> str:
        """Return the sentence with a key, with its placeholders filled in."""
        return self.room[key][self.chinese].format(*values, **named)

    def count(self, number: int, key: str) -> str:
        """A number with its noun: `3 findings`, `1 finding`, `3 处问题`."""
        one, many, zh = _COUNTED[key]
        return f"{number:,} {zh if self.chinese else one if number == 1 else many}"

    def join(self, parts: Iterable[str]) -> str:
        """The parts joined by commas."""
        return ("，" if self.chinese else ", ").join(parts)
