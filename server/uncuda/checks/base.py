"""Defines what a check receives (`Context`) and the methods that every check implements (`Check`)."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Protocol

from .. import lazy_re
from ..catalogue import Catalogue, Row, Rule, Target
from ..edits import Edit, lowest
from ..facts.digest import Text
from ..facts.names import from_imports, plain_imports
from ..facts.read import Facts, Name, Statement
from ..facts.roles import Role, role_of
from ..facts.scans import imports_of, matches, plain
from ..project import Owner, Project
from ..source import Span
from .beside_torch import first_import, imports_by_name
from .families import ClassFamily, families_in
from .hit import At, Hit, Links
from .import_edits import early_edit, import_edit
from .owners import METHODS, PATCHING, owners_of, patches_of
from .parameters import Parameters

_WORDS = lazy_re.compile(r"\w+")
_FEW = 16

__all__ = ["At", "Check", "Context", "Hit", "Links", "cap", "is_listed", "row_class"]


class Check(Protocol):
    """A check with all its rules, prepared for one target.

    If a check has the attribute `of_whole_text`, its hits depend on the whole file; otherwise each hit depends on one
    statement.
    """

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield every hit in one source file."""
        ...


@dataclass(eq=False)
class Context:
    """One source file, the facts about it, and the target and project for which it is checked."""

    facts: Facts
    target: Target
    catalogue: Catalogue
    project: Project
    shim: bool
    path: str = ""
    portable: bool = False
    """Whether the source must run on every accelerator, so that fixes must not import a plugin."""
    line: Span | None = None
    """The one logical line that is checked after an edit; None: the whole file is checked."""
    asked: set[str] = field(default_factory=set)
    """The names whose uses a check searched for, and `def NAME` for each function whose source a check read. If an edit
    touches one of these names, all hits of the file are computed again."""
    absent: set[str] = field(default_factory=set)
    """The ids of rules that report nothing because the file lacks code that the rules need, and `fix of RULE` for each
    rule whose fixes are dropped because of other code in the file."""
    devices: dict[str, str] = field(default_factory=dict)
    """For each local name: the kind of the values that this file assigns to it (`given_device.bound_kind`)."""
    setters: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each attribute name: the names that this file assigns to the attribute."""
    lacking: dict[tuple[str, str, int], str] = field(default_factory=dict)
    """For each variable, module that it may hold, and offset of its scope: what the scope reads of the variable that
    the target's module lacks, "" if there is nothing (`chosen_module.lacking`)."""
    naming: dict[tuple[str, int], tuple[Statement, ...]] = field(default_factory=dict)
    """For each name and offset of a scope: the statements of the scope that contain the name."""
    scopes: dict[tuple[str, int], bool] = field(default_factory=dict)
    """For each name and offset of a function: whether the name is a local variable of the function."""
    conditions: dict[int, frozenset[str]] = field(default_factory=dict)
    """For each offset of an `if`, `elif`, `while` or `assert`: the names in its line."""
    uses: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    """For each kind of use, such as "joined" with text: each name that this file uses so, and the offsets of the
    uses."""
    _roles: dict[int, Role] = field(default_factory=dict)
    _roots: frozenset[str] | None = None
    _torch: list[Statement] | None = None
    _written: dict[tuple[str, int], Edit] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The source text of the file."""
        return self.facts.text

    @property
    def statements(self) -> Collection[Statement]:
        """The statements to check: those of `line`, or all statements of the file."""
        every = self.facts.statements.values()
        if self.line is None:
            return every
        start, end = self.line
        return [statement for statement in every if start <= statement.start < end]

    @property
    def references(self) -> Sequence[Name]:
        """The resolved names in the statements to check."""
        every = self.facts.references
        if self.line is None:
            return every
        start, end = self.line
        return [name for name in every if start <= name.statement.start < end]

    def resolve(self, node: ast.AST, statement: Statement) -> str | None:
        """Return the dotted name to which an expression resolves, such as "torch.cuda.synchronize"; None if it resolves
        to no name."""
        return self.facts.names.resolve_node(node, statement.start, statement.digest)

    def role(self, text: Text, statement: Statement) -> Role:
        """Return how the code uses a string literal (its Role); each Role is computed once."""
        key = id(text)
        if key not in self._roles:
            self._roles[key] = role_of(text, statement.digest, lambda node: self.resolve(node, statement))
        return self._roles[key]

    def imports_root(self, root: str) -> bool:
        """Whether the file imports a module whose first segment is `root`."""
        if self._roots is None:
            self._roots = self.facts.import_names().roots
            self._roots |= {"torch"} if self.facts.star >= 0 or self.torch_by_name else frozenset()
        return root in self._roots

    @property
    def has_torch(self) -> bool:
        """Whether device strings in this file mean torch's devices, because the file or its project imports torch."""
        return self.imports_root("torch") or self.beside_torch is not None

    @cached_property
    def beside_torch(self) -> Statement | None:
        """Return the import below which the plugin's import is inserted, in a file that does not import torch although
        its project does; None for other files."""
        if not self.project.torch or self.imports_root("torch"):
            return None
        return first_import(self.facts, self.path, self.catalogue.with_own_devices)

    @property
    def imported(self) -> Mapping[str, str]:
        """Return the local names bound by imports, with the dotted names of the imported objects."""
        return self.facts.import_names().dotted

    @cached_property
    def parameters(self) -> Parameters:
        """Return an object that finds the parameters which receive the arguments of calls in this file."""
        return Parameters(self.facts, self.asked)

    @cached_property
    def owners(self) -> frozenset[Owner]:
        """The classes of the project and of this file that define `cuda` or `is_cuda` themselves."""
        known = self.project.owners
        defined = [f"def {method}" for method in METHODS if self.facts.says(f"def {method}(")]
        patching = any(map(self.facts.says, PATCHING)) and any(patches_of(self.facts.layout.text, self._places))
        if not defined and not patching and not self.mentions(frozenset(owner.name for owner in known if owner.name)):
            return known
        self.asked.update(defined)
        self.facts.work.search(0, 8 * len(self.text))
        layout = self.facts.layout
        return known | owners_of(layout.text, lambda at: not layout.token_at(at), known, self._places)

    def _places(self, text: str, word: str) -> Sequence[int]:
        """Return the offsets of a word in the text. If an edit adds or removes the word in the text, the hits are
        computed again only if the caller has also made a search of another kind, or added the word to `asked` (see
        `Facts.places`)."""
        return self.facts.places(word)

    @cached_property
    def families(self) -> list[ClassFamily]:
        """Return the groups of classes in this file that do the same job, each class for a different accelerator."""
        return families_in(self.facts, self.catalogue.devices)

    def mentions(self, names: frozenset[str]) -> bool:
        """Return whether the file contains one of these names, even as a part of a longer word."""

        def scan(text: str, start: int, end: int) -> Iterator[int]:
            if len(names) > _FEW:
                either = re.compile("|".join(map(re.escape, sorted(names))))
                return (match.start() for match in either.finditer(text, start, end))
            return iter(sorted(at for name in names for at in plain(name)(text, start, end)))

        return bool(names) and bool(self.facts.searches.find(("words", names), scan))

    @property
    def bound(self) -> frozenset[str]:
        """The local names that imports bind."""
        return self.facts.import_names().bound

    @property
    def spelled(self) -> frozenset[str]:
        """Return the modules and names that import statements contain, in their original spelling."""
        return self.facts.import_names().spelled

    def binds(self, name: str) -> bool:
        """Whether an import binds this local name."""
        return name in self.bound

    def feature_limits(self, rule: Rule) -> tuple[str, ...]:
        """Return the id of the text that says why the target lacks a feature that the rule needs; empty if the target
        has it."""
        reason = self.target.features.get(rule.needs, "yes")
        return () if reason == "yes" else (reason,)

    def foreign_module(self, name: str) -> str:
        """The module, other than torch, that a plain `import` binds to a local name; "" if there is none."""
        return self.foreign_modules.get(name, "")

    def foreign_name(self, name: str) -> str:
        """Return the dotted name of a local name if it is imported from anything but torch; else ""."""
        return self.foreign_module(name) or self.foreign_names.get(name, "")

    @cached_property
    def foreign_names(self) -> dict[str, str]:
        """Local names bound by `from … import` of anything but torch, with their dotted names."""
        found = from_imports(self.facts.searches)
        return {local: dotted for local, dotted in found if dotted.partition(".")[0] != "torch"}

    @cached_property
    def foreign_modules(self) -> dict[str, str]:
        """Local names bound by plain `import` of anything but torch, with their modules."""
        found = plain_imports(self.facts.searches)
        return {local: module for local, module in found if module.partition(".")[0] != "torch"}

    def means_import(self, name: str, at: int) -> bool:
        """Return whether a name of `foreign_modules` or `foreign_names` means what is imported at an offset: not if the
        function around the offset, or the module around the function, binds it to another value, `model = model.Net()`
        below `import model`, or if it is a parameter."""
        scopes = self._assigned_imports.get(name, ())
        if -1 in scopes:
            return False
        headers = [line for line in self.facts.indents.headers(at) if line.word in ("def", "class")]
        if any(line.start in scopes for line in headers):
            return False
        if at not in self._around:
            found = (self.text[line.start : line.end] for line in headers if line.word == "def")
            self._around[at] = frozenset(word for header in found for word in _WORDS.findall(header))
        return name not in self._around[at]

    @cached_property
    def _around(self) -> dict[int, frozenset[str]]:
        """The words in the headers of the functions around an offset, by the offset."""
        return {}

    @cached_property
    def _assigned_imports(self) -> dict[str, set[int]]:
        """The names of `foreign_modules` and `foreign_names` that a statement binds to another value, each with the
        starts of the functions and classes around the statements, -1 for the module."""
        either = "|".join(map(re.escape, {**self.foreign_modules, **self.foreign_names}))
        items = r"(?:\w+[ \t]*,[ \t]*)*"
        named = rf"(?:{items}({either})\b[ \t]*(?:,[^=\n]*)?(?::[^=\n]{{1,80}})?=(?!=)|for[ \t]+{items}({either})\b)"
        pattern, layout = re.compile(rf"^[ \t]*{named}", re.M), self.facts.layout
        found: dict[str, set[int]] = {}
        for at in self.facts.searches.find(("assigned", pattern), matches(pattern)):
            match = pattern.match(self.text, at)
            start = match.start(1 if match[1] else 2) if match is not None else at
            if (
                match is not None
                and not layout.token_at(start)
                and layout.logical_line(start)[0] == layout.line_start(at)
            ):
                found.setdefault(match[1] or match[2], set()).add(self.facts.indents.scope_start(start))
        return found

    @cached_property
    def imported_roots(self) -> frozenset[str]:
        """The first segments of the names of all modules that the file imports: "os" for `import os.path`."""
        found = chain(plain_imports(self.facts.searches), from_imports(self.facts.searches))
        return frozenset(dotted.partition(".")[0] for _, dotted in found)

    @cached_property
    def first_torch_import(self) -> Statement | None:
        """The first statement outside of all blocks that imports torch."""
        line_start = self.facts.layout.line_start
        return next((one for one in self.torch_imports() if line_start(one.start) == one.start), None)

    def imports_from(self, roots: frozenset[str]) -> bool:
        """Return whether the file imports a module whose first segment is in `roots`. An edit of such an import checks
        the text again."""
        return self.facts.searches.has(("imports from", roots), imports_of(roots))

    def torch_imports(self) -> list[Statement]:
        """The statements that import torch at run time, in source order."""
        if self._torch is None:
            found = [
                statement
                for binding, statement in self.facts.imports()
                if binding.dotted.partition(".")[0] == "torch" and not self.typing_only(statement)
            ]
            if (star := self.facts.statements.get(self.facts.star)) is not None:
                found.append(star)
            found += self.torch_by_name
            self._torch = sorted(dict.fromkeys(found), key=lambda statement: statement.start)
        return self._torch

    @cached_property
    def torch_by_name(self) -> list[Statement]:
        """The statements that import torch by its name, `torch = pytest.importorskip("torch")`."""
        return imports_by_name("torch", self.facts)

    def typing_only(self, statement: Statement) -> bool:
        """Return whether a statement is in the block of `if TYPE_CHECKING:`."""
        if self.facts.layout.line_start(statement.start) == statement.start:
            return False
        return any(
            re.match(r"if[ \t]+(?:\w+\.)?TYPE_CHECKING\b", self.text[header.start : header.end])
            for header in self.facts.indents.headers(statement.start)
        )

    def requires(self, rule: Rule, offset: int, written: str = "") -> tuple[Edit, ...]:
        """Return the edits that import the plugin, which a fix at `offset` needs; empty if the file imports the plugin
        already. `written`: the dotted name that the fix writes into the code."""
        if written.count(".") == 1 and written.startswith("torch.") and self.target.words["device"] not in written:
            return ()  # `torch.OutOfMemoryError` and similar names belong to torch, not to the plugin
        if self.portable:
            return ()
        if self.target.id in self.project.served & self.project.plugins:
            # no import is added: another module of the project imports the target's plugin already, and the checked
            # file also runs on other accelerators, where the plugin is not installed
            return ()
        modules = [word for template in rule.imports if (word := self.target.fill(template))]
        edits = [self._plugin_import(module, offset) for module in modules if not self._imported(module, written)]
        return tuple(edit for edit in edits if edit)

    def lacks_plugin(self, rule: Rule, offset: int) -> bool:
        """Return whether a fix at `offset` needs the plugin, and there is no place for its import: the file imports
        torch only for type checkers."""
        modules = [word for template in rule.imports if (word := self.target.fill(template))]
        if self.portable or not modules or self.target.id in self.project.plugins:
            return False
        return any(not self._imported(one, "") and self._plugin_import(one, offset) is None for one in modules)

    def _imported(self, module: str, written: str) -> bool:
        root = module.partition(".")[0]
        if written.partition(".")[0] != root:
            return self.imports_root(root)
        if module != root:
            return module in self.spelled
        return self.binds(root)

    def _plugin_import(self, package: str, offset: int) -> Edit | None:
        torch = self.torch_imports()
        self.facts.work.compare(2 * len(torch))
        statement = self._torch_of(torch, offset) if torch else self.beside_torch
        if statement is None:
            return None
        key = package, statement.start
        if key not in self._written:
            in_function = self.facts.indents.scope_of(statement.start) is not None
            edit = early_edit(self.facts, package, len(self.text) if in_function else statement.start)
            before = self._needs_above(statement)
            self._written[key] = edit or import_edit(self.facts, package, statement, before=before)
        return self._written[key]

    def _torch_of(self, torch: list[Statement], offset: int) -> Statement:
        """Return the import of torch that is visible at `offset`: one at module level, otherwise the first one in the
        innermost block of the function that contains the offset, so that the block gets one import of the plugin."""
        indents = self.facts.indents
        module: list[Statement] = []
        around: list[Statement] = []
        for statement in torch:
            if self.facts.layout.line_start(statement.start) == statement.start:
                return statement
            scope = indents.scope_of(statement.start)
            if scope is None:
                module.append(statement)
            elif scope[0] <= offset < indents.extent(scope[0]):
                around.append(statement)
        if module:
            return module[0]
        above = [statement for statement in around or torch if statement.start <= offset]
        if not above:
            return (around or torch)[0]
        blocks = [indents.header_above(statement.start) for statement in above]
        ends = [len(self.text) if block is None else indents.extent(block.start) for block in blocks]
        inner = next((at for at in reversed(range(len(above))) if offset < ends[at]), len(above) - 1)
        return above[blocks.index(blocks[inner])]

    def _needs_above(self, statement: Statement) -> bool:
        """Whether a statement imports a name that torch has only after the plugin is imported: `is_nccl_available`."""
        for binding in statement.digest.bindings:
            row = self.target.row(binding.dotted) if binding.kind == "from" else None
            if row is not None and row.replacement not in ("", row.name):
                if self.target.module_path(row.replacement.rpartition(".")[0]).partition(".")[0] == "torch":
                    return True
        return False


def is_listed(name: str, listed: Collection[str]) -> bool:
    """Whether a dotted name or one of its parents is in `listed`."""
    while name:
        if name in listed:
            return True
        name = name.rpartition(".")[0]
    return False


def cap(rule: Rule, applicability: str | None) -> str | None:
    """Return a fix class, or the rule's own class if that is less safe; None (no fix) is the least safe."""
    return lowest(rule.fix, applicability)


def row_class(row: Row | None, review_limits: frozenset[str]) -> str | None:
    """The fix class that a row of the target's table allows; see "When an edit is safe" in docs/architecture.md."""
    if row is None or not row.replacement or row.status in ("missing", "noop") or "private-name" in row.limits:
        return None
    if row.status == "replaced" or not row.present or review_limits.intersection(row.limits):
        return "review"
    return "safe"
