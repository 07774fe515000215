"""Reads the folder `rules/` into one validated, immutable Catalogue."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from .accelerator import Accelerator, Api, Parameter, before, beyond, read_accelerator
from .cache import cached_rules
from .conflicts import check_conflicts, check_needs
from .model import CUDA_AND_CPU, CUDA_OR_CPU, CatalogueError, Example, Row, Rule, Target, words_in
from .ranges import Versions, minor
from .rules import CHINESE, read_chinese, read_page
from .tables import around, read_rows, read_texts, same_version
from .targets import build_target, default_version, follows_torch, known_versions, read_declaration
from .words import lacking

__all__ = ["CHINESE", "CUDA_AND_CPU", "CUDA_OR_CPU", "Accelerator", "Api", "Catalogue", "CatalogueError", "Example",
           "Parameter", "Row", "Rule", "Target", "Versions", "around", "before", "beyond", "folder", "lacking", "load",
           "read_chinese", "read_page", "same_version", "words_in"]  # fmt: skip


class Catalogue:
    """All rules, and all targets, whose names and device strings replace the placeholders in the rules."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rules: dict[str, Rule] = {rule.name: rule for rule in cached_rules(path)}
        check_conflicts(self.rules.values())
        self.declarations: dict[str, dict[str, Any]] = {
            declaration.stem: read_declaration(declaration) for declaration in sorted((path / "targets").glob("*.toml"))
        }
        features = {name for raw in self.declarations.values() for name in raw.get("features", ())}
        check_needs(self.rules.values(), features)
        self._rows = lru_cache(maxsize=None)(read_rows)  # plugin versions with the same table file share its rows
        self._targets: dict[tuple[str | None, ...], Target] = {}
        self._versions: dict[str, tuple[str, ...]] = {}
        self._texts: dict[str, dict[str, str]] | None = None
        self._accelerators: dict[str, Accelerator] = {}

    @property
    def targets(self) -> dict[str, Target]:
        """Every target, in its default version."""
        return {name: self.target(name) for name in self.declarations}

    @cached_property
    def devices(self) -> frozenset[str]:
        """The device strings of all targets, such as "npu"; no table is read for them."""
        return frozenset(str(raw["words"].get("device", "")) for raw in self.declarations.values()) - {""}

    @cached_property
    def indexed_calls(self) -> frozenset[str]:
        """The functions that take a device only with an index on some targets."""
        return frozenset(name for rule in self.rules.values() for name in rule.get("indexed-calls", ()))

    @cached_property
    def with_own_devices(self) -> frozenset[str]:
        """The libraries with devices of their own: the words without a dot in `silent-calls` of rules about strings."""
        rules = (rule for rule in self.rules.values() if rule.check == "string")
        return frozenset(name for rule in rules for name in rule.get("silent-calls", ()) if "." not in name)

    @property
    def commands(self) -> frozenset[str]:
        """The shell commands for which rules search, such as `nvidia-smi`."""
        return frozenset(word for rule in self.rules.values() for word in rule.get("commands", ()))

    @property
    def default_target(self) -> str:
        """The id of the target whose declaration has `default = true`; CatalogueError unless exactly one target has
        it."""
        names = [name for name, declaration in self.declarations.items() if declaration.get("default")]
        if len(names) != 1:
            said = " and ".join(names) or "no target"
            raise CatalogueError(f"{self.path / 'targets'}: just one target says `default = true`, not {said}")
        return names[0]

    def target(
        self, name: str, version: str | None = None, torch_version: str | None = None, hardware: str | None = None
    ) -> Target:
        """Return the target with the id `name`, for the given versions of its plugin and of PyTorch and the given
        hardware; raise KeyError if there is no such target."""
        key = (name, version, torch_version, hardware)
        if key not in self._targets:
            raw = self.declarations[name]
            tables = self.path / "tables"
            self._targets[key] = build_target(name, raw, tables, version, torch_version, hardware, self._rows)
        return self._targets[key]

    @cached_property
    def libraries(self) -> frozenset[str]:
        """The top-level modules of all libraries in the targets' tables, and of the libraries with devices of their
        own, as import statements name them: `import NAME`, `from NAME`."""
        return self.with_own_devices | {row.name.partition(".")[0] for row in self._modules}

    @cached_property
    def bound_to_cuda(self) -> frozenset[str]:
        """The modules that need CUDA according to the table of at least one target."""
        return frozenset(row.name for row in self._modules if row.kind == "cuda")

    @cached_property
    def cuda_and_cpu(self) -> frozenset[str]:
        """The libraries that take tensors and graphs only on CUDA and on the CPU, according to the table of any
        target."""
        return frozenset(row.name for row in self._modules if row.kind == CUDA_AND_CPU)

    @cached_property
    def _modules(self) -> tuple[Row, ...]:
        """The rows of all targets' tables of libraries; each start asks for them more than once."""
        tables = (self.path / "tables" / name / "modules.tsv" for name in self.declarations)
        return tuple(row for table in tables if table.exists() for row in read_rows(table).values())

    def accelerator(self, name: str) -> Accelerator:
        """Return the names of `torch.accelerator` that a target's plugin supports."""
        known = self._accelerators.get(name)
        if known is None:
            known = self._accelerators[name] = read_accelerator(self.path / "tables" / "accelerator.tsv", name)
        return known

    def default_version(self, name: str) -> str:
        """Return the plugin version of a target that is assumed if no file or setting states one."""
        return default_version(self.declarations[name], self._known_versions(name))

    def _known_versions(self, name: str) -> tuple[str, ...]:
        if name not in self._versions:
            self._versions[name] = known_versions(self.path / "tables" / name)
        return self._versions[name]

    def follows_torch(self, name: str, versions: Versions) -> bool:
        """Whether these plugin versions have the same numbers as the PyTorch versions that they are made for."""
        return follows_torch(self.declarations[name], versions)

    def going_with(self, name: str, torch: str) -> str | None:
        """Return the versions of a target's plugin that match the PyTorch versions `torch`. The argument and the result
        are texts such as `2.6.0` or `>=2.6,<2.8`. For a single PyTorch version, the result is a known plugin version of
        the same minor release or, if none is known, the number of the PyTorch version. Return None if the plugin's
        version numbers do not follow those of PyTorch."""
        versions = Versions.of(torch)
        first = self.declarations[name].get("torch-from")
        going = versions.within(Versions(first)) if first else None
        if going is None or not going.exact:
            return str(going) if going else None
        known = self._known_versions(name)
        same = [version for version in known if same_version(torch, version)]
        near = same or [version for version in known if minor(version) == minor(torch)]
        return near[-1].partition(".post")[0] if near else torch

    def since(self, name: str, api: str) -> str:
        """Return the first version of a target whose table has an API; empty if no version has it."""
        for version in self.target(name).versions:
            row = self.target(name, version).rows.get(api)
            if row is not None and row.present:
                return version
        return ""

    def limit(self, identifier: str, language: str = "en") -> str:
        """The text that describes a limit of a target, such as an API that it lacks."""
        if self._texts is None:
            self._texts = read_texts(self.path / "limits.tsv")
        return self._texts[identifier][language]


def folder() -> Path:
    """The folder of the rules: inside the installed package, or beside `server/` in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "rules"
    return inside if inside.is_dir() else package.parents[1] / "rules"


@lru_cache(maxsize=4)
def load(path: Path | None = None) -> Catalogue:
    """Return the catalogue in a folder (default: the one installed with uncuda); raise CatalogueError if a file in it
    is invalid."""
    return Catalogue(path or folder())
