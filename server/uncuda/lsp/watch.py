"""What changes outside of documents: folders, files on the disk, and the editor's settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.settings import CONFIGURATION_FILES
from uncuda.workspace import asks_for_versions

from .protocol import field
from .roots import folder_at
from .uris import path_of

if TYPE_CHECKING:
    from .server import UncudaServer

SECTION = "uncuda"
# The files that say which versions a project asks for count as configuration, too.
_WATCHED = (
    "**/*.py",
    "**/{uncuda.toml,pyproject.toml,setup.cfg,environment.yml,environment.yaml}",
    "**/{uv.lock,poetry.lock,pdm.lock,pylock.toml,requirements*.txt,requirements*.lock}",
)


def register(server: UncudaServer) -> None:
    """Ask to be told, and take in what is told."""

    @server.raw(types.INITIALIZED)
    def initialized(_params: Any) -> None:
        _register_with_client(server)
        ask_settings(server)
        server.projects.scan(server.folders.all)
        server.started()

    @server.raw(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: Any) -> None:
        if server.client.configuration:
            ask_settings(server)
            return
        settings = params.get("settings") if isinstance(params, dict) else None
        section = settings.get(SECTION) if isinstance(settings, dict) else None
        if isinstance(section, dict):
            _take_settings(server, dict.fromkeys(["", *(folder.uri for folder in server.folders.all)], section))

    @server.raw(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: Any) -> None:
        paths = {path_of(field(change, "uri")): None for change in field(params, "changes", kind=list)}
        paths.pop(None, None)
        if any(path and (not path.endswith(".py") or _governs(path)) for path in paths):
            reload(server)
            server.projects.scan(server.folders.all)  # other files may be excluded now
        server.touched([path for path in paths if path and path.endswith(".py")])

    @server.raw(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: Any) -> None:
        removed = {field(item, "uri") for item in field(params, "event", "removed", kind=list)}
        added = [folder for item in field(params, "event", "added", kind=list) if (folder := folder_at(item))]
        for folder in server.folders.all:
            if folder.uri in removed:
                server.projects.leave(folder)
        server.folders.all[:] = [folder for folder in server.folders.all if folder.uri not in removed]
        server.folders.add(added)
        ask_settings(server)
        server.projects.scan(added)
        server.reconfigured()

    def look_at_files(program: Any) -> None:
        """A client that does not watch files may have changed a configuration by now."""
        if not server.client.watch or _governs(program.path):
            reload(server, quietly=True)

    server.saved.append(look_at_files)
    server.reconfigured.append(server.refresh)


def _governs(path: str) -> bool:
    """Whether a file says what holds for others: their settings, or the versions that they are checked for."""
    name = os.path.basename(path)  # noqa: PTH119
    return name in CONFIGURATION_FILES or asks_for_versions(name)


def reload(server: UncudaServer, quietly: bool = False) -> None:
    """Read configuration files anew. `quietly`: nothing need have changed."""
    before = {program.uri: server.folders.choice_of(program).engine for program in server.documents.programs()}
    server.folders.reload()
    if not quietly or any(
        server.folders.choice_of(program).engine is not before[program.uri] for program in server.documents.programs()
    ):
        server.reconfigured()


def ask_settings(server: UncudaServer) -> None:
    """Ask the client for its settings, those of each folder and those of none."""
    if not server.client.configuration:
        return
    folders = [folder.uri for folder in server.folders.all]
    items = [*(types.ConfigurationItem(uri, SECTION) for uri in folders), types.ConfigurationItem(section=SECTION)]

    def take(tables: Any) -> None:
        if isinstance(tables, (list, tuple)) and len(tables) == len(items):
            _take_settings(server, dict(zip([*folders, ""], tables)))

    server.ask(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams(items), take)


def _take_settings(server: UncudaServer, tables: dict[str, object]) -> None:
    if server.folders.set_editor(tables):
        server.projects.scan(server.folders.all)
        server.reconfigured()


def _register_with_client(server: UncudaServer) -> None:
    registrations = []
    if server.client.watch:
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        options: Any = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registrations.append(types.Registration(f"uncuda {method}", method, options))
    if server.client.configuration_registration:
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        options = types.DidChangeConfigurationRegistrationOptions(SECTION)
        registrations.append(types.Registration(f"uncuda {method}", method, options))
    if registrations:
        server.ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams(registrations))
