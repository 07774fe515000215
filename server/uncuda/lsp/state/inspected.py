"""The requests to the processes that check closed files, and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from uncuda.child.records import Codec
from uncuda.workspace.overview import FileListing

from .folders import Known

Shim = tuple[str, tuple[int, int], tuple[int, int]]
"""The place of a shim's import: the URI, and (line, column) of start and end."""
Shims = Mapping[str, Mapping[str, Shim]]
"""The import of each target's shim, by folder URI, then by target."""


@dataclass(frozen=True)
class InspectAll:
    """A request to check all closed files. `folders`: the URIs of the workspace folders."""

    known: Known
    folders: tuple[str, ...]
    shims: Shims


@dataclass(frozen=True)
class InspectSome:
    """A request to check some files again."""

    paths: tuple[str, ...]


@dataclass(frozen=True)
class InspectFiles:
    """A request to one of several worker processes to check these files."""

    paths: tuple[str, ...]


@dataclass(frozen=True)
class MoveShims:
    """A request to check files again whose diagnostics mention where the project imports a shim, i.e. a runtime patch
    such as transfer_to_npu."""

    shims: Shims


@dataclass(frozen=True)
class Inspected:
    """The result of checking one file. `items`: the JSON list of the file's diagnostics, empty for a notebook.
    `listing`: the file's entry in the overview, or None. `failed`: the internal error that the check caused, if any.
    `tells_of_shims`: whether one of the diagnostics mentions where the project imports a shim, i.e. a runtime patch
    such as transfer_to_npu."""

    path: str
    uri: str
    items: str = "[]"
    listing: FileListing | None = None
    failed: str = ""
    tells_of_shims: bool = False


@dataclass(frozen=True)
class InspectedFiles:
    """The answer to `InspectFiles`: the result of each file, in the order of the request."""

    files: tuple[Inspected, ...]


@dataclass(frozen=True)
class InspectionProgress:
    """The number of files that have been checked, and the number of all files."""

    done: int
    total: int


@dataclass(frozen=True)
class InspectionDone:
    """Marks the end of the answers to one request."""


CODEC = Codec(InspectAll, InspectSome, MoveShims, Inspected, InspectionProgress, InspectionDone)
WORKER_CODEC = Codec(InspectAll, InspectFiles, InspectedFiles)
