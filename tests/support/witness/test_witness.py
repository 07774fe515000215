"""Tests that the witness finds half-ported places, reports nothing else, and imports nothing from the engine."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from support.halves import RIGHT, programs
from support.halves import Half as Program
from support.witness import witness
from support.witness.exceptions import EXCEPTIONS, MOST
from support.witness.machine import Half, halves, ports, right
from support.witness.words import TARGETS

HERE = Path(__file__).parent
SEEDED = 50  # number of half-ported programs drawn for each target


def seeded(target: str) -> list[Half]:
    """Return SEEDED generated half-ported programs for a target, drawn with a fixed seed."""
    return random.Random(f"halves {target}").sample(list(halves(target)), SEEDED)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ports())
def test_right_ports_are_silent(name: str, target: str) -> None:
    before, after = right(name, target)
    assert before != after
    for text in (*before.values(), *after.values()):
        ast.parse(text)
    assert witness(before, after, target) == []
    assert witness(before, before, target) == []


@pytest.mark.parametrize("target", TARGETS)
def test_seeded_halves_are_found(target: str) -> None:
    drawn = seeded(target)
    missed = [f"{half.name} {half.kind}" for half in drawn if not witness(half.before, half.after, target)]
    assert len(missed) <= len(drawn) // 50, missed


@pytest.mark.parametrize("target", TARGETS)
def test_all_halves_are_found_and_their_kind_is_said(target: str) -> None:
    made = list(halves(target))
    found = {half.name: {item.kind for item in witness(half.before, half.after, target)} for half in made}
    missed = [f"{half.name} {half.kind}" for half in made if not found[half.name]]
    other = [f"{half.name} {half.kind}: {found[half.name]}" for half in made if half.kind not in found[half.name]]
    assert len(missed) <= len(made) // 50, missed
    assert len(other) <= len(made) // 10, other


def blind() -> list[Program]:
    """Return the half-ported programs whose authors did not know the witness."""
    return [program for program in programs() if program.kind != RIGHT]


@pytest.mark.parametrize("target", TARGETS)
def test_nearly_all_seeded_halves_are_found_where_they_are(target: str) -> None:
    drawn = seeded(target)
    missed = [half.name for half in drawn if not witness(half.before, half.after, target)]
    for half in blind():
        places = {(item.path, item.line) for item in witness(half.before, half.after, half.target)}
        if not places & set(half.places):
            missed.append(half.name)
    assert len(missed) <= (len(drawn) + len(blind())) // 50, missed


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_what_is_whole_is_silent(program: Program) -> None:
    assert witness(program.before, program.before, program.target) == []
    if program.kind == RIGHT:
        assert witness(program.before, program.after, program.target) == []


@pytest.mark.parametrize("target", TARGETS)
def test_a_library_that_the_vendor_builds_is_not_for_cuda_only(target: str) -> None:
    text = "import torch\nimport torch_{0}\nif torch.{0}.is_available():\n    import transformer_engine_torch as tex\n"
    text += "    tex.thd_get_partitioned_indices(1)\n"
    found = witness({"a.py": text.format("cuda")}, {"a.py": text.format(target)}, target)
    assert [item.kind for item in found] == ([] if target == "musa" else ["question"])


def test_exceptions_are_few_and_say_why() -> None:
    assert len(EXCEPTIONS) <= MOST
    assert all(path and quoted and why for path, quoted, why in EXCEPTIONS)


def test_it_shares_nothing_with_the_engine() -> None:
    for path in HERE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "uncuda"], path
            if isinstance(node, ast.Constant) and path.name != Path(__file__).name:
                assert "rules/" not in str(node.value), path
