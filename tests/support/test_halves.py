"""Tests that the half-ported programs have the required form; other tests check whether uncuda finds their mistakes."""

import ast
import re
from collections import Counter

import pytest

from support.halves import KINDS, RIGHT, Half, programs, read

PROGRAMS = programs()
HALVES = [p for p in PROGRAMS if p.kind != RIGHT]
RIGHTS = [p for p in PROGRAMS if p.kind == RIGHT]
TARGET = re.compile(r"(?<![a-z])(npu|musa|[hm]ccl)", re.I)


def named(program: Half) -> str:
    return f"{program.kind}-{program.name}"


def test_counts() -> None:
    assert len(HALVES) >= 50
    assert len(RIGHTS) >= 40
    assert min(Counter(p.kind for p in HALVES).values()) >= 5
    assert sum(len(p.after) > 1 for p in HALVES) >= 12


def test_every_kind_has_halves_and_both_targets() -> None:
    assert {p.kind for p in HALVES} == KINDS
    on_both = {kind for kind in KINDS if {p.target for p in HALVES if p.kind == kind} == {"npu", "musa"}}
    # For MUSA, no function is known whose positional arguments differ from CUDA's.
    assert on_both == KINDS - {"position-differs"}
    assert {p.target for p in RIGHTS} == {"npu", "musa"}


def test_names_are_unique() -> None:
    twice = [name for name, count in Counter(map(named, PROGRAMS)).items() if count > 1]
    assert not twice


def imported(text: str) -> set[str]:
    """The packages that a text imports."""
    nodes = list(ast.walk(ast.parse(text)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules = plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("program", PROGRAMS, ids=named)
def test_every_text_parses(program: Half) -> None:
    assert program.after
    for path, text in [*program.before.items(), *program.after.items()]:
        ast.parse(text, path)


@pytest.mark.parametrize("half", HALVES, ids=named)
def test_a_half_says_where(half: Half) -> None:
    assert half.before != half.after
    assert half.before.keys() == half.after.keys()
    assert half.what
    assert half.also < KINDS
    assert half.kind not in half.also
    assert half.places
    for path, line in half.places:
        assert half.after[path].splitlines()[line - 1].strip()


@pytest.mark.parametrize("half", HALVES, ids=named)
def test_the_original_is_cuda_alone(half: Half) -> None:
    assert not [path for path, text in half.before.items() if TARGET.search(text)]


@pytest.mark.parametrize("program", PROGRAMS, ids=named)
def test_the_plugin_is_imported_unless_that_is_the_half(program: Half) -> None:
    says = any(TARGET.search(text) for text in program.after.values())
    imports = f"torch_{program.target}" in {name for text in program.after.values() for name in imported(text)}
    assert imports == (says and program.kind != "no-import")


@pytest.mark.parametrize("right", RIGHTS, ids=named)
def test_nothing_is_marked_in_a_right_program(right: Half) -> None:
    assert not right.places
    assert not right.what
    assert not right.kinds


def test_prefixes_make_two_texts() -> None:
    section = "# kit-split\n\n## one\n\n- target: npu\n- half: a\n\n```diff a.py\n  x\n\n- y\n+!z\n```\n"
    (half,) = read(section)
    assert half.before == {"a.py": "x\n\ny\n"}
    assert half.after == {"a.py": "x\n\nz\n"}
    assert half.places == (("a.py", 3),)


@pytest.mark.parametrize("line", ["x = 1", "-!x = 1", "* x"])
def test_a_line_without_prefix_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="no valid prefix"):
        read(f"# right\n\n## one\n\n- target: npu\n\n```diff a.py\n{line}\n```\n")
