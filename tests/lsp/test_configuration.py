"""Tests of settings: read from files, sent by the editor, changed while the server runs, different for several folders,
and invalid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp.harness.client import Client as Editor
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from uncuda.lsp.state.documents import Document
from uncuda.lsp.state.folders import Folders
from uncuda.lsp.wire.client import Client

TEXT = "import torch\ntorch.cuda.synchronize()\nx.cuda()\n"
MUSA, NPU = 'target = "musa"\n', 'target = "npu"\n'


def target(client: Editor, uri: str) -> str:
    """Return the target that a document's diagnostics name."""
    message = client.diagnostics(uri)[0]["message"]
    return "musa" if "torch.musa" in message else "npu" if "torch.npu" in message else message


def wait_for(client: Editor, uri: str, expected: str) -> None:
    client.wait(lambda: target(client, uri) == expected, f"{expected}, but {target(client, uri)}")


def messages(client: Editor) -> list[str]:
    return [item["message"] for item in client.traffic.received("window/showMessage")]


def test_the_closest_file_holds(each_client: Editor, tmp_path: Path) -> None:
    client = each_client
    (tmp_path / "uncuda.toml").write_text(MUSA)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/pyproject.toml").write_text("[tool.uncuda]\n" + NPU)
    for name, expected in (("a.py", "musa"), ("inner/b.py", "npu")):
        (tmp_path / name).write_text(TEXT)
        assert target(client, client.open(tmp_path / name)) == expected


def test_severities_and_rules(start: Start, tmp_path: Path) -> None:
    file = 'ignore = ["cuda-method"]\nseverity = { cuda-api = "information" }\n'
    client = start(files={"uncuda.toml": file, "a.py": TEXT})
    (item,) = client.diagnostics(client.open(tmp_path / "a.py"))
    assert (item["code"], item["severity"]) == ("cuda-api", 3)


def test_per_file_ignores_and_exclude(start: Start, tmp_path: Path) -> None:
    file = 'exclude = ["old"]\n[per-file-ignores]\n"gen/**" = ["cuda-api"]\n'
    names = ["gen/a.py", "old/a.py", "a.py", ".venv/lib/a.py"]
    client = start(files={"uncuda.toml": file, **dict.fromkeys(names, TEXT)})
    found = [[item["code"] for item in client.diagnostics(client.open(tmp_path / name))] for name in names]
    assert found == [["cuda-method"], [], ["cuda-api", "cuda-method"], []]


def test_an_ignored_file_that_is_open_is_checked(start: Start, tmp_path: Path) -> None:
    client = start(files={".gitignore": "scratch.py\n", ".git/HEAD": "", "scratch.py": TEXT})
    assert client.diagnostics(client.open(tmp_path / "scratch.py"))


def test_installed_packages_are_not_checked(start: Start, tmp_path: Path) -> None:
    library = tmp_path / "lib/python3/site-packages/torch"
    client = start(files={"lib/python3/site-packages/torch/a.py": TEXT, "work/b.py": TEXT}, folders=[tmp_path / "work"])
    assert client.diagnostics(client.open(library / "a.py")) == []
    assert client.diagnostics(client.open(tmp_path / "work/b.py"))


def test_a_file_that_changes(start: Start, tmp_path: Path) -> None:
    client = start(files={"uncuda.toml": NPU, "a.py": TEXT})
    client.wait(lambda: client.registrations, "registrations")
    (watch,) = [r for r in client.registrations.values() if r["method"] == "workspace/didChangeWatchedFiles"]
    patterns = [watcher["globPattern"] for watcher in watch["registerOptions"]["watchers"]]
    assert {"**/*.py", "**/*.ipynb"} <= set(patterns)
    assert any("uncuda.toml" in pattern and "pyproject.toml" in pattern for pattern in patterns)
    uri = client.open(tmp_path / "a.py")
    assert target(client, uri) == "npu"
    (tmp_path / "uncuda.toml").write_text(MUSA)
    client.watched(tmp_path / "uncuda.toml", 2)
    wait_for(client, uri, "musa")
    (tmp_path / "uncuda.toml").unlink()
    client.watched(tmp_path / "uncuda.toml", 3)
    wait_for(client, uri, "npu")


def test_a_client_that_does_not_watch(start: Start, tmp_path: Path) -> None:
    client = start("kate", files={"uncuda.toml": NPU, "a.py": TEXT})
    uri = client.open(tmp_path / "a.py")
    assert target(client, uri) == "npu"
    (tmp_path / "uncuda.toml").write_text(MUSA)
    client.save(uri)
    client.wait(lambda: "torch.musa" in str(client.pushed[uri]), "the new target")


@pytest.mark.parametrize("preference, expected", [(None, "npu"), ("filesystemFirst", "npu"), ("editorFirst", "musa")])
def test_who_comes_first(start: Start, tmp_path: Path, preference: str | None, expected: str) -> None:
    said: dict[str, Any] = {"target": "musa", "configurationPreference": preference}
    client = start(files={"uncuda.toml": NPU, "a.py": TEXT}, configuration=said)
    wait_for(client, client.open(tmp_path / "a.py"), expected)


def test_defaults_of_an_editor_cover_nothing(start: Start, tmp_path: Path) -> None:
    said: dict[str, Any] = {
        "configurationPreference": "editorFirst",
        "target": None,
        "targetVersion": "",
        "strategy": "auto",
        "select": [],
        "ignore": [],
        "severity": {},
        "locale": "auto",
    }
    file = MUSA + 'ignore = ["cuda-method"]\nlocale = "zh"\n'
    client = start(files={"uncuda.toml": file, "a.py": TEXT}, configuration=said, options={"settings": said})
    uri = client.open(tmp_path / "a.py")
    wait_for(client, uri, "musa")
    (item,) = client.diagnostics(uri)
    assert any("\u4e00" <= character <= "\u9fff" for character in item["message"])


@pytest.mark.parametrize("profile", PROFILES)
def test_initialization_options(start: Start, profile: str) -> None:
    client = start(profile, options={"settings": {"target": "musa", "ignore": ["cuda-method"]}})
    uri = client.open("untitled:1", TEXT)
    assert target(client, uri) == "musa"
    assert [item["code"] for item in client.diagnostics(uri)] == ["cuda-api"]


def test_settings_that_change(each_client: Editor) -> None:
    client = each_client
    uri = client.open("untitled:1", TEXT)
    assert target(client, uri) == "npu"
    client.configure({"target": "musa"})
    if client.pulls:
        wait_for(client, uri, "musa")
    else:
        client.wait(lambda: "torch.musa" in str(client.pushed[uri]), "the new target")


def test_folders_have_their_own(start: Start, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"one/a.py": TEXT, "two/a.py": TEXT, "two/uncuda.toml": MUSA, "three/a.py": TEXT}
    client = start(files=files, folders=[tmp_path / "one", tmp_path / "two"])
    one, two, three = (client.open(tmp_path / name / "a.py") for name in ("one", "two", "three"))
    assert [target(client, uri) for uri in (one, two, three)] == ["npu", "musa", "npu"]

    def answer(params: Any) -> list[Any]:
        third = (tmp_path / "three").as_uri()
        return [{"target": "musa"} if item.get("scopeUri") == third else None for item in params["items"]]

    client.answers["workspace/configuration"] = answer
    change = {"added": [{"uri": (tmp_path / "three").as_uri(), "name": "three"}], "removed": []}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
    wait_for(client, three, "musa")
    change = {"added": [], "removed": change["added"]}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
    wait_for(client, three, "npu")


@pytest.mark.parametrize("profile", ["vscode", "kate"])
def test_a_broken_file_is_one_message(start: Start, tmp_path: Path, profile: str) -> None:
    client = start(profile, files={"uncuda.toml": 'target = "npu"\nselct = []\n', "a.py": TEXT, "b.py": TEXT})
    for name in ("a.py", "b.py"):
        assert target(client, client.open(tmp_path / name)) == "npu"
    client.wait(lambda: messages(client), "a message")
    client.settle()
    (text,) = messages(client)
    assert text.endswith("uncuda.toml:2: unknown key `selct` (did you mean 'select'?)")
    assert text.startswith("uncuda: ")


def test_a_file_that_was_broken_and_is_broken_again(start: Start, tmp_path: Path) -> None:
    client = start(files={"uncuda.toml": "target = [\n", "a.py": TEXT})
    uri = client.open(tmp_path / "a.py")
    assert client.diagnostics(uri)
    client.wait(lambda: len(messages(client)) == 1, "a message")
    (tmp_path / "uncuda.toml").write_text(MUSA)
    client.watched(tmp_path / "uncuda.toml", 2)
    wait_for(client, uri, "musa")
    (tmp_path / "uncuda.toml").write_text('target = "tpu"\n')
    client.watched(tmp_path / "uncuda.toml", 2)
    wait_for(client, uri, "npu")
    client.wait(lambda: len(messages(client)) == 2, "another message")


def test_editor_settings_that_make_no_sense(start: Start) -> None:
    said = {
        "target": "musa",
        "severity": {"cuda-api": "eror"},
        "select": "cuda-api",
        "nonsense": 1,
        "trace": {"server": "off"},
    }
    client = start(options={"settings": said})
    uri = client.open("untitled:1", TEXT)
    assert target(client, uri) == "musa"
    client.wait(lambda: messages(client), "a message")
    client.configure(said)
    logged = client.traffic.received
    client.wait(lambda: any("`nonsense`" in item["message"] for item in logged("window/logMessage")), "a log")
    client.configure({**said, "codeLens": True})
    lens = {"textDocument": {"uri": uri}}
    client.wait(lambda: client.request("textDocument/codeLens", lens), "the last settings")
    (text,) = messages(client)
    assert "did you mean 'error'" in text
    assert "`select`" in text
    assert sum("`nonsense`" in item["message"] for item in logged("window/logMessage")) == 1


@pytest.mark.parametrize("said", [None, [], "x", 5, {"settings": 3}, {"settings": {"target": 5}}, {"uncuda": {}}])
def test_options_of_another_shape(start: Start, said: Any) -> None:
    client = start(options=said)
    assert target(client, client.open("untitled:1", TEXT)) == "npu"


def test_the_version_of_pytorch_comes_from_the_requirements(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.1.0\n")
    folders = Folders(Client(), {"rootPath": str(tmp_path)})
    document = Document((tmp_path / "a.py").as_uri(), "python", 1, TEXT, "utf-16")
    assert folders.choice_of(document).settings.torch_version == "2.1.0"
    (tmp_path / "requirements.txt").write_text("torch==2.6.0\n")
    folders.reload()
    assert folders.choice_of(document).settings.torch_version == "2.6.0"
    (tmp_path / "uncuda.toml").write_text('torch-version = "2.7.1"\n')
    folders.reload()
    assert folders.choice_of(document).settings.torch_version == "2.7.1"


def test_a_lock_file_that_changes(start: Start, tmp_path: Path) -> None:
    lock = '[[package]]\nname = "torch-npu"\nversion = "{0}"\n'.format
    client = start(files={"a.py": "import torch\ntorch.cuda.ExternalStream(1)\n", "uv.lock": lock("2.13.0")})
    client.wait(lambda: client.registrations, "registrations")
    (watch,) = [r for r in client.registrations.values() if r["method"] == "workspace/didChangeWatchedFiles"]
    patterns = " ".join(watcher["globPattern"] for watcher in watch["registerOptions"]["watchers"])
    for name in ("uv.lock", "poetry.lock", "pdm.lock", "requirements*.txt", "setup.cfg", "environment.yml"):
        assert name in patterns
    uri = client.open(tmp_path / "a.py")
    assert "since" not in str(client.diagnostics(uri))
    (tmp_path / "uv.lock").write_text(lock("2.6.0"))
    client.watched(tmp_path / "uv.lock", 2)
    client.wait(lambda: "since torch_npu 2.7.1" in str(client.diagnostics(uri)), "the older plugin")
    (tmp_path / "uv.lock").unlink()
    (tmp_path / "setup.py").write_text("setup(install_requires=['torch_npu==2.13.0'])")
    client.watched(tmp_path / "setup.py", 1)
    client.wait(lambda: "since" not in str(client.diagnostics(uri)), "the newer plugin")
    assert not messages(client)


def test_an_untitled_document_has_the_settings_of_the_first_folder(start: Start) -> None:
    client = start(files={"uncuda.toml": MUSA})
    assert target(client, client.open("untitled:1", TEXT)) == "musa"


def test_no_folder_at_all(start: Start, tmp_path: Path) -> None:
    client = start(files={"uncuda.toml": MUSA, "a.py": TEXT}, folders=[])
    assert target(client, client.open("untitled:1", TEXT)) == "npu"
    assert target(client, client.open(tmp_path / "a.py")) == "musa"
