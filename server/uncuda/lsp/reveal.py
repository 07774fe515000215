"""The button under a message that says what is left: it shows that, where the user deals with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from .left import Left, of_rules

if TYPE_CHECKING:
    from .documents import Program
    from .server import UncudaServer

SHOW_PROBLEMS = "uncuda/showProblems"
"""A notification of ours, for clients that say `experimental.uncudaShowProblems`: open the list of all problems."""


def offer(
    server: UncudaServer,
    kind: types.MessageType,
    message: str,
    title: str,
    left: Mapping[str, Left],
    rules: Collection[str] | None,
) -> None:
    """Show a message with a button of this title, which reveals what is left; nobody waits for the user."""

    def take(answer: Any) -> None:
        if isinstance(answer, types.MessageActionItem) and answer.title == title:
            reveal(server, left, rules)

    params = types.ShowMessageRequestParams(kind, message, [types.MessageActionItem(title)])
    server.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params, take)


def reveal(server: UncudaServer, left: Mapping[str, Left], rules: Collection[str] | None) -> None:
    """Show the first finding that is left, in the order of the files, and the list of problems where the client can."""
    first = next((shown for uri in sorted(left) if (shown := _shown(server, uri, left[uri], rules))), None)
    lists = server.client.show_problems
    if first:
        uri, selection = first
        params = types.ShowDocumentParams(uri, take_focus=not lists, selection=selection)
        server.ask(types.WINDOW_SHOW_DOCUMENT, params)
    if lists:
        server.protocol.notify(SHOW_PROBLEMS, {})


def _shown(
    server: UncudaServer, uri: str, left: Left, rules: Collection[str] | None
) -> tuple[str, types.Range | None] | None:
    """The document and range to show for a file; None where nothing is left in it by now."""
    program = server.program(uri) or server.notebooks.get(uri)
    if program is not None:
        return _first_in(server, program, rules)
    if not left.total:
        return None
    if left.place is None:
        return uri, None
    line, column, end_line, end_column = left.place
    return uri, types.Range(types.Position(line, column), types.Position(end_line, end_column))


def _first_in(
    server: UncudaServer, program: Program, rules: Collection[str] | None
) -> tuple[str, types.Range | None] | None:
    from .convert import diagnostic

    findings = of_rules(server.analyse(program).findings, rules)
    if not findings:
        return None
    uri, item = diagnostic(server, program, findings[0])
    return uri, item.range
