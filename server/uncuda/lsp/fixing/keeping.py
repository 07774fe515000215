"""The target of a project, written where its settings are: the command line and CI read it there, too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from uncuda.reading import decode_utf8, read_bytes
from uncuda.settings import NotWrittenError, SettingsError, with_values
from uncuda.workspace.files import FileProblem, write_atomically

from ..state.choice import PORTABLE
from ..state.roots import Folder
from ..wire.texts import Texts

if TYPE_CHECKING:
    from ..session import Session

_OWN = "uncuda.toml"


def folder_of(session: Session, uri: str) -> Folder | None:
    """The folder of the workspace that a document, or what was opened first, belongs to."""
    program = session.program(uri)
    found = session.folders.folder_of(program.path) if program is not None and program.path else None
    return found or next(iter(session.folders.all), None)


def file_of(session: Session, folder: Folder) -> Path | None:
    """The file that the settings of a folder are kept in, there or not; None if it lies outside of the folder."""
    known = session.folders.configuration(folder).file_for(folder.path)
    path = Path(known) if known else Path(folder.path) / _OWN
    return path if folder.holds(str(path)) else None


def chosen_values(session: Session, folder: Folder | None, target: str) -> dict[str, str | None]:
    """The settings that say a target, or that it is one source for all; one takes the other's key away."""
    if target == PORTABLE:
        return {"target": None, "strategy": PORTABLE}
    said = session.folders.said_in_file(folder) if folder is not None else None
    return {"target": target, **({"strategy": None} if said == PORTABLE else {})}


def keep(session: Session, uri: str, values: Mapping[str, str | None]) -> tuple[Path | None, str]:
    """Write settings of a project (None: take the key away); the file, or None and why it was not written."""
    texts = Texts(session.folders.language())
    folder = folder_of(session, uri)
    if session.client.restricted or folder is None:
        return None, texts("not trusted" if folder is not None else "no folder")
    try:
        path = file_of(session, folder)
    except SettingsError as error:
        return None, str(error)
    if path is None:
        return None, texts("outside", session.folders.configuration(folder).file_for(folder.path))
    try:
        before = decode_utf8(read_bytes(str(path))) if path.exists() else ""
        data = with_values(before, path.name != _OWN, values).encode()
        if path.exists():
            write_atomically(str(path), data)
        else:
            path.write_bytes(data)
    except NotWrittenError:
        said = ", ".join(f'{key} = "{value}"' for key, value in values.items() if value is not None)
        return None, texts("by yourself", path, said)
    except (OSError, ValueError, FileProblem) as error:
        return None, f"{path}: {error}"
    session.folders.override = None
    session.folders.reload()
    return path, ""
