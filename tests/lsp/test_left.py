"""Tests that after fixing, a message gives the number of remaining findings of each class, with a button that shows
these findings."""

from pathlib import Path
from typing import Any

import pytest

from cli.command import MANUAL, REVIEW, SAFE
from lsp.harness.client import Client
from lsp.harness.connection import Later
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from lsp.harness.traffic import Json
from lsp.test_fix_all_workspace import COMMAND, LATIN, PREVIEW, TARGET, messages

FILE = "uncuda.fixAllInFile"
FILES: dict[str, str | bytes] = {"a.py": SAFE, "b.py": REVIEW, "c.py": MANUAL, **TARGET}
SAID = "Fixed 1 finding in 1 file. Left: 2 to review, 1 by hand."


def press(client: Client, title: str | None) -> list[Json]:
    """Make the client press the button `title` on every message; return a list of what the server then asks it to
    show."""
    shown: list[Json] = []

    def show(params: Json) -> Json:
        shown.append(params)
        return {"success": True}

    client.choose = lambda params: title
    client.answers["window/showDocument"] = show
    return shown


def problem_lists(client: Client) -> list[Any]:
    return client.traffic.received("uncuda/showProblems")


def test_show_opens_the_first_finding(start: Start, tmp_path: Path) -> None:
    client = start(files=FILES)
    shown = press(client, "Show")
    assert client.execute(COMMAND)["review"] == 2
    assert messages(client) == [SAID]
    client.wait(lambda: shown, "a document to show")
    selection = client.range(tmp_path / "b.py", '"cuda"')
    assert shown == [{"uri": (tmp_path / "b.py").as_uri(), "takeFocus": True, "selection": selection}]
    assert not problem_lists(client)


def test_show_opens_the_list_of_problems(start: Start) -> None:
    client = start(PROFILES["vscode"].having(experimental__uncudaShowProblems=True).speaking("zh-cn"), files=FILES)
    client.tolerated.append("uncuda/showProblems")
    shown = press(client, "查看")
    client.execute(COMMAND)
    assert messages(client) == ["已修复 1 个文件中的 1 处问题。剩余：需复核 2，需手动处理 1。"]
    client.wait(lambda: problem_lists(client), "the list of problems")
    client.wait(lambda: shown, "a document to show")
    assert shown[0]["takeFocus"] is False


def test_show_looks_at_what_is_open_by_then(start: Start, tmp_path: Path) -> None:
    client = start(files={"b.py": REVIEW, "c.py": MANUAL, **TARGET})
    uris = [client.open(tmp_path / name) for name in ("b.py", "c.py")]
    shown = press(client, "Show")
    asked: list[Json] = []

    def later(params: Json) -> Json:
        asked.append(params)
        raise Later

    client.answers["window/showMessageRequest"] = later
    client.execute(COMMAND)
    client.wait(lambda: asked, "the message")
    client.type(uris[0], "import torch\n")
    client.type(uris[1], "\n\n" + MANUAL)
    (request,) = [item.message["id"] for item in client.traffic if item.method == "window/showMessageRequest"]
    client.send({"jsonrpc": "2.0", "id": request, "result": {"title": "Show"}})
    client.wait(lambda: shown, "a document to show")
    assert shown[0]["uri"] == uris[1] and shown[0]["selection"]["start"]["line"] == 2


@pytest.mark.parametrize("command", [COMMAND, PREVIEW, FILE])
def test_nobody_waits_for_the_button(start: Start, tmp_path: Path, command: str) -> None:
    """While a message with a button is open, the server answers the command that caused the message and other requests,
    and can be shut down."""
    client = start(files=FILES)
    client.open(tmp_path / "c.py")

    def never(params: Json) -> Json:
        raise Later

    client.answers["window/showMessageRequest"] = never
    assert client.execute(command, {"applicability": "safe"})["manual"] == 1
    assert client.execute(FILE, {"uri": (tmp_path / "c.py").as_uri()})["manual"] == 1
    assert messages(client)[-1] == "Nothing was changed. Left: 1 to review, 1 by hand."


@pytest.mark.parametrize(
    ("profile", "button"),
    [("vscode", True), ("jetbrains", True), ("neovim", False), ("neovim-0.7", False), ("eglot", False)],
)
def test_who_gets_a_button(start: Start, profile: str, button: bool) -> None:
    """Only some clients get a message with a button that shows the remaining findings; in Neovim the message would be a
    question that blocks the user until it is answered."""
    client = start(profile, files=FILES)
    shown = press(client, None)
    client.execute(COMMAND)
    assert messages(client)[-1] == SAID
    assert bool(client.traffic.received("window/showMessageRequest")) is button
    client.settle()
    assert not shown


def test_no_button_where_nothing_is_left(start: Start) -> None:
    client = start(files={"a.py": SAFE, **TARGET})
    client.execute(COMMAND)
    assert client.traffic.received("window/showMessage")[-1]["message"].endswith("Left: 0 to review, 0 by hand.")


def test_what_was_left_out_is_left(start: Start, tmp_path: Path) -> None:
    """A file that is not fixed keeps its findings in the counts."""
    client = start(files={**FILES, "d.py": LATIN})
    result = client.execute(COMMAND, {"applicability": "review"})
    assert [Path(item["uri"]).name for item in result["skipped"]] == ["d.py"]
    # a finding about a guarded import depends on the uses of the imported name
    assert (result["safe"], result["review"], result["manual"]) == (1, 0, 2)
    client.open(tmp_path / "b.py", REVIEW)
    result = client.execute(FILE, {"uri": (tmp_path / "b.py").as_uri()})
    assert (result["safe"], result["review"], result["manual"]) == (0, 1, 0)


def test_rules_that_were_not_asked_for_are_not_counted(start: Start) -> None:
    client = start(files=FILES)
    result = client.execute(COMMAND, {"rules": ["device-string"]})
    assert (result["files"], result["safe"], result["review"], result["manual"]) == (0, 0, 1, 0)
    assert messages(client)[-1].endswith("Left for device-string: 1 to review, 0 by hand.")


def test_after_a_preview_the_state_is_counted(start: Start, tmp_path: Path) -> None:
    """After a preview the findings are counted again: the client applies only the edits that the user ticked, and does
    not report which."""
    client = start(files=FILES)
    client.open(tmp_path / "a.py")
    client.open(tmp_path / "b.py")
    apply = client.answers["workspace/applyEdit"]

    def tick(params: Json) -> Json:
        parts = params["edit"]["documentChanges"]
        params["edit"]["documentChanges"] = [part for part in parts if part["textDocument"]["uri"].endswith("a.py")]
        result: Json = apply(params)
        return result

    client.answers["workspace/applyEdit"] = tick
    result = client.execute(PREVIEW)
    assert (result["safe"], result["review"], result["manual"]) == (0, 2, 1)
    assert messages(client) == [SAID]


def test_a_preview_that_is_declined_says_nothing(start: Start) -> None:
    client = start(files=FILES)
    client.answers["workspace/applyEdit"] = lambda params: {"applied": False}
    assert client.execute(PREVIEW)["applied"] is False
    client.settle()
    assert not messages(client)
