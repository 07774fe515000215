"""Every sentence that a user is told in two languages, by room and key; and the language in which he is spoken to.

A room is a table of its own, loaded where it is asked: help of the command line, reports, the server's commands,
editors, findings. What rules, tables and settings say stands where they are declared.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import ClassVar

Room = Mapping[str, tuple[str, str]]
"""Sentences by key, in English and Chinese. Values stand in braces, by number or by name, the same in both."""

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
"""What is counted: one in English, several, and the Chinese with its measure word."""


def language(locale: str) -> str:
    """ "en" or "zh" for a setting of the locale; "auto" asks the environment."""
    if locale in ("en", "zh"):
        return locale
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


class Sentences:
    """The sentences of one room in one language: "en" or "zh"."""

    room: ClassVar[Room]

    def __init__(self, locale: str) -> None:
        self.locale = locale
        self.chinese = locale == "zh"

    def __call__(self, key: str, *values: object, **named: object) -> str:
        """The sentence for `key` with values in its braces."""
        return self.room[key][self.chinese].format(*values, **named)

    def count(self, number: int, key: str) -> str:
        """`3 findings`, `1 finding`, `3 处问题`."""
        one, many, zh = _COUNTED[key]
        return f"{number:,} {zh if self.chinese else one if number == 1 else many}"

    def join(self, parts: Iterable[str]) -> str:
        """The parts as a list."""
        return ("，" if self.chinese else ", ").join(parts)
