"""Opens notebooks as an editor does."""

from collections.abc import Iterable
from pathlib import Path

from lsp.harness.client import Client
from lsp.harness.editbuffer import Buffer

MARKUP, CODE = 1, 2


def open_notebook(client: Client, path: Path, cells: dict[str, str], markup: Iterable[str] = ()) -> list[str]:
    """Open a notebook whose cells are Python, except those named in `markup`; returns the URIs of all cells."""
    uris = [f"vscode-notebook-cell:{path.as_posix()}#{name}" for name in cells]
    languages = ["markdown" if name in markup else "python" for name in cells]
    texts = [
        {"uri": uri, "languageId": language, "version": 1, "text": text}
        for uri, language, text in zip(uris, languages, cells.values(), strict=True)
    ]
    kinds = [MARKUP if name in markup else CODE for name in cells]
    listed = [{"kind": kind, "document": uri} for kind, uri in zip(kinds, uris, strict=True)]
    with client.changed:
        for uri, language, text in zip(uris, languages, cells.values(), strict=True):
            client.buffers.open[uri] = Buffer(uri, language, 1, text)
        notebook = {"uri": path.as_uri(), "notebookType": "jupyter-notebook", "version": 1, "cells": listed}
        client.notify("notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": texts})
    return uris
