"""Tells whether code is named for what a rule reports, or compares it: a fix would take away what the code is for."""

from __future__ import annotations

import ast
from pathlib import PurePath

from .. import lazy_re
from ..catalogue import Rule
from ..facts.model import Name
from ..facts.role_calls import last_word
from ..facts.roles import unwrapped
from .base import Context

_DEVICES = ("device", "type", "dev")
ITS_SUBJECT, COMPARED, HOST, ON_HOST = "its-subject", "compared", "names-no-device", "on-host"
"""Ids of sentences in rules/limits.tsv."""
_SHORT = 400  # maximum number of characters in a condition that is read
_NAMED = lazy_re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")


def subject(context: Context, reference: Name, rule: Rule) -> tuple[str, ...]:
    """Return the id of a sentence if a reference is compared, listed or chosen and the rule has the key
    `review-compared`, if the file says none of the rule's `device-words`, if the code runs only on the CPU, or if
    the file, or a function or class around the reference, is named for a word of the rule's key `subject-words`;
    otherwise (). Case and underscores do not count: `ChannelsLast` is named for `channels_last`."""
    if rule.get("review-compared") and _is_compared(reference, str(rule.get("replace", ""))):
        return (COMPARED,)
    if rule.get("device-words") and not any(map(context.facts.says, rule.get("device-words"))):
        return (HOST,)
    words = [_plain(word) for word in rule.get("subject-words", ())]
    if not words:
        return ()
    names = [PurePath(context.path).stem]
    for header in context.facts.indents.headers(reference.statement.start):
        if header.word in ("if", "elif") and header.end - header.start <= _SHORT:
            condition = context.facts.peek(header.start)
            nodes = condition.digest.piece.nodes if condition is not None else ()
            if any(isinstance(node, ast.If) and _asks_for_host(node.test) for node in nodes):
                return (ON_HOST,)
        if header.word in ("def", "class"):
            context.facts.layout.reads(header.start, header.end)
            match = _NAMED.match(context.text, header.start)
            names += [match[1]] if match is not None else []
    return (ITS_SUBJECT,) if any(word in _plain(name) for name in names for word in words) else ()


def _asks_for_host(test: ast.expr) -> bool:
    """Return whether a condition is true only on the CPU: `device.type == "cpu"`, `x.is_cpu and fast`."""
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and any(map(_asks_for_host, test.values))
    if isinstance(test, ast.Attribute):
        return test.attr == "is_cpu"
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq) or len(test.ops) > 1:
        return False
    sides = (test.left, test.comparators[0])
    cpu = [side for side in sides if isinstance(side, ast.Constant) and side.value == "cpu"]
    return bool(cpu) and any(last_word(unwrapped(side)[0]).endswith(_DEVICES) for side in sides)


def _is_compared(reference: Name, replacement: str) -> bool:
    """Return whether a reference is compared with another value, `format == torch.channels_last`, is one of several
    values in a list, tuple, set or dictionary, or is chosen beside the value that would replace it,
    `torch.channels_last if fast else torch.contiguous_format`."""
    around = next(iter(reference.statement.digest.ancestors(reference.chain.node)), None)
    if isinstance(around, ast.IfExp) and reference.chain.node is not around.test:
        other = around.orelse if reference.chain.node is around.body else around.body
        return bool(replacement) and last_word(other) == replacement.rpartition(".")[2]
    listed = isinstance(around, (ast.Tuple, ast.List, ast.Set)) and len(around.elts) > 1
    return listed or isinstance(around, (ast.Compare, ast.Dict, ast.MatchValue))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
