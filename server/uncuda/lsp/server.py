"""The server: a session with all features, serving one connection."""

from __future__ import annotations

import asyncio
import threading
import traceback
from functools import partial
from typing import Any

from .features import (
    accepting,
    actions,
    commands,
    diagnostics,
    hover,
    lens,
    lifecycle,
    overview,
    receiving,
    review,
    rule_pages,
    status,
    sync,
    target_choice,
    target_prompt,
    watch,
    workspace_diagnostics,
)
from .session import Session
from .wire.ending import last_word, leave_soon
from .wire.logs import ToClient, logger
from .wire.stream import Connection, frames

# For each event, features are called in this order.
FEATURES = (
    *(lifecycle, sync, watch, target_prompt, diagnostics, workspace_diagnostics),
    *(accepting, receiving, actions, rule_pages, hover, lens, commands, status, target_choice, overview, review),
)


class UncudaServer(Session):
    """A session with all features registered."""

    def __init__(self, log: ToClient | None = None) -> None:
        super().__init__(log)
        for feature in FEATURES:
            feature.register(self)

    def serve(self, connection: Connection) -> int:
        """Handle messages until the client leaves; returns the exit code."""
        self.protocol.write = connection.write
        self.loop.set_exception_handler(_log_failure)
        threading.Thread(target=self._read, args=(connection,), daemon=True, name="reader").start()
        asyncio.set_event_loop(self.loop)
        try:
            return self.loop.run_until_complete(self.end)
        finally:
            self.protocol.write = lambda data: None
            self.ended()

    def _read(self, connection: Connection) -> None:
        """Read messages in a separate thread, and make the process end when the client leaves."""
        code = 1
        try:
            for body in frames(connection.read):
                said = last_word(body) if isinstance(body, bytes) else ""
                code = 0 if said == "shutdown" else code
                if said == "exit":
                    leave_soon(code)
                self.call(self.protocol.receive, body)
        except OSError:
            logger.debug("the connection broke", exc_info=True)
        except Exception as error:  # noqa: BLE001 nothing would be read any more, and nobody would know
            self.call(partial(logger.error, "messages cannot be read any more: %s", error, exc_info=error))
            traceback.print_exc()
        leave_soon(code)
        self.call(lambda: self.stop(0 if self.protocol.is_down else 1))


def _log_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    logger.error("%s", context.get("message"), exc_info=context.get("exception"))
