"""Several global settings of CUDA may correspond to one setting of the target: they get one hit and one edit if their
values agree."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..facts.model import Name
from ..facts.read import Statement
from ..facts.scans import plain
from .base import Context
from .verdicts import Verdict

Spoken = tuple[Name, Verdict]
_MANY = 40  # at most this many occurrences of the name of a target's setting are checked


class _Setting(NamedTuple):
    """A line that assigns a global setting: its block (the offset of the header, and the indentation), the name of the
    setting, and the source of the value."""

    block: tuple[int, int]
    switch: str
    value: str


def as_one(spoken: Sequence[Spoken], context: Context) -> list[Spoken]:
    """Return `spoken` (names, each with what the rule says about it), without assignments that give the target's
    setting the same value as an earlier line of the same block. If two lines of a block assign different values to the
    target's setting, their fixes are dropped, because only the last line would take effect."""
    by_switch: dict[str, list[tuple[Name, _Setting]]] = {}
    in_text = sorted(spoken, key=lambda one: one[0].statement.start)  # after edits, `spoken` is not in source order
    for reference, verdict in in_text:
        if verdict.replacement and (setting := _setting(reference, context)):
            by_switch.setdefault(verdict.replacement, []).append((reference, setting))
    left_out: set[int] = set()
    by_hand: set[int] = set()
    for switch, settings in by_switch.items():
        written = list(_written(switch, context)) if context.facts.says(switch) else []
        if len({setting.switch for _, setting in settings}) + bool(written) < 2:
            continue  # no other line assigns this setting
        blocks: dict[tuple[int, int], list[_Setting]] = {}
        for setting in (*written, *(setting for _, setting in settings)):
            blocks.setdefault(setting.block, []).append(setting)
        differ = {block for block, lines in blocks.items() if _differ(lines)}
        context.facts.work.compare(len(written) + len(settings))
        for reference, setting in settings:
            if setting.block in differ:
                by_hand.add(id(reference))
            elif setting.switch != blocks[setting.block][0].switch:
                left_out.add(id(reference))
    kept = [one for one in spoken if id(one[0]) not in left_out]
    return [(name, said._replace(applicability=None) if id(name) in by_hand else said) for name, said in kept]


def _differ(lines: Sequence[_Setting]) -> bool:
    """Return whether the lines assign different values to several settings of CUDA that are one setting of the
    target."""
    return len({line.switch for line in lines}) > 1 and len({line.value for line in lines}) > 1


def _setting(reference: Name, context: Context) -> _Setting | None:
    """Return the assigned global setting, if a reference is the only target of an assignment; otherwise None."""
    node = next(iter(reference.statement.digest.piece.nodes), None)
    if not isinstance(node, ast.Assign) or node.targets != [reference.chain.node]:
        return None
    return _Setting(_block(reference.statement, context), reference.dotted, ast.unparse(node.value))


def _written(switch: str, context: Context) -> Iterator[_Setting]:
    """Yield the lines of the file that already assign a value to `switch`, a setting of the target."""
    for at in context.facts.searches.find(("switch", switch), plain(switch))[:_MANY]:
        statement = context.facts.peek(at)
        node = next(iter(statement.digest.piece.nodes), None) if statement is not None else None
        if statement is not None and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == switch:
            yield _Setting(_block(statement, context), switch, ast.unparse(node.value))


def _block(statement: Statement, context: Context) -> tuple[int, int]:
    indents = context.facts.indents
    above = indents.header_above(statement.start)
    return (above.start if above is not None else -1), indents.header_at(statement.start).indent
