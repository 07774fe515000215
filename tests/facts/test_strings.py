"""Tests of the literals of a string expression."""

from __future__ import annotations

import pytest

from uncuda.facts.strings import tokens


def parts(text: str) -> list[tuple[str, str, list[str]]]:
    return [(t.prefix, text[t.start : t.end], [text[a:b] for a, b in t.fields]) for t in tokens(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("'a'", [("", "a", [])]),
        ('rb"a\\""', [("rb", 'a\\"', [])]),
        ("'a' 'b'", [("", "a", []), ("", "b", [])]),
        ("'a'  # c\n  u'b'", [("", "a", []), ("u", "b", [])]),
        ("f'a{b}c'", [("f", "a{b}c", ["b"])]),
        ("f'{{a}}{b!r:>{w}}'", [("f", "{{a}}{b!r:>{w}}", ["b", "w"])]),
        ("f'{a != b}'", [("f", "{a != b}", ["a != b"])]),
        ("f'{a[\":\"]}'", [("f", '{a[":"]}', ['a[":"]'])]),
        ("f'{f'{x}'}'", [("f", "{f'{x}'}", ["f'{x}'"])]),
        ('f"""{\nx}"""', [("f", "{\nx}", ["\nx"])]),
        ("f'{ {1: 2}[1] }'", [("f", "{ {1: 2}[1] }", [" {1: 2}[1] "])]),
        ("f'{(lambda x: x)(1)}'", [("f", "{(lambda x: x)(1)}", ["(lambda x: x)(1)"])]),
    ],
)
def test_tokens(text: str, due: list[tuple[str, str, list[str]]]) -> None:
    assert parts(text) == due


@pytest.mark.parametrize("text", ["x", "'a", "f'{a'", "f'{'"])
def test_not_a_string(text: str) -> None:
    assert tokens(text, 0, len(text)) == []
