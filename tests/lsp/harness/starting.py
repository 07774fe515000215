"""The type of the fixture `start`."""

from pathlib import Path
from typing import Any, Protocol

from lsp.harness.client import Client
from lsp.harness.profiles import Profile


class Start(Protocol):
    """`start("vscode")` returns a client with an initialized session and the test's folder as workspace.

    `files`: files that are written below the test's folder first; `folders`: other workspace folders; `options`:
    initializationOptions; `configuration`: the client's section `uncuda`; `initialize=False`: no message is sent yet.
    """

    def __call__(
        self,
        profile: str | Profile = "vscode",
        *,
        files: dict[str, str | bytes] | None = None,
        folders: list[Path] | None = None,
        initialize: bool = True,
        **more: Any,
    ) -> Client: ...
