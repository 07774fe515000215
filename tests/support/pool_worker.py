"""A worker process for tests of the process pool: it adds numbers, and exits when told to."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from uncuda.child.records import Codec, serve


@dataclass(frozen=True)
class Base:
    """A request that sets the number to add from now on; the worker does not reply to it."""

    number: int


@dataclass(frozen=True)
class Add:
    """A request to add the worker's number (see `Base`) to each of `numbers`. The number 0 makes the process exit. Of
    the processes that get the same negative number, only the first exits; it creates a file for the number in `folder`,
    as a sign for the others."""

    numbers: tuple[int, ...]
    folder: str


@dataclass(frozen=True)
class Sum:
    """The reply: each number plus the base."""

    numbers: tuple[int, ...]
    process: int


CODEC = Codec(Base, Add, Sum)
_base = 0


def answer(request: object) -> Sum | None:
    """Answer a request, or exit."""
    global _base  # noqa: PLW0603 it is this process's
    if isinstance(request, Base):
        _base = request.number
        return None
    assert isinstance(request, Add)
    for number in request.numbers:
        mark = Path(request.folder) / f"ended{number}"
        if number == 0 or (number < 0 and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return Sum(tuple(number + _base for number in request.numbers), os.getpid())


def main() -> NoReturn:
    """Answer requests until standard input ends."""
    serve(CODEC, answer)


def never() -> NoReturn:
    """Takes the place of `main`: the process exits before it answers anything."""
    os._exit(3)
