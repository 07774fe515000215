"""The replacements that a rule declares under `portable`, filled in for one text, and the reasons why code cannot be
replaced."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ...catalogue.model import IN_BRACES
from ...checks.base import Context
from ...checks.hit import Hit
from ...checks.scripted import scripted
from ...edits import SAFE, lowest
from .accelerators import Accelerators
from .spelling import Spelling

BY_HAND, SCRIPTED, LACKS, RENAMED, ALIASED = (
    "portable-place",
    "portable-script",
    "portable-lacks",
    "portable-renamed",
    "portable-alias",
)
"""Keys of the reasons why the code of a hit cannot be replaced by code for all accelerators."""
NO_FORM, LATE, DIFFERS = "portable-form", "portable-late", "portable-differs"
"""Keys of three more reasons: the rule declares no replacement for all accelerators, the hit is above the existing
import of the helper module, or the targets need different fixes."""
PORTABLE_REASONS = frozenset({BY_HAND, SCRIPTED, LACKS, RENAMED, ALIASED, NO_FORM, LATE, DIFFERS})


class Unwritable(Exception):
    """The code of a hit has no replacement that runs on all accelerators; str() returns the key of the reason."""


@dataclass
class Form:
    """The replacements that a rule declares for its hits. `allowed`: the highest applicability that a fix with these
    replacements may have."""

    templates: Mapping[str, str]
    spelling: Spelling
    accelerators: Accelerators | None = None
    """Functions of `torch.accelerator`, which are preferred to the helper module's functions if the text or the project
    uses that style."""
    allowed: str | None = SAFE

    def of(self, key: str) -> str:
        """Return the replacement for a string or name; raise Unwritable if the rule declares none."""
        if key not in self.templates:
            raise Unwritable(BY_HAND)
        return filled(self.templates[key], self.spelling)

    def lower(self, applicability: str) -> None:
        """Lower the highest applicability that a fix may have."""
        self.allowed = lowest(self.allowed, applicability)


def filled(template: str, spelling: Spelling, argument: str = "") -> str:
    """Return a replacement with calls of the helper module for the names in braces; raise Unwritable if the helper
    module lacks one."""
    for name in IN_BRACES.findall(template):
        if not spelling.has(name):
            raise Unwritable(LACKS)
        call = spelling.call(name, argument)
        if not call:
            raise Unwritable(LACKS)
        template = template.replace(f"{{{name}}}", call)
    return template


def refuse_unless_expression(hit: Hit, context: Context) -> None:
    """Raise Unwritable if Python, a type checker or TorchScript would not accept a call in place of the hit's code."""
    statement, node = hit.statement, hit.node
    if statement is None or node is None:
        raise Unwritable(BY_HAND)
    if scripted(context.facts, statement.start):
        raise Unwritable(SCRIPTED)
    inner = node
    for outer in statement.digest.ancestors(node):
        if _refuses(outer, inner):
            raise Unwritable(BY_HAND)
        inner = outer


def _refuses(outer: ast.AST, inner: ast.AST) -> bool:
    kind = type(outer).__name__
    if kind.startswith("Match") and kind != "Match":
        return True
    if isinstance(outer, ast.Subscript):
        value = outer.value
        name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
        return name == "Literal"
    return is_annotation(outer, inner)


def is_annotation(outer: ast.AST, inner: ast.AST) -> bool:
    """Return whether the node `inner` is the annotation of the node `outer`."""
    if isinstance(outer, (ast.AnnAssign, ast.arg)):
        return outer.annotation is inner
    return isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)) and outer.returns is inner
