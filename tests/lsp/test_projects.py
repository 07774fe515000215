"""Tests of facts collected from several files of a folder: computed in the background, and updated while the files are
edited."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp.harness.client import Client
from lsp.harness.notebook import open_notebook
from lsp.harness.starting import Start
from support.notebook import notebook
from uncuda.catalogue import load
from uncuda.lsp.features import actions
from uncuda.lsp.server import UncudaServer
from uncuda.lsp.state.scan import Reader

METHOD = "import torch\nx.cuda()\n"
OWN_CLASS = "class Model:\n    def cuda(self):\n        return self\n"
SHIM = "import torch\nfrom torch_npu.contrib import transfer_to_npu\n"
API = "import torch\ntorch.cuda.synchronize()\n"


def fixes(client: Client, uri: str) -> list[str]:
    """The titles of the preferred fixes: those that are safe."""
    actions = client.actions(uri, only=["quickfix"])
    return [action["title"] for action in actions if action.get("isPreferred")]


def codes(client: Client, uri: str) -> list[str]:
    return [item["code"] for item in client.diagnostics(uri)]


def shown(client: Client, uri: str) -> list[str]:
    """Return the diagnostics that the server pushed to the client last."""
    return [item["code"] for item in client.pushed[uri]["diagnostics"]]


def test_a_class_in_another_file_of_the_disk(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": METHOD, "deep/er/b.py": OWN_CLASS})
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: fixes(client, uri) == [], "no safe fix")


def test_a_class_that_is_typed_in_another_document(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": METHOD, "b.py": "class Model:\n    pass\n"})
    asked: list[Any] = []
    client.answers["workspace/diagnostic/refresh"] = asked.append
    one, other = client.open(tmp_path / "a.py"), client.open(tmp_path / "b.py")
    client.wait(lambda: fixes(client, one), "a safe fix")
    client.settle()
    asked.clear()
    client.type(other, OWN_CLASS)
    client.wait(lambda: asked, "a refresh")
    assert fixes(client, one) == []
    client.type(other, "class Model:\n    pass\n")
    client.wait(lambda: fixes(client, one), "a safe fix again")


@pytest.mark.parametrize("profile", ["kate", "eglot", "neovim-0.7"])
def test_a_shim_that_is_typed_in_another_document_is_pushed(start: Start, tmp_path: Path, profile: str) -> None:
    client = start(profile, files={"a.py": API, "train.py": "import torch\n"})
    one, other = client.open(tmp_path / "a.py"), client.open(tmp_path / "train.py")
    assert codes(client, one) == ["cuda-api"]
    client.type(other, SHIM)
    client.wait(lambda: shown(client, one) == [], "no finding: the shim covers it")
    client.close(other)  # unsaved
    client.wait(lambda: shown(client, one) == ["cuda-api"], "the finding again")


def test_a_notebook_decides_the_target(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": API, "n.ipynb": notebook("import torch", "import torch_musa")})
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: "torch.musa" in str(client.diagnostics(uri)), "the target")
    (tmp_path / "n.ipynb").write_text(notebook("import torch_npu"))
    client.watched(tmp_path / "n.ipynb", 2)
    client.wait(lambda: "torch.npu" in str(client.diagnostics(uri)), "the other one")
    open_notebook(client, tmp_path / "n.ipynb", {"one": "import torch_musa"})
    client.wait(lambda: "torch.musa" in str(client.diagnostics(uri)), "what is open")


def test_where_a_notebook_imports_the_shim(tmp_path: Path) -> None:
    path, text = tmp_path / "n.ipynb", notebook("import os", "s = '\t'; " + SHIM.splitlines()[1])
    path.write_text(text)
    place = Reader(load()).file(str(path)).modules["torch_npu.contrib.transfer_to_npu"]
    row = text.splitlines()[place.line]
    assert row[slice(*place.columns)].startswith("from torch_npu.contrib import")
    assert place.row == row


def test_a_plugin_decides_the_target(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": API, "train.py": "import torch_musa\n"})
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "the target of the project")


def test_a_constant_decides_where_nothing_else_does(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": API, "config.py": 'BACKEND = "mccl"\nimport torch  # cuda\n'})
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "the target of the project")


def test_what_is_cudas_own_beside_the_targets(start: Start, tmp_path: Path) -> None:
    client = start(files={"cuda_ops.py": API, "npu_ops.py": "import torch\n"})
    uri = client.open(tmp_path / "cuda_ops.py")
    client.wait(lambda: codes(client, uri) == [], "no finding: it is CUDA's own")
    (tmp_path / "npu_ops.py").unlink()
    client.watched(tmp_path / "npu_ops.py", 3)
    client.wait(lambda: codes(client, uri) == ["cuda-api"], "the finding")


def test_what_is_cudas_own_outside_of_the_workspace(start: Start, tmp_path: Path) -> None:
    client = start(files={"work/a.py": API, "cuda_ops.py": API, "npu_ops.py": ""}, folders=[tmp_path / "work"])
    uri = client.open(tmp_path / "cuda_ops.py")
    client.wait(lambda: codes(client, uri) == [], "no finding: it is CUDA's own")


def test_files_that_change_on_the_disk(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": API})
    uri = client.open(tmp_path / "a.py")
    assert codes(client, uri) == ["cuda-api"]
    train = tmp_path / "train.py"
    train.write_text(SHIM)
    client.watched(train, 1)
    client.wait(lambda: codes(client, uri) == [], "no finding: the shim covers it")
    train.unlink()
    client.watched(train, 3)
    client.wait(lambda: codes(client, uri) == ["cuda-api"], "the finding again")


def test_many_files_that_change_at_once(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": API})
    uri = client.open(tmp_path / "a.py")
    changes = []
    for number in range(100):
        path = tmp_path / f"m{number}.py"
        path.write_text(SHIM if number == 99 else "import torch\n")
        changes.append({"uri": path.as_uri(), "type": 1})
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    client.wait(lambda: codes(client, uri) == [], "no finding: the shim covers it")


def test_calls_of_tests_are_followed(start: Start, tmp_path: Path) -> None:
    """Also through a file without CUDA, after this file was edited, and from a name that a test imports later."""
    mark = "@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\ndef test():\n    run(1)\n"
    head, empty = "import pytest\nimport torch\nimport torch_npu\n", "def run(x):\n    return x\n"
    between = "from .ops import fast\n\n\ndef run(x):\n    return fast(x)\n"
    ops = "import torch\n\n\ndef fast(x):\n    torch.cuda.nvtx.mark('')\n"
    files: dict[str, str | bytes] = {"pkg/ops.py": ops, "pkg/a.py": between, "pkg/b.py": empty, "pkg/c.py": between}
    client = start(files=files | {"tests/test_a.py": f"{head}from pkg.a import run\n\n\n{mark}"})
    test, code = client.open(tmp_path / "tests/test_a.py"), client.open(tmp_path / "pkg/a.py")
    client.wait(lambda: fixes(client, test) == [], "no safe fix")
    client.type(code, empty)
    client.wait(lambda: fixes(client, test), "a safe fix, because the calls end in the open document")
    client.type(code, between)
    client.wait(lambda: fixes(client, test) == [], "no safe fix")
    client.type(test, f"{head}from pkg.b import run\n\n\n{mark}")
    client.wait(lambda: fixes(client, test), "a safe fix")
    client.type(test, f"{head}from pkg.c import run\n\n\n{mark}")
    client.wait(lambda: fixes(client, test) == [], "no safe fix")


def test_excluded_files_say_nothing(start: Start, tmp_path: Path) -> None:
    client = start(
        files={"uncuda.toml": 'exclude = ["old"]\n', "old/train.py": SHIM, "build/train.py": SHIM, "a.py": API}
    )
    uri = client.open(tmp_path / "a.py")
    (tmp_path / "old/other.py").write_text(SHIM)
    client.watched(tmp_path / "old/other.py", 1)
    (tmp_path / "b.py").write_text(OWN_CLASS)  # the scan reads this file after old/other.py
    client.watched(tmp_path / "b.py", 1)
    text = client.open("untitled:1", METHOD)
    assert codes(client, text) == ["cuda-method"]
    client.type(uri, API + "x.cuda()\n")
    client.wait(lambda: fixes(client, uri) == ["Replace with `torch.npu.synchronize`"], "the class of b.py")
    assert codes(client, uri) == ["cuda-api", "cuda-method"]


def test_a_file_outside_of_the_workspace_stands_alone(start: Start, tmp_path: Path) -> None:
    client = start(files={"work/train.py": SHIM, "other/a.py": API, "work/b.py": API}, folders=[tmp_path / "work"])
    inside, outside = client.open(tmp_path / "work/b.py"), client.open(tmp_path / "other/a.py")
    client.wait(lambda: codes(client, inside) == [], "no finding: the shim covers it")
    assert codes(client, outside) == ["cuda-api"]
    client.type(outside, "import torch_musa\n" + API)
    client.wait(lambda: "torch.musa" in client.diagnostics(outside)[0]["message"], "its own plugin")


def test_an_untitled_document_stands_alone(start: Start) -> None:
    client = start(files={"train.py": SHIM})
    uri = client.open("untitled:1", API)
    assert codes(client, uri) == ["cuda-api"]
    client.type(uri, "import torch_musa\n" + API)
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "its own plugin")


def test_a_project_that_is_read_does_not_hold_up_an_answer(start: Start, tmp_path: Path) -> None:
    big = "import torch\n" + "x = torch.cuda.device_count()\n" * 3000
    files: dict[str, str | bytes] = {f"p{number}/m.py": big for number in range(150)}
    client = start(files={**files, "a.py": API})
    uri = client.open(tmp_path / "a.py")
    assert codes(client, uri) == ["cuda-api"]
    (tmp_path / "z.py").write_text(SHIM)
    client.watched(tmp_path / "z.py", 1)
    client.wait(lambda: codes(client, uri) == [], "what was said while the folder was being read")


CHOICE = 'if is_npu_available():\n    device = "npu"\nelif torch.cuda.is_available():\n    device = "cuda"\n'


def test_code_actions_wait_for_the_files_of_the_project(start: Start, tmp_path: Path) -> None:
    """The project already supports NPUs, which two files show that are read last; so no fix is ever offered as safe."""
    big = "import torch\n" + "x = torch.cuda.device_count()\n" * 3000
    files: dict[str, str | bytes] = {f"p{number}/m.py": big for number in range(150)}
    client = start(files={**files, "a.py": API, "z/one.py": CHOICE, "z/two.py": CHOICE.replace("device", "kind")})
    uri = client.open(tmp_path / "a.py")
    titles = [action["title"] for action in client.actions(uri, only=["quickfix"])]
    assert any("review" in title for title in titles), titles
    assert not fixes(client, uri)
    assert not client.actions(uri, only=["source.fixAll.uncuda"])


class TestUnread:
    """Code actions in a project whose files are still being read."""

    @pytest.fixture
    def ability(self) -> dict[str, Any]:
        """What the client can do with code actions."""
        return {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}, "isPreferredSupport": True}

    @pytest.fixture
    def server(self, tmp_path: Path, ability: dict[str, Any]) -> Iterator[UncudaServer]:
        server = UncudaServer()
        capabilities = {"textDocument": {"codeAction": ability}}
        server.begin({"rootUri": tmp_path.as_uri(), "capabilities": capabilities})
        server.documents.open({"uri": (tmp_path / "a.py").as_uri(), "languageId": "python", "text": API + METHOD})
        server.documents.open({"uri": "untitled:1", "languageId": "python", "text": API})
        yield server
        server.loop.close()

    def asked(self, server: UncudaServer, uri: str) -> Any:
        span = {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}
        return server.protocol.raw["textDocument/codeAction"](
            {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": []}}
        )

    def read(self, server: UncudaServer) -> None:
        (folder,) = server.folders.all
        folder.scanned = True
        server.scanned(folder)

    def test_the_answer_comes_when_they_are_read(self, server: UncudaServer, tmp_path: Path) -> None:
        async def ask() -> Any:
            answer = self.asked(server, (tmp_path / "a.py").as_uri())
            await asyncio.sleep(0)
            assert not answer.done()
            self.read(server)
            return await answer

        kinds = {action.kind for action in server.loop.run_until_complete(ask())}
        assert "source.fixAll.uncuda" in kinds

    def test_after_a_while_every_fix_needs_review(
        self, server: UncudaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def ask() -> Any:
            return await self.asked(server, (tmp_path / "a.py").as_uri())

        monkeypatch.setattr(actions, "_PATIENCE", 0)
        unread = server.loop.run_until_complete(ask())
        self.read(server)
        read = self.asked(server, (tmp_path / "a.py").as_uri())
        preferred = {action.title for action in read if action.is_preferred}
        assert preferred == {"Replace with `torch.npu.synchronize`", "Replace with `.npu`"}
        assert not any(action.is_preferred for action in unread)
        titles = {action.title for action in unread}
        assert preferred.isdisjoint(titles)
        assert {action.kind for action in read} - {action.kind for action in unread} == {"source.fixAll.uncuda"}

    @pytest.mark.parametrize("together", [False, True], ids=["later", "together with the request"])
    def test_the_answer_comes_when_the_folder_is_removed(
        self, server: UncudaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
    ) -> None:
        removed = {"uri": tmp_path.as_uri(), "name": "removed"}

        async def ask() -> Any:
            answer = self.asked(server, (tmp_path / "a.py").as_uri())
            if not together:
                await asyncio.sleep(0)
            assert not answer.done()
            method = "workspace/didChangeWorkspaceFolders"
            server.protocol.raw[method]({"event": {"added": [], "removed": [removed]}})
            return await asyncio.wait_for(answer, 5)

        monkeypatch.setattr(actions, "_PATIENCE", 600)
        assert server.loop.run_until_complete(ask())
        assert not server.folders.all

    @pytest.mark.parametrize("ability", [{}], ids=["without literals"])
    def test_a_client_without_literals_is_offered_all_fixes_only_when_they_are_read(
        self, server: UncudaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def ask() -> Any:
            return await self.asked(server, (tmp_path / "a.py").as_uri())

        monkeypatch.setattr(actions, "_PATIENCE", 0)
        assert server.loop.run_until_complete(ask()) == []
        self.read(server)
        (command,) = self.asked(server, (tmp_path / "a.py").as_uri())
        assert command.command == "uncuda.fixAllInFile"

    def test_a_document_without_a_folder_does_not_wait(self, server: UncudaServer) -> None:
        assert self.asked(server, "untitled:1")
