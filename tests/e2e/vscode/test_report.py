"""The report in a tab of VS Code: the page with its filter, and links that open files here."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from e2e.vscode import project
from e2e.vscode.window import Window
from editors.session import OTHER, TRAIN

pytestmark = [pytest.mark.slow, pytest.mark.network]


def page_in(window: Window) -> Any:
    """The frame that shows the report, once there is one."""
    from playwright.sync_api import Error

    for frame in window.page.frames[1:]:
        with suppress(Error):  # it is being replaced
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
    window.until(lambda: page.locator("#filter output").inner_text().startswith("0 of"))
    page.locator("#filter input[name=search]").fill("")
    link = page.locator(".file li a[href^='command:']").first
    name = page.locator(".file > summary code").first.inner_text()
    line = int(link.inner_text())
    link.click()
    window.page.locator(f'.tab.active[data-resource-name="{Path(name).name}"]').wait_for()
    window.until(lambda: any(f"Ln {line}," in row for row in window.rows("[id='status.editor.selection']")))
    window.shot("file")
