"""Tests that in editors, a portable fix that imports the helper module also creates this module."""

from pathlib import Path
from typing import Any

import pytest

from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start

TEXT = "import torch\n\ntorch.cuda.synchronize()\nx = torch.zeros(1, device='cuda')\n"
FIXED = (
    "import torch\n\nfrom _accelerator import accelerator_type, device_module\n\n"
    "device_module().synchronize()\nx = torch.zeros(1, device=accelerator_type())\n"
)
SETTINGS = 'strategy = "portable"\n'
FILES: dict[str, str | bytes] = {"a.py": TEXT, "uncuda.toml": SETTINGS}
HELPER = "_accelerator.py"
MAKERS = [
    name
    for name, profile in PROFILES.items()
    if "create" in (profile.can("workspace.workspaceEdit.resourceOperations") or [])
]
OTHERS = [name for name in PROFILES if name not in MAKERS]


def fixes(client: Client, uri: str) -> list[Any]:
    at = client.range(uri, "torch.cuda.synchronize")
    return [
        action
        for action in client.actions(uri, at)
        if action.get("kind") == "quickfix" and "device_module" in action["title"]
    ]


@pytest.mark.parametrize("profile", MAKERS)
def test_a_fix_makes_the_module_that_it_imports(start: Start, tmp_path: Path, profile: str) -> None:
    client = start(profile, files=FILES)
    uri = client.open(tmp_path / "a.py")
    (action,) = fixes(client, uri)
    client.do(action)
    assert "from _accelerator import device_module\n" in client.text(uri)
    text = client.text(tmp_path / HELPER)
    assert text.startswith('"""Which accelerator this process uses.')
    compile(text, HELPER, "exec")


def test_it_is_made_once(start: Start, tmp_path: Path) -> None:
    client = start(files={**FILES, HELPER: "def device_module(): ...\ndef accelerator_type(): ...\n"})
    uri = client.open(tmp_path / "a.py")
    (action,) = fixes(client, uri)
    client.do(action)
    assert "from _accelerator import device_module\n" in client.text(uri)
    assert client.text(tmp_path / HELPER).startswith("def device_module")


@pytest.mark.parametrize("profile", OTHERS)
def test_a_client_that_makes_no_files_is_told_why(start: Start, tmp_path: Path, profile: str) -> None:
    client = start(profile, files=FILES)
    uri = client.open(tmp_path / "a.py")
    for action in fixes(client, uri):
        assert "edit" not in action
        assert "your editor cannot create files" in action["disabled"]["reason"]
    assert not client.execute("uncuda.fixAllInWorkspace")["applied"]
    assert client.text(uri) == TEXT
    assert not (tmp_path / HELPER).exists()


def test_why_files_are_left_out_is_said(start: Start, tmp_path: Path) -> None:
    without = PROFILES["vscode"].having(workspace__workspaceEdit__resourceOperations=None)
    client = start(without, files=FILES)
    (action,) = fixes(client, client.open(tmp_path / "a.py"))
    assert "your editor cannot create files" in action["disabled"]["reason"]
    result = client.execute("uncuda.fixAllInWorkspace")
    assert "your editor cannot create files" in result["skipped"][0]["reason"]


def test_all_in_a_file(start: Start, tmp_path: Path) -> None:
    client = start(files=FILES)
    uri = client.open(tmp_path / "a.py")
    assert client.execute("uncuda.fixAllInFile", {"uri": uri})["applied"]
    assert client.text(uri) == FIXED
    assert client.text(tmp_path / HELPER)
    client.wait(lambda: client.diagnostics(uri) == [], "nothing left")


def test_all_in_a_workspace_and_its_diff(start: Start, tmp_path: Path) -> None:
    client = start(files={**FILES, "b.py": TEXT})
    uri = client.open(tmp_path / "a.py")
    client.diagnostics(uri)
    seen = client.execute("uncuda.fixAllInWorkspace", {"dryRun": True})
    assert seen["diff"].count("+++ b/") == 3
    assert "--- /dev/null\n+++ b/_accelerator.py\n" in seen["diff"]
    assert client.execute("uncuda.fixAllInWorkspace")["applied"]
    assert client.text(uri) == client.text(tmp_path / "b.py") == FIXED
    assert client.text(tmp_path / HELPER).count("def device_module") == 1


def test_it_is_offered_beside_the_targets_and_kept(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT, "uncuda.toml": 'target = "npu"\ntarget-version = "2.9.0"\n'})
    uri = client.open(tmp_path / "a.py")
    rows = client.request("uncuda/targets", {"uri": uri})["targets"]
    assert {"label": "portable (CUDA, NPU, MUSA)", "target": "portable", "current": False}.items() <= next(
        row for row in rows if row["target"] == "portable"
    ).items()
    client.execute("uncuda.keepTarget", {"target": "portable", "uri": uri})
    assert (tmp_path / "uncuda.toml").read_text(encoding="utf-8") == SETTINGS
    client.wait(lambda: "runs on CUDA, Ascend NPU" in client.diagnostics(uri)[0]["message"], "one source for all")
    status = client.request("uncuda/status", {"textDocument": {"uri": uri}})
    assert (status["target"], status["strategy"]) == ("portable", "portable")
    assert status["title"] == "portable (CUDA, NPU, MUSA)"
    assert status["plugin"].startswith("torch_npu ")
    client.execute("uncuda.keepTarget", {"target": "musa", "uri": uri})
    assert (tmp_path / "uncuda.toml").read_text(encoding="utf-8") == 'target = "musa"\n'


def test_it_is_switched_to_until_the_server_ends(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT})
    uri = client.open(tmp_path / "a.py")
    client.execute("uncuda.switchTarget", {"target": "portable"})
    client.wait(lambda: "runs on CUDA, Ascend NPU" in client.diagnostics(uri)[0]["message"], "one source for all")
    client.execute("uncuda.switchTarget", {"target": "musa"})
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "one target")


OWN = """import torch

def get_device_name():
    return "npu" if hasattr(torch, "npu") else "cuda"

def get_torch_device():
    return getattr(torch, get_device_name())
"""


def test_a_module_of_the_projects_own_is_offered_once(start: Start, tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", "pkg/device_utils.py": OWN, "pkg/a.py": TEXT, "pkg/b.py": TEXT}
    client = start(files={**files, "uncuda.toml": SETTINGS})
    for name in ("a.py", "b.py"):
        client.diagnostics(client.open(tmp_path / "pkg" / name))
    names = '{ accelerator_type = "get_device_name()", device_module = "get_torch_device()" }'
    offer = f'to use this module: portable-helper = "pkg.device_utils", portable-names = {names}'
    said = [item["message"] for item in client.traffic.received("window/showMessage")]
    assert [message for message in said if offer in message] == said
    assert len(said) == 1


def test_the_module_itself_is_silent(start: Start, tmp_path: Path) -> None:
    client = start(files=FILES)
    uri = client.open(tmp_path / "a.py")
    client.execute("uncuda.fixAllInFile", {"uri": uri})
    path = tmp_path / HELPER
    path.write_text(client.text(path) + "\nD = torch.device('cuda')\n", encoding="utf-8")
    assert client.diagnostics(client.open(path)) == []


def test_a_hover_says_what_each_accelerator_has(start: Start, tmp_path: Path) -> None:
    client = start(files=FILES)
    uri = client.open(tmp_path / "a.py")
    at = client.range(uri, "synchronize")["start"]
    said = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": at})["contents"]["value"]
    assert "torch.npu.synchronize" in said
    assert "torch.musa.synchronize" in said
    assert "Ascend NPU" in said and "Moore Threads MUSA" in said


def test_a_name_that_another_document_gives_without_torch(start: Start, tmp_path: Path) -> None:
    """The text of the open document counts, not that of its file."""
    tested = (
        "import torch\n\n\ndef device(name):\n"
        '    if name.startswith("cuda") and not torch.cuda.is_available():\n        raise RuntimeError\n'
        "    return torch.device(name)\n"
    )
    given = 'class Config:\n    device: str = "cuda"\n'
    files: dict[str, str | bytes] = {"pkg/__init__.py": "", "pkg/config.py": given, "pkg/utils.py": tested}
    client = start(files={**files, "uncuda.toml": SETTINGS})
    uri, config = client.open(tmp_path / "pkg/utils.py"), client.open(tmp_path / "pkg/config.py")

    def is_noted() -> bool:
        return any("compares a name with it" in item["message"] for item in client.diagnostics(uri))

    client.wait(is_noted, "the note about the name")
    client.type(config, given.replace("cuda", "cpu"))
    client.wait(lambda: not is_noted(), "no note, because no document gives the name")
    client.type(config, given)
    client.wait(is_noted, "the note about the name again")
