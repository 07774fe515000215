"""Validates a configuration against the table of options."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from uncuda.catalogue.model import nearest

from .options import BY_NAME, Option
from .patterns import MOST_PATTERNS, PatternError, check_pattern


class SettingsError(ValueError):
    """Raised if a configuration is invalid. `path` and `line` say where the error is, if known; `str()` begins with
    them."""

    def __init__(self, message: str, path: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.path and self.line else self.path
        return f"{place}: {self.message}" if place else self.message


class ValueProblem(ValueError):
    """Raised for an invalid value; `words`: the keys and values that lead to it, outermost first."""

    def __init__(self, message: str, *words: str) -> None:
        super().__init__(message)
        self.words = words


class Vocabulary(NamedTuple):
    """The values of settings that the catalogue defines: ids of targets, names of rules."""

    targets: Collection[str]
    rules: Collection[str]


def read_values(table: Mapping[str, object], vocabulary: Vocabulary) -> dict[str, object]:
    """Convert a configuration's table (kebab-case keys) to values for the fields of Settings; raise ValueProblem for
    the first error."""
    values: dict[str, object] = {}
    for key, value in table.items():
        option = BY_NAME.get(key)
        if option is None:
            raise ValueProblem(f"unknown key `{key}`{_hint_key(key)}", key)
        values[option.field] = _read(option, value, vocabulary)
    if values.get("strategy") == "portable":
        for key in ("target", "target-version"):
            if key in table:
                raise ValueProblem(f'`{key}` is of one target, `strategy = "portable"` is for all: leave one out', key)
    return values


def check_choice(what: str, word: str, words: Collection[str]) -> str:
    """Return `word` if it is one of `words`; otherwise raise ValueProblem, which suggests the most similar word."""
    if word not in words:
        raise ValueProblem(f"unknown {what} `{word}`{hint(word, words)}", word)
    return word


def hint(word: str, words: Collection[str]) -> str:
    """Return the end of a message about an unknown word: the most similar known word, or else all choices if there are
    few."""
    few = f"; choose from {', '.join(words)}" if len(words) <= 8 else ""
    return nearest(word, words) or few


def _hint_key(key: str) -> str:
    if (kebab := key.replace("_", "-")) in BY_NAME:
        return f"; write `{kebab}`"
    return hint(key, [*BY_NAME, "extend"])


def _read(option: Option, value: object, vocabulary: Vocabulary) -> object:
    if option.kind == "string":
        return _string(option, value, vocabulary)
    if option.kind == "boolean":
        if not isinstance(value, bool):
            raise ValueProblem(f"`{option.name}` is true or false, not {_said(value)}", option.name)
        return value
    if option.kind == "integer":
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= option.most:
            said = f"`{option.name}` is a whole number from 1 to {option.most:,}, not {_said(value)}"
            raise ValueProblem(said, option.name)
        return value
    if option.kind in ("rules", "patterns", "targets"):
        names = _names(option, option.name, value, vocabulary if option.kind == "rules" else None)
        if option.kind == "targets":
            return _targets(option, names, vocabulary)
        return names if option.kind == "rules" else _patterns(option, names)
    if not isinstance(value, dict):
        raise ValueProblem(f"`{option.name}` is a table, not {_said(value)}", option.name)
    if option.kind == "expressions":
        return {name: _expression(option, name, text) for name, text in value.items()}
    if option.kind == "severity-by-rule":
        return {_rule(option, rule, vocabulary): _severity(option, rule, word) for rule, word in value.items()}
    return {pattern: _names(option, pattern, value[pattern], vocabulary) for pattern in _patterns(option, tuple(value))}


def _string(option: Option, value: object, vocabulary: Vocabulary) -> str:
    name = option.name
    if not isinstance(value, str):
        said = _said(value)
        quoted = f'; write {name} = "{value}"' if said.startswith("`") and isinstance(value, (int, float)) else ""
        raise ValueProblem(f"`{name}` is a text, not {said}{quoted}", name)
    choices = vocabulary.targets if name == "target" else option.choices
    if choices:
        try:
            check_choice(name, value, choices)
        except ValueProblem as problem:
            raise ValueProblem(str(problem), name) from None
    if option.pattern and not re.fullmatch(option.pattern, value):
        kind = "module" if name == "portable-helper" else "version"
        raise ValueProblem(f'`{name}`: `{value}` is not a {kind}; write for example "{option.example}"', name)
    return value


def _names(option: Option, key: str, value: object, vocabulary: Vocabulary | None) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise ValueProblem(f"`{key}` is a list of texts, not {_said(value)}", option.name, key)
    if vocabulary is not None:
        for item in value:
            _rule(option, item, vocabulary)
    return tuple(value)


def _patterns(option: Option, patterns: tuple[str, ...]) -> tuple[str, ...]:
    if len(patterns) > MOST_PATTERNS:
        raise ValueProblem(f"`{option.name}`: more than {MOST_PATTERNS:,} patterns", option.name)
    for pattern in patterns:
        try:
            check_pattern(pattern)
        except PatternError as error:
            raise ValueProblem(f"`{option.name}`: {error.message}", option.name, pattern) from None
    return patterns


def _targets(option: Option, names: tuple[str, ...], vocabulary: Vocabulary) -> tuple[str, ...]:
    for item in names:
        try:
            check_choice("target", item, vocabulary.targets)
        except ValueProblem as problem:
            raise ValueProblem(f"`{option.name}`: {problem}", option.name, item) from None
    return tuple(dict.fromkeys(names))


def _expression(option: Option, name: str, text: object) -> str:
    """Return the expression that the user configured in place of a helper function; it must be one Python expression on
    one line."""
    try:
        check_choice("name", name, option.choices)
    except ValueProblem as problem:
        raise ValueProblem(f"`{option.name}`: {problem}", option.name, name) from None
    if not isinstance(text, str):
        raise ValueProblem(f"`{option.name}`: `{name}` is a text, not {_said(text)}", option.name, name)
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        node = None
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)) or "\n" in text or "#" in text:
        said = f"`{option.name}`: `{name}` is a name or a call of Python, such as `get_device_name()`, not `{text}`"
        raise ValueProblem(said, option.name, name)
    return text.strip()


def _rule(option: Option, rule: str, vocabulary: Vocabulary) -> str:
    try:
        return check_choice("rule", rule, vocabulary.rules)
    except ValueProblem as problem:
        raise ValueProblem(f"`{option.name}`: {problem}", option.name, rule) from None


def _severity(option: Option, rule: str, word: object) -> str:
    if not isinstance(word, str):
        raise ValueProblem(f"the severity of `{rule}` is a text, not {_said(word)}", option.name, rule)
    try:
        return check_choice("severity", word, option.choices)
    except ValueProblem as problem:
        raise ValueProblem(f"`{option.name}`: {problem}", option.name, rule) from None


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, dict):
        return "a table"
    try:
        return f"`{value}`"
    except ValueError:  # the integer has more digits than Python converts to text
        return "a number"
