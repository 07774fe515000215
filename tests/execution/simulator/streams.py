"""Streams and events: everything runs immediately and in order, as on the CPU."""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import Any

from typing_extensions import Self

from .machine import MACHINE

_IDS = itertools.count(1)
_CURRENT: dict[str, Any] = {}


class Stream:
    """A stream such as `torch.npu.Stream`; the attribute with its handle is named after the device (`npu_stream`,
    `musa_stream`, `cuda_stream`)."""

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        self.device = MACHINE.device(MACHINE.index(device))
        self.priority = priority
        self.stream_id = kwargs.get("stream_id", next(_IDS))
        setattr(self, f"{MACHINE.word}_stream", self.stream_id)

    @property
    def device_index(self) -> int:
        return int(self.device.index)

    def synchronize(self) -> None:
        """Do nothing, because nothing is running."""

    def wait_stream(self, stream: Stream) -> None:
        _is_one(stream, Stream)

    def wait_event(self, event: Event) -> None:
        _is_one(event, Event)

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> Self:
        self._before = _CURRENT.get("stream")
        _CURRENT["stream"] = self
        return self

    def __exit__(self, *exc: object) -> None:
        _CURRENT["stream"] = self._before

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.stream_id, self.device) == (other.stream_id, other.device)

    def __hash__(self) -> int:
        return hash((self.stream_id, self.device))


class Event:
    """`torch.npu.Event`."""

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> None:
        self.enable_timing = enable_timing
        self.at = 0.0
        setattr(self, f"{MACHINE.word}_event", next(_IDS))

    def record(self, stream: Stream | None = None) -> None:
        if stream is not None:
            _is_one(stream, Stream)
        self.at = time.perf_counter()

    def wait(self, stream: Stream | None = None) -> None:
        """Do nothing, because nothing is running."""

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        """Do nothing, because nothing is running."""

    def elapsed_time(self, end_event: Event) -> float:
        if not (self.enable_timing and end_event.enable_timing):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        return (end_event.at - self.at) * 1e3


def _is_one(value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"expected a {kind.__name__} of {MACHINE.word}, got {type(value).__name__}")


def functions() -> dict[str, Any]:
    """Return the classes and functions for streams in `torch.npu` (or `torch.musa`, `torch.cuda`), by name."""

    @contextlib.contextmanager
    def stream_context(stream: Stream | None) -> Any:
        if stream is None:
            yield
        else:
            _is_one(stream, Stream)
            with stream:
                yield

    def default_stream(device: Any = None) -> Stream:
        return Stream(device, stream_id=0)

    def current_stream(device: Any = None) -> Stream:
        return _CURRENT.get("stream") or default_stream(device)

    def set_stream(stream: Stream) -> None:
        _CURRENT["stream"] = stream

    return {
        "Stream": Stream,
        "Event": Event,
        "StreamContext": stream_context,
        "stream": stream_context,
        "set_stream": set_stream,
        "current_stream": current_stream,
        "default_stream": default_stream,
        "is_current_stream_capturing": lambda: False,
    }
