"""Groups hits in sibling branches whose fixes must be applied together: if only some of these branches were fixed, a
later run would misread the others.

If one run of uncuda fixes only one clause, the next run takes this clause for a branch that already handles the target,
and no longer reports the hits in its sibling clauses, although they still need a fix. `checks/branches.py` decides for
which device a branch is; this module asks it about the text that the fixes would produce.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from .. import lazy_re
from ..checks import Hit
from ..checks.branches import MEMBER, PARTED, TEXTS, Branches, siblings
from ..facts.read import Facts, Statement
from ..facts.scopes import Header
from .guards import parts_of

_ALIKE = (ast.List, ast.Tuple, ast.Set, ast.MatchOr)  # nodes whose items are alternatives to each other
_CLAUSE = lazy_re.compile(r"^(?P<indent>[ \t]*)(?:else|elif|except)\b", re.M)
_ASKED = lazy_re.compile(r"(?:elif|case)\b")
_RULED_OUT = lazy_re.compile(r"if\b[^\n]*(?:\bnot\b|!=|<|(?:==|\bis)[ \t]*(?:False|None|0)\b)")
_FAR = 4000  # maximum number of characters between two clauses of one if/elif chain

Group = list[int]
"""A group of hits whose fixes must be applied together, as indices in the list of all hits of the text."""


class LinkedBranches:
    """Finds the groups of hits in one text whose fixes must be applied together; only hits with fixes count."""

    def __init__(self, hits: Sequence[Hit], facts: Facts, branches: Branches) -> None:
        places = [
            (hit.statement.start, index)
            for index, hit in enumerate(hits)
            if hit.fixes and hit.statement and hit.rule.check != "missing-import"
        ]
        places.sort()
        self._hits = hits
        self._places = [index for _, index in places]
        self._starts = [start for start, _ in places]
        self._text, self._indents = facts.text, facts.indents
        self._branches, self._work = branches, branches.work
        self._cases: dict[int, list[Header]] = {}  # the cases of a `match` statement, by its offset
        # The key is a block and its indentation. The value: the offset of the last `if` that `_above` was called for,
        # and the hits in the body of each earlier `if` of this block that asks for CUDA and returns or raises.
        self._left: dict[tuple[int, int], tuple[int, list[Group]]] = {}

    def groups(self) -> Iterator[Group]:
        """Yield every group of at least two hits; one hit may be in several groups."""
        if len(self._places) < 2:
            return
        statements = sorted(set(self._starts))
        if len(statements) < len(self._starts):
            yield from self._expressions()
        if self._starts[0] == statements[-1]:
            return
        chains: set[int] = set()
        for header in self._heads(statements):
            clauses = self._clauses(header)
            if clauses and clauses[0].start not in chains:
                chains.add(clauses[0].start)
                yield from filter(lambda group: len(group) > 1, self._chain(clauses))
        yield from self._leaving(statements)
        yield from self._members()

    def _expressions(self) -> Iterator[Group]:
        """Yield groups of hits in sibling parts of a list, a dictionary, or a boolean or conditional expression."""
        numbered = ((index, self._hits[index]) for index in self._places)
        for statement, outer, found in parts_of(numbered, PARTED, self._work):
            if isinstance(outer, _ALIKE) or (isinstance(outer, ast.BoolOp) and isinstance(outer.op, ast.Or)):
                yield _all(found.values())
                continue
            # if no key of the dictionary has a hit, only the hits in its string values form a group
            if isinstance(outer, ast.Dict) and not found.keys() & set(outer.keys):
                yield _all(own for part, own in found.items() if isinstance(part, TEXTS))
                continue
            ruled_out: set[ast.AST] = set()
            if isinstance(outer, ast.BoolOp):
                ruled_out = {part for part in found if self._rules_out(part, statement)}
            for part, own in found.items():
                apart = ruled_out - {part} if isinstance(outer, ast.BoolOp) else set(siblings(outer, part))
                self._work.compare(4 * len(apart))
                for other in apart:
                    if other in found:
                        yield own + found[other]

    def _rules_out(self, node: ast.AST, statement: Statement) -> bool:
        """Return whether an operand asks whether the device is not CUDA."""
        start, end = statement.digest.span(node)
        return self._branches.asks_cuda(statement.start + start, statement.start + end) < 0

    def _heads(self, statements: list[int]) -> Iterator[Header]:
        """For each if/elif chain that may contain several of the hits, yield the header of one clause."""
        text, widths = self._text, [self._width(start) for start in statements]
        for index, (start, width) in enumerate(zip(statements, widths)):
            self._work.compare(2)
            before, room = (statements[index - 1], widths[index - 1]) if index else (-_FAR, -1)
            below = widths[index + 1] if index + 1 < len(widths) else -1
            if _ASKED.match(text, start) and (max(room, below) >= width or self._several(start)):
                yield self._indents.header_at(start)
            elif _RULED_OUT.match(text, start) and (below > width or self._several(start)):
                yield self._indents.header_at(start)
            self._work.search(before, min(start, before + _FAR))
            for match in _CLAUSE.finditer(text, before, start) if start - before < _FAR else ():
                if len(match["indent"]) < width and len(match["indent"]) <= room:
                    yield self._indents.header_at(match.end("indent"))

    def _several(self, start: int) -> bool:
        return len(self._inside(start, start + 1)) > 1

    def _width(self, start: int) -> int:
        return start - self._text.rfind("\n", 0, start) - 1

    def _clauses(self, header: Header) -> list[Header]:
        if header.word != "case":
            return self._indents.clauses(header)
        above = self._indents.header_above(header.start)
        if above is None or above.word != "match":
            return []
        if above.start not in self._cases:
            lines = self._indents.lines_at(above.end, self._indents.extent(above.start), header.indent)
            self._cases[above.start] = list(lines)
        return self._cases[above.start]

    def _inside(self, start: int, end: int) -> Group:
        found = self._places[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        self._work.compare(1 + len(found))
        return found

    def _body(self, clause: Header) -> Group:
        own = clause.start + (clause.word in ("if", "elif", "case"))
        return self._inside(own, self._indents.extent(clause.start))

    def _chain(self, clauses: list[Header]) -> Iterator[Group]:
        word = clauses[0].word
        if word == "try":
            bodies = [self._body(clause) for clause in clauses if clause.word in ("try", "except")]
            if sum(map(bool, bodies)) > 1:
                yield _all(bodies)
        elif word in ("if", "case"):
            conditions = [self._inside(clause.start, clause.start + 1) for clause in clauses]
            if clauses[-1].word == "else":
                conditions[-1] = []
            asked = [self._asked(clause, own) for clause, own in zip(clauses, conditions)]
            yield self._exposed(clauses, conditions, asked)

    def _asked(self, clause: Header, own: Group) -> int:
        """Return what the condition of a clause would ask for after the fixes: 1 for the target, -1 for any device but
        the target, 0 for neither."""
        changed, done = "", clause.start
        for edit in sorted({edit for index in own for edit in self._hits[index].fixes[0].edits}):
            if done <= edit.start and edit.end <= clause.end:
                changed += self._text[done : edit.start] + edit.text
                done = edit.end
        return self._branches.asked(changed + self._text[done : clause.end]) if changed else 0

    def _exposed(self, clauses: list[Header], conditions: list[Group], asked: list[int]) -> Group:
        """Return the hits in the conditions of an `if` with its `elif` clauses, or in the cases of a `match`, and the
        hits in their blocks that would not be reported after these conditions were fixed."""
        bodies = [self._body(clause) for clause in clauses]
        if any(conditions):
            sure = [polarity > 0 for polarity in asked]
            if clauses[-1].word == "else" and 1 not in asked:
                sure[-1] = self._branches.is_for_cuda(clauses[-1], clauses)
            return _all(conditions) + _all(body for body, free in zip(bodies, sure) if not free)
        if sum(map(bool, bodies)) < 2 or not self._branches.speak_of_cuda(clauses):
            return []
        serving = [body for clause, body in zip(clauses, bodies) if not self._branches.is_for_cuda(clause, clauses)]
        return _all(bodies) if any(serving) else []

    def _leaving(self, statements: list[int]) -> Iterator[Group]:
        """Yield groups of hits: the hits in an `if` that returns or raises, together with hits that stand before or
        after this `if` in the same block."""
        widths = [self._width(start) for start in statements]
        for index, (start, width) in enumerate(zip(statements, widths)):
            above = index > 0 and widths[index - 1] >= width
            below = index + 1 < len(widths) and widths[index + 1] >= width
            if (above or below) and self._text.startswith("if", start):
                header, own = self._indents.header_at(start), self._inside(start, start + 1)
                if header.word == "if" and self._asked(header, own) > 0:
                    yield self._below(header, own) if below else []
                    yield from self._above(header, own) if above else ()

    def _below(self, header: Header, own: Group) -> Group:
        """Return the group of an `if` that returns or raises: its own hits, and the hits after it in the same block."""
        end = self._indents.extent(header.start)
        after = bisect_left(self._starts, end)
        if after == len(self._starts) or self._width(self._starts[after]) < self._width(header.start):
            return []
        if not self._branches.leaves(header):
            return []
        below = self._inside(end, self._indents.block_end_of(header.start))
        return own + below if below else []

    def _above(self, header: Header, own: Group) -> Iterator[Group]:
        """Yield groups that consist of the hits of an `if` (`own`) and the hits of an earlier `if` that has the same
        condition, or that asks for CUDA and returns or raises."""
        line, above = header.start - self._width(header.start), self._indents.header_above(header.start)
        block = above.start if above is not None else -1, header.indent
        last, left = self._left.get(block, (-1, []))
        for other in self._indents.lines_above(header.start, "if"):
            if other.start < last:
                break
            self._work.compare(4)
            asking = self._inside(other.start, other.start + 1)
            if asking and self._text[other.start : other.end] == self._text[header.start : header.end]:
                yield own + asking if self._indents.extent(other.start) == line else []
            elif not asking and (body := self._body(other)) and self._branches.is_for_cuda(other, [other]):
                if self._branches.leaves(other):
                    left.append(body)
        self._left[block] = header.start, left
        for body in left:
            self._work.compare(1 + len(body))
            yield own + body

    def _members(self) -> Iterator[Group]:
        """Yield the groups of hits in the body of a class that lists devices: `CUDA = "cuda"` and `GPU = "cuda"`."""
        listed = [place for place in zip(self._starts, self._places) if MEMBER.match(self._text, place[0])]
        classes: dict[int, Group] = {}
        for start, index in listed if len(listed) > 1 else ():
            above = self._indents.header_above(start)
            if above is not None and above.word == "class":
                classes.setdefault(above.start, []).append(index)
        yield from (group for group in classes.values() if len(group) > 1)


def _all(groups: Iterable[Group]) -> Group:
    return list(chain.from_iterable(groups))
