"""What crosses between processes of ours: frozen dataclasses, each a line of JSON with the name of its type."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NoReturn, TypeGuard, get_type_hints

from cattrs import Converter

from . import lines


class Codec:
    """Makes a line of a record and back; `types`: those that may cross."""

    def __init__(self, *types: type) -> None:
        self._types = {kind.__name__: kind for kind in types}

    def line(self, record: object) -> bytes:
        """A record as a line, with its line break."""
        kind = type(record)
        assert self._types[kind.__name__] is kind
        # cattrs leaves what is in a named tuple as it is: `default` is asked about sets.
        return json.dumps([kind.__name__, _converter().unstructure(record)], default=list).encode("ascii") + b"\n"

    def prepare(self) -> None:
        """Make what the first record of each type would have made: a process that is forked has it then."""
        for kind in self._types.values():
            _converter().get_structure_hook(kind)
            _converter().get_unstructure_hook(kind)

    def record(self, line: bytes) -> Any:
        """The record of a line; ValueError for less than a line."""
        name, fields = json.loads(line)
        return _converter().structure(fields, self._types[name])


@lru_cache
def _converter() -> Converter:
    """Made when first asked for: most of a server's life nobody does."""
    made = Converter(unstruct_collection_overrides={frozenset: list, set: list}, detailed_validation=False)

    def structure(kind: Any) -> Any:
        """cattrs 26.2 leaves annotations of named tuples that are texts unresolved."""
        fields = list(get_type_hints(kind).values())
        return lambda values, _: kind(*map(made.structure, values, fields))

    made.register_structure_hook_factory(_is_named_tuple, structure)
    return made


def _is_named_tuple(kind: Any) -> TypeGuard[type[tuple[Any, ...]]]:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def serve(codec: Codec, answer: Callable[[Any], object | None]) -> NoReturn:
    """Answer the requests on standard input, one after the other, on standard output; end with the input.

    The first line says that it has begun. An error that `answer` raises ends the process: who asked learns that from
    its end.
    """
    try:
        _write(b"[]\n")  # it has begun
        for line in lines():
            reply = answer(codec.record(line))
            if reply is not None:
                _write(codec.line(reply))
    except BrokenPipeError:
        os._exit(1)
    except BaseException:  # noqa: BLE001 a forked process must not go on as the one that it came from
        sys.excepthook(*sys.exc_info())
    os._exit(1)


def _write(data: bytes) -> None:
    """Not by sys.stdout: in a forked process it holds what the other one has not written yet."""
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]
