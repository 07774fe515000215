"""Rule pages are generated for a target, a plugin version and a language; the client shows them, or the server writes
them to files."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.profiles import PROFILES
from lsp.harness.starting import Start
from uncuda.catalogue import load
from uncuda.report.rule_page import page_of

TEXT = "import torch\ntorch.cuda.synchronize()\nx = torch.ones(2).cuda()\n"
SHOWS = PROFILES["vscode"].having(experimental__uncudaRulePages=True)
OUTSIDE = re.compile(r"\]\((?!https://|#)")
PROSE = re.compile(r"^```.*?^```$", re.M | re.S)


@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("target", load().declarations)
@pytest.mark.parametrize("rule", load().rules)
def test_every_page_is_filled_in(rule: str, target: str, locale: str) -> None:
    catalogue = load()
    others = [name for name in catalogue.declarations if name != target]
    page = page_of(catalogue.rules[rule], catalogue.target(target), catalogue, locale)
    prose = PROSE.sub("", page)
    assert not OUTSIDE.search(prose)
    assert not any(mark in page for mark in ("```toml", "```python ", "# flagged"))
    said = re.search(r"^> .*$", page, re.M)
    assert said and not re.search(r"\{[a-z-]+\}", said[0])
    assert not [word for word in catalogue.target(target).words if f"{{{word}}}" in prose]
    assert not any(f"import torch_{other}" in page for other in others if f"torch_{other}" not in prose)
    assert page.startswith("# ") and page.count("```") % 2 == 0
    if locale == "zh":
        _, *rest = [part for part in prose.split("\n\n") if part.strip()]
        english = [part for part in rest if not re.search("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]", part)]
        assert not english


def test_what_is_said_of_the_first_example() -> None:
    catalogue = load()
    page = page_of(catalogue.rules["nccl-backend"], catalogue.target("musa"), catalogue, "en")
    assert "> `nccl` drives NVIDIA GPUs only; Moore Threads MUSA communicates through `mccl`\n" in page


def test_what_hangs_on_the_version() -> None:
    """The page of `integer-device` depends on the plugin version, since its behaviour changed in PyTorch 2.5.1."""
    catalogue = load()
    rule = next(rule for rule in catalogue.rules.values() if rule.needs == "integer-device")
    old, new = (page_of(rule, catalogue.target("npu", version), catalogue, "en") for version in ("2.1.0", "2.9.0"))
    why = catalogue.limit("integer-device")
    assert why in old and why not in new
    assert "torch_npu 2.1.0" in old and "torch_npu 2.9.0" in new


def asked(client: Client, uri: str) -> str:
    """Return the text of a rule page that the client requests."""
    text: str = client.request("uncuda/rulePage", {"uri": uri})["text"]
    return text


def test_a_client_asks_for_the_text(start: Start) -> None:
    client = start(SHOWS, options={"settings": {"target": "musa", "targetVersion": "2.7.1"}})
    uri = client.open("untitled:1", TEXT)
    item = next(item for item in client.diagnostics(uri) if item["code"] == "cuda-method")
    page = item["codeDescription"]["href"]
    assert page == "uncuda-rule:/en/musa/2.7.1/cuda-method.md"
    assert "on Moore Threads MUSA it is `.musa()`" in asked(client, page)
    (why,) = [a for a in client.actions(uri, client.range(uri, ".cuda()", 0)) if a["title"] == "Why: 'cuda-method'"]
    assert client.execute(why["command"]["command"], *why["command"]["arguments"]) == {"page": page}
    chinese = asked(client, page.replace("/en/", "/zh/"))
    assert "摩尔线程 MUSA 上应使用 `.musa()`" in chinese and "## 示例" in chinese


@pytest.mark.parametrize(
    "uri",
    ["", "uncuda-rule:/en/npu/2.9.0/no-such.md", "uncuda-rule:/en/nobody/2.9.0/cuda-api.md",
     "uncuda-rule:/fr/npu/2.9.0/cuda-api.md", "file:///etc/passwd", "uncuda-rule:/en/npu/2.9.0/..%2F..%2FREADME.md"],
)  # fmt: skip
def test_no_such_page(start: Start, uri: str) -> None:
    assert start(SHOWS).request("uncuda/rulePage", {"uri": uri}) is None


def test_a_version_that_nobody_knows(start: Start) -> None:
    client = start(SHOWS)
    assert "torch_npu" in asked(client, "uncuda-rule:/en/npu/%3E%3D2.6%2C%3C2.9/cuda-api.md")
    assert "torch_npu" in asked(client, "uncuda-rule:/en/npu/no%20version/cuda-api.md")
    with pytest.raises(ResponseError):
        client.reply(client.begin("uncuda/rulePage", {"uri": 1}, deliberate=True))


def test_others_are_given_a_file(start: Start, tmp_path: Path) -> None:
    """For clients that show no pages, the page is written to the user's cache folder, not the workspace, and is written
    again if its text changes."""
    cache = tmp_path / "cache"
    work = tmp_path / "work"
    work.mkdir()
    client = start(folders=[work], env={"XDG_CACHE_HOME": str(cache)}, options={"settings": {"target": "musa"}})
    item = client.diagnostics(client.open("untitled:1", TEXT))[0]
    page = Path(unquote(urlsplit(item["codeDescription"]["href"]).path))
    assert page.is_relative_to(cache / "uncuda")
    assert "Moore Threads MUSA" in page.read_text(encoding="utf-8")
    assert "```toml" not in page.read_text(encoding="utf-8")
    assert list(work.iterdir()) == []
    page.write_text("old", encoding="utf-8")
    again = start(folders=[work], env={"XDG_CACHE_HOME": str(cache)}, options={"settings": {"target": "musa"}})
    again.diagnostics(again.open("untitled:1", TEXT))
    assert "Moore Threads MUSA" in page.read_text(encoding="utf-8")
    assert [path.name for path in page.parent.iterdir() if not path.name.endswith(".md")] == []


def test_where_nothing_can_be_written_the_rule_itself_is_shown(start: Start, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder", encoding="utf-8")
    client = start(env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    item = client.diagnostics(client.open("untitled:1", TEXT))[0]
    assert Path(unquote(urlsplit(item["codeDescription"]["href"]).path)) == load().rules[item["code"]].path
