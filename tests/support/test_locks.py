"""Tests of the lock that lets one process do its work before the others do."""

import fcntl
from pathlib import Path

import pytest

from support.locks import after_the_first


def test_the_others_wait_for_the_first_and_not_for_each_other(tmp_path: Path) -> None:
    lock = tmp_path / "folder" / "lock"
    with after_the_first(lock), open(lock, encoding="ascii") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
    with open(lock, encoding="ascii") as other:
        fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
        with after_the_first(lock):
            assert not other.closed
