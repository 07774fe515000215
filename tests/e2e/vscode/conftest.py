"""Fixtures for tests with VS Code: one code-server with the built extension for all tests, and a window for each test
or one for several modules."""

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the modules that share a window last, because the shared window would follow the settings that tests of other
    windows change, and because an open window costs CPU time."""
    sharing = {item.path for item in items if "reused_window" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: item.path in sharing)


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
    """A running code-server (VS Code for browsers) in which the extension is installed."""
    server = CodeServer(tmp_path_factory.mktemp("code-server"), SETTINGS, extensions=extensions)
    server.bind(KEYS)
    with server.running():
        yield server


@pytest.fixture(scope="package")
def browser(installed: None) -> Iterator[Any]:
    """Start Chromium for the tests of this folder. Chromium is stopped after the last of these tests, because no test
    of this process can use asyncio while Chromium is open; without `__init__.py` in the folder, Chromium would stay
    open until the session ends."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        # Windows live too short for V8's slow compiler to be worth its time.
        options = ["--no-sandbox", "--disable-gpu", "--js-flags=--no-opt"]
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
def new_window(server: CodeServer, browser: Any, shots: Path, request: pytest.FixtureRequest) -> Iterator[Window]:
    """A window that has nothing open; the user's settings are reset after the test."""
    window = Window(browser, server, shots)
    failed = request.session.testsfailed
    yield window
    if request.session.testsfailed > failed:
        window.shot("failed")
    window.close()
    server.configure({})
    assert not window.blocked  # the page has sent no request to another machine, because `blocked` is empty


@pytest.fixture
def window(new_window: Window) -> Window:
    """The window of a test: a new one, unless its module overrides this fixture."""
    return new_window


@pytest.fixture(scope="package")
def windows() -> Iterator[list[ReusedWindow]]:
    """Return a list with the window that the tests of several modules share; it is empty until the window is opened."""
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
    """Return the window that tests of several modules share. Before each test, the window and the user's settings are
    reset; after a test that failed, or that set `spent`, a new window is opened."""
    if not windows:
        windows.append(ReusedWindow(browser, server, tmp_path_factory.mktemp("reused")))
    (window,) = windows
    window.begin(shots)
    failed = request.session.testsfailed
    yield window
    has_failed = request.session.testsfailed > failed
    if has_failed:
        window.shot("failed")
    server.configure({})
    if window.spent or has_failed:
        windows.clear()
        window.close()
    else:
        window.clear()
    assert not window.blocked  # the page has sent no request to another machine, because `blocked` is empty


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the folder for a test's workspace; a test in the shared window gets the folder of this window."""
    if "reused_window" not in request.fixturenames:
        return tmp_path
    window: ReusedWindow = request.getfixturevalue("reused_window")
    return window.folder


@pytest.fixture
def small(folder: Path) -> Path:
    """A small project in the folder for the test's workspace."""
    return project.small(folder)
