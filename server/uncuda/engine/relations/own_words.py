"""Finds code that runs only if a word of the program, or a function of a library, says that the device is CUDA: `if
kind == DeviceType.CUDA:` in a file that also knows `DeviceType.NPU`. No fix changes such a condition. Also finds
questions whose answer has such a name: `is_cuda_available = torch.cuda.is_available()` beside `is_npu_available`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from ... import lazy_re
from ...checks import Context, Hit
from ...checks.branches import Branches
from ...facts.read import Facts
from ...facts.role_calls import last_word
from ...facts.scans import matches, plain, word_before
from .apart import Apart
from .questions import is_question

BEHIND = "behind-a-question"
"""The id in rules/limits.tsv of the sentence "it runs only where a question that stays CUDA's is answered with yes"."""
OWN_FLAG = "flag-beside-another"
"""The id in rules/limits.tsv of the sentence "the file has a variable about another accelerator, too"."""
_CUDA = "CUDA"
_ASKS, _LIBRARY = "is_torch_{}_available", "transformers"
_OTHERS = frozenset({"gcu", "hpu", "mlu", "sdaa", "xpu"})  # accelerators for which PyTorch has a module
_EQUAL, _UNEQUAL = (ast.Eq, ast.Is), (ast.NotEq, ast.IsNot)
_SCRIPT = "__main__"
_TELLS = lazy_re.compile(r"(?:^|_)(?:is|has)_cuda|cuda_(?:is_)?available", re.I)  # not `use_cuda`, a person's choice


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


def own_flags(hits: Sequence[Hit], context: Context) -> Iterator[int]:
    """Yield the starts of the hits at questions for CUDA whose answer a variable of the module keeps, in a file that
    has the same variable about another accelerator: `is_cuda_available`, `is_npu_available`. Other files may import
    the variables and choose the code for NVIDIA's GPUs, or for the other accelerator, by them. A script, and a variable
    `use_cuda`, are left out."""
    others = sorted(_OTHERS | context.catalogue.devices)
    stored: frozenset[str] | None = None
    for hit in hits if not context.facts.says(_SCRIPT) else ():
        asks = hit.rule.check == "name" and is_question(hit) and hit.words.get("name", "").endswith("available")
        name = _flag(hit, context.facts) if asks else ""
        if name and _TELLS.search(name):
            stored = frozenset(_stored(others, context.facts)) if stored is None else stored
            if not stored.isdisjoint(_twin(name, other) for other in others):
                yield hit.start


def _flag(hit: Hit, facts: Facts) -> str:
    """Return the variable of the module that keeps the answer of a question: `x` for `x = torch.cuda.is_available()`,
    also after `and`; "" if there is none."""
    statement, inner = hit.statement, hit.node
    if statement is None or inner is None or facts.indents.scope_start(statement.start) >= 0:
        return ""
    for outer in statement.digest.ancestors(inner):
        if isinstance(outer, (ast.Assign, ast.AnnAssign)):
            target = outer.target if isinstance(outer, ast.AnnAssign) else outer.targets[0]
            return target.id if isinstance(target, ast.Name) else ""
        if not (isinstance(outer, ast.Call) and outer.func is inner) and not _is_and(outer):
            return ""
        inner = outer
    return ""


def _is_and(node: ast.AST) -> bool:
    return isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And)


def _twin(name: str, other: str) -> str:
    """Return the name of a variable with the word for another accelerator instead of CUDA's."""
    return re.sub(_CUDA, lambda match: other if match[0].islower() else other.upper(), name, flags=re.IGNORECASE)


def _stored(others: Sequence[str], facts: Facts) -> Iterator[str]:
    """Yield the variables with one of these words in their names to which a statement outside of all functions assigns
    a value."""
    pattern = _named_for("|".join(others))
    for at in facts.searches.find(("stored", pattern.pattern), matches(pattern)):
        facts.work.compare()
        match = pattern.match(facts.text, facts.layout.logical_line(at)[0])
        if match is not None and match.start(1) >= at and not facts.layout.token_at(match.start(1)):
            if facts.indents.scope_start(at) < 0:
                yield match[1]


@cache
def _named_for(words: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*(\w{{0,60}}(?:{words})\w{{0,60}})[ \t]*(?::[^=\n]+)?=(?!=)", re.I | re.M)


def _names_of(others: Iterable[str], facts: Facts) -> Iterator[str]:
    """Yield the names before `.NPU`, or before the word for another accelerator."""
    for word in (f".{other}" for other in others):
        for at in facts.searches.find(("text", word), plain(word)):
            name = word_before(facts.text, at)
            facts.layout.reads(at - len(name), at + len(word))
            if name:
                yield name
