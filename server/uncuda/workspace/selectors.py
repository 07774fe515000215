"""Finds the functions that select the device of a program: `def get_device(): return "cuda" if
torch.cuda.is_available() else "cpu"`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from uncuda import lazy_re
from uncuda.byte_search import contains
from uncuda.module_names import SELECTS, module_at
from uncuda.project import OTHERWISE

_MAY, _ASKS = b"_device(", b"is_available("
_DEFINED = lazy_re.compile(rb"\ndef[ \t]+(%b)\(" % SELECTS.encode())
_END = lazy_re.compile(rb"\n[^\s#)]")
_OTHER = lazy_re.compile(rb"environ|getenv|capability|numba|cupy|jax|nvml")


class Selectors:
    """Finds such functions. `devices`: the words for the devices of all targets; a fix may have changed the word."""

    def __init__(self, devices: Collection[str]) -> None:
        either = "|".join(sorted(map(re.escape, {"cuda", *devices})))
        self._device = lazy_re.compile(rf"[\"'](?:{either})".encode())

    def of(self, data: bytes, path: str) -> frozenset[str]:
        """Return the functions of a file that are in `Project.selectors`."""
        module = module_at(path) if contains(data, _MAY) else ""
        return frozenset(f"{module}.{name}" for name in self._names(data)) if module else frozenset()

    def _names(self, data: bytes) -> Iterator[str]:
        for match in _DEFINED.finditer(data):
            end = _END.search(data, match.end())
            body = data[match.end() : end.start() if end else len(data)]
            plain = contains(body, _ASKS) and self._device.search(body) and not _OTHER.search(body)
            yield match[1].decode() + ("" if plain else OTHERWISE)
