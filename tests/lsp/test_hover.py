"""Tests of hover: the finding, the target's replacement, the plugin version that introduced it, its limitations; and
hovers of rule pages."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from cli.command import ROOT, environment
from lsp.harness.client import Client
from lsp.harness.notebook import open_notebook
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from uncuda.catalogue import load, read_page

TEXT = (
    "# 𝛼 数据\n"
    "import torch\n"
    "import torch.cuda as tc\n\n"
    "name = '𝛼é'; torch.cuda.synchronize()\n"
    "tc.current_stream()\n"
    "x.to('cuda')\n"
    "if torch.npu.is_available():\n    pass\nelse:\n    torch.cuda.empty_cache()\n"
    "torch.cuda.list_gpu_processes()  # uncuda: ignore[cuda-api-missing]\n"
    "torch.cuda.cudart()\n"
)


def hover(client: Client, uri: str, part: str, nth: int = 0) -> tuple[str, dict[str, Any]]:
    """Return the text and the range of the hover in the middle of the `nth` occurrence of `part`."""
    place = client.range(uri, part, nth)
    middle = {"line": place["start"]["line"], "character": place["start"]["character"] + len(part) // 2}
    found = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": middle})
    assert found is not None
    return found["contents"]["value"], found["range"]


def page(rule: str) -> tuple[str, str, str]:
    """Return the title, the first paragraph and the link of a rule's page."""
    known = load().rules[rule]
    assert known.path is not None
    version = load().target("npu").version
    link = (ROOT / ".cache" / "pages" / "uncuda" / "rules" / "en" / "npu" / version / f"{rule}.md").as_uri()
    return known.title, " ".join(read_page(known.path)[0].split("\n\n")[0].split()), link


def test_a_finding(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    text, place = hover(each_client, uri, "synchronize")
    assert place == each_client.range(uri, "torch.cuda.synchronize")
    assert text.startswith(
        "**cuda-api** · error · safe fix\n\n---\n\n"
        "`torch.cuda.synchronize` → `torch.npu.synchronize`\n"
        "- Ascend NPU: supported\n"
        "- in every known version of [torch_npu](https://github.com/Ascend/pytorch) (2.1.0.post17 and later)\n"
    )
    title, beginning, link = page("cuda-api")
    assert text.endswith(f"\n\n---\n\n**{title}**  \n{beginning}\n\n[page of `cuda-api`]({link})")


def test_plain_text_for_clients_without_markdown(start: Start) -> None:
    client = start(PROFILES["vscode"].having(textDocument__hover__contentFormat=["plaintext"]))
    uri = client.open("untitled:Untitled-1", TEXT)
    place = client.range(uri, "synchronize")["start"]
    found = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    assert found["contents"]["kind"] == "plaintext"
    text = found["contents"]["value"]
    assert text.startswith("cuda-api · error · safe fix\n\n`torch.cuda.synchronize` →")
    assert f"page of `cuda-api`: {page('cuda-api')[2]}" in text
    assert not re.search(r"\*\*|\]\(|---|^- ", text, re.M)


def test_a_client_that_shows_pages_is_given_a_command(start: Start) -> None:
    """In VS Code a hover links to a rule's page by a command, since VS Code opens no link with the scheme `uncuda:` in
    a hover."""
    client = start(PROFILES["vscode"].having(experimental__uncudaRulePages=True))
    text, _ = hover(client, client.open("untitled:Untitled-1", TEXT), "synchronize")
    (argument,) = re.findall(r"\(command:uncuda\.showRule\?([^)]*)\)", text)
    (given,) = json.loads(unquote(argument))
    assert client.execute("uncuda.showRule", given) == given
    assert given["page"].endswith("/cuda-api.md")


def test_an_alias(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    text, place = hover(client, uri, "current_stream")
    assert place == client.range(uri, "current_stream")
    assert "`torch.cuda.current_stream` → `torch.npu.current_stream`\n- Ascend NPU: exists, with limits" in text
    assert f"- {load().limit('stream-initialises-device', 'en')}\n" in text
    assert hover(client, uri, "torch.cuda")[0].startswith("**cuda-api** · error · safe fix")


def test_a_string(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    text, place = hover(client, uri, "'cuda'")
    assert place == client.range(uri, "'cuda'")
    assert text.startswith("**device-string** · error · safe fix\n\n---\n\n")
    assert page("device-string")[1] in text


def test_a_name_that_is_served_already(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    text, place = hover(client, uri, "empty_cache")
    assert place == client.range(uri, "torch.cuda.empty_cache")
    assert text.startswith("`torch.cuda.empty_cache` → `torch.npu.empty_cache`\n- Ascend NPU: supported")
    assert page("cuda-memory")[2] in text


def test_a_name_without_a_counterpart(client: Client) -> None:
    uri = client.open("untitled:Untitled-1", TEXT)
    text, _ = hover(client, uri, "list_gpu_processes")
    assert text.startswith("`torch.cuda.list_gpu_processes` → no counterpart\n- Ascend NPU: missing\n")
    assert "since" not in text.split("---")[0]


def test_since_which_version(start: Start, tmp_path: Path) -> None:
    newest = start()
    text, _ = hover(newest, newest.open("untitled:Untitled-1", TEXT), "cudart")
    assert "- since [torch_npu](https://github.com/Ascend/pytorch) 2.7.1.post11" in text
    client = start(files={"uncuda.toml": 'target-version = "2.6.0"\n', "a.py": TEXT})
    text, _ = hover(client, client.open(tmp_path / "a.py"), "cudart")
    name = "[torch_npu](https://github.com/Ascend/pytorch)"
    lacks = f"not in {name} 2.6.0, the version that is used; exists since 2.7.1.post11"
    assert f"- {lacks}" in text


def test_another_target(start: Start, tmp_path: Path) -> None:
    client = start(files={"uncuda.toml": 'target = "musa"\n', "a.py": TEXT})
    text, _ = hover(client, client.open(tmp_path / "a.py"), "synchronize")
    assert "`torch.cuda.synchronize` → `torch.musa.synchronize`" in text
    assert "- in every known version of [torch_musa](" in text


def test_the_runtime_patch(client: Client) -> None:
    text = "import torch\nfrom torch_npu.contrib import transfer_to_npu\ntorch.cuda.synchronize()\n"
    said, _ = hover(client, client.open("untitled:Untitled-1", text), "synchronize")
    assert said.startswith("`torch.cuda.synchronize` →")
    assert "- `torch_npu.contrib.transfer_to_npu` maps this name at run time" in said


@pytest.mark.parametrize(
    ("comment", "part", "due"),
    [
        ("# uncuda: ignore[cuda-api, no-such]", "cuda-api", "silences `cuda-api`\n\n---\n\n**"),
        ("# uncuda: ignore[cuda-api, no-such]", "no-such", "no rule is called `no-such`"),
        ("# uncuda: ignore[cuda-api, no-such]", "ignore", "silences `cuda-api`  \nno rule is called `no-such`\n\n---"),
        ("# uncuda: file-ignore[is-cuda]", "is-cuda", "silences `is-cuda`\n\n---\n\n**"),
        ("# uncuda: ignore", "ignore", "suppresses every rule here\n\n---\n\n**"),
    ],
)
def test_suppression_comments(client: Client, comment: str, part: str, due: str) -> None:
    uri = client.open("untitled:Untitled-1", f"import torch\ntorch.cuda.init()  {comment}\n")
    text, _ = hover(client, uri, part)
    assert f"---\n\n{due}" in f"---\n\n{text}"


def test_nothing_to_say(each_client: Client) -> None:
    uri = each_client.open("untitled:Untitled-1", TEXT)
    for part, nth in (("数据", 0), ("import", 0), ("name", 0), ("𝛼", 1), ("pass", 0)):
        place = each_client.range(uri, part, nth)["start"]
        params = {"textDocument": {"uri": uri}, "position": place}
        assert each_client.request("textDocument/hover", params) is None


def test_a_cell_of_a_notebook(client: Client, tmp_path: Path) -> None:
    uris = open_notebook(client, tmp_path / "n.ipynb", {"one": "import torch.cuda as tc", "two": "# 𝛼\ntc.init()"})
    text, place = hover(client, uris[1], "init")
    assert place == client.range(uris[1], "init")
    assert text.startswith("`torch.cuda.init` → `torch.npu.init`")


def test_an_unknown_document(client: Client) -> None:
    params = {"textDocument": {"uri": "untitled:none"}, "position": {"line": 0, "character": 0}}
    assert client.reply(client.begin("textDocument/hover", params, deliberate=True)) is None


@pytest.mark.slow
def test_a_statement_that_only_libcst_reads(start: Start, tmp_path: Path) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("this Python reads it itself")
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "libcst.py").write_text("raise ImportError\n", encoding="utf-8")
    where = environment()["PYTHONPATH"]
    client = start(env={"PYTHONPATH": f"{tmp_path / 'without'}{os.pathsep}{where}"})
    uri = client.open("untitled:Untitled-1", 'import torch\nx = t"{torch.cuda.device_count()}"\ny = f(torch.cuda.\n')
    text, place = hover(client, uri, "device_count")
    assert "-m pip install --upgrade libcst" in text
    assert place == client.range(uri, 'x = t"{torch.cuda.device_count()}"')


def test_chinese(start: Start) -> None:
    client = start(PROFILES["vscode"].speaking("zh-cn"))
    uri = client.open("untitled:Untitled-1", TEXT)
    text, _ = hover(client, uri, "synchronize")
    assert text.startswith("**cuda-api** · 错误 · 安全修复\n\n---\n\n`torch.cuda.synchronize` →")
    assert "- 昇腾 NPU：支持\n" in text
    assert "的所有已知版本均提供（2.1.0.post17 及以后）" in text
    assert "**有对应接口的 `torch.cuda` API**  \n`torch.cuda` 与 CUDA 运行时交互" in text
    text, _ = hover(client, uri, "current_stream")
    assert f"- {load().limit('stream-initialises-device', 'zh')}\n" in text


@pytest.mark.slow
def test_it_is_instant(start: Start) -> None:
    """A hover is answered within a time limit, measured in the client including the pipes; the limit allows for other
    load on the machine."""
    client = start()
    uri = client.open("untitled:Untitled-1", TEXT + "x = torch.nn.Linear(1, 2)\ny = torch.cuda.device_count()\n" * 2000)
    hover(client, uri, "synchronize")
    spent = []
    for line in range(1000, 1040, 2):
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 12}}
        begin = time.perf_counter()
        found = client.request("textDocument/hover", params)
        spent.append(time.perf_counter() - begin)
        assert "device_count" in found["contents"]["value"]
    assert min(spent) < 0.02, spent
