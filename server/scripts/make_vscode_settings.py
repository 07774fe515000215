"""Writes the settings of the VS Code extension, generated from the table of settings, and its version.

    python server/scripts/make_vscode_settings.py [--check]

The settings are the second group of `contributes.configuration` in vscode-extension/package.json; the texts are the
keys `setting.*` of package.nls.json and package.nls.zh-cn.json. With --check the script only compares; it exits with 1
if a file is stale.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import uncuda
from scripts.generated import ROOT, settle
from uncuda.catalogue import load
from uncuda.settings import EDITOR_OPTIONS, OPTIONS, Option

EXTENSION = ROOT / "vscode-extension"
# Settings that only change the exit code.
_COMMAND_LINE = {"fail-level", "workers"}
OFFERED = [option for option in (*OPTIONS, *EDITOR_OPTIONS) if option.name not in _COMMAND_LINE]
_TEXTS = {"package.nls.json": "en", "package.nls.zh-cn.json": "zh"}
_FINDINGS = "%configuration.findings%"


def manifest(text: str) -> str:
    """package.json with the settings and the version."""
    package = json.loads(text)
    package["version"] = uncuda.__version__
    groups = [group for group in package["contributes"]["configuration"] if group["title"] != _FINDINGS]
    properties = {
        f"uncuda.{camel(option.name)}": {**_property(option), "order": number}
        for number, option in enumerate(OFFERED, 1)
    }
    package["contributes"]["configuration"] = [*groups, {"title": _FINDINGS, "properties": properties}]
    return _json(package)


def texts(text: str, language: str) -> str:
    """A localization file (package.nls) with the texts of the settings."""
    table = {key: value for key, value in json.loads(text).items() if not key.startswith("setting.")}
    own = {f"setting.{camel(option.name)}": getattr(option, language) for option in OFFERED}
    values = {
        f"setting.{camel(option.name)}.{choice}": said
        for option in OFFERED
        if option.kind == "string"
        and (option.name == "target" or {*option.choices} == choice_texts(option, "en").keys())
        for choice, said in choice_texts(option, language).items()
    }
    return _json(table | own | values)


def _property(option: Option) -> dict[str, Any]:
    text = f"%setting.{camel(option.name)}%"
    return {**_shape(option), "scope": "resource", "markdownDescription": text}


def _shape(option: Option) -> dict[str, Any]:
    """Return the JSON type and the default of a setting. An unset default is written as an empty value, because VS Code
    cannot show null."""
    rules = {"type": "array", "items": {"type": "string", "enum": list(load().rules)}, "uniqueItems": True}
    if option.kind == "string":
        return _string(option)
    if option.kind == "boolean":
        if option.choices:
            return {"type": ["boolean", "string"], "enum": [*option.choices, True, False], "default": option.default}
        return {"type": "boolean", "default": option.default}
    if option.kind == "integer":
        return {"type": "integer", "default": option.default, "minimum": 1, "maximum": option.most}
    if option.kind == "rules":
        return {**rules, "default": []}
    if option.kind == "patterns":
        return {"type": "array", "items": {"type": "string"}, "default": []}
    if option.kind == "targets":
        items = {"type": "string", "enum": list(load().declarations)}
        return {"type": "array", "items": items, "uniqueItems": True, "default": []}
    if option.kind == "expressions":
        names = {"enum": list(option.choices)}
        return {"type": "object", "propertyNames": names, "additionalProperties": {"type": "string"}, "default": {}}
    if option.kind == "severity-by-rule":
        value: dict[str, Any] = {"type": "string", "enum": list(option.choices)}
        names = {"enum": list(load().rules)}
        return {"type": "object", "propertyNames": names, "additionalProperties": value, "default": {}}
    return {"type": "object", "additionalProperties": rules, "default": {}}


def _string(option: Option) -> dict[str, Any]:
    choices = list(load().declarations) if option.name == "target" else list(option.choices)
    unset = [""] if option.default is None else []
    shape: dict[str, Any] = {"type": "string", "default": option.default or ""}
    if choices:
        names = _names(option, choices)
        labels = {"enumItemLabels": ["%configuration.unset%", *names]} if unset else {}
        known = choice_texts(option, "en")
        said = [f"%setting.{camel(option.name)}.{choice}%" for choice in choices if choice in known]
        told = {"markdownEnumDescriptions": [*([""] if unset else []), *said]} if len(said) == len(choices) else {}
        return {**shape, "enum": [*unset, *choices], **labels, **told}
    return {**shape, **({"pattern": f"^$|{option.pattern}"} if option.pattern else {})}


def _names(option: Option, choices: list[str]) -> list[str]:
    """The labels of a setting's values; for a target, its display name."""
    titles = load().declarations
    return [f"{titles[choice]['title']} ({choice})" if option.name == "target" else choice for choice in choices]


def choice_texts(option: Option, language: str) -> dict[str, str]:
    """The explanations of a setting's values, taken from its description: "`value`: what it does"."""
    if option.name == "target":
        key = "title-zh" if language == "zh" else "title"
        return {
            name: f"{declaration[key]}, {declaration['words']['package']}"
            for name, declaration in load().declarations.items()
        }
    text = getattr(option, language)
    found = re.findall(r"`([\w-]+)`(?:: |：)(.*?)(?=(?:[;；.。,，]? ?`[\w-]+`(?:: |：))|$)", text)
    return {name: said.strip(" .;；。") for name, said in found if name in option.choices}


def camel(name: str) -> str:
    return re.sub(r"-(\w)", lambda match: match[1].upper(), name)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def files() -> dict[Path, str]:
    """Return the files of the extension that contain settings, with their new contents."""
    before = {name: (EXTENSION / name).read_text(encoding="utf-8") for name in ("package.json", *_TEXTS)}
    after = {name: texts(before[name], language) for name, language in _TEXTS.items()}
    return {
        EXTENSION / name: text for name, text in {**after, "package.json": manifest(before["package.json"])}.items()
    }


if __name__ == "__main__":
    sys.exit(settle(__doc__, files))
