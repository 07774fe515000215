"""Tests of all fixes of a rule, for a client that compares each file with its fixed text before it applies the
fixes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.command import uncuda
from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.notebook import open_notebook
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from lsp.harness.traffic import Json
from lsp.harness.viewing import VIEW, Seen, complete, do
from lsp.test_overview import FILES, TEXT
from support.notebook import notebook
from uncuda.lsp.fixing.compared import MOST

RULE = "device-string"
REVIEWED = 'import torch\n\nif lang == "cuda":\n    pass\n'
REVIEW: Json = {"rules": [RULE], "applicability": "review"}


def texts(client: Client, wanted: Json, shown: Json) -> dict[str, str]:
    """Return the fixed text of each file, by the end of its URI."""
    found = {}
    for file in shown["files"]:
        named = {"uri": file["uri"], "version": file["version"]}
        before = client.request("uncuda/fixedText", named)["text"]
        after: str = client.request("uncuda/fixedText", {**named, **wanted})["text"]
        assert before != after
        found[file["uri"].rpartition("/")[2]] = after
    return found


def test_each_file_and_its_fixed_text(start: Start, tmp_path: Path) -> None:
    """A client that compares files gets the fixed text of each file that the fix changes; the fix itself and `uncuda
    fix` write the same texts."""
    client = start(VIEW, files=FILES)
    copy = shutil.copytree(tmp_path, tmp_path.with_name("copy"))
    uri = client.open(tmp_path / "a.py")
    due = [node for node in complete(client).findings if f"/{RULE}/" in node["id"]]
    shown = client.request("uncuda/changes", REVIEW)
    assert (shown["title"], shown["many"]) == (f"{RULE}: {len(due)} findings", False)
    promised = texts(client, REVIEW, shown)
    assert promised.keys() == {"a.py", "b.py", "c.py"}
    assert do(client, shown, "fix")["applied"]
    src = tmp_path / "src"
    made = {"a.py": client.text(uri), "b.py": (src / "b.py").read_text(), "c.py": (src / "deep" / "c.py").read_text()}
    assert made == promised
    uncuda("fix", "--review-fixes", "--fixable", RULE, str(copy))
    assert {name: next(copy.rglob(name)).read_text(encoding="utf-8") for name in promised} == promised
    client.wait(lambda: not client.request("uncuda/changes", REVIEW)["files"], "nothing of the rule is left")


def test_only_what_was_seen_is_fixed(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    complete(client)
    shown = client.request("uncuda/changes", REVIEW)
    uri = client.open(tmp_path / "a.py")
    client.type(uri, TEXT + "x = 1\n")
    assert not do(client, shown, "fix")["applied"]
    assert "look again" in client.traffic.received("window/showMessage")[-1]["message"]
    assert client.text(uri) == TEXT + "x = 1\n"
    (one,) = [file for file in shown["files"] if file["uri"].endswith("/a.py")]
    named = {"uri": one["uri"], "version": one["version"]}
    assert "look again" in client.request("uncuda/fixedText", {**named, **REVIEW})["stale"]
    assert do(client, client.request("uncuda/changes", REVIEW), "fix")["applied"]


def test_accepted_ones_are_left_out_and_all_can_be_accepted(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    node = next(node for node in complete(client).findings if f"/{RULE}/" in node["id"] and "/a.py#" in node["id"])
    assert do(client, node, "accept", reason="one")["accepted"] == 1
    client.wait(lambda: len(client.request("uncuda/changes", REVIEW)["files"]) == 2, "one is accepted")
    shown = client.request("uncuda/changes", REVIEW)
    assert [file["uri"].rpartition("/")[2] for file in shown["files"]] == ["b.py", "c.py"]
    assert do(client, shown, "accept", reason="all")["accepted"] == 2
    client.wait(lambda: not client.request("uncuda/changes", REVIEW)["files"], "all are accepted")


def test_in_a_folder_only(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    complete(client)
    wanted = {**REVIEW, "scope": (tmp_path / "src" / "deep").as_uri()}
    shown = client.request("uncuda/changes", wanted)
    assert [file["uri"] for file in shown["files"]] == [(tmp_path / "src" / "deep" / "c.py").as_uri()]
    assert do(client, shown, "fix")["applied"]
    client.watched(tmp_path / "src" / "deep" / "c.py", 2)
    client.wait(lambda: len(client.request("uncuda/changes", REVIEW)["files"]) == 2, "those outside are left")


@pytest.mark.parametrize("is_open", [False, True])
def test_a_notebook_is_compared_as_the_text_of_its_cells(start: Start, tmp_path: Path, is_open: bool) -> None:
    cells = ("import torch\n", 'if lang == "cuda":\n    pass\n')
    client = start(VIEW, files={"uncuda.toml": 'target = "npu"\n', "book.ipynb": notebook(*cells)})
    if is_open:
        open_notebook(client, tmp_path / "book.ipynb", {"a": cells[0], "b": cells[1]})
    complete(client)
    shown = client.request("uncuda/changes", REVIEW)
    (file,) = shown["files"]
    assert file["isNotebook"]
    named = {"uri": file["uri"], "version": file["version"]}
    before = client.request("uncuda/fixedText", named)["text"]
    after = client.request("uncuda/fixedText", {**named, **REVIEW})["text"]
    assert after.replace("import torch_npu\n", "") == before.replace('"cuda"', '"npu"') != before


def test_a_client_that_may_not_change_anything_only_looks(start: Start, tmp_path: Path) -> None:
    client = start(VIEW.having(experimental__uncudaRestricted=True), files=FILES)
    client.open(tmp_path / "a.py")
    client.wait(lambda: Seen(client).findings, "findings")
    shown = client.request("uncuda/changes", REVIEW)
    assert shown["files"]
    assert shown["actions"] == []


@pytest.mark.parametrize("shows", [["view"], ["view", "changes"]])
def test_a_group_is_offered_to_those_who_can_show_it(start: Start, shows: list[str]) -> None:
    """A client that cannot preview edits, such as a JetBrains IDE, is offered a preview of a group of findings only if
    the client declares (with `changes`) that it can show the files before and after the fixes."""
    client = start(
        PROFILES["jetbrains"].having(experimental__uncudaOverview={"version": 1, "shows": shows}), files=FILES
    )
    rules = [
        node for node in complete(client).nodes.values() if node["kind"] == "rule" and node["id"].startswith("review/")
    ]
    offered = [[action for action in node["actions"] if action["name"] == "preview"] for node in rules]
    assert rules and [len(actions) for actions in offered] == [int("changes" in shows)] * len(rules)
    for (action,) in offered if "changes" in shows else ():
        (wanted,) = action["arguments"]
        assert client.request("uncuda/changes", wanted)["files"]


def test_too_many_files(start: Start, tmp_path: Path) -> None:
    many: dict[str, str | bytes] = {f"p/f{number}.py": REVIEWED for number in range(MOST + 1)}
    client = start(VIEW, files={"uncuda.toml": 'target = "npu"\n', **many})
    complete(client)
    shown = client.request("uncuda/changes", REVIEW)
    assert (shown["files"], shown["many"], shown["actions"]) == ([], True, [])
    (tmp_path / "p" / "f0.py").unlink()
    client.watched(tmp_path / "p" / "f0.py", 3)
    client.wait(lambda: len(client.request("uncuda/changes", REVIEW)["files"]) == MOST, "as many as are shown")


@pytest.mark.parametrize(
    "params", [{"rules": ["no-such"]}, {"rules": 1}, {"scope": "file:///nowhere"}, {"other": 1}, 7]
)
def test_parameters_of_no_use(start: Start, params: Any) -> None:
    client = start(VIEW, files=FILES)
    with pytest.raises(ResponseError):
        client.request("uncuda/changes", params)
