"""Tests of the status that the editor's status bar shows."""

from __future__ import annotations

from typing import Any

import pytest

from cli.command import ASSUMED
from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.starting import Start

TEXT = "import torch\ntorch.cuda.synchronize()\nx.cuda()\ntorch.cuda.list_gpu_processes()\n"


def status(client: Client, uri: str) -> Any:
    return client.request("uncuda/status", {"textDocument": {"uri": uri}})


def test_what_it_says(start: Start) -> None:
    client = start(files={"a.py": TEXT, "build/b.py": TEXT})
    uri = client.open(client.folders[0] / "a.py")
    said = status(client, uri)
    assert said.pop("workspace")["state"] == "off"
    assert said == {
        "target": "npu",
        "title": "Ascend NPU",
        "assumed": True,
        "among": [],
        "plugin": ASSUMED["npu"].strip(),
        "strategy": "rewrite",
        "findings": 3,
        "accepted": 0,
        "fixable": 2,
    }
    assert status(client, client.open(client.folders[0] / "build" / "b.py")) is None


def test_it_follows_settings_and_commands(start: Start) -> None:
    client = start(files={"uncuda.toml": 'target = "musa"\nstrategy = "shim"\n', "a.py": TEXT})
    uri = client.open(client.folders[0] / "a.py")
    said = status(client, uri)
    assert (said["target"], said["assumed"], said["strategy"]) == ("musa", False, "shim")
    client.execute("uncuda.switchTarget", {"target": "npu"})
    assert status(client, uri)["target"] == "npu"


def test_it_says_which_version_of_the_plugin_and_why(start: Start) -> None:
    client = start(files={"a.py": TEXT, "requirements.txt": "torch_musa==2.7.1\n", "b/a.py": TEXT, "b/uv.lock": ""})
    said = status(client, client.open(client.folders[0] / "a.py"))
    path = client.folders[0] / "requirements.txt"
    assert (said["target"], said["assumed"]) == ("musa", False)
    assert said["plugin"] == f"torch_musa 2.7.1 (required by {path})"
    assert f"musa, {said['plugin']}, " in client.execute("uncuda.debugInformation")


def test_a_document_that_is_not_open(start: Start) -> None:
    assert status(start(), "file:///nowhere.py") is None


def test_of_no_document(start: Start) -> None:
    """If no Python file is active, the status is that of the first folder."""
    client = start(files={"uncuda.toml": 'target = "musa"\n', "a.py": TEXT})
    said = client.request("uncuda/status", {})
    assert (said["target"], said["assumed"], said["strategy"], said["among"]) == ("musa", False, "rewrite", [])
    assert "findings" not in said and said["workspace"]["state"] == "off"
    assert start(folders=[]).request("uncuda/status", {}) is None


def test_parameters_of_no_use(start: Start) -> None:
    client = start()
    with pytest.raises(ResponseError):
        client.reply(client.begin("uncuda/status", {"textDocument": 1}, deliberate=True))
