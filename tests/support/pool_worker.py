"""A process of a pool that adds ten, and ends when it is asked to: what tests of the pool start."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from uncuda.child.records import Codec, serve


@dataclass(frozen=True)
class Base:
    """What is added from now on; has no answer."""

    number: int


@dataclass(frozen=True)
class Add:
    """Numbers to add to. 0 ends the process; below 0: only the first time, which the folder remembers."""

    numbers: tuple[int, ...]
    folder: str


@dataclass(frozen=True)
class Sum:
    """Each with what was added."""

    numbers: tuple[int, ...]
    process: int


CODEC = Codec(Base, Add, Sum)
_base = 0


def answer(request: object) -> Sum | None:
    """Add, or end."""
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
    """Answer until the input ends."""
    serve(CODEC, answer)


def never() -> NoReturn:
    """In place of `main`: a process that cannot begin."""
    os._exit(3)
