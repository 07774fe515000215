"""Looks up the types of receivers (`x` in `x.cuda()`) while the user types. Diagnostics never wait for the types of
receivers; once the types are known, the diagnostics are refreshed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from uncuda.project import UNKNOWN, Answers, Site

from ..state.documents import Program
from ..wire.logs import logger

if TYPE_CHECKING:
    from uncuda.receivers import Receivers

    from ..session import Session

_PAUSE = 0.3  # seconds without an edit before the types of receivers (`x` in `x.cuda()`) are looked up


def register(session: Session) -> None:
    """Make the analyses of a session use the types of receivers (`x` in `x.cuda()`)."""
    Receiving(session)


class Receiving:
    """Looks up the types of receivers (`x` in `x.cuda()`) in open files, and analyses a file again if the types change
    its findings."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked: dict[str, str] = {}
        self._telling: set[str] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._made: Receivers | None = None
        session.begun.append(self._begin)
        session.closed.append(lambda program, uris: self._drop(program) if program else None)
        session.saved.append(lambda program: self._ask_anew())
        session.touched.append(lambda paths: self._ask_anew())
        session.ended.append(self._close)

    def _begin(self) -> None:
        self._session.analyses.answers = self.answers

    def answers(self, program: Program, text: str, sites: Sequence[Site]) -> Answers:
        """Return the types of receivers that are known now; the others are looked up after a pause in typing."""
        uri = program.uri
        if not program.path.endswith(".py"):
            return {}
        if self._asked.get(uri) is not text:
            if uri in self._timers:
                self._timers[uri].cancel()
            self._timers[uri] = self._session.loop.call_later(_PAUSE, self._ask, program, text, tuple(sites))
        # `known` takes milliseconds, so it is called only for files in which the last lookup found types.
        return self._receivers().known(program.path, text, sites) if uri in self._telling else {}

    def _receivers(self) -> Receivers:
        if self._made is None:
            from uncuda.receivers import Receivers

            def note(key: str, *values: object) -> None:
                self._session.call(logger.warning if key == "receivers off" else logger.debug, "%s %s", key, values)

            self._made = Receivers([folder.path for folder in self._session.folders.all if folder.path], note)
        return self._made

    def _ask(self, program: Program, text: str, sites: tuple[Site, ...]) -> None:
        self._timers.pop(program.uri, None)
        if self._session.program(program.uri) is not program or program.text is not text:
            return
        self._asked[program.uri] = text

        def arrived(answers: Answers) -> None:
            self._session.call(self._arrived, program, text, answers)

        self._receivers().submit(program.path, text, sites, arrived)

    def _arrived(self, program: Program, text: str, answers: Answers) -> None:
        if self._session.program(program.uri) is not program or program.text is not text:
            return
        known = {site: verdict for site, verdict in answers.items() if verdict != UNKNOWN}
        used = self._session.analyse(program).answers
        if known:
            self._telling.add(program.uri)
        else:
            self._telling.discard(program.uri)
        if known != {site: verdict for site, verdict in used.items() if verdict != UNKNOWN}:
            self._session.analyses.drop(program.uri)
            self._session.stale([document.uri for document in program.documents])

    def _ask_anew(self) -> None:
        """Look up the types of receivers again after files changed on disk."""
        if self._made is None:
            return
        self._made.forget()
        for program in self._session.documents.programs():
            if self._asked.pop(program.uri, None) is not None:
                sites = self._session.analyse(program).report.sites
                self._ask(program, program.text, sites)

    def _drop(self, program: Program) -> None:
        self._asked.pop(program.uri, None)
        self._telling.discard(program.uri)
        if timer := self._timers.pop(program.uri, None):
            timer.cancel()
        if self._made is not None:
            self._made.cancel(program.path)

    def _close(self) -> None:
        if self._made is not None:
            self._made.close()
