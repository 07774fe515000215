"""The hits that checks produce. A hit is never changed; a later stage creates a new hit with further information."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..catalogue import Rule
from ..edits import REVIEW, SAFE, Edit, Fix
from ..facts.changes import Region
from ..facts.read import Statement
from ..source import Span

Links = tuple[tuple[Hashable, ...], ...]
"""Keys of a hit; hits that share a key are fixed together or not at all."""


class At(int):
    """A source offset in a key of `Hit.links`; the type marks the offset, so that it is moved after an edit."""

    __slots__ = ()


VARIABLE = "variable"
"""The first part of a key in `Hit.links` and `Hit.sources` that stands for an environment variable."""
OPERANDS = "operands"
"""The first part of a key in `Hit.links` that calls in one `and` share if a fix removes one of the calls."""
SEARCHED = "searched"
"""The first part of a key in `Hit.sources` that stands for the comparisons and regular expressions of a statement."""
ANOTHER_WAY = "another-way"
"""The id of the advice about a library that the code needs and the target lacks."""


class Hit(NamedTuple):
    """The span [start, end) of code that a rule reports, with the facts that the check found about it."""

    rule: Rule
    start: int
    end: int
    words: Mapping[str, str] = MappingProxyType({})
    """Values for the placeholders in braces in the rule's message. The property `subject` returns the value for
    `subject`, or that for `name` if there is no value for `subject`."""
    fixes: tuple[Fix, ...] = ()
    """The fixes, best first. If the list is empty, a person must change the code."""
    links: Links = ()
    limits: tuple[str, ...] = ()
    """Ids of sentences in the target's tables; the message ends with these sentences."""
    severity: str = ""
    """A severity that replaces that of the rule; "" to keep the rule's severity."""
    statement: Statement | None = None
    node: ast.AST | None = None
    """The AST node of the reported code in the statement, if this code is a complete expression."""
    since: str = ""
    """The first plugin version that supports the API, if it is later than the configured version."""
    keeps: tuple[int, int] = (0, 0)
    """The span of code for CUDA that the fixes leave unchanged."""
    receiver: int | None = None
    """The offset of a method's or attribute's name, if the hit depends on the type of the object before it."""
    lacking: tuple[str, ...] = ()
    """If the fix writes an attribute of a result: the functions whose results lack this attribute on the target."""
    origin: tuple[str, str, Span] | None = None
    """The alias through which the name was resolved: the local name, the dotted name of the imported object, and the
    span of its binding."""
    question: tuple[At, bool] | None = None
    """The offset of the condition, such as `torch.cuda.is_available()`, on which the use of the reported string
    depends, and whether only that condition shows that the string is a device."""
    by_hand: bool = False
    """Whether the variable that holds the reported string is also compared with the word that the fix writes, such as
    "npu", or its choices list this word beside CUDA's. Either shows that a person has ported this code."""
    sources: Links = ()
    """If the reported string is compared with a variable: keys in `links` of the code that gives the variable its
    value. The comparison and this code must change together. If the hit reads or sets an environment variable: a key
    that all code about this variable shares. In a statement with a regular expression for devices: a key that all its
    comparisons share."""

    makes: Links = ()
    """If the reported string names a device that a call makes: keys in `links` of strings with which the text of this
    device is compared, as in `"cuda" in str(self.device)`."""

    @property
    def subject(self) -> str:
        """The library, API or variable that the hit is about, such as `flash_attn`, `torch.cuda.synchronize`, `.cuda`
        or `NCCL_DEBUG`; "" if the hit has no such name."""
        return self.words.get("subject") or self.words.get("name", "")

    @property
    def is_safe(self) -> bool:
        """Whether the first fix is safe."""
        return bool(self.fixes) and self.fixes[0].applicability == SAFE

    @property
    def is_import(self) -> bool:
        """Whether the hit is at a name that a statement imports."""
        return self.statement is not None and any(one.alias is not None for one in self.statement.digest.bindings)

    @property
    def parent(self) -> ast.AST | None:
        """The syntax node that directly contains the hit's node; None if there is none."""
        if self.statement is None or self.node is None:
            return None
        return self.statement.digest.parents.get(self.node)

    def with_fixes(self, fixes: tuple[Fix, ...]) -> Hit:
        """A copy of the hit with other fixes."""
        return self if fixes is self.fixes else self._replace(fixes=fixes)

    def lowered(self, applicability: str | None) -> Hit:
        """Return a copy of the hit whose first fix has this fix class; without fixes if `applicability` is None."""
        if not self.fixes or self.fixes[0].applicability == applicability:
            return self
        if applicability is None:
            return self._replace(fixes=())
        return self._replace(fixes=(self.fixes[0]._replace(applicability=applicability), *self.fixes[1:]))

    def for_review(self, limit: str) -> Hit:
        """Return a copy whose first fix needs review. The message of the copy gets the sentence with the id `limit`,
        which says why."""
        return self.lowered(REVIEW)._replace(limits=(*self.limits, limit))

    def as_information(self, limit: str) -> Hit:
        """Return a copy with the severity "information". The message of the copy gets the sentence with the id
        `limit`, which says why the hit is only information, and loses the advice to rewrite or leave out the code that
        needs a library."""
        limits = tuple(one for one in self.limits if one != ANOTHER_WAY)
        return self._replace(severity="information", limits=(*limits, limit))


def moved(hit: Hit, statement: Statement, region: Region) -> Hit:
    """Return the hit with its new offsets after an edit that did not touch the statement of the hit; `statement`: the
    same statement in the new text.

    The fields are listed one by one because `_replace` is too slow for every hit at every keystroke.
    """
    if not region.shift:
        return hit if statement is hit.statement else hit._replace(statement=statement)
    here = region.place
    receiver, origin = hit.receiver, hit.origin
    if origin is not None:
        name, dotted, span = origin
        origin = name, dotted, Span(here(span.start), here(span.end))
    question = hit.question
    if question is not None:
        question = At(here(question[0])), question[1]
    return Hit(
        hit.rule,
        here(hit.start),
        here(hit.end),
        hit.words,
        moved_fixes(hit.fixes, region),
        tuple([tuple([At(here(part)) if isinstance(part, At) else part for part in key]) for key in hit.links]),
        hit.limits,
        hit.severity,
        statement,
        hit.node,
        hit.since,
        (here(hit.keeps[0]), here(hit.keeps[1])) if hit.keeps[1] else hit.keeps,
        None if receiver is None else here(receiver),
        hit.lacking,
        origin,
        question,
        hit.by_hand,
        tuple([tuple([At(here(part)) if isinstance(part, At) else part for part in key]) for key in hit.sources]),
        tuple([tuple([At(here(part)) if isinstance(part, At) else part for part in key]) for key in hit.makes]),
    )


def moved_fixes(fixes: tuple[Fix, ...], region: Region) -> tuple[Fix, ...]:
    """Return fixes with their new offsets after an edit."""
    return tuple([Fix(fix.title, fix.applicability, _moved(fix.edits, region)) for fix in fixes])


def _moved(edits: tuple[Edit, ...], region: Region) -> tuple[Edit, ...]:
    here = region.place
    return tuple([Edit(here(start), here(end), text) for start, end, text in edits])
