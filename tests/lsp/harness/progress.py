"""Checks that progress begins once and ends once with a known token, and that an `unchanged` report refers to an
earlier report."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lsp.harness.contents import reports
from lsp.harness.session import Message, Session
from lsp.harness.traffic import Json


@dataclass
class Progress:
    """The progress of one session: which tokens began and ended, and their last percentages."""

    begun: dict[Any, float | None] = field(default_factory=dict)
    ended: set[Any] = field(default_factory=set)
    partial: set[Any] = field(default_factory=set)
    results: dict[str, set[str]] = field(default_factory=dict)

    def check(self, session: Session, message: Message) -> Iterator[str]:
        """Yield the problems of a progress message, or of the partial results that it contains."""
        if message.source == "client" or message.deliberate:
            return
        if message.method == "window/workDoneProgress/create" and not message.is_reply:
            if message.params["token"] in session.tokens:
                yield f"the token {message.params['token']!r} is known already"
        elif message.method == "$/progress":
            yield from self._progress(session, message)
        elif message.asked:
            yield from self._whole(message)
        for uri, report in reports(message):
            yield from self._report(session, message, uri, report)

    def check_end(self) -> Iterator[str]:
        """The problems at the end of a session: progress that has not ended."""
        for token in self.begun.keys() - self.ended:
            yield f"the progress {token!r} has no end"

    def _progress(self, session: Session, message: Message) -> Iterator[str]:
        token, value = message.params["token"], message.params["value"]
        given = session.tokens.get(token)
        if given is None:
            yield f"progress on a token that nobody gave: {token!r}"
        elif given == "partialResultToken":
            yield from self._partial(session, token)
        elif token in self.ended:
            yield f"the progress {token!r} has ended"
        elif value.get("kind") == "begin":
            if token in self.begun:
                yield f"the progress {token!r} begins twice"
            self.begun[token] = value.get("percentage")
        elif token not in self.begun:
            yield f"the progress {token!r} has not begun"
        elif value.get("kind") == "end":
            self.ended.add(token)
        else:
            yield from self._advance(token, value)

    def _advance(self, token: Any, value: Json) -> Iterator[str]:
        before, now = self.begun[token], value.get("percentage")
        if now is None:
            return
        if before is None:
            yield f"the progress {token!r} began without a percentage"
        elif not before <= now <= 100:
            yield f"the progress {token!r} goes from {before} to {now} percent"
        self.begun[token] = now

    def _partial(self, session: Session, token: Any) -> Iterator[str]:
        self.partial.add(token)
        waiting = [message.params.get("partialResultToken") for message in session.pending.values()]
        if token not in waiting:
            yield f"a partial result for {token!r}, which is answered"

    def _whole(self, message: Message) -> Iterator[str]:
        """Yield a problem if a reply contains results although partial results were sent before it."""
        assert message.asked is not None
        params = message.asked.params
        token = params.get("partialResultToken") if isinstance(params, dict) else None
        items = message.result.get("items") if isinstance(message.result, dict) else message.result
        if token in self.partial and items:
            yield "a result after partial results"

    def _report(self, session: Session, message: Message, uri: str, report: Json) -> Iterator[str]:
        if report["kind"] == "unchanged":
            if report["resultId"] not in self._previous(session, message, uri):
                yield f"{uri}: unchanged since {report['resultId']!r}, which the client did not name"
            if report["resultId"] not in self.results.get(uri, ()):
                yield f"{uri}: unchanged since {report['resultId']!r}, which was never sent"
        elif "resultId" in report:
            self.results.setdefault(uri, set()).add(report["resultId"])
        supported = session.can("textDocument.diagnostic.relatedDocumentSupport")
        if "relatedDocuments" in report and not supported:
            yield "related documents, which the client does not know"

    def _previous(self, session: Session, message: Message, uri: str) -> set[Any]:
        """The result ids that the client said it has for a document."""
        asked = [message.asked] if message.asked else list(session.pending.values())
        found = set()
        for request in asked:
            found.add(request.params.get("previousResultId"))
            named = request.params.get("previousResultIds") or []
            found |= {item["value"] for item in named if item["uri"] == uri}
        return found
