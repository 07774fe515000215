"""Tests of the HTML report in a browser: valid HTML, accessible, in both themes and in print, without network and
JavaScript, and with hostile file names and sources."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from cli.command import CLEAN, MANUAL, REVIEW, SAFE, make, uncuda
from cli.test_report import FILES, LATER, LIBRARY, as_json
from e2e.vscode.install import chromium, playwright
from support.web import axe, html_errors
from uncuda.catalogue import load
from uncuda.report.port.pages import page_html
from uncuda.report.rule_page import page_of

HOSTILE: dict[str, str | bytes] = {
    "<script>alert(1)<!--.py": SAFE,
    "quo\"te' onmouseover=alert(1).py": MANUAL,
    "turned\u202egpj.py": REVIEW,
    "line\nbreak\x1b[7m.py": SAFE,
    "javascript:alert(1).py": SAFE,
    "a&amp;b#c?d%41 &lt;.py": MANUAL,
    "back`tick|pipe.py": SAFE,
    "bad\udcff.py": SAFE,
    "&copy/</details></main>.py": LIBRARY,
    "says.py": "import torch\nx = 1  # uncuda: ignore[<img/src=x/onerror=alert(1)>,\u202e,</script><script>alert(1)]\n",
}
if os.name == "nt":
    HOSTILE = {"says.py": HOSTILE["says.py"]}
WIDE = {"width": 1280, "height": 900}


def write(folder: Path, *arguments: str) -> Path:
    """Write the HTML report on the project in the current folder; return the path of the page."""
    page = folder / "uncuda-report.html"
    run = uncuda("report", "--target", "npu", "--output", str(page), *arguments)
    assert run.code == 0, run.err
    return page


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the reports that the tests open, by name, each in the folder of its project."""
    found, home = {}, Path.cwd()
    kinds: tuple[tuple[str, dict[str, str | bytes], tuple[str, ...]], ...] = (
        ("en", FILES, ()),
        ("zh", FILES, ("--locale", "zh")),
        ("hostile", HOSTILE, ()),
        ("empty", {"a.py": CLEAN}, ()),
        (
            "compared",
            {"requirements.txt": "torch_npu==2.1.0\n", "a.py": LATER, "b.py": MANUAL},
            ("--compare", "old.json"),
        ),
    )
    for name, files, arguments in kinds:
        folder = tmp_path_factory.mktemp(name)
        os.chdir(folder)
        make(files)
        if name == "compared":
            assert uncuda("report", "--target", "npu", "--no-beside", "--output", "old.json").code == 0
            make({"b.py": REVIEW, "uncuda.toml": ""})
            assert uncuda("check", "--target", "npu", "--write-baseline", "a.py").code == 0
        found[name] = write(folder, *arguments)
    os.chdir(home)
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Yield a running Chromium; while it runs, no test in this process can use asyncio."""
    playwright()
    command = str(chromium())
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=command, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def show(browser: Any) -> Iterator[Any]:
    """A function that opens a page. The test fails if a page sends a request, opens a dialog or logs a message."""
    contexts, wrong = [], []

    def show(page: Path, **options: Any) -> Any:
        context = browser.new_context(viewport=WIDE, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: wrong.append(request.url) if request.url != page.as_uri() else None)
        tab.on("dialog", lambda dialog: wrong.append(dialog.message))
        tab.on("console", lambda message: wrong.append(message.text))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.goto(page.as_uri())
        return tab

    yield show
    for context in contexts:
        context.close()
    assert not wrong


@pytest.mark.slow
def test_the_html_checker_finds_nothing(tmp_path: Path, pages: dict[str, Path]) -> None:
    wrong = tmp_path / "wrong.html"  # this page shows that the checker does report errors
    wrong.write_text(pages["empty"].read_text(encoding="utf-8").replace("</h1>", ""), encoding="utf-8")
    said = html_errors([*pages.values(), wrong]).splitlines()
    assert said
    assert [line for line in said if wrong.name not in line] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "theme"),
    [("en", "light"), ("en", "dark"), ("zh", "light"), ("hostile", "dark"), ("empty", "dark"), ("compared", "light")],
)
def test_axe_finds_nothing(name: str, theme: str, pages: dict[str, Path], browser: Any) -> None:
    context = browser.new_context(viewport=WIDE, color_scheme=theme, bypass_csp=True)
    tab = context.new_page()
    tab.goto(pages[name].as_uri())
    # axe skips content that is not on the screen
    tab.add_style_tag(content=".file, .page { content-visibility: visible !important }")
    tab.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
    tab.evaluate(axe())
    found = tab.evaluate(
        "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
    )
    context.close()
    assert found["passes"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["en", "hostile", "compared"])
def test_every_link_leads_somewhere(name: str, pages: dict[str, Path], show: Any) -> None:
    tab = show(pages[name])
    links = tab.eval_on_selector_all(
        "a", "all => all.map((one) => [one.getAttribute('href'), one.href, one.textContent])"
    )
    assert len(links) > 8
    ids = set(tab.eval_on_selector_all("[id]", "all => all.map((one) => one.id)"))
    files = 0
    for written, href, text in links:
        assert text.strip()
        if written.startswith("#"):
            assert written[1:] in ids
        elif not written.startswith("https://"):
            parts = urlsplit(href)
            assert parts.scheme == "file"
            file = Path(unquote(parts.path, errors="surrogateescape"))
            assert file.is_file()
            assert not written.startswith(("/", "file:"))
            if parts.fragment:
                assert 1 <= int(parts.fragment.removeprefix("L")) <= len(file.read_bytes().splitlines())
            files += 1
    assert files


@pytest.mark.slow
def test_names_and_programs_of_others_stay_text(pages: dict[str, Path], show: Any) -> None:
    tab = show(pages["hostile"])
    assert tab.locator("script").count() == 1
    assert tab.locator("img, iframe, object, embed, link, base").count() == 0
    shown = tab.locator(".file > summary code").all_text_contents()
    if os.name != "nt":
        assert "<script>alert(1)<!--.py" in shown
        assert {"turned\\u202egpj.py", "line\\nbreak\\x1b[7m.py", "bad\\udcff.py"} <= {*shown}
        assert "&copy/</details></main>.py" in shown
    text = tab.locator("main").text_content()
    assert "<img/src=x/onerror=alert(1)>" in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    handlers = tab.evaluate("[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())")
    assert not [name for name in handlers if name.startswith("on") or name == "style"]


@pytest.mark.slow
def test_the_filter(pages: dict[str, Path], show: Any) -> None:
    tab = show(pages["en"])
    rows = tab.locator(".file li:visible")
    every = len(as_json_of(pages["en"]))
    assert rows.count() == every

    def shown() -> str:
        text: str = tab.locator("#filter output").inner_text()
        return text

    tab.get_by_label("safe", exact=True).uncheck()
    kept = rows.count()
    assert 0 < kept < every
    assert shown() == f"{kept} of {every} shown"
    assert tab.locator(".file li.safe:visible").count() == 0
    tab.get_by_label("tests", exact=True).uncheck()
    assert tab.locator(".file[data-tests]:visible").count() == 0
    tab.get_by_label("Text, file or rule").fill("FLASH d.py")
    assert rows.count() == 1
    assert tab.locator(".file:visible").count() == 1
    tab.get_by_label("Text, file or rule").fill("nothing like it")
    assert shown() == f"0 of {every} shown"


def as_json_of(page: Path) -> list[Any]:
    """Return the findings of a project from its JSON report; `page`: the project's HTML report."""
    os.chdir(page.parent)
    findings: list[Any] = as_json()["findings"]
    return findings


@pytest.mark.slow
def test_all_is_there_without_the_script(pages: dict[str, Path], show: Any) -> None:
    tab = show(pages["en"], java_script_enabled=False)
    assert tab.locator("#filter").is_hidden()
    findings = as_json_of(pages["en"])
    assert tab.locator(".file li").count() == len(findings)
    text = re.sub(r"\s+", " ", tab.locator("#findings").text_content())
    for finding in findings:
        assert finding["message"].replace("`", "") in text.replace("`", "")
    tab.goto(f"{pages['en'].as_uri()}#rule-nccl-backend")
    assert tab.locator("#rule-nccl-backend").is_visible()  # a link to an element in a closed <details> opens it


@pytest.mark.slow
def test_on_paper_all_findings_are_there_on_white_and_nothing_to_click(pages: dict[str, Path], show: Any) -> None:
    tab = show(pages["en"], color_scheme="dark")
    dark = tab.evaluate("getComputedStyle(document.body).color")
    tab.locator(".file > summary").first.click(position={"x": 400, "y": 10})
    tab.emulate_media(media="print")
    assert tab.locator("nav").is_hidden()
    assert tab.locator("#filter").is_hidden()
    assert tab.evaluate("getComputedStyle(document.body).color") != dark
    assert tab.locator(".file li").first.is_visible()
    tab.set_viewport_size({"width": 680, "height": 900})  # the width of an A4 page
    wide = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute('aria-label'))"
    assert tab.eval_on_selector_all(".scroll, main", wide) == []
    assert len(tab.pdf(format="A4")) > 20_000


@pytest.mark.slow
def test_the_page_is_alone(pages: dict[str, Path]) -> None:
    for page in pages.values():
        text = page.read_text(encoding="utf-8")
        assert "default-src 'none'" in text
        assert not re.search(r"<(?:link|img|iframe|base)\b|\bsrc=|@import|url\(", re.sub(r"&lt;.*?&gt;", "", text))
        assert 'lang="zh-CN"' in text or 'lang="en"' in text


def test_pages_of_rules_leave_no_markdown(pages: dict[str, Path]) -> None:
    catalogue = load()
    for rule in catalogue.rules.values():
        for locale in ("en", "zh"):
            html = page_html(page_of(rule, catalogue.target("npu"), catalogue, locale))
            prose = re.sub(r"<(pre|code)>.*?</\1>", "", html, flags=re.S)
            assert not re.search(r"\*\*|`|\]\(|^#+ |^\||^> |^[-*] |^\d+\. ", re.sub(r"<[^>]+>", "", prose), re.M), (
                rule.name
            )
