"""Work-done progress, with the token of a request, or with one that the server creates if the client supports it."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lsprotocol import types

from .logs import logger

if TYPE_CHECKING:
    from .endpoint import Endpoint


class Progress:
    """The progress of one command. `cancelled`: an event that is set when the user cancels the command."""

    def __init__(self, endpoint: Endpoint, title: str, token: Any = None) -> None:
        self.cancelled = asyncio.Event()
        self._endpoint, self._title = endpoint, title
        self._given = isinstance(token, (int, str)) and not isinstance(token, bool)
        self._token = token if self._given else f"uncuda/{uuid4()}"
        self._begun = self._ended = False
        self._percentage = -1

    def start(self) -> None:
        """Begin to show the progress; a token that the server creates must first be accepted by the client."""
        if self._given:
            self._begin()
        elif self._endpoint.client.progress:
            self._endpoint.loop.create_task(self._create())

    async def _create(self) -> None:
        params = types.WorkDoneProgressCreateParams(self._token)
        try:
            await self._endpoint.protocol.send_request_async(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params)
        except Exception as error:  # noqa: BLE001 a client that refuses is served without
            logger.debug("no progress: %s", error)
            return
        if not self._ended:
            self._begin()

    def _begin(self) -> None:
        stopped: Future[Any] = Future()
        stopped.add_done_callback(lambda _: self.cancelled.set())
        self._endpoint.work_done_progress.tokens[self._token] = stopped
        self._begun = True
        value = types.WorkDoneProgressBegin(self._title, cancellable=True, percentage=0)
        self._endpoint.work_done_progress.begin(self._token, value)

    def report(self, done: int, total: int) -> None:
        """Show the client how much of the work is done; nothing is sent unless the percentage has grown."""
        percentage = 100 * done // max(total, 1)
        if self._begun and not self._ended and percentage > self._percentage:
            self._percentage = percentage
            value = types.WorkDoneProgressReport(message=f"{done:,}/{total:,}", percentage=percentage)
            self._endpoint.work_done_progress.report(self._token, value)

    def end(self) -> None:
        """End the progress, unless it has already ended."""
        if self._begun and not self._ended:
            self._endpoint.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
            self._endpoint.work_done_progress.tokens.pop(self._token, None)
        self._ended = True
