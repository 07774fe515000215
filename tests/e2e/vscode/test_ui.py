"""Tests of the extension as a user sees it: what VS Code shows, and the files on disk afterwards."""

import json
import os
import re
import shlex
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from cli.command import uncuda
from e2e.vscode import project
from e2e.vscode.code_server import CodeServer
from e2e.vscode.reused import ReusedWindow
from e2e.vscode.window import Window
from editors.session import OTHER, TRAIN
from lsp.harness.expected import engine, message_of
from support.notebook import notebook
from uncuda.source import Source

pytestmark = [pytest.mark.slow, pytest.mark.network]

FINDINGS = project.findings(TRAIN)


@pytest.fixture
def window(reused_window: ReusedWindow) -> Window:
    """Return the window that several modules share, with no editor open."""
    return reused_window


@pytest.fixture
def train(window: Window, small: Path) -> Window:
    """Return a window with the small project; a file of it is open and checked."""
    window.show(small)
    window.open("train.py")
    window.squiggles(len(FINDINGS))
    return window


def fix_all_on_save(workspace: Path) -> None:
    folder = workspace / ".vscode"
    folder.mkdir()
    on_save = {"[python]": {"editor.codeActionsOnSave": {"source.fixAll.uncuda": "explicit"}}}
    (folder / "settings.json").write_text(json.dumps(on_save), encoding="utf-8")


def test_squiggles_hover_and_problems(train: Window) -> None:
    train.page.locator(".squiggly-warning, .squiggly-error").first.hover(force=True)
    rule, _, message = FINDINGS[0]
    train.until(lambda: message in train.hover() and f"{rule} · " in train.hover(), train.hover)
    links = train.page.locator(".monaco-hover:visible a", has_text=rule)
    assert links.first.get_attribute("href") is not None
    train.shot("hover")

    def listed(rule: str, message: str) -> bool:
        return any(rule in row and message in row for row in train.problems())

    train.until(lambda: all(listed(rule, message) for rule, _, message in FINDINGS), train.problems)
    everything = len(FINDINGS) + len(project.findings(OTHER))  # this includes the findings of the file that is not open
    train.until(lambda: len([row for row in train.problems() if "uncuda" in row]) == everything, train.problems)
    train.shot("problems")


def test_a_closed_editor_has_no_problems_where_only_open_files_are_asked_for(window: Window, small: Path) -> None:
    (small / ".vscode").mkdir()
    (small / ".vscode/settings.json").write_text('{"uncuda.workspaceDiagnostics": false}', encoding="utf-8")
    window.show(small)
    window.open("train.py")
    window.squiggles(len(FINDINGS))
    window.until(lambda: any("uncuda" in row for row in window.problems()), window.problems)
    window.command("View: Close All Editors")
    window.until(lambda: not any("uncuda" in row for row in window.problems()), window.problems)


def test_lightbulb_quick_fix_and_undo(train: Window) -> None:
    train.click("nccl")
    train.page.locator(
        "[class*=codicon-light-bulb]:visible, [class*=codicon-lightbulb]:visible, [class*=gutter-lightbulb]:visible"
    ).first.wait_for()
    train.shot("lightbulb")
    assert any("hccl" in title for title in train.quick_fixes())
    train.shot("menu")
    train.take("hccl")
    train.squiggles(len(FINDINGS) - 1)
    assert 's = "中文😀"; dist.init_process_group(backend="hccl")' in train.text()
    train.page.keyboard.press("Control+Z")
    train.squiggles(len(FINDINGS))


def test_fix_all_in_workspace_and_one_undo(train: Window, small: Path) -> None:
    before, wanted = project.contents(small), project.fixed(small)
    train.command("uncuda: Fix All in Workspace")
    train.until(lambda: project.contents(small) == wanted, lambda: project.contents(small))
    train.squiggles(0)
    train.notified("Fixed")
    train.shot("fixed")
    train.focus_editor()
    train.page.keyboard.press("Control+Z")
    train.squiggles(len(FINDINGS))
    train.until(lambda: train.dirty() == 2, train.dirty)  # VS Code changes the other file a moment later
    train.save_all()
    train.until(lambda: project.contents(small) == before, lambda: project.contents(small))


def test_fix_all_in_file(train: Window, small: Path) -> None:
    wanted = project.fixed(small)["train.py"]
    train.command("uncuda: Fix All in File")
    train.squiggles(0)
    train.page.keyboard.press("Control+S")
    train.until(lambda: project.contents(small)["train.py"] == wanted, lambda: project.contents(small))


def test_fix_all_on_save(window: Window, small: Path) -> None:
    fix_all_on_save(small)
    wanted = project.fixed(small)["train.py"]
    window.show(small)
    window.open("train.py")
    window.squiggles(len(FINDINGS))

    def saved() -> bool:
        """Return whether saving has fixed the file; the test repeats this, because diagnostics may appear before the
        editor can save."""
        window.focus_editor()
        window.page.keyboard.press("Control+S")
        window.page.wait_for_timeout(2000)
        return project.contents(small)["train.py"] == wanted

    window.until(saved, lambda: project.contents(small))


def test_the_order_of_quick_fixes(train: Window) -> None:
    train.click("synchronize")
    assert train.quick_fixes() == [
        "Replace with `torch.npu.synchronize`",
        "Fix all 'cuda-api' in this file",
        "Fix all 'cuda-api' in the workspace",
        "Why: 'cuda-api'",
        "Accept this 'cuda-api' in uncuda-baseline.jsonl",
        "Accept all 'cuda-api' of this file in uncuda-baseline.jsonl",
        "Accept all 'cuda-api' of the workspace in uncuda-baseline.jsonl",
        "Ignore 'cuda-api' on this line",
        "Ignore 'cuda-api' in this file",
    ]
    train.shot("order")


def test_accept_with_a_reason_and_take_it_back(train: Window, small: Path) -> None:
    """The user is asked for the reason; without an answer nothing is written; an accepted finding disappears at
    once."""
    baseline = small / "uncuda-baseline.jsonl"
    title = "Accept all 'cuda-api' of the workspace in uncuda-baseline.jsonl"
    entry = train.page.locator(".quick-input-widget input.input")
    train.click("synchronize")
    train.quick_fixes()
    train.take(title)
    entry.wait_for()
    train.page.keyboard.press("Escape")
    entry.wait_for(state="hidden")
    train.click("synchronize")
    train.quick_fixes()
    train.take(title)
    entry.wait_for()
    assert train.rows(".quick-input-title:visible") == ["Accept all 'cuda-api' of the workspace"]
    train.shot("why")
    entry.fill("only timing")
    entry.press("Enter")
    train.notified("Accepted: ")
    lines = [json.loads(line) for line in baseline.read_text(encoding="utf-8").splitlines()]
    assert {(line["rule"], line["reason"]) for line in lines[1:]} == {("cuda-api", "only timing")}
    kept = [found for found in FINDINGS if found[0] != "cuda-api"]
    train.squiggles(len(kept))
    train.answer("Take back")
    train.squiggles(len(FINDINGS))
    assert not baseline.exists()


def test_fix_a_folder_from_the_explorer(train: Window) -> None:
    """Files outside of the folder are not fixed."""
    train.page.locator(".explorer-folders-view .monaco-list-row", has_text="sub").click(button="right")
    menus = train.page.locator(".context-view .monaco-menu .action-menu-item:visible")
    menus.filter(has_text="uncuda").first.hover()
    fix = menus.filter(has_text=re.compile("^Fix All in Folder")).first
    fix.hover()
    train.page.wait_for_timeout(500)  # a menu ignores clicks while it opens
    train.shot("menu")
    fix.click(delay=100)
    train.notified("Fixed 1 finding in 1 file.")
    # VS Code does not save the changes by itself if only one file is changed; on a slow machine, it opens no tab either
    train.open("other.py")
    train.until(lambda: train.dirty() == 1, train.dirty)
    assert train.page.locator('.tab.dirty[data-resource-name="other.py"]').count() == 1
    train.open("train.py")
    train.squiggles(len(FINDINGS))


def test_fix_the_files_that_are_selected_in_the_explorer(window: Window, small: Path) -> None:
    (small / "more.py").write_text(OTHER, encoding="utf-8")
    window.show(small)
    rows = window.page.locator(".explorer-folders-view .monaco-list-row")
    rows.filter(has_text="train.py").click()
    window.squiggles(len(FINDINGS))
    rows.filter(has_text="more.py").click(modifiers=["Control"])
    rows.filter(has_text="more.py").click(button="right")
    menus = window.page.locator(".context-view .monaco-menu .action-menu-item:visible")
    menus.filter(has_text="uncuda").first.hover()
    fix = menus.filter(has_text=re.compile("^Fix All in File")).first
    fix.hover()
    window.page.wait_for_timeout(500)  # a menu ignores clicks while it opens
    fix.click(delay=100)
    window.until(lambda: window.dirty() == 2, window.dirty)


def test_the_page_of_a_rule_is_rendered(train: Window) -> None:
    """The page of a rule is filled in for the target, is opened by the menu or the link in the Problems panel, and
    contains no TOML."""

    def shows(said: str) -> None:
        train.until(lambda: said in train.rendered(), train.rendered)
        assert engine().target.title in train.rendered()
        assert "check =" not in train.rendered()

    train.click("synchronize")
    train.quick_fixes()
    train.take("Why: 'cuda-api'")
    shows("torch.cuda API with a counterpart")
    train.shot("why")
    train.command("View: Close All Editors")
    train.open("train.py")
    train.squiggles(len(FINDINGS))
    train.until(lambda: any("nccl-backend" in row for row in train.problems()), train.problems)
    link = train.page.locator(".markers-panel .monaco-list-row a", has_text="nccl-backend").first
    link.click(modifiers=["Control"])
    shows("nccl-backend")
    train.shot("problems")


def apply_by_rule(window: Window, said: str) -> None:
    """Group the open preview by rule, check that a row contains `said`, and apply the edits that are ticked."""
    window.shot("ticks")
    by_file = window.page.locator(".codicon-ungroup-by-ref-type:visible")
    if by_file.count():  # VS Code remembers how the previous preview was grouped
        by_file.first.click()
    window.page.locator(".codicon-group-by-ref-type:visible").first.click()
    window.until(lambda: any(said in row for row in window.preview()), window.preview)
    window.shot("by-rule")
    window.page.locator(".bulk-edit-panel .monaco-button").first.click()
    window.squiggles(0)


def test_preview_with_ticks_by_rule(window: Window, folder: Path) -> None:
    workspace = project.with_review(folder)
    before = project.contents(workspace)
    safe, everything = project.fixed(workspace), project.fixed(workspace, "--review-fixes")
    assert before != safe != everything
    window.show(workspace)
    window.open("train.py")
    window.some_squiggles()
    window.command("uncuda: Preview Fix All in Workspace")
    window.until(lambda: {True, False} <= set(window.ticks()), window.ticks)
    apply_by_rule(window, "to review")
    window.page.keyboard.press("Control+S")  # VS Code does not save the changes by itself if only one file is changed
    window.until(lambda: project.contents(workspace) == safe, lambda: project.contents(workspace))
    window.notified("Left: 2 to review, 0 by hand.")
    window.shot("left")
    window.focus_editor()
    window.page.keyboard.press("Control+Z")
    window.squiggles(len(FINDINGS))
    window.save_all()
    window.until(lambda: project.contents(workspace) == before, lambda: project.contents(workspace))


def test_preview_where_all_is_safe(train: Window, small: Path) -> None:
    wanted = project.fixed(small)
    train.command("uncuda: Preview Fix All in Workspace")
    train.until(lambda: len(train.ticks()) > len(wanted), train.ticks)
    apply_by_rule(train, "safe")
    train.until(lambda: project.contents(small) == wanted, lambda: project.contents(small))


def test_notebook(window: Window, folder: Path) -> None:
    workspace = project.with_notebook(folder)
    window.show(workspace)
    window.open("notebook.ipynb")
    marked = window.page.locator(".notebook-editor .squiggly-warning, .notebook-editor .squiggly-error")
    window.until(lambda: marked.count() == 2, marked.count)
    window.shot("marked")
    window.click("synchronize")
    assert any("torch.npu.synchronize" in title for title in window.quick_fixes())
    window.take("torch.npu.synchronize")
    window.until(lambda: marked.count() == 1, marked.count)


def test_fix_all_with_a_notebook_that_nobody_opened(window: Window, folder: Path, tmp_path: Path) -> None:
    """The file of the notebook is edited as text, and then equals the result of the command line."""
    workspace = project.with_notebook(folder)
    notebook = workspace / "notebook.ipynb"
    before = notebook.read_bytes()
    copy = tmp_path / "copy.ipynb"
    copy.write_bytes(before)
    assert uncuda("fix", "--target", "npu", str(copy)).code == 0
    window.show(workspace)
    window.open("train.py")
    window.squiggles(len(FINDINGS))
    window.command("uncuda: Fix All in Workspace")
    window.until(lambda: notebook.read_bytes() == copy.read_bytes(), lambda: notebook.read_text(encoding="utf-8"))
    assert "in 2 files" in window.notified("Fixed")


def test_the_review_of_a_notebook_that_nobody_opened(window: Window, folder: Path) -> None:
    """The review shows the text of a notebook's cells with and without the fix, not the JSON of the file."""
    workspace = project.small(folder)
    (workspace / "notebook.ipynb").write_text(notebook(project.REVIEW), encoding="utf-8")
    window.show(workspace)
    window.open("train.py")
    window.open_port()
    window.until(lambda: any("To review" in row for row in window.port()), window.port)
    window.command("uncuda: Review")
    sides = [window.page.locator(f".monaco-diff-editor .editor.{side} .view-line") for side in ("original", "modified")]

    def texts() -> list[str]:
        return ["\n".join(side.all_inner_texts()).replace("\xa0", " ") for side in sides]

    window.until(lambda: all('kind = "gpu"' in text for text in texts()), texts)
    before, after = texts()
    assert "torch.cuda.is_available()" in before and "torch.npu.is_available()" in after
    assert "cells" not in before + after


def test_status_item(train: Window) -> None:
    train.language_status()
    wanted = f"{engine().target.title} · rewrite · {len(FINDINGS)} findings"
    train.until(lambda: wanted in train.hover(), train.hover)
    train.shot("status")


def test_the_status_bar_counts_the_workspace_and_its_hover_is_whole(train: Window) -> None:
    everything = len(FINDINGS) + len(project.findings(OTHER))
    bar = train.page.locator(".statusbar-item[id$='uncuda.bar']")
    train.until(lambda: bar.inner_text().strip() == f"{engine().target.title}: {everything}", bar.all_inner_texts)
    bar.hover()
    train.until(lambda: f"workspace: {everything} findings, 0 accepted; 2 files checked" in train.hover(), train.hover)
    assert f"this file: {len(FINDINGS)} findings" in train.hover() and "torch_npu" in train.hover()
    train.shot("hover")


def test_switch_target(train: Window) -> None:
    other = engine("musa")
    wanted = [message_of(found) for found in other.check(Source(TRAIN)).findings]
    train.command("uncuda: Switch Target")
    rows = train.page.locator(".quick-input-list .monaco-list-row")
    rows.filter(has_text=re.compile(other.target.title)).first.click()
    train.until(lambda: "uncuda.toml" in train.page.locator(".quick-input-title").first.inner_text())
    train.shot("asked")
    rows.filter(has_text="Only until the server ends").first.click()
    train.notified("until the server ends")
    assert len(train.notifications()) == 1
    train.until(lambda: all(any(one in row for row in train.problems()) for one in wanted), train.problems)
    train.language_status()
    train.until(lambda: f"{other.target.title} · " in train.hover(), train.hover)


def test_logs_and_restart(train: Window) -> None:
    train.command("uncuda: Show Logs")
    lines = ".panel .view-line"
    train.until(lambda: any("uncuda" in row for row in train.rows(lines)), lambda: train.rows(lines))
    train.shot("logs")
    train.command("uncuda: Restart Server")
    train.command("uncuda: Fix All in File")
    # a server that is starting shows no squiggles
    train.until(lambda: "torch.npu.synchronize()" in train.text(), train.text)
    train.squiggles(0)


def test_walkthrough_with_its_pictures(window: Window, small: Path) -> None:
    def shows(picture: str) -> bool:
        return picture in window.pictures()

    window.page.set_viewport_size({"width": 1800, "height": 1000})  # a narrow window does not show the pictures
    window.show(small)
    window.command("Welcome: Open Walkthrough...")
    window.page.locator(".quick-input-list .monaco-list-row", has_text="Port a Project").click()
    for step, picture in (("See what is tied to CUDA", "hover.png"), ("Preview and fix", "preview.png")):
        window.page.locator(".getting-started-step", has_text=step).click()
        window.until(partial(shows, picture), window.pictures)
    window.shot("walkthrough")


def test_a_crash_is_said(train: Window) -> None:
    train.command("uncuda: Show Debug Information")
    said = train.until(lambda: re.findall(r"^uncuda .*, process (\d+)$", train.text(), re.M), train.text)
    os.kill(int(said[0]), signal.SIGKILL)
    train.notified("has crashed and was started again")
    assert "Show Logs" in train.rows(".notification-list-item .monaco-button")
    train.shot("crash")
    train.open("train.py")
    train.squiggles(len(FINDINGS))


def test_a_whole_rule_beside_its_fixes(window: Window, folder: Path) -> None:
    """From a rule's node in the view, the user opens each file beside its fixed text in one editor, whose button
    applies everything that is shown."""
    small = project.with_review(folder)
    for name in ("a", "b"):
        (small / f"{name}.py").write_text(project.REVIEW, encoding="utf-8")
    window.show(small)
    window.open("train.py")
    window.open_port()
    window.until(lambda: any("To review" in row for row in window.port()), window.port)
    rows = window.page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row")
    review = rows.filter(has_text="To review").first

    def expanded() -> bool:
        """Expand the node. A second click would close it again, and the arrow key does not."""
        if review.get_attribute("aria-expanded") == "true":
            return True
        if "focused" in (review.get_attribute("class") or ""):
            window.page.keyboard.press("ArrowRight")
        else:
            review.click()
        return False

    window.until(expanded, window.port)
    first = [row.startswith("To review") for row in window.port()].index(True) + 1
    window.until(lambda: len(window.port()) > first + 1, window.port)
    (name,) = re.findall(r"^([a-z-]+)\d", window.port()[first])
    wanted = project.fixed(small, "--review-fixes", "--fixable", name)
    rows.nth(first).click()
    window.page.keyboard.press("Shift+Enter")
    button = "Review: Make All Fixes Shown Here (Alt+Enter)"
    window.until(lambda: button in window.title_buttons(), window.title_buttons)
    before = project.contents(small)
    assert f"({sum(before[path] != text for path, text in wanted.items())} files)" in window.rows(".tab.active")[0]
    fixed = window.page.locator(".multiDiffEntry .modified .view-line")
    window.until(lambda: any("torch.npu" in line for line in fixed.all_inner_texts()), fixed.all_inner_texts)
    window.shot("compared")
    fixed.first.click()
    window.page.keyboard.press("Alt+Enter")
    window.until(lambda: project.contents(small) == wanted, lambda: project.contents(small))
    window.until(lambda: not window.page.locator(".multiDiffEntry").count())
    window.notified(f"Left for {name}: ")


def test_suppressed_from_the_review(window: Window, folder: Path) -> None:
    small = project.with_review(folder)
    window.show(small)
    window.open("train.py")
    window.open_port()
    window.until(lambda: any("To review" in row for row in window.port()), window.port)
    window.command("uncuda: Review")
    window.until(lambda: "Review: Skip (Shift+Alt+PageDown)" in window.title_buttons(), window.title_buttons)
    window.command("uncuda: Review: Suppress by a Comment, with a Reason")
    box = window.page.locator(".quick-input-widget input.input:visible")
    box.fill("one card only")
    window.shot("reason")
    box.press("Enter")
    window.until(lambda: window.dirty() > 0 or "one card only" in (small / "kind.py").read_text(encoding="utf-8"))
    window.command("File: Save All Files")
    window.until(lambda: "] one card only\n" in (small / "kind.py").read_text(encoding="utf-8"))
    assert "# uncuda: ignore[" in (small / "kind.py").read_text(encoding="utf-8")


def test_beside_an_older_server(window: Window, server: CodeServer, small: Path) -> None:
    """With a server of an older uncuda, which has no data for the Port view, findings and fixes work as before, and the
    view says what to update."""
    asked, python = small.with_name("asked"), small.with_name("older-python")
    older = shlex.join([sys.executable, str(Path(__file__).with_name("older.py")), str(asked), sys.executable])
    run = f'case "$*" in *" server "*) exec {older} "$@";; esac\nexec {sys.executable} "$@"'
    python.write_text(f"#!/bin/sh\n{run}\n", encoding="utf-8")
    python.chmod(0o755)
    server.configure({"uncuda.interpreter": str(python)})
    try:
        window.show(small)
        window.open("train.py")
        window.squiggles(len(FINDINGS))
        window.open_port()
        window.until(lambda: "is older than this extension" in window.port_message(), window.port_message)
        window.until(lambda: not window.port(), window.port)
        window.shot("older")
        window.command("uncuda: Review")
        window.notified("is older than this extension")
        window.command("uncuda: Fix All in File")
        window.until(lambda: "torch.npu.synchronize()" in window.text(), window.text)
        assert not asked.exists(), asked.read_text(encoding="utf-8")
    finally:
        server.configure({})


def test_show_what_is_left(reused_window: ReusedWindow, folder: Path) -> None:
    """The message contains the three counts, and a button that opens the first remaining finding and the list of all
    findings.

    No other test can use the window afterwards, because a document that the server has shown stays in VS Code's memory
    for minutes after its editor is closed. This test is therefore the last one that uses the shared window; only tests
    that open a window of their own follow.
    """
    window, workspace = reused_window, project.with_review(folder)
    window.spent = True
    window.show(workspace)
    window.open("train.py")
    window.squiggles(len(FINDINGS))
    window.command("uncuda: Fix All in Workspace")
    said = window.notified("Fixed")
    assert re.search(r"Fixed \d+ findings in \d files?\. Left: 2 to review, 0 by hand\.", said), said
    window.answer("Show")
    window.page.locator('.tab.active[data-resource-name="kind.py"]').wait_for()
    window.page.locator(".markers-panel").wait_for()
    window.until(lambda: any("device-string" in row for row in window.problems()), window.problems)
    position = ".statusbar-item[id='status.editor.selection']"
    window.until(lambda: any("Ln 3" in row for row in window.rows(position)), lambda: window.rows(position))
    window.shot("shown")


def test_problems_of_files_that_nobody_opened(new_window: Window, tmp_path: Path) -> None:
    """This test needs a new window, because it is about the start of VS Code."""
    window, small = new_window, project.small(tmp_path)
    window.show(small)
    names = ("train.py", "other.py")
    window.until(
        lambda: all(any(row.startswith(name) for row in window.problems()) for name in names), window.problems, 90
    )
    window.shot("problems")
    window.open("train.py")
    window.squiggles(len(FINDINGS))
    window.language_status()
    everything = len(FINDINGS) + len(project.findings(OTHER))
    window.until(lambda: f"workspace: {everything} findings" in window.hover(), window.hover)
    window.shot("status")


def _is_moved(folder: Path) -> bool:
    """Return whether the folder's own settings now contain the target that was in VS Code's settings."""
    settings = folder / "uncuda.toml"
    return settings.exists() and settings.read_text(encoding="utf-8") == 'target = "musa"\n'


def test_a_target_of_the_editor_moves_to_the_project(new_window: Window, tmp_path: Path) -> None:
    window, small = new_window, project.small(tmp_path)
    (small / "uncuda.toml").unlink()
    settings = small / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"uncuda.target": "musa"}', encoding="utf-8")
    window.show(small)
    window.until(lambda: any("stands in .vscode/settings.json" in text for text in window.toasts()), window.toasts)
    window.page.locator(".notification-toast .monaco-button", has_text="Move to the Project").click()
    window.until(partial(_is_moved, small))
    window.until(lambda: "uncuda.target" not in settings.read_text(encoding="utf-8"))


def test_a_target_of_several_folders_moves_to_each(new_window: Window, tmp_path: Path) -> None:
    """A setting in a VS Code workspace file applies to all folders of the workspace."""
    window, small = new_window, project.small(tmp_path)
    other = small.with_name("other")
    other.mkdir()
    (other / "more.py").write_text(OTHER, encoding="utf-8")
    (small / "uncuda.toml").unlink()
    workspace = small.with_name("both.code-workspace")
    folders = [{"path": small.name}, {"path": other.name}]
    workspace.write_text(json.dumps({"folders": folders, "settings": {"uncuda.target": "musa"}}), encoding="utf-8")
    window.show(workspace)
    window.until(lambda: any("stands in .vscode/settings.json" in text for text in window.toasts()), window.toasts)
    window.page.locator(".notification-toast .monaco-button", has_text="Move to the Project").click()
    for folder in (small, other):
        window.until(partial(_is_moved, folder), lambda: [*window.toasts(), *window.notifications()])
    window.until(lambda: "uncuda.target" not in workspace.read_text(encoding="utf-8"))


def test_a_target_of_the_project_is_not_offered_another(new_window: Window, tmp_path: Path) -> None:
    """If the project sets a target, the editor's setting has no effect, and writing it into the project would change
    the target of the command line."""
    window, small = new_window, project.small(tmp_path)
    folder = small / ".vscode"
    folder.mkdir()
    (folder / "settings.json").write_text('{"uncuda.target": "musa"}', encoding="utf-8")
    window.show(small)
    window.open("train.py")
    window.squiggles(len(FINDINGS))
    window.until(lambda: any("torch.npu" in row for row in window.problems()), window.problems)
    assert not [
        text for text in [*window.toasts(), *window.notifications()] if "stands in .vscode/settings.json" in text
    ]
