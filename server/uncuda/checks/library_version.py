"""Tells what a file does with the version of a library that it imports."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from .. import lazy_re
from ..facts.read import Facts, Statement
from ..facts.scans import matches
from ..facts.scopes import FUNCTION

VERSION_ONLY = "version-only"
"""The id in rules/limits.tsv of the sentence about a library that the file imports only to return the library's version
from a function."""
OLDER_REFUSED = "older-refused"
"""The id in rules/limits.tsv of the sentence that says: this file raises ImportError for older versions of the
library."""
VERSION = "__version__"
_ASKED = lazy_re.compile(rf"[ \t]*(?:\.[ \t]*{VERSION}\b|,[ \t]*[\"']{VERSION}[\"'])")
_IF = lazy_re.compile(r"[ \t]+if\b")
_RAISES = lazy_re.compile(r"[ \t]+raise[ \t]+ImportError\b")
_OWNER = lazy_re.compile(rf"(?<![\w.])(\w+)\.{VERSION}\b")
_IMPORTED = lazy_re.compile(r"^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+(\w+)", re.M)
_LEAVING = matches(lazy_re.compile(r"(?<![\w.])(?:raise|assert|(?:sys\.|os\.)?_?exit)\b"))


def tells_version(statement: Statement, facts: Facts) -> bool:
    """Return whether an import is in a function that returns a version, according to the function's name
    (`get_causal_conv1d_version_str`), and that does not raise an exception or exit."""
    scope = facts.indents.scope_of(statement.start) if facts.says(VERSION) else None
    function = FUNCTION.match(facts.text, scope[0]) if scope is not None else None
    if scope is None or function is None or "version" not in function[1].lower():
        return False
    found = facts.searches.find(("leaving", "version"), _LEAVING)
    return bisect_left(found, scope[0]) == bisect_left(found, facts.indents.extent(scope[0]))


def asks_only(text: str, ends: Sequence[int]) -> bool:
    """Return whether each use of a library only reads its version. `ends`: for each use, the offset at which the
    library's name ends."""
    return bool(ends) and all(_ASKED.match(text, end) for end in ends)


def refuses_older(module: str, statement: Statement, facts: Facts) -> bool:
    """Return whether the `try` around an import raises ImportError if the imported library is too old. The version may
    be that of another library whose name is the beginning of `module`: `transformer_engine` for
    `transformer_engine_torch`."""
    if not facts.says(VERSION):
        return False
    for header in facts.indents.headers(statement.start):
        if header.word in ("def", "class"):
            return False
        if header.word == "try":
            block = facts.text[header.end : facts.indents.extent(header.start)]
            facts.layout.reads(header.end, header.end + len(block))
            facts.work.search(0, 4 * len(block))
            return any(map(module.startswith, _refused(block)))
    return False


@lru_cache(maxsize=32)
def _refused(block: str) -> frozenset[str]:
    """Return the modules whose version a block reads, if the block raises ImportError below a version."""
    if not any(_asks_older(test) and _RAISES.match(after) for test, after in pairwise(block.split("\n"))):
        return frozenset()
    modules = {found[2]: found[1] for found in _IMPORTED.finditer(block)}
    return frozenset(modules.get(owner, owner) for owner in _OWNER.findall(block))


def _asks_older(line: str) -> bool:
    """Return whether a line is an `if` that asks whether a version is lower than another value."""
    at = line.lower().find("version") if _IF.match(line) else -1
    return at >= 0 and "<" in line[at:] and line.rstrip().endswith(":")
