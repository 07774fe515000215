"""What a command that fixes gives back, and what it tells the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.printable import printable

from ..wire.names import SHOW_PROBLEMS
from ..wire.texts import Texts
from ..wire.uris import path_of
from .job import FileChange, Left, of_rules

if TYPE_CHECKING:
    from ..session import Session
    from ..state.documents import Program

_NAMED = 3


@dataclass
class Summary:
    """What was done. `files`: those that were changed, or (`dry`) would be; `reason`: why there are none, if so.

    `rules`: those that were asked for, None for all; `left`: what is left of them in each file, by URI; `made`: how
    many findings went in how many files, where the user chose what was made.
    """

    texts: Texts
    files: list[FileChange] = field(default_factory=list)
    skipped: list[dict[str, str]] = field(default_factory=list)
    left: dict[str, Left] = field(default_factory=dict)
    rules: Collection[str] | None = None
    made: tuple[int, int] | None = None
    diff: str | None = None
    dry: bool = False
    reason: str = ""
    quiet: bool = False

    def skip(self, files: Iterable[FileChange], reason: str) -> None:
        """Name files that were not changed after all."""
        self.skipped += [{"uri": file.uri, "reason": reason} for file in files]

    @property
    def fixed(self) -> Counter[str]:
        """How many findings of each rule are fixed."""
        counts: Counter[str] = Counter()
        for file in self.files:
            counts.update(file.rules)
        return counts

    @property
    def all_left(self) -> Left:
        """What is left in all files together."""
        return reduce(Left.plus, self.left.values(), Left())

    def result(self) -> dict[str, Any]:
        """The result of the command."""
        left = self.all_left
        found = {
            "applied": bool(self.files) and not self.dry,
            "files": len(self.files),
            "edits": sum(file.edits for file in self.files),
            "byRule": dict(sorted(self.fixed.items())),
            "skipped": self.skipped,
            "safe": left.safe,
            "review": left.review,
            "manual": left.manual,
        }
        return found if self.diff is None else {**found, "diff": self.diff}

    def message(self) -> str:
        """What the user is told, in a line or two."""
        texts, left = self.texts, self.all_left
        parts = [self.reason] if self.reason else []
        number, size = self.made or (self.fixed.total(), sum(1 for file in self.files if file.rules))
        if size:
            findings, files = texts.count(number, "finding"), texts.count(size, "file")
            parts.append(texts("would fix" if self.dry else "fixed", findings=findings, files=files))
        elif not parts and self.made is None:
            parts.append(texts("nothing changed" if self.skipped or left.total else "nothing"))
        if self.files or left.total:
            parts.append(texts("left safe" if left.safe else "left", left.review, left.manual, left.safe))
        if self.skipped:
            parts += [texts("left out", files=texts.count(len(self.skipped), "file")), self._named()]
        return ("" if texts.locale == "zh" else " ").join(parts)

    def _named(self) -> str:
        lines = [_line(item) for item in self.skipped[:_NAMED]]
        if more := len(self.skipped) - _NAMED:
            lines += [self.texts("more", more)] if more > 0 else []
        return self.texts("between").join(lines)


def tell(session: Session, summary: Summary) -> None:
    """Show the message; what does not fit into it goes to the log."""
    if not summary.quiet:
        kind = types.MessageType.Warning if summary.skipped or summary.reason else types.MessageType.Info
        message = summary.message()
        if summary.all_left.total and not summary.dry and session.client.offers_buttons:
            offer(session, kind, message, summary.texts("show"), summary.left, summary.rules)
        else:
            session.window_show_message(types.ShowMessageParams(kind, message))
    lines = _log(summary)
    if lines:
        session.window_log_message(types.LogMessageParams(types.MessageType.Info, "\n".join(lines)))


def _log(summary: Summary) -> Sequence[str]:
    """Who was left out and why; where it was only some of the files, those that were changed as well."""
    if not summary.skipped:
        return []
    changed = [printable(path_of(file.uri) or file.uri) for file in summary.files]
    return [summary.message(), *(f"+ {name}" for name in changed), *(f"- {_line(item)}" for item in summary.skipped)]


def _line(item: dict[str, str]) -> str:
    return printable(f"{path_of(item['uri']) or item['uri']}: {item['reason']}")


def offer(
    session: Session,
    kind: types.MessageType,
    message: str,
    title: str,
    left: Mapping[str, Left],
    rules: Collection[str] | None,
) -> None:
    """Show a message with a button of this title, which reveals what is left; nobody waits for the user."""

    def take(answer: Any) -> None:
        if isinstance(answer, types.MessageActionItem) and answer.title == title:
            reveal(session, left, rules)

    params = types.ShowMessageRequestParams(kind, message, [types.MessageActionItem(title)])
    session.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params, take)


def reveal(session: Session, left: Mapping[str, Left], rules: Collection[str] | None) -> None:
    """Show the first finding that is left, in the order of the files, and the list of problems where the client can."""
    first = next((shown for uri in sorted(left) if (shown := _shown(session, uri, left[uri], rules))), None)
    lists = session.client.show_problems
    if first:
        uri, selection = first
        params = types.ShowDocumentParams(uri, take_focus=not lists, selection=selection)
        session.ask(types.WINDOW_SHOW_DOCUMENT, params)
    if lists:
        session.protocol.notify(SHOW_PROBLEMS, {})


def _shown(
    session: Session, uri: str, left: Left, rules: Collection[str] | None
) -> tuple[str, types.Range | None] | None:
    """The document and range to show for a file; None where nothing is left in it by now."""
    program = session.program(uri) or session.notebooks.get(uri)
    if program is not None:
        return _first_in(session, program, rules)
    if not left.total:
        return None
    if left.place is None:
        return uri, None
    line, column, end_line, end_column = left.place
    return uri, types.Range(types.Position(line, column), types.Position(end_line, end_column))


def _first_in(
    session: Session, program: Program, rules: Collection[str] | None
) -> tuple[str, types.Range | None] | None:
    from .convert import diagnostic

    findings = of_rules(session.analyse(program).findings, rules)
    if not findings:
        return None
    uri, item = diagnostic(session, program, findings[0])
    return uri, item.range
