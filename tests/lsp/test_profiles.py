"""Runs one session for every recorded LSP client, from the first keystroke to the exit."""

import json
import re

import pytest

from lsp.harness.client import Client
from lsp.harness.profiles import FOLDER, PROFILES
from lsp.harness.starting import Start

TEXT = 'import torch\n\ns = "中文😀"; torch.distributed.init_process_group("nccl")\nn = torch.cuda.device_count()\n'


def test_profiles_hold_nothing_of_a_machine() -> None:
    for path in FOLDER.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert "processId" not in json.loads(text)
        assert not re.search(r"file:|/(home|root|Users|workspace)", text), path.name


def test_clients_differ_where_it_matters() -> None:
    """The recorded clients together cover every way to apply edits, to get diagnostics and to count columns."""
    assert {bool(profile.can("textDocument.diagnostic")) for profile in PROFILES.values()} == {True, False}
    assert {bool(profile.can("workspace.workspaceEdit.documentChanges")) for profile in PROFILES.values()} == {
        True,
        False,
    }
    assert {bool(profile.can("workspace.applyEdit")) for profile in PROFILES.values()} == {True, False}
    assert {profile.sends_folders for profile in PROFILES.values()} == {True, False}
    assert {profile.ids for profile in PROFILES.values()} == {"number", "text"}
    assert PROFILES["neovim"].can("general.positionEncodings")[0] == "utf-8"


def test_diagnostics_while_typing(each_client: Client) -> None:
    uri = each_client.open(each_client.folders[0] / "a.py", TEXT)
    shown = {item["code"]: item["range"] for item in each_client.diagnostics(uri)}
    assert shown == {
        "nccl-backend": each_client.range(uri, '"nccl"'),
        "cuda-api": each_client.range(uri, "torch.cuda.device_count"),
    }
    each_client.replace(uri, '"nccl"', '"gloo"')
    assert [item["code"] for item in each_client.diagnostics(uri)] == ["cuda-api"]
    each_client.replace(uri, "import torch\n", "😀\rimport torch\n")
    (left,) = each_client.diagnostics(uri)
    assert left["range"] == each_client.range(uri, "torch.cuda.device_count")
    each_client.close(uri)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_each_encoding(start: Start, encoding: str) -> None:
    client = start(PROFILES["vscode"].counting(encoding))
    assert client.server["positionEncoding"] == encoding
    uri = client.open("untitled:one", TEXT)
    assert [item["range"] for item in client.diagnostics(uri)] == [
        client.range(uri, '"nccl"'),
        client.range(uri, "torch.cuda.device_count"),
    ]


def test_an_encoding_that_nobody_knows(start: Start) -> None:
    assert start(PROFILES["vscode"].counting("utf-7")).server["positionEncoding"] == "utf-16"
