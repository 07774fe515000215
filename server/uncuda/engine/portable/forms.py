"""The replacements that a rule declares under the key `portable`, filled in for one text; and the reasons why code
cannot be replaced."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ...catalogue.model import IN_BRACES
from ...checks.base import Context
from ...checks.hit import Hit
from ...checks.scripted import scripted
from ...edits import Edit
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
"""Ids of sentences that say why a hit has no portable fix: its rule declares no replacement for all accelerators, its
code is above the existing import of the helper module, or the targets need different fixes."""
CALLS, READ, GIVEN = "portable-calls", "portable-read", "portable-given"
"""Ids of sentences that say why no fix of the checked file is safe: another file stays on CUDA, and it defines a
function that the checked file calls (`CALLS`), or reads values that the checked file declares (`READ`), or sets a
device to "cuda" that the checked file may compare with a string (`GIVEN`)."""
HALF, CUDAS, SEEN, STYLE, STREAMS, COMPILED, FILE, UNSURE, REFUSES = (
    "portable-half",
    "portable-cudas",
    "portable-seen",
    "portable-style",
    "portable-streams",
    "portable-compiled",
    "portable-file",
    "portable-reach",
    "portable-refuses",
)
"""Ids of sentences that say why a fix needs review: related code stays on CUDA, another file may need the replaced
names, or the file may not find the helper module. `REFUSES` says why a fix is missing: an error message in the code
says that only CUDA is supported."""
ANY, MODULE, DECORATOR, TAKEN, OWN_TO, PACKED, EARLY, OLD = (
    "portable-any",
    "portable-module",
    "portable-decorator",
    "portable-taken",
    "portable-own-to",
    "portable-packed",
    "portable-early",
    "portable-old",
)
"""Ids of sentences that say why a fix needs review: the new code may not work in all cases."""
PORTABLE_REASONS = frozenset(
    {
        *(BY_HAND, SCRIPTED, LACKS, RENAMED, ALIASED, NO_FORM, LATE, DIFFERS, CALLS, READ, GIVEN),
        *(HALF, CUDAS, SEEN, STYLE, STREAMS, COMPILED, FILE, UNSURE, REFUSES),
        *(ANY, MODULE, DECORATOR, TAKEN, OWN_TO, PACKED, EARLY, OLD),
    }
)


class Unwritable(Exception):
    """Raised if no code for all accelerators can replace the code of a hit; str() returns the id of the sentence that
    says why."""


@dataclass
class Form:
    """The replacements of one rule, and the first reason why its fix needs review."""

    templates: Mapping[str, str]
    spelling: Spelling
    accelerators: Accelerators | None = None
    """The functions of `torch.accelerator` that fixes call, where possible, instead of the helper module's functions;
    None if fixes in this text call only the helper module."""
    review: str = ""
    """The id of the sentence that says why a fix with this replacement needs review; "" if it needs no review."""

    def of(self, key: str) -> str:
        """Return the replacement for a string or a dotted name; raise Unwritable if the rule declares none for it."""
        if key not in self.templates:
            raise Unwritable(BY_HAND)
        return filled(self.templates[key], self.spelling)

    def needs_review(self, limit: str) -> None:
        """Record a reason why the fix needs review, unless there is an earlier reason."""
        self.review = self.review or limit


def filled(template: str, spelling: Spelling, argument: str = "") -> str:
    """Return `template` with a call in place of each name in braces; the name is that of a function of the helper
    module. Raise Unwritable if the helper module does not have this function."""
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


def first_argument(text: str, opening: int, following: tuple[int, int] | None, new: str) -> Edit:
    """Return the edit that adds a new first argument to a call. `opening`: the offset after the opening
    bracket of the call; `following`: the offsets at which the first argument begins and the last one ends, None for a
    call without arguments.

    If the arguments are on lines of their own, with a comma behind the last one, the new argument gets a line as well.
    """
    if following is None:
        return Edit(opening, opening, new)
    first, end = following
    between = text[opening:first]
    if "\n" not in between:
        return Edit(opening, opening, f"{new}, ")
    if not text[end:].lstrip().startswith(","):
        return Edit(first, first, f"{new}, ")
    newline = "\r\n" if "\r\n" in between else "\n"
    return Edit(first, first, f"{new},{newline}{between.rpartition(chr(10))[2]}")
