"""Finds answers to questions for CUDA that functions of other libraries receive in words or numbers that mean CUDA's
devices: `Model(use_cuda=torch.cuda.is_available())`, `Regressor(task_type="GPU" if torch.cuda.is_available() else
"CPU")`, `model.predict(device=0 if torch.cuda.is_available() else "cpu")`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.role_calls import chain_of, last_word
from ...facts.scans import matches
from ...project import Project
from .callees import foreign_names
from .numbers import KNOWS_CUDA
from .parts import choice_of, taken_as

_AVAILABLE = "torch.cuda.is_available"
# `no_cuda=not torch.cuda.is_available()` asks for the CPU, which is right if the question moves
_ASKS = lazy_re.compile(r"(?!no_|not_|disable)(?:\w*_)?(?:cuda|gpu)|tf32", re.IGNORECASE)
_ACCELERATOR = ".accelerator"
_SETS = lazy_re.compile(r"""(?<=[\w\])])\.accelerator[ \t]*=[ \t]*["'](?:auto|cpu|cuda|gpu)["']""")
_OTHERS_WORDS = frozenset({"gpu", "gpu_hist"})  # the words of CatBoost, LightGBM and XGBoost
_HOST, _DEVICES = "cpu", ("device", "devices")
# these functions take a number as that of the accelerator's device; `pipeline` is that of transformers
_TAKES_NUMBERS = frozenset({"device", "pipeline", "set_device", "to"})


def given_answers(hits: Sequence[Hit], branches: Branches, project: Project) -> Iterator[tuple[int, str]]:
    """Yield (index, KNOWS_CUDA) for each question `torch.cuda.is_available()` whose answer a library other than
    torch receives as an answer about CUDA: under a keyword such as `use_cuda`, as one of two words, of which one is
    "gpu", or as the number of a device beside the word "cpu". Also yield those that guard the choice of Lightning's
    accelerator, `if not torch.cuda.is_available(): cfg.trainer.accelerator = "cpu"`."""
    foreign: Mapping[str, str] | None = None
    accelerators = _accelerators(branches)
    for index, hit in enumerate(hits):
        if accelerators and hit.words.get("name") == _AVAILABLE and _guards(hit, accelerators, branches):
            yield index, KNOWS_CUDA
            continue
        found = _given(hit, branches) if hit.words.get("name") == _AVAILABLE else None
        if found is None:
            continue
        call, is_number = found
        if is_number:
            if last_word(call.func) not in _TAKES_NUMBERS:
                yield index, KNOWS_CUDA
            continue
        foreign = _libraries(branches, project) if foreign is None else foreign
        root, _ = chain_of(call.func)
        if isinstance(root, ast.Name) and root.id in foreign:
            yield index, KNOWS_CUDA


def _accelerators(branches: Branches) -> Sequence[int]:
    """Return the offsets at which Lightning's accelerator is set in an object: `cfg.trainer.accelerator = "cpu"`."""
    facts = branches.facts
    return facts.searches.find(("sets", _SETS), matches(_SETS, _ACCELERATOR)) if branches.says(_ACCELERATOR) else ()


def _guards(hit: Hit, places: Sequence[int], branches: Branches) -> bool:
    """Return whether the `if` with a question in its condition, or a clause of the `if`, contains one of the places."""
    header = branches.indents.header_at(hit.statement.start) if hit.statement is not None else None
    if header is None or header.word not in ("if", "elif"):
        return False
    end = branches.indents.extent(branches.indents.clauses(header)[-1].start)
    branches.work.compare()
    return bisect_left(places, header.start) < bisect_left(places, end)


def _libraries(branches: Branches, project: Project) -> Mapping[str, str]:
    """Return the local names that a file imports from other libraries than torch, each with its dotted name."""
    found = foreign_names(branches).items()
    return {local: name for local, name in found if not name.startswith(".") and not project.owns(name, branches.path)}


def _given(hit: Hit, branches: Branches) -> tuple[ast.Call, bool] | None:
    """Return the call that receives the answer of a question in a word for CUDA, and whether it receives a number; None
    if it receives no such answer."""
    statement, asked = hit.statement, hit.parent
    if statement is None or not isinstance(asked, ast.Call):
        return None
    choice = choice_of(hit)
    value: ast.AST = asked if choice is None else choice
    outer = statement.digest.parents.get(value)
    while choice is None and isinstance(outer, ast.BoolOp):
        branches.work.compare()
        value, outer = outer, statement.digest.parents.get(outer)
    call = statement.digest.parents.get(outer) if isinstance(outer, ast.keyword) else None
    if outer is None or not isinstance(call, ast.Call):
        return None
    keyword = taken_as(outer, value) or ""
    if choice is None:
        return (call, False) if _ASKS.fullmatch(keyword) else None
    one, other = _constant(choice.body), _constant(choice.orelse)
    if isinstance(one, str) and one.lower() in _OTHERS_WORDS:
        return call, False
    is_number = isinstance(one, int) and not isinstance(one, bool) and other == _HOST
    return (call, True) if is_number and keyword in _DEVICES else None


def _constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None
