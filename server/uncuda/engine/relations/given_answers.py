"""Finds answers to questions for CUDA that functions of other libraries receive in words or numbers that mean CUDA's
devices: `Reader(gpu=torch.cuda.is_available())`, `Regressor(task_type="GPU" if torch.cuda.is_available() else
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
from ...project import LIGHTNING_ON_CPU, LIGHTNING_PLACES, Project
from .callees import foreign_names
from .kernels import Libraries
from .numbers import KNOWS_CUDA
from .parts import choice_of, taken_as

_AVAILABLE = "torch.cuda.is_available"
# `no_cuda=not torch.cuda.is_available()` asks for the CPU, which is right if the question moves
_ASKS = lazy_re.compile(r"(?!no_|not_|disable)(?:\w*_)?(?:cuda|gpu)", re.IGNORECASE)
_TF32, _OF_TF32 = "tf32", "TrainingArguments"  # transformers refuses TF32 without CUDA
_ACCELERATOR, _LIGHTNING = ".accelerator", "lightning"
_SETS = lazy_re.compile(r"""\.accelerator(?<=[\w\])]\.accelerator)[ \t]*=[ \t]*["'](?:auto|cpu|cuda|gpu)["']""")
_OF_TRAINER = "trainer"  # `cfg.trainer.accelerator` holds what Lightning's `Trainer` gets
_OTHERS_WORDS = frozenset({"gpu", "gpu_hist"})  # the words of CatBoost, LightGBM and XGBoost
# the library whose word a keyword takes, also if a class of the project hands it on
_NAMES = {"device_type": "lightgbm", "task_type": "catboost", "tree_method": "xgboost"}
_HOST, _DEVICES = "cpu", ("device", "devices")
# methods of the models of ultralytics, which take a number as that of a device of CUDA
_OF_MODELS = frozenset({"benchmark", "export", "predict", "track", "train", "tune", "val"})


def given_answers(hits: Sequence[Hit], branches: Branches, libraries: Libraries) -> Iterator[tuple[int, str]]:
    """Yield (index, KNOWS_CUDA) for each question `torch.cuda.is_available()` whose answer a library with devices of
    its own receives as an answer about CUDA: under a keyword such as `gpu`, as one of two words, of which one is "gpu",
    or as the number of a device beside the word "cpu". Also yield those that turn on TF32 for `TrainingArguments`, and
    those that guard the choice of Lightning's accelerator, `if not torch.cuda.is_available(): cfg.trainer.accelerator =
    "cpu"`."""
    foreign: Mapping[str, str] | None = None
    accelerators = _accelerators(branches, libraries.project)
    for index, hit in enumerate(hits):
        if hit.words.get("name") != _AVAILABLE:
            continue
        if accelerators and _guards(hit, accelerators, branches):
            yield index, KNOWS_CUDA
        elif (found := _given(hit, branches)) is not None:
            call, is_sure = found
            if not is_sure and foreign is None:
                foreign = _libraries(branches, libraries)
            root, _ = chain_of(call.func)
            if is_sure or (isinstance(root, ast.Name) and foreign is not None and root.id in foreign):
                yield index, KNOWS_CUDA


def _accelerators(branches: Branches, project: Project) -> Sequence[int]:
    """Return the offsets at which Lightning's accelerator is set in an object: `cfg.trainer.accelerator = "cpu"`."""
    facts = branches.facts
    found = facts.searches.find(("sets", _SETS), matches(_SETS, _ACCELERATOR)) if branches.says(_ACCELERATOR) else ()
    if not found:
        return ()
    lightning = not {LIGHTNING_ON_CPU, LIGHTNING_PLACES}.isdisjoint(project.models_stay) or branches.says(_LIGHTNING)
    return [
        at
        for at in found
        if not facts.layout.token_at(at) and (lightning or branches.text.endswith(_OF_TRAINER, 0, at))
    ]


def _guards(hit: Hit, places: Sequence[int], branches: Branches) -> bool:
    """Return whether the `if` with a question in its condition, or a clause of the `if`, contains one of the places."""
    header = branches.indents.header_at(hit.statement.start) if hit.statement is not None else None
    if header is None or header.word not in ("if", "elif"):
        return False
    end = branches.indents.extent(branches.indents.clauses(header)[-1].start)
    branches.work.compare()
    return bisect_left(places, header.start) < bisect_left(places, end)


def _libraries(branches: Branches, libraries: Libraries) -> Mapping[str, str]:
    """Return the local names that a file imports from libraries with devices of their own, each with its dotted
    name."""
    own, project = libraries.with_own_devices, libraries.project
    found = foreign_names(branches).items()
    return {
        local: name for local, name in found if name.partition(".")[0] in own and not project.owns(name, branches.path)
    }


def _given(hit: Hit, branches: Branches) -> tuple[ast.Call, bool] | None:
    """Return the call that receives the answer of a question in a word for CUDA, and whether the call or the word alone
    shows this, also without the library's name; None if it receives no such answer."""
    statement, asked = hit.statement, hit.parent
    if statement is None or not isinstance(asked, ast.Call):
        return None
    choice = choice_of(hit)
    value: ast.AST = asked if choice is None else choice
    outer = statement.digest.parents.get(value)
    while choice is None and (isinstance(outer, ast.BoolOp) or (isinstance(outer, ast.Call) and _is_bool(outer))):
        branches.work.compare()
        value, outer = outer, statement.digest.parents.get(outer)
    call = statement.digest.parents.get(outer) if isinstance(outer, ast.keyword) else None
    keyword = taken_as(outer, value) if outer is not None else None
    if call is None or not isinstance(call, ast.Call) or not keyword:
        return None
    one, other = (_constant(choice.body), _constant(choice.orelse)) if choice is not None else (True, None)
    if keyword == _TF32 and one is True:
        return call, last_word(call.func).endswith(_OF_TF32)
    if choice is None:
        return (call, False) if _ASKS.fullmatch(keyword) else None
    if isinstance(one, str) and one.lower() in _OTHERS_WORDS:
        library = _NAMES.get(keyword, "")
        return call, bool(library) and branches.says(library)
    is_number = isinstance(one, int) and not isinstance(one, bool) and other == _HOST and keyword in _DEVICES
    is_of_model = isinstance(call.func, ast.Attribute) and call.func.attr in _OF_MODELS
    return (call, True) if is_number and is_of_model else None


def _is_bool(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "bool"


def _constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None
