"""What the fixture `start` is."""

from pathlib import Path
from typing import Any, Protocol

from lsp.harness.client import Client
from lsp.harness.profiles import Profile


class Start(Protocol):
    """`start("vscode")`: a client, its session initialized, with the test's folder as workspace.

    `files`: written below that folder before; `folders`: other workspace folders; `options`: initializationOptions;
    `configuration`: the client's section `uncuda`; `initialize=False`: nothing has been said yet.
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
