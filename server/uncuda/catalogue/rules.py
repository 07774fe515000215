"""Reads `rules/NAME.md` into a Rule: a title, one toml block, text, and examples. Every error is reported with its
line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from .. import lazy_re
from .model import CatalogueError, Example, Rule, nearest

EXAMPLE_OPTIONS = ("version", "torch", "strategy")  # as in ```python npu version:2.6.0

_BLOCK = lazy_re.compile(r"^```(\w+)[ \t]*([^\n]*)\n(.*?)^```[ \t]*$", re.M | re.S)
_FLAG = lazy_re.compile(r"[ \t]*# flagged$")
CHINESE = "\n## 中文\n"  # the heading of a page's last section
_NAME = lazy_re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")


def parse_toml(text: str, where: str, first_line: int = 1) -> dict[str, Any]:
    """Parse TOML; raises CatalogueError with the line of an error."""
    toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        raw: dict[str, Any] = toml.loads(text)
    except toml.TOMLDecodeError as error:
        match = re.search(r"at line (\d+)", str(error))
        line = first_line + (int(match[1]) - 1 if match else 0)
        raise CatalogueError(f"{where}:{line}: {error}") from None
    return raw


def read_rule(path: Path) -> Rule:
    """Read one rule file without its examples."""
    text = path.read_text(encoding="utf-8")
    if not _NAME.match(path.stem):
        raise CatalogueError(f"{path}:1: a rule is named in lower case with dashes, not {path.stem!r}")
    title = re.match(r"# (.+)\n", text)
    block = _BLOCK.search(text)
    if not title or not block or block[1] != "toml":
        raise CatalogueError(f"{path}:1: a rule starts with `# title` and a ```toml block")
    raw = parse_toml(block[3], str(path), text.count("\n", 0, block.start(3)) + 1)
    return _rule(path, title[1], raw)


def error_at(path: Path, key: str, what: str) -> CatalogueError:
    """Return a CatalogueError about a rule's declaration, with the line of the key (without a key: the first line of
    the declaration)."""
    text = path.read_text(encoding="utf-8")
    block = _BLOCK.search(text)
    assert block is not None
    match = re.compile(rf"^\s*{re.escape(key)}(?![\w-])", re.M).search(text, block.start(3), block.end(3))
    line = text.count("\n", 0, match.end() if match else block.start(3)) + 1
    return CatalogueError(f"{path}:{line}: {what}")


def _rule(path: Path, title: str, raw: dict[str, Any]) -> Rule:
    from .keys import CHECKS  # imported here, because rules from the cache do not need it
    from .vocabulary import problems
    from .words import NAMES

    for key, what in problems(raw, NAMES):
        raise error_at(path, key, what)
    own = {key.name for key in CHECKS[raw["check"]].keys} | {"anchors", "with-torch", "gate", "gate-patterns"}
    parameters = {key: _frozen(value) for key, value in raw.items() if key in own}
    return Rule(
        name=path.stem,
        title=title,
        check=raw["check"],
        severity=raw["severity"],
        message=raw["message"],
        message_zh=raw["message-zh"],
        title_zh=raw.get("title-zh", ""),
        fix=raw.get("fix"),
        needs=raw.get("needs", ""),
        when_imported=raw.get("when-imported", ""),
        shim=raw.get("shim", "flag"),
        imports=tuple(raw.get("imports", ())),
        status=tuple(raw.get("status", ())),
        tags=tuple(raw.get("tags", ())),
        prerequisite=raw.get("prerequisite", ""),
        parameters=parameters,
        path=path,
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def read_page(path: Path) -> tuple[str, list[Example]]:
    """Return the text of a rule (Markdown, without title and toml block) and its examples; raise CatalogueError if an
    example is missing."""
    text = path.read_text(encoding="utf-8")
    block = _BLOCK.search(text)
    prose = text[block.end() :].split("\n## ", 1)[0].strip() if block else ""
    examples = list(_examples(path, text, block.end() if block else 0))
    _check_words(path, examples)
    if not any(example.flagged for example in examples):
        raise CatalogueError(f"{path}:1: a rule needs an example with a line marked `# flagged`")
    if all(example.flagged for example in examples):
        raise CatalogueError(f"{path}:1: a rule needs an example without a flagged line")
    return prose, examples


def read_chinese(path: Path) -> str:
    """The Chinese section (中文) of a rule's page; empty if there is none."""
    return path.read_text(encoding="utf-8").partition(CHINESE)[2].strip()


def _check_words(path: Path, examples: list[Example]) -> None:
    """Raise CatalogueError if a word after ```python is neither a target nor an option: a misspelt word would silently
    disable a test of the rule."""
    targets = sorted(declaration.stem for declaration in (path.parent / "targets").glob("*.toml"))
    for example in examples:
        options = [option.partition(":")[0] for option in example.project]
        for what, used, known in (
            ("target", [*example.only, *example.after], targets),
            ("option", options, EXAMPLE_OPTIONS),
        ):
            for word in used:
                if word not in known:
                    raise CatalogueError(f"{path}:{example.line}: unknown {what} {word!r}{nearest(word, known)}")


def _examples(path: Path, text: str, start: int) -> Iterator[Example]:
    """Yield the examples of a page: ```python begins one for all targets, ```python npu one for a target, ```python ->
    npu musa the expected result on these targets."""
    current: Example | None = None
    for match in _BLOCK.finditer(text, start):
        line = text.count("\n", 0, match.start()) + 1
        info = match[2].strip()
        if match[1] != "python":
            continue
        if info.startswith("->"):
            if current is None:
                raise CatalogueError(f"{path}:{line}: a result (->) needs an example above it")
            current.after.update(dict.fromkeys(info[2:].split(), match[3]))
            continue
        if current is not None:
            yield current
        heading = text.rfind("\n## ", 0, match.start())
        title = text[heading + 4 : text.index("\n", heading + 4)] if heading >= 0 else ""
        words = info.split()
        lines = match[3].splitlines()
        flagged = tuple(number for number, row in enumerate(lines, 1) if _FLAG.search(row))
        before = "".join(_FLAG.sub("", row) + "\n" for row in lines)
        only = tuple(word for word in words if ":" not in word)
        options = tuple(word for word in words if ":" in word)
        current = Example(title, before, flagged, only, {}, line, options)
    if current is not None:
        yield current
