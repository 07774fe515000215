"""A VS Code window in the browser, operated as a user does.

Elements are found by CSS class, which is the same in every display language, never by their texts.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from e2e.vscode.code_server import CodeServer

SECONDS = 40
SIZE = {"width": 1280, "height": 800}
_LINES = """() => [...document.querySelectorAll('.editor-instance .view-line')]
    .sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top)).map(line => line.textContent)"""
T = TypeVar("T")


class Window:
    """A page. A page of VS Code; `blocked` lists its requests to other machines, all of which were refused."""

    def __init__(self, browser: Any, server: CodeServer, shots: Path, size: dict[str, int] | None = None) -> None:
        self._server, self._shots, self._taken = server, shots, 0
        self.blocked: list[str] = []
        # otherwise code-server would compress all scripts, 20 MB, anew for each window
        headers = {"Accept-Encoding": "identity"}
        self._context = browser.new_context(viewport=size or SIZE, locale="en-US", extra_http_headers=headers)
        self._context.route("**/*", self._route)
        self.page = self._context.new_page()

    def _route(self, route: Any) -> None:
        url = route.request.url
        if url.startswith((f"http://127.0.0.1:{self._server.port}/", "data:", "blob:")):
            route.continue_()
        else:
            self.blocked.append(url)
            route.abort()

    def close(self) -> None:
        """Close the page; its extension host ends soon after."""
        self._context.close()

    def show(self, workspace: Path, query: str = "") -> None:
        """Open a folder or a workspace file in the window; if VS Code shows no folder, reload the page."""
        from playwright.sync_api import TimeoutError as NotShown

        row = self.page.locator(".explorer-folders-view .monaco-list-row").first
        self.page.goto(self._server.address(workspace) + query)
        try:
            row.wait_for(timeout=SECONDS * 1000)
        except NotShown:
            self.page.reload()
            row.wait_for(timeout=SECONDS * 1000)

    def shot(self, name: str) -> Path:
        """Take a screenshot of the page; returns its path."""
        self._taken += 1
        path = self._shots / f"{self._taken:02}-{name}.png"
        self.page.screenshot(path=str(path))
        return path

    def until(self, state: Callable[[], T], seen: Callable[[], object] | None = None, seconds: float = SECONDS) -> T:
        """Wait until `state()` returns a true value; if it never does, fail with the value of `seen()`."""
        end = time.monotonic() + seconds
        while not (reached := state()):
            if time.monotonic() > end:
                self.shot("not-reached")
                raise AssertionError(f"never reached; there is {(seen or state)()!r}")
            self.page.wait_for_timeout(50)
        return reached

    def rows(self, selector: str) -> list[str]:
        """The text of each element that matches, on one line, with plain spaces."""
        texts = self.page.locator(selector).all_inner_texts()
        return [" ".join(text.replace("\xa0", " ").split()) for text in texts]

    # Methods that open files and run commands.

    def quick(self, key: str, text: str) -> Any:
        """Type into quick open, which `key` opens, and return its rows once they no longer change."""
        self.page.keyboard.press(key)
        box = self.page.locator(".quick-input-widget input.input:visible")
        box.wait_for()
        box.fill(text)
        rows = self.page.locator(".quick-input-list .monaco-list-row")
        rows.first.wait_for()
        seen: list[list[str]] = []

        def settled() -> bool:
            seen.append(rows.all_inner_texts())
            return len(seen) > 5 and all(one == seen[-1] for one in seen[-5:])

        self.until(settled)
        return rows

    def open(self, name: str) -> None:
        """Open a file of the workspace."""
        self.until(lambda: self._is_listed(name), lambda: self.rows(".quick-input-list .monaco-list-row"))
        self.page.keyboard.press("Enter")
        self.page.locator(f'.tab.active[data-resource-name="{Path(name).name}"]').wait_for()
        self.page.locator(".editor-instance .view-line, .notebook-editor").first.wait_for()

    def _is_listed(self, name: str) -> bool:
        """Return whether quick open lists a file first; if not, close it, because quick open does not find files that
        were written after it was opened."""
        if Path(name).name in self.quick("Control+P", name).first.inner_text():
            return True
        self.page.keyboard.press("Escape")
        return False

    def command(self, title: str) -> None:
        """Run the command with this title from the command palette."""
        rows = self.quick("F1", f">{title}")
        titles = [text.split("\n")[0].strip() for text in rows.all_inner_texts()]
        assert title in titles, titles
        rows.nth(titles.index(title)).click()

    def save_all(self) -> None:
        """Wait until a tab shows unsaved changes, then save all files: VS Code saves only files that have a tab, and a
        file that a workspace edit changes gets its tab late."""
        self.until(self.dirty, lambda: self.rows(".tab"))
        self.command("File: Save All Files")
        self.until(lambda: not self.dirty(), lambda: self.rows(".tab"))

    def focus_editor(self) -> None:
        """Focus the editor."""
        self.page.locator(".editor-instance .view-line").first.click()

    def click(self, word: str) -> None:
        """Click a word of the text, which puts the cursor there."""
        self.page.locator(".view-line span:not(:has(span))", has_text=word).first.click()

    def quick_fixes(self) -> list[str]:
        """Open the menu of quick fixes; returns its rows."""
        rows = self.page.locator(".action-widget:not(.action-list-submenu-panel) .monaco-list-row.action")

        def opened() -> list[str]:
            if not rows.count():
                self.page.keyboard.press("Control+Period")
                self.page.wait_for_timeout(1000)
            return [" ".join(text.split()) for text in rows.all_inner_texts()]

        return self.until(opened)

    def take(self, fix: str) -> None:
        """Choose a quick fix from the open menu."""
        self.page.locator(".action-widget .monaco-list-row.action", has_text=fix).first.click()

    # Reading

    def text(self) -> str:
        """Return the visible lines of the editor."""
        return "\n".join(line.replace("\xa0", " ") for line in self.page.evaluate(_LINES))

    def squiggles(self, count: int) -> None:
        """Wait until the editor shows this many errors and warnings."""
        shown = self.page.locator(".squiggly-warning, .squiggly-error")
        self.until(lambda: shown.count() == count, shown.count)

    def some_squiggles(self) -> None:
        """Wait for errors or warnings in the text."""
        shown = self.page.locator(".squiggly-warning, .squiggly-error")
        self.until(lambda: shown.count() > 0)

    def dirty(self) -> int:
        """The number of unsaved editors."""
        return int(self.page.locator(".tab.dirty").count())

    def notifications(self) -> list[str]:
        """The messages of all notifications, including hidden ones.

        The list of notifications stays open, because closing it would leave its texts in the page, invisible.
        """
        said = self.rows(".notification-list-item-message:visible")
        if not said and not self.page.locator(".notifications-center.visible").count():
            self.page.locator(".statusbar-item[id='status.notifications'] a").click()
        return said

    def toasts(self) -> list[str]:
        """The messages of the notifications that are visible right now."""
        return self.rows(".notifications-toasts.visible .notification-toast:visible .notification-list-item-message")

    def notified(self, part: str) -> str:
        """Wait for a notification that contains `part`; returns its message."""
        return self.until(lambda: [text for text in self.notifications() if part in text], self.notifications)[0]

    def answer(self, button: str) -> None:
        """Press a button of a notification by keyboard, because a tooltip may cover the button."""
        shown = self.page.locator(".notification-list-item .monaco-button:visible", has_text=button)
        self.until(lambda: self.notifications() and shown.count(), self.notifications)
        shown.first.press("Enter")

    def problems(self) -> list[str]:
        """The rows of the Problems panel, which is opened if necessary."""
        if not self.page.locator(".markers-panel:visible").count():
            self.page.keyboard.press("Control+Shift+M")
        return self.rows(".markers-panel .monaco-list-row")

    def open_port(self) -> None:
        """Open the Port view by its icon, whose name is the same in every language."""
        self.page.locator(".activitybar .action-item:has([aria-label^='uncuda' i])").first.click()
        self.page.locator(".tree-explorer-viewlet-tree-view").first.wait_for()

    def port(self) -> list[str]:
        """The rows of the Port view."""
        return self.rows(".tree-explorer-viewlet-tree-view .monaco-list-row")

    def port_message(self) -> str:
        """The message above the rows of the Port view."""
        return " ".join(self.rows(".tree-explorer-viewlet-tree-view .message"))

    def title_buttons(self) -> list[str]:
        """The labels of the buttons in the active editor's title bar, with their keys."""
        labels = self.page.locator(".editor-group-container.active .editor-actions .action-label").all()
        return [label.get_attribute("aria-label") or "" for label in labels]

    def hover(self) -> str:
        """The text of the hover at the mouse."""
        return "\n".join(self.rows(".monaco-hover:visible"))

    def pictures(self) -> list[str]:
        """The names of the pictures in embedded pages (iframes)."""
        from playwright.sync_api import Error

        loaded = "() => [...document.images].filter(one => one.naturalWidth).map(one => one.src.split('/').pop())"
        found: list[str] = []
        for frame in self.page.frames[1:]:
            with suppress(Error):  # the page may replace the frame at this moment
                found += frame.evaluate(loaded)
        return found

    def rendered(self) -> str:
        """The text of embedded pages, such as a Markdown preview."""
        from playwright.sync_api import Error

        said = []
        for frame in self.page.frames[1:]:
            with suppress(Error):  # the page may replace the frame at this moment
                said.append(frame.evaluate("() => document.querySelector('.markdown-body')?.innerText ?? ''"))
        return "\n".join(said)

    def language_status(self) -> None:
        """Move the mouse over the language status item."""
        self.page.locator(".statusbar-item[id='status.languageStatus']").hover()

    def preview(self) -> list[str]:
        """The rows of the refactor preview."""
        return self.rows(".bulk-edit-panel .monaco-list-row")

    def ticks(self) -> list[bool]:
        """For each row of the refactor preview, whether it is ticked."""
        boxes = self.page.locator(".bulk-edit-panel .edit-checkbox")
        states: list[str] = boxes.evaluate_all("boxes => boxes.map(box => box.getAttribute('aria-checked'))")
        return [state == "true" for state in states]
