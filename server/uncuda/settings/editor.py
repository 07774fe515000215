"""Reads settings as editors send them: keys in camel case, null for unset values, and some settings that only editors
have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .loading import values_of
from .options import BY_NAME, Option
from .values import SettingsError, Vocabulary, check_choice, hint

AUTO = "auto"
MOST_FILES = 5_000
"""Workspaces of up to this many files are checked without a request by the user, which takes some seconds."""
FILES_FIRST, EDITOR_FIRST = "filesystemFirst", "editorFirst"

EDITOR_OPTIONS: tuple[Option, ...] = (
    Option(
        "configuration-preference",
        "string",
        FILES_FIRST,
        "Which value applies if a configuration file and the editor both have a setting. `filesystemFirst`: the value "
        "in the configuration file. `editorFirst`: the value in the editor's settings.",
        "配置文件与编辑器都有设置时以哪一个为准。`filesystemFirst`：以文件为准；`editorFirst`：以编辑器为准。",
        choices=(FILES_FIRST, EDITOR_FIRST),
    ),
    Option(
        "workspace-diagnostics",
        "boolean",
        AUTO,
        "Report the findings of all files of the workspace, not only of open files. `auto`: in trusted workspaces of "
        f"up to {MOST_FILES:,} files; in other workspaces after the command `uncuda: Scan Workspace`.",
        "报告工作区内所有文件中的问题，而不仅是已打开的文件。"
        f"`auto`：工作区受信任且文件不超过 {MOST_FILES:,} 个时如此，否则在选择 `uncuda: 扫描工作区` 之后如此。",
        choices=(AUTO,),
    ),
    Option(
        "code-lens",
        "boolean",
        False,
        "Show a code lens above the first line, with the numbers of findings and of fixes in the file.",
        "在首行上方显示依赖 CUDA 的代码处数，以及其中可修复的处数。",
    ),
)
# Settings that only the client uses: which Python and which server to start, and what to log.
_CLIENTS = frozenset({"enable", "import-strategy", "interpreter", "log-file", "path", "trace"})
_OWN = {option.name: option for option in EDITOR_OPTIONS}


@dataclass(frozen=True)
class EditorSettings:
    """The settings that an editor sent. `table`: the settings as in a configuration file. `workspace_diagnostics`: the
    value of the setting with this name, None if the size of the workspace decides. `problems`: errors in values of
    settings. `unknown`: the keys that the editor sent and that name no setting."""

    table: Mapping[str, object] = field(default_factory=dict)
    editor_first: bool = False
    workspace_diagnostics: bool | None = None
    code_lens: bool = False
    problems: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def over(self) -> Mapping[str, object]:
        """The editor's settings that override settings in configuration files."""
        return self.table if self.editor_first else {}

    @property
    def under(self) -> Mapping[str, object]:
        """The editor's settings that apply only if no configuration file sets the same option."""
        return {} if self.editor_first else self.table


def read_editor(raw: object, vocabulary: Vocabulary) -> EditorSettings:
    """Read the settings that an editor sent. An invalid value is dropped and reported; the other values are used.

    A default value counts as unset, because editors send their whole table, and defaults must not override a
    configuration file.
    """
    table: dict[str, object] = {}
    own: dict[str, object] = {}
    problems, unknown = [], []
    for key, value in raw.items() if isinstance(raw, dict) else ():
        name = _kebab(str(key))
        option = BY_NAME.get(name) or _OWN.get(name)
        if option is None:
            unknown += [] if name in _CLIENTS else [f"`{key}`{hint(name, [*BY_NAME, *_OWN])}"]
        elif value in (None, "", [], {}, option.default):
            continue
        elif name in _OWN:
            problems += [_as_sent(problem, name, key) for problem in _take(option, value, own)]
        else:
            try:
                values_of({name: value}, ".", vocabulary)
                table[name] = value
            except SettingsError as error:
                problems.append(_as_sent(error.message, name, key))
    return EditorSettings(
        table,
        own.get("configuration-preference") == EDITOR_FIRST,
        said if isinstance(said := own.get("workspace-diagnostics"), bool) else None,
        own.get("code-lens") is True,
        tuple(problems),
        tuple(unknown),
    )


def _as_sent(problem: str, name: str, key: str) -> str:
    """The error message, with the setting's name as the editor writes it."""
    return problem.replace(f"`{name}`", f"`{key}`", 1)


def _take(option: Option, value: object, values: dict[str, object]) -> list[str]:
    """Add to `values` the value of a setting that only editors have; return the errors in this value."""
    if option.kind == "boolean" and not isinstance(value, bool):
        words = "".join(f", or {choice}" for choice in option.choices)
        return [f"`{option.name}` is true or false{words}, not `{value}`"]
    if option.choices and option.kind == "string":
        try:
            check_choice(option.name, str(value), option.choices)
        except ValueError as error:
            return [str(error)]
    values[option.name] = value
    return []


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])[A-Z]", lambda match: "-" + match[0], name).lower()
