"""Device strings in code that runs only if a condition finds an available device: `["cuda"] if
torch.cuda.is_available() else []`."""

from __future__ import annotations

import ast
import re
from itertools import islice, takewhile
from typing import NamedTuple

from ..catalogue import Rule, Target
from ..facts.digest import Text
from ..facts.read import Statement
from ..facts.role_calls import COMPREHENSIONS, last_word
from ..facts.roles import Role
from ..facts.scopes import Header
from .hit import At
from .string_flow import Flow

_MANY = 200  # maximum number of nodes that are checked for one expression; the value of a larger expression is unknown
_ADDS = frozenset({"append", "add", "insert"})
_HELD = frozenset({"assignment", "return", "item", "default", "concatenation", "value", "argument"})
_PARTS = (ast.List, ast.Tuple, ast.Set, ast.Starred, ast.IfExp)


class Question(NamedTuple):
    """A condition that must find an available device, or else the code does not use the device string."""

    at: At | None
    """The offset of the function that the condition calls; None if the condition already asks for the target."""


class Numbered(NamedTuple):
    """An expression that makes a device of a word and an index, such as `f"cuda:{i}"`."""

    made: ast.AST
    variable: str
    """The variable that holds the index."""


class Questions:
    """Finds, for device strings in one source file, the conditions on which their use depends, if these conditions ask
    whether a device is available. The rule's key `questions` lists the functions that ask this, such as
    `torch.cuda.is_available`."""

    def __init__(self, flow: Flow, target: Target) -> None:
        self._flow, self._context, self._target = flow, flow.context, target
        self._named: dict[tuple[str, int], Question | None] = {}
        self._loops: dict[int, tuple[str, Question | None]] = {}  # a cache for `counted`, by the start of the loop

    def in_expression(self, rule: Rule, node: ast.AST, statement: Statement) -> Question | None:
        """Return the condition of a conditional expression (`… if … else …`) that must find an available device before
        this node is evaluated."""
        inner = node
        for outer in statement.digest.ancestors(node):
            self._context.facts.work.compare()
            if isinstance(outer, (ast.stmt, ast.Lambda, ast.Call)):
                return None
            if isinstance(outer, ast.IfExp) and inner is not outer.test:
                if found := self._asked(rule, outer.test, statement, inner is outer.body):
                    return found
            inner = outer
        return None

    def above(self, rule: Rule, statement: Statement) -> Question | None:
        """Return the condition of an enclosing block in the same function that must find an available device before
        this statement runs."""
        indents = self._context.facts.indents
        for header in indents.headers(statement.start):
            if header.word in ("def", "class", "for", "while"):
                return None
            if header.word in ("if", "elif", "else") and (found := self._of_block(rule, header)):
                return found
        return None

    def counted(self, rule: Rule, role: Role, numbered: Numbered, statement: Statement) -> Question | None:
        """Return the number of devices over which a loop counts the index of a device: `[f"cuda:{i}" for i in
        range(torch.cuda.device_count())]`. None for another index, and for a string that the file uses as a key."""
        made, index = numbered
        facts = self._context.facts
        if role.name and facts.says(f"[{role.name}]"):
            return None
        for outer in statement.digest.ancestors(made):
            facts.work.compare()
            if isinstance(outer, (*COMPREHENSIONS, ast.DictComp)):
                for loop in outer.generators:
                    if isinstance(loop.target, ast.Name) and loop.target.id == index:
                        return self._of_range(rule, loop.iter, statement)
        for header in facts.indents.headers(statement.start):
            if header.word in ("def", "class"):
                return None
            if header.word == "for":
                if header.start not in self._loops:
                    self._loops[header.start] = self._of_loop(rule, header)
                name, question = self._loops[header.start]
                if name == index:
                    return question
        return None

    def _of_loop(self, rule: Rule, header: Header) -> tuple[str, Question | None]:
        """Return the variable of a loop, and the number of devices in its `range`."""
        around = self._context.facts.peek(header.start)
        node = next(iter(around.digest.piece.nodes), None) if around is not None else None
        if around is None or not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
            return "", None
        return node.target.id, self._of_range(rule, node.iter, around)

    def _of_range(self, rule: Rule, over: ast.expr, statement: Statement) -> Question | None:
        if not isinstance(over, ast.Call) or not isinstance(over.func, ast.Name) or over.func.id != "range":
            return None
        return self._asked(rule, over.args[min(1, len(over.args) - 1)], statement, True) if over.args else None

    def replaced(self, rule: Rule, role: Role, statement: Statement) -> Question | None:
        """Return the name in a string, such as "torch.cuda.is_available", that a test replaces by a function which
        finds a device, if the test expects that a call returns the device string: below
        `@patch("torch.cuda.is_available", return_value=True)`, `assertEqual(get_device_name(), "cuda")`."""
        if not _is_result(role) or not self._context.facts.says("patch("):
            return None
        indents = self._context.facts.indents
        headers = list(takewhile(lambda line: line.word != "class", indents.headers(statement.start)))
        function = next((line for line in headers if line.word == "def"), None)
        decorators = indents.decorators(function.start) if function is not None else ()
        for line in (*(header for header in headers if header.word == "with"), *decorators):
            around = self._context.facts.peek(line.start)
            found = _replaced(rule, around) if around is not None else None
            if found is not None:
                return found
        return None

    def _of_block(self, rule: Rule, header: Header) -> Question | None:
        clauses = self._context.facts.indents.clauses(header)
        if header.word == "else" and len(clauses) != 2:
            return None
        asking = self._context.facts.peek(clauses[0].start if header.word == "else" else header.start)
        node = asking.digest.piece.nodes[0] if asking is not None else None
        if asking is None or not isinstance(node, ast.If):
            return None
        return self._asked(rule, node.test, asking, header.word != "else")

    def _asked(self, rule: Rule, test: ast.expr, statement: Statement, answer: bool) -> Question | None:
        """Return the condition that has certainly found an available device if the expression `test` has the value
        `answer`."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._asked(rule, test.operand, statement, not answer)
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is answer:
            found = (self._asked(rule, value, statement, answer) for value in test.values)
            return next(filter(None, found), None)
        if not answer:
            return None
        if isinstance(test, ast.Compare):
            return self._asked(rule, test.left, statement, True) if _is_some(test) else None
        if isinstance(test, ast.Name):
            return self._held(rule, test.id, statement)
        if not isinstance(test, ast.Call):
            return None
        dotted = self._flow.resolve(test.func, statement) or ""
        at = At(statement.start + statement.digest.span(test.func)[0])
        if dotted in rule.get("questions"):
            return Question(at)
        module, _, name = dotted.rpartition(".")
        own = {self._target.words.get("module"), self._target.words.get("module-import")}
        asks = any(name == asked.rpartition(".")[2] for asked in rule.get("questions"))
        return Question(None) if asks and module in own else None

    def _held(self, rule: Rule, name: str, statement: Statement) -> Question | None:
        """The condition whose result a variable holds, if the condition asks whether a device is available, and if the
        variable is assigned only once."""
        scope = self._flow.scope(name, statement.start, Role("comparison", statement.digest.piece.nodes[0], name=name))
        key = (name, scope)
        if key not in self._named:
            self._named[key] = None  # None if the variable depends on itself
            self._context.asked.add(name)
            indents, text = self._context.facts.indents, self._context.text
            end = indents.extent(scope) if scope >= 0 else len(text)
            setting = re.compile(rf"{re.escape(name)}(?<![\w.]{re.escape(name)})[ \t]*(?::[^=\n]+)?=(?!=)")
            found = list(self._flow.statements(setting, max(scope, 0), end, name))
            node = found[0].digest.piece.nodes[0] if len(found) == 1 else None
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name) and target.id == name:
                    self._named[key] = self._asked(rule, node.value, found[0], True)
        return self._named[key]


def as_numbered(text: Text, statement: Statement) -> Numbered | None:
    """Return the expression that makes a device of a string and an index, with the variable of the index:
    `f"cuda:{i}"`, `"cuda:" + str(i)`, `"cuda:%d" % i`, `"cuda:{}".format(i)`; None for another string."""
    parents, node = statement.digest.parents, text.node
    outer = parents.get(node)
    made: ast.AST | None = None
    index: ast.AST | None = None
    if isinstance(node, ast.JoinedStr) and len(node.values) == 2 and isinstance(node.values[1], ast.FormattedValue):
        made, index = node, node.values[1].value
    elif isinstance(outer, ast.BinOp) and outer.left is node:
        made, index = outer, outer.right
        if isinstance(index, ast.Call) and last_word(index.func) == "str" and len(index.args) == 1:
            index = index.args[0]
    elif isinstance(outer, ast.Attribute) and outer.attr == "format":
        made = parents.get(outer)
        index = made.args[0] if isinstance(made, ast.Call) and len(made.args) == 1 else None
    if made is None or not isinstance(index, ast.Name) or isinstance(parents.get(made), ast.BinOp):
        return None
    return Numbered(made, index.id) if text.value.rstrip("{}%dis").endswith(":") else None


def _is_some(test: ast.Compare) -> bool:
    """Whether a comparison requires a number of at least one: `> 0`, `>= 1`."""
    number = test.comparators[0]
    if len(test.ops) != 1 or not isinstance(number, ast.Constant):
        return False
    return number.value == (0 if isinstance(test.ops[0], ast.Gt) else 1 if isinstance(test.ops[0], ast.GtE) else None)


def _replaced(rule: Rule, statement: Statement) -> Question | None:
    """Return the string in a decorator, or in the header of a `with`, that names a question which a test replaces by a
    function that returns True: `patch("torch.cuda.is_available", return_value=True)`; None if there is none."""
    for text in statement.digest.texts:
        call = statement.digest.parents.get(text.node)
        if text.value in rule.get("questions") and isinstance(call, ast.Call) and last_word(call.func) == "patch":
            given = (one.value for one in call.keywords if one.arg == "return_value")
            if any(isinstance(one, ast.Constant) and one.value is True for one in given):
                return Question(At(statement.start + text.piece.start(text.node)))
    return None


def _is_result(role: Role) -> bool:
    """Return whether a string is compared with the result of a call without arguments: `assertEqual(f(), "cuda")`."""
    result = role.subject if role.kind == "comparison" else None
    return isinstance(result, ast.Call) and not result.args and not result.keywords


def is_held(role: Role) -> bool:
    """Whether a string is stored as a value, returned, or added to a list."""
    if role.kind == "argument":
        return role.method in _ADDS and not role.callee
    return role.kind in _HELD


def words_around(text: Text, statement: Statement) -> tuple[frozenset[str], ast.AST]:
    """Return the other strings in the list, or sum of lists, that contains `text`, and the node of this list or sum."""
    node: ast.AST = text.node
    parents = statement.digest.parents
    while (outer := parents.get(node)) is not None:
        held = isinstance(outer, _PARTS) and not (isinstance(outer, ast.IfExp) and node is outer.test)
        if not held and not (isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add)):
            break
        node = outer
    parts = list(islice(ast.walk(node), _MANY + 1))
    found = {inner.value for inner in parts if isinstance(inner, ast.Constant) and inner is not text.node}
    unseen = frozenset({""} if len(parts) > _MANY else ())  # "" stands for strings after `_MANY` nodes
    return unseen.union(value for value in found if isinstance(value, str)), node
