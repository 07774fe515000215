"""Tests of diagnostics: pulled by the client or pushed by the server, their messages, and when they are sent again."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES, Profile
from lsp.harness.starting import Start

TEXT = "import torch\ntorch.cuda.synchronize()\nx = y.cuda()  # uncuda: ignore\nif f():\n    pass\n"
PULLING = [name for name, profile in PROFILES.items() if profile.can("textDocument.diagnostic") is not None]
PUSHED = [name for name in PROFILES if name not in PULLING]


def codes(items: list[dict[str, Any]]) -> list[str]:
    return [item["code"] for item in items]


def pull(client: Client, uri: str, previous: str | None = None) -> dict[str, Any]:
    params = {"textDocument": {"uri": uri}} | ({"previousResultId": previous} if previous else {})
    report: dict[str, Any] = client.request("textDocument/diagnostic", params)
    return report


def test_every_profile_is_of_one_kind() -> None:
    assert PULLING
    assert PUSHED


def test_what_is_found(each_client: Client) -> None:
    client = each_client
    uri = client.open("untitled:1", TEXT)
    first = client.diagnostics(uri)[0]
    assert first["code"] == "cuda-api"
    assert first["source"] == "uncuda"
    assert first["severity"] == 1
    assert first["range"] == client.range(uri, "torch.cuda.synchronize")
    assert "torch.npu.synchronize" in first["message"]


def test_what_is_typed(each_client: Client) -> None:
    client = each_client
    uri = client.open("untitled:1", "import torch\n")
    assert client.diagnostics(uri) == []
    for letter, expected in zip("x.cuda()", [0, 0, 0, 0, 0, 0, 0, 1], strict=True):
        client.type(uri, client.text(uri) + letter)
        assert len(client.diagnostics(uri)) == expected
    client.type(uri, "")
    assert client.diagnostics(uri) == []


def test_broken_code_keeps_its_findings(each_client: Client) -> None:
    client = each_client
    uri = client.open("untitled:1", "import torch\ndef f(:\n    torch.cuda.synchronize()\nx.cuda()\n")
    assert codes(client.diagnostics(uri)) == ["cuda-api", "cuda-method"]


@pytest.mark.parametrize("profile", PULLING)
def test_what_did_not_change_is_not_sent_again(start: Start, profile: str) -> None:
    client = start(profile)
    uri = client.open("untitled:1", TEXT)
    first = pull(client, uri)
    again = pull(client, uri, first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    client.replace(uri, "    pass", "    do()")  # this edit changes no diagnostic
    assert pull(client, uri, first["resultId"]) == again
    client.replace(uri, "import", "\nimport")
    moved = pull(client, uri, first["resultId"])
    assert moved["kind"] == "full"
    assert moved["resultId"] != first["resultId"]
    assert pull(client, uri)["kind"] == "full"


@pytest.mark.parametrize("profile", PULLING)
def test_nothing_is_pushed_to_who_pulls(start: Start, profile: str) -> None:
    client = start(profile)
    client.diagnostics(client.open("untitled:1", TEXT))
    client.close("untitled:1")
    client.settle()
    assert client.pushed == {}


@pytest.mark.parametrize("profile", PUSHED)
def test_a_closed_document_has_none(start: Start, profile: str) -> None:
    client = start(profile)
    uri = client.open("untitled:1", TEXT)
    assert client.diagnostics(uri)
    client.close(uri)
    client.wait(lambda: client.pushed[uri]["diagnostics"] == [], "an empty list")


@pytest.mark.parametrize("profile", PUSHED)
def test_versions_are_named_where_they_are_understood(start: Start, profile: str) -> None:
    client = start(profile)
    uri = client.open("untitled:1", TEXT, version=7)
    client.diagnostics(uri)
    expected = 7 if client.profile.can("textDocument.publishDiagnostics.versionSupport") else None
    assert client.pushed[uri].get("version") == expected


@pytest.mark.parametrize("profile", PUSHED)
def test_many_keystrokes_at_once_are_pushed_once(start: Start, profile: str) -> None:
    client = start(profile)
    uri = client.open("untitled:1", "import torch\n")
    client.diagnostics(uri)
    before = len(client.traffic.received("textDocument/publishDiagnostics"))
    with client.changed:  # the client processes no message during this block
        for _ in range(50):
            client.type(uri, client.text(uri) + "\nx.cuda()")
    assert len(client.diagnostics(uri)) == 50
    assert len(client.traffic.received("textDocument/publishDiagnostics")) - before <= 50


@pytest.mark.parametrize(
    "locale, safe, review, manual",
    [("en", "safe fix", "fix to review", "by hand"), ("zh-cn", "安全修复", "修复需复核", "手动修复")],
)
def test_the_class_is_seen_where_a_list_shows_the_message_only(
    start: Start, locale: str, safe: str, review: str, manual: str
) -> None:
    """The message itself contains the class, such as "safe", because lists show only the message; the diagnostic's code
    is still the rule's name, by which clients filter, and its source is "uncuda"."""
    text = 'import torch\ntorch.cuda.synchronize()\nif lang == "cuda":\n    pass\ntorch.cuda.clock_rate()\n'
    client = start(PROFILES["vscode"].speaking(locale))
    items = client.diagnostics(client.open("untitled:1", text))
    assert [(item["code"], item["message"].rpartition(" · ")[2]) for item in items] == [
        ("cuda-api", safe),
        ("device-string", review),
        ("cuda-api-missing", manual),
    ]
    assert {item["source"] for item in items} == {"uncuda"}


def test_code_stands_in_quotes_and_not_in_the_marks_of_markdown(start: Start) -> None:
    text = "import torch.cuda as tc\ntc.synchronize()\ntc.list_gpu_processes()\n"
    client = start()
    items = client.diagnostics(client.open("untitled:1", text))
    said = [item["message"] for item in items]
    said += [related["message"] for item in items for related in item.get("relatedInformation", ())]
    assert items and not [message for message in said if "`" in message]
    assert any("'torch.cuda.synchronize'" in message or "'torch.cuda'" in message for message in said)


def test_the_page_of_the_rule(start: Start) -> None:
    item = (client := start()).diagnostics(client.open("untitled:1", TEXT))[0]
    page = Path(unquote(urlsplit(item["codeDescription"]["href"]).path))
    assert page.name == "cuda-api.md"
    assert page.is_file()


@pytest.mark.parametrize("profile", PROFILES)
def test_what_the_client_does_not_know_is_left_out(start: Start, profile: str) -> None:
    text = "import torch.cuda.amp as amp\nwith amp.autocast():\n    amp.custom_fwd_nothing()\n"
    client = start(profile)
    items = client.diagnostics(client.open("untitled:1", text))
    assert items
    shown = client.profile.capabilities["textDocument"]
    pulled, pushed = shown.get("diagnostic") or {}, shown["publishDiagnostics"]
    for key, capability in (
        ("codeDescription", "codeDescriptionSupport"),
        ("relatedInformation", "relatedInformation"),
    ):
        able = bool(pulled.get(capability, pushed.get(capability)))
        assert any(key in item for item in items) <= able


@pytest.mark.parametrize(
    "text, deprecated",
    [
        ("import torch\nwith torch.cuda.amp.autocast():\n    pass\n", True),
        ("from torch.cuda.amp import GradScaler\n", True),
        ("import torch\ntorch.cuda.synchronize()\n", False),
    ],
)
def test_what_pytorch_gives_up_is_struck_through(start: Start, text: str, deprecated: bool) -> None:
    client = start()
    (item,) = client.diagnostics(client.open("untitled:1", text))
    assert item.get("tags", []) == ([2] if deprecated else [])


def test_no_tags_for_a_client_without(start: Start) -> None:
    client = start(
        PROFILES["vscode"].having(textDocument__diagnostic__tagSupport=None, textDocument__publishDiagnostics=None)
    )
    (item,) = client.diagnostics(client.open("untitled:1", "import torch\ntorch.cuda.amp.GradScaler()\n"))
    assert "tags" not in item


def test_where_an_alias_comes_from(start: Start) -> None:
    client = start()
    uri = client.open("untitled:1", "import torch.cuda as tc\n\n\ntc.list_gpu_processes()\n")
    item = next(item for item in client.diagnostics(uri) if item["code"] == "cuda-api-missing")
    (related,) = item["relatedInformation"]
    assert related == {
        "location": {"uri": uri, "range": client.range(uri, "torch.cuda as tc")},
        "message": "'tc' is 'torch.cuda'",
    }


SCRIPT = "import torch\n\n\n@torch.jit.script\ndef f(x):\n    return x\n"


@pytest.mark.parametrize("profile", ["vscode", "neovim", "kate"])
def test_where_the_shim_comes_from(start: Start, tmp_path: Path, profile: str) -> None:
    entry = "import os  # 中文\nfrom torch_npu.contrib import transfer_to_npu\n"
    client = start(profile, files={"models/a.py": SCRIPT, "train.py": entry})
    uri = client.open(tmp_path / "models/a.py")
    item = client.wait(
        lambda: next((i for i in client.diagnostics(uri) if i["code"] == "jit-script"), None), "the project"
    )
    (related,) = item["relatedInformation"]
    assert related["location"]["uri"] == (tmp_path / "train.py").as_uri()
    assert related["location"]["range"] == client.range(
        tmp_path / "train.py", "from torch_npu.contrib import transfer_to_npu"
    )
    assert "torch_npu.contrib.transfer_to_npu" in related["message"]
    # The text in the editor is used, not the text of the file on disk.
    other = client.open(tmp_path / "train.py")
    client.type(other, "\n\n" + entry)

    def place() -> Any:
        found = next((i for i in client.diagnostics(uri) if i["code"] == "jit-script"), None)
        return found and found["relatedInformation"][0]["location"]["range"]["start"]["line"] == 3

    client.wait(place, "the new place")


def test_where_the_shim_comes_from_in_the_same_document(start: Start) -> None:
    client = start()
    uri = client.open("untitled:1", "from torch_npu.contrib import transfer_to_npu\n" + SCRIPT)
    item = client.wait(
        lambda: next((i for i in client.diagnostics(uri) if i.get("relatedInformation")), None), "the place"
    )
    assert item["relatedInformation"][0]["location"]["uri"] == uri


@pytest.mark.parametrize(
    "locale, word", [("zh-cn", "昇腾"), ("zh-TW", "昇腾"), ("zh", "昇腾"), ("en-US", "Ascend"), ("de", "Ascend")]
)
def test_the_language_of_the_client(start: Start, locale: str, word: str) -> None:
    client = start(PROFILES["vscode"].speaking(locale))
    assert word in client.diagnostics(client.open("untitled:1", TEXT))[0]["message"]


def test_the_language_of_the_settings(start: Start) -> None:
    client = start(PROFILES["vscode"].speaking("en"), configuration={"locale": "zh"})
    uri = client.open("untitled:1", TEXT)
    client.wait(lambda: "昇腾" in client.diagnostics(uri)[0]["message"], "Chinese")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns(start: Start, encoding: str) -> None:
    client = start(PROFILES["vscode"].counting(encoding))
    uri = client.open("untitled:1", "import torch\ns = '😀中é'; torch.cuda.synchronize()\n")
    (item,) = client.diagnostics(uri)
    assert item["range"] == client.range(uri, "torch.cuda.synchronize")


def test_other_languages_are_not_checked(start: Start, tmp_path: Path) -> None:
    client = start(files={"uncuda.toml": "", "a.md": TEXT})
    assert client.diagnostics(client.open(tmp_path / "a.md", language="markdown")) == []
    assert client.diagnostics(client.open("untitled:1", TEXT, language="plaintext")) == []
    assert client.diagnostics(client.open(tmp_path / "b.py", TEXT, language="")) != []


def test_a_refresh_is_asked_for(start: Start) -> None:
    client = start(configuration={"target": "npu"})
    asked: list[Any] = []
    client.answers["workspace/diagnostic/refresh"] = asked.append
    uri = client.open("untitled:1", TEXT)
    assert client.diagnostics(uri)
    client.settle()
    asked.clear()
    client.configure({"target": "musa"})
    client.wait(lambda: asked and "torch.musa.synchronize" in client.diagnostics(uri)[0]["message"], "the new target")


def unable(profile: Profile) -> Profile:
    return profile.having(workspace__diagnostics=None)


def test_no_refresh_for_a_client_that_cannot(start: Start) -> None:
    client = start(unable(PROFILES["vscode"]), configuration={"target": "npu"})
    uri = client.open("untitled:1", TEXT)
    client.diagnostics(uri)
    client.configure({"target": "musa"})
    client.wait(lambda: "torch.musa" in client.diagnostics(uri)[0]["message"], "the new target")
    assert client.traffic.received("workspace/diagnostic/refresh") == []
