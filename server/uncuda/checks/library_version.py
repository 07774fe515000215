"""Tells what a file does with the version of a library that it imports."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..facts.read import Facts, Statement
from ..facts.scopes import FUNCTION

VERSION_ONLY = "version-only"
"""The id of the sentence about a library of which a function returns the version, and the file uses nothing else."""
OLDER_REFUSED = "older-refused"
"""The id of the sentence about a library of which the file does not take older versions."""
VERSION = "__version__"
_ASKED = re.compile(rf"[ \t]*(?:\.[ \t]*{VERSION}\b|,[ \t]*[\"']{VERSION}[\"'])")
_OLDER = re.compile(r"^[ \t]+if\b[^\n]*version[^\n]*<[^\n]*:[ \t]*\n[ \t]+raise[ \t]+ImportError\b", re.M | re.I)
_OWNER = re.compile(rf"(?<![\w.])(\w+)\.{VERSION}\b")


def tells_version(statement: Statement, facts: Facts) -> bool:
    """Return whether an import is in a function that returns a version, according to the function's name:
    `get_causal_conv1d_version_str`."""
    scope = facts.indents.scope_of(statement.start) if facts.says(VERSION) else None
    function = FUNCTION.match(facts.text, scope[0]) if scope is not None else None
    return function is not None and "version" in function[1].lower()


def asks_only(text: str, ends: Sequence[int]) -> bool:
    """Return whether each use of a library only reads its version. `ends`: the offsets after the library's name."""
    return bool(ends) and all(_ASKED.match(text, end) for end in ends)


def refuses_older(module: str, statement: Statement, facts: Facts) -> bool:
    """Return whether the `try` around an import raises ImportError below a version of the library, or of the library
    whose compiled part it imports: `transformer_engine` for `transformer_engine_torch`."""
    if not facts.says(VERSION):
        return False
    for header in facts.indents.headers(statement.start):
        if header.word in ("def", "class"):
            return False
        if header.word == "try":
            block = facts.text[header.end : facts.indents.extent(header.start)]
            facts.work.search(0, 4 * len(block))
            owners = _OWNER.findall(block) if _OLDER.search(block) else []
            return any(module.startswith(_imported_as(owner, block)) for owner in owners)
    return False


def _imported_as(name: str, block: str) -> str:
    """The module that a block imports by a name; the name itself if the block imports none by it."""
    found = re.search(rf"^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+{name}\b", block, re.M)
    return found[1] if found is not None else name
