"""The process that checks the closed files of the workspace; for a large workspace it starts several worker processes.

Input: first one `InspectAll`; then an `InspectSome` for each list of files to check again, and a `MoveShims` whenever
shims are imported in other places than before. Output: `Inspected` for each file with diagnostics and for each file
that was requested by path, `InspectionProgress` while all files are checked, and `InspectionDone` after each request.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from uncuda.child import be_nice
from uncuda.child.pool import Crashed, Launch, Pool
from uncuda.child.records import Channel
from uncuda.workspace.cpus import batches_of, number_for, sizes_of, wanted_for
from uncuda.workspace.discover import File

from ..wire.logs import logger
from ..wire.uris import uri_of
from .inspected import (
    CODEC,
    WORKER_CODEC,
    InspectAll,
    Inspected,
    InspectFiles,
    InspectionDone,
    InspectionProgress,
    InspectSome,
    MoveShims,
)
from .inspector import InspectionWorker, Inspector

_PAUSE = 0.2  # seconds between two progress messages


def main() -> None:
    """Answer requests until the input ends."""
    be_nice()
    channel = Channel(CODEC)
    first = channel.first_request()
    if first is None:
        return
    inspector = Inspector.of(first)
    gc.freeze()
    files = inspector.files()
    sizes = sizes_of(files)
    found = _everything(inspector, files, sizes, _pool(inspector, first, files, sizes))
    requests = channel.requests()  # starts a thread that waits for input, so all processes are forked before this line
    _say(channel, found)
    for request in requests:
        _say(channel, _again(inspector, request))


def _say(channel: Channel, found: Iterable[Inspected | InspectionProgress]) -> None:
    for record in found:
        channel.say(record)
    channel.say(InspectionDone())


def _again(inspector: Inspector, request: InspectSome | MoveShims) -> Iterator[Inspected]:
    return inspector.move_shims(request.shims) if isinstance(request, MoveShims) else inspector.some(request.paths)


def _pool(inspector: Inspector, request: InspectAll, files: Sequence[File], sizes: Sequence[int]) -> Pool[str] | None:
    """Return a pool of processes that check the files in parallel; None if there are too few files."""
    number = number_for(sizes, wanted_for(files), looked=False)
    if number == 1:
        return None
    inspector.check(files[0].path)  # creates the engine before forking, so that the worker processes share its memory
    worker = InspectionWorker(inspector)
    launch = Launch("uncuda.lsp.state.inspector", worker.serve, WORKER_CODEC)
    pool: Pool[str] = Pool(number, launch, worker.answer, _lost)
    pool.tell(request)
    return pool


def _lost(process: int, code: int) -> None:
    logger.error("process %d, which checked files of the workspace, ended with %d", process, code)


def _everything(
    inspector: Inspector, files: Sequence[File], sizes: Sequence[int], pool: Pool[str] | None
) -> Iterator[Inspected | InspectionProgress]:
    """Yield the result of each file with findings (also accepted ones) or an error, and sometimes the progress."""
    due = time.monotonic() + _PAUSE
    paths = [file.path for file in files]
    for done, found in enumerate(_each(inspector, paths, pool, sizes), 1):
        inspector.remember(found)
        if found.items != "[]" or found.listing or found.failed:
            yield found
        if (now := time.monotonic()) >= due:
            due = now + _PAUSE
            yield InspectionProgress(done, len(files))


def _each(
    inspector: Inspector, paths: Sequence[str], pool: Pool[str] | None, sizes: Sequence[int]
) -> Iterator[Inspected]:
    """Yield the result of each file, in order."""
    if pool is None:
        yield from map(inspector.check, paths)
        return
    with closing(pool):
        batches = batches_of(paths, sizes, pool.number)
        for batch, answer in pool.run(batches, lambda parts: InspectFiles(tuple(parts))):
            if isinstance(answer, Crashed):
                yield from (Inspected(path, uri_of(path), failed=answer.message) for path in batch)
            else:
                yield from answer.files
