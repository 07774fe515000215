"""Collects the strings that belong to one option, field or variable: its choices, and the values that it is compared
with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..facts.read import Statement
from ..facts.role_calls import last_word
from ..facts.roles import Role
from .string_flow import LINKED, TESTS, Flow

_HOLDERS = (ast.Attribute, ast.Subscript)


class Members(NamedTuple):
    """The strings that belong to one option, field or variable: its possible values."""

    listed: frozenset[str]
    """The declared choices of the option, field or variable, and the items of lists in which the code looks up its
    value."""
    compared: frozenset[str]
    """The strings outside of lists that are assigned to the option, field or variable, or compared with it."""
    tested: bool
    """Whether the code compares the option, field or variable with a value."""


class MemberIndex:
    """Collects the strings that belong to one option, field or variable in a source file, and caches them."""

    def __init__(self, flow: Flow) -> None:
        self._flow, self._context = flow, flow.context
        self._known: dict[tuple[str, int], Members] = {}

    def of(self, role: Role, statement: Statement) -> Members:
        """Return the possible values of the option, field or variable that a string belongs to, and the other strings
        in the string's list. `role`: how the code uses the string."""
        name = role.option or role.name.removesuffix("()")
        if not name or role.kind not in LINKED or isinstance(role.subject, ast.Call):
            return Members(frozenset(role.items), frozenset(), role.kind in TESTS)
        of_field = bool(role.option) or isinstance(role.subject, _HOLDERS)
        scope = -1 if of_field else self._flow.scope(name, statement.start, role)
        if (name, scope) not in self._known:
            self._context.asked.add(name)
            self._known[name, scope] = self._members(name, scope)
        found = self._known[name, scope]
        return found._replace(listed=found.listed.union(role.items), tested=found.tested or role.kind in TESTS)

    def _members(self, name: str, scope: int) -> Members:
        listed: set[str] = set()
        compared: set[str] = set()
        tested = False
        end = self._context.facts.indents.extent(scope) if scope >= 0 else len(self._context.text)
        spelled = re.escape(name).replace("_", "[_-]")
        # the word comes first in the pattern, because a plain word is found fast
        pattern = re.compile(rf"{spelled}(?<!\w{spelled})(?!\w)(?P<kind>[ \t]*:)?")
        word = "" if "_" in name else name
        for statement in self._flow.statements(pattern, max(scope, 0), end, word, self._may_list):
            listed.update(self._annotated(name, statement))
            for text in statement.digest.texts:
                use = self._flow.role(text, statement)
                if name in (use.option, use.name) and use.kind in LINKED:
                    tested = tested or use.kind in TESTS
                    (listed if use.items or use.kind == "item" else compared).update([text.value, *use.items])
        return Members(frozenset(listed), frozenset(compared), tested)

    def _may_list(self, match: re.Match[str]) -> bool:
        """Whether the statement around `match`, an occurrence of a name, contains a string, or annotates the name."""
        start, end = self._context.facts.layout.logical_line(match.start())
        text = self._context.text
        return match["kind"] is not None or text.find('"', start, end) >= 0 or text.find("'", start, end) >= 0

    def _annotated(self, name: str, statement: Statement) -> Iterator[str]:
        """The choices of a name whose annotation is an alias that the file defines: `kind: Kind` with `Kind =
        Literal["a", "b"]`."""
        for node in statement.digest.piece.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                kinds = [argument.annotation for argument in arguments if argument.arg == name]
            else:
                kinds = [node.annotation] if isinstance(node, ast.AnnAssign) and last_word(node.target) == name else []
            for kind in kinds:
                if isinstance(kind, ast.Name):
                    yield from self._choices(kind.id)

    def _choices(self, alias: str) -> Iterator[str]:
        text = self._context.text
        pattern = re.compile(rf"^{re.escape(alias)}[ \t]*(?::[^=\n]*)?=[ \t]*(?:[\w.]+\.)?Literal\[", re.M)
        self._context.asked.add(alias)
        for statement in self._flow.statements(pattern, 0, len(text)):
            yield from (choice.value for choice in statement.digest.texts)
