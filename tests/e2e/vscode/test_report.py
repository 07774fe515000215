"""Tests of the report in a VS Code tab: the page, its filter, and its links, which open files in VS Code."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from e2e.vscode import project
from e2e.vscode.reused import ReusedWindow
from e2e.vscode.window import Window
from editors.session import OTHER, TRAIN

pytestmark = [pytest.mark.slow, pytest.mark.network]


@pytest.fixture
def window(reused_window: ReusedWindow) -> Window:
    """Return the window that several modules share, with no editor open."""
    return reused_window


def page_in(window: Window) -> Any:
    """Return the frame that shows the report; None if there is none yet."""
    from playwright.sync_api import Error

    for frame in window.page.frames[1:]:
        with suppress(Error):  # the page may replace the frame at this moment
            if frame.evaluate("() => !!document.querySelector('.cards') && !document.querySelector('#filter').hidden"):
                return frame
    return None


def test_it_is_shown_filters_and_opens_files(window: Window, small: Path) -> None:
    window.show(small)
    window.open("train.py")
    window.squiggles(len(project.findings(TRAIN)))
    window.command("uncuda: Open Report")
    page = window.until(lambda: page_in(window))
    number = len(project.findings(TRAIN)) + len(project.findings(OTHER))
    assert page.locator(".file li").count() == number
    window.shot("report")
    page.locator("#filter input[name=search]").fill("nothing like it")
    window.until(lambda: page.locator("#filter output").text_content().startswith("0 of"))
    page.locator("#filter input[name=search]").fill("")
    link = page.locator(".file li a[href^='command:']").first
    name = page.locator(".file > summary code").first.text_content()
    line = int(link.text_content())
    link.click()
    window.page.locator(f'.tab.active[data-resource-name="{Path(name).name}"]').wait_for()
    window.until(lambda: any(f"Ln {line}," in row for row in window.rows("[id='status.editor.selection']")))
    window.shot("file")
