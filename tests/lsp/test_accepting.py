"""Tests of accepting findings in an editor, and of which findings the editor still shows and fixes afterwards."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.command import check, uncuda
from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.notebook import open_notebook
from lsp.harness.profiles import PROFILES
from lsp.harness.pulls import Pulls
from lsp.harness.starting import Start
from support.notebook import code, notebook

NAME = "uncuda-baseline.jsonl"
TEXT = """\
import torch


def run(x):
    torch.cuda.synchronize()
    return x.cuda()


def other(x):
    torch.cuda.synchronize()
    torch.cuda.set_device(0)
"""
FIXED = TEXT.replace("x.cuda()", "x.npu()")
OPTIONS = {"settings": {"target": "npu"}}
ACCEPT, EVERYWHERE_COMMAND = "uncuda.accept", "uncuda.acceptInWorkspace"
THIS, ALL, EVERYWHERE = (
    f"Accept {what} in {NAME}" for what in ("this '{}'", "all '{}' of this file", "all '{}' of the workspace")
)


def entries(folder: Path, name: str = NAME) -> list[dict[str, Any]]:
    """The entries of a baseline, without its first line."""
    first, *rest = map(json.loads, (folder / name).read_text(encoding="utf-8").splitlines())
    assert first["format"] == 1
    return rest


def accepted(folder: Path, **files: str) -> None:
    """Write files to a folder (`a` is a.py), and a baseline that accepts all their findings."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    said = uncuda("check", "--target", "npu", "--write-baseline", "--reason", "known", str(folder))
    assert "accepted" in said.err, said.err


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def codes(client: Client, document: str | Path) -> list[str]:
    return [item["code"] for item in client.diagnostics(document)]


def messages(client: Client) -> list[str]:
    return [item["message"] for item in client.traffic.received("window/showMessage")]


def take(client: Client, uri: str, title: str, part: str, nth: int = 0) -> Any:
    """Run the code action with this title at an occurrence of `part`."""
    (action,) = [each for each in client.actions(uri, client.range(uri, part, nth)) if each["title"] == title]
    assert action["kind"] == "quickfix" and action["diagnostics"]
    command = action["command"]
    return client.execute(command["command"], *command["arguments"])


def test_one_finding(start: Start, tmp_path: Path) -> None:
    """The accepted finding disappears, an equal one in another function stays, and the command line agrees."""
    client = start(files={"a.py": TEXT}, options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    assert codes(client, uri) == ["cuda-api", "cuda-method", "cuda-api", "cuda-api"]
    done = take(client, uri, THIS.format("cuda-api"), "torch.cuda.synchronize()")
    assert done == {"accepted": 1, "file": (tmp_path / NAME).as_uri()}
    assert codes(client, uri) == ["cuda-method", "cuda-api", "cuda-api"]
    (entry,) = entries(tmp_path)
    assert (entry["path"], entry["rule"], entry["targets"], entry["reason"]) == ("a.py", "cuda-api", ["npu"], "")
    assert (tmp_path / NAME).read_text(encoding="utf-8").startswith('{"format": 1}\n'), "nobody has counted"
    said = check("a.py")
    assert [item["rule"] for item in said.json["findings"]] == ["cuda-method", "cuda-api", "cuda-api"]
    assert client.request("uncuda/status", {"textDocument": {"uri": uri}})["accepted"] == 1


def test_all_of_a_rule_with_a_reason(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT}, options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    titles = [action["title"] for action in client.actions(uri, client.range(uri, "x.cuda()"))]
    assert THIS.format("cuda-method") in titles and ALL.format("cuda-method") not in titles, "there is one"
    (action,) = [each for each in client.actions(uri) if each["title"] == ALL.format("cuda-api")]
    (arguments,) = action["command"]["arguments"]
    assert client.execute(ACCEPT, {**arguments, "reason": "only timing"})["accepted"] == 3
    assert codes(client, uri) == ["cuda-method"]
    assert [entry["reason"] for entry in entries(tmp_path)] == ["only timing"] * 3


def test_why_stands_between_and_ignore_last(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT}, options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    actions = client.actions(uri, client.range(uri, "torch.cuda.synchronize()"))
    titles = [action["title"].split()[0] for action in actions]
    assert list(dict.fromkeys(titles))[-4:] == ["Why:", "Accept", "Ignore", "uncuda:"]


@pytest.mark.parametrize("existing", [False, True])
def test_it_can_be_taken_back(start: Start, tmp_path: Path, existing: bool) -> None:
    if existing:
        accepted(tmp_path, b="x.cuda()  # torch\nimport torch\n")
    before = (tmp_path / NAME).read_bytes() if existing else None
    client = start(files={"a.py": TEXT}, options=OPTIONS)
    asked: list[Any] = []

    def choose(params: Any) -> str:
        asked.append(params)
        return "Take back"

    client.choose = choose
    uri = client.open(tmp_path / "a.py")
    client.execute(ACCEPT, {"uri": uri, "rule": "cuda-api", "reason": ""})
    client.wait(lambda: len(client.diagnostics(uri)) == 4, "what was accepted")
    safe = "3 of these findings have a safe fix, which uncuda no longer makes."
    assert asked[0]["message"] == f"Accepted: 3 findings, in {NAME}. {safe}"
    assert [item["title"] for item in asked[0]["actions"]] == ["Take back"]
    assert ((tmp_path / NAME).read_bytes() if (tmp_path / NAME).exists() else None) == before


def test_the_reason_is_written_afterwards(start: Start, tmp_path: Path) -> None:
    """An editor that cannot ask for a line of text opens the baseline at the new entry."""
    accepted(tmp_path, A="import torch\nx.cuda()\n")
    client = start(files={"a.py": TEXT}, options=OPTIONS)
    client.choose = lambda params: "Write the reason"
    uri = client.open(tmp_path / "a.py")
    client.execute(ACCEPT, {"uri": uri, "rule": "cuda-method"})
    client.wait(lambda: bool(client.traffic.received("window/showDocument")), "the baseline")
    (shown,) = client.traffic.received("window/showDocument")
    assert shown["uri"] == (tmp_path / NAME).as_uri()
    line = shown["selection"]["start"]["line"]
    said = json.loads((tmp_path / NAME).read_text(encoding="utf-8").splitlines()[line])
    assert (said["path"], said["rule"]) == ("a.py", "cuda-method")


def test_what_is_accepted_is_neither_shown_nor_fixed(start: Start, tmp_path: Path) -> None:
    accepted(tmp_path, a="import torch\nx.cuda()\n", b="import torch\ny.cuda()\n")
    for name in "ab":
        path = tmp_path / f"{name}.py"
        path.write_text(path.read_text(encoding="utf-8") + "z.cuda()\n", encoding="utf-8")
    client = start(options={"settings": {"target": "npu", "workspaceDiagnostics": True}})
    pulls = Pulls(client)

    def found() -> dict[str, list[int]]:
        lines = {uri: [item["range"]["start"]["line"] for item in items] for uri, items in pulls.findings.items()}
        return {Path(uri).name: found for uri, found in lines.items()}

    client.wait(lambda: found() == {"a.py": [2], "b.py": [2]}, "what is new")
    workspace = client.request("uncuda/status", {})["workspace"]
    assert (workspace["findings"], workspace["accepted"]) == (2, 2)
    uri = client.open(tmp_path / "a.py")
    assert [item["range"]["start"]["line"] for item in client.diagnostics(uri)] == [2]
    assert client.request("uncuda/status", {})["workspace"]["accepted"] == 2
    dry = client.execute("uncuda.fixAllInFile", {"uri": uri, "dryRun": True})
    assert "-z.cuda()" in dry["diff"] and "x.npu()" not in dry["diff"]
    result = client.execute("uncuda.fixAllInWorkspace")
    assert result["applied"] and result["files"] == 2
    assert client.text(uri) == "import torch\nimport torch_npu\nx.cuda()\nz.npu()\n"
    assert client.buffers.text((tmp_path / "b.py").as_uri()) == "import torch\nimport torch_npu\ny.cuda()\nz.npu()\n"
    action = next(each for each in client.actions(uri, only=["source.fixAll.uncuda"]) or [{}])
    assert not action, "nothing is left to fix"


def test_fix_on_save_leaves_what_is_accepted(start: Start, tmp_path: Path) -> None:
    accepted(tmp_path, a="import torch\nx.cuda()\n")
    client = start(options=OPTIONS)
    uri = client.open(tmp_path / "a.py", "import torch\nx.cuda()\ny.cuda()\n")
    (action,) = client.actions(uri, only=["source.fixAll"])
    client.do(action)
    assert client.text(uri) == "import torch\nimport torch_npu\nx.cuda()\ny.npu()\n"


def test_a_baseline_that_was_changed_elsewhere(start: Start, tmp_path: Path) -> None:
    """After a git pull or `uncuda check --write-baseline`, the affected open and closed files are updated without a
    check of all other files."""
    accepted(tmp_path, a="import torch\nx.cuda()\n", b="import torch\ny.cuda()\n")
    data = (tmp_path / NAME).read_text(encoding="utf-8")
    client = start(options={"settings": {"target": "npu", "workspaceDiagnostics": True}})
    pulls = Pulls(client)
    uri = client.open(tmp_path / "a.py")
    assert codes(client, uri) == []

    def found() -> list[str]:
        return sorted(Path(name).name for name in pulls.findings)

    (tmp_path / NAME).write_text(data.splitlines()[0] + "\n", encoding="utf-8")
    client.watched(tmp_path / NAME, 2)
    assert codes(client, uri) == ["cuda-method"]
    client.wait(lambda: found() in (["b.py"], ["a.py", "b.py"]), "what is not accepted any more")
    (tmp_path / NAME).write_text(data, encoding="utf-8")
    client.watched(tmp_path / NAME, 2)
    assert codes(client, uri) == []
    client.wait(lambda: found() == [], "what is accepted again")


def test_a_baseline_that_cannot_be_used(start: Start, tmp_path: Path) -> None:
    """If a baseline cannot be used, all findings are shown, nothing is fixed or accepted, and the error is reported
    once with its line."""
    files: dict[str, str | bytes] = {"a.py": TEXT, "b.py": TEXT, NAME: '{"format": 1}\n{"path": 3}\n'}
    client = start(files=files, options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    assert len(client.diagnostics(uri)) == 4
    client.wait(lambda: bool(messages(client)), "why")
    (said,) = messages(client)
    assert f"{NAME}:2: has no `rule`" in said
    fix = next(each for each in client.actions(uri) if each["title"].startswith("Replace"))
    assert "has no `rule`" in fix["disabled"]["reason"]
    assert client.execute(ACCEPT, {"uri": uri}) == {"accepted": 0, "file": None}
    assert messages(client)[-1].startswith("Nothing was accepted: ")
    result = client.execute("uncuda.fixAllInWorkspace")
    assert not result["applied"] and len(result["skipped"]) == 2
    assert all("has no `rule`" in item["reason"] for item in result["skipped"])
    assert (tmp_path / NAME).read_text(encoding="utf-8") == files[NAME]
    (tmp_path / NAME).write_text('{"format": 1}\n', encoding="utf-8")
    client.watched(tmp_path / NAME, 2)
    client.do(next(each for each in client.actions(uri) if each["title"].startswith("Replace")))


def test_not_in_a_restricted_workspace(start: Start, tmp_path: Path) -> None:
    restricted = PROFILES["vscode"].having(experimental__uncudaRestricted=True)
    client = start(restricted, files={"a.py": TEXT}, options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    assert not [each for each in client.actions(uri) if each["title"].startswith("Accept")]
    assert client.execute(ACCEPT, {"uri": uri})["accepted"] == 0
    assert messages(client)[-1] == "Nothing was accepted: you have not said that you trust this workspace"
    assert not (tmp_path / NAME).exists()


def test_beside_the_configuration(start: Start, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"deep/uncuda.toml": 'target = "npu"\n', "deep/src/a.py": TEXT}
    client = start(files=files)
    uri = client.open(tmp_path / "deep/src/a.py")
    client.execute(ACCEPT, {"uri": uri, "rule": "cuda-method"})
    assert [entry["path"] for entry in entries(tmp_path / "deep")] == ["src/a.py"]
    assert not (tmp_path / NAME).exists()


def test_what_is_not_there_any_more(start: Start, tmp_path: Path) -> None:
    """The text may have changed since a menu of code actions was opened."""
    client = start(files={"a.py": TEXT}, options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    at = client.range(uri, "x.cuda()")
    client.replace(uri, "import torch\n", "import torch\n\n")
    assert client.execute(ACCEPT, {"uri": uri, "rule": "cuda-method", "range": at})["accepted"] == 0
    assert messages(client)[-1] == "Nothing was accepted: the finding is no longer there; look again"
    assert not (tmp_path / NAME).exists()


def test_two_windows(start: Start, tmp_path: Path) -> None:
    """Findings that another editor has accepted in the meantime stay accepted."""
    first, second = start(files={"a.py": TEXT}, options=OPTIONS), start(options=OPTIONS)
    one, two = first.open(tmp_path / "a.py"), second.open(tmp_path / "a.py")
    first.execute(ACCEPT, {"uri": one, "rule": "cuda-method", "reason": "first"})
    second.execute(ACCEPT, {"uri": two, "rule": "cuda-api", "reason": "second"})
    assert sorted(entry["reason"] for entry in entries(tmp_path)) == ["first", *["second"] * 3]
    assert codes(second, two) == []


def test_a_file_that_was_renamed(start: Start, tmp_path: Path) -> None:
    accepted(tmp_path, a=TEXT)
    (tmp_path / "a.py").rename(tmp_path / "moved.py")
    client = start(options=OPTIONS)
    uri = client.open(tmp_path / "moved.py")
    assert codes(client, uri) == []
    client.replace(uri, "    return x.cuda()", "    return x.y.cuda()")
    assert codes(client, uri) == ["cuda-method"], "another statement is new"


def test_a_file_that_is_renamed_while_the_server_runs(start: Start, tmp_path: Path) -> None:
    accepted(tmp_path, a=TEXT)
    client = start(options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    assert codes(client, uri) == []
    client.close(uri)
    (tmp_path / "a.py").rename(tmp_path / "moved.py")
    assert codes(client, client.open(tmp_path / "moved.py")) == []


@pytest.mark.parametrize("profile", ["vscode", "eglot"])
def test_a_function_that_moves_to_another_file(start: Start, tmp_path: Path, profile: str) -> None:
    """The finding of the moved function is accepted in the new file only after the old file was saved without the
    function."""
    accepted(tmp_path, a=TEXT, b="import torch\n\ntorch.cuda.synchronize()\n")
    client = start(profile, options=OPTIONS)
    here, there = client.open(tmp_path / "a.py"), client.open(tmp_path / "b.py")
    whole, moving = client.text(there), TEXT[TEXT.index("def other") :]
    client.type(there, f"{whole}\n\n{moving}")
    assert codes(client, there) == ["cuda-api"] * 2, "they are in a.py still"
    client.type(here, TEXT.removesuffix(moving))
    client.save(here)
    if profile == "vscode":
        client.watched(tmp_path / "a.py", 2)
    client.settle()
    assert codes(client, there) == []
    client.type(here, TEXT)
    client.save(here)
    if profile == "vscode":
        client.watched(tmp_path / "a.py", 2)
    client.settle()
    assert codes(client, there) == ["cuda-api"] * 2, "they are in a.py again"


def test_a_function_that_moves_on_to_a_third_file(start: Start, tmp_path: Path) -> None:
    """The second file no longer contains code that a rule in the baseline reports."""
    accepted(tmp_path, a=TEXT, b="x = 1\n", c="x = 1\n")
    client = start("eglot", options=OPTIONS)
    here, there, last = (client.open(tmp_path / f"{name}.py") for name in "abc")
    moving = TEXT[TEXT.index("def other") :]
    client.type(here, TEXT.removesuffix(moving))
    client.save(here)
    client.type(there, f"import torch\n\n\n{moving}")
    client.save(there)
    client.settle()
    assert codes(client, there) == []
    client.type(there, "x = 1\n")
    client.save(there)
    client.type(last, f"import torch\n\n\n{moving}")
    client.save(last)
    client.settle()
    assert codes(client, last) == []


def test_a_rule_in_the_workspace(start: Start, tmp_path: Path) -> None:
    """In open documents the unsaved text is used, in closed files the text on disk; each finding is written to the
    baseline of its project."""
    files: dict[str, str | bytes] = {"a.py": "import torch\n", "b.py": TEXT, "sub/uncuda.toml": "", "sub/c.py": TEXT}
    client = start(files=files, options=OPTIONS)
    uri = client.open(tmp_path / "a.py", TEXT)
    (action,) = [each for each in client.actions(uri) if each["title"] == EVERYWHERE.format("cuda-api")]
    (arguments,) = action["command"]["arguments"]
    done = client.execute(action["command"]["command"], {**arguments, "reason": "timing"})
    assert done["accepted"] == 9
    assert {(entry["path"], entry["rule"]) for entry in entries(tmp_path)} == {
        ("a.py", "cuda-api"),
        ("b.py", "cuda-api"),
    }
    assert {entry["path"] for entry in entries(tmp_path / "sub")} == {"c.py"}
    assert codes(client, uri) == ["cuda-method"]
    said = check("b.py", "sub")
    assert [item["rule"] for item in said.json["findings"]] == ["cuda-method"] * 2
    assert client.execute(EVERYWHERE_COMMAND, {"rules": ["cuda-api"]})["accepted"] == 0, "it is accepted already"


def test_a_folder_and_all_rules(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT, "deep/b.py": TEXT}, options=OPTIONS)
    client.choose = lambda params: "Take back"
    done = client.execute(EVERYWHERE_COMMAND, {"scope": (tmp_path / "deep").as_uri(), "reason": ""})
    assert done == {"accepted": 4, "file": (tmp_path / NAME).as_uri()}
    client.wait(lambda: not (tmp_path / NAME).exists(), "what was accepted")


def test_who_accepts_all_learns_how_many_safe_fixes_that_are(start: Start, tmp_path: Path) -> None:
    """After findings of the workspace or of an open file were accepted, a message says how many of them have a safe
    fix; if none of them has one, the message does not mention safe fixes."""
    by_hand = "import torch\n\nkind = torch.cuda.get_device_capability()[0]\n"
    client = start(files={"a.py": TEXT, "b.py": by_hand}, options=OPTIONS)
    asked: list[str] = []

    def choose(params: Any) -> str:
        asked.append(params["message"])
        return "Take back"

    client.choose = choose
    client.execute(EVERYWHERE_COMMAND, {"reason": ""})
    client.wait(lambda: bool(asked), "the message")
    assert asked == [
        f"Accepted: 5 findings, in {NAME}. 4 of these findings have a safe fix, which uncuda no longer makes."
    ]
    client.wait(lambda: not (tmp_path / NAME).exists(), "what was accepted")
    client.execute(ACCEPT, {"uri": client.open(tmp_path / "b.py"), "reason": ""})
    client.wait(lambda: len(asked) == 2, "the message")
    assert asked[1] == f"Accepted: 1 finding, in {NAME}."


def test_the_status_says_how_many_are_accepted_in_the_workspace(start: Start, tmp_path: Path) -> None:
    """Accepted findings in closed files that have no other findings count, too, until they are removed from the
    baseline."""
    accepted(tmp_path, a=TEXT, b=TEXT + "torch.cuda.synchronize()\n")
    (tmp_path / "b.py").write_text(TEXT + "torch.cuda.synchronize()\ntorch.zeros(1).cuda()\n", encoding="utf-8")
    options = {"settings": {"target": "npu", "workspaceDiagnostics": True}}
    client = start(files={"c.py": "import torch\n"}, options=options)
    uri = client.open(tmp_path / "c.py")
    Pulls(client)

    def said() -> tuple[int, int]:
        workspace = client.request("uncuda/status", {"textDocument": {"uri": uri}})["workspace"]
        return workspace["findings"], workspace["accepted"]

    client.wait(lambda: said() == (1, 9), "both files")
    opened = client.open(tmp_path / "a.py")
    assert said() == (1, 9)
    client.close(opened)
    (tmp_path / "a.py").unlink()
    client.watched(tmp_path / "a.py", 3)
    client.wait(lambda: said() == (1, 5), "the file that is left")


def test_everywhere_not_in_a_restricted_workspace(start: Start, tmp_path: Path) -> None:
    restricted = PROFILES["vscode"].having(experimental__uncudaRestricted=True)
    client = start(restricted, files={"a.py": TEXT}, options=OPTIONS)
    assert client.execute(EVERYWHERE_COMMAND)["accepted"] == 0
    assert messages(client)[-1] == "Nothing was accepted: you have not said that you trust this workspace"


def test_everywhere_with_a_baseline_that_cannot_be_used(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT, NAME: "{"}, options=OPTIONS)
    assert client.execute(EVERYWHERE_COMMAND)["accepted"] == 0
    assert f"{NAME}:1: is no valid JSON" in messages(client)[-1]
    assert (tmp_path / NAME).read_text(encoding="utf-8") == "{"


def test_everywhere_with_one_of_two_baselines_that_cannot_be_written(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": TEXT, "sub/uncuda.toml": "", "sub/c.py": TEXT}, options=OPTIONS)
    (tmp_path / "sub" / NAME).symlink_to("nowhere/else")
    assert client.execute(EVERYWHERE_COMMAND, {"rules": ["cuda-api"], "reason": "x"})["accepted"] == 3
    client.wait(lambda: len(messages(client)) + len(client.traffic.received("window/showMessageRequest")) > 1, "both")
    assert messages(client)[-1].startswith(f"Not all findings were accepted: sub/{NAME}"), messages(client)
    assert {entry["path"] for entry in entries(tmp_path)} == {"a.py"}


def test_a_cell_of_a_notebook(start: Start, tmp_path: Path) -> None:
    """A finding accepted in the editor is accepted by the command line, too, once the notebook is saved."""
    cells = {"one": "import torch\n", "two": "x = torch.ones(2).cuda()\ny = x.cuda()\n"}
    (tmp_path / "n.ipynb").write_text(notebook(*map(code, cells.values())), encoding="utf-8")
    client = start(options=OPTIONS)
    _, second = open_notebook(client, tmp_path / "n.ipynb", cells)
    assert codes(client, second) == ["cuda-method"] * 2
    take(client, second, THIS.format("cuda-method"), "x.cuda()")
    assert codes(client, second) == ["cuda-method"]
    said = check("n.ipynb")
    assert len(said.json["findings"]) == 1


def test_without_a_folder(start: Start, tmp_path: Path) -> None:
    client = start(folders=[], options=OPTIONS)
    (tmp_path / "a.py").write_text(TEXT, encoding="utf-8")
    uri = client.open(tmp_path / "a.py")
    assert not [each for each in client.actions(uri) if each["title"].startswith("Accept")]
    assert client.execute(ACCEPT, {"uri": uri})["accepted"] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "open document"),
        ({"uri": "file:///nowhere.py"}, "open document"),
        ({"rule": "cuda-apo"}, "cuda-api"),
        ({"reason": 3}, "is a text"),
        ({"reasn": ""}, "reason"),
        ({"range": 3}, "range"),
    ],
)
def test_bad_arguments(start: Start, tmp_path: Path, arguments: dict[str, Any], says: str) -> None:
    client = start(files={"a.py": TEXT}, options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    given = {"uri": uri, **arguments} if arguments else {}
    with pytest.raises(ResponseError, match=says):
        client.execute(ACCEPT, given)
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize("profile", PROFILES)
def test_every_editor_has_it(start: Start, tmp_path: Path, profile: str) -> None:
    """Accepting works with plain LSP: a quick fix with a command, which the editor sends back unchanged."""
    client = start(profile, files={"a.py": TEXT}, options=OPTIONS)
    uri = client.open(tmp_path / "a.py")
    found = len(client.diagnostics(uri))
    actions = [each for each in client.actions(uri) if each["title"] == THIS.format("cuda-method")]
    client.do(actions[0])
    assert [entry["rule"] for entry in entries(tmp_path)] == ["cuda-method"]
    client.wait(lambda: len(client.diagnostics(uri)) == found - 1, "one less")
