"""Commands that fix many files: they run the workspace job, check which files changed meanwhile, apply the edits and
summarise the result."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from uncuda.workspace.files import stamp_of

from ..wire.progress import Progress
from ..wire.texts import Texts
from ..wire.uris import path_of
from .apply import Applied, apply, misread
from .arguments import Wanted
from .job import FileChange, JobFolder, Left, Outcome
from .jobs import JobProcess, folders_of, job_of
from .open_file import fix_program, in_reach
from .questions import choose_target
from .summary import Summary, tell

if TYPE_CHECKING:
    from ..session import Session

# the number of files that a JetBrains IDE is requested to change at once, because if it refuses one file, it changes
# none
_CHUNK = 25
# after this number of seconds, the client is expected to have opened or saved the files that it changed
_PATIENCE = 2.0


@dataclass
class Batches:
    """State that outlives a single command. `running`: the jobs to stop when the server stops; `took`: the duration of
    the last job in seconds.

    `asked`: the closed files that the client was requested to change, each with its stamp before the change and the
    time of the request. Until the client opens or saves a file that it changed, the disk has the file's old text.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    running: set[JobProcess] = field(default_factory=set)
    asked: dict[str, tuple[Any, float]] = field(default_factory=dict)
    took: float | None = None

    def stop(self) -> None:
        """Stop all jobs that are running."""
        for process in list(self.running):
            process.stop()


async def fix_all(
    session: Session, batches: Batches, wanted: Wanted, title: str, token: Any = None, preview: bool = False
) -> dict[str, Any]:
    """Apply the requested fixes, or (`preview`) offer them for confirmation; returns the result of the command."""
    texts = Texts(session.folders.language())
    progress = Progress(session, texts(title), token)
    batch = Batch(session, batches, wanted, texts, progress, preview)
    try:
        async with batches.lock:
            if not wanted.quiet:
                progress.start()
            files = await batch.compute()
            if files and not preview:
                await batch.make(files)
        progress.end()
        if files and preview:  # the request waits until the user decides, without blocking other commands
            if await batch.offer(files):
                async with batches.lock:
                    await batch.recount()
    except asyncio.CancelledError:  # the request was cancelled: it has no result, but the user sees a message
        batch.summary.reason = texts("cancelled")
        tell(session, batch.summary)
        raise
    finally:
        progress.end()
    tell(session, batch.summary)
    return batch.summary.result()


class Batch:
    """One command that fixes files. `summary` records which files the command changed, or why it changed none."""

    def __init__(
        self,
        session: Session,
        batches: Batches,
        wanted: Wanted,
        texts: Texts,
        progress: Progress,
        preview: bool = False,
    ) -> None:
        self.summary = Summary(texts, quiet=wanted.dry or wanted.quiet, rules=wanted.rules)
        self._session, self._batches, self._wanted = session, batches, wanted
        self._texts, self._progress = texts, progress
        self._label = texts("preview" if preview else "label")
        client = session.client
        self._folders: tuple[JobFolder, ...] = ()
        self._offered: dict[str, Left] = {}
        self._hindrance = ""
        if not wanted.dry and not client.apply_edit:
            self._hindrance = texts("no edits")
        elif not wanted.dry and preview and not (client.document_changes and client.annotations):
            self._hindrance = texts("no preview")

    @property
    def _dry(self) -> bool:
        return self._wanted.dry or bool(self._hindrance)

    async def compute(self) -> list[FileChange]:
        """The files to change; empty if there is nothing to do, with the reason in the summary."""
        await self._settled()
        outcome = await self._decided(await self._run())
        if outcome and (self._folders != folders_of(self._session) or (not self._dry and self._moved(outcome.files))):
            outcome = await self._decided(await self._run())
        if not self._take(outcome):
            return []
        if outcome is not None and not outcome.files and not self._session.folders.all and not self._wanted.scope:
            self.summary.reason = self._texts("no folder to fix")
        assert outcome is not None
        if self._dry:
            self.summary.dry, self.summary.reason = True, self._hindrance
            self.summary.files, self.summary.diff = outcome.files, outcome.diff
            self.summary.left.update({file.uri: file.left for file in outcome.files})
            return []
        return self._read_right(self._still(outcome.files), await misread(self._session, outcome.files))

    async def make(self, files: list[FileChange]) -> None:
        """Ask the client to change the files: all at once, or in chunks for JetBrains IDEs."""
        make = self._in_chunks if self._session.client.is_jetbrains else self._at_once
        refused, why = await make(files)
        if self._moved(refused) and not self._progress.cancelled.is_set():
            names = {file.uri for file in refused}
            outcome = await self._run()
            again = [file for file in outcome.files if file.uri in names] if outcome else []
            again = self._read_right(again, await misread(self._session, again))
            refused, why = await make(again) if again else (refused, why)
        moved = {file.uri for file in self._moved(refused)}
        for file in refused:
            self.summary.skip([file], self._texts("moved" if file.uri in moved else "refused"))
        if refused and not self.summary.files:
            self.summary.reason = self._texts("not applied why", why) if why else self._texts("not applied")

    async def _at_once(self, files: list[FileChange]) -> tuple[list[FileChange], str]:
        """Request all changes at once; return the files that the client did not change, and the client's reason."""
        applied = await self._apply(files)
        return ([], "") if applied.applied else (files, applied.reason)

    async def _in_chunks(self, files: list[FileChange]) -> tuple[list[FileChange], str]:
        """Request the changes in chunks; return the files that the client did not change, and the client's reason. If
        the client refuses a chunk, the changes of its files are requested one by one; after the user cancels, no
        further chunk is sent."""
        refused, why = [], ""
        for start in range(0, len(files), _CHUNK):
            if self._progress.cancelled.is_set():
                self.summary.reason = self._texts("cancelled")
                self.summary.skip(files[start:], self._texts("stopped"))
                break
            chunk = files[start : start + _CHUNK]
            moved = self._moved(chunk)
            refused += moved
            chunk = [file for file in chunk if file not in moved]
            try:
                if not chunk or (await self._apply(chunk)).applied:
                    continue
            except asyncio.CancelledError:  # the client may still apply this chunk, so its result is unknown
                self.summary.left.update({file.uri: Left() for file in chunk})
                self.summary.skip(files[start + _CHUNK :], self._texts("stopped"))
                raise
            for file in chunk:
                applied = await self._apply([file])
                if not applied.applied:
                    refused.append(file)
                    why = applied.reason
        return refused, why

    async def offer(self, files: list[FileChange]) -> bool:
        """Make the client show the edits for confirmation; returns whether the client may have changed anything."""
        self._offered = dict(self.summary.left)
        applied = await self._apply(files, confirm=True)
        if not applied.applied:
            why = applied.reason
            self.summary.reason = self._texts("not applied why", why) if why else self._texts("nothing changed")
            # the client does not say why it refused the edit; changed files are a possible reason
            self.summary.skip(self._moved(files), self._texts("moved"))
            self.summary.quiet = not self.summary.skipped and not why
        return applied.applied

    async def recount(self) -> None:
        """Count the remaining findings again after a preview, because the client does not say which edits were
        ticked."""
        await self._settled()
        outcome = await self._run()
        if outcome is None or outcome.failed or outcome.undecided:
            self.summary.quiet = True  # no message: the user saw the edits, and the number of findings left is unknown
            return
        self.summary.left = outcome.left
        gone = [left.total - outcome.left.get(uri, Left()).total for uri, left in self._offered.items()]
        gone = [number for number in gone if number > 0]
        self.summary.made = sum(gone), len(gone)

    async def _apply(self, files: list[FileChange], confirm: bool = False) -> Applied:
        applied = await apply(self._session, files, self._label, self._texts, confirm)
        if applied.applied:
            self.summary.files += files
            self.summary.left.update({file.uri: file.left for file in files})
            now = time.monotonic()
            self._batches.asked.update({file.uri: (file.stamp, now) for file in files if not file.open})
        return applied

    async def _run(self) -> Outcome | None:
        """The changes, computed by the workspace job or from the open document; None if the command was cancelled."""
        self._folders = folders_of(self._session)
        if program := in_reach(self._session, self._wanted.scope):
            return fix_program(self._session, program, self._wanted, self._dry)
        begun = time.monotonic()
        process = JobProcess(self._session, await job_of(self._session, self._wanted, self._dry), self._progress.report)
        self._batches.running.add(process)
        cancelled = asyncio.ensure_future(self._progress.cancelled.wait())
        either: set[asyncio.Future[Any]] = {process.done, cancelled}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._progress.cancelled.is_set():
                return None
            self._batches.took = time.monotonic() - begun
            return process.done.result()
        finally:
            cancelled.cancel()
            process.stop()
            self._batches.running.discard(process)

    async def _decided(self, outcome: Outcome | None) -> Outcome | None:
        """Let the user choose a target if the project does not name one, then run the job again. The user's choice of a
        target is kept until the server ends."""
        if outcome is None or not outcome.undecided:
            return outcome
        if self._wanted.quiet:
            return None
        session, texts = self._session, self._texts
        names = session.folders.titles_of(outcome.undecided, texts.locale)
        question = texts("which target", targets=names)
        target = await choose_target(session, outcome.undecided, question, texts)
        if target is None or self._progress.cancelled.is_set():
            return None
        session.folders.switch(target)
        session.reconfigured()
        return await self._run()

    def _take(self, outcome: Outcome | None) -> bool:
        """Copy the outcome of a job into the summary; return True if the job neither failed nor was cancelled."""
        if outcome is None:
            self.summary.reason = f"{self._texts('cancelled')} {self._texts('nothing changed')}"
        elif outcome.failed:
            self.summary.reason = self._texts("failed", outcome.failed)
        else:
            self.summary.skipped, self.summary.left = outcome.skipped, outcome.left
        return outcome is not None and not outcome.failed

    def _read_right(self, files: list[FileChange], encodings: Mapping[str, str]) -> list[FileChange]:
        """The files that the client reads in their real encoding. Files that the client reads in a wrong encoding are
        recorded as skipped, with the command line that fixes them as part of the reason."""
        for file in files:
            if encoding := encodings.get(file.uri):
                self.summary.skip([file], self._texts("read as", file.otherwise, encoding=encoding))
        return [file for file in files if file.uri not in encodings]

    def _still(self, files: list[FileChange]) -> list[FileChange]:
        """Return the files that have not changed since the job read them; record all other files as skipped."""
        moved = self._moved(files)
        self.summary.skip(moved, self._texts("moved"))
        names = {file.uri for file in moved}
        return [file for file in files if file.uri not in names]

    def _moved(self, files: Iterable[FileChange]) -> list[FileChange]:
        """Return the files that have changed since the job read them."""
        programs = self._session.documents.programs()
        paths = {os.path.normcase(program.path) for program in programs if program.path}
        return [file for file in files if self._has_moved(file, paths)]

    def _has_moved(self, file: FileChange, open_paths: set[str]) -> bool:
        if file.open:
            program = self._session.program(file.uri) or self._session.notebooks.get(file.uri)
            return program is None or program.version != file.version
        path = path_of(file.uri) or ""
        return os.path.normcase(path) in open_paths or stamp_of(path) != file.stamp

    async def _settled(self) -> None:
        """Wait up to `_PATIENCE` seconds until the client has opened or saved the files that it was last requested to
        change."""
        asked = self._batches.asked
        while asked:
            now = time.monotonic()
            for uri, (stamp, at) in list(asked.items()):
                path = path_of(uri) or ""
                known = self._session.documents.get(uri) or self._session.documents.by_path(path)
                if known or stamp_of(path) != stamp or now - at > _PATIENCE:
                    del asked[uri]
            if asked:
                await asyncio.sleep(0.02)
