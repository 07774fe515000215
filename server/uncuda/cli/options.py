"""The options that the commands `check` and `fix` have in common. The options for settings are generated from the table
of settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import click

from uncuda.settings import OPTIONS, Option

from .texts import either, say

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

LOCALE = next(option for option in OPTIONS if option.name == "locale")
# A setting that is a table in TOML has no option on the command line.
_FORMS = ("string", "boolean", "integer", "rules", "targets", "patterns")
_SETTINGS = [option for option in OPTIONS if option.kind in _FORMS]
SHARED = frozenset({"config", "isolated", "stdin_filename", *(option.field for option in _SETTINGS)} - {"workers"})
"""The parameters of click that can change the findings of `check` and `fix`."""


def settings_options(command: CommandT) -> CommandT:
    """Add to a command the options about configuration files, and one option for each setting that the command line can
    set."""
    for option in reversed(_SETTINGS):
        name = f"--{option.name}/--no-{option.name}" if option.kind == "boolean" else f"--{option.name}"
        command = click.option(name, **_form(option))(command)
    command = click.option(
        "--config",
        metavar="FILE",
        help=say("config"),
    )(command)
    return click.option("--isolated", is_flag=True, help=say("isolated"))(command)


def common_options(command: CommandT) -> CommandT:
    """Add the paths argument and the options about standard input and verbosity to a command."""
    return path_options(click.option("--stdin-filename", metavar="PATH", help=say("stdin-filename"))(command))


def path_options(command: CommandT) -> CommandT:
    """Add the paths argument and the options `--quiet` and `--verbose` to a command."""
    command = click.option("-v", "--verbose", is_flag=True, help=say("verbose"))(command)
    command = click.option("-q", "--quiet", is_flag=True, help=say("quiet"))(command)
    return click.argument("paths", nargs=-1, metavar="[PATHS]...")(command)


def overrides(given: Mapping[str, Any]) -> dict[str, object]:
    """The settings from the command line, as a table with kebab-case keys."""
    table: dict[str, object] = {}
    for option in _SETTINGS:
        value = given.get(option.field)
        if value in (None, ()):
            continue
        if option.kind in ("rules", "targets"):
            value = words_in(value)
        table[option.name] = value
    return table


def words_in(given: Iterable[str]) -> list[str]:
    """Return the values of an option that can be repeated or contain a list: ["a", "b"] for `--x a --x b` and for `--x
    a,b`."""
    return [word for part in given for word in part.replace(",", " ").split()]


def _form(option: Option) -> dict[str, Any]:
    if option.kind == "boolean":
        return {"default": None, "help": either(option.en, option.zh)}
    if option.kind == "integer":
        return {"default": None, "type": int, "metavar": "N", "help": either(option.en, option.zh)}
    metavar = {"string": "TEXT", "rules": "RULES", "targets": "TARGETS", "patterns": "PATTERN"}[option.kind]
    if option.choices:
        metavar = "|".join(option.choices)
    elif option.name == "portable-helper":
        metavar = "MODULE"
    elif option.example:
        metavar = "VERSION"
    elif option.name == "target":
        metavar = "TARGET"
    return {"metavar": metavar, "multiple": option.kind != "string", "help": either(option.en, option.zh)}
