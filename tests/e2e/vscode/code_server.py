"""Runs code-server on the loopback interface: VS Code for a browser, with its own folders and no marketplace."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from e2e.vscode.install import chinese, vscode

SECONDS = 60
# Settings that avoid most notifications; where the defaults of VS Code for the web and for the desktop differ, those of
# the desktop are used.
SETTINGS: dict[str, Any] = {
    "chat.disableAIFeatures": True,
    "editor.hover.delay": 100,
    "editor.minimap.enabled": False,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "git.enabled": False,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "window.commandCenter": False,
    "workbench.editor.enablePreview": False,
    "workbench.enableExperiments": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}
OPTIONS = (
    *("--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"),
    # without this option, the language server of a closed page would keep running for hours
    *("--reconnection-grace-time", "1"),
)
# Only with this option does a page run tests in its extension host; the page then shows no notifications.
DRIVER = "--vscode-option=enable-smoke-test-driver"


class CodeServer:
    """One code-server process; all its pages share extensions and settings. `folder` is a temporary folder.

    `extensions` is a folder with installed extensions. `driven`: whether its pages can run tests in the extension host,
    which users' VS Code cannot.
    """

    def __init__(
        self,
        folder: Path,
        settings: dict[str, Any],
        locale: str = "",
        port: int = 0,
        *,
        extensions: Path | None = None,
        driven: bool = False,
    ) -> None:
        self.folder, self.port = folder, port or _free_port()
        self._command = vscode()
        self._data = folder / "data"
        self._defaults = {**SETTINGS, **settings}
        more = [*(["--locale", locale] if locale else []), *([DRIVER] if driven else [])]
        self._options = [*OPTIONS, "--bind-addr", f"127.0.0.1:{self.port}", *more]
        self.extensions = extensions or folder / "extensions"
        self._folders = ["--user-data-dir", str(self._data), "--extensions-dir", str(self.extensions)]
        dropped = ("VSCODE_IPC_HOOK_CLI", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PORT")
        self._environment = {name: value for name, value in os.environ.items() if name not in dropped}
        self._environment["EXTENSIONS_GALLERY"] = "{}"  # without this setting, each start would contact the marketplace
        for kind in ("CONFIG", "DATA", "CACHE"):
            self._environment[f"XDG_{kind}_HOME"] = str(folder / "xdg" / kind.lower())
        self.configure({})
        if locale == "zh-cn":
            self._add_texts(locale, chinese())

    def configure(self, settings: dict[str, Any]) -> None:
        """Set the user's settings, on top of the tests' defaults; open pages apply them at once.

        The settings are also written as machine settings, because for VS Code a browser window is connected to a remote
        machine, and the paths of programs are taken from that machine's settings.
        """
        text = json.dumps({**self._defaults, **settings}, indent=1)
        for kind in ("User", "Machine"):
            path = self._data / kind / "settings.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")

    def bind(self, keys: list[dict[str, Any]]) -> None:
        """Bind these keys for the user; they take precedence over VS Code's own."""
        (self._data / "User" / "keybindings.json").write_text(json.dumps(keys), encoding="utf-8")

    def _add_texts(self, locale: str, texts: Path) -> None:
        """Register VS Code's texts in a language, as VS Code does when a language pack is installed."""
        extension = {"extensionIdentifier": {"id": "tests.texts"}, "version": "1"}
        pack = {"hash": locale, "label": locale, "extensions": [extension], "translations": {"vscode": str(texts)}}
        (self._data / "languagepacks.json").write_text(json.dumps({locale: pack}), encoding="utf-8")

    def install(self, vsix: Path) -> None:
        """Install an extension from its .vsix package."""
        self.run("--install-extension", str(vsix), "--force")

    def run(self, *arguments: str) -> str:
        """Run VS Code's own command line; returns its output."""
        command = [*self._command, *self._folders, *arguments]
        return subprocess.run(command, env=self._environment, check=True, capture_output=True, text=True).stdout

    def log(self) -> str:
        """The output of the server so far."""
        return (self.folder / "log").read_text(encoding="utf-8")

    def address(self, workspace: Path) -> str:
        """Return the URL of the page that opens a folder, or the folders in a VS Code workspace file."""
        kind = "workspace" if workspace.suffix == ".code-workspace" else "folder"
        return f"http://127.0.0.1:{self.port}/?{kind}={workspace}"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the server during the block, then end it with all processes that it started."""
        with open(self.folder / "log", "wb") as log:
            self._process = subprocess.Popen(
                [*self._command, *self._options, *self._folders],
                env=self._environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + SECONDS
        while not self._answers():
            assert self._process.poll() is None, self.log()
            assert time.monotonic() < end, self.log()
            time.sleep(0.05)
        try:
            yield
        finally:
            self._stop()

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5):
                return True
        except OSError:
            return False

    def wait(self) -> None:
        """Wait until the server ends."""
        self._process.wait()

    def _stop(self) -> None:
        if self._process.poll() is not None:
            return
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
