"""Writes docs/uncuda.schema.json, the JSON schema of uncuda.toml and [tool.uncuda], from the table of settings.

With --check the script only compares; it exits with 1 if the file is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generated import ROOT, settle
from uncuda.catalogue import load
from uncuda.settings import OPTIONS, Option, Vocabulary

SCHEMA = ROOT / "docs" / "uncuda.schema.json"


def schema(vocabulary: Vocabulary) -> dict[str, Any]:
    """The schema as a JSON value."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "uncuda",
        "description": "Settings of uncuda: the contents of uncuda.toml, or of [tool.uncuda] in pyproject.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "extend": {
                "description": "Another configuration file, relative to this one, whose settings hold below these.",
                "type": "string",
            },
            **{option.name: _property(option) for option in OPTIONS},
        },
        "$defs": {
            "rule": {"type": "string", "enum": sorted(vocabulary.rules)},
            "target": {"type": "string", "enum": sorted(vocabulary.targets)},
            "rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}},
        },
    }


def _property(option: Option) -> dict[str, Any]:
    return {"description": option.en, **_shape(option), **_default(option)}


def _shape(option: Option) -> dict[str, Any]:
    if option.name == "target":
        return {"$ref": "#/$defs/target"}
    if option.kind == "string":
        choices = {"enum": list(option.choices)} if option.choices else {}
        return {"type": "string", **choices, **({"pattern": option.pattern} if option.pattern else {})}
    if option.kind == "boolean":
        return {"type": "boolean"}
    if option.kind == "integer":
        return {"type": "integer", "minimum": 1, "maximum": option.most}
    if option.kind == "rules":
        return {"$ref": "#/$defs/rules"}
    if option.kind == "patterns":
        return {"type": "array", "items": {"type": "string"}}
    if option.kind == "targets":
        return {"type": "array", "items": {"$ref": "#/$defs/target"}}
    if option.kind == "expressions":
        return {
            "type": "object",
            "propertyNames": {"enum": list(option.choices)},
            "additionalProperties": {"type": "string"},
        }
    if option.kind == "severity-by-rule":
        value: dict[str, Any] = {"type": "string", "enum": list(option.choices)}
        return {"type": "object", "propertyNames": {"$ref": "#/$defs/rule"}, "additionalProperties": value}
    return {"type": "object", "additionalProperties": {"$ref": "#/$defs/rules"}}


def _default(option: Option) -> dict[str, Any]:
    value = option.default
    if value is None:
        return {}
    return {"default": list(value) if isinstance(value, tuple) else value}


def files() -> dict[Path, str]:
    """The path of the schema's file, with its contents."""
    catalogue = load()
    vocabulary = Vocabulary(tuple(catalogue.declarations), tuple(catalogue.rules))
    return {SCHEMA: json.dumps(schema(vocabulary), ensure_ascii=False, indent=2) + "\n"}


if __name__ == "__main__":
    sys.exit(settle(__doc__, files))
