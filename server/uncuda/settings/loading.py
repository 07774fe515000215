"""Finds and reads `uncuda.toml` and `[tool.uncuda]` of `pyproject.toml`; for each source file, only the closest
configuration file applies."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from uncuda.reading import NotUtf8Error, decode_utf8, read_bytes

from .model import Settings, anchored, covered
from .toml import InvalidTomlError, parse_toml
from .values import SettingsError, ValueProblem, Vocabulary, read_values

CONFIGURATION_FILES = ("uncuda.toml", "pyproject.toml")
BASELINE_FILE = "uncuda-baseline.jsonl"
"""The name of the file of accepted findings, which is beside a configuration file."""
_LONGEST_CHAIN = 32
"""The maximum length of a chain of files that `extend` each other."""


class Configuration:
    """Finds the settings of each folder: the command line overrides the closest file, which overrides the editor's
    settings.

    `overrides`: values for fields of Settings that override configuration files; `under`: values that configuration
    files override. `file`: a configuration file to use instead of the closest one; `isolated`: whether to read no
    configuration file.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        overrides: Mapping[str, object] | None = None,
        file: str | None = None,
        isolated: bool = False,
        under: Mapping[str, object] | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._overrides = dict(overrides or {})
        self._under = dict(under or {})
        self._isolated = isolated
        self._known: dict[Path, tuple[Settings, str] | SettingsError] = {}
        self._fixed = self._read(Path(file)) if file and not isolated else None

    def settings_for(self, folder: str) -> Settings:
        """Return the settings for the files in `folder`; raise SettingsError if their configuration file cannot be
        used."""
        return self._find(Path(folder).absolute())[0]

    def file_for(self, folder: str) -> str:
        """The path of the configuration file that applies to `folder`; empty if there is none."""
        return self._find(Path(folder).absolute())[1]

    def _find(self, folder: Path) -> tuple[Settings, str]:
        if self._fixed is not None:
            return self._fixed
        known = self._known.get(folder)
        if known is None:
            unread = [*takewhile(lambda above: above not in self._known, folder.parents)]
            for above in reversed(unread):  # a loop, because folders may be nested too deeply for recursion
                self._known[above] = self._look(above)
            known = self._known[folder] = self._look(folder)
        if isinstance(known, SettingsError):
            raise known
        return known

    def _look(self, folder: Path) -> tuple[Settings, str] | SettingsError:
        try:
            for name in () if self._isolated else CONFIGURATION_FILES:
                if _is_file(folder / name) and (table := _table_of(folder / name)) is not None:
                    return self._settings(folder / name, table)
            if folder == folder.parent or self._isolated:
                return self._build({}), ""
            return self._find(folder.parent)
        except SettingsError as error:
            return error

    def _read(self, file: Path) -> tuple[Settings, str]:
        if not _is_file(file):
            raise SettingsError("no such configuration file", str(file))
        table = _table_of(file)
        if table is None:
            raise SettingsError("has no [tool.uncuda] table", str(file))
        return self._settings(file, table)

    def _settings(self, file: Path, table: dict[str, Any]) -> tuple[Settings, str]:
        return self._build(_values_of(file, table, self._vocabulary, ())), str(file)

    def _build(self, values: Mapping[str, object]) -> Settings:
        fields: dict[str, Any] = covered(covered(self._under, values), self._overrides)
        return Settings(**fields)


def settings_of(table: Mapping[str, object], folder: str, vocabulary: Vocabulary) -> Settings:
    """The Settings of a table that is not in a file, such as an editor's; patterns are relative to `folder`."""
    fields: dict[str, Any] = values_of(table, folder, vocabulary)
    return Settings(**fields)


def values_of(table: Mapping[str, object], folder: str, vocabulary: Vocabulary) -> dict[str, object]:
    """Return the values that a table sets for fields of Settings; they can be combined with the values of a file."""
    try:
        return _anchor(read_values(table, vocabulary), Path(folder).absolute())
    except ValueProblem as problem:
        raise SettingsError(str(problem)) from None


def _values_of(file: Path, table: dict[str, Any], vocabulary: Vocabulary, below: tuple[Path, ...]) -> dict[str, object]:
    real = file.resolve()
    if real in below:
        chain = " -> ".join(shown(path) for path in (*below, real))
        raise SettingsError(f"`extend` leads back to itself: {chain}", shown(file))
    if len(below) > _LONGEST_CHAIN:
        first = shown(below[0])
        raise SettingsError(f"`extend` leads from {first} through more than {_LONGEST_CHAIN} files", shown(file))
    extend = table.pop("extend", None)
    try:
        values = _anchor(read_values(table, vocabulary), file.parent.absolute())
    except ValueProblem as problem:
        raise SettingsError(str(problem), shown(file), line_of(_text(file), problem.words)) from None
    if extend is None:
        return values
    line = line_of(_text(file), ("extend",))
    if not isinstance(extend, str):
        raise SettingsError("`extend` is the path of another configuration file", shown(file), line)
    try:
        base = file.parent / Path(extend).expanduser()
    except RuntimeError:  # the user named after `~` does not exist
        raise SettingsError(f"`extend`: there is no home folder for {extend}", shown(file), line) from None
    if not _is_file(base):
        raise SettingsError(f"`extend`: there is no file {shown(base)}", shown(file), line)
    inner = _table_of(base)
    if inner is None:
        raise SettingsError(f"`extend`: {shown(base)} has no [tool.uncuda] table", shown(file), line)
    return covered(_values_of(base, inner, vocabulary, (*below, real)), values)


def _anchor(values: dict[str, object], folder: Path) -> dict[str, object]:
    root = folder.as_posix()
    exclude, ignores = values.get("exclude"), values.get("per_file_ignores")
    if isinstance(exclude, tuple):
        values["exclude"] = tuple(anchored(pattern, root) for pattern in exclude)
    if isinstance(ignores, dict):
        values["per_file_ignores"] = {anchored(pattern, root): rules for pattern, rules in ignores.items()}
    return values


def _table_of(file: Path) -> dict[str, Any] | None:
    """The table of a configuration file; None for a pyproject.toml without a table for uncuda."""
    text = _text(file)
    inside = file.name == "pyproject.toml"
    if inside and "uncuda" not in text:
        return None
    document = _parse(file, text)
    if not inside:
        return document
    tool = document.get("tool")
    table = tool.get("uncuda") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError("[tool.uncuda] is a table", shown(file), line_of(text, ("uncuda",)))
    return table


def _parse(file: Path, text: str) -> dict[str, Any]:
    try:
        return parse_toml(text)
    except InvalidTomlError as error:
        raise SettingsError(f"not valid TOML: {error.message}", shown(file), error.line) from None


def _text(file: Path) -> str:
    try:
        return decode_utf8(read_bytes(str(file)))
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror or error}", shown(file)) from None
    except NotUtf8Error as error:
        raise SettingsError(f"is not UTF-8: {error.message}", shown(file), error.line) from None


def line_of(text: str, words: tuple[str, ...]) -> int | None:
    """Return the line (from 1) of the last of `words`, each of which is searched below the previous one; None if one is
    not found."""
    found = None
    begin = re.search(r"^\s*\[\s*tool\s*\.\s*uncuda\b", text, re.MULTILINE)
    place = begin.start() if begin else 0
    for word in words:
        match = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(text, place)
        if match is None:
            break
        place = match.start()
        found = text.count("\n", 0, place) + 1
    return found


def _is_file(path: Path) -> bool:
    """Whether the path exists and is not a folder; a pipe or device is refused later, when it is read."""
    try:
        return not stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 Path.is_file raises where a folder may not be entered
    except (OSError, ValueError):
        return False


def shown(path: Path) -> str:
    """The path as messages show it: relative to the current folder if the path is inside that folder."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
