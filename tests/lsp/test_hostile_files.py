"""A workspace with hostile files: documents are still checked, each unusable file is reported once, and the server
ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lsp.harness.client import Client
from lsp.harness.starting import Start

TEXT = "import torch\ntorch.cuda.synchronize()\n"


def codes(client: Client, uri: str) -> list[str]:
    return [item["code"] for item in client.diagnostics(uri)]


def shown(client: Client) -> list[str]:
    return [item["message"] for item in client.traffic.received("window/showMessage")]


@pytest.mark.skipif(sys.platform != "linux", reason="needs pipes, devices and sparse files")
def test_files_that_are_no_files(start: Start, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pyproject.toml")
    os.mkfifo(tmp_path / "requirements.txt")
    (tmp_path / ".gitignore").symlink_to("/dev/zero")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    client = start(files={"a.py": TEXT, "sub/b.py": TEXT, "sub/uncuda.toml": "target = 'musa'"})
    for document in (tmp_path / "a.py", tmp_path / "sub/b.py"):
        assert codes(client, client.open(document)) == ["cuda-api"]
    assert codes(client, client.open("untitled:1", TEXT)) == ["cuda-api"]
    client.watched(tmp_path / "zero.py", 1)
    client.wait(lambda: len(shown(client)) == 3, f"three messages: {shown(client)}")
    client.type(tmp_path / "a.py", TEXT * 2)
    assert codes(client, client.uri(tmp_path / "a.py")) == 2 * ["cuda-api"]
    told = (message.removeprefix("uncuda: ").partition(": ") for message in shown(client))
    wrong = {Path(path).name: message for path, _, message in told}
    assert wrong.keys() == {"pyproject.toml", "requirements.txt", ".gitignore"}
    assert wrong["pyproject.toml"] == "cannot be read: is a pipe, not a file"
    assert wrong[".gitignore"] == "cannot be read: is a device, not a file; it ignores nothing"
    assert client.shutdown() == 0


def test_a_configuration_costs_its_folder_at_most(start: Start, tmp_path: Path) -> None:
    wrong = {
        "nested": "target = " + "[" * 100_000,
        "digits": "target = " + "9" * 100_000 + "x",
        "home": 'extend = "~nobodyx/z"',
        "backslash": "exclude = ['\\']",
        "range": "[per-file-ignores]\n'[z-a]' = ['cuda-api']",
        "parts": "a." * 100_000 + "a = 1",
    }
    files = {f"{name}/uncuda.toml": words for name, words in wrong.items()}
    names = ["good", *wrong]  # the server is started in the first folder
    client = start(files={**files, **{f"{name}/a.py": TEXT for name in names}}, folders=[tmp_path / n for n in names])
    for document in (tmp_path / name / "a.py" for name in names):
        assert codes(client, client.open(document)) == ["cuda-api"]
    assert codes(client, client.open("untitled:1", TEXT)) == ["cuda-api"]
    told = [message.partition("uncuda.toml:")[0] for message in shown(client)]
    assert {Path(message.removeprefix("uncuda: ")).name for message in told} == wrong.keys()
    assert len(told) == len(wrong)


def test_stars_in_the_editors_settings(start: Start, tmp_path: Path) -> None:
    name = "a" * 120 + ".py"
    client = start(files={name: TEXT}, configuration={"exclude": ["*a*a*a*a*a*b", "[z-a]"]})
    assert codes(client, client.open(tmp_path / name)) == ["cuda-api"]
    client.wait(lambda: shown(client), "a message")
    (message,) = shown(client)
    assert "`exclude`: invalid pattern `[z-a]`" in message
