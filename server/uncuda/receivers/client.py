"""The client of the process that finds the type of `x` in `x.cuda()` (the receiver): `ask` waits for the answers,
`submit` delivers them later on another thread. Answers are cached."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import NamedTuple

from uncuda.project import UNKNOWN, Answers, Site

from .process import Process
from .relevant import Relevant
from .supervisor import Document, Supervisor

Note = Callable[..., None]
Callback = Callable[[Answers], None]

_MOST_ANSWERS = 8192
_MOST_CHARACTERS = 1_000_000


class _Job(NamedTuple):
    number: int
    document: Document
    sites: tuple[Site, ...]
    callback: Callback


class Receivers:
    """Finds the types of receivers (`x` in `x.cuda()`) with a child process that is started for the first question. All
    methods may be called from any thread.

    `roots`: folders of the workspace. `question_seconds`: the time limit for answering one question. If questions about
    a file are not answered in time, `note(key, *values)` is called with the key "receivers late", the path of the file
    and the number of these questions. If the child process repeatedly ended before it answered, no further question is
    asked, and `note` is called once with "receivers off".
    """

    def __init__(
        self,
        roots: Sequence[str],
        note: Note = lambda key, *values: None,
        question_seconds: float = 5.0,
        start: Callable[[], Process] = Process,
    ) -> None:
        folders = [str(Path(root).absolute()) for root in roots]
        self._supervisor = Supervisor(folders, question_seconds, start)
        self._note = note
        self._off = False
        self._closed = False
        self._kept: dict[Hashable, str] = {}
        self._keeping = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: dict[str, _Job] = {}
        self._newest: dict[str, int] = {}
        self._thread: threading.Thread | None = None

    def known(self, path: str, text: str, sites: Sequence[Site]) -> dict[Site, str]:
        """Return those cached answers for `sites` (places of receivers) that are still valid, because the code on which
        they depend has not changed; the method never waits."""
        keys = _keys(path, text, sites) if self._kept else {}
        with self._keeping:
            return {site: self._kept[key] for site, key in keys.items() if key in self._kept}

    def ask(self, path: str, text: str, sites: Sequence[Site], timeout: float = 60.0) -> dict[Site, str]:
        """Wait for an answer for every site (the place of a receiver); sites that are not answered within `timeout`
        seconds in total get "unknown"."""
        return self._ask(Document(_absolute(path), text), sites, timeout, lambda: self._closed)

    def submit(self, path: str, text: str, sites: Sequence[Site], callback: Callback) -> None:
        """Look up the types of receivers on another thread, which calls `callback` with an answer for every receiver.

        An earlier submission for the same path is dropped; its callback is then not called, unless that call has
        already begun.
        """
        with self._changed:
            if self._closed or not sites:
                return
            self._newest[path] = self._newest.get(path, 0) + 1
            self._waiting.pop(path, None)
            self._waiting[path] = _Job(self._newest[path], Document(path, text), tuple(sites), callback)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="receivers", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def cancel(self, path: str) -> None:
        """Cancel the last call of `submit` for a path: its callback is not called, unless that call has already
        begun."""
        with self._changed:
            self._waiting.pop(path, None)
            self._newest[path] = self._newest.get(path, 0) + 1

    def forget(self) -> None:
        """Empty the cache, because other files changed and answers may depend on them."""
        with self._keeping:
            self._kept.clear()

    def close(self) -> None:
        """End the child process and answer no more questions; returns at once."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        self._supervisor.close()

    def _work(self) -> None:
        try:
            self._answer_jobs()
        finally:
            self._thread = None  # if a callback raises, this thread ends; the next request starts another

    def _answer_jobs(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                path = next(iter(self._waiting))
                job = self._waiting.pop(path)

            def obsolete(path: str = path, number: int = job.number) -> bool:
                return self._closed or self._newest[path] != number

            document = Document(_absolute(path), job.document.text)
            answers = self._ask(document, job.sites, float("inf"), obsolete)
            if not obsolete():
                job.callback(answers)

    def _ask(
        self, document: Document, sites: Sequence[Site], timeout: float, obsolete: Callable[[], bool]
    ) -> dict[Site, str]:
        keys = _keys(document.path, document.text, sites)
        with self._keeping:
            found = {site: self._kept.get(key, "") for site, key in keys.items()}
        missing = [site for site, verdict in found.items() if not verdict]
        if missing and not self._off and len(document.text) <= _MOST_CHARACTERS:
            given = self._supervisor.ask(document, missing, timeout, obsolete)
            found.update(given.answers)
            self._keep({keys[site]: verdict for site, verdict in given.answers.items()})
            if given.late and not obsolete():
                self._note("receivers late", document.path, given.late)
            if self._supervisor.gave_up and not self._off:
                self._off = True
                self._note("receivers off")
        return {site: verdict or UNKNOWN for site, verdict in found.items()}

    def _keep(self, answers: dict[Hashable, str]) -> None:
        with self._keeping:
            if len(self._kept) + len(answers) > _MOST_ANSWERS:
                self._kept.clear()
            self._kept.update(answers)


def _keys(path: str, text: str, sites: Sequence[Site]) -> dict[Site, Hashable]:
    """Return the cache key for each site (the place of a receiver): the parts of its file's text on which the answer
    depends."""
    if not sites:
        return {}
    relevant, absolute = Relevant(text), _absolute(path)
    return {site: (absolute, relevant.key(site)) for site in sites}


def _absolute(path: str) -> str:
    return str(Path(path).absolute())
