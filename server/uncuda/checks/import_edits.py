"""Edits that insert an import on a separate line beside an existing statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .. import lazy_re
from ..edits import Edit
from ..facts.changes import Scan, Worded
from ..facts.names import imported_name, is_late_torch
from ..facts.read import Facts, Statement
from ..facts.scans import plain
from ..facts.scopes import Header

_HARMLESS = lazy_re.compile(
    r"[ \t]*(?!.*(?:cuda|nccl))(?:import[ \t]+torch(?:\.\w+)*(?:[ \t]+as[ \t]+\w+)?"
    r"|from[ \t]+torch(?:\.\w+)*[ \t]+import[ \t]+[\w, \t]+|[\w.]+[ \t]*=[ \t]*(?:True|False|None|\d+))?[ \t]*(?:#.*)?"
)
_INDENT = lazy_re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*([ \t]+)(?=\S)")
# after the fixes, statements with these words fail unless the plugin is imported
_NEEDS_PLUGIN = (".cuda(", ".is_cuda", '="cuda', "='cuda")
_RUNS_AT_ONCE = lazy_re.compile(r"(?!(?:def|async|class|import|from|elif|else|except|finally)\b)[\w(\[)\]}]")
# the assignments: `torch = pytest.importorskip("torch")`
_IMPORTING = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_OPENS = lazy_re.compile(r"else[ \t]*:[ \t]*(?:#[^\n]*)?\r?\n")


def import_edit(facts: Facts, module: str, statement: Statement, before: bool = False) -> Edit:
    """The edit that inserts `import module` on a separate line below (or above) a statement, in the same block."""
    text = facts.text
    line = facts.layout.line_start(statement.start)
    indent = text[line : statement.start]
    newline = facts.layout.newline_at(statement.end)
    if not before and not indent.strip() and (edit := _in_else(facts, module, statement, indent, newline)):
        return edit
    at = None if before and not indent.strip() else _beside_more(statement)
    if at is not None:
        return Edit(at, at, f"; import {module}")
    if indent.strip() or _is_inline(statement):
        end = statement.start + len(text[statement.start : statement.end].rstrip())
        return Edit(end, end, f"; import {module}")
    if before:
        return Edit(line, line, f"{indent}import {module}{newline}")
    if text[: statement.end].endswith(("\n", "\r")):
        return Edit(statement.end, statement.end, f"{indent}import {module}{newline}")
    return Edit(statement.end, statement.end, f"{newline}{indent}import {module}")


def early_edit(facts: Facts, module: str, end: int) -> Edit | None:
    """Return an edit that inserts `import module` above the first top-level statement before `end` that needs this
    module.

    `end`: the offset of the torch import. Usually no statement before `end` needs the plugin, and the result is None.
    """
    starts = [line for word in _NEEDS_PLUGIN if (line := _first_needing(facts, word, end)) is not None]
    if not starts:
        return None
    return Edit(min(starts), min(starts), f"import {module}{facts.layout.newline_at(min(starts))}")


def _first_needing(facts: Facts, word: str, end: int) -> int | None:
    """Return the start of the first top-level statement before `end` with `word` in its code; None if there is none."""
    for at in facts.searches.find(("early", word), _on_lines_without_indent(word)):
        if at >= end:
            break
        facts.work.compare()
        start, _ = facts.layout.logical_line(at)
        if _RUNS_AT_ONCE.match(facts.text, start) and not facts.layout.token_at(at):
            return start
    return None


def _on_lines_without_indent(word: str) -> Scan:
    def scan(text: str, start: int, end: int) -> Iterator[int]:
        return (at for at in plain(word)(text, start, end) if _RUNS_AT_ONCE.match(text, text.rfind("\n", 0, at) + 1))

    return Worded(word, scan)


def _in_else(facts: Facts, module: str, statement: Statement, indent: str, newline: str) -> Edit | None:
    """The edit that imports the plugin in the `else` of a `try` that only imports torch. If the plugin is missing, its
    import in the `else` raises an exception, which the `except` for a missing torch does not catch."""
    indents, text = facts.indents, facts.text
    header = indents.header_above(statement.start)
    if header is None or header.word != "try":
        return None
    end = indents.extent(header.start)
    facts.work.search(statement.start, end)
    facts.layout.reads(statement.start, end)
    if not all(_HARMLESS.fullmatch(one) for one in text[statement.start : end].splitlines()):
        return None  # the remaining code in the `try` may need the plugin, or may fail after torch is imported
    clauses = {clause.word: clause for clause in indents.clauses(header)}
    if (own := clauses.get("else")) is not None:
        opens, body = _OPENS.fullmatch(text, own.start, own.end), _INDENT.match(text, own.end)
        return Edit(own.end, own.end, f"{body[1]}import {module}{newline}") if opens and body else None
    if "except" not in clauses:
        return None
    at = _end_of_code(facts, clauses["except"])
    first = text[facts.layout.line_start(header.start) : header.start]
    ended = "" if text[:at].endswith(("\n", "\r")) else newline
    return Edit(at, at, f"{ended}{first}else:{newline}{indent}import {module}{newline}") if not first.strip() else None


def _end_of_code(facts: Facts, header: Header) -> int:
    """The end of the code in the block below a header, without the blank lines and comments that follow it."""
    at = facts.indents.extent(header.start)
    facts.layout.reads(header.end, at)
    while (line := facts.layout.line_start(max(0, at - 1))) >= header.end:
        said = facts.text[line:at].lstrip()
        if facts.layout.string_around(line):
            break
        if said and not (said.startswith("#") and at - line - len(said) <= header.indent):
            break
        facts.work.compare()
        at = line
    return at


def _beside_more(statement: Statement) -> int | None:
    """Return the end of the first import of torch if more code is on the same line: `import torch; x =
    torch.ones(2)`."""
    piece = statement.digest.piece
    for block in (piece.nodes, *(getattr(node, "body", ()) for node in piece.nodes)):
        if not isinstance(block, list):
            continue
        first = next((index for index, node in enumerate(block) if _of_torch(node)), len(block))
        if any(not isinstance(node, (ast.Import, ast.ImportFrom)) for node in block[first + 1 :]):
            return statement.start + piece.end(block[first])
    return None


def _of_torch(node: ast.AST) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        names.append("torch" if is_late_torch([node]) else imported_name(node.value) or "")
    return any(name.partition(".")[0] == "torch" for name in names)


def _is_inline(statement: Statement) -> bool:
    """Whether a statement is a block header with its body on the same line."""
    return not isinstance(next(iter(statement.digest.piece.nodes), None), _IMPORTING)
