"""The result of a command that applies fixes, and the message to the user about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.printable import printable

from ..wire.names import SHOW_OVERVIEW, SHOW_PROBLEMS
from ..wire.texts import Texts
from ..wire.uris import path_of
from .job import FileChange, Left, of_rules

if TYPE_CHECKING:
    from ..session import Session
    from ..state.documents import Program

_NAMED = 3


@dataclass
class Summary:
    """The result of a command that applies fixes. `files`: the files that were changed, or (`dry`) that would be
    changed; `reason`: why no file was changed. `rules`: the rules whose findings the command fixes, None for all.

    `left` maps the URI of each file to its remaining findings; `made` is (findings, files): how many findings in how
    many files were fixed, if the user chose edits in a preview.
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
        """Record files that were not changed, with the reason."""
        self.skipped += [{"uri": file.uri, "reason": reason} for file in files]

    @property
    def fixed(self) -> Counter[str]:
        """The number of fixed findings by rule."""
        counts: Counter[str] = Counter()
        for file in self.files:
            counts.update(file.rules)
        return counts

    @property
    def all_left(self) -> Left:
        """The numbers of findings that remain, summed over all files."""
        return reduce(Left.plus, self.left.values(), Left())

    def result(self) -> dict[str, Any]:
        """The result of the command, as JSON."""
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
        """The message to the user, in one or two lines."""
        texts, left = self.texts, self.all_left
        parts = [self.reason] if self.reason else []
        number, size = self.made or (self.fixed.total(), sum(1 for file in self.files if file.rules))
        if size:
            findings, files = texts.count(number, "finding"), texts.count(size, "file")
            parts.append(texts("would fix" if self.dry else "fixed", findings=findings, files=files))
        elif not parts and self.made is None:
            parts.append(texts("nothing changed" if self.skipped or left.total else "nothing"))
        if self.files or left.total:
            of_all, of_rules = ("left safe", "left safe of") if left.safe else ("left", "left of")
            rules = texts.join(self.rules or ())
            parts.append(texts(of_rules if rules else of_all, left.review, left.manual, left.safe, rules))
        if self.skipped:
            parts += [texts("left out", files=texts.count(len(self.skipped), "file")), self._named()]
        return ("" if texts.locale == "zh" else " ").join(parts)

    def _named(self) -> str:
        lines = [_line(item) for item in self.skipped[:_NAMED]]
        if more := len(self.skipped) - _NAMED:
            lines += [self.texts("more", more)] if more > 0 else []
        return self.texts("between").join(lines)


def tell(session: Session, summary: Summary) -> None:
    """Show the message, and log the skipped files."""
    if not summary.quiet:
        kind = types.MessageType.Warning if summary.skipped or summary.reason else types.MessageType.Info
        message = summary.message()
        if summary.all_left.total and not summary.dry and session.client.offers_buttons:
            offer(session, kind, message, summary)
        else:
            session.window_show_message(types.ShowMessageParams(kind, message))
    lines = _log(summary)
    if lines:
        session.window_log_message(types.LogMessageParams(types.MessageType.Info, "\n".join(lines)))


def _log(summary: Summary) -> Sequence[str]:
    """Return the lines for the log: skipped files with reasons, and the changed files."""
    if not summary.skipped:
        return []
    changed = [printable(path_of(file.uri) or file.uri) for file in summary.files]
    return [summary.message(), *(f"+ {name}" for name in changed), *(f"- {_line(item)}" for item in summary.skipped)]


def _line(item: dict[str, str]) -> str:
    return printable(f"{path_of(item['uri']) or item['uri']}: {item['reason']}")


def offer(session: Session, kind: types.MessageType, message: str, summary: Summary) -> None:
    """Show a message with buttons that show the remaining findings; does not wait for an answer."""
    texts, shows = summary.texts, session.client.shows
    does: dict[str, Callable[[], object]] = {}
    if "review" in shows and summary.all_left.review + summary.all_left.manual:
        does[texts("review button")] = partial(_open, session, "review")
    does[texts("show")] = partial(reveal, session, summary.left, summary.rules)
    if "report" in shows:
        does[texts("report button")] = partial(_open, session, "report")

    def take(answer: Any) -> None:
        if isinstance(answer, types.MessageActionItem) and answer.title in does:
            does[answer.title]()

    params = types.ShowMessageRequestParams(kind, message, [types.MessageActionItem(title) for title in does])
    session.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params, take)


def _open(session: Session, what: str) -> None:
    """Notify the client to open its view, its review or the report: `what` is "view", "review" or "report"."""
    session.protocol.notify(SHOW_OVERVIEW, {"what": what})


def reveal(session: Session, left: Mapping[str, Left], rules: Collection[str] | None) -> None:
    """Show the first remaining finding, in the order of files. If the client supports it, also open the list of
    problems; if that list does not contain all findings, open uncuda's view instead."""
    first = next((shown for uri in sorted(left) if (shown := _shown(session, uri, left[uri], rules))), None)
    views = "view" in session.client.shows and session.overviews.limits_problems
    lists = views or session.client.show_problems
    if first:
        uri, selection = first
        params = types.ShowDocumentParams(uri, take_focus=not lists, selection=selection)
        session.ask(types.WINDOW_SHOW_DOCUMENT, params)
    if views:
        _open(session, "view")
    elif lists:
        session.protocol.notify(SHOW_PROBLEMS, {})


def _shown(
    session: Session, uri: str, left: Left, rules: Collection[str] | None
) -> tuple[str, types.Range | None] | None:
    """Return the document and range to show for a file; None if no finding remains in the file."""
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
