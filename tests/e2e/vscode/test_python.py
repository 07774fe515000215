"""Which Python runs the server, and which never does."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.vscode import project
from e2e.vscode.code_server import CodeServer
from e2e.vscode.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.network]

FINDINGS = project.findings(project.TRAIN)


def test_without_libcst(server: CodeServer, window: Window, small: Path, tmp_path: Path) -> None:
    """The package brings all it needs: this Python has nothing but its standard library."""
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


def test_broken_interpreter(server: CodeServer, window: Window, small: Path) -> None:
    missing = str(small / "no-such-python")
    server.configure({"uncuda.interpreter": missing})
    window.show(small)
    window.open("train.py")
    said = window.notified(missing)
    assert "Python" in said
    assert window.page.locator(".notification-list-item .monaco-button:visible").count()
    window.shot("message")
    server.configure({})
    window.squiggles(len(FINDINGS))


@pytest.mark.parametrize("trusted", [False, True])
def test_hostile_workspace(server: CodeServer, window: Window, small: Path, trusted: bool) -> None:
    """A workspace names a program of its own as Python: it is run only if the user trusts the workspace."""
    ran, program = small.with_name("ran"), small / "python"
    program.write_text(f'#!/bin/sh\ntouch {shlex.quote(str(ran))}\nexec {sys.executable} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    hostile = {"uncuda.interpreter": str(program), "uncuda.importStrategy": "fromEnvironment"}
    (small / ".vscode").mkdir()
    (small / ".vscode" / "settings.json").write_text(json.dumps(hostile), encoding="utf-8")
    trust = {"security.workspace.trust.enabled": not trusted, "security.workspace.trust.startupPrompt": "never"}
    server.configure(trust)
    window.show(small)
    window.open("train.py")
    window.squiggles(len(FINDINGS))
    restricted = window.page.locator(".statusbar-item[id='status.workspaceTrust']:visible")
    assert (restricted.count() > 0, ran.exists()) == (not trusted, trusted)
