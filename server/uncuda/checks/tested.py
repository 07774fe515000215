"""Names that run only where a test says that they are there."""

from __future__ import annotations

import re
from itertools import chain

from ..facts.model import Name
from ..facts.read import Facts

TESTED_FOR = "tested-for"
"""The limit of a name behind a test that asks for it."""
_COMPILED = "torch._C."
"""What a build without CUDA does not have; the functions of `torch.cuda` are there, and raise."""
_HASATTR = "hasattr("
_ASKED = re.compile(r"\bhasattr\([^()\n]*,[ \t]*[\"'](\w+)[\"'][ \t]*\)")


def is_tested_for(reference: Name, facts: Facts) -> bool:
    """Whether a test around a name, or its own, asks for its last part: `if hasattr(torch._C, "_cuda_x"): …`."""
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
