"""Tests of the Port view and the review in VS Code, operated as a user does, in one window, until few findings are
left."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.command import MANUAL, REVIEW, SAFE, uncuda
from e2e.vscode.code_server import CodeServer
from e2e.vscode.install import CACHE
from e2e.vscode.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.network]

FILES = {
    "one/uncuda.toml": 'target = "npu"\n',
    "one/safe.py": SAFE,
    "one/kind.py": REVIEW,
    "one/tests/test_kernel.py": MANUAL,
    "two/uncuda.toml": 'target = "musa"\n',
    "two/safe.py": SAFE,
}
BUTTONS = (
    *("Review: Previous (Alt+PageUp)", "Review: Next (Alt+PageDown)", "Review: Accept Fix (Alt+Enter)"),
    *("Review: Accept with a Reason (Shift+Alt+Enter)", "Review: Skip (Shift+Alt+PageDown)"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of two folders, each with its own target."""
    folder = tmp_path_factory.mktemp("port")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    folders = {"folders": [{"path": "one"}, {"path": "two"}]}
    (folder / "both.code-workspace").write_text(json.dumps(folders), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def window(server: CodeServer, browser: Any, folder: Path) -> Iterator[Window]:
    """The window that all tests in this module share; each test continues where the previous one ended."""
    shots = CACHE / "shots" / "port"
    for old in shots.glob("*.png"):
        old.unlink()
    window = Window(browser, server, shots)
    window.show(folder / "both.code-workspace")
    window.open("safe.py")
    window.command("View: Close All Editors")
    window.open_port()
    yield window
    window.shot("end")
    window.close()
    assert not window.blocked


def select(window: Window, text: str) -> None:
    """Click the first row of the view that contains `text`, which gives it the focus."""
    window.page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row", has_text=text).first.click()


def expand(window: Window, text: str) -> None:
    """Expand a row, if it is not expanded yet; a click would toggle it."""
    row = window.page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row", has_text=text).first

    def expanded() -> bool:
        if row.get_attribute("aria-expanded") != "true":
            row.click()
            window.page.wait_for_timeout(300)
        return bool(row.get_attribute("aria-expanded") == "true")

    window.until(expanded)


def active(window: Window) -> str:
    """The title of the active tab."""
    return window.rows(".editor-group-container.active .tab.active")[0]


def left(folder: Path) -> int:
    """Return the number of findings that `check` reports in both folders."""
    found = 0
    for name in ("one", "two"):
        found += uncuda("check", "--output-format", "json", "--summary", str(folder / name)).json["summary"]["count"]
    return found


def test_two_folders_with_a_target_each(window: Window, folder: Path) -> None:
    window.until(
        lambda: f"{left(folder)} left" in window.port_message(), lambda: (window.port_message(), window.port())
    )
    window.until(lambda: len(window.port()) == 2, window.port)
    assert ["Ascend" in row for row in window.port()] == [True, False]
    above = window.page.locator(".split-view-container .title-actions .action-label, .composite.title .action-label")
    names = {label.get_attribute("aria-label") for label in above.all()}
    assert {"Review", "Filter the Port View", "Group the Port View by Rule or Folder", "Open Report"} <= names
    window.shot("roots")


def test_down_to_a_finding_by_key(window: Window, folder: Path) -> None:
    """By keyboard: the right arrow key expands folder, class, rule and file; Enter opens the finding."""
    select(window, "one")
    focused = window.page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row.focused")

    def at_a_finding() -> bool:
        if "line " not in (row := focused.first.inner_text()):
            window.page.keyboard.press("ArrowRight")
            window.until(
                lambda: focused.first.inner_text() != row or focused.first.get_attribute("aria-expanded") == "true",
                window.port,
            )
        return "line " in focused.first.inner_text()

    window.until(at_a_finding, window.port)
    window.page.keyboard.press("Enter")
    window.until(lambda: window.page.locator(".tab.active").count(), lambda: window.rows(".tab"))
    window.shot("open")


def test_a_fix_from_the_view(window: Window, folder: Path) -> None:
    before = left(folder)
    window.command("View: Close All Editors")
    window.command("uncuda: Focus on Port View")
    select(window, "line ")
    window.page.keyboard.press("Alt+Enter")
    window.until(lambda: f"{before - 1} left" in window.port_message(), lambda: (window.port_message(), window.port()))
    window.save_all()
    window.until(lambda: left(folder) == before - 1, lambda: left(folder))
    window.shot("fixed")


def test_grouped_by_folder_and_filtered(window: Window, folder: Path) -> None:
    window.command("uncuda: Group the Port View by Rule or Folder")
    expand(window, "one")
    window.until(lambda: any("By hand" in row for row in window.port()), window.port)
    window.shot("by-folder")
    window.command("uncuda: Filter the Port View")
    box = window.page.locator(".quick-input-list .monaco-list-row", has_text="Tests")
    box.first.wait_for()
    window.shot("filter")
    window.page.locator(".quick-input-list .monaco-list-row", has_text="Code").first.click()
    window.page.keyboard.press("Enter")
    window.until(lambda: "shown: Tests" in window.port_message(), window.port_message)
    window.until(lambda: len(window.port()) == 2 or len(window.port()) == 3, window.port)
    window.shot("tests-only")
    window.command("uncuda: Filter the Port View")
    box.first.wait_for()
    window.page.locator(".quick-input-list .monaco-list-row", has_text="Code").first.click()
    window.page.keyboard.press("Enter")
    window.until(lambda: "shown" not in window.port_message(), window.port_message)
    window.command("uncuda: Group the Port View by Rule or Folder")


def test_the_review_by_keys(window: Window, folder: Path) -> None:
    """By keyboard: the user moves to the next finding, applies a fix, and accepts a finding with a reason."""
    window.command("View: Close All Editors")
    window.command("uncuda: Review")
    diff = window.page.locator(".diff-editor, .monaco-diff-editor")
    window.until(lambda: diff.count() > 0, lambda: window.rows(".tab"))
    window.until(lambda: {*BUTTONS} <= {*window.title_buttons()}, window.title_buttons)
    window.shot("diff")
    number = active(window)
    window.page.locator(".monaco-diff-editor .modified .view-line, .diff-editor .modified .view-line").first.click()
    window.page.keyboard.press("Alt+PageDown")
    window.until(lambda: active(window) != number and "(2 of 3)" in active(window), lambda: window.rows(".tab"))
    window.shot("next")
    before = left(folder)
    # the key and the buttons work from the same moment on, once the extension knows the file that is open now
    window.until(lambda: {*BUTTONS} <= {*window.title_buttons()}, window.title_buttons)
    window.page.keyboard.press("Alt+PageUp")
    window.until(lambda: active(window) == number, lambda: window.rows(".tab"))
    window.until(lambda: {*BUTTONS} <= {*window.title_buttons()}, window.title_buttons)
    window.page.locator(".monaco-diff-editor .modified .view-line, .diff-editor .modified .view-line").first.click()
    window.page.keyboard.press("Alt+Enter")
    window.until(lambda: f"{before - 1} left" in window.port_message(), window.port_message)
    # the review has moved on to the next finding
    window.until(lambda: "amp-c-import" in active(window), lambda: window.rows(".tab"))
    window.save_all()
    window.until(lambda: left(folder) == before - 1, lambda: left(folder))
    # the buttons are also shown for a finding without a fix
    window.until(lambda: {*BUTTONS} <= {*window.title_buttons()}, window.title_buttons)
    window.command("uncuda: Review: Accept with a Reason")
    window.page.locator(".quick-input-widget:visible", has_text="Why?").locator("input.input").fill("only a log")
    window.shot("reason")
    window.page.keyboard.press("Enter")
    baseline = folder / "one" / "uncuda-baseline.jsonl"
    window.until(baseline.is_file, window.notifications)
    assert json.loads(baseline.read_text(encoding="utf-8").splitlines()[1])["reason"] == "only a log"
    window.until(lambda: "1 accepted" in window.port_message(), window.port_message)
    # the review has moved on to the next finding
    window.until(lambda: "amp-c-import" not in active(window), lambda: window.rows(".tab"))
    window.shot("accepted")


@pytest.mark.parametrize("theme", ["Default Light Modern", "Default Dark Modern", "Default High Contrast"])
def test_pictures_in_all_themes(window: Window, server: CodeServer, folder: Path, theme: str) -> None:
    """Take a screenshot in each theme, for a person to look at; the rows must be the same in all themes."""
    window.until(lambda: sum("Accepted" in row for row in window.port()) == 1, window.port)
    shown = window.port()
    server.configure({"workbench.colorTheme": theme})
    window.until(lambda: window.port() == shown, window.port)
    window.page.wait_for_timeout(500)
    window.shot(theme.replace(" ", "-").lower())
