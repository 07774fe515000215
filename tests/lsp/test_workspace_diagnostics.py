"""Tests that diagnostics of closed files are sent only if the setting `workspaceDiagnostics` is on, and that each is
sent once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from uncuda.settings.editor import MOST_FILES

TEXT = "import torch\ntorch.cuda.synchronize()\n"
ON = {"settings": {"workspaceDiagnostics": True, "target": "npu"}}


class Puller:
    """Pulls workspace diagnostics again after each reply, as editors do, and keeps the reported diagnostics."""

    def __init__(self, client: Client, token: str | None = None) -> None:
        self.client, self.token = client, token
        self.results: dict[str, str] = {}
        self.items: dict[str, list[Any]] = {}
        self.versions: dict[str, int | None] = {}
        self.sent: list[list[str]] = []
        self._seen = 0
        self._request: Any = None
        self.ask()

    def ask(self) -> None:
        previous = [{"uri": uri, "value": value} for uri, value in self.results.items()]
        params: dict[str, Any] = {"previousResultIds": previous}
        if self.token:
            params["partialResultToken"] = self.token
        self._request = self.client.begin("workspace/diagnostic", params)

    def look(self) -> bool:
        """Process new messages; return whether the request is still unanswered."""
        for message in self.client.traffic[self._seen :]:
            if message.source == "server" and message.method == "$/progress" and message.params["token"] == self.token:
                self._take(message.params["value"]["items"])
        self._seen = len(self.client.traffic)
        if not self.client.answered(self._request):
            return True
        self._take(self.client.reply(self._request)["items"])
        self.ask()
        return False

    def _take(self, reports: list[Any]) -> None:
        if reports:
            self.sent.append(sorted(Path(report["uri"]).name for report in reports))
        for report in reports:
            uri = report["uri"]
            assert report["kind"] == "full"
            assert report.get("resultId") != self.results.get(uri) or report.get("resultId") is None, "sent again"
            self.items[uri] = report["items"]
            self.versions[uri] = report["version"]
            if "resultId" in report:
                self.results[uri] = report["resultId"]
            else:
                self.results.pop(uri, None)

    def counts(self) -> dict[str, int]:
        """Return the number of diagnostics of each file that has any."""
        self.look()
        return {Path(uri).name: len(items) for uri, items in self.items.items() if items}

    def wait(self, expected: dict[str, int]) -> None:
        self.client.wait(lambda: self.counts() == expected, f"{expected}")


@pytest.fixture(params=[None, "token"])
def token(request: pytest.FixtureRequest) -> str | None:
    found: str | None = request.param
    return found


FILES: dict[str, str | bytes] = {"a.py": TEXT, "deep/b.py": TEXT + "x.cuda()\n", "clean.py": "import torch\n"}


def test_every_file_that_has_any(start: Start, token: str | None) -> None:
    puller = Puller(start(files=FILES, options=ON), token)
    puller.wait({"a.py": 1, "b.py": 2})
    puller.client.settle()
    puller.client.wait(puller.look, "a request that waits: there is nothing new")
    assert sorted(name for names in puller.sent for name in names) == ["a.py", "b.py"]
    assert set(puller.versions.values()) == {None}


def test_on_by_default(start: Start, token: str | None) -> None:
    """By default, the findings of a project are shown when the project is first opened."""
    Puller(start(files=FILES), token).wait({"a.py": 1, "b.py": 2})


def test_false_stays(start: Start) -> None:
    client = start(files=FILES, options={"settings": {"workspaceDiagnostics": False}})
    puller = Puller(client)
    uri = client.open(client.folders[0] / "a.py")
    client.wait(lambda: client.diagnostics(uri), "diagnostics of the open document")
    assert puller.look()
    assert puller.sent == []


def workspace(client: Client) -> Any:
    """Return the part of the status about the workspace, which is the same for any open document."""
    uri = client.open("untitled:any", "import torch\n") if "untitled:any" not in client.buffers.open else "untitled:any"
    return client.request("uncuda/status", {"textDocument": {"uri": uri}})["workspace"]


def wait_for(client: Client, state: str) -> None:
    client.wait(lambda: workspace(client)["state"] == state, state)


def test_how_far_it_is(start: Start, tmp_path: Path) -> None:
    client = start(files=FILES)
    asked_for_nothing = {"state": "off", "files": 0, "findings": 0, "accepted": 0}
    assert workspace(client) == asked_for_nothing
    puller = Puller(client)
    puller.wait({"a.py": 1, "b.py": 2})
    wait_for(client, "complete")
    assert workspace(client) == {"state": "complete", "files": 3, "findings": 3, "accepted": 0}
    uri = client.open(tmp_path / "a.py", TEXT * 3)
    assert workspace(client)["findings"] == 5
    client.close(uri)
    client.wait(lambda: workspace(client)["findings"] == 3, "what the file has")


def test_a_client_is_told_when_it_is_another(start: Start) -> None:
    client = start(PROFILES["vscode"].having(experimental__uncudaStatusChanged=True), files=FILES)
    client.tolerated.append("uncuda/statusChanged")
    Puller(client).wait({"a.py": 1, "b.py": 2})
    seen: list[str] = []

    def complete() -> bool:
        told = len(client.traffic.received("uncuda/statusChanged"))
        if told > len(seen):
            seen.extend([workspace(client)["state"]] * (told - len(seen)))
        return seen[-1:] == ["complete"]

    client.wait(complete, "the state after the last time it was told")


def fill(folder: Path) -> None:
    for number in range(MOST_FILES):
        (folder / f"empty{number}.py").touch()


@pytest.mark.parametrize("setting, state", [("auto", "large"), (False, "off")])
def test_a_large_workspace_is_scanned_when_that_is_chosen(
    start: Start, tmp_path: Path, setting: Any, state: str
) -> None:
    fill(tmp_path)
    client = start(files=FILES, options={"settings": {"workspaceDiagnostics": setting}})
    puller = Puller(client)
    client.wait(lambda: workspace(client)["files"] > MOST_FILES, "what files say")
    wait_for(client, state)
    assert puller.look()
    assert puller.sent == []
    assert client.execute("uncuda.scanWorkspace") == {"scanning": True}
    puller.wait({"a.py": 1, "b.py": 2})


def test_true_has_no_limit(start: Start, tmp_path: Path) -> None:
    fill(tmp_path)
    Puller(start(files=FILES, options=ON)).wait({"a.py": 1, "b.py": 2})


def test_a_workspace_that_is_not_trusted_is_scanned_when_that_is_chosen(start: Start) -> None:
    client = start(PROFILES["vscode"].having(experimental__uncudaRestricted=True), files=FILES)
    puller = Puller(client)
    wait_for(client, "restricted")
    assert puller.look()
    assert puller.sent == []
    assert client.execute("uncuda.scanWorkspace") == {"scanning": True}
    puller.wait({"a.py": 1, "b.py": 2})


def test_a_client_that_does_not_ask_is_told_where_to_look(start: Start) -> None:
    client = start(files=FILES)
    assert client.execute("uncuda.scanWorkspace") == {"scanning": False}
    assert "uncuda check" in client.traffic.received("window/showMessage")[-1]["message"]


def test_a_long_scan_can_be_cancelled_and_begun_again(start: Start, tmp_path: Path) -> None:
    source = "".join(f"torch.cuda.synchronize()  # {number}\n" for number in range(2_000))
    files: dict[str, str | bytes] = {f"big{number}.py": f"import torch\n{source}# {number}\n" for number in range(40)}
    client = start(files=files, options=ON)
    puller = Puller(client, "token")
    client.wait(lambda: client.traffic.received("window/workDoneProgress/create"), "progress")
    token = client.traffic.received("window/workDoneProgress/create")[-1]["token"]
    client.wait(lambda: token in [sent["token"] for sent in client.traffic.received("$/progress")], "its begin")
    client.notify("window/workDoneProgress/cancel", {"token": token})
    wait_for(client, "stopped")
    puller.wait({})
    for path in tmp_path.glob("big*.py"):
        path.write_text(TEXT)
    client.execute("uncuda.scanWorkspace")
    puller.wait(dict.fromkeys(files, 1))


def test_each_folder_as_its_own_setting_says(start: Start, tmp_path: Path) -> None:
    folders = [tmp_path / "on", tmp_path / "off"]
    client = start(files={"on/a.py": TEXT, "off/b.py": TEXT}, folders=folders, initialize=False)
    said = {folders[0].as_uri(): {"workspaceDiagnostics": True}, folders[1].as_uri(): {"workspaceDiagnostics": False}}
    client.answers["workspace/configuration"] = lambda params: [
        said.get(item.get("scopeUri"), {}) for item in params["items"]
    ]
    client.initialize()
    puller = Puller(client)
    puller.wait({"a.py": 1})
    wait_for(client, "complete")
    (tmp_path / "off/b.py").write_text(TEXT * 2)
    (tmp_path / "on/a.py").write_text(TEXT * 2)
    client.watched(tmp_path / "off/b.py", 2)
    client.watched(tmp_path / "on/a.py", 2)
    puller.wait({"a.py": 2})


def test_switched_on_and_off(start: Start, token: str | None) -> None:
    client = start(files=FILES)
    puller = Puller(client, token)
    client.configure({"workspaceDiagnostics": True, "target": "npu"})
    puller.wait({"a.py": 1, "b.py": 2})
    client.configure({"workspaceDiagnostics": False, "target": "npu"})
    puller.wait({})


def test_only_what_changed_is_sent_again(start: Start, token: str | None, tmp_path: Path) -> None:
    client = start(files=FILES, options=ON)
    puller = Puller(client, token)
    puller.wait({"a.py": 1, "b.py": 2})
    puller.sent.clear()
    (tmp_path / "a.py").write_text(TEXT * 2)
    client.watched(tmp_path / "a.py", 2)
    puller.wait({"a.py": 2, "b.py": 2})
    (tmp_path / "new.py").write_text(TEXT)
    client.watched(tmp_path / "new.py", 1)
    puller.wait({"a.py": 2, "b.py": 2, "new.py": 1})
    (tmp_path / "deep/b.py").unlink()
    client.watched(tmp_path / "deep/b.py", 3)
    puller.wait({"a.py": 2, "new.py": 1})
    assert puller.sent == [["a.py"], ["new.py"], ["b.py"]]


def test_open_documents_are_told_by_themselves(start: Start, token: str | None, tmp_path: Path) -> None:
    client = start(files=FILES, options=ON)
    uri = client.open(tmp_path / "a.py")
    assert len(client.diagnostics(uri)) == 1
    puller = Puller(client, token)
    puller.wait({"b.py": 2})
    client.type(uri, TEXT + "x.cuda()\n")
    assert len(client.diagnostics(uri)) == 2
    (tmp_path / "new.py").write_text(TEXT)
    client.watched(tmp_path / "new.py", 1)
    puller.wait({"b.py": 2, "new.py": 1})
    assert uri not in puller.items  # the client pulls the diagnostics of this document itself
    client.close(uri)  # closing the document loses the unsaved text, so the file on disk counts
    puller.wait({"a.py": 1, "b.py": 2, "new.py": 1})
    assert puller.versions[uri] is None


@pytest.mark.parametrize("settings", [{}, ON])
def test_a_document_that_is_closed_and_no_file(start: Start, token: str | None, tmp_path: Path, settings: Any) -> None:
    """For a closed document that has no file, the server sends an empty list of diagnostics: VS Code shows the old
    diagnostics until it receives this list."""
    client = start(files={"clean.py": "import torch\n"}, options=settings)
    puller = Puller(client, token)
    uri = client.open(tmp_path / "gone.py", TEXT)
    assert client.diagnostics(uri)
    puller.items[uri] = client.diagnostics(uri)
    client.close(uri)
    puller.wait({})
    client.open(tmp_path / "gone.py", TEXT)
    puller.items[uri] = client.diagnostics(uri)
    client.close(uri)
    puller.wait({})


def test_an_open_document_that_was_not_pulled(start: Start, tmp_path: Path) -> None:
    client = start(files=FILES, options=ON)
    uri = client.open(tmp_path / "a.py", TEXT + "x.cuda()\n", version=5)
    puller = Puller(client)
    puller.wait({"a.py": 2, "b.py": 2})
    assert puller.versions[uri] == 5


def test_an_open_document_that_was_not_pulled_when_it_is_switched_off(
    start: Start, token: str | None, tmp_path: Path
) -> None:
    """When `workspaceDiagnostics` is switched off, the server sends one `workspace/diagnostic/refresh` to a client that
    pulls diagnostics, because nothing else updates the diagnostics of an open document that no tab shows."""
    client = start(files=FILES, options=ON)
    uri = client.open(tmp_path / "a.py", TEXT + "x.cuda()\n")
    puller = Puller(client, token)
    puller.wait({"a.py": 2, "b.py": 2})
    asked = {"textDocument": {"uri": uri}}
    name = client.request("textDocument/diagnostic", asked)["resultId"]
    client.configure({"workspaceDiagnostics": False, "target": "npu"})
    puller.wait({})
    client.wait(puller.look, "a request that waits")
    client.wait(lambda: client.traffic.received("workspace/diagnostic/refresh"), "the question")
    assert len(client.request("textDocument/diagnostic", {**asked, "previousResultId": name})["items"]) == 2
    client.configure({"workspaceDiagnostics": True, "target": "npu"})
    puller.wait({"b.py": 2})  # the client has pulled the diagnostics of the open document
    client.type(uri, TEXT)
    puller.wait({"a.py": 1, "b.py": 2})


def test_another_target_sends_all(start: Start, token: str | None) -> None:
    client = start(files=FILES, options=ON)
    puller = Puller(client, token)
    puller.wait({"a.py": 1, "b.py": 2})
    client.execute("uncuda.switchTarget", {"target": "musa"})

    def switched() -> bool:
        puller.look()
        return all("musa" in str(items) for items in puller.items.values() if items)

    client.wait(switched, "the other target")


def test_a_request_that_is_taken_back(start: Start) -> None:
    client = start(files=FILES)
    request = client.begin("workspace/diagnostic", {"previousResultIds": []})
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(Exception, match="-32800"):
        client.reply(request)


def test_a_request_that_waits_when_the_server_ends(start: Start) -> None:
    client = start(files=FILES)
    request = client.begin("workspace/diagnostic", {"previousResultIds": []})
    assert client.shutdown() == 0
    assert client.answered(request)


def test_the_same_as_in_an_open_document(start: Start, tmp_path: Path) -> None:
    text = "import torch.cuda as tc  # 中文 😀\nx = '😀'; tc.list_gpu_processes()\n@torch.jit.script\ndef f(): ...\n"
    shim = "import torch\nfrom torch_npu.contrib import transfer_to_npu\n"
    client = start(
        files={"a.py": text, "train.py": shim, "broken.py": b"\xff\xfe\x00", "latin.py": b"# \xff"}, options=ON
    )
    uri = (tmp_path / "a.py").as_uri()
    puller = Puller(client)
    client.wait(lambda: puller.look() is None or puller.items.get(uri), "its diagnostics")
    assert client.diagnostics(client.open(tmp_path / "a.py")) == puller.items[uri]


def test_what_is_cudas_own_has_none(start: Start) -> None:
    client = start(files={"cuda_ops.py": TEXT, "npu_ops.py": "import torch\n", "other.py": TEXT}, options=ON)
    Puller(client).wait({"other.py": 1})


def test_excluded_files_have_none(start: Start) -> None:
    files = {"uncuda.toml": 'exclude = ["old"]\n', "old/a.py": TEXT, ".venv/a.py": TEXT, ".gitignore": "ignored.py\n"}
    client = start(files={**files, ".git/HEAD": "", "ignored.py": TEXT, "b.py": TEXT}, options=ON)
    Puller(client).wait({"b.py": 1})
