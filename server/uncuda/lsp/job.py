"""What the server asks of a workspace job: one line of JSON on the job's standard input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .positions import Encoding


@dataclass(frozen=True)
class JobFolder:
    """A folder of the workspace. `over`, `under`: settings (kebab-case) over and under those of configuration files."""

    path: str
    over: Mapping[str, object] = field(default_factory=dict)
    under: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Buffer:
    """An open program: its text counts, whatever the disk says.

    `path` is empty where there is no file. `cells`: it is a notebook, and its edits come back with offsets. `disabled`:
    why its fixes must not be made. `spared`: spans [start, end) whose findings the editor silences or lowers.
    """

    uri: str
    path: str
    version: int | None
    text: str
    cells: bool = False
    disabled: str = ""
    spared: tuple[tuple[int, int], ...] = ()

    @property
    def name(self) -> str:
        """Its path, or its URI where it has none."""
        return self.path or self.uri


@dataclass(frozen=True)
class Job:
    """Which fixes to make, where, and in which form the client takes them.

    `rules`: None for all; `scope`: the path of a file or folder, empty for the whole workspace; `document_changes`,
    `annotate`: the parts of a WorkspaceEdit that the client understands.
    """

    folders: tuple[JobFolder, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    rules: tuple[str, ...] | None = None
    review: bool = False
    scope: str = ""
    diff: bool = False
    locale: str = "en"
    encoding: Encoding = "utf-16"
    document_changes: bool = True
    annotate: bool = False

    def encode(self) -> bytes:
        """The job as a line."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def decode(cls, line: bytes) -> Job:
        """The job of a line."""
        known: dict[str, Any] = json.loads(line)
        known["folders"] = tuple(JobFolder(**folder) for folder in known["folders"])
        known["buffers"] = tuple(Buffer(**buffer) for buffer in known["buffers"])
        return cls(**known)
