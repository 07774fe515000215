"""Finds programs that ask for CUDA once, in an attribute that also guards comparisons of CUDA's compute capability,
programs whose models Lightning places on CUDA or the CPU, programs that ask NVIDIA's driver, or register a backend of
their own, models whose own `cuda` also sets an attribute, and programs that wrap a model in `DataParallel` where there
are several devices."""

from __future__ import annotations

import re

from uncuda import lazy_re
from uncuda.byte_search import contains, contains_any
from uncuda.project import (
    DRIVER_ASKED,
    FLAG_BY_CUDA,
    LIGHTNING_ON_CPU,
    LIGHTNING_PLACES,
    MODELS_ON_CPU,
    OWN_BACKEND,
    WRAPS_BY_COUNT,
)

from .backends import is_apart

_CAPABILITY = b" and torch.cuda.get_device_capability("
_GUARDED = lazy_re.compile(rb"^[^#\n]{0,99}\.(\w+) and torch\.cuda\.get_device_capability\(", re.M)
_SET = lazy_re.compile(rb"^[ \t]+self\.(\w+) = torch\.cuda\.is_available\(\)", re.M)
_MOVES = rb"if self\.%b:[ \t]*\r?\n(?:[ \t]+[^\n]*\n){0,3}?[^\n#]*(?:\.cuda\(|device\([\"']cuda)"

# the number of GPUs for Lightning's `Trainer`, or its accelerator: `"gpus": -1 if torch.cuda.is_available() else None`
_GIVEN = lazy_re.compile(
    rb"^[ \t]*(?:[\"'](?:gpus|accelerator)[\"'][ \t]*:|[^#\"'\n]{0,99}\b(?:gpus|accelerator)[ \t]*=(?!=))"
    rb"(?![ \t]*Accelerator\()[^#\n]{0,99}?torch\.cuda\.(?:is_available|device_count)\(",
    re.M,
)
_LIGHTNING = lazy_re.compile(rb"^[ \t]*(?:import|from)[ \t]+(?:pytorch_)?lightning\b", re.M)

_DRIVER = b"GPUtil.getGPUs()"  # without NVIDIA's driver, GPUtil returns an empty list
_FIRST = lazy_re.compile(rb"\bgpus\[[ \t]*\d|GPUtil\.getGPUs\(\)\[", re.IGNORECASE)
_REGISTERS = b"rename_privateuse1_backend("
_OWN_NAME = lazy_re.compile(rb"rename_privateuse1_backend\([ \t\r\n]*[\"'](?!npu|musa)\w")
_RUNNERS = (b"Trainer(", b"Fabric(", b"LightningCLI(")

_WRAPS = b"DataParallel("
# begins with a literal, which is fast to search for
_BY_COUNT = lazy_re.compile(
    rb"device_count\(\)[ \t]*(?:>[ \t]*1|>=[ \t]*2)\b[^\n#]{0,200}:[ \t]*(?:#[^\n]*)?\r?\n"
    rb"((?:(?![ \t]*el(?:se|if)\b)[^\n]*\n){0,5}?"
    rb"[^\n#]{0,200}(?:[\w.\])][ \t]*=|\breturn)[ \t]*(?:[\w.]*\.)?)DataParallel\("
)
_IF = lazy_re.compile(rb"([ \t]*)(?:el)?if\b")
_METHOD = b"def cuda(self"
_MODELS = lazy_re.compile(rb"([ \t]+)def cuda\(self[^\n]*\n((?:\1[ \t]+[^\n]*\n|[ \t]*\r?\n){1,20})")
_SUPER = lazy_re.compile(rb"^[^#\n\"']*\bsuper\([^()\n]*\)\.cuda\(", re.M)
_TRUE = lazy_re.compile(rb"^[ \t]+self\.(\w+) = True\b", re.M)
_READS = lazy_re.compile(rb"\b(?:if|and|or|not) (?:not )?self\.(\w+)")
_ALIAS = b"DistributedDataParallel as DataParallel"


def models_stay(data: bytes, path: str) -> frozenset[str]:
    """Return why the program's models stay as they are, as far as a file shows: MODELS_ON_CPU (`_keeps_flag`);
    LIGHTNING_ON_CPU, if a question for CUDA decides what Lightning's `Trainer` gets. Lightning knows CUDA's devices
    only, so the question stays, and Lightning keeps the models on the CPU; LIGHTNING_PLACES, if the file runs
    Lightning in another way; DRIVER_ASKED, if the file reads about the first GPU that NVIDIA's driver lists, where
    the program has found that it trains on a GPU: `GPUtil.getGPUs()[0]`; OWN_BACKEND, if it gives torch's place for
    another backend its own name; FLAG_BY_CUDA (`_sets_flag`); WRAPS_BY_COUNT (`_wraps_by_count`)."""
    found = _of_libraries(data)
    if contains(data, b"cuda"):
        found |= _of_cuda(data)
    return frozenset(found) if found and not is_apart(path) else frozenset()


def _of_libraries(data: bytes) -> set[str]:
    """Return the reasons that a file shows also if it does not name CUDA."""
    found = set[str]()
    if contains(data, b"lightning") and contains_any(data, _RUNNERS) and _LIGHTNING.search(data):
        found.add(LIGHTNING_ON_CPU if contains(data, b"Trainer") and _GIVEN.search(data) else LIGHTNING_PLACES)
    if contains(data, _DRIVER) and _FIRST.search(data):
        found.add(DRIVER_ASKED)
    if contains(data, _REGISTERS) and _OWN_NAME.search(data):
        found.add(OWN_BACKEND)
    return found


def _of_cuda(data: bytes) -> set[str]:
    """Return the reasons that only a file shows which names CUDA."""
    found = {MODELS_ON_CPU} if contains(data, _CAPABILITY) and _keeps_flag(data) else set()
    if contains(data, _WRAPS) and _wraps_by_count(data):
        found.add(WRAPS_BY_COUNT)
    if contains(data, _METHOD) and _sets_flag(data):
        found.add(FLAG_BY_CUDA)
    return found


def _keeps_flag(data: bytes) -> bool:
    """Return whether a file keeps its models on the CPU on a target whose devices have no compute capability: it sets
    an attribute by a question for CUDA, moves models or chooses CUDA where the attribute is true, and compares the
    capability there, `self.cuda and torch.cuda.get_device_capability(0)[0] < 7`."""
    guards = {match[1] for match in _GUARDED.finditer(data)}
    flags = [match[1] for match in _SET.finditer(data) if match[1] in guards] if guards else []
    return any(re.search(_MOVES % re.escape(flag), data) for flag in flags)


def _sets_flag(data: bytes) -> bool:
    """Return whether the own `cuda` of a model also sets an attribute that other methods read: `super().cuda()` and
    `self.use_cuda = True`, with `if self.use_cuda: x = x.cuda()`. The plugin's method would not set the attribute, so
    its calls need review, and the model stays on the CPU."""
    flags, at = set[bytes](), data.find(_METHOD)
    while at >= 0:
        method = _MODELS.match(data, data.rfind(b"\n", 0, at) + 1)
        if method is not None and _SUPER.search(method[2]) is not None:
            flags.update(_TRUE.findall(method[2]))
        at = data.find(_METHOD, at + 1)
    return bool(flags) and any(match[1] in flags for match in _READS.finditer(data))


def _wraps_by_count(data: bytes) -> bool:
    """Return whether a file wraps a model where there are several devices: `if torch.cuda.device_count() > 1: model =
    DataParallel(model)`."""
    for match in _BY_COUNT.finditer(data) if _ALIAS not in data else ():
        question = _IF.match(data, data.rfind(b"\n", 0, match.start()) + 1)
        if question is not None:
            inside = question[1] + b" ", question[1] + b"\t"
            if all(line.startswith(inside) for line in match[1].split(b"\n") if line.strip()):
                return True
    return False
