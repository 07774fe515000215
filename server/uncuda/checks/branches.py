"""Code that already branches: a CUDA branch whose sibling serves the target is silent."""

from __future__ import annotations

import ast
import re

from ..facts.read import Facts, Statement
from ..facts.scopes import Header
from ..catalogue import Target

_CLAUSES = frozenset({"elif", "else", "except", "finally"})
_EXPRESSIONS = (ast.IfExp, ast.BoolOp, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.Compare)
_LEAVES = re.compile(r"[ \t]*(?:return|raise|continue|break|sys\.exit)\b")
_COMMENT = re.compile(r"#[^\n]*")
_CUDA = re.compile(r"(?<![A-Za-z])(?:cuda|nccl|gpu)", re.I)


class Branches:
    """Answers, for one text and one target, whether a place has a sibling that serves the target."""

    def __init__(self, facts: Facts, target: Target) -> None:
        words = "|".join(re.escape(target.words[key]) for key in ("device", "ccl") if target.words.get(key))
        self._serves = re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.I)
        self._facts = facts
        self._text = facts.text
        self.any = bool(self._serves.search(facts.text))
        self._known: dict[int, bool] = {}

    def served(self, statement: Statement, node: ast.AST | None) -> bool:
        """Whether a sibling of the place already serves the target."""
        if not self.any:
            return False
        if node is not None and self._in_expression(statement, node):
            return True
        if statement.start not in self._known:
            self._known[statement.start] = self._in_blocks(statement)
        return self._known[statement.start]

    def _found(self, start: int, end: int) -> bool:
        text = self._text[start:end]
        return bool(self._serves.search(_COMMENT.sub("", text) if "#" in text else text))

    def _in_expression(self, statement: Statement, node: ast.AST) -> bool:
        piece = statement.digest.piece
        for outer in statement.digest.ancestors(node):
            if isinstance(outer, (ast.stmt, ast.Lambda)):
                return False
            if isinstance(outer, _EXPRESSIONS) and hasattr(outer, "lineno"):
                start, end = piece.span(outer)
                if self._found(statement.start + start, statement.start + end):
                    return True
        return False

    def _in_blocks(self, statement: Statement) -> bool:
        indents = self._facts.indents
        own = indents.header_at(statement.start)
        if own.word in ("if", "elif", "else", "except", "case") and self._clause_served(own):
            return True
        if self._left_before(statement.start):
            return True
        for header in indents.headers(statement.start):
            if header.word in ("def", "class"):
                return False
            if header.word == "match":
                return self._found(header.end, indents.extent(header.start))
            if self._clause_served(header) or self._left_before(header.start):
                return True
        return False

    def _clause_served(self, header: Header) -> bool:
        """A sibling clause whose condition names the target; or whose body does, where conditions speak of devices."""
        if header.word not in ("if", "elif", "else", "try", "except"):
            return False
        indents = self._facts.indents
        clauses = indents.clauses(header)
        conditions = [(c.start, c.end) for c in clauses]
        others = [c for c in clauses if c.start != header.start]
        if header.word in ("try", "except"):
            return any(self._found(c.start, indents.extent(c.start)) for c in others)
        if any(self._found(c.start, c.end) for c in others if c.word != "else"):
            return True
        about_devices = any(_CUDA.search(self._text, start, end) for start, end in conditions)
        if about_devices and any(self._found(c.start, indents.extent(c.start)) for c in others):
            return True
        return self._leaves(header) and self._follows(header, clauses[-1])

    def _leaves(self, header: Header) -> bool:
        """Whether the block of a header ends by leaving: return, raise, continue."""
        body = self._text[header.end : self._facts.indents.extent(header.start)].rstrip().rsplit("\n", 1)[-1]
        return bool(_LEAVES.match(body)) and bool(_CUDA.search(self._text, header.start, header.end))

    def _follows(self, header: Header, last: Header) -> bool:
        """Whether a later `if` of the same block names the target."""
        indents = self._facts.indents
        end = indents.block_end_of(header.start)
        for line in indents.lines_at(indents.extent(last.start), end, header.indent):
            if line.word == "if" and self._found(line.start, line.end):
                return True
        return False

    def _left_before(self, offset: int) -> bool:
        """Whether an `if` above in the same block serves the target and leaves."""
        indents = self._facts.indents
        for line in indents.lines_above(offset):
            if line.word == "if" and self._found(line.start, line.end):
                body = self._text[line.end : indents.extent(line.start)].rstrip().rsplit("\n", 1)[-1]
                if _LEAVES.match(body):
                    return True
        return False
