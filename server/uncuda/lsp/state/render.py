"""Makes the JSON text of diagnostics; parts that many of them share are cached."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from uncuda.catalogue import Catalogue
from uncuda.engine import Engine, Finding
from uncuda.messages import language
from uncuda.workspace import fix_class

from ..wire.client import Client
from ..wire.markup import sentence
from .pages import Pages
from .phrases import phrases

if TYPE_CHECKING:
    from .analyses import Analysis
    from .documents import Document, Program

SOURCE = "uncuda"
SEVERITIES = {"error": 1, "warning": 2, "information": 3}
_TAGS = {"unnecessary": 1, "deprecated": 2}
_RANGE = '{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},%s'
_PLACE = (
    '{"location":{"uri":%s,"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}},"message":%s}'
)
_MANY = 4096


Point = tuple[int, int]
Shim = Callable[["Program", str], "tuple[str, Point, Point] | None"]
"""A function that returns where a program imports a target's shim: the URI, and (line, column) of start and end."""


class Renderer:
    """Makes the JSON of diagnostics for one client."""

    def __init__(self, client: Client, catalogue: Catalogue, shim: Shim) -> None:
        self._client, self._shim = client, shim
        self._rules = catalogue.rules
        self.pages = Pages(client, catalogue)
        self._of_shims = frozenset(rule.name for rule in catalogue.rules.values() if rule.when_imported)
        self._related = client.related_information
        self._tails: dict[tuple[str, ...], str] = {}

    def items(self, analysis: Analysis) -> dict[str, str]:
        """Return the JSON list of diagnostics for each document, by URI."""
        program = analysis.program
        found: dict[str, list[str]] = {document.uri: [] for document in program.documents}
        if analysis.refused and program.documents:
            found[program.documents[0].uri].append(_note(analysis.refused))
        if analysis.undecided and analysis.report.findings:
            found[program.documents[0].uri].append(_note(analysis.undecided))
        for finding in analysis.findings:
            document, item = self.item(analysis, finding)
            found[document.uri].append(item)
        return {uri: f"[{','.join(items)}]" for uri, items in found.items()}

    def item(self, analysis: Analysis, finding: Finding) -> tuple[Document, str]:
        """Return the document that contains a finding, and the finding's Diagnostic as JSON."""
        start, end = finding.span
        document, local = analysis.program.place(start)
        points = document.lines.points(local, local + end - start)
        tail = self._tail(finding, analysis.engine)
        item = _RANGE % (*points, tail)
        if self._related and (finding.related or finding.rule in self._of_shims):
            related = self._places(analysis, finding)
            item = f'{item[:-1]},"relatedInformation":[{",".join(related)}]}}' if related else item
        return document, item

    def tells_of_shims(self, analysis: Analysis) -> bool:
        """Return whether one of the diagnostics mentions where the project imports a shim, i.e. a runtime patch such as
        transfer_to_npu."""
        return self._related and any(finding.rule in self._of_shims for finding in analysis.findings)

    def _tail(self, finding: Finding, engine: Engine) -> str:
        target = engine.target
        key = finding.rule, finding.severity, finding.message, fix_class(finding), target.id, target.version
        known = self._tails.get(key)
        if known is None:
            if len(self._tails) >= _MANY:
                self._tails.clear()
            rest = self._rest(finding, engine)
            known = self._tails[key] = json.dumps(rest, separators=(",", ":"))[1:]
        return known

    def _rest(self, finding: Finding, engine: Engine) -> dict[str, Any]:
        client = self._client
        rule = self._rules.get(finding.rule)
        rest: dict[str, Any] = {
            "severity": SEVERITIES[finding.severity],
            "code": finding.rule,
            "source": SOURCE,
            # The fix class is part of the message, which every editor shows; clients identify a diagnostic by `code`
            # and `source`.
            "message": f"{sentence(finding.message)} · {phrases(engine)(fix_class(finding))}",
        }
        if rule is not None and rule.path and client.code_description:
            href = self.pages.uri(rule.name, engine.target, language(engine.settings.locale))
            rest["codeDescription"] = {"href": href}
        tags = [_TAGS[tag] for tag in rule.tags if _TAGS[tag] in client.tags] if rule else []
        if tags:
            rest["tags"] = tags
        return rest

    def _places(self, analysis: Analysis, finding: Finding) -> list[str]:
        """Return the related information of a finding: where an alias in its code is imported, and, if the finding is
        about the shim, where the shim is imported."""
        places = []
        for related in finding.related:
            document, start = analysis.program.place(related.span.start)
            points = document.lines.points(start, start + related.span.end - related.span.start)
            places.append(_PLACE % (json.dumps(document.uri), *points, json.dumps(sentence(related.message))))
        rule = self._rules.get(finding.rule)
        if rule is not None and rule.when_imported and (where := self._shim(analysis.program, finding.target)):
            engine = analysis.engine
            text = sentence(phrases(engine)("shim import", engine.target.words.get("patch", "")))
            places.append(_PLACE % (json.dumps(where[0]), *where[1], *where[2], json.dumps(text)))
        return places


def _note(text: str) -> str:
    """Return a Diagnostic about the whole file, as JSON."""
    rest = {"severity": SEVERITIES["information"], "source": SOURCE, "message": sentence(text)}
    return _RANGE % (0, 0, 0, 0, json.dumps(rest, separators=(",", ":"))[1:])
