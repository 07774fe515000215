"""Searches the bytes of files for words, with `strstr` of the C library if it is faster than `in` (decision 0067)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable

_SHORT = 500  # `in` is faster in fewer bytes, because a call of a C function takes 0.2 microseconds
# glibc's `strstr` for AVX-512 takes time that grows with text times word for longer words, which a file may contain
_LONG = 64
# Searches with `in` in this number of bytes take as long as loading `ctypes`, 2 ms; a run on one file needs fewer.
_FEW = 4_000_000

Find = Callable[[bytes, bytes], object]
"""A function that returns None if the first argument, up to its first NUL byte, does not contain the second one."""


class ByteSearch:
    """Searches bytes for words. The C function is loaded after `in` has searched `few` bytes."""

    __slots__ = ("_clean", "_find", "_left")

    def __init__(self, few: float = _FEW) -> None:
        self._left = few
        self._find: Find | None = None
        self._clean = b""  # the bytes that were searched last, if they contain no NUL byte

    def contains(self, data: bytes, word: bytes) -> bool:
        """Return whether `word` is in `data`. `word` must not contain NUL bytes."""
        if len(data) < _SHORT or len(word) > _LONG:
            return word in data
        if self._find is not None:
            if self._find(data, word) is not None:
                return True
            if data is self._clean:
                return False
            if b"\0" in data:
                return word in data
            self._clean = data
            return False
        self._left -= len(data)
        if self._left < 0:
            self._left = float("inf")  # without the C function, `in` is used for good
            self._find = _strstr()
        return word in data

    def contains_any(self, data: bytes, words: Iterable[bytes]) -> bool:
        """Return whether one of `words` is in `data`. The words must not contain NUL bytes."""
        for word in words:  # noqa: SIM110 (`any` with a generator takes twice as long)
            if self.contains(data, word):
                return True
        return False


_SEARCH = ByteSearch()
contains, contains_any = _SEARCH.contains, _SEARCH.contains_any


def _strstr() -> Find | None:
    """Return `strstr` of glibc; None with another C library, because only that of glibc is known to be fast, and with
    another Python than CPython, whose `ctypes` may copy the bytes for each call."""
    try:
        if sys.implementation.name != "cpython" or not (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc"):
            return None
        import ctypes

        find = ctypes.PyDLL(None).strstr
        find.restype = ctypes.c_void_p
    except Exception:  # noqa: BLE001 (whatever a system or an audit hook refuses, `in` gives the same answers)
        return None
    return find  # type: ignore[no-any-return, unused-ignore]
