"""What the engine itself finds in a text: that, at the same places, is what a client must be shown."""

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
    """An engine without any configuration, as the server has it in an empty folder."""
    return engine_for(target, Settings(locale=locale))


def said(found: Finding, range_: Json) -> Json:
    """What a diagnostic says of a finding, as far as `places` looks at it."""
    return {"code": found.rule, "range": range_, "severity": SEVERITIES[found.severity], "message": message_of(found)}


def message_of(found: Finding, locale: str = "en") -> str:
    """The message that is shown for a finding: the engine's, and what comes of it."""
    kind = found.fixes[0].applicability if found.fixes else "manual"
    return f"{printable(found.message).replace('`', QUOTE)} · {CLASSES[kind][locale == 'zh']}"


def places(client: Client, uri: str, shown: Iterable[Json] | None = None) -> list[Place]:
    """Rule, range, severity and message of diagnostics in order: of those shown, or (None) of what the engine finds."""
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
