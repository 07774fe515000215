"""The records that uncuda's processes exchange: frozen dataclasses, each sent as one line of JSON with the name of its
type."""

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
    """Encodes a record as a line and decodes it; `types`: the record types that are allowed."""

    def __init__(self, *types: type) -> None:
        self._types = {kind.__name__: kind for kind in types}

    def line(self, record: object) -> bytes:
        """Return a record as a line of JSON, with its line break."""
        kind = type(record)
        assert self._types[kind.__name__] is kind
        # cattrs leaves the values in a named tuple unconverted, so json calls `default` for sets in it.
        return json.dumps([kind.__name__, _converter().unstructure(record)], default=list).encode("ascii") + b"\n"

    def prepare(self) -> None:
        """Build the converters of all record types now, so that a forked process has them already."""
        for kind in self._types.values():
            _converter().get_structure_hook(kind)
            _converter().get_unstructure_hook(kind)

    def record(self, line: bytes) -> Any:
        """Return the record in a line; raise ValueError if the line is incomplete."""
        name, fields = json.loads(line)
        return _converter().structure(fields, self._types[name])


@lru_cache
def _converter() -> Converter:
    """The cattrs converter, created when it is first needed, because a server usually needs none."""
    made = Converter(unstruct_collection_overrides={frozenset: list, set: list}, detailed_validation=False)

    def structure(kind: Any) -> Any:
        """A hook for named tuples: cattrs 26.2 does not resolve their annotations if these are strings."""
        fields = list(get_type_hints(kind).values())
        return lambda values, _: kind(*map(made.structure, values, fields))

    made.register_structure_hook_factory(_is_named_tuple, structure)
    # the value is kept as the JSON parser returns it
    made.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)
    return made


def _is_named_tuple(kind: Any) -> TypeGuard[type[tuple[Any, ...]]]:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


class Channel:
    """Standard input and output of a child process, as records. The process ends when its parent closes either of
    them."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._saying = Lock()
        self._begun = b""  # bytes that were read but do not yet form a complete request

    def first_request(self) -> Any:
        """Return the first request; None if the input ends before one.

        Until `requests` is called, the process has no other thread, so it may be forked.
        """
        line, self._begun = first_line()
        return self._codec.record(line) if line else None

    def requests(self) -> Iterator[Any]:
        """Yield each further request as it arrives; from now on, the process ends when the input ends, even if it is
        busy."""
        return map(self._codec.record, lines(self._begun))

    def only_request(self) -> Any:
        """Return the only request of this process; None if standard input ends first. Afterwards, further input or the
        end of the input ends the process at once. The function also lowers the process's priority and turns off garbage
        collection."""
        request = self.first_request()
        if request is not None:
            be_nice()
            gc.disable()  # nearly all objects created here are trees without cycles
            self.end_with_input()
        return request

    def end_with_input(self) -> None:
        """From now on, end the process at once when further input arrives or the input ends."""
        if self._begun:
            os._exit(0)
        end_with_input()

    def say(self, record: object) -> None:
        """Send a record; may be called from any thread."""
        data = self._codec.line(record)
        with self._saying:
            self._write(data)

    def begin(self) -> None:
        """Tell the pool that the process has started."""
        self._write(b"[]\n")

    def _write(self, data: bytes) -> None:
        """Write with os.write, because in a forked process the buffer of sys.stdout may contain data of the parent."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(1, view) :]
        except BrokenPipeError:
            os._exit(0)


def serve(codec: Codec, answer: Callable[[Any], object | None]) -> NoReturn:
    """Answer the requests of a pool one after the other, until standard input ends."""
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
