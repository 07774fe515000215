"""Collects the strings that belong to one option, field or variable: its choices, and the values that it is compared
with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from .. import lazy_re
from ..facts.read import Statement
from ..facts.role_calls import last_word, option_name
from ..facts.roles import Role
from .string_flow import LINKED, TESTS, Flow

_HOLDERS = (ast.Attribute, ast.Subscript)
_MEMBER = lazy_re.compile(r"^[ \t]+\w+[ \t]*=[ \t]*[\"']", re.M)  # of an enumeration


class Members(NamedTuple):
    """The strings that belong to one option, field or variable: its possible values."""

    lists: frozenset[frozenset[str]]
    """The declared choices of the option, field or variable, and the lists in which the code looks up its value."""
    compared: frozenset[str]
    """The strings outside of lists that are assigned to the option, field or variable, or compared with it."""
    tested: bool
    """Whether the code compares the option, field or variable with a value."""

    @property
    def listed(self) -> frozenset[str]:
        """The items of all lists."""
        return frozenset[str]().union(*self.lists)

    def serve_both(self, old: str, new: str) -> bool:
        """Return whether one of the lists contains both words, alone or with an index (`"npu:0"`). A fix replaces words
        in lists and adds none, so a person wrote such a list."""
        return any({old, new} <= {value.partition(":")[0] for value in values} for values in self.lists)


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
            return Members(frozenset({frozenset(role.items)}), frozenset(), role.kind in TESTS)
        of_field = bool(role.option) or isinstance(role.subject, _HOLDERS)
        found = self.named(name, -1 if of_field else self._flow.scope(name, statement.start, role))
        return found._replace(lists=found.lists | {frozenset(role.items)}, tested=found.tested or role.kind in TESTS)

    def named(self, name: str, scope: int = -1) -> Members:
        """Return the possible values of the option or field `name`, or of the variable `name` in a function that begins
        at `scope`."""
        if (name, scope) not in self._known:
            self._context.asked.add(name)
            self._known[name, scope] = self._members(name, scope)
        return self._known[name, scope]

    def _members(self, name: str, scope: int) -> Members:
        lists: set[frozenset[str]] = set()
        compared: set[str] = set()
        tested = False
        end = self._context.facts.indents.extent(scope) if scope >= 0 else len(self._context.text)
        spelled = re.escape(name).replace("_", "[_-]")
        # the word comes first in the pattern, because a plain word is found fast
        pattern = re.compile(rf"{spelled}(?<!\w{spelled})(?!\w)(?P<kind>[ \t]*:)?")
        word = "" if "_" in name else name
        for statement in self._flow.statements(pattern, max(scope, 0), end, word, self._may_list):
            lists.update(map(self._choices, self._named_choices(name, statement)))
            for text in statement.digest.texts:
                use = self._flow.role(text, statement)
                if name in (use.option, use.name) and use.kind in LINKED:
                    tested = tested or use.kind in TESTS
                    if use.items or use.kind == "item":
                        lists.add(frozenset([text.value, *use.items]))
                    else:
                        compared.add(text.value)
        return Members(frozenset(lists), frozenset(compared), tested)

    def _may_list(self, match: re.Match[str]) -> bool:
        """Whether the statement around `match`, an occurrence of a name, contains a string, or annotates the name."""
        start, end = self._context.facts.layout.logical_line(match.start())
        text = self._context.text
        return match["kind"] is not None or text.find('"', start, end) >= 0 or text.find("'", start, end) >= 0

    def _named_choices(self, name: str, statement: Statement) -> Iterator[str]:
        """The names that a statement gives as the choices of an option, field or variable: `Kind` in `kind: Kind`,
        `KINDS` in `add_argument("--kind", choices=KINDS)`."""
        for node in statement.digest.piece.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                kinds = [argument.annotation for argument in arguments if argument.arg == name]
            else:
                kinds = [node.annotation] if isinstance(node, ast.AnnAssign) and last_word(node.target) == name else []
                kinds += _choices_of_option(name, node)
            yield from (kind.id for kind in kinds if isinstance(kind, ast.Name))

    def _choices(self, alias: str) -> frozenset[str]:
        """The values that a name of the file stands for: the items of `Literal["a", "b"]` or of a list, and the members
        of an enumeration."""
        text, indents = self._context.text, self._context.facts.indents
        pattern = re.compile(rf"^{re.escape(alias)}[ \t]*(?::[^=\n]*)?=[ \t]*(?:(?:[\w.]+\.)?Literal\[|[\[({{])", re.M)
        self._context.asked.add(alias)
        found = {one.value for where in self._flow.statements(pattern, 0, len(text)) for one in where.digest.texts}
        enumeration = re.compile(rf"^class[ \t]+{re.escape(alias)}\([^)\n]*Enum\b", re.M)
        for header in self._flow.statements(enumeration, 0, len(text)):
            end = indents.extent(header.start)
            for member in self._flow.statements(_MEMBER, header.end, end):
                found.update(one.value for one in member.digest.texts)
        return frozenset(found)


def _choices_of_option(name: str, node: ast.AST) -> list[ast.expr]:
    """The value of `choices` in a statement that declares the option `name`."""
    call = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call) or option_name(call) != name:
        return []
    return [keyword.value for keyword in call.keywords if keyword.arg == "choices"]
