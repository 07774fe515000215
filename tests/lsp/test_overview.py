"""Tests of the overview: its numbers equal those of `check`, and its actions fix and accept findings."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cli.command import MANUAL, REVIEW, SAFE, check, uncuda
from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.notebook import open_notebook
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from lsp.harness.traffic import Json
from lsp.harness.viewing import VIEW, Seen, action, complete, do
from support.notebook import notebook
from uncuda.lsp.features.overview import PAGE
from uncuda.lsp.state.overviews import MOST_IN_PROBLEMS

TEXT = """\
import torch


def run(x, lang):
    torch.cuda.synchronize()
    if lang == "cuda":
        return x.cuda()


torch.cuda.list_gpu_processes()
"""
FILES: dict[str, str | bytes] = {
    "uncuda.toml": 'target = "npu"\n',
    "a.py": TEXT,
    "src/b.py": TEXT,
    "src/deep/c.py": SAFE + TEXT,
    "src/deep/clean.py": "import torch\n",
    "tests/test_a.py": MANUAL,
    "book.ipynb": notebook("import torch\n", "torch.cuda.synchronize()\n"),
}
CHANGED = "uncuda/overviewChanged"


def summary(folder: Path) -> Json:
    """Return the counts that `check --summary` gives for a folder."""
    said: Json = uncuda("check", "--output-format", "json", "--summary", str(folder)).json
    return {**said["summary"], "accepted": said["accepted"]}


def changes(client: Client) -> list[Json]:
    return client.traffic.received(CHANGED)


def told(client: Client, since: int) -> None:
    """Wait until the client has received more than `since` notifications of changes."""
    client.wait(lambda: len(changes(client)) > since, "a notification")


def reviewed(client: Client, **asked: Any) -> tuple[Json, Json]:
    """Ask for the next finding; while the answer says to wait, ask again after each notification of changes. Return the
    answers to the first and to the last of these requests."""
    seen = len(changes(client))
    first = last = client.request("uncuda/review", asked)
    while not last["node"] and last["isWaiting"]:
        told(client, seen)
        seen = len(changes(client))
        last = client.request("uncuda/review", asked)
    return first, last


@pytest.mark.parametrize("group", ["rule", "folder"])
def test_it_is_what_check_counts(start: Start, tmp_path: Path, group: str) -> None:
    seen = complete(start(VIEW, files=FILES), group=group)
    said = summary(tmp_path)
    assert seen.numbers == {**said["classes"], "accepted": 0}
    assert (seen.top["counts"]["left"], seen.top["counts"]["files"]) == (said["count"], said["files"])
    assert len(seen.findings) == said["count"] == seen.top["badge"]["value"]
    assert sum(seen.of("class").values()) == sum(seen.of("file").values()) == sum(seen.of(group).values())
    classes = {kind: number for kind, number in seen.of("class").items() if number}
    assert classes == {kind: number for kind, number in said["classes"].items() if number}
    if group == "rule":
        by_rule = Counter[str]()
        for identifier, number in seen.of("rule").items():
            by_rule[identifier.partition("/")[2]] += number
        assert by_rule == Counter(finding["rule"] for finding in check(str(tmp_path)).json["findings"])


def test_folders_are_those_of_the_summary(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    seen = complete(start(VIEW, files=FILES), group="folder")
    due = Counter[tuple[str, str]]()
    for row in uncuda("check", "--output-format", "json", "--summary", ".").json["summary"]["folders"]:
        due["tests" if row["tests"] else "code", row["folder"]] += row["count"]
    # The view groups the findings of each class by folders separately, so only the sums are compared.
    shown = Counter[str]()
    for node in seen.findings:
        shown[node["uri"]] += 1
    assert sum(due.values()) == sum(shown.values())
    assert {place for place, _ in due} == {"code", "tests"}
    assert [node["label"] for node in seen.nodes.values() if node["id"] == "manual/tests:tests"] == ["tests (tests)"]


@pytest.mark.parametrize(
    "values",
    [
        ["safe"],
        ["review", "manual"],
        ["error"],
        ["warning", "tests"],
        ["tests"],
        ["code", "safe", "error"],
        ["accepted"],
    ],
)
def test_filters(start: Start, tmp_path: Path, values: list[str]) -> None:
    seen = complete(start(VIEW, files=FILES), filter=values)
    due = 0
    for finding in check(str(tmp_path)).json["findings"]:
        tests = "tests" if "tests" in Path(finding["path"]).relative_to(tmp_path).parts else "code"
        kind = finding["fixes"][0]["applicability"] if finding["fixes"] else "manual"
        said = {"kind": kind, "severity": finding["severity"], "place": tests}
        dimensions = (("safe", "review", "manual", "accepted"), ("error", "warning", "information"), ("code", "tests"))
        due += all(
            not set(values) & set(dimension) or said[name] in values
            for name, dimension in zip(said, dimensions, strict=True)
        )
    assert len(seen.findings) == due == sum(seen.of("class").values())
    assert sum(seen.numbers.values()) == summary(tmp_path)["count"], "numbers are those of all"
    assert "shown: " in seen.top["message"]
    if not due:
        assert seen.top["welcome"] == "hidden" and "the filter hides all findings" in seen.top["message"]


def test_choices_say_what_there_is_to_filter_by(start: Start, tmp_path: Path) -> None:
    seen = complete(start(VIEW, files=FILES))
    for choice in seen.top["choices"]:
        assert len(Seen(seen._client, filter=[choice["value"]]).findings) == choice["count"], choice


def test_pages(start: Start, tmp_path: Path) -> None:
    many = 2 * PAGE + 3
    client = start(VIEW, files={"uncuda.toml": 'target = "npu"\n', "a.py": "import torch\n" + "x.cuda()\n" * many})
    seen = complete(client)
    assert len(seen.findings) == many
    asked = {"parent": next(iter(seen.of("file")))}
    first = client.request("uncuda/overview", asked)
    second = client.request("uncuda/overview", {**asked, "after": first["next"]})
    third = client.request("uncuda/overview", {**asked, "after": second["next"]})
    assert [len(page["nodes"]) for page in (first, second, third)] == [PAGE, PAGE, 3] and "next" not in third
    lines = [node["range"]["start"]["line"] for page in (first, second, third) for node in page["nodes"]]
    assert lines == list(range(1, many + 1))


def test_an_edit_moves_what_is_below_and_keeps_the_ids(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    before = complete(client)
    since = len(changes(client))
    uri = client.open(tmp_path / "a.py")
    client.type(uri, "# a comment\n" + TEXT)
    told(client, since)
    after = Seen(client)
    client.wait(lambda: Seen(client).top["version"] > before.top["version"], "a new version")
    after = Seen(client)
    assert after.nodes.keys() == before.nodes.keys() and after.shape() == before.shape()
    moved = {
        key: node["range"]["start"]["line"] - before.nodes[key]["range"]["start"]["line"]
        for key, node in after.nodes.items()
        if node["kind"] == "finding"
    }
    assert {key: by for key, by in moved.items() if by} == {key: 1 for key in moved if "/a.py#" in key}
    assert changes(client)[-1]["root"] == tmp_path.as_uri()


def test_open_texts_count_and_closed_files_as_they_are(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    whole = complete(client).top["counts"]["left"]
    uri = client.open(tmp_path / "a.py")
    client.type(uri, "import torch\n")
    mine = len(check(str(tmp_path / "a.py")).json["findings"])
    client.wait(lambda: Seen(client).top["counts"]["left"] == whole - mine, "the findings gone")
    client.close(uri)  # the document is closed without saving
    client.wait(lambda: Seen(client).top["counts"]["left"] == whole, "the findings back")
    (tmp_path / "src" / "b.py").write_text("import torch\n")
    client.watched(tmp_path / "src" / "b.py", 2)
    client.wait(lambda: Seen(client).top["counts"]["left"] == whole - mine, "the change of a closed file")
    (tmp_path / "a.py").unlink()
    client.watched(tmp_path / "a.py", 3)
    client.wait(lambda: Seen(client).top["counts"]["left"] == whole - 2 * mine, "a file that is gone")
    assert whole - 2 * mine == summary(tmp_path)["count"]


def test_typing_without_a_finding_says_nothing(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    complete(client)
    clean = client.open(tmp_path / "src" / "deep" / "clean.py")
    since = len(changes(client))
    for number in range(5):
        client.type(clean, f"import torch\nn = {number}\n")
    uri = client.open(tmp_path / "a.py")
    client.type(uri, "\n" + TEXT)
    told(client, since)
    assert len(changes(client)) == since + 1, "one for all that was typed, and none before"


def test_a_fix_and_what_is_stale(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    seen = complete(client)
    uri = client.open(tmp_path / "a.py")
    (node,) = [node for node in seen.findings if "/a.py#" in node["id"] and "x.cuda" in _line(client, node)]
    fixed = client.request("uncuda/fixedText", node["finding"])["text"]
    assert node["finding"]["version"], "a text has the same name, open or not"
    client.type(uri, TEXT + "# more\n")
    assert do(client, node, "fix") == {"applied": False, "stale": True}
    assert client.traffic.received("window/showMessage")[-1]["message"] == "uncuda: the text has changed, look again"
    assert client.text(uri) == TEXT + "# more\n"
    client.type(uri, TEXT)
    assert do(client, node, "fix") == {"applied": True, "stale": False}, "it is the same text again"
    assert client.text(uri) == fixed and "x.npu()" in fixed
    assert do(client, node, "fix") == {"applied": False, "stale": True}
    client.wait(lambda: len(Seen(client).findings) == len(seen.findings) - 1, "one less")
    assert Seen(client).nodes.keys() < seen.nodes.keys()


def test_a_fix_in_a_closed_file(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    (node,) = [one for one in complete(client).findings if "/src/b.py#" in one["id"] and "lang" in _line(client, one)]
    file = tmp_path / "src" / "b.py"
    text = client.request("uncuda/fixedText", node["finding"])
    assert text["title"] == "b.py: fixed" and 'if lang == "npu":' in text["text"]
    assert file.read_text() == TEXT, "it was only asked"
    assert do(client, node, "fix") == {"applied": True, "stale": False}
    assert file.read_text() == text["text"]
    file.write_text(TEXT + "x = 1\n")
    other = _of(complete(client), "/src/deep/c.py#", "review")
    (tmp_path / "src" / "deep" / "c.py").write_text(SAFE + TEXT + "\n")
    assert do(client, other, "fix")["stale"] and "stale" in client.request("uncuda/fixedText", other["finding"])


def test_what_an_editor_would_not_keep_is_not_fixed(start: Start, tmp_path: Path) -> None:
    data = b"import torch\n# caf\xe9\nx.cuda()\n"
    coding = b"# -*- coding: latin-1 -*-\n" + data
    client = start(VIEW, files={"uncuda.toml": 'target = "npu"\n', "a.py": coding})
    (node,) = complete(client).findings
    assert do(client, node, "fix") == {"applied": False, "stale": False}
    assert "latin-1" in client.traffic.received("window/showMessage")[-1]["message"].lower().replace(
        "iso8859-1", "latin-1"
    )
    assert (tmp_path / "a.py").read_bytes() == coding


@pytest.mark.parametrize("open_first", [True, False])
def test_accepted_with_a_reason(start: Start, tmp_path: Path, open_first: bool) -> None:
    client = start(VIEW, files=FILES)
    before = complete(client)
    node = _of(before, "/src/b.py#", "manual")
    if open_first:
        client.open(tmp_path / "src" / "b.py")
    done = do(client, node, "accept", reason="only a log")
    baseline = tmp_path / "uncuda-baseline.jsonl"
    assert done == {"accepted": 1, "file": baseline.as_uri(), "stale": False}
    (entry,) = map(json.loads, baseline.read_text().splitlines()[1:])
    assert (entry["path"], entry["reason"], entry["print"]) == ("src/b.py", "only a log", node["finding"]["print"])
    client.wait(lambda: Seen(client).numbers["accepted"] == 1, "it among the accepted")
    after = Seen(client)
    assert after.top["counts"]["left"] == before.top["counts"]["left"] - 1 == summary(tmp_path)["count"]
    accepted = [one for one in after.findings if one["id"].startswith("accepted/")]
    assert [one["finding"]["print"] for one in accepted] == [node["finding"]["print"]]
    assert [each["name"] for each in accepted[0]["actions"]] == ["why"]
    assert "1 accepted" in after.top["message"]
    assert do(client, node, "accept", reason="")["stale"], "it is accepted already"


@pytest.mark.parametrize("open_first", [False, True])
def test_suppressed_by_a_comment_with_a_reason(start: Start, tmp_path: Path, open_first: bool) -> None:
    client = start(VIEW, files=FILES)
    file = tmp_path / "a.py"
    if open_first:
        client.open(file)
    seen = complete(client)
    (node,) = [node for node in seen.findings if "/a.py#" in node["id"] and "x.cuda" in _line(client, node)]
    assert do(client, node, "suppress", reason=" kept for  CUDA\n# 1 ") == {"applied": True, "stale": False}
    text = client.text(file.as_uri()) if open_first else file.read_text(encoding="utf-8")
    line = "        return x.cuda()"
    assert text == TEXT.replace(line, f"{line}  # uncuda: ignore[cuda-method] kept for CUDA 1")
    client.watched(file, 2)
    client.wait(lambda: len(Seen(client).findings) == len(seen.findings) - 1, "one less")
    assert do(client, node, "suppress", reason="") == {"applied": False, "stale": True}
    assert not (tmp_path / "uncuda-baseline.jsonl").exists()
    file.write_text(text, encoding="utf-8")
    assert summary(tmp_path)["count"] == len(seen.findings) - 1


def test_all_of_a_rule_in_one_class(start: Start, tmp_path: Path) -> None:
    """Accepting a rule node of the view accepts exactly the findings below the node, and no finding of the same rule in
    another fix class."""
    client = start(VIEW, files={**FILES, "d.py": 'import torch\n\nif x.device.type == "cuda":\n    y = "cuda"\n'})
    before = complete(client)
    whole = before.numbers
    for identifier, number in before.of("rule").items():
        kind = identifier.partition("/")[0]
        done = do(client, before.nodes[identifier], "accept", reason="r")
        assert done["accepted"] == number, identifier
        whole = {**whole, kind: whole[kind] - number, "accepted": whole["accepted"] + number}
        client.wait(partial(_has, client, whole), f"{identifier}: {whole}")
    assert not summary(tmp_path)["count"]
    assert client.request("uncuda/overview", {"filter": ["safe"]})["welcome"] == "hidden"


def test_done_of_what_the_baseline_counted(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    first = complete(client)
    assert first.top["message"] == f"{first.top['counts']['left']} left"
    assert first.top["counts"]["total"] is None
    uncuda("check", "--write-baseline", "--reason", "later", str(tmp_path))
    client.watched(tmp_path / "uncuda-baseline.jsonl", 1)
    total = first.top["counts"]["left"]
    client.wait(lambda: Seen(client).numbers["accepted"] == total, "all accepted")
    (tmp_path / "new.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    client.watched(tmp_path / "new.py", 1)
    client.wait(lambda: Seen(client).top["counts"]["left"] == 1, "one more")
    top = Seen(client).top
    assert (top["counts"]["total"], top["counts"]["done"]) == (total, total - 1)
    assert top["message"].startswith(f"{total - 1} of {total} done · {total} accepted")


def test_two_roots_with_two_targets(start: Start, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "one/uncuda.toml": 'target = "npu"\n', "one/a.py": TEXT,
        "two/uncuda.toml": 'target = "musa"\n', "two/a.py": TEXT, "two/b.py": TEXT,
    }  # fmt: skip
    folders = [tmp_path / "one", tmp_path / "two"]
    client = start(VIEW, files=files, folders=folders)
    seen = complete(client)
    roots = [node for node in seen.nodes.values() if node["kind"] == "root"]
    assert [(node["label"], node["uri"]) for node in roots] == [(f.name, f.as_uri()) for f in folders]
    assert [summary(folder)["count"] for folder in folders] == [node["count"] for node in roots]
    assert ["Ascend" in node["description"] for node in roots] == [True, False]
    for folder, node in zip(folders, roots, strict=True):
        alone = Seen(client, root=folder.as_uri())
        assert alone.top["counts"]["left"] == node["count"] and not alone.of("root")
        fix = action(seen.node(f"{folder.as_uri()}//safe"), "fix")
        assert fix["arguments"] == [{"scope": folder.as_uri()}]
    since = len(changes(client))
    uri = client.open(folders[1] / "b.py")
    client.type(uri, "\n" + TEXT)
    told(client, since)
    assert {change["root"] for change in changes(client)[since:]} == {folders[1].as_uri()}
    fixed = [
        client.request("uncuda/fixedText", node["finding"])["text"]
        for node in seen.findings
        if "x.cuda" in _line(client, node)
    ]
    assert any(".npu()" in text for text in fixed) and any(".musa()" in text for text in fixed)
    with pytest.raises(ResponseError):
        client.reply(client.begin("uncuda/overview", {"root": "file:///nowhere"}, deliberate=True))


def test_one_undecided_target(start: Start, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.py": "import torch_npu\n" + TEXT, "b.py": "import torch_musa\n"}
    top = complete(start(VIEW, files=files)).top
    assert (top["nodes"], top["welcome"]) == ([], "undecided")
    assert top["message"].startswith("plugins of ") and "nothing is shown before the target is chosen" in top["message"]


def test_a_workspace_that_is_not_trusted(start: Start, tmp_path: Path) -> None:
    """In an untrusted workspace the overview has findings of open files only, and its actions change no file."""
    client = start(VIEW.having(experimental__uncudaRestricted=True), files=FILES)
    client.wait(lambda: client.request("uncuda/overview", {})["state"] == "restricted", "restricted")
    top = client.request("uncuda/overview", {})
    assert (top["nodes"], top["welcome"]) == ([], "restricted")
    client.open(tmp_path / "a.py")
    seen = Seen(client)
    assert len(seen.findings) == len(check(str(tmp_path / "a.py")).json["findings"])
    assert {one["name"] for node in seen.nodes.values() for one in node["actions"]} == {"preview", "why"}
    assert "open files only" in seen.top["message"]
    (node, *_) = seen.findings
    name = {**node["finding"], "reason": ""}
    assert client.execute("uncuda.acceptFinding", name)["accepted"] == 0
    assert not (tmp_path / "uncuda-baseline.jsonl").exists()


@pytest.mark.parametrize(("version", "word"), [(0, "update the extension"), (2, "update uncuda")])
def test_two_versions_of_the_protocol(start: Start, version: int, word: str) -> None:
    """If client and server have different protocol versions, the reply says whether the client or the server must be
    updated, and the client gets no nodes or notifications."""
    client = start(VIEW.having(experimental__uncudaOverview={"version": version}), files=FILES)
    answer = client.request("uncuda/overview", {"anything": 1})
    assert word in answer["update"] and (answer["nodes"], answer["version"]) == ([], 0)
    assert client.server["experimental"] == {"uncudaOverview": {"version": 1}}
    client.diagnostics(client.open(client.folders[0] / "a.py"))
    client.settle()
    assert not changes(client)


def test_a_client_without_a_view_is_told_nothing(start: Start) -> None:
    client = start(PROFILES["vscode"], files=FILES)
    client.diagnostics(client.open(client.folders[0] / "a.py"))
    client.settle()
    assert not changes(client)


def test_in_chinese(start: Start, tmp_path: Path) -> None:
    seen = complete(start(VIEW.speaking("zh-cn"), files=FILES))
    assert [node["label"] for node in seen.top["nodes"]] == ["安全修复", "需复核", "需手动处理"]
    assert seen.top["message"] == f"剩余 {seen.top['counts']['left']}"


def test_notebooks_count_open_and_closed(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    closed = complete(client)
    (node,) = [one for one in closed.findings if "book.ipynb#" in one["id"]]
    uris = open_notebook(
        client, tmp_path / "book.ipynb", {"one": "import torch\n", "two": "torch.cuda.synchronize()\n"}
    )
    client.wait(lambda: any(one["uri"] == uris[1] for one in Seen(client).findings), "the cell")
    opened = Seen(client)
    assert opened.nodes.keys() == closed.nodes.keys()
    assert opened.nodes[node["id"]]["range"]["start"] == {"line": 0, "character": 0}
    assert do(client, opened.nodes[node["id"]], "fix") == {"applied": True, "stale": False}
    assert client.text(uris[1]) == "torch.npu.synchronize()\n"


def test_a_node_offers_only_what_it_holds(start: Start, tmp_path: Path) -> None:
    """A node has a fix action only if the action's command would fix exactly the findings below the node.

    A node has no fix action if its command would also fix findings that the filter hides or that are below other nodes.
    """
    client = start(VIEW, files=FILES)
    complete(client)
    for asked in (
        {"group": "rule"},
        {"group": "folder"},
        {"filter": ["code"]},
        {"group": "folder", "filter": ["error"]},
    ):
        seen = Seen(client, **asked)
        for node in seen.nodes.values():
            for one in node["actions"]:
                if node["kind"] not in ("finding", "root") and one["name"] == "fix":
                    dry = client.execute(one["command"], {**one["arguments"][0], "dryRun": True})
                    assert sum(dry["byRule"].values()) == node["count"], (asked, node["id"])


def test_the_way_down_to_a_place(start: Start, tmp_path: Path) -> None:
    client = start(VIEW, files=FILES)
    seen = complete(client)
    uri, line = (tmp_path / "src" / "b.py").as_uri(), TEXT.splitlines().index('    if lang == "cuda":')
    asked = {"uri": uri, "position": {"line": line, "character": 0}}
    path = client.request("uncuda/overviewPath", asked)["path"]
    assert [node["kind"] for node in path] == ["class", "rule", "file", "finding"]
    assert path[-1] == seen.nodes[path[-1]["id"]] and path[-1]["range"]["start"]["line"] == line
    for above, node in zip(["", *(node["id"] for node in path)], path, strict=False):
        assert seen.parents[node["id"]] == above
    nowhere = {**asked, "uri": (tmp_path / "src" / "deep" / "clean.py").as_uri()}
    assert client.request("uncuda/overviewPath", nowhere)["path"] == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("uncuda/overview", 1),
        ("uncuda/overview", {"group": "colour"}),
        ("uncuda/overview", {"filter": ["blue"]}),
        ("uncuda/overview", {"filter": "safe"}),
        ("uncuda/overview", {"after": "x"}),
        ("uncuda/overviewPath", {"uri": 1}),
        ("uncuda/review", {"move": "on"}),
        ("uncuda/fixedText", {"uri": "file:///a.py"}),
    ],
)
def test_parameters_of_no_use(start: Start, method: str, params: Any) -> None:
    client = start(VIEW)
    with pytest.raises(ResponseError):
        client.reply(client.begin(method, params, deliberate=True))


def test_a_parent_that_has_gone(start: Start) -> None:
    client = start(VIEW, files=FILES)
    complete(client)
    assert client.request("uncuda/overview", {"parent": "safe/no-such-rule"})["nodes"] == []


class TestTheReview:
    """Tests of the review, which shows one finding after the other."""

    def test_there_and_back(self, start: Start, tmp_path: Path) -> None:
        client = start(VIEW, files=FILES)
        seen = complete(client)
        due = [node for node in seen.findings if not node["id"].startswith("safe/")]
        first = client.request("uncuda/review", {})
        assert (first["total"], first["index"]) == (len(due), 0)
        assert first["label"].endswith(f"(1 of {len(due)})")
        keys, at = [first["node"]["key"]], first
        for _ in due[1:]:
            at = client.request("uncuda/review", {"from": at["node"]["key"], "move": 1})
            keys.append(at["node"]["key"])
        assert len(set(keys)) == len(due) and set(keys) == {node["key"] for node in due}
        again = client.request("uncuda/review", {"from": at["node"]["key"], "move": 1})
        assert again["node"]["key"] == keys[0], "it begins anew"
        back = client.request("uncuda/review", {"from": keys[0], "move": -1})
        assert back["node"]["key"] == keys[-1]

    def test_what_is_skipped_and_what_has_gone(self, start: Start, tmp_path: Path) -> None:
        client = start(VIEW, files=FILES)
        complete(client)
        first = client.request("uncuda/review", {"filter": ["review"]})
        second = client.request("uncuda/review", {"filter": ["review"], "from": first["node"]["key"], "move": 1})
        asked = {"filter": ["review"], "skip": [second["node"]["key"]]}
        third = client.request("uncuda/review", {**asked, "from": first["node"]["key"], "move": 1})
        assert third["total"] == first["total"] - 1
        assert third["node"]["key"] not in (first["node"]["key"], second["node"]["key"])
        client.open(tmp_path / "a.py")
        assert do(client, first["node"], "fix")["applied"]
        at = {"from": first["node"]["key"], "at": first["index"]}
        after = client.request("uncuda/review", {**asked, **at, "move": 1})
        assert after["node"]["key"] == third["node"]["key"], "the next one, and none left out"
        every = [node["key"] for node in Seen(client).findings]
        empty = client.request("uncuda/review", {"filter": ["review"], "skip": every, **at})
        assert (empty["node"], empty["total"]) == (None, 0)

    def test_fixes_come_before_what_is_by_hand(self, start: Start, tmp_path: Path) -> None:
        """Accepting a finding removes the fixes of the other findings in its statement."""
        flags = "torch.backends.cudnn"
        text = f"import torch\n\nwas = [{flags}.benchmark, {flags}.allow_tf32]\n"
        client = start(VIEW, files={"a.py": text, "b.py": REVIEW})
        complete(client)
        at = client.request("uncuda/review", {})
        queue = [at["label"]]
        while len(queue) < at["total"]:
            at = client.request("uncuda/review", {"from": at["node"]["key"], "move": 1})
            queue.append(at["label"])
        assert queue == ["a.py: tf32 (1 of 3)", "b.py: device-string (2 of 3)", "a.py: cudnn-flags (3 of 3)"]

    def test_it_waits_while_files_are_checked(self, start: Start, tmp_path: Path) -> None:
        """A client that repeats its request whenever the overview has changed gets the first finding, or, if none is
        left, a reply without a finding."""
        client = start(VIEW, files={"uncuda.toml": 'target = "npu"\n', "a.py": REVIEW})
        first, found = reviewed(client)
        assert (first["node"], first["isWaiting"]) == (None, True)
        assert first["message"] == "The files are still being checked; the review goes on when a finding is found."
        assert found["label"] == "a.py: device-string (1 of 1)"
        complete(client)
        every = [found["node"]["key"]]
        client.watched(tmp_path / "a.py", 2)
        first, none = reviewed(client, skip=every)
        assert first.get("message") is None, "one file takes no time"
        assert (none["node"], none.get("message")) == (None, None)

    def test_it_stops_waiting_where_nothing_is_found(self, start: Start) -> None:
        client = start(VIEW, files={"uncuda.toml": 'target = "npu"\n', "a.py": "import torch\n"})
        first, none = reviewed(client)
        assert first["isWaiting"]
        assert (none["node"], none.get("message")) == (None, None)

    def test_it_says_what_was_not_checked(self, start: Start, tmp_path: Path) -> None:
        client = start(VIEW.having(experimental__uncudaRestricted=True), files=FILES)
        client.wait(lambda: client.request("uncuda/overview", {})["state"] == "restricted", "restricted")
        said = "Nothing is left to review (open files only: you have not said that you trust this workspace)."
        at = client.request("uncuda/review", {})
        assert (at["node"], at["isWaiting"], at["message"]) == (None, False, said)

    def test_a_target_has_to_be_chosen_first(self, start: Start, tmp_path: Path) -> None:
        client = start(VIEW, files={"a.py": "import torch_npu\n" + TEXT, "b.py": "import torch_musa\n"})
        complete(client)
        assert "before the target is chosen" in client.request("uncuda/review", {})["message"]

    def test_one_rule(self, start: Start, tmp_path: Path) -> None:
        client = start(VIEW, files=FILES)
        seen = complete(client)
        rule = client.request("uncuda/review", {"rule": "cuda-api-missing"})
        due = [n for n in seen.findings if n["id"].startswith("manual/cuda-api-missing/")]
        assert rule["total"] == len(due)


class TestProblems:
    """With more than 200 findings, only open files have diagnostics; the overview still has all findings."""

    def pulled(self, client: Client) -> dict[str, int]:
        from lsp.test_workspace_diagnostics import Puller

        self.puller = Puller(client)
        return self.puller.counts()

    @pytest.mark.parametrize("more", [0, 1])
    def test_at_the_limit(self, start: Start, tmp_path: Path, more: int) -> None:
        number = MOST_IN_PROBLEMS + more - 1
        files: dict[str, str | bytes] = {
            "uncuda.toml": 'target = "npu"\n',
            "many.py": "import torch\n" + "x.cuda()\n" * number,
            "one.py": "import torch\nx.cuda()\n",
        }
        client = start(VIEW, files=files)
        self.pulled(client)
        complete(client)
        uri = client.open(tmp_path / "one.py")
        if more:
            self.puller.wait({"one.py": 1})
            client.type(uri, "import torch\n")
            self.puller.wait({"many.py": number})
            client.type(uri, "import torch\nx.cuda()\n")
            self.puller.wait({"one.py": 1})
            closed = {"textDocument": {"uri": (tmp_path / "many.py").as_uri()}}
            assert client.request("textDocument/diagnostic", closed)["items"] == []
        else:
            self.puller.wait({"many.py": number, "one.py": 1})

    def test_only_for_who_shows_the_view(self, start: Start, tmp_path: Path) -> None:
        files: dict[str, str | bytes] = {
            "uncuda.toml": 'target = "npu"\n',
            "many.py": "import torch\n" + "x.cuda()\n" * (MOST_IN_PROBLEMS + 1),
        }
        client = start(files=files)
        self.pulled(client)
        self.puller.wait({"many.py": MOST_IN_PROBLEMS + 1})


@pytest.mark.parametrize(("button", "what"), [("Review", "review"), ("Show", "view"), ("Report", "report")])
def test_buttons_after_fix_all(start: Start, tmp_path: Path, button: str, what: str) -> None:
    """With too many findings for diagnostics, the button "Show" opens the overview."""
    left = "torch.cuda.list_gpu_processes()\n" * (MOST_IN_PROBLEMS + 1)
    client = start(VIEW, files={**FILES, "many.py": "import torch\n" + left})
    complete(client)
    asked: list[list[str]] = []

    def choose(params: Json) -> str:
        asked.append([one["title"] for one in params["actions"]])
        return button

    client.choose = choose
    client.execute("uncuda.fixAllInWorkspace")
    shown = "uncuda/showOverview"
    client.wait(lambda: client.traffic.received(shown) == [{"what": what}], f"{what} opened")
    assert asked[-1] == ["Review", "Show", "Report"]


def test_no_buttons_for_what_a_client_does_not_show(start: Start, tmp_path: Path) -> None:
    client = start(
        VIEW.having(experimental__uncudaOverview={"version": 1, "shows": []}), files={**FILES, "r.py": REVIEW}
    )
    complete(client)
    asked: list[list[str]] = []

    def choose(params: Json) -> None:
        asked.append([one["title"] for one in params["actions"]])

    client.choose = choose
    client.execute("uncuda.fixAllInWorkspace")
    client.wait(lambda: asked, "the message")
    assert asked == [["Show"]]


def _of(seen: Seen, part: str, kind: str) -> Json:
    """Return the first finding of class `kind` whose id contains `part`, such as a file name."""
    return next(node for node in seen.findings if part in node["id"] and node["id"].startswith(f"{kind}/"))


def _has(client: Client, numbers: dict[str, int]) -> bool:
    return Seen(client).numbers == numbers


def _line(client: Client, node: Json) -> str:
    """Return the text of the line of a finding."""
    line: int = node["range"]["start"]["line"]
    return client.text(node["uri"]).splitlines()[line]


def test_without_a_folder(start: Start, tmp_path: Path) -> None:
    """A file opened without a folder is shown with its findings; an untitled document is not shown."""
    client = start(VIEW, files={"a.py": TEXT}, folders=[])
    client.open("untitled:1", TEXT)
    uri = client.open(tmp_path / "a.py")
    client.wait(lambda: Seen(client).findings, "the findings of the file")
    seen = Seen(client)
    assert {node["uri"] for node in seen.findings} == {uri}
    assert len(seen.findings) == len(client.diagnostics(uri))
    assert "open files only" in seen.top["message"]
    node = next(node for node in seen.findings if "x.cuda" in _line(client, node))
    assert do(client, node, "fix") == {"applied": True, "stale": False}
    client.close(uri)
    client.wait(lambda: not Seen(client).findings, "nothing")
