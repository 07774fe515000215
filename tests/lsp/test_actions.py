"""Tests of code actions in several clients: which ones are offered, what they change, and which input of the client is
not trusted."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from cli.command import environment
from lsp.harness.client import Client
from lsp.harness.connection import Refused, ResponseError
from lsp.harness.notebook import open_notebook
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from lsp.harness.text import apply_text_edits
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.edits import apply_edits
from uncuda.engine import Engine, Finding
from uncuda.report.rule_page import page_of
from uncuda.settings import Settings
from uncuda.source import Source

Json = dict[str, Any]
FIX_ALL = "source.fixAll.uncuda"
TEXT = (
    "# 𝛼 数据\n"
    "import torch\n"
    "import torch.distributed as dist\n\n"
    "name = '𝛼é'; torch.cuda.synchronize()  # 注释\n"
    "dist.init_process_group('nccl')\n"
    "x = model.cuda(), y.cuda()\n"
    "if language == 'cuda':\n    pass\n"
    "torch.cuda.list_gpu_processes()\n"
)
BROKEN = "import torch\ntorch.cuda.init()\ntorch.cuda.init()\nx = (\n"


def engine(target: str = "npu", locale: str = "en") -> Engine:
    return engine_for(target, Settings(locale=locale))


def findings(text: str = TEXT, made: Engine | None = None) -> list[Finding]:
    return list((made or engine()).check(Source(text)).findings)


def single_edits(action: Json) -> list[Json]:
    """The text edits of an action that changes one document."""
    edit = action["edit"]
    (edits,) = edit["changes"].values() if "changes" in edit else [part["edits"] for part in edit["documentChanges"]]
    return list(edits)


def result(client: Client, action: Json, uri: str) -> str:
    """Return the text of a document after an action, without applying it."""
    return apply_text_edits(client.text(uri), single_edits(client.resolve(action)), client.buffers.encoding)


def titled(actions: list[Json], title: str) -> Json:
    (found,) = [action for action in actions if action["title"] == title]
    return found


def ask(client: Client, uri: str, at: Json, codes: list[str], only: list[str] | None = None) -> list[Json]:
    """Request code actions with diagnostics whose codes are right and whose ranges are wrong."""
    nowhere = {"start": {"line": 9999, "character": 9}, "end": {"line": 10000, "character": 99}}
    shown = [{"range": nowhere, "message": "", "code": code, "source": "uncuda"} for code in codes]
    context: Json = {"diagnostics": shown} | ({} if only is None else {"only": only})
    params = {"textDocument": {"uri": uri}, "range": at, "context": context}
    identifier = client.begin("textDocument/codeAction", params, deliberate=True)
    actions: list[Json] = client.reply(identifier) or []
    return actions


# Tests: each fix of one finding is a code action.


def test_every_fix_of_every_finding(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    fixed = [(f.fixes[0].title, apply_edits(TEXT, f.fixes[0].edits)) for f in findings() if f.fixes]
    assert len(fixed) == 5
    actions = each_client.actions(uri, only=["quickfix"])
    offered = [(a["title"].removesuffix(" (to review)"), a) for a in actions if len(a.get("diagnostics", ())) == 1]
    done = [(title, result(each_client, a, uri)) for title, a in offered if title in dict(fixed)]
    assert done == fixed
    for action in actions:
        if edit := action.get("edit"):
            capable = each_client.profile.can("workspace.workspaceEdit.documentChanges")
            assert list(edit) == (["documentChanges"] if capable else ["changes"])


def test_a_fix_is_taken(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", "import torch\ntorch.cuda.synchronize()\n")
    client.do(titled(client.actions(uri, client.range(uri, "cuda")), "Replace with `torch.npu.synchronize`"))
    assert client.text(uri) == "import torch\nimport torch_npu\ntorch.npu.synchronize()\n"
    assert client.diagnostics(uri) == []


def test_safe_is_preferred_and_review_says_so(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    safe = titled(
        each_client.actions(uri, each_client.range(uri, "synchronize")), "Replace with `torch.npu.synchronize`"
    )
    assert safe.get("isPreferred") == (
        True if each_client.profile.can("textDocument.codeAction.isPreferredSupport") else None
    )
    review = titled(each_client.actions(uri, each_client.range(uri, "'cuda'")), 'Replace with "npu" (to review)')
    assert "isPreferred" not in review


def test_a_fix_names_its_diagnostic(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    (shown,) = [item for item in client.diagnostics(uri) if item["code"] == "cuda-api"]
    action = titled(client.actions(uri, shown["range"]), "Replace with `torch.npu.synchronize`")
    assert [(item["code"], item["range"]) for item in action["diagnostics"]] == [("cuda-api", shown["range"])]


def test_what_is_done_for_a_rule_names_its_diagnostics_alone(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", "import torch\nx = y.cuda() if y.is_cuda else z.cuda()\n")
    for rule in ("cuda-method", "is-cuda"):
        actions = [action for action in client.actions(uri, only=["quickfix"]) if f"'{rule}'" in action["title"]]
        assert {action["title"].partition(" ")[0] for action in actions} >= {"Why:", "Ignore"}
        assert {item["code"] for action in actions for item in action["diagnostics"]} == {rule}


def test_every_action_names_its_diagnostics_in_the_order_of_use(each_client: Client) -> None:
    """VS Code keeps the server's order only among actions that name a diagnostic, and sorts actions without a
    diagnostic differently."""
    uri = each_client.open("untitled:Untitled-1", TEXT)
    actions = each_client.actions(uri, each_client.range(uri, "y.cuda"), ["quickfix"])
    order = [
        "Replace with `.npu`",
        "Fix all 'cuda-method' in this file",
        "Why: 'cuda-method'",
        "Ignore 'cuda-method' on this line",
        "Ignore 'cuda-method' in this file",
    ]
    if each_client.profile.can("window.showDocument.support") is not True:
        order.remove("Why: 'cuda-method'")
    assert [action["title"] for action in actions] == order
    _, shown = (item for item in each_client.diagnostics(uri) if item["code"] == "cuda-method")
    for action in actions:
        assert action["kind"] == "quickfix"
        assert shown["range"] in [item["range"] for item in action["diagnostics"]], action["title"]
    preferred = [action["title"] for action in actions if action.get("isPreferred")]
    capable = each_client.profile.can("textDocument.codeAction.isPreferredSupport")
    assert preferred == (order[:1] if capable else [])


def test_another_target(start: Start, tmp_path: Path) -> None:
    client = start(files={"uncuda.toml": 'target = "musa"\n', "a.py": TEXT})
    uri = client.open(tmp_path / "a.py")
    client.do(titled(client.actions(uri, only=[FIX_ALL]), "uncuda: fix all in this file"))
    assert client.text(uri) == engine("musa").fix(Source(TEXT)).text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_in_every_encoding(start: Start, encoding: str) -> None:
    client = start(PROFILES["vscode"].counting(encoding))
    assert client.buffers.encoding == encoding
    uri = client.open("untitled:Untitled-1", TEXT)
    actions = client.actions(uri, client.range(uri, "synchronize"))
    (due,) = (f for f in findings() if f.rule == "cuda-api")
    assert result(client, titled(actions, due.fixes[0].title), uri) == apply_edits(TEXT, due.fixes[0].edits)


# Tests: the findings that a code action names as its diagnostics.


def test_the_ranges_of_diagnostics_are_never_used(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    actions = ask(client, uri, client.range(uri, "synchronize"), ["cuda-api"], ["quickfix"])
    assert actions[0]["title"] == "Replace with `torch.npu.synchronize`"


def test_codes_choose_among_what_the_range_touches(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", "import torch\nx.to(f'cuda:{torch.cuda.current_device()}')\n")
    both = client.actions(uri, client.range(uri, "current_device"), ["quickfix"])
    rules = [item["code"] for action in both for item in action.get("diagnostics", ())]
    assert {"cuda-api", "device-string"} <= set(rules)
    one = ask(client, uri, client.range(uri, "current_device"), ["cuda-api"], ["quickfix"])
    assert {item["code"] for action in one for item in action.get("diagnostics", ())} == {"cuda-api"}


def test_a_cursor_beside_what_the_client_shows_on_its_line(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    beside = client.range(uri, "注释")
    assert not ask(client, uri, beside, [], ["quickfix"])
    assert ask(client, uri, beside, ["cuda-api"])[0]["title"] == "Replace with `torch.npu.synchronize`"
    assert not ask(client, uri, client.range(uri, "import torch"), ["cuda-api"], ["quickfix"])


def test_diagnostics_of_others_choose_nothing(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    at = client.range(uri, "synchronize")
    other = {"range": at, "message": "?", "code": "F401", "source": "Ruff"}
    context = {"diagnostics": [other]}
    actions = client.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": at, "context": context})
    assert titled(actions, "Replace with `torch.npu.synchronize`")


def test_an_unknown_document(client: Client) -> None:
    nothing = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    params = {"textDocument": {"uri": "untitled:none"}, "range": nothing, "context": {"diagnostics": []}}
    assert client.reply(client.begin("textDocument/codeAction", params, deliberate=True)) is None


# Kinds


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (None, {"quickfix", FIX_ALL}),
        ([], set()),
        ([""], {"quickfix", FIX_ALL}),
        (["quickfix"], {"quickfix"}),
        (["source"], {FIX_ALL}),
        (["source.fixAll"], {FIX_ALL}),
        ([FIX_ALL], {FIX_ALL}),
        (["source.fixAll.uncuda.more"], set()),
        (["source.fixAllx"], set()),
        (["source.fixAll.ruff"], set()),
        (["source.organizeImports"], set()),
        (["refactor"], set()),
        (["notebook.source.fixAll"], set()),
        (["refactor", "source"], {FIX_ALL}),
    ],
)
def test_kinds(client: Client, only: list[str] | None, kinds: set[str]) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    assert {action["kind"] for action in client.actions(uri, only=only)} == kinds


def test_what_is_announced(client: Client) -> None:
    provider = client.server["codeActionProvider"]
    assert provider["resolveProvider"] is True
    assert set(provider["codeActionKinds"]) == {"quickfix", FIX_ALL, "notebook.source.fixAll.uncuda"}


def test_an_ide_that_asks_for_each_diagnostic(start: Start) -> None:
    client = start("jetbrains")
    uri = client.open("untitled:Untitled-1", TEXT)
    for item in client.diagnostics(uri):
        actions = ask(client, uri, item["range"], [item["code"]], ["quickfix"])
        assert {action["kind"] for action in actions} == {"quickfix"}
        assert {d["code"] for action in actions for d in action.get("diagnostics", ())} == {item["code"]}
    assert titled(client.actions(uri), "uncuda: fix all in this file")["kind"] == FIX_ALL


def test_a_client_that_takes_only_commands(start: Start) -> None:
    client = start(PROFILES["vscode"].having(textDocument__codeAction__codeActionLiteralSupport=None))
    uri = client.open("untitled:Untitled-1", TEXT)
    (command,) = client.actions(uri)
    assert (command["command"], command["arguments"]) == ("uncuda.fixAllInFile", [{"uri": uri}])
    assert client.server["codeActionProvider"] is True
    client.type(uri, "import torch\ntorch.cuda.list_gpu_processes()\n")
    assert client.actions(uri) == []


# Tests: actions that fix all findings of a document at once.


def test_fix_all_gives_what_the_engine_gives(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    action = titled(each_client.actions(uri, only=["source.fixAll"]), "uncuda: fix all in this file")
    later = "edit" in (each_client.profile.can("textDocument.codeAction.resolveSupport.properties") or [])
    assert ("edit" in action, "data" in action) == (not later, later)
    assert len(json.dumps(action.get("data", ""))) < 120
    each_client.do(action)
    assert each_client.text(uri) == engine().fix(Source(TEXT)).text
    assert each_client.actions(uri, only=["source"]) == []


def test_what_costs_is_not_computed_for_a_glance(start: Start) -> None:
    for profile, offered in (("eglot", False), ("vscode", True)):
        client = start(profile)
        uri = client.open("untitled:Untitled-1", TEXT)
        context = {"diagnostics": [], "triggerKind": 2}
        params = {"textDocument": {"uri": uri}, "range": client.range(uri, "y.cuda"), "context": context}
        titles = [action["title"].lower() for action in client.request("textDocument/codeAction", params)]
        assert any("fix all" in title for title in titles) is offered
        assert "replace with `.npu`" in titles


def test_fix_all_of_a_rule(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    actions = each_client.actions(uri, each_client.range(uri, "y.cuda"))
    each_client.do(titled(actions, "Fix all 'cuda-method' in this file"))
    assert each_client.text(uri) == engine().fix(Source(TEXT), rules={"cuda-method"}).text
    assert {item["code"] for item in each_client.diagnostics(uri)} == {f.rule for f in findings()} - {"cuda-method"}


def test_fix_all_of_a_rule_that_needs_review(client: Client) -> None:
    text = "import torch\nif language == 'cuda':\n    pass\nif kind == 'cuda':\n    pass\nx.to('cuda')\n"
    assert [f.fixes[0].applicability for f in findings(text)] == ["review", "review", "safe"]
    uri = client.open("untitled:Untitled-1", text)
    actions = client.actions(uri, client.range(uri, "'cuda'"))
    client.do(titled(actions, "Fix all 'device-string' in this file (to review)"))
    assert client.text(uri) == engine().fix(Source(text), review=True, rules={"device-string"}).text


def test_fix_all_of_a_rule_is_for_several(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    actions = client.actions(uri, client.range(uri, "synchronize"))
    assert not [action for action in actions if action["title"].startswith("Fix all")]


def test_an_action_resolved_after_the_text_changed(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    action = titled(client.actions(uri, only=[FIX_ALL]), "uncuda: fix all in this file")
    client.type(uri, "# 𝛼\n" + TEXT + "torch.cuda.init()\n")
    text = client.text(uri)
    client.do(action)
    assert client.text(uri) == engine().fix(Source(text)).text != text


def test_an_action_resolved_after_its_document_was_closed(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    action = titled(client.actions(uri, only=[FIX_ALL]), "uncuda: fix all in this file")
    client.close(uri)
    with pytest.raises(ResponseError, match="is not open"):
        client.resolve(action)


@pytest.mark.parametrize("data", [1, [], {}, {"uri": 1}, {"uri": "x", "rule": 1}, {"uri": "x", "review": "y"}])
def test_an_action_of_somebody_else_stays_as_it_is(client: Client, data: Any) -> None:
    action = {"title": "x", "kind": "quickfix", "data": data}
    resolved = client.reply(client.begin("codeAction/resolve", action, deliberate=True))
    assert (resolved["title"], resolved.get("edit")) == ("x", None)


def test_a_text_that_does_not_parse(client: Client) -> None:
    """In a file with a syntax error, single fixes are offered, but "fix all" changes nothing, and a user who chooses it
    is told why."""
    uri = client.open("untitled:Untitled-1", BROKEN)
    actions = client.actions(uri, client.range(uri, "init"))
    told: list[str] = []
    client.hear = lambda method, params: told.append(params["message"]) if method == "window/showMessage" else None  # type: ignore[method-assign]
    assert "edit" not in client.resolve(titled(client.actions(uri, only=[FIX_ALL]), "uncuda: fix all in this file"))
    assert not told
    assert "edit" not in client.resolve(titled(actions, "Fix all 'cuda-api' in this file"))
    (message,) = told
    assert "does not parse" in message
    client.do(titled(actions, "Replace with `torch.npu.init`"))
    assert client.text(uri) == BROKEN.replace("torch\n", "torch\nimport torch_npu\n", 1).replace("cuda", "npu", 1)


def test_a_text_that_does_not_parse_without_resolving(start: Start) -> None:
    client = start("kate")
    uri = client.open("untitled:Untitled-1", BROKEN)
    assert not [action for action in client.actions(uri) if action["title"].lower().count("fix all")]


# Tests: actions for findings that have no fix.


def test_a_finding_without_a_fix(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    actions = each_client.actions(uri, each_client.range(uri, "list_gpu_processes"))
    disabled = [action for action in actions if "disabled" in action]
    if not each_client.profile.can("textDocument.codeAction.disabledSupport"):
        assert disabled == []
        return
    (action,) = disabled
    assert action["title"] == "Fix 'cuda-api-missing'"
    assert findings()[-1].message in action["disabled"]["reason"]
    assert "edit" not in action
    assert "data" not in action


def test_a_statement_that_only_libcst_reads(start: Start, tmp_path: Path) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("this Python reads it itself")
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "libcst.py").write_text("raise ImportError\n", encoding="utf-8")
    where = environment()["PYTHONPATH"]
    client = start(env={"PYTHONPATH": f"{tmp_path / 'without'}{os.pathsep}{where}"})
    uri = client.open("untitled:Untitled-1", 'import torch\nx = t"{torch.cuda.device_count()}"\ny = f(torch.cuda.\n')
    (action,) = client.actions(uri, client.range(uri, "device_count"))
    assert action["title"] == "Read this statement"
    assert "-m pip install --upgrade libcst" in action["disabled"]["reason"]
    assert not client.actions(uri, client.range(uri, "y = f"))


# Tests: actions that insert a comment which suppresses a finding.


def test_ignore_on_a_line(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    actions = each_client.actions(uri, each_client.range(uri, "synchronize"))
    each_client.do(titled(actions, "Ignore 'cuda-api' on this line"))
    assert each_client.text(uri) == TEXT.replace("# 注释", "# 注释  # uncuda: ignore[cuda-api]")
    assert "cuda-api" not in {item["code"] for item in each_client.diagnostics(uri)}
    actions = each_client.actions(uri, each_client.range(uri, "y.cuda"))
    each_client.do(titled(actions, "Ignore 'cuda-method' on this line"))
    assert "# uncuda: ignore[cuda-method]" in each_client.text(uri)
    assert {item["code"] for item in each_client.diagnostics(uri)} & {"cuda-api", "cuda-method"} == set()


def test_ignore_in_a_file(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    for rule, part in (("cuda-method", "model.cuda"), ("cuda-api", "synchronize")):
        each_client.do(titled(each_client.actions(uri, each_client.range(uri, part)), f"Ignore '{rule}' in this file"))
    assert each_client.text(uri) == "# uncuda: file-ignore[cuda-method, cuda-api]\n" + TEXT
    assert {item["code"] for item in each_client.diagnostics(uri)} & {"cuda-api", "cuda-method"} == set()


def test_one_comment_for_a_line(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    actions = client.actions(uri, client.range(uri, "model.cuda(), y.cuda()"))
    assert len(titled(actions, "Ignore 'cuda-method' on this line")["diagnostics"]) == 2


# Tests: actions that fix the whole workspace.


def everywhere(client: Client, uri: str, rule: str) -> list[Json]:
    """Return the code actions at a finding that fix all findings of its rule in the workspace."""
    (item,) = [item for item in client.diagnostics(uri) if item["code"] == rule]
    return [action for action in client.actions(uri, item["range"]) if "in the workspace" in action["title"]]


def test_a_rule_in_the_workspace(start: Start, tmp_path: Path) -> None:
    """The action "fix this rule in the workspace" also fixes closed files, fixes no other rule, and names its
    diagnostics."""
    two = "import torch\n\ntorch.cuda.synchronize()\nx = torch.ones(2).cuda()\n"
    client = start(files={"a.py": two, "sub/b.py": two, "uncuda.toml": "target = 'npu'\n"})
    uri = client.open(tmp_path / "a.py")
    (action,) = everywhere(client, uri, "cuda-api")
    assert action["title"] == "Fix all 'cuda-api' in the workspace"
    assert (action["kind"], [item["code"] for item in action["diagnostics"]]) == ("quickfix", ["cuda-api"])
    client.execute(action["command"]["command"], *action["command"]["arguments"])
    for path in (tmp_path / "a.py", tmp_path / "sub/b.py"):
        text = client.text(path)
        assert "torch.npu.synchronize()" in text and ".cuda()" in text


def test_a_rule_to_review_in_the_workspace_comes_as_a_preview(start: Start, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.py": 'if lang == "cuda":\n    import torch\n',
        "uncuda.toml": "target = 'npu'\n",
    }
    client = start(files=files)
    (action,) = everywhere(client, client.open(tmp_path / "a.py"), "device-string")
    assert action["title"] == "Preview fixes of 'device-string' in the workspace (to review)"
    assert action["command"]["command"] == "uncuda.previewFixAllInWorkspace"
    assert action["command"]["arguments"] == [{"rules": ["device-string"]}]
    other = start("neovim", files=files)
    if not other.profile.can("workspace.workspaceEdit.changeAnnotationSupport"):
        assert everywhere(other, other.open(tmp_path / "a.py"), "device-string") == []


def test_what_is_in_no_workspace_is_fixed_alone(start: Start, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    client = start(folders=[tmp_path / "in"])
    assert everywhere(client, client.open("untitled:1", "import torch\ntorch.cuda.synchronize()\n"), "cuda-api") == []


# Tests: the action that opens the page of a rule.


def show_documents(client: Client) -> list[Json]:
    """Return a list to which every document is appended that the server asks the client to show."""
    shown: list[Json] = []

    def show(params: Json) -> Json:
        shown.append(params)
        return {"success": True}

    client.answers["window/showDocument"] = show
    return shown


def test_why_shows_the_page_of_the_rule(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    shown = show_documents(each_client)
    actions = each_client.actions(uri, each_client.range(uri, "synchronize"))
    offered = [action for action in actions if action["title"] == "Why: 'cuda-api'"]
    if each_client.profile.can("window.showDocument.support") is not True:
        assert offered == []
        each_client.execute("uncuda.showRule", {"rule": "cuda-api"})
        assert shown == []
        return
    each_client.do(offered[0])
    each_client.wait(lambda: shown, "a document to show")
    catalogue = load()
    (page,) = [Path(unquote(urlsplit(params["uri"]).path)) for params in shown]
    expected = page_of(catalogue.rules["cuda-api"], catalogue.target("npu"), catalogue, "en")
    assert page.read_text(encoding="utf-8") == expected
    assert [params["external"] for params in shown] == [False]


@pytest.mark.parametrize("arguments", [[], [{}], [{"rule": "no-such"}], [{"rule": 1}], [None], ["x", 1]])
def test_why_without_a_rule_shows_the_list(client: Client, arguments: list[Any]) -> None:
    shown = show_documents(client)
    client.execute("uncuda.showRule", *arguments)
    client.wait(lambda: shown, "a document to show")
    assert [params["uri"] for params in shown] == [(load().path / "README.md").as_uri()]


def test_a_client_that_refuses_to_show_it(client: Client) -> None:
    asked: list[Json] = []

    def refuse(params: Json) -> Json:
        asked.append(params)
        raise Refused("no")

    client.answers["window/showDocument"] = refuse
    assert client.execute("uncuda.showRule", {"rule": "cuda-api"}) is None
    client.wait(lambda: asked, "a document to show")
    client.settle()


# Languages


def test_chinese(start: Start) -> None:
    client = start(PROFILES["vscode"].speaking("zh-cn"))
    uri = client.open("untitled:Untitled-1", TEXT)
    actions = client.actions(uri)
    assert len(actions) > 15
    assert not [a["title"] for a in actions if not any("\u4e00" <= character <= "\u9fff" for character in a["title"])]
    assert titled(actions, "替换为 `torch.npu.synchronize`")
    assert titled(actions, "uncuda：修复此文件中的所有问题")


# Notebooks


CELLS = {
    "one": "import torch",
    "two": "%%time\ntorch.cuda.synchronize()\nmodel.cuda()",
    "text": "`torch.cuda.synchronize()`",
    "three": "model.cuda()  # 𝛼",
}
FIXED = [
    "import torch\nimport torch_npu",
    "%%time\ntorch.npu.synchronize()\nmodel.npu()",
    CELLS["text"],
    "model.npu()  # 𝛼",
]


def test_a_fix_in_a_cell(client: Client, tmp_path: Path) -> None:
    uris = open_notebook(client, tmp_path / "n.ipynb", CELLS, ["text"])
    client.do(
        titled(client.actions(uris[1], client.range(uris[1], "synchronize")), "Replace with `torch.npu.synchronize`")
    )
    assert [client.text(uri) for uri in uris[:2]] == [FIXED[0], CELLS["two"].replace("cuda.sync", "npu.sync")]


@pytest.mark.parametrize("cell", [0, 1, 3])
def test_fix_all_in_a_notebook(client: Client, tmp_path: Path, cell: int) -> None:
    uris = open_notebook(client, tmp_path / "n.ipynb", CELLS, ["text"])
    assert client.actions(uris[cell], only=["source"]) == []
    (action,) = client.actions(uris[cell], only=["notebook.source.fixAll"])
    assert (action["title"], action["kind"]) == ("uncuda: fix all in this notebook", "notebook.source.fixAll.uncuda")
    client.do(action)
    assert [client.text(uri) for uri in uris] == FIXED
    assert client.actions(uris[cell], only=["notebook"]) == []


def test_fix_all_of_a_rule_in_a_notebook(client: Client, tmp_path: Path) -> None:
    uris = open_notebook(client, tmp_path / "n.ipynb", CELLS, ["text"])
    actions = client.actions(uris[3], client.range(uris[3], "cuda"))
    client.do(titled(actions, "Fix all 'cuda-method' in this file"))
    assert [client.text(uri) for uri in uris] == [FIXED[0], FIXED[1].replace("npu.sync", "cuda.sync"), *FIXED[2:]]


def test_ignore_in_a_notebook(client: Client, tmp_path: Path) -> None:
    cells = {"one": "%%time\nimport torch\ntorch.cuda.init()", "two": "torch.cuda.init()"}
    uris = open_notebook(client, tmp_path / "n.ipynb", cells)
    client.do(titled(client.actions(uris[0], client.range(uris[0], "init")), "Ignore 'cuda-api' on this line"))
    assert client.text(uris[0]) == cells["one"] + "  # uncuda: ignore[cuda-api]"
    client.do(titled(client.actions(uris[1], client.range(uris[1], "init")), "Ignore 'cuda-api' in this file"))
    assert client.text(uris[0]).startswith("%%time\n# uncuda: file-ignore[cuda-api]\nimport torch\n")
    assert client.text(uris[1]) == cells["two"]
    assert not [item for item in client.diagnostics(uris[1]) if item["code"] == "cuda-api"]


def test_a_cell_of_text(client: Client, tmp_path: Path) -> None:
    uris = open_notebook(client, tmp_path / "n.ipynb", CELLS, ["text"])
    at = client.range(uris[2], "synchronize")
    params = {"textDocument": {"uri": uris[2]}, "range": at, "context": {"diagnostics": []}}
    assert not client.request("textDocument/codeAction", params)
    assert client.request("textDocument/hover", {"textDocument": {"uri": uris[2]}, "position": at["start"]}) is None


# Tests: files that the editor opened with a wrong encoding.


def test_a_text_in_another_encoding(start: Start, tmp_path: Path) -> None:
    """The editor shows U+FFFD for each undecodable byte and would save it to the file, so the server offers no edit for
    a document with undecodable bytes."""
    text = "# coding: gbk\n# 数据\nimport torch\ntorch.cuda.init()\ntorch.cuda.init()\n"
    client = start(files={"a.py": text.encode("gbk")})
    uri = client.open(tmp_path / "a.py", text.encode("gbk").decode("utf-8", "replace"))
    actions = client.actions(uri)
    assert [action["title"] for action in actions if "disabled" in action] == ["Replace with `torch.npu.init`"] * 2
    assert all(
        "reopen the file with encoding gbk" in action["disabled"]["reason"]
        for action in actions
        if "disabled" in action
    )
    assert {action.get("command", {}).get("command") for action in actions if "disabled" not in action} == {
        "uncuda.showRule"
    }
