"""Replays a session from its recorded messages, and tracks the capabilities, open documents and pending requests at
each message."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lsp.harness.editbuffer import Buffer
from lsp.harness.profiles import lookup
from lsp.harness.traffic import Json, Record, Source, documents_in


@dataclass
class Message:
    """A message with its context in the session. `asked`: if the message is a reply, the request that it answers.

    `since`: the index of an earlier message: this message may refer to the state that a document had at that message,
    or to any later state.
    """

    index: int
    source: Source
    json: Json
    deliberate: bool
    disk: Mapping[str, str]
    asked: "Message | None" = None
    since: int = 0

    @property
    def is_reply(self) -> bool:
        """Whether this is a reply."""
        return "method" not in self.json

    @property
    def is_request(self) -> bool:
        """Whether this is a request."""
        return "method" in self.json and "id" in self.json

    @property
    def method(self) -> str:
        """Return the method; for a reply, that of its request, or "" if there is none."""
        if self.is_reply:
            return self.asked.method if self.asked else ""
        return str(self.json["method"])

    @property
    def params(self) -> Any:
        """The parameters; an empty object if there are none."""
        return self.json.get("params") or {}

    @property
    def result(self) -> Any:
        """The result of a reply; None if it has none."""
        return self.json.get("result")

    def __str__(self) -> str:
        arrow = "-->" if self.source == "client" else "<--"
        return f"message {self.index + 1} {arrow} {'reply to ' * self.is_reply}{self.method or 'nothing'}"


@dataclass(frozen=True)
class State:
    """The state of a document after message number `index`; `version` and `text` are None while the document is
    closed."""

    index: int
    version: int | None
    text: str | None


@dataclass
class Session:
    """The state of the session after all messages that `feed` has processed.

    `provoked`: whether the client has sent a message that is wrong on purpose. `confused`: the documents that such
    messages name; places in these documents are no longer checked.
    """

    client: Json = field(default_factory=dict)
    server: Json = field(default_factory=dict)
    encoding: str = "utf-16"
    trace: str = "off"
    pending: dict[tuple[Source, Any], Message] = field(default_factory=dict)
    registered: dict[str, Json] = field(default_factory=dict)
    tokens: dict[Any, str] = field(default_factory=dict)
    documents: dict[str, list[State]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    settled: int = 0
    provoked: bool = False
    confused: set[str] = field(default_factory=set)
    _cells: dict[str, list[str]] = field(default_factory=dict)
    _taken_back: set[Any] = field(default_factory=set)

    def can(self, path: str) -> Any:
        """The client's capability at a dotted path."""
        return lookup(self.client, path)

    def offers(self, path: str) -> Any:
        """The server's capability at a dotted path."""
        return lookup(self.server, path)

    def registrations(self, method: str) -> list[Json]:
        """The server's registrations for a method."""
        return [item for item in self.registered.values() if item["method"] == method]

    @property
    def pulls(self) -> bool:
        """Whether the client pulls diagnostics."""
        offered = self.offers("diagnosticProvider") or self.registrations("textDocument/diagnostic")
        return bool(offered) and self.can("textDocument.diagnostic") is not None

    def cancelled(self, asked: Message) -> bool:
        """Whether the client cancelled a request."""
        return _key(asked.json["id"]) in self._taken_back

    def states(self, uri: str, since: int) -> list[State]:
        """The state that a document had at the message with the index `since`, and all its later states; empty if the
        document was never open."""
        known = self.documents.get(uri, [])
        before = [state for state in known if state.index <= since]
        return [*(before[-1:] or [State(-1, None, None)]), *(s for s in known if s.index > since)] if known else []

    def message(self, index: int, record: Record) -> Message:
        """The next message, with the request that it answers."""
        json = record.message if isinstance(record.message, dict) else {}
        message = Message(index, record.source, json, record.deliberate, record.disk)
        if "method" not in json:
            other: Source = "client" if record.source == "server" else "server"
            message.asked = self.pending.get((other, _key(json.get("id"))))
        message.since = self._since(message)
        return message

    def _since(self, message: Message) -> int:
        if message.asked:
            return message.asked.index
        commands = [asked.index for asked in self.pending.values() if asked.method == "workspace/executeCommand"]
        return min([self.settled, *commands])

    def feed(self, message: Message) -> None:
        """Update the state of the session by one message."""
        json = message.json
        if message.deliberate:
            self.provoked = True
            self.confused |= set(documents_in(json))
        if message.is_request and not (message.deliberate and not isinstance(json["id"], int | str)):
            self.pending[message.source, _key(json["id"])] = message
        elif message.is_reply and message.asked:
            del self.pending[message.asked.source, _key(message.asked.json["id"])]
        if message.source == "client":
            self._from_client(message)
        else:
            self._from_server(message)

    def _from_client(self, message: Message) -> None:
        method, params = message.method, message.params
        if message.deliberate or message.is_reply:
            return
        self.done.add(method)
        for name in ("workDoneToken", "partialResultToken"):
            if isinstance(params, dict) and name in params:
                self.tokens[params[name]] = name
        if method == "initialize":
            self.client, self.trace = params["capabilities"], params.get("trace") or "off"
        elif method == "$/cancelRequest":
            self._taken_back.add(_key(params["id"]))
        elif method == "$/setTrace":
            self.trace = params["value"]
        elif method.startswith(("textDocument/did", "notebookDocument/did")):
            self._document(message.index, method, params)

    def _from_server(self, message: Message) -> None:
        if message.asked:
            self.settled = max(self.settled, message.asked.index)
            self.done.add(f"reply to {message.method}")
        if message.method == "initialize" and message.result:
            self.server = message.result["capabilities"]
            self.encoding = self.server.get("positionEncoding") or "utf-16"
        elif message.method == "client/registerCapability":
            self.registered |= {item["id"]: item for item in message.params["registrations"]}
        elif message.method == "client/unregisterCapability":
            for item in message.params["unregisterations"]:
                self.registered.pop(item["id"], None)
        elif message.method == "window/workDoneProgress/create" and not message.is_reply:
            self.tokens[message.params["token"]] = "created"

    def _document(self, index: int, method: str, params: Json) -> None:
        name = method.partition("/")[2]
        if method.startswith("textDocument/") and name in ("didOpen", "didChange", "didClose"):
            getattr(self, f"_{name}")(index, params)
        elif method == "notebookDocument/didOpen":
            self._open(index, params["cellTextDocuments"])
            self._cells[params["notebookDocument"]["uri"]] = [item["uri"] for item in params["cellTextDocuments"]]
        elif method == "notebookDocument/didChange":
            cells = params["change"].get("cells") or {}
            structure = cells.get("structure") or {}
            notebook = self._cells[params["notebookDocument"]["uri"]]
            self._open(index, structure.get("didOpen") or [])
            notebook += [item["uri"] for item in structure.get("didOpen") or []]
            for content in cells.get("textContent") or []:
                self._didChange(index, {"textDocument": content["document"], "contentChanges": content["changes"]})
            for closed in structure.get("didClose") or []:
                self._didClose(index, {"textDocument": closed})
        elif method == "notebookDocument/didClose":
            for uri in self._cells.pop(params["notebookDocument"]["uri"]):
                self._didClose(index, {"textDocument": {"uri": uri}})

    def _open(self, index: int, items: Iterable[Json]) -> None:
        for item in items:
            self._didOpen(index, {"textDocument": item})

    def _didOpen(self, index: int, params: Json) -> None:  # noqa: N802 - the protocol's name
        item = params["textDocument"]
        self.documents.setdefault(item["uri"], []).append(State(index, item["version"], item["text"]))

    def _didChange(self, index: int, params: Json) -> None:  # noqa: N802
        uri, version = params["textDocument"]["uri"], params["textDocument"]["version"]
        states = self.documents.get(uri)
        if states and states[-1].text is not None:
            buffer = Buffer(uri, "", version, states[-1].text)
            buffer.change(params["contentChanges"], self.encoding)
            states.append(State(index, version, buffer.text))
            self._forget(states)

    def _forget(self, states: list[State]) -> None:
        """Drop the states to which no later message can refer."""
        asked = [message.index for (source, _), message in self.pending.items() if source == "client"]
        needed = min([self.settled, *asked])
        while len(states) > 1 and states[1].index <= needed:
            del states[0]

    def _didClose(self, index: int, params: Json) -> None:  # noqa: N802
        self.documents.setdefault(params["textDocument"]["uri"], []).append(State(index, None, None))


def _key(identifier: Any) -> Any:
    """A key for a request id: 1 and "1" are different ids, and so are True and 1."""
    return type(identifier).__name__, str(identifier)
