"""Tests of the commands that make the report for editors: the page of `uncuda report`, but with unsaved changes."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from cli.command import MANUAL, REVIEW, SAFE, uncuda
from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.starting import Start
from uncuda.lsp.wire.uris import path_of

REPORT, WRITE = "uncuda.report", "uncuda.writeReport"
TARGET: dict[str, str | bytes] = {"uncuda.toml": 'target = "npu"\n'}
FILES: dict[str, str | bytes] = {"a.py": SAFE, "b.py": REVIEW, "pkg/c.py": MANUAL, **TARGET}
CANCELLED, INVALID = -32800, -32602


def written(*arguments: str) -> str:
    """Return the HTML report that the command line writes for the current folder."""
    return uncuda("report", "--output", "-", *arguments).out


def without_commands(page: str) -> str:
    """Return a report page without the commands that it shows; they contain paths only if the command line wrote the
    page."""
    return re.sub(r"<code>uncuda .*?</code>", "", page)


def messages(client: Client) -> list[str]:
    return [item["message"] for item in client.traffic.received("window/showMessage")]


def test_it_is_the_page_of_the_command_line(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = start(files=FILES)
    monkeypatch.chdir(tmp_path)
    for arguments in ((), ({"root": tmp_path.as_uri()},), ({"root": f"{tmp_path.as_uri()}/"},)):
        made = client.execute(REPORT, *arguments)
        assert made["name"] == "uncuda-report.html"
        assert without_commands(made["html"]) == without_commands(written())
    assert "<code>uncuda fix</code>" in made["html"]
    assert not messages(client)


def test_what_is_not_saved_counts_and_what_is_accepted_does_not(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    client = start(files=FILES)
    assert uncuda("check", "--write-baseline", "pkg", "-q").code == 0
    client.open(tmp_path / "a.py")
    client.type(tmp_path / "a.py", SAFE + MANUAL)
    unsaved = without_commands(client.execute(REPORT)["html"])
    client.save(tmp_path / "a.py")
    (tmp_path / "a.py").write_text(SAFE + MANUAL, encoding="utf-8")
    assert unsaved == without_commands(written())


def test_a_folder_of_several(start: Start, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, text in ((one, SAFE), (two, MANUAL)):
        folder.mkdir()
        (folder / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
        (folder / "x.py").write_text(text, encoding="utf-8")
    client = start(folders=[one, two])
    assert "Port of one" in client.execute(REPORT)["html"]
    page = client.execute(REPORT, {"root": two.as_uri()})["html"]
    assert "Port of two" in page
    assert "amp-c-use" in page


@pytest.mark.parametrize("root", ["nonsense", "file:///nowhere", 3])
def test_what_is_no_folder_is_refused(start: Start, root: Any) -> None:
    client = start(files=FILES)
    with pytest.raises(ResponseError) as caught:
        client.execute(REPORT, {"root": root})
    assert caught.value.code == INVALID


def test_without_a_folder_it_is_said(start: Start) -> None:
    client = start(folders=[])
    assert client.execute(REPORT) is None
    assert messages(client) == ["No folder is open, so there is nothing to report on."]


def test_two_plugins_are_said(start: Start) -> None:
    client = start(files={"a.py": "import torch_npu\nimport torch_musa\nimport torch\nx.cuda()\n"})
    assert client.execute(REPORT) is None
    assert "set `target`" in messages(client)[-1]


def test_progress_and_cancel(start: Start, tmp_path: Path) -> None:
    client = start(files={**{f"m{number:03}.py": SAFE * 20 for number in range(300)}, **TARGET})
    pending = client.begin("workspace/executeCommand", {"command": REPORT, "workDoneToken": "mine"})
    client.wait(lambda: len(client.traffic.received("$/progress")) > 1, "progress")
    client.notify("window/workDoneProgress/cancel", {"token": "mine"})
    assert client.reply(pending) is None
    pending = client.begin("workspace/executeCommand", {"command": REPORT})
    client.notify("$/cancelRequest", {"id": pending})
    with pytest.raises(ResponseError) as caught:
        client.reply(pending)
    assert caught.value.code == CANCELLED
    client.settle()
    assert "<!doctype html>" in client.execute(REPORT)["html"]


def test_it_is_written_where_the_editor_can_open_it(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    client = start(files=FILES)
    uri = client.execute(WRITE)["uri"]
    file = Path(path_of(uri) or "")
    page = file.read_text(encoding="utf-8")
    assert file.name == "uncuda-report.html"
    assert client.execute(WRITE)["uri"] == uri
    client.settle()
    shown = client.traffic.received("window/showDocument")
    assert shown[-1]["uri"] == uri and shown[-1]["external"] is True
    assert messages(client)[-1] == f"The report is in {file}."
    links = set(re.findall(r'<a href="([^"#]+)#L\d+"', page))
    assert {os.path.realpath(file.parent / link) for link in links} == {
        os.path.realpath(tmp_path / name) for name in ("a.py", "b.py", "pkg/c.py")
    }
