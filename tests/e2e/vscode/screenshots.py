"""Takes the pictures that READMEs show, of the built extension at work on examples/. `make screenshots` runs it.

python -m e2e.vscode.screenshots
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from e2e.vscode.code_server import CodeServer
from e2e.vscode.install import chromium, playwright
from e2e.vscode.window import Window
from support import node
from support.fetching import Missing
from support.imports import ROOT

IMAGES = node.EXTENSION / "images"
SIZE = {"width": 1120, "height": 640}
SETTINGS = {
    "uncuda.interpreter": sys.executable,
    "security.workspace.trust.enabled": False,
    "breadcrumbs.enabled": False,
    "window.title": "${activeEditorShort}${separator}${rootName}",
}
CODE = "distributed.py"
# Display language, and the palette's name for the preview.
LANGUAGES = {
    "": "uncuda: Preview Fix All in Workspace",
    "zh-cn": "uncuda: 预览工作区中的所有修复",
}


def take(browser: Any, language: str, scratch: Path) -> None:
    """Take the pictures in one display language."""
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
        window.command(LANGUAGES[language])
        window.until(lambda: True in window.ticks(), window.ticks)
        window.page.locator(".codicon-group-by-ref-type:visible").first.click()
        window.page.locator(".part.panel .codicon-panel-maximize:visible").first.click()
        window.until(lambda: len(window.preview()) > 15 and True in window.ticks(), window.preview)
        _keep(window.shot("preview"), "preview", language)
        window.close()


def _keep(shot: Path, name: str, language: str) -> None:
    suffix = f".{language}" if language else ""
    shutil.copy(shot, IMAGES / f"{name}{suffix}.png")


def main() -> int:
    """Take all pictures; returns the exit code."""
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
