"""Builds a Target for one version from `rules/targets/ID.toml` and its tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .model import CatalogueError, Row, Target, nearest
from .ranges import Versions, release
from .rules import parse_toml
from .tables import around, combine, read_keywords, read_rows
from .words import complete, problem

_SIGNS = ("<=", ">=", "<", ">", "==")
_KEYS = ("title", "title-zh", "homepage", "versions", "default-version", "torch-from", "default", "hardware",
         "review-limits", "vendor", "no-patch-variable", "words", "features", "fields", "imports", "apis",
         "classes", "cuda-alike")  # fmt: skip


def read_declaration(path: Path) -> dict[str, Any]:
    """The declaration of a target, with every key validated."""
    text = path.read_text(encoding="utf-8")
    raw = parse_toml(text, str(path))

    def fail(key: str, what: str) -> CatalogueError:
        match = re.search(rf"^\s*\[?\s*{re.escape(key)}(?![\w-])", text, re.M)
        line = text.count("\n", 0, match.end()) + 1 if match else 1
        return CatalogueError(f"{path}:{line}: {what}")

    for key in raw:
        if key not in _KEYS:
            raise fail(key, f"unknown key {key!r}{nearest(key, _KEYS)}")
    for key in ("default", "cuda-alike"):
        if not isinstance(raw.get(key, False), bool):
            raise fail(key, f"'{key}' must be true or false")
    for key in ("title", "title-zh", "homepage", "words"):
        if key not in raw:
            raise CatalogueError(f"{path}:1: {key!r} is missing")
    if wrong := problem(raw["words"]):
        raise fail(*wrong)
    raw["words"] = complete(raw["words"])
    return raw


def known_versions(folder: Path) -> tuple[str, ...]:
    """The plugin versions that a target has tables for, the oldest first."""
    return tuple(sorted((path.stem[4:] for path in folder.glob("api-*.tsv")), key=release))


def default_version(raw: dict[str, Any], versions: tuple[str, ...]) -> str:
    """Return the plugin version that is used if no other is stated."""
    return raw.get("default-version") or (versions[-1] if versions else "")


def follows_torch(raw: dict[str, Any], versions: Versions) -> bool:
    """Whether these plugin versions have the same numbers as the PyTorch versions that they are made for."""
    return "torch-from" in raw and versions.must(">=", raw["torch-from"])


def build_target(
    name: str,
    raw: dict[str, Any],
    tables: Path,
    version: str | None = None,
    torch_version: str | None = None,
    hardware: str | None = None,
    read: Callable[[Path], dict[str, Row]] = read_rows,
) -> Target:
    """Return a target for one version of its plugin, or for a range of versions; for a range, the target has only the
    names that all versions of the range have.

    `version`: a version or the text of a `Versions`; by default the `default-version` of the declaration; if the
    declaration has none, the newest version with a table of names. `torch_version`: by default the PyTorch version for
    which the plugin is built. `read`: a function that reads a table of names; the rows that it returns are not changed.
    """
    folder = tables / name
    versions = known_versions(folder)
    chosen = version or default_version(raw, versions)
    plugin = Versions.of(chosen)
    api = [read(folder / f"api-{known}.tsv") for known in around(plugin, versions)] if versions else []
    rows = combine(api) if api else {}
    for api_name, cells in raw.get("apis", {}).items():
        rows[api_name] = _override(api_name, cells)
    torch = Versions.of(torch_version) if torch_version else plugin if follows_torch(raw, plugin) else Versions()
    oldest, oldest_torch = Versions.of(version or "").low, Versions.of(torch_version or "").low
    situation: dict[str, Versions | str] = {"target-version": plugin, "torch": torch, "hardware": hardware or ""}
    return Target(
        id=name,
        title=raw["title"],
        title_zh=raw["title-zh"],
        homepage=raw["homepage"],
        version=chosen,
        versions=versions,
        words=_words(raw, around(plugin, versions)),
        features={key: _feature(value, situation) for key, value in raw.get("features", {}).items()},
        module_paths=raw.get("imports", {}),
        rows=rows,
        environment=_optional(folder / "env.tsv", read),
        modules=_optional(folder / "modules.tsv", read),
        review_limits=frozenset(raw.get("review-limits", ())),
        classes=frozenset(raw.get("classes", ())),
        cuda_alike=raw.get("cuda-alike", False),
        assumed=not (version or torch_version),
        fields={key: _fields(value, situation) for key, value in raw.get("fields", {}).items()},
        keywords=read_keywords(folder / "words.tsv") if (folder / "words.tsv").exists() else {},
        stated=oldest or oldest_torch,
        torch=oldest_torch or oldest.partition(".post")[0],
        vendor=raw.get("vendor", ""),
    )


def _words(raw: dict[str, Any], versions: tuple[str, ...]) -> dict[str, str]:
    """Return the names and device strings in a declaration. `patch-variable`, the name of an environment variable, is
    left out if one of the `versions` of the plugin does not read this variable."""
    words: dict[str, str] = raw["words"]
    unknown = set() if set(raw.get("no-patch-variable", ())).isdisjoint(versions) else {"patch-variable"}
    return {name: word for name, word in words.items() if name not in unknown}


def _optional(path: Path, read: Callable[[Path], dict[str, Row]]) -> dict[str, Row]:
    return read(path) if path.exists() else {}


def _override(name: str, cells: dict[str, Any]) -> Row:
    kind, new = cells.get("kind", "function"), cells.get("name", "")
    return Row(name, kind, cells["status"], new, shim=cells.get("shim", False))


def _feature(value: Any, situation: Mapping[str, Versions | str]) -> str:
    """Return the value of a feature: "yes", or the id of the text that says why the target lacks it; the key `when`
    restricts a value to versions or hardware.

    For a range of versions, the target lacks the feature if any of these versions lacks it.
    """
    if isinstance(value, str):
        return value
    choices = value if isinstance(value, list) else [value]
    for choice in choices:
        wanted = choice.get("when", {})
        if choice["value"] != "yes" and all(_may(situation[key], want) for key, want in wanted.items()):
            return str(choice["value"])
        if all(_must(situation[key], want) for key, want in wanted.items()):
            break
    return "yes"


def _fields(value: Any, situation: Mapping[str, Versions | str]) -> frozenset[str]:
    """Return the fields that the target fills in the object which a function of torch.cuda returns; for a range of
    versions, only the fields that every version fills."""
    found: frozenset[str] | None = None
    for choice in value if isinstance(value, list) else [value if isinstance(value, dict) else {"value": value}]:
        wanted = choice.get("when", {})
        if all(_may(situation[key], want) for key, want in wanted.items()):
            filled = frozenset(choice["value"].split())
            found = filled if found is None else found & filled
        if all(_must(situation[key], want) for key, want in wanted.items()):
            break
    return found or frozenset()


def _may(actual: Versions | str, wanted: str) -> bool:
    """Whether any of the versions `actual` meets a condition such as `<2.5.1`; for hardware: whether `actual` is one of
    the listed names, such as `A2|A3`."""
    if isinstance(actual, str):
        return actual in wanted.split("|")
    sign = next((sign for sign in _SIGNS if wanted.startswith(sign)), "")
    return actual.may(sign or "==", wanted[len(sign) :])


def _must(actual: Versions | str, wanted: str) -> bool:
    """Whether all of the versions `actual` meet a condition such as `<2.5.1`; for hardware: whether `actual` is one of
    the listed names, such as `A2|A3`."""
    if isinstance(actual, str):
        return actual in wanted.split("|")
    sign = next((sign for sign in _SIGNS if wanted.startswith(sign)), "")
    return actual.must(sign or "==", wanted[len(sign) :])
