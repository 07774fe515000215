"""Finds code that runs only if a word of the program, or a function of a library, says that the device is CUDA: `if
kind == DeviceType.CUDA:` in a file that also knows `DeviceType.NPU`. No fix changes such a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache

from ...checks import Context
from ...checks.branches import Branches
from ...facts.read import Facts
from ...facts.role_calls import last_word
from ...facts.scans import plain, word_before
from .apart import Apart

BEHIND = "behind-a-question"
"""The id in rules/limits.tsv of the sentence "it runs only where a question that stays CUDA's is answered with yes"."""
_CUDA = "CUDA"
_ASKS, _LIBRARY = "is_torch_{}_available", "transformers"
_OTHERS = frozenset({"gcu", "hpu", "mlu", "sdaa", "xpu"})  # accelerators for which PyTorch has a module
_EQUAL, _UNEQUAL = (ast.Eq, ast.Is), (ast.NotEq, ast.IsNot)


def of_own_words(branches: Branches, context: Context) -> Apart:
    """Return an object that finds code which runs only if a value is `NAME.CUDA`, in a file that also has `NAME.NPU` or
    the word for another accelerator, or only if transformers' `is_torch_cuda_available()` returns True.

    A function of this name counts as transformers' if the file imports it from there, or also has
    `is_torch_npu_available`, or the same for another accelerator.
    """
    facts, asks = context.facts, _ASKS.format(_CUDA.lower())
    others = sorted(_OTHERS | context.catalogue.devices)

    @cache
    def named() -> frozenset[str]:
        return frozenset(_names_of(map(str.upper, others), facts))

    @cache
    def is_of_library() -> bool:
        imported = context.foreign_names.get(asks, "").partition(".")[0]
        return imported == _LIBRARY or any(facts.says(_ASKS.format(other)) for other in others)

    def says_cuda(node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == _CUDA and last_word(node.value) in named()

    def deny(test: ast.expr, answer: bool) -> bool:
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            compares = isinstance(test.ops[0], _EQUAL if answer else _UNEQUAL)
            return compares and any(map(says_cuda, (test.left, test.comparators[0])))
        return answer and isinstance(test, ast.Call) and last_word(test.func) == asks and is_of_library()

    return Apart(branches, (f".{_CUDA}", asks), deny)


def _names_of(others: Iterable[str], facts: Facts) -> Iterator[str]:
    """Yield the names before `.NPU`, or before the word for another accelerator."""
    for word in (f".{other}" for other in others):
        for at in facts.searches.find(("text", word), plain(word)):
            name = word_before(facts.text, at)
            facts.layout.reads(at - len(name), at + len(word))
            if name:
                yield name
