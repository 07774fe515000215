"""Tests of the VS Code that `make vscode` starts."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.vscode import serve
from e2e.vscode.window import Window


def test_a_port_that_is_in_use(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        monkeypatch.setattr(sys, "argv", ["serve", "--port", port])
        assert serve.main() == 1
    assert port in capsys.readouterr().err


@pytest.fixture
def by_hand(installed: None, vsix: Path, browser: Any, shots: Path, tmp_path: Path) -> Iterator[Window]:
    """The window that `make vscode` opens."""
    server, workspace = serve.ready(tmp_path / "by-hand", vsix)
    with server.running():
        window = Window(browser, server, shots)
        window.show(workspace)
        yield window
        window.shot("end")
        window.close()


@pytest.mark.slow
@pytest.mark.network
def test_what_uncuda_says_is_on_the_screen(by_hand: Window) -> None:
    """The first notification asks for the accelerator; the user's choice is written to the settings."""
    assert not by_hand.rows(".monaco-dialog-box, .onboarding-a-container")
    by_hand.open("train/distributed.py")
    said = by_hand.until(by_hand.toasts)
    assert any("Which accelerator is the code for?" in text for text in said), said
    by_hand.shot("question")
    by_hand.page.locator(".notification-toast .monaco-button", has_text="Choose").click()
    rows = by_hand.page.locator(".quick-input-list .monaco-list-row")
    rows.filter(has_text="Ascend NPU").first.wait_for()
    by_hand.shot("list")
    rows.filter(has_text="Ascend NPU").first.click()
    by_hand.until(lambda: any("the target was written into" in text for text in by_hand.toasts()), by_hand.toasts)
    by_hand.command("uncuda: Fix All in File")
    by_hand.until(lambda: any("Fixed" in text and "Left: " in text for text in by_hand.toasts()), by_hand.toasts)
    by_hand.shot("fixed")
