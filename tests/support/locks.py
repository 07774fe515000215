"""File locks for work that only one process may do at a time, or that one process must do first."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait for the lock on a file, which is created together with its folder, and hold the lock during the block."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def after_the_first(lock: Path) -> Iterator[None]:
    """Run the block at once in the first process that asks for the lock on a file, and in all others when the first has
    left the block, in parallel."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(file, fcntl.LOCK_SH)
        yield
