"""Hover texts: the findings at the position, the target's counterpart of a name, and links to the pages of rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lsprotocol import types

from uncuda import lazy_re
from uncuda.catalogue import Rule, read_chinese, read_page
from uncuda.engine import Engine, Finding
from uncuda.engine.explain import Counterpart, Explanation, counterpart_on, explain, explain_findings
from uncuda.engine.several import PortableEngine
from uncuda.facts.new_syntax import wants_libcst
from uncuda.limits import LimitExceeded
from uncuda.source import Source, Span
from uncuda.workspace import fix_class

from ..fixing import convert
from ..session import offset_in
from ..state.analyses import Analysis
from ..state.heavy import between_keys
from ..state.phrases import Phrases, newer_python, phrases
from ..wire.markup import code
from ..wire.names import SHOW_RULE
from ..wire.protocol import field

if TYPE_CHECKING:
    from ..session import Session

_LINK = lazy_re.compile(r"\[([^\]\n]+)\]\(((?:file|https?):[^)\n]+)\)")


def register(session: Session) -> None:
    """Register hovers."""

    @session.raw(types.TEXT_DOCUMENT_HOVER)
    def hover(params: Any) -> types.Hover | None:
        program = session.program(field(params, "textDocument", "uri"))
        if program is None:
            return None
        analysis = session.analyse(program)
        offset = offset_in(program, params, "position")
        if offset is None:
            return None
        found = _explained(analysis, offset)
        say = phrases(analysis.engine)
        if found is not None:
            text, span = "\n\n---\n\n".join(_parts(session, analysis.engine, found, say)), found.span
        elif (unread := _unread(analysis, offset)) is not None:
            text, span = newer_python(say), unread
        else:
            return None
        kind = types.MarkupKind.Markdown if session.client.markdown else types.MarkupKind.PlainText
        content = types.MarkupContent(kind, text if session.client.markdown else plain(text))
        return types.Hover(content, range=program.locate(span)[1])

    session.feature(types.TEXT_DOCUMENT_HOVER)(hover)  # this registration also announces hovers in the capabilities


def _explained(analysis: Analysis, offset: int) -> Explanation | None:
    """The explanation of the code at an offset; for a text that takes too long to analyse, it is made from the findings
    alone."""
    engine, source = analysis.engine, Source(analysis.text, analysis.program.path)
    if not analysis.heavy:
        try:
            return explain(engine, source, analysis.findings, offset, between_keys(engine.settings.limits))
        except LimitExceeded:
            pass
    return explain_findings(engine, analysis.findings, offset)


def plain(markdown: str) -> str:
    """Return the text of a hover without Markdown markup; backticks are kept."""
    text = _LINK.sub(r"\1: \2", markdown).replace("**", "").replace("\n\n---\n\n", "\n\n")
    return re.sub(r"^- ", "  ", text.replace("  \n", "\n"), flags=re.M)


def _unread(analysis: Analysis, offset: int) -> Span | None:
    """The span of the unparsed statement at an offset, if libcst is missing and could parse it; else None."""
    for skipped in analysis.report.skipped:
        if skipped.start <= offset <= skipped.end:
            text = analysis.text[skipped.start : skipped.end].rstrip()
            return Span(skipped.start, skipped.start + len(text)) if wants_libcst(text) else None
    return None


def _parts(session: Session, engine: Engine, found: Explanation, say: Phrases) -> Iterator[str]:
    """The parts of a hover: findings, the target's counterpart, a suppression comment, pages of rules."""
    if found.findings:
        yield "  \n".join(_heading(finding, say) for finding in found.findings)
    if found.counterpart is not None:
        for one in engine.parts if isinstance(engine, PortableEngine) else (engine,):
            counterpart = counterpart_on(one, found.counterpart.name) if one is not engine else found.counterpart
            if counterpart is not None:
                yield _counterpart(one, counterpart, say)
    if found.silenced is not None:
        unknown = [name for name in found.silenced if name not in engine.catalogue.rules]
        known = [f"`{name}`" for name in found.silenced if name not in unknown]
        lines = [say("silences", ", ".join(known))] if known else []
        lines += [say("unknown rule", code(name)) for name in unknown] or ([] if known else [say("silences every")])
        yield "  \n".join(lines)
    for rule in found.rules:
        yield _page(session, engine, rule, say)


def _heading(finding: Finding, say: Phrases) -> str:
    """Rule, severity and fix class of a finding. The message of the finding is left out, because editors show it next
    to the hover."""
    return f"**{finding.rule}** · {say(finding.severity)} · {say(fix_class(finding))}"


def _counterpart(engine: Engine, found: Counterpart, say: Phrases) -> str:
    """Return what the target's table says about a name, as a sentence."""
    target = engine.target
    title = target.title_zh if say.locale == "zh" else target.title
    there = code(found.replacement) if found.replacement else say("none")
    if found.replacement == found.name:
        there = say("same")
    lines = [
        f"{code(found.name)} → {there}",
        say("state", title, say(f"status {found.status}")) if found.status else "",
    ]
    if found.replacement:
        lines.append(_versions(engine, found, say))
    if found.missing:
        names = ", ".join(map(code, found.missing))
        lines.append("- " + say("missing one" if len(found.missing) == 1 else "missing", names))
    if found.positions:
        lines.append("- " + say("positions"))
    lines += [f"- {engine.catalogue.limit(limit, say.locale)}" for limit in found.limits]
    if found.patched:
        lines.append("- " + say("patched", target.words["patch"]))
    return "\n".join(line for line in lines if line)


def _versions(engine: Engine, found: Counterpart, say: Phrases) -> str:
    """Return a line that says which versions of the plugin have a name; "" if that is unknown."""
    target = engine.target
    package = f"[{target.words['package']}]({target.homepage})"
    if not found.present:
        known = say("absent", package, target.version, found.since) if found.since else ""
        return "- " + (known or say("never", package, target.version))
    if not found.since:
        return ""
    if len(target.versions) == 1:
        return "- " + say("only", package, found.since)
    return "- " + say("always" if found.since == target.versions[0] else "since", package, found.since)


def _page(session: Session, engine: Engine, rule: Rule, say: Phrases) -> str:
    """The title of a rule's page, its first paragraph, and a link to it."""
    link = f"[{say('page', rule.name)}]({_address(session, engine, rule.name)})"
    beginning = _beginning(rule.path, say.locale) if rule.path is not None else ""
    return f"**{rule.title_in(say.locale)}**  \n{beginning}\n\n{link}"


def _address(session: Session, engine: Engine, rule: str) -> str:
    """The link to a rule's page: a command if the client can show pages itself, because editors do not open uncuda's
    own URI scheme."""
    uri = convert.page_uri(session, rule, engine)
    argument = json.dumps([{"page": uri}], separators=(",", ":"))
    return f"command:{SHOW_RULE}?{quote(argument, safe='')}" if session.client.rule_pages else uri


@lru_cache(maxsize=256)
def _beginning(path: Path, locale: str) -> str:
    """The first paragraph of a rule's page."""
    prose = (read_chinese(path) if locale == "zh" else "") or read_page(path)[0]
    return " ".join(prose.split("\n\n", 1)[0].split())
