"""What a command that fixes gives back, and what it tells the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.printable import printable

from .jobs import FileChange
from .left import Left
from .reveal import offer
from .texts import Texts
from .uris import path_of

if TYPE_CHECKING:
    from .server import UncudaServer

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
        number, size = self.made or (self.fixed.total(), len(self.files))
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
        return ("；" if self.texts.locale == "zh" else "; ").join(lines)


def tell(server: UncudaServer, summary: Summary) -> None:
    """Show the message; what does not fit into it goes to the log."""
    if not summary.quiet:
        kind = types.MessageType.Warning if summary.skipped or summary.reason else types.MessageType.Info
        message = summary.message()
        if summary.all_left.total and not summary.dry and server.client.offers_buttons:
            offer(server, kind, message, summary.texts("show"), summary.left, summary.rules)
        else:
            server.window_show_message(types.ShowMessageParams(kind, message))
    lines = _log(summary)
    if lines:
        server.window_log_message(types.LogMessageParams(types.MessageType.Info, "\n".join(lines)))


def _log(summary: Summary) -> Sequence[str]:
    """Who was left out and why; where it was only some of the files, those that were changed as well."""
    if not summary.skipped:
        return []
    changed = [printable(path_of(file.uri) or file.uri) for file in summary.files]
    return [summary.message(), *(f"+ {name}" for name in changed), *(f"- {_line(item)}" for item in summary.skipped)]


def _line(item: dict[str, str]) -> str:
    return printable(f"{path_of(item['uri']) or item['uri']}: {item['reason']}")
