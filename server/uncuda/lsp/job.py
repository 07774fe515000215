"""What the server asks of the workspace job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from uncuda.project import Site
from uncuda.source import Span

from .left import Left
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
    why its fixes must not be made. `spared`: the sites whose findings the editor silences or lowers; `lowered`: what
    is left of those that it lowers.
    """

    uri: str
    path: str
    version: int | None
    text: str
    cells: bool = False
    disabled: str = ""
    spared: tuple[Site, ...] = ()
    lowered: Left = field(default_factory=Left)

    @property
    def name(self) -> str:
        """Its path, or its URI where it has none."""
        return self.path or self.uri


@dataclass(frozen=True)
class Form:
    """In which form a client takes edits: with columns in which encoding, which parts of a WorkspaceEdit it knows."""

    encoding: Encoding = "utf-16"
    document_changes: bool = True
    annotate: bool = False


@dataclass(frozen=True)
class Job:
    """Which fixes to make and where. `rules`: None for all; `scope`: the path of a file or folder, empty for all."""

    folders: tuple[JobFolder, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    rules: tuple[str, ...] | None = None
    review: bool = False
    scope: str = ""
    diff: bool = False
    locale: str = "en"
    form: Form = Form()

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Job:
        """The job of what `dataclasses.asdict` and JSON made of it."""
        folders = tuple(JobFolder(**folder) for folder in record["folders"])
        buffers = tuple(_buffer(buffer) for buffer in record["buffers"])
        return cls(**{**record, "folders": folders, "buffers": buffers, "form": Form(**record["form"])})


def _buffer(record: Mapping[str, Any]) -> Buffer:
    sites = (
        (rule, Span(*span), at, argument, tuple(lacking)) for rule, span, at, argument, lacking in record["spared"]
    )
    lowered = Left(*record["lowered"])
    return Buffer(**{**record, "spared": tuple(Site(*site) for site in sites), "lowered": lowered})
