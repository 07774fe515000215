"""Builds command lines that messages suggest as the next command; they contain the paths and settings of the running
command."""

from __future__ import annotations

import shlex

import click
from click.core import ParameterSource

from uncuda.printable import printable

from .options import SHARED

_NAMED = 5  # if the user gave more paths than this number, `…` replaces all paths


class Invocation:
    """The paths and the settings options of the running command."""

    def __init__(self, context: click.Context) -> None:
        self._paths: list[str] = list(context.params["paths"])
        self._options: list[str] = []
        for parameter in context.command.params:
            name = parameter.name or ""
            given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            if given and name in SHARED and isinstance(parameter, click.Option):
                self._options += _said(parameter, context.params[name])

    def __call__(self, command: str, *options: str) -> str:
        """Return a command line that the user can copy: `uncuda COMMAND` with these options, and with the user's
        settings and paths."""
        paths = self._paths if len(self._paths) <= _NAMED else ["…"]
        words = ["uncuda", command, *options, *self._options, *paths]
        return printable(" ".join(word if word == "…" else shlex.quote(word) for word in words))


def _said(option: click.Option, value: object) -> list[str]:
    """Return an option and its value as they are written on a command line."""
    if isinstance(value, bool):
        return [option.opts[0] if value else option.secondary_opts[0]]
    values = value if isinstance(value, tuple) else (value,)
    return [word for one in values for word in (option.opts[-1], str(one))]
