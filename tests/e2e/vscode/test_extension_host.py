"""Tests that run inside VS Code's extension host, with the API for extensions."""

import json
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from e2e.vscode import project
from e2e.vscode.code_server import CodeServer
from e2e.vscode.serve import SETTINGS
from e2e.vscode.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.network]


@pytest.fixture(scope="module")
def server(extensions: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    """A separate code-server whose pages can run tests in the extension host."""
    server = CodeServer(tmp_path_factory.mktemp("driven"), SETTINGS, extensions=extensions, driven=True)
    with server.running():
        yield server


TESTS = Path(__file__).parent / "exthost"
SECONDS = 180


def run(window: Window, workspace: Path, tests: str) -> None:
    """Run a test file in the extension host of a window that opens `workspace`; this test fails if a test in the file
    fails."""
    wanted = json.dumps(project.expected(workspace))
    workspace.with_name("expected.json").write_text(wanted, encoding="utf-8")
    ended: list[int] = []
    said: list[str] = []
    window.page.expose_function("codeAutomationLog", lambda kind, texts: said.append(str(texts)))
    window.page.expose_function("codeAutomationExit", lambda code, *more: ended.append(code))
    remote = "vscode-remote://remote"
    payload = {"extensionDevelopmentPath": f"{remote}{TESTS}", "extensionTestsPath": f"{remote}{TESTS / tests}"}
    query = urllib.parse.quote(json.dumps(list(payload.items())))
    window.show(workspace, f"&payload={query}")
    window.until(lambda: ended, lambda: said[-20:], SECONDS)
    report = json.loads(workspace.with_name("report.json").read_text(encoding="utf-8"))
    failed = [f"{one['name']}: {one['error']}" for one in report if one["error"]]
    assert report
    assert not failed, "\n\n".join(failed)


@pytest.mark.parametrize(
    ("tests", "make"),
    [
        ("language.js", project.small),
        ("notebook.js", project.with_notebook),
        ("latin1.js", project.with_latin),
    ],
)
def test_inside(window: Window, tmp_path: Path, tests: str, make: Callable[[Path], Path]) -> None:
    run(window, make(tmp_path), tests)
