"""Tests of process pools: the order of results, and the effect of a process that exits too early."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

import uncuda.child.pool
from support import pool_worker
from support.pool_worker import CODEC, Add, Base, Sum
from uncuda.child.pool import Crashed, Launch, Pool

HERE = -1
"""The id of this process, which computes the answers itself if no worker process is left."""


@contextmanager
def pool(number: int, lost: list[int], run: Callable[[], NoReturn] = pool_worker.main) -> Iterator[Pool[int]]:
    def here(request: object) -> object:
        assert isinstance(request, Add)
        return Sum(tuple(one + 10 for one in request.numbers), HERE)

    launch = Launch("support.pool_worker", run, CODEC)
    with closing(Pool[int](number, launch, here, lambda process, code: lost.append(code))) as made:
        made.tell(Base(10))
        yield made


@pytest.fixture(params=["copies", "new Pythons"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pool fork its processes or, by a patch, start them as on systems without fork."""
    if request.param == "copies" and sys.platform != "linux":
        pytest.skip("no copies are made here")
    monkeypatch.setattr(uncuda.child.pool, "may_fork", lambda: request.param == "copies")


def done(made: Pool[int], batches: list[list[int]], folder: Path) -> list[tuple[list[int], object]]:
    found = made.run(batches, lambda numbers: Add(tuple(numbers), str(folder)))
    return [(list(parts), answer) for parts, answer in found]


@pytest.mark.usefixtures("_way")
class TestPool:
    def test_answers_come_in_order(self, tmp_path: Path) -> None:
        lost: list[int] = []
        batches = [[number, number + 1] for number in range(1, 400, 2)]
        with pool(3, lost) as made:
            for _ in range(2):  # a second call must work as well
                found = done(made, batches, tmp_path)
                assert [parts for parts, _ in found] == batches
                answers = [answer for _, answer in found if isinstance(answer, Sum)]
                assert [answer.numbers for answer in answers] == [(a + 10, b + 10) for a, b in batches]
                assert len({answer.process for answer in answers}) <= 3
            assert os.getpid() not in {answer.process for answer in answers}
        assert not lost

    def test_what_a_process_had_not_answered_is_done_by_another(self, tmp_path: Path) -> None:
        lost: list[int] = []
        batches = [[1, 2], [3, -4, 5], [6, 7], [8]]
        with pool(2, lost) as made:
            found = done(made, batches, tmp_path)
            again = done(made, batches, tmp_path)
        assert lost == [-signal.SIGKILL]
        assert [one for parts, _ in found for one in parts] == [1, 2, 3, -4, 5, 6, 7, 8]
        assert [one for _, answer in found if isinstance(answer, Sum) for one in answer.numbers] == [
            *(11, 12, 13, 6, 15, 16, 17, 18)
        ]
        assert HERE not in {answer.process for _, answer in found if isinstance(answer, Sum)}
        assert [parts for parts, _ in again] == batches

    def test_what_ends_processes_is_named_and_the_rest_is_done(self, tmp_path: Path) -> None:
        lost: list[int] = []
        with pool(2, lost) as made:
            found = done(made, [[1, 2], [3, 0, 5], [6]], tmp_path)
        assert lost == [-signal.SIGKILL] * 2
        assert [(parts, answer) for parts, answer in found if isinstance(answer, Crashed)] == [([0], Crashed(-9))]
        assert Crashed(-9).reason == "SIGKILL"
        assert [one for _, answer in found if isinstance(answer, Sum) for one in answer.numbers] == [11, 12, 13, 15, 16]

    def test_with_no_process_left_it_is_done_here(self, tmp_path: Path) -> None:
        lost: list[int] = []
        with pool(1, lost) as made:
            found = done(made, [[0], [1], [2, 3]], tmp_path)
        assert lost == [-signal.SIGKILL] * 2
        assert isinstance(found[0][1], Crashed)
        assert [answer for _, answer in found[1:]] == [Sum((11,), HERE), Sum((12, 13), HERE)]

    def test_none_is_left(self, tmp_path: Path) -> None:
        with pool(3, []) as made:
            processes = [peer.process for peer in made._peers]
            assert len(processes) == 3
        assert all(process.returncode == -signal.SIGKILL for process in processes)


def test_processes_that_cannot_begin_cost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_worker, "main", pool_worker.never)
    monkeypatch.setattr(uncuda.child.pool, "command", lambda module: [sys.executable, "-c", "raise SystemExit(3)"])
    lost: list[int] = []
    with pool(2, lost, pool_worker.never) as made:
        assert [answer for _, answer in done(made, [[1], [2]], tmp_path)] == [Sum((11,), HERE), Sum((12,), HERE)]
    assert lost == [3] * 4
