"""Tests of notebooks: code in JSON strings is checked and fixed without changing any other byte or offset."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp.harness.expected import engine
from support.notebook import notebook, sources
from uncuda.edits import SAFE, Change, Edit, apply_edits
from uncuda.source import Source, Span
from uncuda.workspace.notebooks import NotebookError, file_changes, file_text, source_of, written

LINES = [
    *("import torch", "import torch.distributed as dist", "s = '中\\n😀\t\"'; torch.cuda.synchronize()"),
    *("x.cuda()", "!nvidia-smi -q", "%time f()", "def f(x):", "    return x.to('cuda')  # é", "", "\\", "'''"),
    *("dist.init_process_group('nccl')", "y = (", ")", "torch.cuda.synchronize()  # uncuda: ignore", "\ud800"),
    "x = 1  # uncuda: ignore",
]
CELLS = st.lists(
    st.tuples(st.lists(st.sampled_from(LINES), max_size=4), st.sampled_from(["\n", "\r\n"]), st.booleans()), max_size=4
)
STYLES = st.tuples(st.booleans(), st.booleans(), st.sampled_from(["\n ", "\r\n\t", "", " "]), st.booleans())


def pieces(cells: Any, style: Any) -> list[str]:
    """Return a notebook as alternating pieces: JSON text, source, JSON text, source, and so on."""
    as_ascii, as_text, blank, mark = style
    made = ["\ufeff" if mark else ""]
    made[0] += f'{{"metadata": {{"é": 1e400}},{blank}"nbformat": 4,"cells":[{blank}'
    for number, (lines, end, ends) in enumerate(cells):
        text = end.join(lines) + (end if ends and lines else "")
        listed = text.splitlines(keepends=True) if "\u2028" not in text else [text]
        escaped = [json.dumps(part, ensure_ascii=as_ascii or "\ud800" in part) for part in listed]
        whole = json.dumps(text, ensure_ascii=as_ascii or "\ud800" in text)
        made[-1] += f'{{"id": "{number}", "outputs":[NaN, "\\u00e9\\/"],{blank}"source":'
        made += [whole if as_text else f"[{blank}{f',{blank}'.join(escaped)}{blank}]"]
        made += [f',{blank}"cell_type": "code"}}' + ("," if number < len(cells) - 1 else "")]
    made[-1] += f"{blank}]}}"
    return made


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(CELLS, STYLES)
def test_fixes_change_no_other_byte(cells: Any, style: Any) -> None:
    parts = pieces(cells, style)
    data = "".join(parts).encode()
    source = source_of(data, "n.ipynb")
    fixed = engine().fix(source, review=True)
    fixed, result = written(data, source, fixed, engine())
    rest = result.decode()
    for around in parts[::2]:
        at = rest.index(around)
        assert at == 0 if around is parts[0] else rest[:at].strip()[-1:] in '"]'
        rest = rest[at + len(around) :]
    assert rest == ""
    after = source_of(result, "n.ipynb")
    assert after.text == fixed.text
    if not fixed.refused:
        assert [finding.rule for finding in engine().fix(after, review=True).report.findings] == [
            finding.rule for finding in fixed.report.findings
        ]
    if not fixed.applied:
        assert result == data


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(CELLS, STYLES)
def test_every_place_is_found_in_the_file(cells: Any, style: Any) -> None:
    data = "".join(pieces(cells, style)).encode()
    source = source_of(data, "n.ipynb")
    text = file_text(data, source)
    assert source.cells is not None
    for at, char in enumerate(source.cells.original):
        place = source.location(at)
        assert sources(text.text)[place.cell - 1].count("\n") >= 0
        if char in "\r\n" and any(cell.start == at + 1 for cell in source.cells.every):
            continue  # this offset is between two cells
        span = source.offsets(Span(at, at + 1))
        assert json.loads(f'"{text.text[span.start : span.end]}"') == char
        start, end = source.physical(Span(at, at + 1))
        assert (start.line, end.line) == (text.text.count("\n", 0, span.start) + 1,) * 2
        assert end.column - start.column == span.end - span.start


def edited(text: str, *edits: Edit) -> str:
    source = source_of(text.encode(), "n.ipynb")
    changes = file_changes(text.encode(), source, [Change(edit, ("r",), SAFE) for edit in edits])
    return apply_edits(text, [change.edit for change in changes])


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        (["a\n", "b"], Edit(0, 0, "x\n"), ["x\n", "a\n", "b"]),
        (["a\n", "b"], Edit(2, 2, "x\n"), ["a\n", "x\n", "b"]),
        (["a\n", "b"], Edit(2, 3, ""), ["a\n", ""]),
        (["a\n", "b"], Edit(0, 2, ""), ["b"]),
        (["a\n", "b"], Edit(1, 2, "x"), ["ax", "b"]),
        (["a\n", "b\n", "c"], Edit(1, 4, "x\ny"), ["ax\n", "y", "c"]),
        (["a\n", "b\n", "c"], Edit(0, 4, "x\ny\n"), ["x\n", "y\n", "c"]),
        (["a"], Edit(1, 1, "\nx"), ["a\n", "x"]),
        (["a\n"], Edit(2, 2, "x\n"), ["a\n", "x\n"]),
        (["a\n", ""], Edit(2, 2, "x"), ["a\n", "x"]),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_string_for_each_line(before: list[str], edit: Edit, after: list[str], indent: int | None) -> None:
    def made(lines: list[str]) -> str:
        return notebook({"cell_type": "code", "source": lines}, indent=indent)

    assert edited(made(before), edit) == made(after)


def test_a_line_below_the_last_one_of_a_cell_is_its() -> None:
    text = notebook("import torch\n", "x")
    assert edited(text, Edit(14, 14, "import torch_npu\n")) == notebook("import torch\nimport torch_npu\n", "x")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (Edit(0, 8, "x"), "goes beyond the end of a cell"),
        (Edit(6, 8, "x"), "a line that only IPython reads"),
    ],
)
def test_what_cannot_be_written_is_refused(edit: Edit, words: str) -> None:
    with pytest.raises(NotebookError, match=words):
        edited(notebook("a = 1", "!ls"), edit)


def test_a_refused_notebook_keeps_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    data = notebook("import torch\ntorch.cuda.synchronize()").encode()
    source = source_of(data, "n.ipynb")
    fixed = engine().fix(source)
    monkeypatch.setattr("uncuda.workspace.notebooks._wanted", lambda *_: ["another"])
    after, result = written(data, source, fixed, engine())
    assert (result, after.text, after.applied) == (data, source.text, {})
    assert after.refused == "its fixes cannot be written into its cells"
    assert after.report == fixed.first


def test_a_key_that_stands_twice_counts_as_in_jupyter() -> None:
    cells = [json.dumps(json.loads(notebook(text))["cells"]) for text in ("a", "b")]
    text = f'{{"cells": {cells[0]}, "cells": {cells[1]}}}'
    assert source_of(text.encode(), "n.ipynb").text == "b"
    cell = '{"source": "x", "cell_type": "code", "source": ["y"]}'
    assert source_of(f'{{"cells": [{cell}]}}'.encode(), "n.ipynb").text == "y"


def test_a_program_is_never_written_as_the_file() -> None:
    source = source_of(notebook("a").encode(), "n.ipynb")
    with pytest.raises(AssertionError):
        source.encode()
    assert Source("a").encode() == b"a"


def test_time_follows_the_size() -> None:
    """The time grows linearly for a notebook that is one line of JSON and has edits and offsets in every string."""
    times = []
    for size in (2_000, 16_000):
        text = notebook("".join(f"a{number} = '\t'\n" for number in range(size)), indent=None)
        start = time.process_time()
        source = source_of(text.encode(), "n.ipynb")
        numbers = random.Random(1).sample(range(len(source.text) // 20), size // 20)
        edits = [Edit(at * 20, at * 20, "") for at in sorted(numbers)]
        edited(text, *edits)
        for edit in edits:
            source.physical(Span(edit.start, edit.start + 1))
            source.location(edit.start)
        times.append(time.process_time() - start)
    assert times[1] < 30 * times[0] + 0.2
