"""`check = "amp-c"`: apex's compiled module, which exists on CUDA alone: its import, its guarded import, its uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import SAFE, Edit, Fix
from ..facts.digest import Binding
from ..facts.read import Name, Statement
from .amp_c_calls import stand_in
from .argument import removed
from .base import Context, Hit, cap

_CATCHES = re.compile(r"except\s*(?::|.*\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b)")
_ASSIGNED = re.compile(r"^[ \t]*(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", re.M)


class Check:
    """The rules about one compiled module, by the part that they are about."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._parts = {rule.get("part"): rule for rule in rules}
        self.names = frozenset(rule.get("module") for rule in rules)

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at imports, then at uses that nothing guards."""
        uses = [r for r in context.facts.references if r.dotted.split(".")[0] in self.names]
        flags: set[str] | None = None
        for binding, statement in list(context.facts.imports()):
            if binding.dotted.split(".")[0] not in self.names:
                continue
            guard = _guard(context, statement)
            if guard is not None:
                flags = (flags or set()) | guard | {binding.name}
            part = "import" if guard is None else "guarded"
            if rule := self._parts.get(part):
                used = [u for u in uses if u.chain.root == binding.name]
                yield self._import(context, binding, statement, rule, bool(used))
        rule = self._parts.get("use")
        for use in uses if rule else ():
            if flags is None or not _protected(context, use.statement, flags):
                assert rule is not None
                yield self._use(context, use, rule)

    def _import(self, context: Context, binding: Binding, statement: Statement, rule: Rule, used: bool) -> Hit:
        assert binding.alias is not None
        piece = statement.digest.piece
        start, end = (statement.start + offset for offset in piece.span(binding.alias))
        hit = Hit(rule, start, end, {"name": binding.dotted}, statement=statement)
        if rule.get("part") != "import":
            return hit
        node = binding.statement
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        if not used and (allowed := cap(rule, SAFE)):
            hit.fixes = (Fix(f"Remove the unused import of `{binding.name}`", allowed, _removal(context, statement, node, start, end)),)
        elif guard := _guarded(context, statement, node):
            hit.fixes = (Fix(f"Guard the import of `{binding.name}`", "review", guard),)
        return hit

    def _use(self, context: Context, use: Name, rule: Rule) -> Hit:
        base, piece = use.statement.start, use.chain.piece
        start, end = (base + offset for offset in piece.span(use.chain.node))
        hit = Hit(rule, start, end, {"name": use.dotted}, statement=use.statement, node=use.chain.node)
        found = stand_in(use, rule.get("applier", ""), context.text)
        if found is not None and context.facts.names.resolve("torch", base) == "torch":
            allowed = cap(rule, "review")
            if allowed:
                hit.fixes = (Fix("Use `torch._foreach_*`, which every device has (the overflow flag stays as it is)", allowed, (found,)),)
        return hit


def _guard(context: Context, statement: Statement) -> set[str] | None:
    """The names that a `try … except ImportError` round an import sets; None when nothing guards it."""
    indents = context.facts.indents
    text = context.text
    if re.match(r"try[ \t]*:", text[statement.start : statement.end]):
        headers = [indents.header_at(statement.start)]
    else:
        headers = []
        for header in indents.headers(statement.start):
            if header.word in ("def", "class"):
                break
            if header.word == "try":
                headers.append(header)
    for header in headers:
        clauses = indents.clauses(header)
        if any(_CATCHES.match(text, clause.start, clause.end) for clause in clauses):
            blocks = text[header.start : indents.extent(clauses[-1].start)]
            return set(_ASSIGNED.findall(blocks))
    return None


def _protected(context: Context, statement: Statement, flags: set[str]) -> bool:
    """Whether a use stands behind a test of a guard's flag, or in a `try` of its own."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(flags)))})\b")
    indents, text = context.facts.indents, context.text
    inline = re.match(r"(?:if|elif|while)\b(.*?):", text[statement.start : statement.end])
    if inline and pattern.search(inline[1]):
        return True
    for header in indents.headers(statement.start):
        if header.word in ("if", "elif", "else") and any(pattern.search(text, c.start, c.end) for c in indents.clauses(header)):
            return True
        if header.word == "try" and _guard(context, statement) is not None:
            return True
    for line in indents.lines_above(statement.start):
        if line.word in ("if", "assert") and pattern.search(text, line.start, line.end):
            return True
    return False


def _removal(
    context: Context, statement: Statement, node: ast.Import | ast.ImportFrom, start: int, end: int
) -> tuple[Edit, ...]:
    if len(node.names) > 1:
        return (removed(context, statement.start, start, end),)
    line = context.facts.layout.line_start(statement.start)
    alone = len(statement.digest.piece.nodes) == 1 and not context.text[line : statement.start].strip()
    if not alone:
        return _replaced(statement, node)
    indents = context.facts.indents
    above = indents.header_above(statement.start)
    if above is not None and not context.text[above.end : line].strip():
        rest = context.text[statement.end : indents.extent(above.start)]
        if not rest.strip():
            return _replaced(statement, node)
    return (Edit(line, statement.end, ""),)


def _replaced(statement: Statement, node: ast.Import | ast.ImportFrom) -> tuple[Edit, ...]:
    start, end = (statement.start + offset for offset in statement.digest.piece.span(node))
    return (Edit(start, end, "pass"),)


def _guarded(context: Context, statement: Statement, node: ast.Import | ast.ImportFrom) -> tuple[Edit, ...]:
    """`try: … except ImportError: name = None` round an import that stands on lines of its own."""
    text = context.text
    line = context.facts.layout.line_start(statement.start)
    indent = text[line : statement.start]
    if indent.strip() or len(statement.digest.piece.nodes) != 1 or any(alias.name == "*" for alias in node.names):
        return ()
    start, end = (statement.start + offset for offset in statement.digest.piece.span(node))
    step = "\t" if indent.endswith("\t") else "    "
    newline = "\r\n" if text[: statement.end].endswith("\r\n") else "\n"
    names = [alias.asname or alias.name.split(".")[0] for alias in node.names]
    nothing = f"{newline}{indent}except ImportError:{newline}{indent}{step}{' = '.join(names)} = None"
    inner = text[start:end].replace(newline, newline + step)
    return (Edit(start, end, f"try:{newline}{indent}{step}{inner}{nothing}"),)
