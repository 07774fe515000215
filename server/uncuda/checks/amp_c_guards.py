"""Guards around imports that may fail, the uses that such a guard protects, and new guards for unguarded imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from .. import lazy_re
from ..edits import Edit
from ..facts.read import Statement
from ..facts.scopes import Header, columns
from . import leaving
from .base import Context

_WORD = lazy_re.compile(r"\w+")
_CATCHES = lazy_re.compile(r"except\s*(?::|.*\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b)")
_ASSIGNED = lazy_re.compile(r"^[ \t]*(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", re.M)
_APPENDED = lazy_re.compile(r"^[ \t]*(\w+)\.append\(", re.M)
_MEANT = lazy_re.compile(
    r"^[ \t]*(?:(\w+)[ \t]*=(?!=)(?![ \t]*(?:None|False)\b)|def[ \t]+(\w+)|.*\bimport\b.*?\b(\w+)[ \t]*(?:\)|$))", re.M
)
_IMPORTED = lazy_re.compile(r"\bimport\b[ \t(]*([\w \t,\r\n]+)")
ASKS = lazy_re.compile(r"available|find_spec|has_|have_|with_", re.I)
DEVICE = lazy_re.compile(r"\b(?:torch|device|accelerator|gpu)\b|cuda", re.I)


class Guard(NamedTuple):
    """A guard around an import. `flags`: names that tell whether the import worked; `fallbacks`: names that the guard
    binds to another object if the import failed; `raises`: whether the guard does nothing but raise an exception if the
    import failed; `lists`: lists to which the guard appends something if the import failed."""

    flags: frozenset[str]
    fallbacks: frozenset[str] = frozenset()
    raises: bool = False
    lists: frozenset[str] = frozenset()


def guard_of(context: Context, statement: Statement, words: Sequence[str] = ("if", "elif", "try")) -> Guard | None:
    """Return the guard that contains a statement: `try … except ImportError`, or a condition such as `if has_apex:`.

    `words`: the keywords of the block headers to consider.
    """
    indents, text = context.facts.indents, context.text
    headers: list[Header] = []
    if re.match(r"try[ \t]*:", text[statement.start : statement.end]):
        headers.append(indents.header_at(statement.start))
    for header in indents.headers(statement.start):
        if header.word in ("def", "class"):
            break
        if header.word in words:
            headers.append(header)
    raising: Guard | None = None
    for header in headers:
        guard = _guard(context, header)
        if guard is not None and not guard.raises:
            return guard
        raising = raising or guard
    return raising


def _guard(context: Context, header: Header) -> Guard | None:
    """Return the guard (`try … except ImportError`, or a condition such as `if has_apex:`) to which a block header
    belongs; None if it belongs to none."""
    indents, text = context.facts.indents, context.text
    condition = text[header.start : header.end]
    if header.word in ("if", "elif") and ASKS.search(condition) and not DEVICE.search(condition):
        other = indents.clauses(header)[-1]
        raises = other.word == "else" and only_raises(context, other)
        return Guard(frozenset(re.findall(r"[A-Za-z_]\w*", condition[len(header.word) :])), raises=raises)
    if header.word != "try":
        return None
    clauses = indents.clauses(header)
    handlers = [clause for clause in clauses if _CATCHES.match(text, clause.start, clause.end)]
    if not handlers:
        return None
    context.facts.work.search(header.start, indents.extent(clauses[-1].start))
    context.facts.layout.reads(header.start, indents.extent(clauses[-1].start))
    blocks = text[header.start : indents.extent(clauses[-1].start)]
    handled = "".join(text[clause.start : indents.extent(clause.start)] for clause in handlers)
    raises = only_raises(context, handlers[0])
    lists = frozenset(_APPENDED.findall(handled))
    return Guard(frozenset(_ASSIGNED.findall(blocks)), frozenset(_bound(handled)), raises, lists)


def only_raises(context: Context, clause: Header) -> bool:
    """Whether the block of a clause ends by raising an exception or by exiting."""
    indents, text = context.facts.indents, context.text
    inner = list(indents.lines_at(clause.end, indents.extent(clause.start), _inner(context, clause)))
    raising = any(leaving.raises(text[line.start : line.end]) for line in inner)
    return raising or leaving.raises_inline(text[clause.start : clause.end])


def _inner(context: Context, clause: Header) -> int:
    """The indentation, in columns, of the lines in a clause's block."""
    text = context.text
    end = context.facts.indents.extent(clause.start)
    context.facts.layout.reads(clause.end, end)
    lines = text[clause.end : end].splitlines()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    return columns(first[: len(first) - len(first.lstrip())])


def _bound(block: str) -> set[str]:
    """Names that a block binds to an object other than None, by assignment, definition or import."""
    names = {name for groups in _MEANT.findall(block) for name in groups if name}
    for match in _IMPORTED.finditer(block):
        names.update(re.findall(r"\w+", match[1]))
    return names - {"as"}


def protected(context: Context, statement: Statement, flags: set[str]) -> bool:
    """Return whether a use is in a `try`, or runs only after a condition that reads a variable in `flags`."""
    indents, text = context.facts.indents, context.text
    inline = re.match(r"(?:if|elif|while)\b(.*?):|assert\b(.*)", text[statement.start : statement.end], re.S)
    if inline and not flags.isdisjoint(_WORD.findall(inline[1] or inline[2])):
        return True
    if guard_of(context, statement) is not None or _tested_above(statement.start, flags, context):
        return True
    for header in indents.headers(statement.start):
        if header.word in ("if", "elif", "else"):
            clauses = indents.clauses(header)
            asking = (clause for clause in clauses if clause.word != "else")
            if any(not flags.isdisjoint(_WORD.findall(text, line.start, line.end)) for line in asking):
                return True
        if _tested_above(header.start, flags, context):
            return True
        if header.word in ("def", "class"):
            return False
    return False


def _tested_above(offset: int, flags: set[str], context: Context) -> bool:
    """Return whether an `if` or `assert` earlier in the same block reads a variable in `flags`."""
    indents, text = context.facts.indents, context.text
    lines = indents.lines_above(offset, "if", "assert")
    return any(not flags.isdisjoint(_WORD.findall(text, line.start, line.end)) for line in lines)


def guarded(context: Context, statement: Statement, node: ast.Import | ast.ImportFrom) -> tuple[Edit, ...]:
    """The edit that wraps an import in `try: … except ImportError: name = None`; empty if other code is on its line."""
    text = context.text
    line = context.facts.layout.line_start(statement.start)
    indent = text[line : statement.start]
    if indent.strip() or len(statement.digest.piece.nodes) != 1:
        return ()
    start, end = (statement.start + offset for offset in statement.digest.span(node))
    step = "\t" if indent.endswith("\t") else "    "
    newline = context.facts.layout.newline_at(statement.end)
    names = [alias.asname or alias.name.split(".")[0] for alias in node.names if alias.name != "*"]
    nothing = f"{' = '.join(names)} = None" if names else "pass"
    inner = text[start:end].replace(newline, newline + step)
    handler = f"{newline}{indent}except ImportError:{newline}{indent}{step}{nothing}"
    return (Edit(start, end, f"try:{newline}{indent}{step}{inner}{handler}"),)
