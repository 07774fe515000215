"""Helpers that the tests of facts share."""

from __future__ import annotations

from uncuda.facts.model import Facts, Words
from uncuda.facts.read import read

NAMES = frozenset({"torch.cuda", "torch.distributed.is_nccl_available", "apex"})
WORDS = Words(
    anchors=("cuda", "nccl", "apex"),
    roots=frozenset({"torch", "apex"}),
    names=NAMES,
    prefixes=frozenset({"torch", "torch.distributed"}),
    listed=frozenset({"torch.cuda.synchronize", "torch.cuda.amp", "torch.cuda.amp.autocast"}),
)


def facts(text: str) -> Facts:
    """Return the `Facts` that `read` finds in a text with `WORDS`."""
    return read(text, WORDS)


def references(text: str) -> list[str]:
    """Return the dotted names that were found, in the order of the text."""
    found = facts(text).references
    return [name.dotted for name in sorted(found, key=lambda name: name.statement.start)]
