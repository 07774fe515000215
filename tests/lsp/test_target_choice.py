"""Tests of the list of targets that the server offers, and of writing the chosen one to the project's settings."""

from pathlib import Path
from typing import Any

import pytest

from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from uncuda.catalogue import load

TEXT = "import torch\ntorch.cuda.synchronize()\n"
KEEP, SWITCH = "uncuda.keepTarget", "uncuda.switchTarget"


def said(client: Client) -> list[str]:
    return [item["message"] for item in client.traffic.received("window/showMessage")]


def offered(client: Client, uri: str) -> Any:
    return client.request("uncuda/targets", {"uri": uri})


def test_what_is_offered(start: Start, tmp_path: Path) -> None:
    """The target found in the requirements comes first, marked as current; then come other hardware and versions,
    newest first."""
    client = start(files={"a.py": TEXT, "requirements.txt": "torch_musa==2.7.1\n"})
    offer = offered(client, client.open(tmp_path / "a.py"))
    rows = offer["targets"]
    first = [row for row in rows if not {"hardware", "targetVersion"} & {*row}]
    assert [(row["label"], row["current"]) for row in first] == [
        ("Moore Threads MUSA", True),
        ("Ascend NPU", False),
        ("portable (CUDA, NPU, MUSA)", False),
    ]
    assert rows[0]["description"].startswith("torch_musa 2.7.1 (required by ")
    assert {row["target"] for row in rows if "hardware" in row} == {"npu"}
    versions = [row["targetVersion"] for row in rows if row["target"] == "npu" and "targetVersion" in row]
    assert versions == [*reversed(load().target("npu").versions)]
    assert (offer["says"], offer["keep"]) == (None, str(tmp_path / "uncuda.toml"))


@pytest.mark.parametrize(
    ("files", "name", "after"),
    [
        ({}, "uncuda.toml", 'target = "musa"\n'),
        ({"pyproject.toml": '[project]\nname = "x"\n'}, "uncuda.toml", 'target = "musa"\n'),
        ({"pyproject.toml": '[tool.uncuda]\nlocale = "en"\n'}, "pyproject.toml",
         '[tool.uncuda]\ntarget = "musa"\nlocale = "en"\n'),
        ({"uncuda.toml": '# ours\ntarget = "npu" # now\ntarget-version = "2.9.0"\n'}, "uncuda.toml",
         '# ours\ntarget = "musa" # now\n'),
    ],
)  # fmt: skip
def test_it_is_written_where_the_settings_are(
    start: Start, tmp_path: Path, files: dict[str, str | bytes], name: str, after: str
) -> None:
    client = start(files={"a.py": TEXT, **files})
    uri = client.open(tmp_path / "a.py")
    assert client.execute(KEEP, {"target": "musa", "uri": uri}) == {"kept": str(tmp_path / name)}
    assert (tmp_path / name).read_text(encoding="utf-8") == after
    assert {path.name for path in tmp_path.iterdir()} == {"a.py", name, *files}
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "the kept target")
    assert said(client) == [f"uncuda now checks for Moore Threads MUSA; the target was written into {tmp_path / name}."]
    assert offered(client, uri)["says"] == str(tmp_path / name)


def test_what_a_file_begins_with_stays(start: Start, tmp_path: Path) -> None:
    """Writing a setting keeps the byte order mark with which some Windows editors start a file."""
    client = start(files={"a.py": TEXT, "uncuda.toml": b'\xef\xbb\xbftarget = "npu"\r\n# ours\r\n'})
    client.execute(KEEP, {"target": "musa"})
    assert (tmp_path / "uncuda.toml").read_bytes() == b'\xef\xbb\xbftarget = "musa"\r\n# ours\r\n'


def test_a_part_of_the_workspace_with_settings_of_its_own(start: Start, tmp_path: Path) -> None:
    """If a subfolder has its own settings file, the target is written there; in another file it would have no
    effect."""
    files: dict[str, str | bytes] = {"uncuda.toml": 'target = "npu"\n', "in/a.py": TEXT, "a.py": TEXT}
    client = start(files={**files, "in/uncuda.toml": 'target = "musa"\ntarget-version = "2.7.1"\n'})
    uri, above = client.open(tmp_path / "in" / "a.py"), client.open(tmp_path / "a.py")
    own = str(tmp_path / "in" / "uncuda.toml")
    assert (offered(client, uri)["says"], offered(client, uri)["keep"]) == (own, own)
    assert offered(client, above)["keep"] == str(tmp_path / "uncuda.toml")
    client.execute(KEEP, {"target": "musa", "uri": uri})
    assert Path(own).read_text(encoding="utf-8") == 'target = "musa"\ntarget-version = "2.7.1"\n', "it says so already"
    assert client.execute(KEEP, {"target": "npu", "uri": uri}) == {"kept": own}
    client.wait(lambda: "torch.npu" in client.diagnostics(uri)[0]["message"], "the kept target")
    assert (tmp_path / "uncuda.toml").read_text(encoding="utf-8") == 'target = "npu"\n'


def test_version_and_hardware(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT, "uncuda.toml": 'target = "npu"\ntarget-version = "2.9.0"\n'})
    client.execute(KEEP, {"target": "npu", "hardware": "A2"})
    written = 'hardware = "A2"\ntarget = "npu"\ntarget-version = "2.9.0"\n'
    assert (tmp_path / "uncuda.toml").read_text(encoding="utf-8") == written
    client.execute(KEEP, {"target": "npu", "targetVersion": "2.7.1"})
    assert (tmp_path / "uncuda.toml").read_text(encoding="utf-8") == written.replace("2.9.0", "2.7.1")


def test_a_file_that_cannot_be_changed_line_by_line_stays(start: Start, tmp_path: Path) -> None:
    text = '[tool]\nuncuda = {target = "npu"}\n'
    client = start(files={"a.py": TEXT, "pyproject.toml": text})
    assert client.execute(KEEP, {"target": "musa"}) == {"kept": None}
    assert (tmp_path / "pyproject.toml").read_text(encoding="utf-8") == text
    assert 'write target = "musa" there yourself' in said(client)[-1]


def test_a_file_above_the_workspace_stays(start: Start, tmp_path: Path) -> None:
    (tmp_path / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
    (tmp_path / "in").mkdir()
    client = start(folders=[tmp_path / "in"])
    assert client.execute(KEEP, {"target": "musa"}) == {"kept": None}
    assert "outside of the workspace" in said(client)[-1]
    assert (tmp_path / "uncuda.toml").read_text(encoding="utf-8") == 'target = "npu"\n'


def test_a_workspace_that_is_not_trusted_stays(start: Start, tmp_path: Path) -> None:
    client = start(PROFILES["vscode"].having(experimental__uncudaRestricted=True), files={"a.py": TEXT})
    assert offered(client, client.open(tmp_path / "a.py"))["keep"] is None
    assert client.execute(KEEP, {"target": "musa"}) == {"kept": None}
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


def test_a_projects_own_target_is_overridden_only_after_a_question(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT, "uncuda.toml": 'target = "npu"\n'})
    uri = client.open(tmp_path / "a.py")
    asked: list[str] = []

    def choose(params: Any) -> str | None:
        asked.append(params["message"])
        return "Moore Threads MUSA" if len(asked) == 1 else None

    client.choose = choose
    assert client.execute(SWITCH) == {"target": None, "overrides": None}
    assert str(tmp_path / "uncuda.toml") in asked[1] and "torch.npu" in client.diagnostics(uri)[0]["message"]
    assert said(client) == []
    client.choose = lambda params: params["actions"][0]["title"]
    assert client.execute(SWITCH)["target"] == "musa"
    assert len(said(client)) == 1


def test_without_a_folder_it_is_not_said_that_there_is_nothing_to_fix(start: Start, tmp_path: Path) -> None:
    """Without an open folder, the server does not report "nothing to fix"; Neovim opens none if it finds no root
    marker."""
    (tmp_path / "a.py").write_text(TEXT, encoding="utf-8")
    client = start("neovim", folders=[])
    client.execute("uncuda.fixAllInWorkspace")
    assert "No folder is open" in said(client)[-1] and "Nothing to fix" not in said(client)[-1]


@pytest.mark.parametrize("argument", [{"target": "nup"}, {}, {"target": 1}, {"nothing": 1}])
def test_bad_arguments(start: Start, argument: Any) -> None:
    client = start()
    with pytest.raises(ResponseError):
        client.execute(KEEP, argument)
