"""`rules/targets/ID.toml` and its tables to a Target for one version."""

from __future__ import annotations

import operator
import re
from pathlib import Path
from typing import Any

from .model import CatalogueError, Row, Target
from .rules import parse_toml
from .tables import around, combine, numbers, read_keywords, read_rows
from .vocabulary import nearest

_COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq}
_KEYS = ("title", "title-zh", "homepage", "versions", "default-version", "default", "hardware", "review-limits",
         "vendor", "words", "features", "imports", "apis", "classes")  # fmt: skip


def read_declaration(path: Path) -> dict[str, Any]:
    """The declaration of a target, with every key checked."""
    text = path.read_text(encoding="utf-8")
    raw = parse_toml(text, str(path))

    def fail(key: str, what: str) -> CatalogueError:
        match = re.search(rf"^\s*\[?\s*{re.escape(key)}(?![\w-])", text, re.M)
        line = text.count("\n", 0, match.end()) + 1 if match else 1
        return CatalogueError(f"{path}:{line}: {what}")

    for key in raw:
        if key not in _KEYS:
            raise fail(key, f"unknown key {key!r}{nearest(key, _KEYS)}")
    if not isinstance(raw.get("default", False), bool):
        raise fail("default", "'default' must be true or false")
    for key in ("title", "title-zh", "homepage", "words"):
        if key not in raw:
            raise CatalogueError(f"{path}:1: {key!r} is missing")
    return raw


def build_target(
    name: str,
    raw: dict[str, Any],
    tables: Path,
    version: str | None = None,
    torch_version: str | None = None,
    hardware: str | None = None,
) -> Target:
    """A target as it is in one version of its plugin (default: the newest that has a table)."""
    folder = tables / name
    versions = tuple(sorted((p.stem[4:] for p in folder.glob("api-*.tsv")), key=numbers))
    chosen = version or raw.get("default-version") or (versions[-1] if versions else "")
    api = [read_rows(folder / f"api-{known}.tsv") for known in around(chosen, versions)] if versions else []
    rows = combine(api) if api else {}
    for api_name, cells in raw.get("apis", {}).items():
        rows[api_name] = _override(api_name, cells)
    situation = {"target-version": chosen, "torch": torch_version or chosen, "hardware": hardware or ""}
    return Target(
        id=name,
        title=raw["title"],
        title_zh=raw["title-zh"],
        homepage=raw["homepage"],
        version=chosen,
        versions=versions,
        words=raw["words"],
        features={key: _feature(value, situation) for key, value in raw.get("features", {}).items()},
        module_paths=raw.get("imports", {}),
        rows=rows,
        environment=_optional(folder / "env.tsv"),
        modules=_optional(folder / "modules.tsv"),
        review_limits=frozenset(raw.get("review-limits", ())),
        classes=frozenset(raw.get("classes", ())),
        keywords=read_keywords(folder / "words.tsv") if (folder / "words.tsv").exists() else {},
    )


def _optional(path: Path) -> dict[str, Row]:
    return read_rows(path) if path.exists() else {}


def _override(name: str, cells: dict[str, Any]) -> Row:
    kind, new = cells.get("kind", "function"), cells.get("name", "")
    return Row(name, kind, cells["status"], new, shim=cells.get("shim", False))


def _feature(value: Any, situation: dict[str, str]) -> str:
    """A feature's value: "yes" or the id of the text that says why not; `when` says where it holds."""
    if isinstance(value, str):
        return value
    choices = value if isinstance(value, list) else [value]
    for choice in choices:
        if all(_holds(situation[key], wanted) for key, wanted in choice.get("when", {}).items()):
            return str(choice["value"])
    return "yes"


def _holds(actual: str, wanted: str) -> bool:
    for sign, holds in _COMPARE.items():
        if wanted.startswith(sign):
            return bool(holds(numbers(actual), numbers(wanted[len(sign) :])))
    return actual in wanted.split("|")
