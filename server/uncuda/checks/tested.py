"""Finds uses of names whose absence on the target does no harm: the use is behind a condition that asks for the name,
or in a `try` that catches the exception which the use raises on the target."""

from __future__ import annotations

import re
from itertools import chain

from .. import lazy_re
from ..facts.model import Name
from ..facts.read import Facts
from ..facts.scopes import Header

TESTED_FOR = "tested-for"
"""The id in rules/limits.tsv of the sentence about a name that is used only after a condition that asks for this name
by `hasattr`."""
CAUGHT = "failure-caught"
"""The id in rules/limits.tsv of the sentence about a name that is used in a `try` with a handler that continues
without this name."""
_COMPILED = "torch._C."
"""Prefix of names that do not exist in a build of PyTorch without CUDA. The functions of `torch.cuda` exist in every
build, but raise an exception without CUDA."""
_HASATTR = "hasattr("
_SHORT = 1200  # a `try` with more characters is not taken to be about a single call
_ALL = lazy_re.compile(r"except[ \t]*(?::|\(?[^:\n]*\b(?:Exception|BaseException)\b)")
_BUILDS = "torch.utils.cpp_extension.load"
"""Prefix of the functions that build an extension; they raise OSError if there is no toolkit of CUDA."""
_UNBUILT = lazy_re.compile(r"except[ \t]*\(?[^:\n]*\b(?:OSError|EnvironmentError)\b")
_RAISES = lazy_re.compile(r"^[ \t]*(?:raise\b|(?:sys\.)?exit\(|pytest\.fail\()", re.M)
_OTHER = lazy_re.compile(
    r"^[ \t]*(?:pass|continue|break|return\b[^\n]*|[\w.]+[ \t]*=(?!=)[^\n]*)"
    r"[ \t]*(?:#[^\n]*)?\r?(?:\n[ \t]*(?:#[^\n]*)?\r?)*\Z",
    re.M,
)
_ASKS = lazy_re.compile(r"is_available\(|cuda")
_STATEMENT = lazy_re.compile(r"^[ \t]*(?!import\b|from\b|try\b|if\b)[A-Za-z_*(]", re.M)
_ASKED = lazy_re.compile(r"\bhasattr\([^()\n]*,[ \t]*[\"'](\w+)[\"'][ \t]*\)")


def excuse(reference: Name, facts: Facts) -> str:
    """Return the id of the sentence that says why the name's absence on the target does no harm; "" if it does harm."""
    if _is_tested_for(reference, facts):
        return TESTED_FOR
    return CAUGHT if _is_caught(reference, facts) else ""


def _is_tested_for(reference: Name, facts: Facts) -> bool:
    """Whether an `if` around a use of a name asks whether the last part of the name exists:
    `if hasattr(torch._C, "_cuda_x"): …`."""
    if not reference.dotted.startswith(_COMPILED) or not facts.says(_HASATTR):
        return False
    name = reference.dotted.rpartition(".")[2]
    indents, start = facts.indents, reference.statement.start
    for header in chain([indents.header_at(start)], indents.headers(start)):
        if header.word in ("if", "elif"):
            facts.work.search(header.start, header.end)
            asked = _ASKED.findall(facts.text, header.start, header.end)
            if name in asked and " not " not in facts.text[header.start : header.end]:
                return True
    return False


def _is_caught(reference: Name, facts: Facts) -> bool:
    """Whether a use of a name is inside a short `try` with a handler that continues without the name.

    The handler must catch every exception; for a function that builds an extension, it need only catch OSError, which
    is raised if CUDA's toolkit is missing. A handler that only reports the exception does not count. If the `try` is
    around a condition that asks for CUDA, the use must be the first statement below the condition: otherwise the
    statements above it would run on the target, and those below it would not.
    """
    indents, text = facts.indents, facts.text
    for header in indents.headers(reference.statement.start):
        if header.word in ("def", "class"):
            return False
        if header.word in ("if", "elif") and _begins_before(header, reference.statement.start, facts):
            return False
        if header.word != "try" or indents.extent(header.start) - header.start > _SHORT:
            continue
        for clause in indents.clauses(header):
            if clause.word == "except" and _catches(reference.dotted, text[clause.start : clause.end]):
                handler = text[clause.end : indents.extent(clause.start)]
                facts.layout.reads(clause.end, clause.end + len(handler))
                facts.work.search(0, len(handler))
                return _RAISES.search(handler) is None and _OTHER.search(handler) is not None
    return False


def _begins_before(condition: Header, start: int, facts: Facts) -> bool:
    """Return whether a condition asks for CUDA, and other statements than imports are between it and a use of a name,
    which begins at `start`."""
    if start - condition.start > _SHORT:
        return True  # no `try` around the condition is short enough
    facts.work.search(condition.start, start)
    facts.layout.reads(condition.start, start)
    asks = _ASKS.search(facts.text, condition.start, condition.end) is not None
    return asks and _STATEMENT.search(facts.text, condition.end, start) is not None


def _catches(name: str, clause: str) -> bool:
    return _ALL.match(clause) is not None or (name.startswith(_BUILDS) and _UNBUILT.match(clause) is not None)
