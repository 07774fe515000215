"""Tests of the extension in a VS Code whose display language is Chinese."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.vscode import project
from e2e.vscode.code_server import CodeServer
from e2e.vscode.serve import SETTINGS
from e2e.vscode.window import Window
from editors.session import TRAIN
from lsp.harness.expected import engine, message_of
from uncuda.source import Source

pytestmark = [pytest.mark.slow, pytest.mark.network]


@pytest.fixture
def window(extensions: Path, browser: Any, shots: Path, tmp_path: Path) -> Iterator[Window]:
    server = CodeServer(tmp_path / "code-server", SETTINGS, "zh-cn", extensions=extensions)
    with server.running():
        window = Window(browser, server, shots)
        yield window
        window.shot("end")
        window.close()


def test_chinese(window: Window, small: Path) -> None:
    speaking = engine(locale="zh")
    first = speaking.check(Source(TRAIN)).findings[0]
    wanted = project.fixed(small)
    window.show(small)
    window.open("train.py")
    window.some_squiggles()
    window.until(lambda: any(message_of(first, "zh") in row for row in window.problems()), window.problems)
    assert any(tab.startswith("问题") for tab in window.rows(".panel .composite-bar .action-item"))
    title = speaking.target.title_zh

    def hovered() -> bool:
        window.language_status()  # once more, because the item moves when another one appears in the status bar
        return title in window.hover() and "个问题" in window.hover()

    window.until(hovered, window.hover)
    window.shot("status")
    window.open_port()
    window.until(lambda: any("安全修复" in row for row in window.port()), window.port)
    window.until(lambda: window.port_message().startswith("剩余 "), window.port_message)
    window.shot("port")
    window.click("nccl")
    assert any("hccl" in title and re.search("[一-鿿]", title) for title in window.quick_fixes())
    window.shot("menu")
    window.page.keyboard.press("Escape")
    window.command("uncuda: 修复工作区中的所有问题")
    window.until(lambda: project.contents(small) == wanted, lambda: project.contents(small))
    window.notified("已修复")
