"""What the catalogue holds: rules, targets and the rows of their tables. All immutable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

_WORD = re.compile(r"\w+")
IN_BRACES = re.compile(r"\{([\w-]+)\}")
"""A place in a text that a word fills."""


class CatalogueError(Exception):
    """A rule, target or table is wrong; the message names file, line and what to write instead."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a target's table says of one API."""

    name: str
    kind: str
    status: str
    replacement: str = ""
    present: bool = True
    since: str = ""
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    positions: bool = False
    limits: tuple[str, ...] = ()
    shim: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A code block of a rule: lines to flag (from 1), targets it is for ((): all), results by target."""

    title: str
    text: str
    flagged: tuple[int, ...]
    only: tuple[str, ...]
    after: dict[str, str]
    line: int
    project: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One Markdown file of `rules/`."""

    name: str
    title: str
    check: str
    severity: str
    message: str
    message_zh: str
    title_zh: str = ""
    fix: str | None = None
    needs: str = ""
    when_imported: str = ""
    targets: tuple[str, ...] = ()
    shim: str = ""
    imports: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    prerequisite: str = ""  # one of PREREQUISITES
    parameters: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None

    def title_in(self, locale: str) -> str:
        """The title in a language; in English where the rule has no other."""
        return self.title_zh if locale == "zh" and self.title_zh else self.title

    def get(self, key: str, default: Any = None) -> Any:
        """A parameter of the rule's check."""
        return self.parameters.get(key, default)

    @cached_property
    def spoken(self) -> frozenset[str]:
        """The words in its parameters."""
        return words_in("\n".join(strings(self.parameters)))

    @cached_property
    def filled(self) -> frozenset[str]:
        """What stands in braces in what it writes, says and imports: words of targets, and others."""
        texts = strings([self.parameters, self.imports, self.when_imported, self.message, self.message_zh])
        return frozenset(name for text in texts if "{" in text for name in IN_BRACES.findall(text))


def words_in(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(_WORD.findall(text))


def nearest(word: str, words: Iterable[str]) -> str:
    """` (did you mean …?)` when a known word is close, else an empty string."""
    from difflib import get_close_matches  # what is right needs no hint

    close = get_close_matches(word, list(words), n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""


def strings(value: object) -> Iterator[str]:
    """Every string in nested tables and lists, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from strings([*value, *value.values()])
    elif isinstance(value, Iterable):
        for item in value:
            yield from strings(item)


@dataclass(frozen=True)
class Target:
    """One accelerator: `rules/targets/ID.toml` and its tables for one version, or for a range (`Versions`, as text).

    `assumed`: nothing says the version, nor that of PyTorch; `cuda_alike`: what programs that run on several platforms
    hear from `current_platform.is_cuda_alike()`.
    """

    id: str
    title: str
    title_zh: str
    homepage: str
    version: str
    versions: tuple[str, ...]
    words: dict[str, str]
    features: dict[str, Any]
    module_paths: dict[str, str]
    rows: dict[str, Row]
    environment: dict[str, Row]
    modules: dict[str, Row]
    review_limits: frozenset[str] = frozenset()
    cuda_alike: bool = False
    keywords: dict[str, tuple[str, str]] = field(default_factory=dict)
    classes: frozenset[str] = frozenset()
    stated: str = ""
    """The plugin's version, of a range the oldest, where somebody said it, or PyTorch's: a plugin has the number of the
    one that it is for."""
    torch: str = ""
    """PyTorch's version, of a range the oldest, where somebody said it or the plugin's."""
    fields: dict[str, frozenset[str]] = field(default_factory=dict)
    """What the object that a function gives has of its fields, by the function's name in torch.cuda."""
    assumed: bool = False

    def fill(self, template: str, **words: str) -> str:
        """A template with the target's words, and others, in its braces."""
        return template.format_map({**self.words, "target": self.title, **words})

    @property
    def has_tables(self) -> bool:
        """Whether anything is known of its APIs, beyond words."""
        return bool(self.rows)

    def has(self, feature: str) -> bool:
        """Whether nothing is known against a feature."""
        return str(self.features.get(feature, "yes")) == "yes"

    def row(self, dotted: str) -> Row | None:
        """The row of a name, or of the class, function or attribute that it is a part of."""
        row = self.rows.get(dotted)
        parent = dotted
        while row is None and "." in parent:
            parent = parent.rpartition(".")[0]
            above = self.rows.get(parent)
            if above is not None:
                return None if above.kind == "module" else above
        return row

    def libraries(self, rule: Rule) -> frozenset[str]:
        """The modules of the table that a rule is about: those that it names, or all but its exceptions."""
        named, spared = rule.get("modules", ()), rule.get("except", ())
        return frozenset(
            name
            for name, row in self.modules.items()
            if row.status in rule.status and row.kind != "any" and (name in named if named else name not in spared)
        )

    def has_module(self, dotted: str) -> bool:
        """Whether names can be imported from what stands in a module's place: not from a class."""
        return dotted not in self.classes

    def module_path(self, dotted: str) -> str:
        """How a module of the plugin is spelled in an import statement."""
        for prefix in sorted(self.module_paths, key=len, reverse=True):
            if dotted == prefix or dotted.startswith(prefix + "."):
                return self.module_paths[prefix] + dotted[len(prefix) :]
        return dotted
