"""Finds calls of functions that take a device only with an index, if a variable without one is their argument:
`self.device = "cuda"` and `torch.cuda.mem_get_info(self.device)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ...catalogue import Rule
from ...checks import Hit
from ...facts.read import Facts

_MOST = 100  # the maximum number of device strings that are looked at
_HOLDERS = frozenset({"self", "cls"})


def indexless(hits: Sequence[Hit], facts: Facts) -> Iterator[int]:
    """Yield the starts of calls of a function in the key `indexed-calls` of the rule for device strings, if the
    argument has the name of a variable, attribute or parameter to which the file gives a device without an index. Only
    what a safe fix changes counts. `hits`: all hits of the text."""
    strings = [hit for hit in hits if hit.rule.get("indexed-calls") and hit.is_safe and ":" not in hit.words["old"]]
    calls = _calls(hits, strings[0].rule) if strings else ()
    for hit, name in calls:
        gives = re.compile(rf"(?<!torch\.)\b{re.escape(name)}[ \t]*(?::[^=\n]*)?=(?!=)")
        for string in strings[:_MOST]:
            statement = string.statement
            if statement is not None:
                facts.work.search(statement.start, statement.end)
                if gives.search(facts.text, statement.start, statement.end):
                    yield hit.start
                    break


def _calls(hits: Sequence[Hit], rule: Rule) -> Iterator[tuple[Hit, str]]:
    """Yield the hits at such functions, each with the name of the variable or attribute that the call gets."""
    for hit in hits:
        call = hit.parent if hit.words.get("name", "") in rule.get("indexed-calls", ()) else None
        given = [*call.args, *(one.value for one in call.keywords)] if isinstance(call, ast.Call) else []
        device = given[0] if given and isinstance(call, ast.Call) and hit.node is call.func else None
        if isinstance(device, ast.Name):
            yield hit, device.id
        elif isinstance(device, ast.Attribute) and isinstance(device.value, ast.Name) and device.value.id in _HOLDERS:
            yield hit, device.attr
