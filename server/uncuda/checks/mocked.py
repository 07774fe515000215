"""Finds names of `torch.cuda` that a test reads from a mock of the whole module torch, `mock_torch.cuda.is_available`
below `@patch("app.device.torch")`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

from .. import lazy_re
from ..edits import REVIEW, SAFE, Edit, Fix, lowest
from ..facts.digest import Chain
from ..facts.model import Statement
from ..facts.role_calls import last_word
from ..facts.scopes import Header
from ..messages.fixes import titled
from .base import Context, Hit
from .name_strings import LIMIT, is_carried
from .verdicts import Judge, Verdict

MOCKED = "mocked"
"""The key in `Hit.words` of the hits of this module; the value is the replaced module, such as "app.device.torch"."""
_MODULE = lazy_re.compile(r"(?:\w+\.)+torch")
_CUDA = "cuda"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WITH = (ast.With, ast.AsyncWith)


def mock_hits(context: Context, judge: Judge) -> Iterator[Hit]:
    """Yield hits at names of `torch.cuda` that are read from a mock of torch. They have a safe fix only if it is known
    that safe fixes change all names of `torch.cuda` in the code under test (`Project.carried`)."""
    if not context.facts.says("patch("):
        return
    mocks = _Mocks(context)
    for statement in context.statements:
        for chain in statement.digest.chains:
            verdict = judge(_torchs(chain)) if chain.parts[:1] == (_CUDA,) and len(chain.parts) > 1 else None
            if verdict is None or verdict.row is None or verdict.covered(context.shim):
                continue  # a name without a row may be a method of the mock
            if context.resolve(chain.node, statement):
                continue
            if module := mocks.module(chain.root, statement):
                yield _hit(chain, verdict, module, statement, context)


def _torchs(chain: Chain) -> str:
    return ".".join(("torch", *chain.parts))


def _hit(chain: Chain, verdict: Verdict, module: str, statement: Statement, context: Context) -> Hit:
    words, segments = verdict.words(_torchs(chain)), chain.segments()
    last = words["name"].count(".")
    start, end = statement.start + segments[0][0], statement.start + segments[last][1]
    sure = is_carried(module, context) and not verdict.limits
    limits = verdict.limits if sure else (*verdict.limits, LIMIT)
    root, _, new = words["replacement"].partition(".")
    applicability = lowest(verdict.applicability, SAFE if sure else REVIEW) if root == "torch" else None
    fixes: tuple[Fix, ...] = ()
    if applicability is not None:
        place = Edit(statement.start + segments[1][0], end, new)
        edits = (place, *context.requires(verdict.rule, start, words["replacement"]))
        fixes = (Fix(titled("replace", f"`{chain.root}.{new}`"), applicability, edits),)
    return Hit(
        verdict.rule,
        start,
        end,
        {**words, MOCKED: module},
        fixes,
        ((MOCKED, module),),
        limits,
        statement=statement,
        node=_inner(chain.node, len(chain.parts) - last),
        since=verdict.since,
    )


def _inner(node: ast.expr, attributes: int) -> ast.expr:
    """Return the node of a dotted name without its last attributes, of which there are `attributes`."""
    for _ in range(attributes):
        node = node.value if isinstance(node, ast.Attribute) else node
    return node


class _Mocks:
    """The variables of a test that hold mocks of torch, each with the module torch that it replaces, as the test names
    this module."""

    def __init__(self, context: Context) -> None:
        self._facts = context.facts
        self._known: dict[int, dict[str, str]] = {}  # by the offset of a `with` or `def`: the variables that it binds

    def module(self, name: str, statement: Statement) -> str:
        """Return the module that a variable replaces in a statement; "" if it holds no mock of torch. The variable is
        bound by a `with` around the statement, or is a parameter of the function around it."""
        for line in takewhile(lambda line: line.word != "class", self._facts.indents.headers(statement.start)):
            if line.word in ("with", "def"):
                if line.start not in self._known:
                    self._known[line.start] = dict(self._bound(line))
                if line.word == "def" or name in self._known[line.start]:
                    return self._known[line.start].get(name, "")
        return ""

    def _bound(self, line: Header) -> Iterator[tuple[str, str]]:
        header = self._facts.peek(line.start)
        node = next(iter(header.digest.piece.nodes), None) if header is not None else None
        if isinstance(node, _WITH):
            for item in node.items:
                if isinstance(item.optional_vars, ast.Name):
                    yield item.optional_vars.id, _replaced(item.context_expr)
        elif isinstance(node, _FUNCTIONS):  # the decorator next to the function gives it the first parameter
            names = [one.arg for one in node.args.args if one.arg not in ("self", "cls")]
            above = self._facts.indents.decorators(line.start)
            decorators = (found for one in above if (found := self._facts.peek(one.start)) is not None)
            given = (call for one in decorators for call in one.digest.piece.nodes if _gives(call))
            yield from zip(names, map(_replaced, given), strict=False)


def _gives(call: ast.AST) -> bool:
    """Return whether a decorator gives a mock to the function: `patch(NAME)`, `patch.object(OBJECT, NAME)`, without the
    object that replaces the name."""
    if not isinstance(call, ast.Call):
        return False
    of_object = last_word(call.func) == "object"
    given = of_object or last_word(call.func) == "patch"
    return given and len(call.args) == 1 + of_object and all(keyword.arg != "new" for keyword in call.keywords)


def _replaced(call: ast.AST) -> str:
    """Return the module torch that a call replaces, such as "app.device.torch"; "" for other calls."""
    if not isinstance(call, ast.Call) or last_word(call.func) != "patch" or not _gives(call):
        return ""
    value = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    return value if isinstance(value, str) and _MODULE.fullmatch(value) else ""
