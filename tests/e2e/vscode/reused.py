"""One VS Code window for several tests: each test closes the editors that it opened, and the next test gets a new
server.

Loading VS Code takes ten times as long as most tests, so the tests share one window.
"""

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from e2e.vscode.code_server import CodeServer
from e2e.vscode.window import SIZE, Window

CLOSE, CLEAR, BEGIN = "Control+Shift+F7", "Control+Shift+F8", "Control+Shift+F9"
_CLEAR = (
    *("workbench.action.closePanel", "workbench.action.closeSidebar"),
    *("notifications.clearAll", "notifications.hideList", "notifications.hideToasts"),
)
# The commands run one after the other; the Explorer becomes visible after the new server has started.
_BEGIN = ("uncuda.restart", "workbench.view.explorer", "workbench.action.focusActiveEditorGroup")
KEYS: list[dict[str, Any]] = [
    {"key": CLOSE.replace("Control", "Ctrl"), "command": "workbench.action.revertAndCloseActiveEditor"},
    {"key": CLEAR.replace("Control", "Ctrl"), "command": "runCommands", "args": {"commands": _CLEAR}},
    {"key": BEGIN.replace("Control", "Ctrl"), "command": "runCommands", "args": {"commands": _BEGIN}},
]
_FILES = ".explorer-folders-view .monaco-list-row:visible"
_LEFT = ", ".join(
    (
        *(".tab:visible", ".part.panel:visible", ".part.sidebar:visible"),
        *(".notification-toast:visible", ".notifications-center.visible"),
    )
)


class ReusedWindow(Window):
    """A window that shows `folder`/workspace; each test replaces the files in it. A test sets `spent` if no other test
    can use the window after it."""

    def __init__(self, browser: Any, server: CodeServer, folder: Path) -> None:
        super().__init__(browser, server, folder)
        self.folder, self._workspace = folder, folder / "workspace"
        self.spent = False
        self._shown, self._turn = False, 0

    def begin(self, shots: Path) -> None:
        """Prepare the next test: empty the workspace, and set the folder for its screenshots to `shots`."""
        self._shots, self._taken = shots, 0
        # the folder itself is kept, because deleting it would end VS Code's file watching
        self._workspace.mkdir(exist_ok=True)
        for path in self._workspace.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def show(self, workspace: Path, query: str = "") -> None:
        """Show the current files of the workspace, with a new server; if they do not appear, load the page again."""
        from playwright.sync_api import TimeoutError as NotShown

        assert workspace == self._workspace
        title = self._entitle()
        if not self._shown:
            super().show(workspace, query)
            self._shown = True
            return
        self.until(lambda: title in self.page.title(), self.page.title)
        self.page.keyboard.press(BEGIN)
        try:
            self.page.locator(_FILES).first.wait_for()
        except NotShown:  # the key was pressed while VS Code was still reading the settings
            super().show(workspace, query)

    def _entitle(self) -> str:
        """Set a new window title in the settings and return it; when the window shows it, VS Code has read the
        settings."""
        self._turn += 1
        title, path = f"test {self._turn}", self._workspace / ".vscode" / "settings.json"
        settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**settings, "window.title": title}), encoding="utf-8")
        return title

    def clear(self) -> None:
        """Close all editors, views and notifications; unsaved changes are lost."""
        self.page.set_viewport_size(SIZE)
        self.page.mouse.move(0, 0)
        for _ in range(2):  # a submenu needs two key presses to close
            self.page.keyboard.press("Escape")
        tabs = self.page.locator(".tab")
        while count := tabs.count():
            self.page.keyboard.press(CLOSE)
            self.until(partial(self._has_fewer_tabs, count), lambda: self.rows(".tab"))
        self.page.keyboard.press(CLEAR)
        self.until(lambda: not self.page.locator(_LEFT).count(), lambda: self.rows(_LEFT))

    def _has_fewer_tabs(self, count: int) -> bool:
        return int(self.page.locator(".tab").count()) < count
