"""Tests of the only question that the server asks the user: for which target the code is, if no setting names one or
the project imports the plugins of two targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES
from lsp.harness.pulls import Pulls
from lsp.harness.starting import Start

TEXT = "import torch\ntorch.cuda.synchronize()\n"
QUESTION = "window/showMessageRequest"


def questions(client: Client) -> list[Any]:
    return client.traffic.received(QUESTION)


@pytest.mark.parametrize("profile", PROFILES)
def test_it_is_asked_once_with_the_first_finding(start: Start, tmp_path: Path, profile: str) -> None:
    client = start(profile, files={"a.py": TEXT, "b.py": TEXT})
    clean = client.open("untitled:1", "import torch\n")
    assert client.diagnostics(clean) == []
    assert questions(client) == []
    for name in ("a.py", "b.py"):
        uri = client.open(tmp_path / name)
        client.wait(lambda uri=uri: client.diagnostics(uri) and questions(client), "the question")  # type: ignore[misc]
    client.settle()
    (asked,) = questions(client)
    assert [action["title"] for action in asked["actions"]] == [
        "Ascend NPU",
        "Moore Threads MUSA",
        "portable (CUDA, NPU, MUSA)",
    ]  # the first target in the list is assumed
    assert "Ascend NPU" in asked["message"]
    assert "torch.npu" in client.diagnostics(uri)[0]["message"]


def test_it_is_asked_without_a_folder(start: Start) -> None:
    client = start(folders=[])
    clean = client.open("untitled:1", "import torch\n")
    assert client.diagnostics(clean) == []
    assert questions(client) == []
    uri = client.open("untitled:2", TEXT)
    client.wait(lambda: client.diagnostics(uri) and questions(client), "the question")


def test_the_answer_holds_everywhere(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT})
    client.choose = lambda params: "Moore Threads MUSA"
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "the chosen target")
    other = client.open("untitled:1", TEXT)
    assert "torch.musa" in client.diagnostics(other)[0]["message"]


def test_the_answer_is_kept_and_asked_for_once_a_project(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT})
    client.choose = lambda params: "Moore Threads MUSA"
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "the chosen target")
    assert (tmp_path / "uncuda.toml").read_text(encoding="utf-8") == 'target = "musa"\n'
    again = start()
    uri = again.open(tmp_path / "a.py")
    again.wait(lambda: "torch.musa" in again.diagnostics(uri)[0]["message"], "the kept target")
    again.settle()
    assert questions(again) == []


def test_nothing_is_written_into_a_workspace_that_is_not_trusted(start: Start, tmp_path: Path) -> None:
    client = start(PROFILES["vscode"].having(experimental__uncudaRestricted=True), files={"a.py": TEXT})
    client.choose = lambda params: "Moore Threads MUSA"
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "the chosen target")
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


def test_chinese(start: Start, tmp_path: Path) -> None:
    client = start(PROFILES["vscode"].speaking("zh-cn"), files={"a.py": TEXT})
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: client.diagnostics(uri) and questions(client), "the question")
    assert "昇腾 NPU" in questions(client)[0]["message"]
    assert "昇腾 NPU" in [action["title"] for action in questions(client)[0]["actions"]]


def test_it_is_asked_where_only_closed_files_have_findings(start: Start, tmp_path: Path) -> None:
    """If only closed files have findings, the user is asked for the target too: the editor shows their diagnostics for
    the default target, which the user never chose."""
    client = start(files={"a.py": TEXT}, options={"settings": {"workspaceDiagnostics": True}})
    client.choose = lambda params: "Moore Threads MUSA"
    pulls = Pulls(client)

    def said() -> list[str]:
        return [item["message"] for items in pulls.findings.values() for item in items]

    client.wait(lambda: any("torch.musa" in text for text in said()), "the chosen target")
    assert len(questions(client)) == 1
    assert (tmp_path / "uncuda.toml").read_text(encoding="utf-8") == 'target = "musa"\n'
    client.open(tmp_path / "a.py")
    client.settle()
    assert len(questions(client)) == 1


@pytest.mark.parametrize("files", [{"a.py": TEXT}, {"a.py": TEXT, "b.py": "import torch_npu\nimport torch_musa\n"}])
def test_a_client_with_a_list_is_told_to_open_it(start: Start, tmp_path: Path, files: dict[str, str | bytes]) -> None:
    client = start(PROFILES["vscode"].having(experimental__uncudaChooseTarget=True), files=files)
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: client.traffic.received("uncuda/chooseTarget"), "the question")
    (asked,) = client.traffic.received("uncuda/chooseTarget")
    assert asked["uri"] == uri and asked["among"] is (len(files) > 1)
    assert "ccelerator" in asked["text"] and questions(client) == []


BOTH: dict[str, str | bytes] = {"a.py": TEXT, "b.py": "import torch_npu\n", "c.py": "import torch_musa\n"}


SAID = "the project imports plugins of Moore Threads MUSA, Ascend NPU; set 'target', or switch the target"


@pytest.mark.parametrize("profile", PROFILES)
def test_two_plugins_are_a_question_too(start: Start, tmp_path: Path, profile: str) -> None:
    client = start(profile, files=BOTH)
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: questions(client), "the question")
    (asked,) = questions(client)
    assert asked["message"].startswith("The project imports plugins of Moore Threads MUSA, Ascend NPU.")
    assert [action["title"] for action in asked["actions"]] == ["Ascend NPU", "Moore Threads MUSA"]
    (note,) = client.diagnostics(uri)
    assert note["message"].startswith(SAID) and "code" not in note and note["severity"] == 3
    assert client.diagnostics(client.open(tmp_path / "b.py")) == []


def test_before_the_answer_nothing_is_shown_for_either_and_no_fix_made(start: Start, tmp_path: Path) -> None:
    client = start(files=BOTH)
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: questions(client), "the question")
    assert not [found for found in client.diagnostics(uri) if "code" in found]
    offered = client.actions(uri, client.range(uri, "synchronize"))
    assert not [action for action in offered if "edit" in action or action["kind"] == "source.fixAll.uncuda"]
    status = client.request("uncuda/status", {"textDocument": {"uri": uri}})
    assert (status["findings"], status["fixable"]) == (0, 0)
    assert status["among"] == ["Moore Threads MUSA", "Ascend NPU"]

    # with `quiet`, the command does not ask for the target
    assert client.execute("uncuda.fixAllInFile", {"uri": uri, "quiet": True})["applied"] is False
    assert len(questions(client)) == 1
    # without `quiet`, the command asks again, and the user gives no answer
    assert client.execute("uncuda.fixAllInFile", {"uri": uri})["applied"] is False
    assert len(questions(client)) == 2 and client.text(uri) == TEXT
    client.choose = lambda params: "Moore Threads MUSA"
    assert client.execute("uncuda.fixAllInFile", {"uri": uri})["applied"] is True
    assert "torch.musa.synchronize()" in client.text(uri)


def test_after_the_answer_what_is_shown_is_the_chosen_ones(start: Start, tmp_path: Path) -> None:
    client = start(files=BOTH)
    client.choose = lambda params: "Ascend NPU"
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: questions(client), "the question")  # only after the scan is it known that there are two plugins
    status = {"textDocument": {"uri": uri}}
    client.wait(lambda: client.request("uncuda/status", status)["among"] == [], "the answer")
    client.wait(lambda: any("torch.npu" in found["message"] for found in client.diagnostics(uri)), "the chosen target")


def test_closed_files_wait_for_the_answer(start: Start, tmp_path: Path) -> None:
    client = start(files=BOTH, configuration={"workspaceDiagnostics": True})
    client.open(tmp_path / "b.py")
    client.settle()
    assert not [found for name in BOTH for found in client.diagnostics((tmp_path / name).as_uri()) if "code" in found]


@pytest.mark.parametrize("said", ["file", "editor", "plugin"])
def test_nothing_is_asked_where_something_says_it(start: Start, tmp_path: Path, said: str) -> None:
    files: dict[str, str | bytes] = {"a.py": TEXT}
    if said == "file":
        files["uncuda.toml"] = 'target = "musa"\n'
    if said == "plugin":
        files["b.py"] = "import torch_musa\n"
    client = start(files=files, options={"settings": {"target": "musa"}} if said == "editor" else None)
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "what was said")
    (tmp_path / "d.py").write_text("class M:\n    def cuda(self): ...\n")  # the scan reads this file last
    client.watched(tmp_path / "d.py", 1)
    client.type(uri, TEXT + "x.cuda()\n")
    client.wait(lambda: not any(a.get("isPreferred") for a in client.actions(uri, client.range(uri, "cuda()"))), "d.py")
    assert questions(client) == []
