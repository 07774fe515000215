"""A hit (the raw finding of a check) is immutable; after an edit elsewhere in the text, it is replaced by a copy with
new offsets."""

from __future__ import annotations

import ast

import pytest

from uncuda.catalogue import load
from uncuda.checks import At, Hit
from uncuda.checks.hit import moved
from uncuda.edits import Edit, Fix
from uncuda.facts.changes import Region
from uncuda.facts.model import Statement, digest_text
from uncuda.source import Span

FIVE_MORE = Region(20, 30, 20, 35)


def statement(start: int) -> Statement:
    digest = digest_text("x.cuda()")
    assert digest is not None
    return Statement(start, start + 8, digest)


def full() -> Hit:
    """Return a hit (the raw finding of a check) that has a value in every field, in a line below the edited line."""
    return Hit(
        rule=load().rules["cuda-method"],
        start=102,
        end=106,
        words={"old": "cuda"},
        fixes=(Fix("Replace", "review", (Edit(102, 106, "npu"), Edit(7, 7, "import torch_npu\n"))),),
        links=(("alias", "x"), ("call", At(100), 102), ("name", "x", At(-1))),
        limits=("tensor-only",),
        severity="warning",
        statement=statement(100),
        node=ast.Constant(102),
        since="2.7.1",
        keeps=(101, 107),
        receiver=102,
        lacking=("pack_padded_sequence",),
        origin=("tc", "torch.cuda", Span(40, 50)),
        question=(At(100), True),
        by_hand=True,
        sources=(("field", "device"), ("name", "x", At(100))),
        makes=(("name", "x", At(100)),),
    )


MOVED = {
    "start": 107,
    "end": 111,
    "fixes": (Fix("Replace", "review", (Edit(107, 111, "npu"), Edit(7, 7, "import torch_npu\n"))),),
    "links": (("alias", "x"), ("call", At(105), 102), ("name", "x", At(-1))),
    "keeps": (106, 112),
    "receiver": 107,
    "origin": ("tc", "torch.cuda", Span(45, 55)),
    "question": (At(105), True),
    "sources": (("field", "device"), ("name", "x", At(105))),
    "makes": (("name", "x", At(105)),),
}
CARRIED = {"rule", "words", "limits", "severity", "node", "since", "lacking", "by_hand"}


def test_every_field_is_moved_or_carried() -> None:
    before, there = full(), statement(105)
    after = moved(before, there, FIVE_MORE)
    assert set(Hit._fields) == MOVED.keys() | CARRIED | {"statement"}
    assert {name: getattr(after, name) for name in MOVED} == MOVED
    assert after.statement is there
    for name in CARRIED:
        assert getattr(after, name) is getattr(before, name)
    for name, default in Hit._field_defaults.items():
        assert getattr(before, name) != default, "a value that can be lost"


def test_a_hit_stays_what_it_is() -> None:
    hit = full()
    assert hit.statement is not None
    assert moved(hit, hit.statement, Region(20, 30, 20, 30)) is hit
    for name in Hit._fields:
        with pytest.raises(AttributeError):
            setattr(hit, name, getattr(hit, name))
    assert hit.lowered("review") is hit.with_fixes(hit.fixes) is hit
    assert hit.lowered("safe").fixes[0].applicability == "safe"
    assert hit.lowered(None).fixes == ()
    assert hit.fixes[0].applicability == "review"
