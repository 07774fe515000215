"""The types of the records that processes send each other can be encoded."""

import importlib
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from support.imports import modules
from uncuda.child.records import Codec


def codecs() -> Iterator[tuple[str, Codec]]:
    for name, path in modules().items():
        for variable in re.findall(r"^(\w*CODEC) = Codec\(", path.read_text(encoding="utf-8"), re.M):
            yield f"{name}:{variable}", getattr(importlib.import_module(name), variable)


CODECS = dict(codecs())


def kinds(hint: object) -> Iterator[type]:
    """Yield the types in an annotation: list and int for `list[int]`."""
    if isinstance(hint, type):
        yield hint
    yield from (found for one in get_args(hint) for found in kinds(one))


def of_codec(codec: Codec) -> set[type]:
    """Return all types that the records of a codec contain."""
    found, waiting = set[Any](), list[Any](codec._types.values())
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found.add(kind)
            if is_dataclass(kind) or hasattr(kind, "_fields"):
                waiting += [one for hint in get_type_hints(kind).values() for one in kinds(hint)]
    return found


def test_all_codecs_are_found() -> None:
    assert len(CODECS) > 5


@pytest.mark.parametrize("name", CODECS)
def test_a_named_tuple_in_a_record_holds_no_dataclass(name: str) -> None:
    """cattrs leaves the values in a named tuple as they are, and the encoder of JSON cannot write a dataclass."""
    tuples = [kind for kind in of_codec(CODECS[name]) if hasattr(kind, "_fields")]
    assert {
        f"{kind.__name__}.{field}: {one.__name__}"
        for kind in tuples
        for field, hint in get_type_hints(kind).items()
        for one in kinds(hint)
        if is_dataclass(one)
    } == set()
