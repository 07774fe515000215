"""Finds code that runs only if a word of the program, or a function of a library, says that the device is CUDA: `if
kind == DeviceType.CUDA:` in a file that also knows `DeviceType.NPU`. No fix changes such a condition."""

from __future__ import annotations

import ast

from ...catalogue import Catalogue
from ...checks.branches import Branches
from ...facts.names import from_imports
from ...facts.role_calls import last_word
from .apart import Apart

BEHIND = "behind-a-question"
"""The id in rules/limits.tsv of the sentence "it runs only where a question that stays CUDA's is answered with yes"."""
_CUDA = "CUDA"
_ASKS, _LIBRARY = "is_torch_{}_available", "transformers"
_OTHERS = ("GCU", "HPU", "MLU", "SDAA", "XPU")  # accelerators for which PyTorch has a module; each target is one more
_EQUAL, _UNEQUAL = (ast.Eq, ast.Is), (ast.NotEq, ast.IsNot)


def of_own_words(branches: Branches, catalogue: Catalogue) -> Apart:
    """Return an object that finds code which runs only if a value is `NAME.CUDA`, in a file that also has `NAME.NPU` or
    the word for another accelerator, or only if transformers' `is_torch_cuda_available()` returns True.

    A function of this name counts as transformers' if the file imports it from there, or also has
    `is_torch_npu_available`, or the same for another accelerator.
    """
    facts, asks = branches.facts, _ASKS.format(_CUDA.lower())
    others = (*_OTHERS, *(target.words["device"].upper() for target in catalogue.targets.values()))

    def says_cuda(node: ast.expr) -> bool:
        if not isinstance(node, ast.Attribute) or node.attr != _CUDA:
            return False
        return any(facts.says(f"{last_word(node.value)}.{other}") for other in others)

    def deny(test: ast.expr, answer: bool) -> bool:
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            compares = isinstance(test.ops[0], _EQUAL if answer else _UNEQUAL)
            return compares and any(map(says_cuda, (test.left, test.comparators[0])))
        if not answer or not isinstance(test, ast.Call) or last_word(test.func) != asks:
            return False
        imported = dict(from_imports(facts.searches)).get(asks, "")
        return imported.partition(".")[0] == _LIBRARY or any(
            facts.says(_ASKS.format(other.lower())) for other in others
        )

    return Apart(branches, (f".{_CUDA}", asks), deny)
