"""Portable fixes of imports from `torch.cuda`: the import is removed, and each use of the imported name becomes a call
of the helper module."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ... import lazy_re
from ...checks.base import Context
from ...checks.hit import Hit
from ...edits import Edit
from ...facts.layout import Layout
from ...facts.model import Name, Statement
from .forms import BY_HAND, DECORATOR, TAKEN, Form, Unwritable

_SCRIPT = lazy_re.compile(r"^if[ \t]+__name__[ \t]*==", re.M)


def is_import(hit: Hit) -> bool:
    """Return whether a hit is in an import statement."""
    return hit.node is None and hit.statement is not None and _node(hit) is not None


def is_plain(hit: Hit) -> bool:
    """Return whether an import binds only the name `torch`, as `import torch.cuda` does; such an import needs no
    fix."""
    node = _node(hit)
    return isinstance(node, ast.Import) and not _alias(hit, node).asname


def written(hit: Hit, context: Context, form: Form, hits: Sequence[Hit]) -> list[Edit]:
    """Return the edits that remove an imported name from its import statement, and replace each use of the name."""
    node, statement = _node(hit), hit.statement
    assert node is not None
    assert statement is not None
    alias = _alias(hit, node)
    local = alias.asname or alias.name
    dotted = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
    key = next((key for key in form.templates if dotted == key or dotted.startswith(key + ".")), None)
    if key is None or local == "*":
        raise Unwritable(BY_HAND)
    new = form.of(key) + dotted[len(key) :]
    uses = _uses(local, dotted, context)
    if len(uses) != _spelled(local, context) - 1:
        raise Unwritable(BY_HAND)  # other code may bind the same name
    if dotted.count(".") < 3 or not _SCRIPT.search(context.text):
        form.needs_review(TAKEN)  # the name is a module, or another file may import it from this one
    if any(context.text[context.facts.layout.line_start(start) :].lstrip()[:1] == "@" for start, _ in uses):
        form.needs_review(DECORATOR)  # in a decorator, Python 3.8 accepts only a dotted name with one call at its end
    together = [other for other in hits if other.statement is statement and is_import(other)]
    gone = {id(_alias(other, node)) for other in together}
    return [_without(statement, node, gone, context), *(Edit(*place, new) for place in uses)]


def _node(hit: Hit) -> ast.Import | ast.ImportFrom | None:
    assert hit.statement is not None
    nodes = hit.statement.digest.piece.nodes
    alone = nodes[0] if len(nodes) == 1 else None
    return alone if isinstance(alone, (ast.Import, ast.ImportFrom)) else None


def _alias(hit: Hit, node: ast.Import | ast.ImportFrom) -> ast.alias:
    """Return the imported name at which a hit is reported, as a node of the import statement."""
    assert hit.statement is not None
    base, piece = hit.statement.start, hit.statement.digest.piece
    found = next((one for one in node.names if base + piece.start(one) == hit.start), None)
    if found is None:
        raise Unwritable(BY_HAND)
    return found


def _uses(local: str, dotted: str, context: Context) -> list[tuple[int, int]]:
    """Return the spans at which a local name means the imported object."""
    context.facts.work.compare(len(context.facts.references))
    found = {
        _root_span(name)
        for name in context.facts.references
        if name.chain.root == local and (name.dotted == dotted or name.dotted.startswith(dotted + "."))
    }
    return sorted(found)


def _root_span(name: Name) -> tuple[int, int]:
    start, end = name.chain.segments()[0]
    return name.statement.start + start, name.statement.start + end


def _spelled(local: str, context: Context) -> int:
    """Count how often a name occurs in the text, as an identifier or as a whole string."""
    text, layout = context.text, context.facts.layout
    context.facts.work.search(0, len(text))
    return sum(1 for match in re.finditer(rf"(?<![\w.]){local}(?!\w)", text) if _counts(match, text, layout))


def _counts(match: re.Match[str], text: str, layout: Layout) -> bool:
    kind = layout.token_at(match.start())
    if kind:
        return kind != "#" and text[match.start() - 1] in "\"'" and text[match.end() : match.end() + 1] in "\"'"
    keyword = re.compile(r"[ \t]*=(?!=)").match(text, match.end())
    return not (keyword and text[: match.start()].rstrip()[-1:] in ("(", ","))


def _without(statement: Statement, node: ast.Import | ast.ImportFrom, gone: set[int], context: Context) -> Edit:
    """Return the edit that removes names from an import statement; it removes the whole line if no name is left."""
    text, layout = context.text, context.facts.layout
    start = statement.start
    end = start + len(text[start : statement.end].rstrip())
    line = layout.logical_line(start)
    rest = text[end : line[1]].strip()
    if layout.line_start(start) != start or (rest and not rest.startswith("#")):
        raise Unwritable(BY_HAND)  # the import is indented, or on a line with another statement
    kept = [alias for alias in node.names if id(alias) not in gone]
    if not kept:
        return Edit(start, line[1], "")
    spelled = ", ".join(_said(alias) for alias in kept)
    if "#" in text[start:end]:
        raise Unwritable(BY_HAND)
    head = f"from {node.module} import " if isinstance(node, ast.ImportFrom) else "import "
    return Edit(start, end, head + spelled)


def _said(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name
