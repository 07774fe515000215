"""What a request asks for: a place in a program, kinds of code actions, the findings that are meant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from uncuda.engine import Finding

from . import convert

if TYPE_CHECKING:
    from ..state.analyses import Analysis


class Context(NamedTuple):
    """What is asked for: the kinds of actions (None: all), and the codes of the diagnostics that are meant.

    `automatic`: nobody asked; an editor looks whether there is anything to show.
    """

    only: list[str] | None
    codes: frozenset[str]
    automatic: bool


def context_in(params: Any) -> Context:
    """The context in raw parameters; what has the wrong shape counts as absent."""
    context = params.get("context")
    context = context if isinstance(context, dict) else {}
    only, shown = context.get("only"), context.get("diagnostics")
    diagnostics = [item for item in shown if isinstance(item, dict)] if isinstance(shown, list) else []
    return Context(
        [kind for kind in only if isinstance(kind, str)] if isinstance(only, list) else None,
        frozenset(str(item.get("code")) for item in diagnostics if item.get("source") == convert.SOURCE),
        context.get("triggerKind") == types.CodeActionTriggerKind.Automatic,
    )


def wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether a client that asks for the kinds `only` (None: all) takes one: `source` takes `source.fixAll.uncuda`."""
    return only is None or any(not name or kind == name or kind.startswith(f"{name}.") for name in only)


def touched(analysis: Analysis, span: tuple[int, int], codes: Collection[str]) -> list[Finding]:
    """The findings that a range touches; `codes`: of the diagnostics that the client means, empty if it does not say.

    Ranges of diagnostics come back wrong from some clients. Where the range touches none that is meant, those on its
    lines are taken: a cursor is often beside them.
    """
    start, end = span
    meant = [finding for finding in analysis.findings if not codes or finding.rule in codes]
    at = [finding for finding in meant if finding.span.start <= end and start <= finding.span.end]
    if at or not codes:
        return at
    text = analysis.text
    start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    end = min(at for at in (text.find("\n", end), text.find("\r", end), len(text)) if at >= 0)
    return [finding for finding in meant if finding.span.start <= end and start <= finding.span.end]
