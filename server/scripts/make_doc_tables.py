"""Writes the tables of README*.md and docs/configuration.md that the code knows better: targets, settings.

    python server/scripts/make_doc_tables.py [--check]

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. With --check it only compares; exit 1 if one is stale.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "server"))

from uncuda.catalogue import load  # noqa: E402
from uncuda.settings import EDITOR_OPTIONS, OPTIONS, Option  # noqa: E402

FILES = ("README.md", "README.zh-CN.md", "docs/configuration.md")
_TABLE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)


def settings() -> str:
    """Every setting: name, values, default, meaning."""
    rows = ["| setting | values | default | what it does |", "|---|---|---|---|"]
    rows += [f"| `{option.name}` | {_values(option)} | {_default(option)} | {option.en} |" for option in OPTIONS]
    return "\n".join(rows)


def editor_settings() -> str:
    """The settings that only editors have, as editors write them."""
    rows = ["| setting | values | default | what it does |", "|---|---|---|---|"]
    for option in EDITOR_OPTIONS:
        first, *rest = option.name.split("-")
        name = first + "".join(word.capitalize() for word in rest)
        default = f"`{option.default}`" if isinstance(option.default, str) else _default(option)
        rows.append(f"| `{name}` | {_values(option)} | {default} | {option.en} |")
    return "\n".join(rows)


def _values(option: Option) -> str:
    choices = tuple(load().declarations) if option.name == "target" else option.choices
    several = {"rules": "rules", "patterns": "patterns", "rules-by-pattern": "table: pattern to rules"}
    if option.kind == "severity-by-rule":
        return "table: rule to " + ", ".join(f"`{choice}`" for choice in choices)
    if option.kind in several:
        return several[option.kind]
    if option.kind == "boolean":
        return "`true`, `false`"
    return ", ".join(f"`{choice}`" for choice in choices) or f'a version, as in `"{option.example}"`'


def _default(option: Option) -> str:
    if option.default is None:
        return "unset"
    return f"`{str(option.default).lower()}`" if isinstance(option.default, (str, bool)) else "empty"


def targets() -> str:
    """Every target: what it is called, and the plugin versions that have a table."""
    return _targets("| target | accelerator | plugin | versions with a table of their own |", "title")


def targets_zh() -> str:
    """The same in Chinese."""
    return _targets("| 目标 | 加速器 | 插件 | 有独立数据表的版本 |", "title_zh")


def _targets(head: str, title: str) -> str:
    rows = [head, "|---|---|---|---|"]
    for target in load().targets.values():
        accelerator = f"[{getattr(target, title)}]({target.homepage})"
        rows.append(f"| `{target.id}` | {accelerator} | {target.words['package']} | {', '.join(target.versions)} |")
    return "\n".join(rows)


TABLES = {"settings": settings, "editor-settings": editor_settings, "targets": targets, "targets-zh": targets_zh}


def main() -> int:
    """Write or compare the tables; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    status = 0
    for name in FILES:
        path = ROOT / name
        before = path.read_text(encoding="utf-8")
        after = _TABLE.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}\n{match[3]}", before)
        if after == before:
            continue
        if check:
            print(f"{name} is stale", file=sys.stderr)
            status = 1
        else:
            path.write_text(after, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
