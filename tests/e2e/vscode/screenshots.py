"""Takes the screenshots in the READMEs and in docs/editors/port-in-vscode.md, with the built extension and examples/.
The command `make screenshots` runs this module.

python -m e2e.vscode.screenshots
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from e2e.vscode.code_server import CodeServer
from e2e.vscode.install import chromium, playwright
from e2e.vscode.window import Window
from support import node
from support.fetching import Missing
from support.imports import ROOT

IMAGES, PORT = node.EXTENSION / "images", ROOT / "docs" / "images"
SIZE = {"width": 1120, "height": 640}
SETTINGS = {
    "uncuda.interpreter": sys.executable,
    "security.workspace.trust.enabled": False,
    "breadcrumbs.enabled": False,
    "window.title": "${activeEditorShort}${separator}${rootName}",
}
CODE = "distributed.py"
BAR = ".statusbar-item[id$='uncuda.bar']"
LIBRARY, WORD = "fused_clip.py", "multi_tensor_applier"


class Words(NamedTuple):
    """The texts in one language: titles in the command palette, a quick fix, and what the user types."""

    preview: str
    accept: str
    everywhere: str
    reasons: tuple[str, str]


LANGUAGES = {
    "": Words(
        "uncuda: Preview Fix All in Workspace",
        "uncuda: Accept All That Is Found in Workspace",
        "of the workspace in",
        ("Ascend's build of apex is installed", "not part of the first run"),
    ),
    "zh-cn": Words(
        "uncuda: 预览工作区中的所有修复",
        "uncuda: 接受工作区中发现的所有问题",
        "中接受工作区的所有",
        ("已安装昇腾版 apex", "首次运行不涉及"),
    ),
}


def take(browser: Any, language: str, scratch: Path) -> None:
    """Take all screenshots in one display language."""
    workspace = shutil.copytree(ROOT / "examples" / "train", scratch / "train")
    (workspace / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
    server = CodeServer(scratch / "code-server", SETTINGS, language)
    server.install(node.vsix())
    with server.running():
        window = Window(browser, server, scratch / "shots", SIZE)
        window.show(workspace)
        window.open(CODE)
        window.some_squiggles()
        window.page.locator(".view-line span:not(:has(span))", has_text="set_device").last.hover()
        window.until(lambda: "`torch.npu.set_device`" in window.hover() or "torch_npu" in window.hover(), window.hover)
        _keep(window.shot("hover"), "hover", language)
        _problems(window, language)
        window.command(LANGUAGES[language].preview)
        window.until(lambda: True in window.ticks(), window.ticks)
        window.page.locator(".codicon-group-by-ref-type:visible").first.click()
        window.page.locator(".part.panel .codicon-panel-maximize:visible").first.click()
        window.until(lambda: len(window.preview()) > 15 and True in window.ticks(), window.preview)
        _keep(window.shot("preview"), "preview", language)
        _port(window, language)
        window.close()


def _problems(window: Window, language: str) -> None:
    """Take the screenshot of the workspace's findings before any fix."""
    bar = window.page.locator(BAR)
    window.until(lambda: window.problems() and bar.inner_text().strip()[-1:].isdigit(), bar.all_inner_texts)
    window.page.mouse.move(600, 200)
    window.page.wait_for_timeout(1000)
    _keep(window.shot("findings"), "port-findings", language, PORT)


def _port(window: Window, language: str) -> None:
    """Take the screenshots from the open preview to the last finding: the remaining findings, the reason for accepting
    one, and the empty list."""
    words, page = LANGUAGES[language], window.page
    page.locator(".part.panel .codicon-panel-maximize, .part.panel .codicon-panel-restore").first.click()
    page.locator(".bulk-edit-panel .monaco-button").first.click()
    window.until(window.toasts)
    window.until(window.problems)
    page.wait_for_timeout(2000)
    _keep(window.shot("left"), "port-left", language, PORT)
    _clear(window)
    window.open(LIBRARY)
    window.some_squiggles()
    page.locator(".view-line span:not(:has(span))", has_text=WORD).last.click()
    window.quick_fixes()
    window.take(words.everywhere)
    page.locator(".quick-input-widget input.input:visible").fill(words.reasons[0])
    page.wait_for_timeout(500)
    _keep(window.shot("reason"), "port-reason", language, PORT)
    page.keyboard.press("Enter")
    window.until(window.toasts)
    window.command(words.accept)
    page.locator(".quick-input-widget input.input:visible").fill(words.reasons[1])
    page.keyboard.press("Enter")
    bar = page.locator(BAR)
    window.until(lambda: bar.inner_text().strip().endswith(": 0"), bar.all_inner_texts)
    _clear(window)
    bar.hover()
    window.until(window.hover)
    page.wait_for_timeout(1000)
    _keep(window.shot("done"), "port-done", language, PORT)


def _clear(window: Window) -> None:
    """Close all notifications."""
    shown = window.page.locator(".notifications-toasts .codicon-notifications-clear")
    while shown.count():
        shown.first.click(force=True)
        window.page.wait_for_timeout(300)


def _keep(shot: Path, name: str, language: str, folder: Path = IMAGES) -> None:
    suffix = f".{language}" if language else ""
    shutil.copy(shot, folder / f"{name}{suffix}.png")


def main() -> int:
    """Take all screenshots; returns the exit code."""
    try:
        playwright()
        browser_path = chromium()
        node.vsix()
        from playwright.sync_api import sync_playwright

        with sync_playwright() as started, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            browser = started.chromium.launch(executable_path=str(browser_path), args=["--no-sandbox", "--disable-gpu"])
            for language in LANGUAGES:
                take(browser, language, Path(scratch) / (language or "en"))
            browser.close()
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
