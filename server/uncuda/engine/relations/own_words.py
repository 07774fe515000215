"""Finds code that runs only if a word of the program, or a function of a library, says that the device is CUDA: `if
kind == DeviceType.CUDA:` in a file that also knows `DeviceType.NPU`. No fix changes such a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache

from ... import lazy_re
from ...catalogue import Catalogue
from ...checks.branches import Branches
from ...facts.names import from_imports
from ...facts.role_calls import last_word
from ...facts.scans import plain
from .apart import Apart

BEHIND = "behind-a-question"
"""The id in rules/limits.tsv of the sentence "it runs only where a question that stays CUDA's is answered with yes"."""
_CUDA = "CUDA"
_ASKS, _LIBRARY = "is_torch_{}_available", "transformers"
_OTHERS = ("GCU", "HPU", "MLU", "SDAA", "XPU")  # accelerators for which PyTorch has a module; each target is one more
_BEFORE = lazy_re.compile(r"\w+\Z")
_FAR = 80  # maximum length of the name before `.NPU`
_EQUAL, _UNEQUAL = (ast.Eq, ast.Is), (ast.NotEq, ast.IsNot)


def of_own_words(branches: Branches, catalogue: Catalogue) -> Apart:
    """Return an object that finds code which runs only if a value is `NAME.CUDA`, in a file that also has `NAME.NPU` or
    the word for another accelerator, or only if transformers' `is_torch_cuda_available()` returns True.

    A function of this name counts as transformers' if the file imports it from there, or also has
    `is_torch_npu_available`, or the same for another accelerator.
    """
    facts, asks = branches.facts, _ASKS.format(_CUDA.lower())
    others = (*_OTHERS, *(target.words["device"].upper() for target in catalogue.targets.values()))

    @cache
    def named() -> frozenset[str]:
        return frozenset(_names_of(others, branches))

    @cache
    def is_of_library() -> bool:
        imported = dict(from_imports(facts.searches)).get(asks, "")
        beside = (facts.says(_ASKS.format(other.lower())) for other in others)
        return imported.partition(".")[0] == _LIBRARY or any(beside)

    def says_cuda(node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == _CUDA and last_word(node.value) in named()

    def deny(test: ast.expr, answer: bool) -> bool:
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            compares = isinstance(test.ops[0], _EQUAL if answer else _UNEQUAL)
            return compares and any(map(says_cuda, (test.left, test.comparators[0])))
        return answer and isinstance(test, ast.Call) and last_word(test.func) == asks and is_of_library()

    return Apart(branches, (f".{_CUDA}", asks), deny)


def _names_of(others: Sequence[str], branches: Branches) -> Iterator[str]:
    """Yield the names before `.NPU`, or before the word for another accelerator."""
    facts = branches.facts
    for word in (f".{other}" for other in others):
        for at in facts.searches.find(("text", word), plain(word)):
            facts.layout.reads(max(at - _FAR, 0), at + len(word))
            if (name := _BEFORE.search(facts.text[max(at - _FAR, 0) : at])) is not None:
                yield name[0]
