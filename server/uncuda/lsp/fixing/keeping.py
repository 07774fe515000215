"""Writes the target that the user chose into the project's configuration file, where the command line and CI find it
too."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from uncuda.reading import decode_utf8, read_bytes
from uncuda.settings import NotWrittenError, SettingsError, with_values
from uncuda.workspace.files import FileProblem, write_atomically

from ..state.choice import PORTABLE
from ..state.roots import Folder
from ..wire.texts import Texts
from ..wire.uris import path_of

if TYPE_CHECKING:
    from ..session import Session

_OWN = "uncuda.toml"


class SettingsPlace(NamedTuple):
    """A workspace folder, and the folder inside it whose settings apply to a file."""

    folder: Folder
    path: str


def place_of(session: Session, uri: str) -> SettingsPlace | None:
    """Return the folder whose settings apply to a URI, with its workspace folder.

    For a URI outside of all workspace folders, and for "", the result is the first workspace folder; None if there is
    none.
    """
    program = session.program(uri)
    path = program.path if program is not None else path_of(uri) or ""
    folder = session.folders.folder_of(path)
    if folder is None:
        folder = next(iter(session.folders.all), None)
        return SettingsPlace(folder, folder.path) if folder is not None else None
    return SettingsPlace(folder, path if Path(path).is_dir() else str(Path(path).parent))


def file_of(session: Session, place: SettingsPlace) -> Path | None:
    """Return the configuration file that contains the settings of a folder, or the configuration file that would be
    created; None if this file is outside the workspace."""
    known = session.folders.configuration(place.folder).file_for(place.path)
    path = Path(known) if known else Path(place.folder.path) / _OWN
    return path if place.folder.holds(str(path)) else None


def chosen_values(session: Session, place: SettingsPlace | None, target: str) -> dict[str, str | None]:
    """Return the settings that select a target, or that select portable source for all targets; the settings that would
    contradict the choice have the value None, which removes them."""
    if target == PORTABLE:
        return {"target": None, "strategy": PORTABLE}
    said = session.folders.said_in_file(place.path) if place is not None else None
    return {"target": target, **({"strategy": None} if said == PORTABLE else {})}


def keep(session: Session, uri: str, values: Mapping[str, str | None]) -> tuple[Path | None, str]:
    """Write settings of a project (value None: remove the key); return the file, or None and the reason why it cannot
    be written."""
    texts = Texts(session.folders.language())
    place = place_of(session, uri)
    if session.client.restricted or place is None:
        return None, texts("not trusted" if place is not None else "no folder")
    try:
        path = file_of(session, place)
    except SettingsError as error:
        return None, str(error)
    if path is None:
        return None, texts("outside", session.folders.configuration(place.folder).file_for(place.path))
    try:
        raw = read_bytes(str(path)) if path.exists() else b""
        data = with_values(decode_utf8(raw), path.name != _OWN, values).encode()
        data = BOM_UTF8 + data if raw.startswith(BOM_UTF8) else data
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
