"""The findings of the engine itself, which a client must show at the same positions."""

from collections.abc import Iterable
from functools import cache

from lsp.harness.client import Client
from lsp.harness.text import Positions
from lsp.harness.traffic import Json
from support.engines import engine_for
from uncuda.engine import Engine, Finding
from uncuda.lsp.state.render import SEVERITIES
from uncuda.printable import printable
from uncuda.settings import Settings
from uncuda.source import Source

QUOTE = "'"
CLASSES = {
    "safe": ("safe fix", "安全修复"),
    "review": ("fix to review", "修复需复核"),
    "manual": ("by hand", "手动修复"),
}
Place = tuple[str | int, ...]


@cache
def engine(target: str = "npu", locale: str = "en") -> Engine:
    """Return an engine without configuration, like the one that the server uses in an empty folder."""
    return engine_for(target, Settings(locale=locale))


def said(found: Finding, range_: Json) -> Json:
    """The diagnostic that the server must send for a finding, with only the fields that the function `places`
    compares."""
    return {"code": found.rule, "range": range_, "severity": SEVERITIES[found.severity], "message": message_of(found)}


def message_of(found: Finding, locale: str = "en") -> str:
    """The message shown for a finding: the engine's message, then the class of the fix."""
    kind = found.fixes[0].applicability if found.fixes else "manual"
    return f"{printable(found.message).replace('`', QUOTE)} · {CLASSES[kind][locale == 'zh']}"


def places(client: Client, uri: str, shown: Iterable[Json] | None = None) -> list[Place]:
    """Return the rule, range, severity and message of each diagnostic in `shown`, sorted; if `shown` is None, those of
    the engine's findings in the document."""
    if shown is None:
        text = client.text(uri)
        positions = Positions(text, client.buffers.encoding)
        findings = engine().check(Source(text)).findings
        shown = [said(found, positions.range(*found.span)) for found in findings]
    return sorted(
        (
            item["code"],
            *(item["range"][end][part] for end in ("start", "end") for part in ("line", "character")),
            item["severity"],
            item["message"],
        )
        for item in shown
    )
