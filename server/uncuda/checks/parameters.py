"""Finds the parameter of a function in the same file that receives an argument."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from .. import lazy_re
from ..facts.changes import Scan, Worded
from ..facts.read import Facts, Statement
from ..facts.role_calls import last_word
from ..facts.roles import Role
from ..facts.scans import plain, uses

Passed = tuple[Role, Statement]
"""The role that a string has as the default value of a parameter, and the header of the parameter's function."""

_STATIC = lazy_re.compile(r"[ \t]*@staticmethod\b")
_BLANK = lazy_re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_DECORATOR = lazy_re.compile(r"[ \t]*@")
_FIELD = lazy_re.compile(r"^[ \t]+(\w+)[ \t]*:(?!=)(?=[^\n]*\w)", re.M)
_SET_TO = lazy_re.compile(r"[ \t]*(?::[^=\n]+)?=(?!=)[ \t]*(\w*)(\(?)")
_MANY = 40  # maximum number of decorators of one function, and of fields of one class, that are checked


class Parameters:
    """Finds the parameters that receive the arguments of calls, within one source file."""

    def __init__(self, facts: Facts, asked: set[str]) -> None:
        """`asked`: a set; every name whose uses are searched is added to it."""
        self._facts, self._asked = facts, asked
        self._headers: dict[tuple[str, int], Statement | None] = {}
        self._values: dict[str, str] = {}

    def of(self, role: Role, statement: Statement) -> Passed | None:
        """Return the parameter or dataclass field of this file to which a call or decorator passes a string; None if
        unknown."""
        if role.kind in ("default", "item") and self._facts.text.startswith("@", statement.start):
            return self._decorated(role, role.option or role.name, statement)
        if role.kind != "argument" or role.call is None or role.parameter is None or role.callee:
            return None
        if isinstance(role.call.func, ast.Name) and (field := self._field(role.call, role.parameter)):
            return _as_field(role, field), field
        name, header = self.parameter(role.call, role.parameter, statement)
        return (_as_default(role, name), header) if header is not None and name else None

    def parameter(self, call: ast.Call, given: str | int, statement: Statement) -> tuple[str, Statement | None]:
        """The parameter that receives an argument, and the header of the parameter's function; "" if the parameter is
        not certain."""
        header, bound = self._called(call.func, statement)
        return _parameter(header, call, given, bound) if header is not None else "", header

    def holder(self, call: ast.Call, inner: ast.AST | None, statement: Statement) -> tuple[str, int] | None:
        """The parameter that receives an argument in a call of a function of this file, such as
        `f(torch.cuda.is_available())`, and the offset of the function. `inner`: the argument, or the keyword node that
        contains it."""
        given = inner.arg if isinstance(inner, ast.keyword) else call.args.index(inner) if inner in call.args else None
        name, header = self.parameter(call, given, statement) if given is not None else ("", None)
        return (name, header.start) if header is not None and name else None

    def _called(self, function: ast.expr, statement: Statement) -> tuple[Statement | None, int]:
        """Return the header of the called function, and the number of its first parameters that the call does not pass
        explicitly, such as `self`."""
        indents = self._facts.indents
        if isinstance(function, ast.Name):
            if found := self._header(function.id, -1):
                return found, 0
            holder = self._class(function.id)
            return (self._header("__init__", holder), 1) if holder is not None else (None, 0)
        if not isinstance(function, ast.Attribute):
            return None, 0
        holder = None
        if isinstance(function.value, ast.Name) and function.value.id in ("self", "cls"):
            scope = indents.scope_of(statement.start)
            while scope is not None and scope[1] != "class":
                scope = indents.scope_of(scope[0])
            holder = scope[0] if scope else None
        elif made := self._made(function.value, statement):
            holder = self._class(made)
        found = self._header(function.attr, holder) if holder is not None else None
        return found, 0 if found is not None and self._is_static(found) else 1

    def _is_static(self, header: Statement) -> bool:
        facts = self._facts
        line = facts.layout.line_start(header.start)
        while line and facts.text[line : line + 1]:
            line = facts.layout.line_start(line - 1)
            facts.layout.reads(line, header.start)
            if not _DECORATOR.match(facts.text, line):
                return False
            if _STATIC.match(facts.text, line):
                return True
        return False

    def _field(self, call: ast.Call, given: str | int) -> Statement | None:
        """The field in which a class without `__init__`, such as a dataclass, stores an argument of its constructor."""
        holder = self._class(call.func.id) if isinstance(call.func, ast.Name) else None
        if holder is None or self._header("__init__", holder) or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        facts, end = self._facts, self._facts.indents.extent(holder)
        facts.work.search(holder, end)
        facts.layout.reads(holder, end)
        lines = (match for match in _FIELD.finditer(facts.text, holder, end) if self._is_in(match.start(1), holder))
        fields = dict(islice(((match[1], match.start(1)) for match in lines), _MANY))
        names = list(fields)
        name = given if isinstance(given, str) else names[given] if given < len(names) else ""
        return facts.peek(fields[name]) if name in fields else None

    def _is_in(self, at: int, holder: int) -> bool:
        scope = self._facts.indents.scope_of(at)
        return scope is not None and scope[0] == holder and not self._facts.layout.string_around(at)

    def _made(self, receiver: ast.expr, statement: Statement) -> str:
        """The name of the class of an expression: `Stats()`, or a variable that is assigned once, to `Stats()`."""
        if isinstance(receiver, ast.Call):
            return receiver.func.id if isinstance(receiver.func, ast.Name) else ""
        if not isinstance(receiver, (ast.Name, ast.Attribute)) or not isinstance(
            getattr(receiver, "ctx", None), ast.Load
        ):
            return ""
        name = last_word(receiver)
        owner = receiver.value if isinstance(receiver, ast.Attribute) else None
        if owner is not None and not (isinstance(owner, ast.Name) and owner.id == "self"):
            return ""
        spelled = f"self.{name}" if owner is not None else name
        if spelled not in self._values:
            facts = self._facts
            places = facts.searches.find((spelled, "=", False), _settings(spelled))
            facts.work.search(0, 40 * len(places))
            made = {(m[1], m[2]) for at in places if (m := _SET_TO.match(facts.text, at + len(spelled)))}
            called, opened = made.pop() if len(made) == 1 else ("", "")
            self._values[spelled] = called if opened else ""
        return self._values[spelled]

    def _class(self, name: str) -> int | None:
        """The offset of the only class of this name in the file; None if there is none or several."""
        found = list(self._places(f"class {name}"))
        return found[0] if len(found) == 1 else None

    def _header(self, name: str, holder: int) -> Statement | None:
        """The header of the only function of this name in the class at offset `holder`; -1 stands for no class."""
        if (name, holder) not in self._headers:
            scopes = {at: self._facts.indents.scope_of(at) for at in self._places(f"def {name}")}
            within = [at for at, scope in scopes.items() if _holder(scope) == holder]
            self._headers[name, holder] = self._facts.peek(within[0]) if len(within) == 1 else None
        return self._headers[name, holder]

    def _places(self, words: str) -> Iterator[int]:
        """Yield the offsets of statements that begin with the given keyword and name, such as `def main`."""
        facts = self._facts
        for at in facts.searches.find(("text", words), plain(words)):
            self._asked.add(words.rpartition(" ")[2])
            line = facts.layout.line_start(at)
            start = line + len(facts.text[line:at]) - len(facts.text[line:at].lstrip())
            after = facts.text[at + len(words) : at + len(words) + 1]
            if facts.text[start:at].strip() in ("", "async") and not (after.isalnum() or after == "_"):
                if not facts.layout.string_around(at):
                    yield start

    def _decorated(self, role: Role, name: str, statement: Statement) -> Passed | None:
        """Return the parameter to which a decorator passes a value: `@option("--device", default="cuda")`."""
        header = _below(statement, self._facts)
        if header is None or name not in _names(header):
            return None
        return _as_default(role, name), header


def _settings(spelled: str) -> Scan:
    """Return a function that finds the offsets where a value may be assigned to a name."""

    def scan(text: str, start: int, end: int) -> Iterator[int]:
        for at in uses(spelled, False)(text, start, end):
            if _SET_TO.match(text, at + len(spelled)):
                yield at

    return Worded(spelled, scan)


def _holder(scope: tuple[int, str] | None) -> int:
    return scope[0] if scope is not None and scope[1] == "class" else -1


def _as_default(role: Role, name: str) -> Role:
    return replace(
        role, kind="default", call=None, callee="", method="", parameter=None, name=name, subject=None, option=""
    )


def _as_field(role: Role, field: Statement) -> Role:
    node = field.digest.piece.nodes[0]
    target = node.target if isinstance(node, ast.AnnAssign) else None
    return replace(_as_default(role, last_word(target)), kind="assignment", subject=target)


def _below(statement: Statement, facts: Facts) -> Statement | None:
    """The header of the function to which a decorator belongs."""
    found: Statement | None = statement
    for _ in range(_MANY):
        if found is None or not facts.text.startswith("@", found.start):
            break
        after = _BLANK.match(facts.text, found.end)
        found = facts.peek(after.end() if after is not None else found.end)
    return found if found is not statement and found is not None and _function(found) else None


def _function(header: Statement) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    node = next(iter(header.digest.piece.nodes), None)
    return node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _names(header: Statement) -> list[str]:
    function = _function(header)
    spelled = function.args if function is not None else None
    every = (*spelled.posonlyargs, *spelled.args, *spelled.kwonlyargs) if spelled else ()
    return [argument.arg for argument in every]


def _parameter(header: Statement, call: ast.Call, given: str | int, bound: int) -> str:
    """The name of the parameter that receives an argument; "" if the parameter is not certain."""
    function = _function(header)
    if function is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return ""
    if isinstance(given, str):
        return given if given in _names(header) else ""
    every = [*function.args.posonlyargs, *function.args.args]
    return every[given + bound].arg if given + bound < len(every) else ""


def is_fixture(name: str, facts: Facts, asked: set[str]) -> bool:
    """Return whether a parameter of a pytest test is a fixture of this file, whose values come from the `params` of the
    fixture. `asked`: a set to which the name is added if its uses are searched."""
    if not name.isidentifier() or not facts.says("fixture("):
        return False
    asked.add(name)
    defined = f"def {name}("
    for at in facts.searches.find(("text", defined), plain(defined)):
        facts.work.compare(16)
        marks = islice(facts.indents.decorators(facts.indents.header_at(at).start), _MANY)
        if any("fixture(" in facts.text[line.start : line.end] for line in marks):
            return True
    return False
