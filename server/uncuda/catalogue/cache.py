"""Caches parsed rules beside Python's own byte code, so that a start does not parse hundreds of TOML blocks.

The cache holds rules that were validated when they were read. The cache is not used if a rule file, or a module that
reads rule files, was added or removed, or has another modification time or size.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import fields
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from .model import Rule
from .rules import read_page, read_rule

_READERS = ("cache.py", "keys.py", "model.py", "rules.py", "vocabulary.py", "words.py")


def cached_rules(path: Path) -> list[Rule]:
    """Return the rules in a folder, from the cache if it is valid; if the cache folder is not writable, all rules are
    read each time."""
    with os.scandir(path) as entries:
        files = sorted((e.name, e.stat().st_mtime_ns, e.stat().st_size) for e in entries if _is_rule(e.name))
    key = [_readers(), str(path), [list(item) for item in files]]
    store = _store(path)
    rules = _load(store, key) if store else None
    if rules is None:
        rules = [read_rule(path / name) for name, _, _ in files]
        for rule in rules:
            read_page(path / f"{rule.name}.md")  # the page is only read so that errors in it are reported
        if store:
            _save(store, key, rules)
    return rules


def _readers() -> list[int]:
    """The modification times of the modules that read and validate rules."""
    return [Path(__file__).with_name(name).stat().st_mtime_ns for name in _READERS]


def _is_rule(name: str) -> bool:
    return name.endswith(".md") and name != "README.md"


def _store(path: Path) -> Path | None:
    if sys.dont_write_bytecode:
        return None
    try:
        return Path(cache_from_source(str(path / "catalogue.py"))).with_suffix(".json")
    except NotImplementedError:
        return None


def _load(store: Path, key: list[Any]) -> list[Rule] | None:
    try:
        with open(store, encoding="utf-8") as file:
            known, rules = json.load(file)
        return [_rule(raw) for raw in rules] if known == key else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _save(store: Path, key: list[Any], rules: list[Rule]) -> None:
    names = [item.name for item in fields(Rule)]
    raw = [{name: getattr(rule, name) for name in names} | {"path": str(rule.path)} for rule in rules]
    partial = store.with_suffix(f".{os.getpid()}.tmp")
    try:
        store.parent.mkdir(exist_ok=True)
        with open(partial, "w", encoding="utf-8") as file:
            json.dump([key, raw], file)
        os.replace(partial, store)
    except OSError:
        return


def _rule(raw: dict[str, Any]) -> Rule:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}
    parameters = {key: tuple(v) if isinstance(v, list) else v for key, v in raw["parameters"].items()}
    values["parameters"], values["path"] = parameters, Path(raw["path"])
    return Rule(**values)
