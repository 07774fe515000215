"""The search for words in bytes gives the answers of `in`, with and without the C function."""

from __future__ import annotations

import os
import random
import sys

import pytest

from uncuda import byte_search
from uncuda.byte_search import ByteSearch

_WORDS = (b"cuda", b"nccl", b"torch.cuda", b"c", b"aab", b"a" * 40 + b"b", "größe".encode())
_C = sys.platform == "linux" and (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")


def texts() -> list[bytes]:
    draw, found = random.Random(67), []
    for size in (0, 1, 60, 499, 500, 501, 4095, 4096, 70_000):
        for letters in (b"cudan.tohrl \n", b"ab", bytes(range(256))):
            text = bytes(draw.choices(letters, k=size))
            found.append(text)
            for word in _WORDS:  # at the start, at the end, behind a NUL byte
                found += [word + text, text + word, text + b"\0" + word, text + word[:-1]]
    return found


@pytest.mark.parametrize("few", [0, 10**9], ids=["the C function", "in"])
def test_contains_answers_as_in(few: int) -> None:
    search = ByteSearch(few)
    for text in texts():
        for word in _WORDS:
            assert search.contains(text, word) is (word in text), (text[:80], word)
        assert search.contains_any(text, _WORDS) is any(word in text for word in _WORDS)


def test_the_c_function_is_used_after_some_bytes() -> None:
    search = ByteSearch(few=1000)
    calls = []

    def find(data: bytes, word: bytes) -> object:
        calls.append(word)
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(byte_search, "_strstr", lambda: find)
        assert [search.contains(b"x" * 600, b"cuda") for _ in range(4)] == [False] * 4
        assert calls == [b"cuda", b"cuda"]
        search.contains(b"x" * 10, b"cuda")  # few bytes are searched without it
        assert len(calls) == 2


@pytest.mark.skipif(not _C, reason="only glibc's strstr is used")
def test_glibc_has_the_function() -> None:
    find = byte_search._strstr()
    assert find is not None
    assert find(b"import torch.cuda", b"cuda") is not None
    assert find(b"import torch", b"cuda") is None


@pytest.mark.parametrize("error", [ValueError, AttributeError, OSError])
def test_systems_without_glibc_search_with_in(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def confstr(name: str) -> str:
        raise error(name)

    monkeypatch.setattr(os, "confstr", confstr, raising=False)
    search = ByteSearch(few=0)
    assert [search.contains(b"x" * 600 + end, b"cuda") for end in (b"cuda", b"cuda", b"cud", b"cud")] == [
        True,
        True,
        False,
        False,
    ]
