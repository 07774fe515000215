"""The data of the catalogue: rules, targets and the rows of their tables. All classes of this module are immutable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from uncuda import lazy_re

_WORD = lazy_re.compile(r"\w+")
IN_BRACES = lazy_re.compile(r"\{([\w-]+)\}")
"""A placeholder in a text, such as `{device}`; a name or device string of the target replaces it."""


class CatalogueError(Exception):
    """A rule, target or table is wrong; the message names the file, the line and what to write instead."""


CUDA_OR_CPU = "cuda-or-cpu"
"""The kind of a function of a library that chooses CUDA or the CPU by itself if its call passes no device."""
CUDA_AND_CPU = "cuda-and-cpu"
"""The kind of a library that takes tensors and graphs only on CUDA and on the CPU."""


class Row(NamedTuple):
    """One row of a target's table: what the target has for one API."""

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


class Example(NamedTuple):
    """A code block of a rule's page: the lines to report (from 1), the targets it applies to (`()`: all), and the
    expected results by target."""

    title: str
    text: str
    flagged: tuple[int, ...]
    only: tuple[str, ...]
    after: dict[str, str]
    line: int
    project: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One rule: a Markdown file of `rules/`."""

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
    prerequisite: str = ""  # the rule's element of PREREQUISITES, or ""
    parameters: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None

    def title_in(self, locale: str) -> str:
        """Return the title in a language; the English title if the rule has no other."""
        return self.title_zh if locale == "zh" and self.title_zh else self.title

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a parameter of the rule's check."""
        return self.parameters.get(key, default)

    @cached_property
    def spoken(self) -> frozenset[str]:
        """Return all words that occur in the values of the rule's keys."""
        return words_in("\n".join(strings(self.parameters)))

    @cached_property
    def filled(self) -> frozenset[str]:
        """Return all placeholders in the texts that the rule shows to users or writes into code."""
        texts = strings([self.parameters, self.imports, self.when_imported, self.message, self.message_zh])
        return frozenset(name for text in texts if "{" in text for name in IN_BRACES.findall(text))


def words_in(text: str) -> frozenset[str]:
    """Return the set of words in a text."""
    return frozenset(_WORD.findall(text))


def nearest(word: str, words: Iterable[str]) -> str:
    """` (did you mean …?)` with the most similar known word, or an empty string if none is similar."""
    from difflib import get_close_matches  # imported here, because only an invalid catalogue needs suggestions

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
    """One accelerator, read from `rules/targets/ID.toml` and its tables. `version`: the plugin version that the tables
    are for, or a range of plugin versions, as the text of a `Versions`.

    `assumed`: whether the project states neither the plugin's version nor PyTorch's; `cuda_alike`: what the method
    `is_cuda_alike` of a multi-platform project returns on the target.
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
    """The plugin's version (the oldest of a range); "" if neither the plugin's version nor PyTorch's is known. A plugin
    has the version number of the PyTorch release that it is built for."""
    torch: str = ""
    """PyTorch's version (the oldest of a range); "" if neither PyTorch's version nor the plugin's is known."""
    fields: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each function of torch.cuda: the fields that the target fills in the object that the function returns."""
    assumed: bool = False
    vendor: str = ""
    """The word for the target in programs that name their devices by vendor: "ascend"."""

    def fill(self, template: str, **words: str) -> str:
        """Return the template with each placeholder replaced, by a word of the target (a name or device string) or by
        one of `words`."""
        return template.format_map({**self.words, "target": self.title, **words})

    @property
    def has_tables(self) -> bool:
        """Return whether the target has tables of its APIs; without tables, only its names and device strings are
        known."""
        return bool(self.rows)

    def has(self, feature: str) -> bool:
        """Return False if the target is known to lack a feature, otherwise True."""
        return str(self.features.get(feature, "yes")) == "yes"

    def row(self, dotted: str) -> Row | None:
        """Return the row of a dotted name, or of the class, function or attribute that contains it."""
        row = self.rows.get(dotted)
        parent = dotted
        while row is None and "." in parent:
            parent = parent.rpartition(".")[0]
            above = self.rows.get(parent)
            if above is not None:
                return None if above.kind == "module" else above
        return row

    def libraries(self, rule: Rule) -> frozenset[str]:
        """Return the modules of the target's table that a rule covers: those that the rule names, or all except its
        exceptions."""
        named, spared = rule.get("modules", ()), rule.get("except", ())
        return frozenset(
            name
            for name, row in self.modules.items()
            if row.status in rule.status and row.kind != "any" and (name in named if named else name not in spared)
        )

    @cached_property
    def cuda_and_cpu(self) -> tuple[str, ...]:
        """The libraries of the target's table that take tensors and graphs only on CUDA and on the CPU."""
        return tuple(name for name, row in self.modules.items() if row.kind == CUDA_AND_CPU)

    @cached_property
    def cuda_and_cpu_roots(self) -> frozenset[str]:
        """The first segments of the names in `cuda_and_cpu`."""
        return frozenset(name.partition(".")[0] for name in self.cuda_and_cpu)

    def has_module(self, dotted: str) -> bool:
        """Return whether a dotted name is a module, from which names can be imported, rather than a class."""
        return dotted not in self.classes

    def module_path(self, dotted: str) -> str:
        """The path of a plugin's module in an import statement, which may differ from its path elsewhere in the code:
        `torch_musa.core.amp` for `torch.musa.amp`."""
        for prefix in sorted(self.module_paths, key=len, reverse=True):
            if dotted == prefix or dotted.startswith(prefix + "."):
                return self.module_paths[prefix] + dotted[len(prefix) :]
        return dotted
