"""Tests of decoding bytes to text and back, and of converting offsets to positions."""

from __future__ import annotations

import contextlib
import encodings
from encodings.aliases import aliases
from pkgutil import iter_modules

import pytest

from uncuda.source import Source, SourceError


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\n",
        b"",
        b"x = 1",
        b"\xef\xbb\xbfx = '\xc3\xa9'\r\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=gbk :\nx = '\xc4\xe3'\n",
        b"\f# coding: utf-8\nx\r\ry\n\x0c\t",
        b"x = 'a\\\r\nb'\r\n",
        "x = '\u2028\x85\U0001d6fc'\n".encode(),
    ],
)
def test_bytes_come_back(data: bytes) -> None:
    assert Source.decode(data).encode() == data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x = 1\n\0", "binary"),
        (b"x = 1\ny = '\xff'\n", "line 2 is not utf-8: byte 0xff"),
        (b"# coding: klingon\n", "unknown encoding: klingon"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "byte order mark"),
        (b"# coding: rot13\nk", "rot13"),
        (b"# coding: undefined\n\xff", "declares undefined, which is not a text encoding"),
        (b"# coding: punycode\n\xff", "declares punycode, which is not a text encoding"),
        (b"# coding: idna\n\xff", "declares idna, which is not a text encoding"),
        (b"# coding: " + b"a" * 1_000_000, f"unknown encoding: {'a' * 80}$"),
    ],
)
def test_what_cannot_be_read_is_said(data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        Source.decode(data)


def test_what_cannot_be_written_is_said() -> None:
    source = Source.decode(b"# coding: latin-1\nx\n")
    with pytest.raises(SourceError, match="iso8859-1"):
        source.encode(source.text + "\u4f60")


def test_lines_break_as_in_python() -> None:
    source = Source("a\fb\x0bc\x1c\x85\u2028d\r\ne\rf\ng")
    assert [source.line_text(n) for n in range(1, 5)] == ["a\fb\x0bc\x1c\x85\u2028d", "e", "f", "g"]
    assert source.position(source.text.index("e")) == (2, 1)
    assert source.offset(4, 1) == source.text.index("g")
    assert [source.line_at(source.text.index(letter)) for letter in "befg"] == [
        "a\fb\x0bc\x1c\x85\u2028d",
        "e",
        "f",
        "g",
    ]


SAMPLES = [
    *(b"x\xff\n", b"\\N{foo} \\x \\d \\u12\n", b"+AGE-\n", b"xn--a-.\n" + b"a." * 40),
    *(b"a-99999999zzzz\n", b"~{!!~}\n", b"\x1b$B\n", bytes(range(1, 256))),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sample", SAMPLES)
def test_whatever_python_has_a_codec_for(sample: bytes) -> None:
    names = {*aliases, *aliases.values(), *(module.name for module in iter_modules(encodings.__path__))}
    assert {"idna", "undefined", "utf_16", "unicode_escape"} <= names
    for name in names:
        with contextlib.suppress(SourceError):
            source = Source.decode(f"# coding: {name}\n".encode() + sample)
            source.encode("# \xe9\u4e2d\ud800" + "a" * 100 + ".\n")
