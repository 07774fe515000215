"""Writes the tables in README*.md and docs/configuration.md that are generated from the code: targets and settings.

    python server/scripts/make_doc_tables.py [--check]

A table is between `<!-- table: NAME -->` and `<!-- end -->`. With --check the script only compares, and exits with 1 if
a table is stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generated import ROOT, settle
from uncuda.catalogue import load
from uncuda.settings import EDITOR_OPTIONS, OPTIONS, Option

FILES = ("README.md", "README.zh-CN.md", "docs/configuration.md")
_TABLE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)


def settings() -> str:
    """Return a table of every setting: name, values, default, meaning."""
    rows = ["| setting | values | default | what it does |", "|---|---|---|---|"]
    rows += [f"| `{option.name}` | {_values(option)} | {_default(option)} | {option.en} |" for option in OPTIONS]
    return "\n".join(rows)


def editor_settings() -> str:
    """A table of the settings that only editors have, as editors write them."""
    rows = ["| setting | values | default | what it does |", "|---|---|---|---|"]
    for option in EDITOR_OPTIONS:
        first, *rest = option.name.split("-")
        name = first + "".join(word.capitalize() for word in rest)
        default = f"`{option.default}`" if isinstance(option.default, str) else _default(option)
        rows.append(f"| `{name}` | {_values(option)} | {default} | {option.en} |")
    return "\n".join(rows)


def _values(option: Option) -> str:
    choices = tuple(load().declarations) if option.name == "target" else option.choices
    several = {
        "rules": "rules",
        "targets": "targets",
        "patterns": "patterns",
        "rules-by-pattern": "table: pattern to rules",
    }
    if option.kind == "severity-by-rule":
        return "table: rule to " + ", ".join(f"`{choice}`" for choice in choices)
    if option.kind == "expressions":
        return "table: an expression for each of " + ", ".join(f"`{choice}`" for choice in choices)
    if option.name == "portable-helper":
        return f'a module, as in `"{option.example}"`'
    if option.kind in several:
        return several[option.kind]
    if option.kind == "integer":
        return f"1 to {option.most:,}"
    if option.kind == "boolean":
        return ", ".join(f"`{choice}`" for choice in (*option.choices, "true", "false"))
    return ", ".join(f"`{choice}`" for choice in choices) or f'a version, as in `"{option.example}"`'


def _default(option: Option) -> str:
    if option.default is None:
        return "unset"
    return f"`{str(option.default).lower()}`" if isinstance(option.default, (str, bool, int)) else "empty"


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


TABLES = {"settings": settings, "editor-settings": editor_settings, "targets": targets, "targets-zh": targets_zh}


def files() -> dict[Path, str]:
    """Return each document with its generated tables filled in."""
    texts = {ROOT / name: (ROOT / name).read_text(encoding="utf-8") for name in FILES}
    return {
        path: _TABLE.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}\n{match[3]}", text)
        for path, text in texts.items()
    }


if __name__ == "__main__":
    sys.exit(settle(__doc__, files))
