"""What a check finds. A hit never changes: a later stage that has more to say of it gives another one."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from ..catalogue import Rule
from ..edits import Edit, Fix
from ..facts.changes import Region
from ..facts.read import Statement
from ..source import Span

Links = tuple[tuple[Hashable, ...], ...]
"""Keys; hits that share one change together or not at all."""


class At(int):
    """An offset in a key of `Hit.links`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that a rule is about, [start, end), and what the check that found it knows of it."""

    rule: Rule
    start: int
    end: int
    words: Mapping[str, str] = field(default_factory=dict)
    """What the rule's message says in braces; `subject`: see there, if it is not the `name`."""
    fixes: tuple[Fix, ...] = ()
    """Best first; none: manual."""
    links: Links = ()
    limits: tuple[str, ...] = ()
    """The sentences of the tables that the message ends with."""
    severity: str = ""
    """Empty: the rule's."""
    statement: Statement | None = None
    node: ast.AST | None = None
    """The expression in the statement, if it is one."""
    since: str = ""
    """The version of the plugin from which on the target has what is asked for, if it is a later one."""
    keeps: tuple[int, int] = (0, 0)
    """What stands there is CUDA's and stays so."""
    receiver: int | None = None
    """Where the attribute's name stands, if all hangs on the object that it belongs to."""
    lacking: tuple[str, ...] = ()
    """The functions whose results have no such attribute on the target, if the fix writes it."""
    origin: tuple[str, str, Span] | None = None
    """Where a local name was bound through which the place was found: the name, what it stands for, and the span."""
    question: tuple[At, bool] | None = None
    """Where the question stands under which alone the word exists, and whether nothing else shows what it means."""
    by_hand: bool = False
    """Its name serves the target elsewhere, so that somebody has to say what is left to CUDA."""
    sources: Links = ()
    """Keys of `links` of what gives the value that is tested here: neither changes without the other."""

    @property
    def subject(self) -> str:
        """The library, API or variable that the rule speaks of here, without what the place adds: `flash_attn`,
        `torch.cuda.synchronize`, `.cuda`, `NCCL_DEBUG`. Empty where it speaks of nothing but the place."""
        return self.words.get("subject") or self.words.get("name", "")

    def with_fixes(self, fixes: tuple[Fix, ...]) -> Hit:
        """The same place with other fixes."""
        return self if fixes is self.fixes else replace(self, fixes=fixes)

    def lowered(self, applicability: str | None) -> Hit:
        """The same place, its first fix in another class; None: without fixes. A hit without fixes stays as it is."""
        if not self.fixes or self.fixes[0].applicability == applicability:
            return self
        if applicability is None:
            return replace(self, fixes=())
        return replace(self, fixes=(replace(self.fixes[0], applicability=applicability), *self.fixes[1:]))


def moved(hit: Hit, statement: Statement, region: Region) -> Hit:
    """The hit as it is found in the text after an edit that left it alone; `statement`: its statement there.

    Every field is named, those without an offset as they are: this runs for each hit at each key, where
    `dataclasses.replace` shows.
    """
    if not region.shift:
        return hit if statement is hit.statement else replace(hit, statement=statement)
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
        tuple([Fix(fix.title, fix.applicability, _moved(fix.edits, region)) for fix in hit.fixes]),
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
    )


def _moved(edits: tuple[Edit, ...], region: Region) -> tuple[Edit, ...]:
    here = region.place
    return tuple([Edit(here(start), here(end), text) for start, end, text in edits])
