"""Tests of notebooks: all cells together are analysed as one text, and every cell has its own diagnostics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp.harness.client import Client
from lsp.harness.editbuffer import Buffer
from lsp.harness.notebook import CODE, MARKUP, open_notebook
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start

# The only recorded client that supports notebooks pulls diagnostics; this profile is the same client with pushed
# diagnostics.
PUSHED = PROFILES["vscode"].having(textDocument__diagnostic=None, workspace__diagnostics=None)


def codes(client: Client, uri: str) -> list[str]:
    return [item["code"] for item in client.diagnostics(uri)]


def edit(client: Client, path: Path, version: int, **cells: Any) -> None:
    """Send `notebookDocument/didChange`."""
    identifier = {"uri": path.as_uri(), "version": version}
    client.notify("notebookDocument/didChange", {"notebookDocument": identifier, "change": {"cells": cells}})


def type_in_cell(client: Client, path: Path, version: int, uri: str, change: dict[str, Any]) -> None:
    with client.changed:
        buffer = client.buffers.open[uri]
        buffer.change([change], client.buffers.encoding)
        buffer.version += 1
        document = {"uri": uri, "version": buffer.version}
        edit(client, path, version, textContent=[{"document": document, "changes": [change]}])


def insert(client: Client, path: Path, version: int, at: int, name: str, text: str) -> str:
    uri = f"vscode-notebook-cell:{path.as_posix()}#{name}"
    with client.changed:
        client.buffers.open[uri] = Buffer(uri, "python", 1, text)
        structure = {
            "array": {"start": at, "deleteCount": 0, "cells": [{"kind": CODE, "document": uri}]},
            "didOpen": [{"uri": uri, "languageId": "python", "version": 1, "text": text}],
        }
        edit(client, path, version, structure=structure)
    return uri


@pytest.fixture(params=["pulled", "pushed"])
def client(start: Start, request: pytest.FixtureRequest) -> Client:
    return start("vscode" if request.param == "pulled" else PUSHED)


def test_cells_are_one_program(client: Client, tmp_path: Path) -> None:
    cells = {
        "one": "import torch.cuda as tc\nfrom torch import nn",
        "two": "# text",
        "three": "!nvidia-smi -q # it's\nx = 1",
        "four": "tc.list_gpu_processes()",
    }
    one, two, three, four = open_notebook(client, tmp_path / "a.ipynb", cells, markup=["two"])
    assert [codes(client, uri) for uri in (one, three)] == [["cuda-api"], ["nvidia-smi"]]
    assert client.diagnostics(three)[0]["range"] == client.range(three, "nvidia-smi")
    if client.pulls:  # no diagnostics are pushed for a Markdown cell
        assert codes(client, two) == []
    (item,) = client.diagnostics(four)
    assert item["code"] == "cuda-api-missing"
    assert item["range"] == client.range(four, "list_gpu_processes")
    (related,) = item["relatedInformation"]
    assert related["location"] == {"uri": one, "range": client.range(one, "torch.cuda as tc")}


def test_a_command_that_a_cell_runs(client: Client, tmp_path: Path) -> None:
    cells = {
        "alone": "!nvidia-smi",
        "kept": "out = !nvidia-smi -L",
        "shell": "%%bash\nls\nnvidia-smi",
        "within": "for i in range(2):\n    !sudo nvidia-smi -i {i}",
        "named": "!pip install nvidia-smi",
        "python": "x = 1",
    }
    *called, named, python = open_notebook(client, tmp_path / "a.ipynb", cells)
    for uri in called:
        (item,) = client.diagnostics(uri)
        assert item["code"] == "nvidia-smi"
        assert item["range"] == client.range(uri, "nvidia-smi")
    assert codes(client, named) == codes(client, python) == []


def test_typing_in_a_cell(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    one, two = open_notebook(client, path, {"one": "import torch", "two": "x.cuda()"})
    assert codes(client, two) == ["cuda-method"]
    start = {"line": 0, "character": 0}
    type_in_cell(client, path, 2, two, {"range": {"start": start, "end": start}, "text": "😀 = 1\n"})
    (item,) = client.diagnostics(two)
    assert item["range"] == client.range(two, "cuda")
    type_in_cell(client, path, 3, one, {"text": "import os"})
    assert codes(client, one) == []


def test_cells_come_and_go(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    one, two = open_notebook(client, path, {"one": "import torch", "two": "x.cuda()"})
    new = insert(client, path, 2, 1, "new", "torch.cuda.synchronize()")
    assert codes(client, new) == ["cuda-api"]
    assert codes(client, two) == ["cuda-method"]
    with client.changed:
        structure = {"array": {"start": 0, "deleteCount": 1}, "didClose": [{"uri": one}]}
        edit(client, path, 3, structure=structure)
        del client.buffers.open[one]
    assert codes(client, new) == []  # no cell imports torch any more
    with client.changed:  # a moved cell is removed and inserted at the top
        cells = [{"kind": CODE, "document": two}, {"kind": CODE, "document": new}]
        edit(client, path, 4, structure={"array": {"start": 0, "deleteCount": 2, "cells": cells}})
    type_in_cell(client, path, 5, two, {"text": "import torch"})
    assert codes(client, new) == ["cuda-api"]


def test_a_cell_becomes_text_and_code_again(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    _, two = open_notebook(client, path, {"one": "import torch", "two": "x.cuda()"})
    for version, kind, expected in ((2, MARKUP, []), (3, CODE, ["cuda-method"])):
        edit(client, path, version, data=[{"kind": kind, "document": two}])
        client.settle()
        client._changed[two] = 0  # the cell's text did not change, but its diagnostics did
        assert codes(client, two) == expected


def test_broken_cells_and_magics_cost_nothing(client: Client, tmp_path: Path) -> None:
    cells = {
        "one": "%load_ext autoreload\nimport torch",
        "two": "def f(:",
        "three": "%%bash\nexport CUDA='",
        "four": "!echo \"it's",
        "five": "x.cuda()",
    }
    uris = open_notebook(client, tmp_path / "a.ipynb", cells)
    assert codes(client, uris[-1]) == ["cuda-method"]


def test_it_is_closed(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    uris = open_notebook(client, path, {"one": "import torch", "two": "x.cuda()"})
    assert codes(client, uris[1]) == ["cuda-method"]
    with client.changed:
        cells = [{"uri": uri} for uri in uris]
        client.notify(
            "notebookDocument/didClose", {"notebookDocument": {"uri": path.as_uri()}, "cellTextDocuments": cells}
        )
        for uri in uris:
            del client.buffers.open[uri]
    client.settle()
    if client.pulls:
        params = {"textDocument": {"uri": uris[1]}}
        assert client.request("textDocument/diagnostic", params) == {"kind": "full", "items": []}
    else:
        assert client.pushed[uris[1]]["diagnostics"] == []


def test_settings_of_its_folder(client: Client, tmp_path: Path) -> None:
    (tmp_path / "uncuda.toml").write_text('target = "musa"\n')
    (uri,) = open_notebook(client, tmp_path / "a.ipynb", {"one": "import torch\ntorch.cuda.synchronize()"})
    assert "torch.musa" in client.diagnostics(uri)[0]["message"]


def test_what_is_said_of_notebooks_that_are_not_open(start: Start, tmp_path: Path) -> None:
    client = start()
    identifier = {"uri": (tmp_path / "a.ipynb").as_uri(), "version": 2}
    for method, more in (("didChange", {"change": {}}), ("didSave", {}), ("didClose", {"cellTextDocuments": []})):
        params = {"notebookDocument": identifier, **more}
        client.send({"jsonrpc": "2.0", "method": f"notebookDocument/{method}", "params": params}, deliberate=True)
    client.settle()
    assert client.traffic.received("window/showMessage") == []


def test_the_plugin_import_stays_in_the_cell_of_torch(start: Start, tmp_path: Path) -> None:
    client = start()
    one, two, three = open_notebook(
        client, tmp_path / "a.ipynb", {"one": "import torch", "two": "%%bash\nls", "three": "torch.cuda.synchronize()"}
    )
    (action,) = [a for a in client.actions(three, only=["quickfix"]) if a.get("isPreferred")]
    client.do(action)
    assert client.text(one) == "import torch\nimport torch_npu"
    assert client.text(two) == "%%bash\nls"
    assert client.text(three) == "torch.npu.synchronize()"
