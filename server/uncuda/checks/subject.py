"""Tells whether code is named for what a rule reports: a fix would take away what the code is for."""

from __future__ import annotations

from pathlib import PurePath

from .. import lazy_re
from ..catalogue import Rule
from ..facts.model import Name
from .base import Context

ITS_SUBJECT = "its-subject"
_NAMED = lazy_re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")


def subject(context: Context, reference: Name, rule: Rule) -> tuple[str, ...]:
    """Return the id of a sentence if the file, or a function or class around a reference, is named for a word of the
    rule's key `subject-words`, otherwise (). Case and underscores do not count: `ChannelsLast` is named for
    `channels_last`."""
    words = [_plain(word) for word in rule.get("subject-words", ())]
    if not words:
        return ()
    names = [PurePath(context.path).stem]
    for header in context.facts.indents.headers(reference.statement.start):
        if header.word in ("def", "class"):
            context.facts.layout.reads(header.start, header.end)
            match = _NAMED.match(context.text, header.start)
            names += [match[1]] if match is not None else []
    return (ITS_SUBJECT,) if any(word in _plain(name) for name in names for word in words) else ()


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
