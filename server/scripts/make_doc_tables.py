"""Writes the tables in README*.md and docs/configuration*.md that are generated from the code: targets and settings.

    python server/scripts/make_doc_tables.py [--check]

A table is between `<!-- table: NAME -->` and `<!-- end -->`. With --check the script only compares, and exits with 1 if
a table is stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generated import ROOT, settle
from uncuda.catalogue import load
from uncuda.settings import EDITOR_OPTIONS, OPTIONS, Option

FILES = ("README.md", "README.zh-CN.md", "docs/configuration.md", "docs/configuration.zh-CN.md")
_TABLE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)


class Words(NamedTuple):
    """The words of a table of settings in one language."""

    language: str
    head: str
    rules: str
    targets: str
    patterns: str
    rules_by_pattern: str
    severity_by_rule: str
    expressions: str
    module: str
    version: str
    integer: str
    unset: str
    empty: str
    between: str


_EN = Words(
    language="en",
    head="| setting | values | default | what it does |",
    rules="rules",
    targets="targets",
    patterns="patterns",
    rules_by_pattern="table: pattern to rules",
    severity_by_rule="table: rule to {}",
    expressions="table: an expression for each of {}",
    module="a module, as in {}",
    version="a version, as in {}",
    integer="1 to {}",
    unset="unset",
    empty="empty",
    between=", ",
)
_ZH = Words(
    language="zh",
    head="| 设置 | 取值 | 默认值 | 作用 |",
    rules="规则",
    targets="目标",
    patterns="匹配模式",
    rules_by_pattern="表：匹配模式对应规则",
    severity_by_rule="表：规则对应 {}",
    expressions="表：为以下各项给出表达式：{}",
    module="模块，如 {}",
    version="版本，如 {}",
    integer="1 至 {}",
    unset="未设置",
    empty="空",
    between="、",
)


def settings() -> str:
    """Return a table of every setting: name, values, default, meaning."""
    return _settings(_EN, OPTIONS)


def settings_zh() -> str:
    """Return the table of settings in Chinese."""
    return _settings(_ZH, OPTIONS)


def editor_settings() -> str:
    """A table of the settings that only editors have, as editors write them."""
    return _settings(_EN, EDITOR_OPTIONS, _in_camel_case)


def editor_settings_zh() -> str:
    """The table of the settings that only editors have, in Chinese."""
    return _settings(_ZH, EDITOR_OPTIONS, _in_camel_case)


def _settings(words: Words, options: Iterable[Option], spelled: Callable[[str], str] = str) -> str:
    rows = [words.head, "|---|---|---|---|"]
    for option in options:
        meaning = getattr(option, words.language)
        rows.append(f"| `{spelled(option.name)}` | {_values(option, words)} | {_default(option, words)} | {meaning} |")
    return "\n".join(rows)


def _in_camel_case(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(word.capitalize() for word in rest)


def _values(option: Option, words: Words) -> str:
    choices = tuple(load().declarations) if option.name == "target" else option.choices
    listed = words.between.join(f"`{choice}`" for choice in choices)
    example = f'`"{option.example}"`'
    several = {
        "rules": words.rules,
        "targets": words.targets,
        "patterns": words.patterns,
        "rules-by-pattern": words.rules_by_pattern,
        "severity-by-rule": words.severity_by_rule.format(listed),
        "expressions": words.expressions.format(listed),
        "integer": words.integer.format(f"{option.most:,}"),
        "boolean": words.between.join(f"`{choice}`" for choice in (*option.choices, "true", "false")),
    }
    if option.name == "portable-helper":
        return words.module.format(example)
    return several.get(option.kind) or listed or words.version.format(example)


def _default(option: Option, words: Words) -> str:
    if option.default is None:
        return words.unset
    if isinstance(option.default, str):
        return f"`{option.default}`"
    return f"`{str(option.default).lower()}`" if isinstance(option.default, (bool, int)) else words.empty


def targets() -> str:
    """A table of every target: its name, and the plugin versions that have tables."""
    return _targets("| target | accelerator | plugin | versions with a table of their own |", "title")


def targets_zh() -> str:
    """The table of targets in Chinese."""
    return _targets("| 目标 | 加速器 | 插件 | 有独立数据表的版本 |", "title_zh")


def _targets(head: str, title: str) -> str:
    rows = [head, "|---|---|---|---|"]
    for target in load().targets.values():
        accelerator = f"[{getattr(target, title)}]({target.homepage})"
        rows.append(f"| `{target.id}` | {accelerator} | {target.words['package']} | {', '.join(target.versions)} |")
    return "\n".join(rows)


TABLES = {
    "settings": settings,
    "settings-zh": settings_zh,
    "editor-settings": editor_settings,
    "editor-settings-zh": editor_settings_zh,
    "targets": targets,
    "targets-zh": targets_zh,
}


def files() -> dict[Path, str]:
    """Return each document with its generated tables filled in."""
    texts = {ROOT / name: (ROOT / name).read_text(encoding="utf-8") for name in FILES}
    return {
        path: _TABLE.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}\n{match[3]}", text)
        for path, text in texts.items()
    }


if __name__ == "__main__":
    sys.exit(settle(__doc__, files))
