"""Tests of the code lens: it is off by default, shows the number of CUDA uses in the file, and a click fixes them."""

from __future__ import annotations

from typing import Any

import pytest

from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start

TEXT = "import torch\ntorch.cuda.synchronize()\nx.cuda()\ntorch.cuda.list_gpu_processes()\n"
ON = {"settings": {"codeLens": True}}


def lenses(client: Client, uri: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return found


def test_off_by_default(each_client: Client) -> None:
    assert lenses(each_client, each_client.open("untitled:Untitled-1", TEXT)) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_on_top(start: Start, profile: str) -> None:
    client = start(profile, options=ON)
    uri = client.open("untitled:Untitled-1", TEXT)
    (lens,) = lenses(client, uri)
    assert lens["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    command = lens["command"]
    assert (command["title"], command["command"]) == (
        "3 CUDA-only constructs: make the safe fixes (2)",
        "uncuda.fixAllInFile",
    )
    assert command["arguments"] == [{"uri": uri}]


def test_a_click_fixes(start: Start) -> None:
    client = start(options=ON)
    uri = client.open("untitled:Untitled-1", TEXT)
    (lens,) = lenses(client, uri)
    client.execute(lens["command"]["command"], *lens["command"]["arguments"])
    assert client.text(uri) == TEXT.replace("torch\n", "torch\nimport torch_npu\n", 1).replace(
        "cuda.sync", "npu.sync"
    ).replace("x.cuda", "x.npu")
    (lens,) = lenses(client, uri)
    assert lens["command"]["title"] == "1 CUDA-only construct"


def test_what_is_there(start: Start) -> None:
    client = start(options=ON)
    uri = client.open("untitled:Untitled-1", "import torch\ntorch.cuda.list_gpu_processes()\n")
    (lens,) = lenses(client, uri)
    assert (lens["command"]["title"], lens["command"]["command"]) == ("1 CUDA-only construct", "uncuda.showRule")
    client.type(uri, "import torch\n")
    assert lenses(client, uri) == []


def test_an_unknown_document(start: Start) -> None:
    client = start(options=ON)
    params = {"textDocument": {"uri": "untitled:none"}}
    assert client.reply(client.begin("textDocument/codeLens", params, deliberate=True)) == []


def test_switched_on_and_off(start: Start) -> None:
    client = start()
    asked: list[Any] = []
    client.answers["workspace/codeLens/refresh"] = asked.append
    uri = client.open("untitled:Untitled-1", TEXT)
    client.configure({"codeLens": True})
    client.wait(lambda: asked, "a refresh of lenses")
    assert len(lenses(client, uri)) == 1
    asked.clear()
    client.configure({"codeLens": False})
    # A refresh that was requested before the setting changed may arrive later, because the folder has been scanned
    # meanwhile.
    client.wait(lambda: asked and not lenses(client, uri), "a refresh after which there are none")


def test_chinese(start: Start) -> None:
    client = start(PROFILES["vscode"].speaking("zh-cn"), options=ON)
    (lens,) = lenses(client, client.open("untitled:Untitled-1", TEXT))
    assert lens["command"]["title"] == "3 处仅限 CUDA 的代码：修复其中 2 处安全的"
