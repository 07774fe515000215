"""Parses arguments of commands: at most one object whose keys are all optional. The error messages say what is wrong
with the arguments."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from reprlib import repr as shown  # shortens a long or deeply nested value in an error message
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from uncuda.edits import REVIEW, SAFE
from uncuda.settings import hint


@dataclass(frozen=True)
class Wanted:
    """Which fixes a command applies. `rules`: the rules whose fixes are applied, None for all rules. `scope`: the URI
    of a file or folder, or "" for the whole workspace. `quiet`: True if the command shows no message, no progress and
    no question, because the user did not call it."""

    rules: tuple[str, ...] | None = None
    review: bool = False
    scope: str = ""
    dry: bool = False
    quiet: bool = False


def read_object(arguments: Any, keys: Collection[str]) -> dict[str, Any]:
    """The object passed to a command, without keys whose value is null."""
    listed = isinstance(arguments, list)
    given = [argument for argument in arguments if argument is not None] if listed else []
    if not (listed or arguments is None) or len(given) > 1 or not all(isinstance(g, dict) for g in given):
        names = ", ".join(f"{key}?" for key in keys)
        raise JsonRpcInvalidParams(f"the argument is one object: {{{names}}}" if keys else "there is no argument")
    table = {key: value for key, value in (given[0] if given else {}).items() if value is not None}
    for key in table:
        if key not in keys:
            raise JsonRpcInvalidParams(f"unknown key `{key}`{hint(key, keys)}")
    return table


def read_text(table: dict[str, Any], key: str) -> str:
    """A string in an object; "" if it is absent."""
    value = table.get(key, "")
    if not isinstance(value, str):
        raise JsonRpcInvalidParams(f"`{key}` is a text, not {shown(value)}")
    return value


def read_flag(table: dict[str, Any], key: str) -> bool:
    """A boolean in an object; False if it is absent."""
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise JsonRpcInvalidParams(f"`{key}` is true or false, not {shown(value)}")
    return value


def read_wanted(table: dict[str, Any], rules: Collection[str]) -> Wanted:
    """Return the fixes that an object requests; `rules` are the names of all rules."""
    names = table.get("rules")
    if names is not None:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise JsonRpcInvalidParams(f"`rules` is a list of texts, not {shown(names)}")
        for name in names:
            if name not in rules:
                raise JsonRpcInvalidParams(f"unknown rule `{name}`{hint(name, rules)}")
    applicability = read_text(table, "applicability") or SAFE
    if applicability not in (SAFE, REVIEW):
        raise JsonRpcInvalidParams(f'`applicability` is "{SAFE}" or "{REVIEW}", not "{applicability}"')
    chosen = tuple(dict.fromkeys(names)) if names is not None else None
    dry, quiet = read_flag(table, "dryRun"), read_flag(table, "quiet")
    return Wanted(chosen, applicability == REVIEW, read_text(table, "scope"), dry, quiet)
