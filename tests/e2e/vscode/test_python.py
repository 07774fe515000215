"""Tests of which Python runs the server, and which Python must never be run."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.vscode import project
from e2e.vscode.code_server import CodeServer
from e2e.vscode.reused import ReusedWindow
from e2e.vscode.window import Window
from editors.session import TRAIN

pytestmark = [pytest.mark.slow, pytest.mark.network]

FINDINGS = project.findings(TRAIN)


@pytest.fixture
def window(reused_window: ReusedWindow) -> Window:
    """The window that tests share, with no editor open."""
    return reused_window


def test_without_libcst(server: CodeServer, window: Window, small: Path, tmp_path: Path) -> None:
    """The extension contains all packages that it needs, so it works with a Python that has only its standard
    library."""
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    server.configure({"uncuda.interpreter": str(bare / "bin" / "python")})
    wanted = project.fixed(small)
    window.show(small)
    window.open("train.py")
    window.squiggles(len(FINDINGS))
    window.command("uncuda: Fix All in Workspace")
    window.until(lambda: project.contents(small) == wanted, lambda: project.contents(small))
    window.command("uncuda: Show Debug Information")
    window.until(lambda: "libcst not installed" in window.text(), window.text)
    assert str(bare) in window.text()


def script(path: Path, text: str) -> str:
    """A shell script; returns its path."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(("version", "wanted"), [("", "There is no"), ("3.9.18", "is Python 3.9.18")])
def test_broken_interpreter(server: CodeServer, window: Window, small: Path, version: str, wanted: str) -> None:
    python = small.with_name("some-python")
    if version:
        script(python, f"echo {version}")
    server.configure({"uncuda.interpreter": str(python)})
    window.show(small)
    window.open("train.py")
    said = window.notified(str(python))
    assert wanted in said
    assert "Open Settings" in window.rows(".notification-list-item .monaco-button")
    window.shot("message")
    shown = window.page.locator(".squiggly-warning, .squiggly-error")

    def recovered() -> bool:
        # the setting is written again, because a new window does not watch its settings from the start
        server.configure({})
        window.page.wait_for_timeout(3000)
        return bool(shown.count() == len(FINDINGS))

    window.until(recovered, shown.count)


def test_a_server_that_ends_at_once(server: CodeServer, window: Window, small: Path) -> None:
    ends = 'case "$*" in *" server "*) echo "no room left" >&2; exit 3;; esac'
    python = script(small.with_name("ending-python"), f'{ends}\nexec {sys.executable} "$@"')
    server.configure({"uncuda.interpreter": python})
    window.show(small)
    window.open("train.py")
    assert "no room left" in window.notified("could not be started")
    assert {"Show Logs", "Restart"} <= set(window.rows(".notification-list-item .monaco-button"))


def test_a_server_that_does_not_answer(server: CodeServer, new_window: Window, small: Path) -> None:
    """The configured Python prints its version, but the first server that it runs hangs; restarting the server does not
    wait for that one."""
    hung = small.with_name("hung")
    once = f'case "$*" in *" server "*) mkdir {shlex.quote(str(hung))} && exec sleep 600;; esac'
    python = script(small.with_name("hanging-python"), f'{once}\nexec {sys.executable} "$@"')
    server.configure({"uncuda.interpreter": python})
    new_window.show(small)
    new_window.open("train.py")
    new_window.until(hung.exists)
    new_window.command("uncuda: Restart Server")
    new_window.squiggles(len(FINDINGS))
    assert not [text for text in new_window.rows(".notification-list-item-message") if "uncuda" in text]


def test_an_interpreter_in_an_untrusted_workspace(server: CodeServer, new_window: Window, small: Path) -> None:
    """In an untrusted workspace, the user's own setting names a Python that is inside the workspace."""
    ran = small.with_name("ran")
    script(small / "python", f"touch {shlex.quote(str(ran))}")
    trust = {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"}
    server.configure({**trust, "uncuda.interpreter": str(small / "python")})
    new_window.show(small)
    new_window.open("train.py")
    new_window.squiggles(len(FINDINGS))  # the Python on PATH runs the server that checks the files
    assert not ran.exists()
    new_window.open_port()  # the view shows only open files, and offers no changes
    new_window.until(
        lambda: f"{len(FINDINGS)} left · open files only" in new_window.port_message(), new_window.port_message
    )
    new_window.page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row").first.click()
    for _ in range(6):
        new_window.page.keyboard.press("ArrowRight")
        new_window.page.wait_for_timeout(250)
    assert len(new_window.port()) > 3
    names = new_window.page.locator(".tree-explorer-viewlet-tree-view .action-label[aria-label]").all()
    assert {name.get_attribute("aria-label") for name in names} == {"Preview (Shift+Enter)"}
    new_window.shot("untrusted")


@pytest.mark.parametrize("trusted", [False, True])
def test_hostile_workspace(server: CodeServer, new_window: Window, small: Path, trusted: bool) -> None:
    """The workspace's settings name a program inside the workspace as the Python to use; it is run only if the user
    trusts the workspace."""
    ran = small.with_name("ran")
    program = script(small / "python", f'touch {shlex.quote(str(ran))}\nexec {sys.executable} "$@"')
    hostile = {"uncuda.interpreter": program, "uncuda.importStrategy": "fromEnvironment"}
    (small / ".vscode").mkdir()
    (small / ".vscode" / "settings.json").write_text(json.dumps(hostile), encoding="utf-8")
    trust = {"security.workspace.trust.enabled": not trusted, "security.workspace.trust.startupPrompt": "never"}
    server.configure(trust)
    new_window.show(small)
    new_window.open("train.py")
    new_window.squiggles(len(FINDINGS))
    restricted = new_window.page.locator(".statusbar-item[id='status.workspaceTrust']:visible")
    restricted.wait_for(state="hidden" if trusted else "visible")
    assert ran.exists() == trusted
