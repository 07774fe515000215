"""Handles changes outside of documents: workspace folders, files on disk, and the editor's settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.settings import BASELINE_FILE, CONFIGURATION_FILES
from uncuda.workspace import asks_for_versions

from ..state.roots import folder_at
from ..wire.protocol import field
from ..wire.uris import path_of

if TYPE_CHECKING:
    from ..session import Session

SECTION = "uncuda"
# Files with version requirements are watched, too, because they decide which tables are used.
_WATCHED = (
    "**/*.py",
    "**/*.ipynb",
    "**/{uncuda.toml,pyproject.toml,setup.cfg,environment.yml,environment.yaml}",
    f"**/{BASELINE_FILE}",
    "**/{uv.lock,poetry.lock,pdm.lock,pylock.toml,requirements*.txt,requirements*.lock}",
)
_READ = (".py", ".ipynb")


def register(session: Session) -> None:
    """Register the handlers for changed folders, files and settings, and ask the client to watch files."""

    @session.raw(types.INITIALIZED)
    def initialized(_params: Any) -> None:
        _register_with_client(session)
        ask_settings(session)
        session.projects.scan(session.folders.all)
        session.started()

    @session.raw(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: Any) -> None:
        if session.client.configuration:
            ask_settings(session)
            return
        settings = params.get("settings") if isinstance(params, dict) else None
        section = settings.get(SECTION) if isinstance(settings, dict) else None
        if isinstance(section, dict):
            _take_settings(session, dict.fromkeys(["", *(folder.uri for folder in session.folders.all)], section))

    @session.raw(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: Any) -> None:
        paths = {path_of(field(change, "uri")): None for change in field(params, "changes", kind=list)}
        paths.pop(None, None)
        _take_files(session, [path for path in paths if path])

    @session.raw(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: Any) -> None:
        removed = {field(item, "uri") for item in field(params, "event", "removed", kind=list)}
        added = [folder for item in field(params, "event", "added", kind=list) if (folder := folder_at(item))]
        for folder in session.folders.all:
            if folder.uri in removed:
                session.projects.leave(folder)
        session.folders.all[:] = [folder for folder in session.folders.all if folder.uri not in removed]
        session.folders.add(added)
        ask_settings(session)
        session.projects.scan(added)
        session.reconfigured()

    def look_at_files(program: Any) -> None:
        """After a document was saved, reload configuration files and baselines if the client does not watch files, or
        if the saved document is one of them."""
        if not session.client.watch or _governs(program.path):
            reload(session, quietly=True)
        if not session.client.watch or _is_baseline(program.path):
            session.baselines_touched()

    session.saved.append(look_at_files)
    session.reconfigured.append(lambda: session.stale(None))


def _take_files(session: Session, paths: list[str]) -> None:
    """Handle files that were changed on disk."""
    others = [path for path in paths if not path.endswith(_READ) and not _is_baseline(path)]
    if others or any(map(_governs, paths)):
        reload(session)
        session.projects.scan(session.folders.all)  # the changed file may exclude other files from checks
    if any(map(_is_baseline, paths)):
        session.baselines_touched()
    session.touched([path for path in paths if path.endswith(_READ)])


def _is_baseline(path: str) -> bool:
    return os.path.basename(path) == BASELINE_FILE  # noqa: PTH119


def _governs(path: str) -> bool:
    """Return whether a file contains settings or version requirements for other files."""
    name = os.path.basename(path)  # noqa: PTH119
    return name in CONFIGURATION_FILES or asks_for_versions(name)


def reload(session: Session, quietly: bool = False) -> None:
    """Reload configuration files. `quietly`: notify listeners only if the engine of a document changed."""
    before = {program.uri: session.folders.choice_of(program).engine for program in session.documents.programs()}
    session.folders.reload()
    if not quietly or any(
        session.folders.choice_of(program).engine is not before[program.uri] for program in session.documents.programs()
    ):
        session.reconfigured()


def ask_settings(session: Session) -> None:
    """Request the client's settings for each folder, and the settings that apply without a folder."""
    if not session.client.configuration:
        return
    folders = [folder.uri for folder in session.folders.all]
    items = [*(types.ConfigurationItem(uri, SECTION) for uri in folders), types.ConfigurationItem(section=SECTION)]

    def take(tables: Any) -> None:
        if isinstance(tables, (list, tuple)) and len(tables) == len(items):
            _take_settings(session, dict(zip([*folders, ""], tables)))

    session.ask(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams(items), take)


def _take_settings(session: Session, tables: dict[str, object]) -> None:
    if session.folders.set_editor(tables):
        session.projects.scan(session.folders.all)
        session.reconfigured()


def _register_with_client(session: Session) -> None:
    registrations = []
    if session.client.watch:
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        options: Any = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registrations.append(types.Registration(f"uncuda {method}", method, options))
    if session.client.configuration_registration:
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        options = types.DidChangeConfigurationRegistrationOptions(SECTION)
        registrations.append(types.Registration(f"uncuda {method}", method, options))
    if registrations:
        session.ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams(registrations))
