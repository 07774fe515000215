"""Tests of messages about documents that are not open, and of changes that have no effect."""

from __future__ import annotations

import pytest

from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from uncuda.lsp.state.documents import Document, Documents


def test_a_change_that_is_none_leaves_the_text() -> None:
    document = Document("untitled:1", "python", 1, "abc", "utf-16")
    good = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "x"}
    for bad in ({}, {"text": "y", "range": {}}, {"text": 1, "range": good["range"]}):
        with pytest.raises((KeyError, TypeError)):
            document.apply([good, bad])
    assert document.text == "abc"


def test_the_wrong_way_round() -> None:
    document = Document("untitled:1", "python", 1, "abcd", "utf-16")
    document.apply([{"range": {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 1}}, "text": ""}])
    assert document.text == "ad"


def test_documents_that_are_not_open() -> None:
    documents = Documents("utf-8")
    assert documents.change({"uri": "file:///a.py", "version": 2}, [{"text": "x"}]) is None
    assert documents.close("file:///a.py") is None
    opened = documents.open({"uri": "file:///a.py", "languageId": "python", "version": 1, "text": "x"})
    assert documents.by_path("/a.py") is opened
    assert documents.close("file:///a.py") is opened
    assert documents.get("file:///a.py") is None


@pytest.mark.parametrize("profile", PROFILES)
def test_a_late_change_of_a_closed_document(start: Start, profile: str) -> None:
    client = start(profile)
    uri = client.open("untitled:1", "import torch\nx.cuda()\n")
    assert client.diagnostics(uri)
    client.close(uri)
    late = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "x"}]}
    client.notify("textDocument/didChange", late)
    client.settle()
    uri = client.open("untitled:1", "import torch\ntorch.cuda.synchronize()\n")
    assert [item["code"] for item in client.diagnostics(uri)] == ["cuda-api"]


def test_unknown_documents_are_passed_over(start: Start) -> None:
    client = start()
    nowhere = {"uri": "file:///nowhere/a.py"}
    client.notify("textDocument/didChange", {"textDocument": {**nowhere, "version": 1}, "contentChanges": []})
    client.notify("textDocument/didSave", {"textDocument": nowhere})
    client.notify("textDocument/didClose", {"textDocument": nowhere})
    client.settle()
    assert not client.traffic.received("window/showMessage")
