"""Tests of a Python that hangs, and of programs that must never be run: in windows of their own, because every open
window runs the Python that the user's settings name."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.vscode import project
from e2e.vscode.code_server import CodeServer
from e2e.vscode.install import CACHE
from e2e.vscode.test_python import FINDINGS, script
from e2e.vscode.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.network]


def test_a_server_that_does_not_answer(server: CodeServer, window: Window, small: Path) -> None:
    """The configured Python prints its version, but the first server that it runs hangs; a restart of the server does
    not wait for the one that hangs."""
    hung = small.with_name("hung")
    once = f'case "$*" in *" server "*) mkdir {shlex.quote(str(hung))} && exec sleep 600;; esac'
    python = script(small.with_name("hanging-python"), f'{once}\nexec {sys.executable} "$@"')
    server.configure({"uncuda.interpreter": python})
    window.show(small)
    window.open("train.py")
    window.until(hung.exists)
    window.command("uncuda: Restart Server")
    window.squiggles(len(FINDINGS))
    assert not [text for text in window.rows(".notification-list-item-message") if "uncuda" in text]


@pytest.fixture(scope="module")
def untrusted(
    server: CodeServer, browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Window, Path]]:
    """Return a window with an untrusted workspace, and the workspace. The user's settings name one program inside the
    workspace as the Python to run, the settings of the workspace another. If one of these programs is run, it creates a
    file beside itself."""
    workspace = project.small(tmp_path_factory.mktemp("untrusted"))
    for name in ("user", "hostile"):
        ran = shlex.quote(str(workspace / f"{name}-ran"))
        script(workspace / name, f'touch {ran}\nexec {sys.executable} "$@"')
    hostile = {"uncuda.interpreter": str(workspace / "hostile"), "uncuda.importStrategy": "fromEnvironment"}
    (workspace / ".vscode").mkdir()
    (workspace / ".vscode" / "settings.json").write_text(json.dumps(hostile), encoding="utf-8")
    trust = {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"}
    server.configure({**trust, "uncuda.interpreter": str(workspace / "user")})
    shots = CACHE / "shots" / "untrusted"
    for old in shots.glob("*.png"):
        old.unlink()
    window = Window(browser, server, shots)
    window.show(workspace)
    window.open("train.py")
    window.squiggles(len(FINDINGS))  # the Python on PATH runs the server that checks the files
    yield window, workspace
    window.shot("end")
    window.close()
    server.configure({})
    assert not window.blocked


def test_an_interpreter_in_an_untrusted_workspace(untrusted: tuple[Window, Path]) -> None:
    """The user's own setting names a Python that is inside the workspace."""
    window, workspace = untrusted
    assert not (workspace / "user-ran").exists()
    window.open_port()  # the view shows only open files, and offers no changes
    window.until(lambda: f"{len(FINDINGS)} left · open files only" in window.port_message(), window.port_message)
    window.page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row").first.click()
    for _ in range(6):
        window.page.keyboard.press("ArrowRight")
        window.page.wait_for_timeout(250)
    assert len(window.port()) > 3
    icons = window.page.locator(".tree-explorer-viewlet-tree-view .action-label[aria-label]")

    def names() -> set[str | None]:
        return {icon.get_attribute("aria-label") for icon in icons.all()}

    window.until(lambda: names() == {"Preview (Shift+Enter)"}, names)
    window.shot("untrusted")


def test_hostile_workspace(untrusted: tuple[Window, Path]) -> None:
    """The workspace's settings name a program inside the workspace as the Python to use; it is run only if the user
    trusts the workspace, as in `test_python`."""
    window, workspace = untrusted
    window.page.locator(".statusbar-item[id='status.workspaceTrust']:visible").wait_for()
    assert not (workspace / "hostile-ran").exists()
