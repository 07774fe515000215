"""Tests that after random changes to a notebook's cells, every cell has the diagnostics of the text that all cells form
together."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsp.harness.client import Client
from lsp.harness.editbuffer import Buffer
from lsp.harness.expected import Place, engine, places, said
from lsp.harness.notebook import CODE, open_notebook
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from lsp.harness.text import Positions
from lsp.harness.traffic import Json
from uncuda.source import Source

CELLS = st.lists(
    st.sampled_from(
        [
            *(
                "import torch",
                "import torch.cuda as tc",
                "s = '中文😀'; torch.cuda.synchronize()",
                "tc.seed()  # \u2028",
            ),
            *("def f(x):", "    return x.cuda()  # é\f", "torch.distributed.init_process_group('nccl')", ""),
        ]
    ),
    max_size=4,
).flatmap(lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines)))
NUMBERS = st.integers(0, 9)
STEPS = st.one_of(
    st.tuples(st.just("insert"), NUMBERS, CELLS),
    st.tuples(st.just("delete"), NUMBERS, st.none()),
    st.tuples(st.just("move"), NUMBERS, NUMBERS),
    st.tuples(st.just("type"), NUMBERS, st.tuples(st.floats(0, 1), st.sampled_from(["x", "😀", "\n", "\r", "é", "#"]))),
    st.tuples(st.just("cut"), NUMBERS, st.tuples(st.floats(0, 1), st.sampled_from([1, 5, 20]))),
)


class Notebook:
    """An open notebook of code cells; `uris` holds the cells' URIs in order."""

    def __init__(self, client: Client, path: Path, cells: list[str]) -> None:
        self.client, self.path, self._version, self._names = client, path, 1, count(len(cells))
        self.uris = open_notebook(client, path, {str(number): text for number, text in enumerate(cells)})

    def step(self, what: str, at: int, more: Any) -> None:
        """Make one random change to a cell or between two cells."""
        if what == "insert":
            self._insert(at % (len(self.uris) + 1), more)
        elif not self.uris:
            return
        elif what == "delete":
            closed = self.uris[at % len(self.uris)]
            self._splice(at % len(self.uris), 1, [], didClose=[{"uri": closed}])
            del self.client.buffers.open[closed]
        elif what == "move":
            self._move(at % len(self.uris), more % len(self.uris))
        else:
            self._type(self.uris[at % len(self.uris)], *more)

    def close(self) -> None:
        """Close the notebook with all its cells."""
        closed = [{"uri": uri} for uri in self.uris]
        self.client.notify("notebookDocument/didClose", {"notebookDocument": {"uri": self.path.as_uri()},
                                                         "cellTextDocuments": closed})  # fmt: skip
        for uri in self.uris:
            del self.client.buffers.open[uri]

    def _insert(self, at: int, text: str) -> None:
        uri = f"vscode-notebook-cell:{self.path.as_posix()}#{next(self._names)}"
        self.client.buffers.open[uri] = Buffer(uri, "python", 1, text)
        self._splice(at, 0, [uri], didOpen=[{"uri": uri, "languageId": "python", "version": 1, "text": text}])

    def _move(self, source: int, target: int) -> None:
        order = list(self.uris)
        order.insert(target, order.pop(source))
        first, last = sorted((source, target))
        self._splice(first, last + 1 - first, order[first : last + 1])

    def _type(self, uri: str, place: float, what: str | int) -> None:
        buffer = self.client.buffers.open[uri]
        start = int(place * len(buffer.text))
        end = min(len(buffer.text), start + what) if isinstance(what, int) else start
        range_ = Positions(buffer.text, self.client.buffers.encoding).range(start, end)
        change = {"range": range_, "text": "" if isinstance(what, int) else what}
        buffer.change([change], self.client.buffers.encoding)
        buffer.version += 1
        document = {"uri": uri, "version": buffer.version}
        self._change({"textContent": [{"document": document, "changes": [change]}]})

    def _splice(self, start: int, gone: int, uris: list[str], **more: list[Json]) -> None:
        self.uris[start : start + gone] = uris
        cells = [{"kind": CODE, "document": uri} for uri in uris]
        self._change({"structure": {"array": {"start": start, "deleteCount": gone, "cells": cells}, **more}})

    def _change(self, cells: Json) -> None:
        self._version += 1
        identifier = {"uri": self.path.as_uri(), "version": self._version}
        self.client.notify("notebookDocument/didChange", {"notebookDocument": identifier, "change": {"cells": cells}})


def expected(client: Client, uris: list[str]) -> Iterator[tuple[str, Place]]:
    """Yield the engine's findings in the joined text of all cells, each with the cell in which it begins."""
    texts = [client.text(uri) for uri in uris]
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    for found in engine().check(Source("\n".join(texts))).findings:
        index = bisect_right(starts, found.span.start, hi=len(uris)) - 1
        start, end = (min(offset - starts[index], len(texts[index])) for offset in found.span)
        shown = said(found, Positions(texts[index], client.buffers.encoding).range(start, end))
        yield uris[index], places(client, uris[index], [shown])[0]


def test_the_same_text_in_another_cell(start: Start, tmp_path: Path) -> None:
    client = start("vscode")
    notebook = Notebook(client, tmp_path / "a.ipynb", ["import torch.cuda as tc"])
    before = places(client, notebook.uris[0], client.diagnostics(notebook.uris[0]))
    notebook.step("delete", 0, None)
    notebook.step("insert", 0, "import torch.cuda as tc")
    assert places(client, notebook.uris[0], client.diagnostics(notebook.uris[0])) == before != []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_cells_keep_their_diagnostics(start: Start, tmp_path: Path, encoding: str) -> None:
    client, numbers = start(PROFILES["vscode"].counting(encoding)), count()

    @settings(max_examples=50, suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.lists(CELLS, max_size=4), st.lists(STEPS, max_size=10))
    def check(cells: list[str], steps: list[tuple[str, int, Any]]) -> None:
        notebook = Notebook(client, tmp_path / f"{next(numbers)}.ipynb", cells)
        try:
            for step in steps:
                notebook.step(*step)
                asked = {uri: client.diagnostics(uri) for uri in notebook.uris}
                shown = [(uri, place) for uri, items in asked.items() for place in places(client, uri, items)]
                assert sorted(shown) == sorted(expected(client, notebook.uris))
        finally:
            notebook.close()

    check()
