"""VS Code for the tests: one code-server with the built extension for all, a window for each."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.vscode import project
from e2e.vscode.code_server import CodeServer
from e2e.vscode.install import CACHE, chromium, playwright, vscode
from e2e.vscode.serve import SETTINGS
from e2e.vscode.window import Window
from support import node


@pytest.fixture(scope="session")
def installed() -> None:
    """VS Code and the browser are there, or the test skips."""
    vscode()
    playwright()
    chromium()


@pytest.fixture(scope="session")
def vsix() -> Path:
    """The extension's package as `make vsix` builds it; UNCUDA_VSIX=FILE names one that is built already."""
    if built := os.environ.get("UNCUDA_VSIX"):
        return Path(built)
    return node.vsix()


@pytest.fixture(scope="session")
def server(installed: None, vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    """VS Code with the extension and this Python."""
    server = CodeServer(tmp_path_factory.mktemp("code-server"), SETTINGS)
    server.install(vsix)
    with server.running():
        yield server


@pytest.fixture(scope="module")
def browser(installed: None) -> Iterator[Any]:
    """Chromium; for one module at a time, for while it runs no test of this process can use asyncio."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        options = ["--no-sandbox", "--disable-gpu"]
        opened = started.chromium.launch(executable_path=str(chromium()), args=options)
        yield opened
        opened.close()


@pytest.fixture
def shots(request: pytest.FixtureRequest) -> Path:
    """Where a test's pictures are kept."""
    folder = CACHE / "shots" / str(request.node.name)
    for old in folder.glob("*.png"):
        old.unlink()
    return folder


@pytest.fixture
def window(server: CodeServer, browser: Any, shots: Path) -> Iterator[Window]:
    """A window that shows nothing yet; the user's settings are as they were after it."""
    window = Window(browser, server, shots)
    yield window
    window.shot("end")
    window.close()
    server.configure({})
    assert not window.blocked  # nothing tried to leave the machine


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small project."""
    return project.small(tmp_path)
