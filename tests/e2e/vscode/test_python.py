"""Tests of which Python runs the server."""

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
    """Return the window that several modules share, with no editor open."""
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
    """Write a shell script; return its path."""
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


def test_hostile_workspace_that_is_trusted(window: Window, small: Path) -> None:
    """The workspace's settings name a program inside the workspace as the Python to use; it is run, because the user
    trusts the workspace. `test_python_alone` tests that the program is not run in an untrusted workspace."""
    ran = small.with_name("ran")
    program = script(small / "python", f'touch {shlex.quote(str(ran))}\nexec {sys.executable} "$@"')
    hostile = {"uncuda.interpreter": program, "uncuda.importStrategy": "fromEnvironment"}
    (small / ".vscode").mkdir()
    (small / ".vscode" / "settings.json").write_text(json.dumps(hostile), encoding="utf-8")
    window.show(small)
    window.open("train.py")
    window.until(ran.exists)
    window.squiggles(len(FINDINGS))
    window.page.locator(".statusbar-item[id='status.workspaceTrust']:visible").wait_for(state="hidden")
