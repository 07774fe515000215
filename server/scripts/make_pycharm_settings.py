"""Generates settings.json from the table of settings; the PyCharm plugin builds its settings page from this file.

With --check the script only compares; it exits with 1 if the file is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generated import ROOT, settle
from scripts.make_vscode_settings import OFFERED, camel, choice_texts
from uncuda.catalogue import load
from uncuda.settings import Option

FILE = ROOT / "pycharm-plugin/plugin/src/main/resources/settings.json"
_LANGUAGES = ("en", "zh")
_WORDS = {
    "unset": {"en": "Default", "zh": "默认"},
    "true": {"en": "Yes", "zh": "是"},
    "false": {"en": "No", "zh": "否"},
    "default": {"en": " Default: {}.", "zh": "默认：{}。"},
}


def _setting(option: Option) -> dict[str, Any]:
    """Return a setting in the form that the plugin reads: the key that the server knows, the kind of field, and
    descriptions in English and Chinese.

    `kind`: "choice", "text", "integer", "list" of values, or "object", which is written as JSON. The server, not the
    plugin, checks the names of rules, because it can suggest similar names.
    """
    shown: dict[str, Any] = {"key": camel(option.name), "name": option.name, "kind": _kind(option)}
    shown["description"] = {language: _description(option, language) for language in _LANGUAGES}
    if shown["kind"] == "choice":
        shown["choices"] = _choices(option)
    if option.pattern:
        shown["pattern"] = option.pattern
    if option.most:
        shown["most"] = option.most
    return shown


def _kind(option: Option) -> str:
    if option.kind == "boolean" or (option.kind == "string" and (option.choices or option.name == "target")):
        return "choice"
    lists, plain = ("rules", "targets", "patterns"), {"string": "text", "integer": "integer"}
    return "list" if option.kind in lists else plain.get(option.kind, "object")


def _description(option: Option, language: str) -> str:
    text: str = getattr(option, language).replace("`", "")
    return text + (_WORDS["default"][language].format(f"{option.default:,}") if option.kind == "integer" else "")


def _choices(option: Option) -> list[dict[str, Any]]:
    """Return the values of a setting with their texts; the first is the default, whose value is ""."""
    own = list(load().declarations) if option.name == "target" else list(option.choices)
    values = [*own, "true", "false"] if option.kind == "boolean" else own
    default = str(option.default).lower() if isinstance(option.default, bool) else str(option.default or "unset")
    values = [default, *(value for value in values if value != default)]
    return [
        {"value": "" if value == default else value, **{at: _words(option, value, at) for at in _LANGUAGES}}
        for value in values
    ]


def _words(option: Option, value: str, language: str) -> str:
    if value in _WORDS:
        return _WORDS[value][language]
    if option.name == "target":
        title: str = load().declarations[value]["title-zh" if language == "zh" else "title"]
        return f"{title} ({value})"
    text = choice_texts(option, language).get(value, "")
    return value + ({"en": ": ", "zh": "："}[language] + text if text else "")


def files() -> dict[Path, str]:
    """The path of the file, with its contents."""
    settings = [_setting(option) for option in OFFERED]
    return {FILE: json.dumps(settings, ensure_ascii=False, indent=1) + "\n"}


if __name__ == "__main__":
    sys.exit(settle(__doc__, files))
