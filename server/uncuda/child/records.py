"""What crosses between processes of ours: frozen dataclasses, each a line of JSON with the name of its type."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from threading import Lock
from typing import Any, NoReturn, TypeGuard, get_type_hints

from cattrs import Converter

from . import be_nice, end_with_input, first_line, lines


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
    made.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)  # as JSON has it
    return made


def _is_named_tuple(kind: Any) -> TypeGuard[type[tuple[Any, ...]]]:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


class Channel:
    """Standard input and output of a process of ours, as records. The process ends when nobody speaks to it any more,
    or listens."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._saying = Lock()
        self._begun = b""  # what was read, and is not yet a request

    def first_request(self) -> Any:
        """The first request, None if nobody makes one. Until more is asked for, the process has no other thread, so it
        may be forked."""
        line, self._begun = first_line()
        return self._codec.record(line) if line else None

    def requests(self) -> Iterator[Any]:
        """Each further request, as it comes; from now on the process ends where they do, whatever it is doing."""
        return map(self._codec.record, lines(self._begun))

    def only_request(self) -> Any:
        """The one request that the process is for, None if nobody makes it; with whatever comes after it, or the end of
        the input, the process ends at once. From now on it leaves the processor to others, and keeps what it makes."""
        request = self.first_request()
        if request is not None:
            be_nice()
            gc.disable()  # nearly everything made here is a tree without cycles
            self.end_with_input()
        return request

    def end_with_input(self) -> None:
        """From now on, end the process at once with whatever comes, or the end of the input."""
        if self._begun:
            os._exit(0)
        end_with_input()

    def say(self, record: object) -> None:
        """Say something; any thread may."""
        data = self._codec.line(record)
        with self._saying:
            self._write(data)

    def begin(self) -> None:
        """Say that the process has begun, to a pool."""
        self._write(b"[]\n")

    def _write(self, data: bytes) -> None:
        """Not by sys.stdout: in a forked process it holds what the other one has not written yet."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(1, view) :]
        except BrokenPipeError:
            os._exit(0)


def serve(codec: Codec, answer: Callable[[Any], object | None]) -> NoReturn:
    """Answer the requests of a pool, one after the other; end with the input.

    An error that `answer` raises ends the process: the pool learns that from its end.
    """
    try:
        channel = Channel(codec)
        channel.begin()
        for request in channel.requests():
            reply = answer(request)
            if reply is not None:
                channel.say(reply)
    except BaseException:  # noqa: BLE001 a forked process must not go on as the one that it came from
        sys.excepthook(*sys.exc_info())
    os._exit(1)
