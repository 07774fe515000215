"""Patterns that are compiled when they are first used behave like patterns of `re`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

import pytest

from support.imports import modules
from uncuda import lazy_re
from uncuda.lazy_re import LazyPattern


def patterns(value: object) -> Iterator[LazyPattern]:
    """Yield the patterns in a value of a module: the value itself, or the items of a container."""
    if isinstance(value, LazyPattern):
        yield value
    elif isinstance(value, Mapping):
        yield from (found for item in value.values() for found in patterns(item))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (found for item in value for found in patterns(item))


def of(names: Iterable[str]) -> list[LazyPattern]:
    return [found for name in names for value in vars(import_module(name)).values() for found in patterns(value)]


def test_the_patterns_of_all_modules_are_valid() -> None:
    found = of(name for name in modules() if not name.endswith("__main__"))
    assert len(found) > 400
    for pattern in found:
        re.compile(pattern.pattern, pattern.flags)


@pytest.mark.parametrize("method", ["findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"])
def test_a_method_is_that_of_the_compiled_pattern(method: str) -> None:
    pattern = lazy_re.compile(r"(\w)=", re.I)
    compiled = re.compile(r"(\w)=", re.I)
    given = ("-", "A=b=") if method.startswith("sub") else ("A=b=",)
    for _ in range(2):
        found, expected = getattr(pattern, method)(*given), getattr(compiled, method)(*given)
        assert _plain(found) == _plain(expected)
    assert getattr(pattern, method) is getattr(pattern, method), "compiled once"


def _plain(value: object) -> object:
    if isinstance(value, re.Match):
        return value.span()
    return value if isinstance(value, str | list | tuple) or not isinstance(value, Iterable) else [*map(_plain, value)]


def test_bytes_and_flags() -> None:
    pattern = lazy_re.compile(rb"a.b", re.S)
    assert pattern.search(b"a\nb") is not None
    assert (pattern.pattern, pattern.flags) == (rb"a.b", re.S)


def test_a_mistake_is_told_at_the_first_use() -> None:
    pattern = lazy_re.compile("(")
    with pytest.raises(re.error):
        pattern.match("x")
    with pytest.raises(AttributeError):
        pattern.other  # type: ignore[attr-defined]  # noqa: B018
