"""The process that reads the facts of all files in a folder; for a large folder it starts several worker processes.

Input: one `Scan`; the process stops at once when the input ends. Output: `SaidBy` for each file with facts, then again
for each file to which calls of tests lead, and finally `Scanned`.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import closing

from uncuda.catalogue import load
from uncuda.child import be_nice
from uncuda.child.pool import Crashed, Launch, Pool
from uncuda.child.records import Channel
from uncuda.settings import Configuration, Vocabulary, values_of
from uncuda.workspace import GitIgnore, discover, has_tests
from uncuda.workspace.cpus import batches_of, number_for, sizes_of, wanted_for
from uncuda.workspace.discover import File

from ..wire.logs import logger
from .scan import CODEC, WORKER_CODEC, Facts, Reader, SaidBy, Scan, ScanFiles, Scanned, ScanWorker


def main() -> None:
    """Read a request and answer it."""
    channel = Channel(CODEC)
    request = channel.first_request()
    if request is None:
        return
    be_nice()
    gc.disable()  # nearly all objects created here are trees without cycles
    for record in _records(request, channel):
        channel.say(record)
    os._exit(0)  # necessary because the reading thread still waits for input


def _records(request: Scan, channel: Channel) -> Iterator[SaidBy | Scanned]:
    catalogue, root = load(), request.path
    vocabulary = Vocabulary(tuple(catalogue.declarations), tuple(catalogue.rules))
    over, under = (values_of(table, root, vocabulary) for table in (request.over, request.under))
    configuration = Configuration(vocabulary, over, under=under)
    found = discover([root], configuration.settings_for, empty=True)
    worker, sizes = ScanWorker(Reader(catalogue)), sizes_of(found.files)
    pool = _pool(worker, found.files, sizes)
    channel.end_with_input()  # starts a thread, so all processes are forked before this line
    said: dict[str, Facts] = {}
    paths = [file.path for file in found.files]
    for record in _facts(worker, paths, sizes, pool):
        said[record.path] = record.facts
        yield record
    yield from (SaidBy(path, facts) for path, facts in worker.reader.follow(said, paths))
    problems = (problem for problem in found.problems if os.path.basename(problem.path) == GitIgnore.NAME)  # noqa: PTH119
    shown = tuple(paths) if has_tests(paths) else ()
    yield Scanned(shown, len(found.files), tuple(problems), tuple(found.notes))


def _pool(worker: ScanWorker, files: Sequence[File], sizes: Sequence[int]) -> Pool[str] | None:
    """Return a pool of processes that read the files in parallel; None if there are too few files."""
    number = number_for(sizes, wanted_for(files), looked=False)
    if number == 1:
        return None
    return Pool(number, Launch("uncuda.lsp.state.scan", worker.serve, WORKER_CODEC), worker.answer, _lost)


def _lost(process: int, code: int) -> None:
    logger.error("process %d, which read files of the workspace, ended with %d", process, code)


def _facts(worker: ScanWorker, paths: Sequence[str], sizes: Sequence[int], pool: Pool[str] | None) -> Iterator[SaidBy]:
    """Yield, in the order of the paths, what each file shows about its project; files that show nothing are left
    out."""
    if pool is None:
        yield from worker.facts_of(paths)
        return
    with closing(pool):
        for batch, answer in pool.run(batches_of(paths, sizes, pool.number), lambda parts: ScanFiles(tuple(parts))):
            if isinstance(answer, Crashed):
                logger.error("%s: %s", ", ".join(batch), answer.message)
            else:
                yield from answer.files
