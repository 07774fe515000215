"""Guards that keep a use of `torch.accelerator` from failing: `hasattr`, a condition about a version, or a `try` around
it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice

from .. import lazy_re
from ..facts.read import Statement
from ..facts.scopes import FUNCTION, Header
from .base import Context
from .branch_words import asks, leaves, names_of
from .families import OTHERS

MISSING, FAILING, MISUSED = "missing", "failing", "misused"
"""The ways in which an unguarded use fails: the name is missing; the plugin raises; an argument, or the use of the
result, is wrong."""

_ANY = r"except\s*:|\b(?:Exception|BaseException"
_CAUGHT = {
    MISSING: lazy_re.compile(_ANY + r"|AttributeError|ImportError|ModuleNotFoundError)\b"),
    FAILING: lazy_re.compile(_ANY + r"|AttributeError|RuntimeError|NotImplementedError)\b"),
    MISUSED: lazy_re.compile(_ANY + r"|TypeError|ValueError|KeyError|RuntimeError)\b"),
}
_LIBRARY = r"torch(?!vision|audio|text)(?:_?[a-z]\w{0,40}?)?"
_VERSION = (
    rf"(?<![\w.]){_LIBRARY}(?:\.\w+)*\.__version__"  # such as torch.__version__
    rf"|(?<![a-z\d])(?:{_LIBRARY}|pt|DEVICE)_?ver(?:sion)?s?(?![a-z])"  # such as torch_version, is_torch_version
    rf"|(?<![a-z\d])torch_?(?:ge|gt|gte|lt|lte|le|at_least|greater|less|newer|older|minor|major|\d)(?![a-z])"
    rf"|versions?\(\s*[\"']{_LIBRARY}[\"']"  # such as importlib.metadata.version("torch")
)
_ITS_VERSION = ""
_WORD, _OWN = lazy_re.compile(r"\w+"), lazy_re.compile(r"\b(?:self|cls)\.\w+")
_FROM_TORCH = lazy_re.compile(r"^[ \t]*from[ \t]+torch[ \t]+import\b[^\n]*\b__version__\b", re.M)
_BARE = lazy_re.compile(r"(?<![\w.])__version__\b")
_ATTRIBUTE = lazy_re.compile(
    r"\b(?:has|get)attr(?:_static)?\(\s*(?P<of>[\w.]+)\s*,\s*[\"'](?P<name>\w+)[\"']"
    r"|[\"'](?P<key>\w+)[\"']\s+(?:not\s+)?in\s+(?:(?:\w+\(\s*)?(?:dir|vars)\(\s*(?P<inside>[\w.]+)\s*\)|(?P<module>[\w.]+)\.__(?:all|dict)__)"
)
_ASSIGNED = lazy_re.compile(r"[ \t]*((?:self\.|cls\.)?\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*(?::[^=\n]+)?=(?!=)")
_CHAINED = frozenset({"if", "elif", "else"})
_TESTS = _CHAINED | {"while"}
Wanted = frozenset[str]
_MANY = 60


class Guards:
    """Finds the guards of uses of `torch.accelerator` in one source file."""

    def __init__(self, context: Context) -> None:
        self._context, self._text, self._indents = context, context.text, context.facts.indents
        self._above: dict[tuple[int, int, Wanted], tuple[int, int]] = {}
        self._around: dict[tuple[int, Wanted], bool] = {}
        self._arms: dict[int, dict[int, bool]] = {}
        device = re.escape(context.target.words.get("device", "") or "pt")
        self._version = re.compile(_VERSION.replace("DEVICE", device), re.I)

    def silence(self, statement: Statement, node: ast.AST, name: str, how: str, module: bool = False) -> bool:
        """Return whether a guard keeps a use of `name` from failing. `how`: MISSING, FAILING or MISUSED; `module`:
        whether a condition that asks for `torch.accelerator` itself is a sufficient guard."""
        wanted: Wanted = frozenset()
        if how != MISUSED:
            wanted = frozenset({name.rpartition(".")[2], *(("accelerator",) if module else ())})
        if wanted and self._asked_beside(statement, node, wanted):
            return True
        if wanted and self._asked_above(statement.start, wanted):
            return True
        for header in self._indents.headers(statement.start):
            if self._catches(header, how) or (how == FAILING and self._is_elsewhere(header)):
                return True
            if wanted and (self._asks_around(header, wanted) or self._asked_above(header.start, wanted)):
                return True
        return False

    def _asked_beside(self, statement: Statement, node: ast.AST, wanted: Wanted) -> bool:
        """Return whether the expression that uses a name of `torch.accelerator` also contains its guard:
        `hasattr(…) and torch.accelerator.f()`, `torch.accelerator.f() if hasattr(…) else …`."""
        inner = node
        for outer in statement.digest.ancestors(node):
            tests = (
                outer.values if isinstance(outer, ast.BoolOp) else [outer.test] if isinstance(outer, ast.IfExp) else []
            )
            for test in tests:
                start, end = statement.digest.span(test)
                if test is not inner and self._asks(
                    self._text[statement.start + start : statement.start + end], wanted
                ):
                    return True
            inner = outer
        return False

    def _asked_above(self, offset: int, wanted: Wanted) -> bool:
        """Return whether an earlier statement of the same block asks for one of the names in `wanted`: an `assert`, or
        an `if` that returns or raises. All calls of this method together read a line at most once for each
        `wanted`."""
        own, above = self._indents.header_at(offset), self._indents.header_above(offset)
        key = (above.start if above is not None else -1, own.indent, wanted)
        done, found = self._above.get(key, (-1, -1))
        if 0 <= found < own.start:
            return True
        for line in self._indents.lines_above(offset, "if", "assert"):
            if line.start < done:
                break
            if self._asks(self._text[line.start : line.end], wanted) and (line.word == "assert" or self._leaves(line)):
                self._above[key] = (max(done, own.start), line.start)
                return True
        self._above[key] = (max(done, own.start), found)
        return False

    def _leaves(self, line: Header) -> bool:
        return any(leaves(clause, self._context.facts) for clause in self._indents.clauses(line))

    def _asks_around(self, header: Header, wanted: Wanted) -> bool:
        """Whether the if/elif chain around a block, or a decorator of its function or class, asks for one of the names
        in `wanted`."""
        chain = self._indents.clauses(header) if header.word in _CHAINED else [header]
        key = (chain[0].start, wanted)
        if key not in self._around:
            lines: Iterator[str] = iter(())
            if header.word in _TESTS:
                lines = (self._text[clause.start : clause.end] for clause in chain)
            elif header.word in ("def", "async", "class"):
                lines = self._decorators(header)
            self._around[key] = any(self._asks(line, wanted) for line in lines)
        return self._around[key]

    def _is_elsewhere(self, header: Header) -> bool:
        """Whether a block runs only on devices other than the target, where a failure of the target's plugin does no
        harm."""
        if header.word not in _CHAINED:
            return False
        chain = self._indents.clauses(header)
        if chain[0].start not in self._arms:
            names, served = names_of(self._context.target), False
            arms = self._arms[chain[0].start] = {}
            for clause in chain:
                condition = "" if clause.word == "else" else self._text[clause.start : clause.end]
                self._context.facts.work.search(0, 16 * len(condition))
                asked = asks(condition, names)
                arms[clause.start] = served or asked < 0 or (asked == 0 and asks(condition, OTHERS) > 0)
                served = served or asked > 0
        return self._arms[chain[0].start].get(header.start, False)

    def _decorators(self, header: Header) -> Iterator[str]:
        """The decorators of a definition, each with all its lines: `@pytest.mark.skipif(…)`."""
        for line in self._indents.lines_above(header.start):
            if line.word != "@":
                return
            yield self._text[line.start : line.end]

    def _catches(self, header: Header, how: str) -> bool:
        if header.word == "with":
            line = self._text[header.start : header.end]
            return "suppress(" in line and _CAUGHT[how].search(line) is not None
        if header.word != "try":
            return False
        handlers = [clause for clause in self._indents.clauses(header) if clause.word == "except"]
        return any(_CAUGHT[how].search(self._text, clause.start, clause.end) for clause in handlers)

    def _asks(self, condition: str, wanted: Wanted) -> bool:
        self._context.facts.work.search(0, 8 * len(condition))
        if self._asks_version(condition) or not wanted.isdisjoint(_attributes(condition)):
            return True
        if not self._flags:
            return False
        words = {*_WORD.findall(condition), *_OWN.findall(condition)}
        return any(not names.isdisjoint(wanted | {_ITS_VERSION}) for word in words if (names := self._flags.get(word)))

    def _asks_version(self, condition: str) -> bool:
        """Whether a condition or a line asks for the version of PyTorch or of the plugin."""
        if self._version.search(condition) is not None:
            return True
        return _BARE.search(condition) is not None and self._has_own_version

    @cached_property
    def _has_own_version(self) -> bool:
        self._context.facts.work.search(0, len(self._text))
        self._context.facts.layout.reads(0, len(self._text))
        return _FROM_TORCH.search(self._text) is not None

    @cached_property
    def _flags(self) -> Mapping[str, Wanted]:
        """Return the names of variables that hold the result of a condition on attributes of `torch.accelerator`
        (`hasattr`) or on a version, and the names of functions that contain such a condition. Each name is mapped to
        the attributes that the condition asks for; in place of an attribute, `_ITS_VERSION` stands for a condition on
        the version of PyTorch or of the plugin."""
        facts, found = self._context.facts, dict[str, Wanted]()
        facts.work.search(0, 8 * len(self._text))
        facts.layout.reads(0, len(self._text))
        asking = re.compile(rf"{_ATTRIBUTE.pattern}|__version__|{self._version.pattern}", re.I)
        for match in islice(asking.finditer(self._text), _MANY):
            start, end = facts.layout.logical_line(match.start())
            names = _attributes(self._text[start:end])
            if self._asks_version(self._text[start:end]):
                names |= {_ITS_VERSION}
            assigned = _ASSIGNED.match(self._text, start)
            told = re.split(r"[ \t]*,[ \t]*", assigned[1]) if assigned else []
            scope = self._indents.scope_of(match.start())
            if scope is not None and (function := FUNCTION.match(self._text, scope[0])):
                told.append(function[1])
            for name in told:
                found[name] = found.get(name, frozenset()) | names
        return found


def _attributes(text: str) -> Wanted:
    """The attributes that a condition asks for (by `hasattr`) on `torch.accelerator`, or on an object that may be
    `torch.accelerator`."""
    found = []
    for match in _ATTRIBUTE.finditer(text):
        module = match["of"] or match["inside"] or match["module"]
        if not module.startswith("torch.") or module.startswith("torch.accelerator"):
            found.append(match["name"] or match["key"])
    return frozenset(found)
