"""Tests of the receiver analysis while the user types: soon after an edit, findings disappear or their fixes become
"review"."""

import pytest

from lsp.harness.client import Client
from lsp.harness.starting import Start

OWN = "class Batch:\n    def cuda(self):\n        return self\n"
MODULE = "import torch\n\n\nclass Net(torch.nn.Module):\n    pass\n"
MAIN = "import torch\nfrom batch import Batch\nfrom net import Net\n\nbatch = Batch()\nbatch.cuda()\nNet().cuda()\n"
FILES: dict[str, str | bytes] = {"batch.py": OWN, "net.py": MODULE, "main.py": MAIN}


def lines(client: Client, uri: str) -> list[int]:
    found = client.diagnostics(uri)
    return [d["range"]["start"]["line"] for d in found if d.get("code") == "cuda-method"]


@pytest.mark.parametrize("profile", ["vscode", "jetbrains", "neovim-0.7", "eglot"])
def test_a_class_of_the_project_has_a_method_of_its_own(start: Start, profile: str) -> None:
    client = start(profile, files=FILES)
    uri = client.open(client.folders[0] / "main.py")
    client.wait(lambda: lines(client, uri) == [6], "the finding to go away")


def test_what_is_typed_later_is_asked_for_too(start: Start) -> None:
    client = start(files=FILES)
    uri = client.open(client.folders[0] / "main.py")
    client.wait(lambda: lines(client, uri) == [6], "the finding to go away")
    client.replace(uri, "batch = Batch()", "# more\nbatch = Batch()")
    client.wait(lambda: lines(client, uri) == [7], "the finding to stay away")
    client.replace(uri, "Net().cuda()", "Net().cuda()\nother = Batch()\nother.cuda()")
    client.wait(lambda: lines(client, uri) == [7], "the new finding to go away")


def test_another_file_changes(start: Start) -> None:
    client = start(files=FILES)
    uri = client.open(client.folders[0] / "main.py")
    client.wait(lambda: lines(client, uri) == [6], "the finding to go away")
    path = client.folders[0] / "batch.py"
    path.write_text(MODULE.replace("Net", "Batch"), encoding="utf-8")
    client.watched(path, 2)
    client.wait(lambda: lines(client, uri) == [5, 6], "the finding to come back")


def test_fixing_all_leaves_alone_what_is_silent(start: Start) -> None:
    client = start(files=FILES)
    uri = client.open(client.folders[0] / "main.py")
    client.wait(lambda: lines(client, uri) == [6], "the finding to go away")
    result = client.execute("uncuda.fixAllInWorkspace", {"applicability": "review", "scope": uri})
    assert {"uri": uri, "reason": "receiver"} in result["skipped"]
    text = client.text(uri)
    assert "batch.cuda()" in text
    assert "Net().npu()" in text
