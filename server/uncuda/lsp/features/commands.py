"""The commands of the server. Each command can be called without arguments and reports wrong arguments.

Imports that only one command needs are inside the function of the command, because the server imports this module at
its start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from uncuda.edits import REVIEW
from uncuda.settings import hint

from ..fixing.arguments import Wanted, read_object, read_text, read_wanted
from ..wire.names import (
    DEBUG_INFORMATION,
    FIX_ALL_IN_FILE,
    FIX_ALL_IN_WORKSPACE,
    PREVIEW,
    REPORT,
    SWITCH_TARGET,
    WRITE_REPORT,
)
from ..wire.protocol import field
from ..wire.texts import Texts

if TYPE_CHECKING:
    from ..fixing.batch import Batches
    from ..session import Session

_BATCH = ("rules", "applicability", "scope", "dryRun")
_FOLDER = ("root",)
_FILE = ("uri", "rules", "applicability", "dryRun", "quiet")


def register(session: Session) -> None:
    """Answer `workspace/executeCommand`. Register the commands; if the client cancels the request for a command, the
    command is cancelled."""
    commands = Commands(session)
    session.ended.append(commands.stop)
    for name in commands.table:
        # pygls sets an attribute on each registered function, so a new `partial` is registered
        session.command(name)(partial(commands.table[name]))

    @session.raw(types.WORKSPACE_EXECUTE_COMMAND)
    def execute(params: Any) -> Any:
        name, arguments = field(params, "command"), params.get("arguments")
        if command := commands.table.get(name):
            return session.loop.create_task(command(arguments, params.get("workDoneToken")))
        other = session.protocol.fm.commands.get(name)
        if other is None:
            raise JsonRpcInvalidParams(f"unknown command `{name}`{hint(name, session.protocol.fm.commands)}")
        result = other(*(arguments if isinstance(arguments, list) else ()))
        return session.loop.create_task(result) if asyncio.iscoroutine(result) else result


class Commands:
    """The commands of the server. Each method for a command receives the command's arguments and progress token
    unchecked, and raises JsonRpcInvalidParams for wrong arguments."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._batches: Batches | None = None
        self.table = {
            FIX_ALL_IN_WORKSPACE: self.fix_all_in_workspace,
            PREVIEW: self.preview,
            FIX_ALL_IN_FILE: self.fix_all_in_file,
            SWITCH_TARGET: self.switch_target,
            REPORT: self.report,
            WRITE_REPORT: self.write_report,
            DEBUG_INFORMATION: self.debug_information,
        }

    def stop(self) -> None:
        """Stop running commands."""
        if self._batches is not None:
            self._batches.stop()

    def fix_all_in_workspace(self, arguments: Any, token: Any = None) -> Coroutine[Any, Any, dict[str, Any]]:
        """Apply fixes in the workspace: only safe fixes, unless `applicability` includes others.

        `seen`: the versions of the files as `uncuda/changes` returned them; if a file has a different version now,
        nothing is done.
        """
        table = read_object(arguments, (*_BATCH, "seen"))
        seen = table.pop("seen", None)
        wanted = self._wanted(table)
        return self._fix(wanted, "fix all workspace", token) if seen is None else self._fix_seen(wanted, seen, token)

    def preview(self, arguments: Any, token: Any = None) -> Coroutine[Any, Any, dict[str, Any]]:
        """Show a preview of fixes in the workspace, including those that need review."""
        wanted = self._wanted({"applicability": REVIEW, **read_object(arguments, _BATCH)})
        return self._fix(wanted, "preview", token)

    def fix_all_in_file(self, arguments: Any, token: Any = None) -> Coroutine[Any, Any, dict[str, Any]]:
        """Apply fixes in one file: the file in the arguments, the only open one, or one that the user chooses.

        `quiet`: whether to show no message, for a client that fixes each file when it is saved.
        """
        table = read_object(arguments, _FILE)
        uri = read_text({"uri": table.pop("uri", "")}, "uri")
        self._check_scope(uri, "uri")
        return self._fix_file(replace(self._wanted(table), scope=uri), token)

    def switch_target(self, arguments: Any, token: Any = None) -> Coroutine[Any, Any, dict[str, Any]]:
        """Check all files for another target until the server ends."""
        target = read_text(read_object(arguments, ("target",)), "target")
        targets = self._session.folders.choices
        if target and target not in targets:
            raise JsonRpcInvalidParams(f"unknown target `{target}`{hint(target, targets)}")
        return self._switch(target)

    async def report(self, arguments: Any, token: Any = None) -> dict[str, str] | None:
        """Return the HTML report on the port of the workspace folder `root` (default: the first folder)."""
        from ..fixing.report import report

        return await report(self._session, read_text(read_object(arguments, _FOLDER), "root"), token)

    async def write_report(self, arguments: Any, token: Any = None) -> dict[str, str] | None:
        """Write the HTML report to a file, for a client that cannot show it itself."""
        from ..fixing.report import write_report

        return await write_report(self._session, read_text(read_object(arguments, _FOLDER), "root"), token)

    async def debug_information(self, arguments: Any, token: Any = None) -> str:
        """Return the debug information for a bug report."""
        from ..debug import describe

        read_object(arguments, ())
        return describe(self._session, self._batches.took if self._batches else None)

    def _wanted(self, table: dict[str, Any]) -> Wanted:
        wanted = read_wanted(table, self._session.folders.catalogue.rules)
        self._check_scope(wanted.scope, "scope")
        return wanted

    def _check_scope(self, uri: str, key: str) -> None:
        from ..fixing.jobs import scope_of

        scope_of(self._session, uri, key)

    def _fix(self, wanted: Wanted, title: str, token: Any) -> Coroutine[Any, Any, dict[str, Any]]:
        from ..fixing.batch import Batches, fix_all

        self._batches = self._batches or Batches()
        return fix_all(self._session, self._batches, wanted, title, token, preview=title == "preview")

    async def _fix_seen(self, wanted: Wanted, seen: Any, token: Any) -> dict[str, Any]:
        from ..fixing.compared import has_changed
        from ..fixing.summary import Summary, tell
        from ..state.outline import OverviewTexts

        if not has_changed(self._session, wanted, seen):
            return await self._fix(wanted, "fix all workspace", token)
        texts = OverviewTexts(self._session.folders.language())
        summary = Summary(Texts(texts.locale), reason=texts("not fixed", texts("changed")))
        tell(self._session, summary)
        return summary.result()

    async def _fix_file(self, wanted: Wanted, token: Any) -> dict[str, Any]:
        from ..fixing.questions import choose_program
        from ..fixing.summary import Summary, tell

        session = self._session
        if not wanted.scope:
            texts = Texts(session.folders.language())
            program = await choose_program(session, texts)
            if program is None:
                nothing_open = not len(session.documents)
                summary = Summary(texts, reason=texts("no file" if nothing_open else "nothing changed"))
                tell(session, summary)
                return summary.result()
            wanted = replace(wanted, scope=program.uri)
        return await self._fix(wanted, "fix all file", token)

    async def _overrides(self, target: str, texts: Texts) -> bool:
        """Ask the user to confirm if the project's own settings name another target; returns whether to switch."""
        from ..fixing.questions import choose

        folders = self._session.folders
        file = folders.otherwise(target)
        name = folders.title_of(target, texts.locale)
        answers = {texts("all the same", name): "yes"}
        return not file or await choose(self._session, texts("says otherwise", file, name), answers) is not None

    async def _switch(self, target: str) -> dict[str, Any]:
        from ..fixing.questions import choose_target

        session = self._session
        folders, texts = session.folders, Texts(session.folders.language())
        if not target:
            chosen = await choose_target(session, folders.choices, texts("switch target"), texts)
            if chosen is None or not await self._overrides(chosen, texts):
                return {"target": None, "overrides": None}
            target = chosen
        overridden = folders.switch(target)
        session.reconfigured()
        name = session.folders.title_of(target, texts.locale)
        text = texts("target overrides", name, overridden) if overridden else texts("target", name)
        session.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
        return {"target": target, "overrides": overridden}
