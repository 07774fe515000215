"""Fixtures for tests with VS Code: one code-server with the built extension for all tests, and a window for each
test."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.vscode import project
from e2e.vscode.code_server import CodeServer
from e2e.vscode.install import CACHE, chromium, playwright, vscode
from e2e.vscode.reused import KEYS, ReusedWindow
from e2e.vscode.serve import SETTINGS
from e2e.vscode.window import Window
from support import node


@pytest.fixture(scope="session")
def installed() -> None:
    """Install VS Code and the browser; the test is skipped if that is not possible."""
    vscode()
    playwright()
    chromium()


@pytest.fixture(scope="session")
def vsix() -> Path:
    """Return the .vsix of the extension as `make vsix` builds it; if UNCUDA_VSIX names an existing file, that one."""
    if built := os.environ.get("UNCUDA_VSIX"):
        return Path(built)
    return node.vsix()


@pytest.fixture(scope="session")
def extensions(installed: None, vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the extension is installed; servers only read it."""
    server = CodeServer(tmp_path_factory.mktemp("installed"), SETTINGS)
    server.install(vsix)
    return server.extensions


@pytest.fixture(scope="session")
def server(extensions: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    """A code-server with the extension that uses this Python."""
    server = CodeServer(tmp_path_factory.mktemp("code-server"), SETTINGS, extensions=extensions)
    server.bind(KEYS)
    with server.running():
        yield server


@pytest.fixture(scope="module")
def browser(installed: None) -> Iterator[Any]:
    """Start Chromium for the tests of a module. Chromium is stopped after the module's tests, because no test of this
    process can use asyncio while it is open."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        options = ["--no-sandbox", "--disable-gpu"]
        opened = started.chromium.launch(executable_path=str(chromium()), args=options)
        yield opened
        opened.close()


@pytest.fixture
def shots(request: pytest.FixtureRequest) -> Path:
    """The folder for a test's screenshots."""
    folder = CACHE / "shots" / str(request.node.name)
    for old in folder.glob("*.png"):
        old.unlink()
    return folder


@pytest.fixture
def new_window(server: CodeServer, browser: Any, shots: Path) -> Iterator[Window]:
    """A window that has nothing open; the user's settings are reset after the test."""
    window = Window(browser, server, shots)
    yield window
    window.shot("end")
    window.close()
    server.configure({})
    assert not window.blocked  # the page has sent no request to another machine, because `blocked` is empty


@pytest.fixture
def window(new_window: Window) -> Window:
    """The window of a test: a new one, unless its module overrides this fixture."""
    return new_window


@pytest.fixture(scope="module")
def windows() -> Iterator[list[ReusedWindow]]:
    """Return a list with the window that the tests of a module share; it is empty until the window is opened.

    The window is closed after the module's tests: an open window follows the settings that tests of other windows
    change.
    """
    shared: list[ReusedWindow] = []
    yield shared
    for window in shared:
        window.close()


@pytest.fixture
def reused_window(
    server: CodeServer,
    browser: Any,
    windows: list[ReusedWindow],
    shots: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[ReusedWindow]:
    """Return the window that all tests of a module share. Before each test, the window and the user's settings are
    reset; after a failed test, a new window is opened."""
    if not windows:
        windows.append(ReusedWindow(browser, server, tmp_path_factory.mktemp("reused")))
    (window,) = windows
    window.begin(shots)
    failed = request.session.testsfailed
    yield window
    window.shot("end")
    server.configure({})
    if request.session.testsfailed > failed:
        windows.clear()
        window.close()
    else:
        window.clear()
    assert not window.blocked  # the page has sent no request to another machine, because `blocked` is empty


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the folder for a test's workspace; the shared window expects it inside its own folder."""
    if "reused_window" not in request.fixturenames:
        return tmp_path
    window: ReusedWindow = request.getfixturevalue("reused_window")
    return window.folder


@pytest.fixture
def small(folder: Path) -> Path:
    """A small project in the folder for the test's workspace."""
    return project.small(folder)
