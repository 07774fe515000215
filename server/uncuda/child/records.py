"""Records that uncuda's processes send each other: frozen dataclasses, each sent as one line of JSON with the name of
its type."""

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
    """Encodes records as lines of bytes, and decodes them; `types`: the types that a record may have."""

    def __init__(self, *types: type) -> None:
        self._types = {kind.__name__: kind for kind in types}

    def line(self, record: object) -> bytes:
        """Return a record as a line of JSON, with its line break."""
        kind = type(record)
        assert self._types[kind.__name__] is kind
        # cattrs does not convert the values in a named tuple, so json calls `default` for a set in a named tuple.
        return json.dumps([kind.__name__, _converter().unstructure(record)], default=list).encode("ascii") + b"\n"

    def prepare(self) -> None:
        """Create the converters of all record types now, so that a forked process has them from its start."""
        for kind in self._types.values():
            _converter().get_structure_hook(kind)
            _converter().get_unstructure_hook(kind)

    def record(self, line: bytes) -> Any:
        """Return the record in a line; raise ValueError if the line is incomplete."""
        name, fields = json.loads(line)
        return _converter().structure(fields, self._types[name])


@lru_cache
def _converter() -> Converter:
    """The converter of cattrs, created at its first use, because the language server usually does not need it."""
    made = Converter(unstruct_collection_overrides={frozenset: list, set: list}, detailed_validation=False)

    def structure(kind: Any) -> Any:
        """A hook for named tuples: cattrs 26.2 cannot read a named tuple whose annotations are strings."""
        fields = list(get_type_hints(kind).values())
        return lambda values, _: kind(*map(made.structure, values, fields))

    made.register_structure_hook_factory(_is_named_tuple, structure)
    # a field of type `object` keeps the value that the JSON parser returned
    made.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)
    return made


def _is_named_tuple(kind: Any) -> TypeGuard[type[tuple[Any, ...]]]:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


class Channel:
    """Reads records from the standard input of a child process, and writes records to its standard output. The child
    process ends when its parent closes the pipe of its standard input or of its standard output."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._saying = Lock()
        self._begun = b""  # bytes that were read, but are not a complete request yet

    def first_request(self) -> Any:
        """Return the first request; None if the input ends before it is complete.

        Until `requests` is called, the process has no other thread, so that it can be forked.
        """
        line, self._begun = first_line()
        return self._codec.record(line) if line else None

    def requests(self) -> Iterator[Any]:
        """Yield each further request when it arrives; from then on, the process ends when the input ends, even during a
        request."""
        return map(self._codec.record, lines(self._begun))

    def only_request(self) -> Any:
        """Return the only request to this process; None if standard input ends before the request is complete. After
        the request, further input or the end of the input ends the process at once. The function also lowers the
        process's priority and turns off garbage collection."""
        request = self.first_request()
        if request is not None:
            be_nice()
            gc.disable()  # nearly all objects created in this process are trees without cycles
            self.end_with_input()
        return request

    def end_with_input(self) -> None:
        """From now on, end the process at once when standard input ends or has further data."""
        if self._begun:
            os._exit(0)
        end_with_input()

    def say(self, record: object) -> None:
        """Send a record to the parent process; any thread may call the function."""
        data = self._codec.line(record)
        with self._saying:
            self._write(data)

    def begin(self) -> None:
        """Tell the pool that the process has started."""
        self._write(b"[]\n")

    def _write(self, data: bytes) -> None:
        """Write with os.write: in a forked process, the buffer of sys.stdout may contain data of the parent process."""
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
