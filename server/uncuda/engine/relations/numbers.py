"""Finds numbers of devices, and other values, that only CUDA's libraries, Ray, Lightning, grad-cam or TorchServe know:
no fix changes how these libraries count and choose the devices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...checks.unpacking import target_of
from ...facts.read import Statement
from ...facts.role_calls import last_word, spelled
from ...facts.scans import matches
from ...facts.scopes import FUNCTION
from ...project import (
    ACTS,
    DRIVER_ASKED,
    FLAG_BY_CUDA,
    LIGHTNING_ON_CPU,
    LIGHTNING_PLACES,
    MODELS_ON_CPU,
    OWN_BACKEND,
    WRAPS_BY_COUNT,
)
from .alike import unwrapping
from .chosen_devices import ChosenDevices
from .kernels import Libraries
from .parts import choice_of, taken_as
from .questions import COUNT, is_question

KNOWS_CUDA = "knows-cuda-only"
"""The id in rules/limits.tsv of the sentence "the library that gets this value knows CUDA's devices only"."""
OWN_CUDA = "own-cuda-method"
"""The id in rules/limits.tsv of the sentence "a class of this project has its own `cuda()`, so calls of `cuda` on
unknown objects need review, and other files may read this answer"."""
_PROCESSES = lazy_re.compile(
    r"world[-_]size\b|\bnprocs\b|num_procs\b|nproc_per_node\b|gpus_per_node\b|\bspawn\b|no_spawn\b"
)
_PRINTS = lazy_re.compile(r"\s*(?:print|\w*log\w*\.\w+)\(|\s*@")
_SHOWS = lazy_re.compile(r"\s*(?:print|log(?:ger|ging)?\.\w+)\(")
_DRIVEN = frozenset({"lstsq", "svd", "svdvals"})  # these functions can select a routine of cuSOLVER

_DRIVER = "driver"
_GPUS = "num_gpus"  # Ray's name for the number of GPUs
# Lightning's names for it; it counts the devices of CUDA only. An old Lightning has the third: `"ddp" if … else None`
_NUMBERS = ("gpus", "devices", "distributed_backend")
# The strategy and the dtype must be those of the device that Lightning chooses, which is the CPU on the target.
_CHOICES, _TRAINERS = frozenset({"strategy", "precision"}), frozenset({"Fabric", "LightningCLI", "Trainer"})
_MODULES = ("nn.Module", "torch.nn as nn", "torch import nn")
_WITHOUT = ("__main__", "load_from_checkpoint(")
_LIGHTNING = ("lightning", "import lightning", "from lightning", "pytorch_lightning")
_OF_RAY = (_GPUS, "use_gpu", "gpus")  # for its resource "GPU", which is CUDA's; an NPU is the resource "NPU"
# grad-cam calls `model.cuda()` by itself (pytorch_grad_cam/base_cam.py before version 1.5)
_CAM, _OF_CAM = "pytorch_grad_cam", ("use_cuda",)
_RAY = "ray"
_IMPORTS_RAY = lazy_re.compile(r"^[ \t]*(?:from[ \t]+ray\b|import[ \t]+(?:[^#\n]*,[ \t]*)?ray\b)", re.M)
_SKIPPED = ('importorskip("ray"', "importorskip('ray'")  # pytest imports Ray
_AVAILABLE = "torch.cuda.is_available"
_SERVED, _NUMBER = "system_properties", "gpu_id"  # TorchServe gives its handlers the number of a GPU of CUDA, or None


def left_elsewhere(hits: Sequence[Hit], branches: Branches, libraries: Libraries) -> Iterator[tuple[int, str]]:
    """Yield (index, limit) of the hits that stay because of other files or libraries. `limit`: the id of the reason in
    rules/limits.tsv."""
    yield from ((index, KNOWS_CUDA) for index in known_elsewhere(hits, branches))
    stay = libraries.project.models_stay
    if OWN_BACKEND in stay:
        yield from ((index, OWN_BACKEND) for index, hit in enumerate(hits) if hit.is_safe)
    if MODELS_ON_CPU in stay:
        yield from ((index, MODELS_ON_CPU) for index in _numbers_of_processes(hits))
    for reason in (LIGHTNING_ON_CPU, FLAG_BY_CUDA, DRIVER_ASKED):
        if reason in stay:
            yield from ((index, reason) for index in _questions(hits))
    if _is_placed(branches, stay):
        yield from ((index, LIGHTNING_PLACES) for index in _placing(hits, branches))
    if any(owner.method == "cuda" and owner.kind == ACTS for owner in libraries.project.owners):
        yield from ((index, OWN_CUDA) for index in _questions(hits) if _is_handed_out(hits[index]))
    if WRAPS_BY_COUNT in stay and libraries.unwrapped:
        yield from ((index, WRAPS_BY_COUNT) for index in unwrapping(hits, branches))


def _is_placed(branches: Branches, stay: frozenset[str]) -> bool:
    """Return whether the file has models that Lightning places: it imports Lightning, or a file of the project runs
    Lightning, and this file uses torch.nn. A script, or code that loads a checkpoint, may use the models without
    Lightning."""
    imports = any(map(branches.says, _LIGHTNING[1:]))
    placed = imports or (LIGHTNING_PLACES in stay and any(map(branches.says, _MODULES)))
    return placed and not any(map(branches.says, _WITHOUT))


def _placing(hits: Sequence[Hit], branches: Branches) -> Iterator[int]:
    """Yield the indices of the hits at questions for CUDA, at devices and at calls of `.cuda()`, if a question of the
    file chooses a device: they stay together."""
    asking = list(_questions(hits))
    chosen = ChosenDevices(hits, branches.facts) if asking else None
    statements = (hits[index].statement for index in asking)
    if chosen is None or not any(one is not None and chosen.names_device(one) for one in statements):
        return
    yield from asking
    yield from (index for index, hit in enumerate(hits) if hit.rule.check in ("string", "method") and hit.is_safe)


def known_elsewhere(hits: Sequence[Hit], branches: Branches) -> Iterator[int]:
    """Yield the indices of hits in a value that only CUDA's libraries, Ray, Lightning, grad-cam or TorchServe know: in
    a condition that selects it (`driver="gesvd" if …`, `{"num_gpus": 1 if …}`, `"cuda:" + str(properties["gpu_id"]) if
    …`), or the number of devices, `gpus=device_count()`."""
    if branches.says(_SERVED):
        served = [index for index, hit in enumerate(hits) if _is_of_server(hit)]
        yield from served
        yield from _beside_served(hits, served)
    if not any(map(branches.says, (_DRIVER, "gpu", _LIGHTNING[0], _CAM))):
        return
    names = _names_of_libraries(branches)
    for index, hit in enumerate(hits):
        if _is_known_to_cuda(hit, names, branches):
            yield index


def _numbers_of_processes(hits: Sequence[Hit]) -> Iterator[int]:
    """Yield the indices of the hits at numbers of devices in statements that start processes, or that set or check
    their number: `parser.add_argument("--distributed-world-size", default=max(1, torch.cuda.device_count()))`."""
    for index, hit in enumerate(hits):
        if hit.words.get("name") == COUNT and hit.statement is not None:
            text = hit.statement.digest.piece.text
            if _PROCESSES.search(text) and not _PRINTS.match(text):
                yield index


def _questions(hits: Sequence[Hit]) -> Iterator[int]:
    """Yield the indices of the hits that ask for CUDA, except those that print or log the answer: where models stay
    on the CPU, a device that another question chooses would be that of the target."""
    for index, hit in enumerate(hits):
        if hit.rule.check == "name" and is_question(hit) and hit.statement is not None:
            if choice_of(hit) is not None or not _SHOWS.match(hit.statement.digest.piece.text):
                yield index


def _is_handed_out(hit: Hit) -> bool:
    """Return whether an attribute of another object than `self`, such as a module or the options, keeps the answer of a
    question: `tools.CUDA_ENABLED = torch.cuda.is_available()`."""
    node = next(iter(hit.statement.digest.piece.nodes), None) if hit.statement is not None else None
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if not isinstance(target, ast.Attribute) or choice_of(hit) is not None:
        return False
    return not (isinstance(target.value, ast.Name) and target.value.id in ("self", "cls"))


def counts_left(hits: Sequence[Hit], branches: Branches) -> Iterator[Hit]:
    """Yield the numbers of devices that only Ray or Lightning know. A condition around `num_gpus =
    torch.cuda.device_count()` stays unchanged, like the number."""
    if any(hit.words.get("name") == COUNT for hit in hits):
        found = (hits[index] for index in known_elsewhere(hits, branches))
        yield from (hit for hit in found if hit.words.get("name") == COUNT)


def _is_of_server(hit: Hit) -> bool:
    """Return whether a hit is the condition of an expression that uses the number that TorchServe gives: `f"cuda:{x}"`
    with `x = properties.get("gpu_id")`. The number is None on a machine without GPUs that TorchServe knows."""
    choice = choice_of(hit) if hit.words.get("name") == _AVAILABLE else None
    used = ast.walk(choice.body) if choice is not None else ()
    return any(isinstance(node, ast.Constant) and node.value == _NUMBER for node in used)


def _beside_served(hits: Sequence[Hit], served: Sequence[int]) -> Iterator[int]:
    """Yield the indices of the conditions that choose a value which an expression with TorchServe's number uses, such
    as `where` of `where + ":" + str(properties.get("gpu_id")) if … else where`. `served`: the conditions of these
    expressions."""
    choices = [choice for index in served if (choice := choice_of(hits[index])) is not None]
    arms = (arm for choice in choices for arm in (choice.body, choice.orelse))
    used = {spelled(node) for arm in arms for node in ast.walk(arm)} - {""}
    for index, hit in enumerate(hits) if used else ():
        choice = choice_of(hit) if hit.words.get("name") == _AVAILABLE and index not in served else None
        if choice is not None and hit.statement is not None:
            if spelled(target_of(hit.statement.digest.parents.get(choice), choice)) in used:
                yield index


def _names_of_libraries(branches: Branches) -> tuple[str, ...]:
    """Return the names by which the libraries that the file imports take a number of CUDA's devices; empty if it
    imports none of these libraries. A file that only names Lightning may hold its settings, with the number `gpus`."""
    one = _NUMBERS[:1] if branches.says(_LIGHTNING[0]) else ()
    names: tuple[str, ...] = _NUMBERS if any(map(branches.says, _LIGHTNING[1:])) else one
    names = (*names, *_OF_CAM) if branches.says(_CAM) else names
    return (*names, *_OF_RAY) if any(map(branches.says, _OF_RAY)) and _imports_ray(branches) else names


def _imports_ray(branches: Branches) -> bool:
    searches, layout = branches.facts.searches, branches.facts.layout
    places = searches.find(("importing", _RAY), matches(_IMPORTS_RAY, _RAY)) if branches.says(f" {_RAY}") else ()
    return any(not layout.string_around(at) for at in places) or any(map(branches.says, _SKIPPED))


def _is_known_to_cuda(hit: Hit, names: Sequence[str], branches: Branches) -> bool:
    """See `known_elsewhere`. `names`: the result of `_names_of_libraries`. Ray and grad-cam also take whether there is
    a GPU."""
    asks = not {_GPUS, *_OF_CAM}.isdisjoint(names)
    counted = hit.words.get("name") in (COUNT, _AVAILABLE if asks else COUNT)
    tested, inner, statement = False, hit.node, hit.statement
    if inner is None or statement is None:
        return False
    for outer in statement.digest.ancestors(inner):
        branches.work.compare()
        name = taken_as(outer, inner)
        if name == _DRIVER:
            call = statement.digest.parents.get(outer)
            return tested and isinstance(call, ast.Call) and last_word(call.func) in _DRIVEN
        if tested and name in _CHOICES and isinstance(outer, ast.Dict):
            return any(isinstance(key, ast.Constant) and key.value in names for key in outer.keys)
        if tested and name in _CHOICES and _NUMBERS[1] in names:
            call = statement.digest.parents.get(outer)
            return isinstance(call, ast.Call) and last_word(call.func) in _TRAINERS
        if (tested and name == _GPUS) or ((tested or counted) and name in names):
            return True
        if names and isinstance(outer, (ast.Assign, ast.Return)) and (tested or counted):
            return _is_number(outer, statement, names, branches)
        tested = tested or (isinstance(outer, ast.IfExp) and inner is outer.test)
        inner = outer
    return False


def _is_number(outer: ast.Assign | ast.Return, statement: Statement, names: Sequence[str], branches: Branches) -> bool:
    """Return whether a variable or function is named for a number of devices: `devices = …`, `num_devices = …`, `GPUS =
    …`, `def parse_devices(…)`."""
    if isinstance(outer, ast.Assign):
        name = last_word(outer.targets[0])
        given = name in _CHOICES and _NUMBERS[1] in names and branches.says(f"{name}={name}")
        lowered = name.lower()
        return given or lowered in names or lowered.endswith(tuple(f"_{one}" for one in names))
    scope = branches.indents.scope_of(statement.start)
    function = FUNCTION.match(branches.text, scope[0]) if scope is not None else None
    return function is not None and any(word in function[1] for word in names)
