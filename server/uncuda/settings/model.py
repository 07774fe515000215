"""The settings that apply to a file, and the rules by which one layer of settings overrides another."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from uncuda.limits import Limits

from .patterns import pattern_sets


@dataclass(frozen=True)
class Settings:
    """The values of all options in the table of settings. Patterns of paths, such as those of `exclude`, are rewritten
    for absolute paths."""

    target: str | None = None
    target_version: str | None = None
    torch_version: str | None = None
    hardware: str | None = None
    strategy: str = "auto"
    portable_targets: tuple[str, ...] = ()
    portable_helper: str | None = None
    portable_style: str = "helper"
    portable_names: Mapping[str, str] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severity: Mapping[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    locale: str = "auto"
    fail_level: str = "warning"
    receivers: bool = False
    workers: int | None = None
    max_bytes: int = Limits.bytes
    max_statements: int = Limits.statements
    max_comparisons: int = Limits.comparisons
    max_depth: int = Limits.depth

    @property
    def portable(self) -> bool:
        """Whether one source must run on CUDA and on every accelerator."""
        return self.strategy == "portable"

    @property
    def limits(self) -> Limits:
        """The limits on the work for analysing one text."""
        return Limits(self.max_bytes, self.max_statements, self.max_comparisons, self.max_depth)

    def selects(self, rule: str, default: bool = True) -> bool:
        """Return whether a rule is checked; `default`: whether it is checked if `select` is not set."""
        if rule in self.ignore:
            return False
        return rule in self.extend_select or (rule in self.select if self.select else default)

    def ignored_in(self, path: str) -> frozenset[str]:
        """Return the rules that `per-file-ignores` switches off in the file at `path`."""
        if not self.per_file_ignores or not path:
            return frozenset()
        place = absolute(path)
        sets = pattern_sets(tuple(self.per_file_ignores))
        ignores = zip(sets, self.per_file_ignores.values())
        return frozenset(rule for patterns, rules in ignores if patterns.decide(place) for rule in rules)


def absolute(path: str) -> str:
    """Return the absolute path with forward slashes, which is matched against patterns."""
    return posixpath.normpath((Path.cwd() / path).as_posix())


def anchored(pattern: str, folder: str) -> str:
    """A .gitignore pattern relative to `folder` (absolute), rewritten for absolute paths."""
    negation, body = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    root = re.sub(r"([\\*?\[\]!# ])", r"\\\1", folder.rstrip("/"))
    between = "/" if "/" in body.rstrip("/") else "/**/"
    return f"{negation}{root}{between}{body.lstrip('/')}"


def covered(base: Mapping[str, object], layer: Mapping[str, object]) -> dict[str, object]:
    """Return the values of `base`, overridden by the values of `layer`: tables are merged, lists are replaced.

    For the selection of rules, the last setting counts: `select` replaces the selection of earlier layers, `ignore` and
    `extend-select` add to it.
    """
    values = {**base, **layer}
    _one_aim(values, layer)
    for name in ("severity", "per_file_ignores", "portable_names"):
        if name in base and name in layer:
            values[name] = {**_table(base, name), **_table(layer, name)}
    if "select" in layer:
        values["ignore"] = _names(layer, "ignore")
        values["extend_select"] = _names(layer, "extend_select")
        return values
    for name, opposite in (("ignore", "extend_select"), ("extend_select", "ignore")):
        kept = [rule for rule in _names(base, name) if rule not in _names(layer, opposite)]
        values[name] = tuple(dict.fromkeys([*kept, *_names(layer, name)]))
    return values


def _one_aim(values: dict[str, object], layer: Mapping[str, object]) -> None:
    """If `layer` sets a target, remove the strategy `portable` from `values`; if `layer` sets the strategy `portable`,
    remove the target and its version."""
    if layer.get("strategy") == "portable" and "target" not in layer:
        for name in ("target", "target_version"):
            if name not in layer:
                values.pop(name, None)
    elif "target" in layer and "strategy" not in layer and values.get("strategy") == "portable":
        values.pop("strategy")


def _table(values: Mapping[str, object], name: str) -> dict[str, object]:
    table = values[name]
    assert isinstance(table, dict)
    return table


def _names(values: Mapping[str, object], name: str) -> tuple[str, ...]:
    names = values.get(name, ())
    assert isinstance(names, tuple)
    return names
