"""Hits and fixes at imports of names that rules cover; an alias is fixed at its import."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .. import lazy_re
from ..edits import REVIEW, Edit, Fix, lowest
from ..facts.model import Statement
from ..messages.fixes import titled
from .base import At, Context, Hit, Links
from .verdicts import Judge, Verdict

_FOR_LINTERS = lazy_re.compile(
    r"[ \t]*#[^\r\n]*?\b"
    r"(?i:flake8:|fmt:|isort:|mypy:|nopycln:|noqa\b|nosec\b|pylint:|pyre-|pyright:|ruff:|type:\s*ignore)[^\r\n]*"
)
_ALONE = lazy_re.compile(r"import[ \t]+[\w.]+[ \t]*(?:\r?\n)?")


def import_hits(context: Context, judge: Judge, stuck: frozenset[str]) -> Iterator[Hit]:
    """Yield hits at import statements. `stuck`: local names that no fix may change."""
    seen: set[tuple[int, int]] = set()  # statements with the same source share their nodes
    first = _First(context)

    def spoken(dotted: str) -> Verdict | None:
        verdict = judge(dotted)
        return verdict if verdict and verdict.at_imports and not verdict.covered(context.shim) else None

    for binding, statement in context.facts.imports():
        node = binding.statement
        if node is None or (statement.start, id(node)) in seen:
            continue
        seen.add((statement.start, id(node)))
        if isinstance(node, ast.Import):
            yield from _plain(context, statement, node, spoken, stuck, first)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from _from(context, statement, node, spoken, stuck)


def _hit(
    verdict: Verdict,
    statement: Statement,
    alias: ast.alias,
    dotted: str,
    links: Links,
    fixes: tuple[Fix, ...] = (),
) -> Hit:
    start, end = (statement.start + offset for offset in statement.digest.piece.span(alias))
    words, limits, since = verdict.words(dotted), verdict.limits, verdict.since
    return Hit(verdict.rule, start, end, words, fixes, links, limits, statement=statement, since=since)


def _links(verdict: Verdict, statement: Statement, local: str) -> Links:
    """Return the keys (`Hit.links`) that link the hit of an import to the hits that must be fixed together with it:
    uses of the imported name, hits in the same statement, and hits of rules with the same `group`."""
    links: Links = (("alias", local), ("import", At(statement.start)))
    group = verdict.rule.get("group")
    return (*links, ("group", group)) if group else links


def _plain(
    context: Context, statement: Statement, node: ast.Import, judge: Judge, stuck: frozenset[str], first: _First
) -> Iterator[Hit]:
    """Yield hits at plain imports: `import x`. `import torch.cuda as tc` is changed to import another module; `import
    torch.cuda` becomes `import torch`, or is removed below another `import torch`."""
    for alias in node.names:
        verdict = judge(alias.name)
        if verdict is None:
            continue
        if not alias.asname and not (verdict.replacement and verdict.row is not None and verdict.row.kind == "module"):
            continue
        new = alias.name.split(".")[0]
        links: Links = ()
        fixes: tuple[Fix, ...] = ()
        if alias.asname:
            new, links = context.target.module_path(verdict.replacement), _links(verdict, statement, alias.asname)
        if verdict.applicability is not None and verdict.replacement and alias.asname not in stuck:
            start = statement.start + statement.digest.piece.start(alias)
            title, edit = titled("replace", f"`{new}`"), Edit(start, start + len(alias.name), new)
            if not alias.asname and first.is_above(new, statement):
                title, edit = titled("remove", f"`import {alias.name}`"), _removal(context, statement)
            needed = () if alias.asname else context.requires(verdict.rule, start)
            fixes = (Fix(title, verdict.applicability, (edit, *needed)),)
        yield _hit(verdict, statement, alias, alias.name, links, fixes)


class _First:
    """Finds the first import in a block that binds a name, such as `torch`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._starts: dict[tuple[str, int], int] | None = None

    def is_above(self, root: str, statement: Statement) -> bool:
        """Return whether `import torch.cuda` is all of a line, and another import above it in the same block binds the
        module `root`, which is "torch"."""
        if _ALONE.fullmatch(self._context.text, statement.start, statement.end) is None:
            return False
        if self._context.path.endswith(".ipynb"):
            return False  # the line break after the line may belong to the next cell
        if self._starts is None:
            self._starts = {}
            for binding, other in self._context.facts.imports():
                if binding.kind == "import" and binding.name == binding.dotted:
                    key = binding.name, self._block(other)
                    self._starts[key] = min(other.start, self._starts.get(key, other.start))
        return self._starts.get((root, self._block(statement)), statement.start) < statement.start

    def _block(self, statement: Statement) -> int:
        above = self._context.facts.indents.header_above(statement.start)
        return above.start if above is not None else -1


def _removal(context: Context, statement: Statement) -> Edit:
    """Return the edit that removes the line of a statement."""
    return Edit(context.facts.layout.line_start(statement.start), statement.end, "")


def _from(
    context: Context, statement: Statement, node: ast.ImportFrom, judge: Judge, stuck: frozenset[str]
) -> Iterator[Hit]:
    module = node.module or ""
    if node.names[0].name == "*":
        yield from _star(context, statement, node, judge)
        return
    verdicts = {alias: judge(f"{module}.{alias.name}") for alias in node.names}
    moved = {
        alias: verdict.replacement
        for alias, verdict in verdicts.items()
        if verdict is not None
        and verdict.replacement
        and verdict.applicability is not None
        and context.target.has_module(verdict.replacement.rpartition(".")[0])
        and (alias.asname or alias.name) not in stuck
    }
    fixes: dict[ast.alias, Fix] = {}
    if moved:
        edits = _move(context, statement, node, moved)
        classes = [v.applicability for a, v in verdicts.items() if a in moved and v is not None]
        for alias, new in moved.items():
            verdict = verdicts[alias]
            assert verdict is not None
            extra: tuple[Edit, ...] = ()
            if _place(context, new)[0].split(".")[0] == "torch":
                extra = context.requires(verdict.rule, statement.start, new)
            fixes[alias] = Fix(titled("import", f"`{new}`"), lowest(*classes) or REVIEW, (*edits, *extra))
    for alias, verdict in verdicts.items():
        dotted, fix = f"{module}.{alias.name}", fixes.get(alias)
        if verdict is not None and fix is not None:
            links = _links(verdict, statement, alias.asname or alias.name)
            yield _hit(verdict, statement, alias, dotted, links, (fix,))
        elif verdict is not None:
            yield _hit(verdict, statement, alias, dotted, ())


def _star(context: Context, statement: Statement, node: ast.ImportFrom, judge: Judge) -> Iterator[Hit]:
    verdict = judge(node.module or "")
    if verdict is None:
        return
    fixes: tuple[Fix, ...] = ()
    if verdict.applicability is not None and context.target.has_module(verdict.replacement) and verdict.replacement:
        new = context.target.module_path(verdict.replacement)
        span = module_span(statement, node)
        fixes = (Fix(titled("import from", f"`{new}`"), REVIEW, (Edit(span[0], span[1], new),)),)
    yield _hit(verdict, statement, node.names[0], node.module or "", _links(verdict, statement, "*"), fixes)


def module_span(statement: Statement, node: ast.ImportFrom) -> tuple[int, int]:
    """The span of the module's name in a `from … import`."""
    piece = statement.digest.piece
    text = piece.text[piece.start(node) - piece.base :]
    at = text.index(node.module or "", 4)
    start = statement.start + piece.start(node) + at
    return start, start + len(node.module or "")


def _move(context: Context, statement: Statement, node: ast.ImportFrom, moved: dict[ast.alias, str]) -> list[Edit]:
    """Return the edits that import every changed name from its new module and leave the other names in place."""
    places = {alias: _place(context, new) for alias, new in moved.items()}
    parents = {parent for parent, _ in places.values()}
    piece = statement.digest.piece
    if parents == {node.module} or (len(moved) == len(node.names) and len(parents) == 1 and "" not in parents):
        start, end = module_span(statement, node)
        parent = parents.pop()
        edits = [Edit(start, end, parent)] if parent != node.module else []
        for alias, new in moved.items():
            edits += _rename(statement, alias, new)
        return [edit for edit in edits if context.text[edit.start : edit.end] != edit.text]
    start, end = (statement.start + offset for offset in piece.span(node))
    line = context.facts.layout.line_start(start)
    indent = context.text[line:start] if not context.text[line:start].strip() else ""
    kept = [_source(context, statement, alias) for alias in node.names if alias not in moved]
    lines = [f"from {node.module} import {', '.join(kept)}"] if kept else []
    groups: dict[str, list[str]] = {}
    for alias in moved:
        path, name = places[alias]
        local = alias.asname or alias.name
        groups.setdefault(path, []).append(name if name == local else f"{name} as {local}")
    for path, names in groups.items():
        lines += [f"from {path} import {', '.join(names)}"] if path else [f"import {name}" for name in names]
    newline = context.facts.layout.newline_at(statement.end)
    if not indent and line != start:
        return [Edit(start, end, "; ".join(lines))]
    # a comment for a linter holds for each of the lines that were one
    told = _FOR_LINTERS.match(context.text, end, context.facts.layout.line_break(end))
    return [Edit(start, end, f"{told[0] if told else ''}{newline}{indent}".join(lines))]


def _place(context: Context, new: str) -> tuple[str, str]:
    """Return (module, name) from which the target's dotted name `new` is imported; ("", name) if `new` is a top-level
    module."""
    parent, _, name = new.rpartition(".")
    if new in context.target.module_paths and context.target.module_path(parent) == parent:
        parent, _, name = context.target.module_paths[new].rpartition(".")
        return parent, name
    return context.target.module_path(parent), name


def _source(context: Context, statement: Statement, alias: ast.alias) -> str:
    start, end = statement.digest.piece.span(alias)
    return context.text[statement.start + start : statement.start + end]


def _rename(statement: Statement, alias: ast.alias, new: str) -> list[Edit]:
    """Return the edit that renames one imported name and keeps its local name with `as`."""
    name = new.rpartition(".")[2]
    if name == alias.name:
        return []
    start = statement.start + statement.digest.piece.start(alias)
    suffix = "" if alias.asname else f" as {alias.name}"
    return [Edit(start, start + len(alias.name), name + suffix)]
