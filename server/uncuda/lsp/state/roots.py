"""The workspace folders that the client names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uncuda.project import Project
from uncuda.settings import EditorSettings

from ..wire.uris import path_of, uri_of


@dataclass(eq=False)
class Folder:
    """One folder of the workspace. `project`: facts about all files of the folder. `scanned`: whether all files have
    been read. `files`: the number of files."""

    uri: str
    path: str
    name: str = ""
    editor: EditorSettings = field(default_factory=EditorSettings)
    project: Project = field(default_factory=Project)
    scanned: bool = False
    files: int = 0

    def holds(self, path: str) -> bool:
        """Whether a path is the folder or inside it."""
        root, place = os.path.normcase(self.path), os.path.normcase(path)
        return place == root or place.startswith(root.rstrip(os.sep) + os.sep)

    def relative(self, path: str) -> str:
        """Return a path relative to the folder, with slashes."""
        return Path(os.path.relpath(path, self.path)).as_posix()


def folders_of(params: Mapping[str, Any]) -> Iterable[Folder]:
    """The folders in the parameters of `initialize`: workspaceFolders, else rootUri, else rootPath."""
    given = params.get("workspaceFolders")
    found = [folder for item in (given if isinstance(given, list) else ()) if (folder := folder_at(item))]
    uri, path = params.get("rootUri"), params.get("rootPath")
    if found:
        return found
    if isinstance(uri, str):
        folder = folder_at({"uri": uri})
        return [folder] if folder else []
    try:
        folder = folder_at({"uri": uri_of(path)}) if isinstance(path, str) and path else None
    except UnicodeError:  # an unpaired surrogate cannot be in a path
        folder = None
    return [folder] if folder else []


def folder_at(item: Any) -> Folder | None:
    """The folder for a raw WorkspaceFolder; None if it is not on this machine."""
    uri = item.get("uri") if isinstance(item, dict) else None
    if not isinstance(uri, str) or not (path := path_of(uri)):
        return None
    path = path.rstrip("/\\") or path
    return Folder(uri, path, str(item.get("name") or Path(path).name))
