"""The list of targets for a client (`uncuda/targets`), and the command that writes one into the project's settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from uncuda.engine.several import portable_targets
from uncuda.settings import OPTIONS, Settings, SettingsError, hint

from ..fixing.arguments import read_object, read_text
from ..state.choice import PORTABLE
from ..wire.names import KEEP_TARGET, TARGETS
from ..wire.texts import Texts

if TYPE_CHECKING:
    from ..session import Session

_KEYS = ("target", "targetVersion", "hardware", "uri")


def register(session: Session) -> None:
    """Register `uncuda/targets` (`{"uri"?}`) and the command that writes the chosen target into the settings."""

    @session.raw(TARGETS)
    def targets(params: Any) -> dict[str, Any]:
        uri = read_text(params if isinstance(params, dict) else {}, "uri")
        return _offer(session, uri)

    @session.command(KEEP_TARGET)
    def keep(*arguments: Any) -> dict[str, Any]:
        return _keep(session, read_object(list(arguments), _KEYS))


def _offer(session: Session, uri: str) -> dict[str, Any]:
    """Return the rows for a list to choose from, the files that set the target now, and the file into which a choice
    would be written."""
    from ..fixing.keeping import file_of, place_of

    place = place_of(session, uri)
    says = file = None
    if place is not None:
        try:
            configuration = session.folders.configuration(place.folder)
            says = configuration.file_for(place.path) if session.folders.said_in_file(place.path) else None
            file = None if session.client.restricted else file_of(session, place)
        except SettingsError:
            pass  # the error in the configuration file was already reported with its line
    return {"targets": list(_rows(session, uri)), "says": says or None, "keep": str(file) if file else None}


def _hardware(session: Session, target: str) -> tuple[str, ...]:
    """Return the hardware series that the tables of a target distinguish."""
    known = "hardware" in repr(session.folders.catalogue.declarations[target].get("features"))
    return next(option.choices for option in OPTIONS if option.name == "hardware") if known else ()


def _rows(session: Session, uri: str) -> Iterator[dict[str, Any]]:
    """Yield the rows: the targets (the current one first), and after each target its hardware series and plugin
    versions."""
    folders = session.folders
    texts = Texts(folders.language())
    program = session.program(uri) or next(iter(session.documents.programs()), None)
    choice = folders.choice_of(program) if program is not None else None
    current = choice.aim if choice else folders.catalogue.default_target
    titles = {target: folders.title_of(target, texts.locale) for target in folders.in_order(current)}
    targets = {target: title for target, title in titles.items() if target != PORTABLE}
    packages = {target: folders.catalogue.declarations[target]["words"]["package"] for target in targets}
    packages[PORTABLE] = ", ".join(packages[target] for target in portable_targets(folders.catalogue, Settings()))
    for target, title in titles.items():
        plugin = choice.plugin(texts.locale).replace("`", "'") if choice and target == current else packages[target]
        yield {"label": title, "description": plugin, "target": target, "current": target == current}
    for target, title in targets.items():
        for hardware in _hardware(session, target):
            row = {"label": f"{title} · {hardware}", "description": packages[target], "target": target}
            yield row | {"hardware": hardware}
        for version in reversed(folders.catalogue.target(target).versions):
            row = {"label": f"{title} · {version}", "description": packages[target], "target": target}
            yield row | {"targetVersion": version}


def _keep(session: Session, table: dict[str, Any]) -> dict[str, Any]:
    from ..fixing.keeping import chosen_values, keep, place_of

    target, version, hardware, uri = (read_text(table, key) for key in _KEYS)
    targets = session.folders.choices
    if target not in targets:
        raise JsonRpcInvalidParams(f"unknown target `{target}`{hint(target, targets)}")
    place = place_of(session, uri)
    values = chosen_values(session, place, target)
    values |= {"target-version": version or None, "hardware": hardware or None}
    # the target stays the same, so the file's other settings, such as the version, are kept
    if place is not None and session.folders.said_in_file(place.path) == target:
        values = {key: value for key, value in values.items() if value}
    path, reason = keep(session, uri, values)
    texts = Texts(session.folders.language())
    name = session.folders.title_of(target, texts.locale)
    text = texts("kept", name, path) if path else texts("not kept", reason)
    kind = types.MessageType.Info if path else types.MessageType.Warning
    session.window_show_message(types.ShowMessageParams(kind, text))
    if path:
        session.reconfigured()
    return {"kept": str(path) if path else None}
