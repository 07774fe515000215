"""The search for words in bytes gives the answers of `in`, with and without the C function."""

from __future__ import annotations

import os
import random
import sys

import pytest

from uncuda import byte_search
from uncuda.byte_search import ByteSearch
from uncuda.checks.owners import may_patch, patches_of
from uncuda.facts.changes import Searches
from uncuda.facts.scans import plain, whole_word

_WORDS = (b"cuda", b"nccl", b"torch.cuda", b"c", b"", b"aab", b"a" * 63 + b"b", b"a" * 64 + b"b", "größe".encode())
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


@pytest.mark.parametrize("error", [ValueError, AttributeError, OSError, RuntimeError, MemoryError])
def test_systems_that_refuse_the_function_search_with_in(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    asked = []

    def confstr(name: str) -> str:
        asked.append(name)
        raise error(name)

    monkeypatch.setattr(os, "confstr", confstr, raising=False)
    search = ByteSearch(few=0)
    found = [search.contains(b"x" * 600 + end, b"cuda") for end in (b"cuda", b"cuda", b"cud", b"cud")]
    assert found == [True, True, False, False]
    assert len(asked) == 1


def test_other_pythons_search_with_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    assert byte_search._strstr() is None


def test_long_words_never_reach_the_c_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of glibc's `strstr` for AVX-512 grows with the text times the word."""
    words = []
    monkeypatch.setattr(byte_search, "_strstr", lambda: lambda data, word: words.append(word))
    search, text = ByteSearch(few=0), b"ab" * 1000
    for size in (60, 64, 65, 1000):
        search.contains(text, b"a" * size)
        search.contains(text, b"a" * size)
    assert {*map(len, words)} == {60, 64}


_LETTERS = ["cuda", "torch", "é", "größe", "中", "𝒳", "\ud800", "?", " ", "\n", "x"]


def test_searches_of_a_text_find_what_they_found_without_its_bytes() -> None:
    draw = random.Random(6)
    words = ["cuda", "é", "größe", "中", "?", "𝒳", "\ud800", "torch", "a" * 70]
    for _ in range(200):
        text = "".join(draw.choices(_LETTERS, k=draw.choice((3, 60, 400))))
        for word in words:
            for scan in (plain(word), whole_word(word)):
                assert Searches(text).find(word, scan) == list(scan(text, 0, len(text))), (text, word)


@pytest.mark.parametrize("text", ['setattr(é.torch.Tensor, "cuda", f)', 'setattr(torch.nn.Module, "cuda", 中)'])
def test_a_file_that_may_replace_cuda_is_found_by_its_bytes(text: str) -> None:
    assert may_patch(text.encode()) == bool(list(patches_of(text))) is True
