"""Finds programs that ask for CUDA once, in an attribute that also guards comparisons of CUDA's compute capability."""

from __future__ import annotations

import re

from uncuda import lazy_re
from uncuda.byte_search import contains

from .backends import is_apart

_CAPABILITY = b"get_device_capability("
_GUARDED = lazy_re.compile(rb"^[^#\n]{0,99}\.(\w+) and torch\.cuda\.get_device_capability\(", re.M)
_SET = lazy_re.compile(rb"^[ \t]+self\.(\w+) = torch\.cuda\.is_available\(\)", re.M)
_MOVES = rb"if self\.%b:[ \t]*\r?\n(?:[ \t]+[^\n]*\n){0,3}?[^\n#]*(?:\.cuda\(|device\([\"']cuda)"


def models_stay(data: bytes, path: str) -> bool:
    """Return whether a file keeps its models on the CPU on a target whose devices have no compute capability: it sets
    an attribute by a question for CUDA, moves models or chooses CUDA where the attribute is true, and compares the
    capability there, `self.cuda and torch.cuda.get_device_capability(0)[0] < 7`."""
    if not contains(data, _CAPABILITY) or is_apart(path):
        return False
    guards = {match[1] for match in _GUARDED.finditer(data)}
    flags = [match[1] for match in _SET.finditer(data) if match[1] in guards] if guards else []
    return any(re.search(_MOVES % re.escape(flag), data) for flag in flags)
