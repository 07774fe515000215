"""Sessions with the real server, and checks of all their messages."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from fuzz.judge import trouble
from fuzz.model import Find
from fuzz.processes import COMMAND, end_all, limited, marked, remaining
from lsp.harness.client import Client
from lsp.harness.conformance import problems
from lsp.harness.connection import ResponseError
from lsp.harness.profiles import PROFILES
from lsp.harness.traffic import Json, Traffic

_CPU_SECONDS = 200  # seconds of CPU time for a whole session
_END_SECONDS = 30.0
_INTERNAL_ERROR = -32603


class _Blind(Client):
    """A client that neither reads nor writes the files to which messages refer, because these files may be of any
    kind."""

    def _apply_edit(self, params: Json) -> Json:
        return {"applied": False}

    def look(self, message: Json) -> Mapping[str, str]:
        return {}


class Session:
    """A client with the most capabilities and one folder; its server runs with limits.

    `conforming`: whether all its messages are valid.
    """

    def __init__(self, folder: Path, encoding: str = "utf-16", conforming: bool = False) -> None:
        self.mark, variables = marked()
        command = limited([*COMMAND, "server"], _CPU_SECONDS)
        self.conforming = conforming
        self.ended = False
        kind = Client if conforming else _Blind
        self.client = kind(PROFILES["vscode"].counting(encoding), [folder], command=command, env=variables)
        try:
            self.client.initialize()
        except BaseException:
            self.kill()
            raise

    def end(self, orderly: bool = True) -> Iterator[Find]:
        """End the session, with a shutdown request or by closing the server's input; yields the failures in the
        session."""
        client, self.ended = self.client, True
        try:
            if orderly and client.process.poll() is None:
                code = client.shutdown()
            else:
                code = client.end(_END_SECONDS)
            if code not in (0, 1):
                yield Find("the server crashes", f"{client.stderr[-3000:]}\nexit code {code}")
        except (AssertionError, ResponseError) as error:
            if client.process.poll() is None:
                client.kill()
            yield Find("the server does not end", f"{client.stderr[-3000:]}\n{str(error).splitlines()[0]}")
        for process in remaining(self.mark):
            yield Find("a process remains", process)
        yield from trouble(client.stderr.encode("utf-8", "replace"))
        yield from (Find("broken output of the server", text) for text in client.broken)
        yield from replies(client.traffic, orderly)

    def kill(self) -> None:
        """Kill the server and all processes that it started."""
        end_all(self.mark)
        if self.client.process.poll() is None:
            self.client.kill()


def replies(traffic: Traffic, complete: bool) -> Iterator[Find]:
    """Yield failures for wrong replies; `complete`: also for requests without a reply."""
    asked: Counter[str] = Counter()
    methods: dict[str, str] = {}
    answered: Counter[str] = Counter()
    for record in traffic:
        message = record.message
        if not isinstance(message, dict) or not isinstance(message.get("id"), int | str):
            continue
        key = repr(message["id"])
        if record.source == "client" and "method" in message:
            asked[key] += 1
            methods[key] = str(message["method"])
        elif record.source == "server" and "method" not in message:
            answered[key] += 1
            error = message.get("error") or {}
            if error.get("code") == _INTERNAL_ERROR:
                yield Find("an internal error as reply", f"{methods.get(key)}\n{error.get('message')}")
    bytes_were_sent = any(isinstance(record.message, str) for record in traffic)
    for key in answered.keys() | asked.keys():
        if key not in asked and bytes_were_sent:
            continue
        if answered[key] > asked[key]:
            yield Find("a second reply", f"{methods.get(key, 'to no request')}")
        elif answered[key] < asked[key] and complete:
            yield Find("no reply", methods[key])


def converse(session: Session, cases: Sequence[int], speak: Callable[[int], Iterator[Find]]) -> list[Find]:
    """Send the inputs of one session and end it; returns the failures."""
    finds: list[Find] = []
    try:
        for case in cases:
            try:
                finds += [Find(find.what, find.detail, (case,), find.files) for find in speak(case)]
            except (AssertionError, ResponseError) as error:
                why = str(error).splitlines()[0]
                finds.append(Find("no answer", f"{session.client.stderr[-3000:]}\n{why}", (case,)))
                break
        finds += [] if session.ended else session.end()
    finally:
        session.kill()
    if session.conforming and not finds:
        finds += [Find("not the protocol", text) for text in problems(session.client.traffic)]
    said = "\n".join(session.client.traffic.lines()).encode("utf-8", "backslashreplace")[-5_000_000:]
    return [Find(find.what, find.detail, find.cases, {**find.files, "traffic.txt": said}) for find in finds]
