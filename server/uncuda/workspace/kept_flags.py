"""Finds programs that ask for CUDA once, in an attribute that also guards comparisons of CUDA's compute capability."""

from __future__ import annotations

from uncuda import lazy_re
from uncuda.byte_search import contains

_CAPABILITY = b"get_device_capability("
_GUARDED = lazy_re.compile(rb"\.(\w+) and torch\.cuda\.get_device_capability\(")
_SET = lazy_re.compile(rb"self\.(\w+) = torch\.cuda\.is_available\(\)")


def keeps_flag(data: bytes) -> bool:
    """Return whether a file with these bytes sets an attribute by a question for CUDA, and compares the compute
    capability where the attribute is true: `self.cuda and torch.cuda.get_device_capability(0)[0] < 7`."""
    if not contains(data, _CAPABILITY):
        return False
    guards = {match[1] for match in _GUARDED.finditer(data)}
    return any(match[1] in guards for match in _SET.finditer(data)) if guards else False
