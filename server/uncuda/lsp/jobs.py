"""Runs the workspace job in its own process, and gathers what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from .background import Background
from .job import Job
from .left import Left

if TYPE_CHECKING:
    from .server import UncudaServer


@dataclass
class FileChange:
    """What is to be changed in one file.

    `body`: its edits, JSON that is ready to be sent; for a notebook `offsets` instead: (start, end, text, annotation).
    `stamp`: modification time and size of a closed file when it was read. `rules`: how many findings of each are fixed.
    `left`: what is left in it then. `otherwise`: the command that fixes a closed file, where its columns depend on the
    encoding that it is read in.
    """

    uri: str
    version: int | None
    open: bool
    stamp: tuple[int, int] | None
    edits: int
    rules: dict[str, int]
    annotations: list[str]
    left: Left
    body: str = ""
    offsets: list[tuple[int, int, str, str]] = field(default_factory=list)
    otherwise: str = ""


@dataclass
class Outcome:
    """What a job found. `left`: what there is in each file as it is, by URI.

    `undecided`: targets among which nothing chooses; `failed`: why there is no result.
    """

    files: list[FileChange] = field(default_factory=list)
    skipped: list[dict[str, str]] = field(default_factory=list)
    left: dict[str, Left] = field(default_factory=dict)
    diff: str = ""
    undecided: tuple[str, ...] = ()
    failed: str = "it ended too early"


class JobProcess:
    """One job; `done` is its outcome, cancelled where it was stopped. `progress(done, total)` is called meanwhile."""

    def __init__(self, server: UncudaServer, job: Job, progress: Callable[[int, int], object]) -> None:
        self.done: asyncio.Future[Outcome] = server.loop.create_future()
        self._outcome = Outcome()
        self._progress = progress
        self._process = Background("uncuda.lsp.worker", server.call, self._take, self._ended, asdict(job))

    def stop(self) -> None:
        """End the process at once, whatever it does."""
        self._process.stop()
        self.done.cancel()

    def _take(self, message: dict[str, Any]) -> None:
        kind = message.pop("kind")
        outcome = self._outcome
        if kind == "progress":
            self._progress(message["done"], message["total"])
        elif kind == "file":
            stamp, left = message.pop("stamp"), Left(*message.pop("left"))
            outcome.files.append(FileChange(**message, stamp=tuple(stamp) if stamp else None, left=left))
        elif kind == "undecided":
            outcome.undecided, outcome.failed = tuple(message["targets"]), ""
        elif kind == "failed":
            outcome.failed = message["reason"]
        else:
            outcome.skipped = message["skipped"]
            outcome.left = {uri: Left(*left) for uri, left in message["left"].items()}
            outcome.diff, outcome.failed = message["diff"], ""

    def _ended(self) -> None:
        if not self.done.done():
            self.done.set_result(self._outcome)
