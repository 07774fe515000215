"""Handles JSON-RPC messages: some here, because that is faster or must not fail; all others are passed to pygls.

Every request gets exactly one reply, even if it is invalid; a message that cannot be parsed is logged, and the
following messages are not affected.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

from .logs import logger
from .stream import BadFrame

Handler = Callable[[Any], Any]
T = TypeVar("T")


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _number(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)  # JSON cannot represent infinity in a reply


_decode = json.JSONDecoder(parse_constant=_no_number, parse_float=_number).decode


class Prepared(str):
    """A result of a request that is already JSON text."""

    __slots__ = ()


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, with uncuda's own handlers for raw messages."""

    def __init__(self, server: Any, converter: Any) -> None:
        self.raw: dict[str, Handler] = {
            "$/cancelRequest": lambda params: self._cancel(field(params, "id", kind=(int, str))),
        }
        self._running: dict[Any, asyncio.Future[Any]] = {}
        """The client's unanswered requests, by id. pygls stores the server's requests in `_request_futures`."""
        self.write: Callable[[bytes], object] = lambda data: None
        self.settle: Callable[[], object] = lambda: None
        """A function that is called before a request is answered, to send the messages that earlier messages caused."""
        self.leave: Callable[[int], object] = lambda code: None
        """A function that is called with the exit code when the client exits or no longer reads."""
        self.initialized = False
        super().__init__(server, converter)

    @property
    def is_down(self) -> bool:
        """Whether the client has requested shutdown."""
        return self._shutdown

    def shut_down(self) -> None:
        """Cancel all open requests of both sides; after this, only replies are sent."""
        self._shutdown = True
        # the dictionaries are copied, because a cancelled request removes itself from its dictionary
        for asked in list(self._running.values()):
            asked.cancel()
        for future in list(self._request_futures.values()):
            future.cancel()

    def receive(self, body: bytes | BadFrame) -> None:
        """Handle the body of one frame."""
        if isinstance(body, BadFrame):
            logger.warning("the client sent %s", body.reason)
            self._refuse(None, JsonRpcParseError(body.reason))
            return
        try:
            message = _decode(body.decode(json.detect_encoding(body), "surrogatepass"))
        except (ValueError, RecursionError) as error:
            self._refuse(None, JsonRpcParseError(f"not JSON: {error}"))
            return
        if not isinstance(message, dict):
            self._refuse(None, JsonRpcInvalidRequest("a message is one JSON object"))
            return
        identifier, method = message.get("id"), message.get("method")
        if method is None and ("result" in message or "error" in message):
            self._answered(message)  # a reply is never answered, even if it is invalid
        elif "id" in message and not (isinstance(identifier, (int, str)) and not isinstance(identifier, bool)):
            self._refuse(None, JsonRpcInvalidRequest("an id is a number or a text"))
        elif not isinstance(method, str):
            # a message without `method` may be an invalid reply, whose id belongs to one of the server's requests
            asked = identifier if "method" in message else None
            self._refuse(asked, JsonRpcInvalidRequest("a method is a text"))
        elif "id" in message:
            self._request(identifier, method, message)
        else:
            self._notification(method, message)

    def _request(self, identifier: Any, method: str, message: dict[str, Any]) -> None:
        if self._shutdown:
            self._refuse(identifier, JsonRpcInvalidRequest("the server was shut down"))
        elif identifier in self._running:
            self._refuse(identifier, JsonRpcInvalidRequest(f"the id {json.dumps(identifier)} is in use"))
        elif self.initialized == (method == "initialize"):
            known = JsonRpcInvalidRequest("initialized already") if self.initialized else JsonRpcServerNotInitialized()
            self._refuse(identifier, known)
        else:
            self.settle()
            if handler := self.raw.get(method):
                self._run(identifier, handler, message.get("params"))
            elif self._is_kept_by_pygls(method):
                self._give(identifier, message)
            else:
                self._refuse(identifier, JsonRpcMethodNotFound.of(method))

    def _notification(self, method: str, message: dict[str, Any]) -> None:
        if method == "exit":
            self.leave(0 if self._shutdown else 1)
        elif self._shutdown or not self.initialized or method == types.SHUTDOWN:  # shutdown must be a request
            return
        elif handler := self.raw.get(method):
            try:
                handler(message.get("params"))
            except JsonRpcException as error:
                logger.warning("%s: %s", method, error)
            except Exception:  # noqa: BLE001 the next message may be all right
                logger.exception("%s failed", method)
        elif self._is_kept_by_pygls(method):
            self._give(None, message)
        else:
            logger.debug("%s: unknown, and passed over", method[:80])

    def _is_kept_by_pygls(self, method: str) -> bool:
        return method in self.fm.features or method in self.fm.builtin_features

    def _run(self, identifier: Any, handler: Handler, params: Any) -> None:
        """Answer a request by a handler of uncuda; if the handler returns a future, answer when the future is done."""
        try:
            result = handler(params)
            if isinstance(result, asyncio.Future):
                self._running[identifier] = result
                result.add_done_callback(partial(self._finished, identifier))
            else:
                self._send_response(identifier, result)
        except Exception as error:  # noqa: BLE001 whatever it is, there is one reply
            self._failed(identifier, error)

    def _finished(self, identifier: Any, future: asyncio.Future[Any]) -> None:
        self._running.pop(identifier, None)
        try:
            self._send_response(identifier, future.result())
        except asyncio.CancelledError:
            self._refuse(identifier, JsonRpcRequestCancelled(f"request {json.dumps(identifier)} was cancelled"))
        except Exception as error:  # noqa: BLE001
            self._failed(identifier, error)

    def _failed(self, identifier: Any, error: Exception) -> None:
        """Reply with an error to a request that has no reply yet."""
        if isinstance(error, RecursionError):
            error = JsonRpcInvalidParams("nested too deeply")
        if not isinstance(error, JsonRpcException):
            logger.error("a request failed", exc_info=error)
            error = JsonRpcInternalError(f"{type(error).__name__}: {error}")
        self._refuse(identifier, error)

    def _cancel(self, identifier: int | str) -> None:
        """Cancel a request of the client; ids of answered or unknown requests are ignored."""
        if future := self._running.get(identifier):
            future.cancel()

    def _give(self, identifier: Any, message: dict[str, Any]) -> None:
        """Pass a message to pygls."""
        message["jsonrpc"] = "2.0"
        message.setdefault("params", None)
        try:
            structured = self.structure_message(message)
        except JsonRpcException as error:
            if identifier is not None:
                reason = str(error.__cause__ or error).splitlines()[0][:300]
                self._refuse(identifier, JsonRpcInvalidParams(f"{message['method']}: {reason}"))
            return
        self.handle_message(structured)

    def _answered(self, message: dict[str, Any]) -> None:
        """Handle the client's reply to a request of the server."""
        identifier = message.get("id")
        if not isinstance(identifier, str):  # the ids of the server's requests are strings
            return
        future: Future[Any] | None = self._request_futures.pop(identifier, None)
        expected = self._result_types.pop(identifier, None)
        if future is None or future.done():
            return
        if error := message.get("error"):
            code, text = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, error)
            code = code if isinstance(code, int) else JsonRpcInternalError.CODE
            future.set_exception(JsonRpcException.from_error(types.ResponseError(code, str(text))))
            return
        try:
            result = message.get("result")
            if expected is not None:
                whole = {"jsonrpc": "2.0", "id": identifier, "result": result}
                result = self._converter.structure(whole, expected).result
        except Exception as error:  # noqa: BLE001 a reply of the wrong shape
            future.set_exception(JsonRpcInternalError(f"the client's reply cannot be read: {error}"))
        else:
            future.set_result(result)

    def _refuse(self, identifier: Any, error: JsonRpcException) -> None:
        answer = {"code": error.code, "message": error.message}
        self._write(json.dumps({"jsonrpc": "2.0", "id": identifier, "error": answer}))

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        if error is not None:
            super()._send_response(msg_id, None, error)
        elif isinstance(result, Prepared):
            self._write(f'{{"jsonrpc":"2.0","id":{json.dumps(msg_id)},"result":{result}}}')
        else:  # pygls would look up this id among the ids of the server's own requests
            self._send_data({"jsonrpc": "2.0", "id": msg_id, "result": result})

    def _send_data(self, data: Any) -> None:
        text = json.dumps(data, default=self._serialize_message, separators=(",", ":"))
        if hasattr(data, "method"):
            self.send_text(text)
        else:
            self._write(text)

    def request_text(self, method: str, params: str) -> asyncio.Future[Any]:
        """Send a request whose parameters are JSON text; returns a future of the raw result."""
        identifier = str(uuid4())
        future: Future[Any] = Future()
        self._request_futures[identifier] = future
        name = json.dumps(method)
        self.send_text(f'{{"jsonrpc":"2.0","id":"{identifier}","method":{name},"params":{params}}}')
        return asyncio.wrap_future(future)

    def structure(self, value: Any, kind: type[T]) -> T:
        """Convert raw JSON to a type of lsprotocol."""
        made: T = self._converter.structure(value, kind)
        return made

    def send_text(self, text: str) -> None:
        """Send a request or notification that is JSON text (ASCII only); nothing is sent after shutdown."""
        if not self._shutdown:
            self._write(text)

    def _write(self, text: str) -> None:
        body = text.encode("ascii")
        try:
            self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        except (OSError, ValueError):  # the client no longer reads
            self.leave(1)


def field(params: Any, *path: str, kind: type | tuple[type, ...] = str) -> Any:
    """Return a value in unparsed parameters; raise JsonRpcInvalidParams if it is missing or of another type."""
    value = params
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise JsonRpcInvalidParams(f"`{'.'.join(path)}` is missing or of another kind")
    return value
