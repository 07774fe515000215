"""Measures how the time of `check` and `fix --diff` grows with the size of a file that repeats one construct.

    python tests/bench/growth.py [--large] [NAME…]

The figures are the CPU seconds of the command, without its start, for files of 16 kB, 64 kB and, with `--large`, 1 MB,
and the factor by which the time grows when the size grows fourfold. `limited`: the file was reported as too much work,
after the seconds that are shown; `fewer`: the file was checked, but not every construct in it has a finding.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.run import Figure
from support.growth import SHAPES

MOST = 5.0  # the highest allowed factor by which the time grows if the size grows fourfold
SIZES = (16 << 10, 64 << 10)
LARGE = 1 << 20  # a run of all constructs with this size takes half an hour
SHORT = 1.0  # in CPU seconds; a shorter run is repeated three times, and the fastest counts
ENOUGH = 0.05  # in CPU seconds; a shorter run is too inexact to show growth
# The constructs, each with a function from n to the number of findings in a file with n of them; None: the number is
# not checked.
ROWS: dict[str, Callable[[int], int] | None] = {
    "and_chain": lambda n: n,
    "is_cuda_chain": lambda n: n,
    "if_after_if": lambda n: n,
    "rebound_name": lambda n: n,
    "match_cases": lambda n: n,
    "unclosed_brackets": None,
    "broken_statements": lambda n: n,
    "unclosed_quotes": None,
    "dict_of_values": None,
    "nccl_checks": lambda n: n,
    "argparse_options": lambda n: n,
    "amp_c_guards": lambda n: n,
    "unused_suppressions": lambda n: n + 1,
    "used_suppressions": None,
    "reversed_aliases": lambda n: 1,
    "star_imports": lambda n: n,
    "imports": lambda n: n,
    "with_items": lambda n: n,
    "comprehension_clauses": lambda n: n + 1,
    "nested_if": None,
    "nested_def": None,
    "nested_class": None,
    "long_comment": lambda n: 1,
    "carriage_returns": lambda n: n,
    "many_findings": lambda n: n,
    "devices_of_float64_tensors": lambda n: 2 * n,
    "models_unwrapped_where_they_are_wrapped": None,
    "models_that_move_behind_what_stays": lambda n: 4 * n,
    "tests_that_need_a_device": lambda n: 4 * n,
    "flags_of_two_accelerators": lambda n: n,
    "defaults_that_ask": lambda n: 2 * n,
    "variables_with_names_of_modules": lambda n: n,
}


class Run(NamedTuple):
    """The CPU time of one command, its exit code and its output."""

    seconds: float
    code: int
    out: str
    err: str

    @property
    def is_limited(self) -> bool:
        """Whether uncuda skipped the file because it needs too much work."""
        return "left out" in self.err


def made(name: str, size: int) -> tuple[int, str]:
    """Return the largest number n of a construct that fits into a file of `size` bytes, and the text with n of them."""
    low, high = 1, 2
    while len(SHAPES[name](high)) < size and high < size:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if len(SHAPES[name](middle)) <= size else (low, middle)
    return low, SHAPES[name](low)


def run(folder: Path, *arguments: str) -> Run:
    """Run a command in a process that has imported all modules already."""
    out, err = folder / "out", folder / "err"
    process = os.fork()
    if not process:
        code = 70
        try:
            for descriptor, file in ((1, out), (2, err)):
                os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
            from uncuda.cli import main

            sys.argv = ["uncuda", *arguments]
            code = main()
            sys.stdout.flush()
            sys.stderr.flush()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        finally:
            os._exit(code)
    _, status, usage = os.wait4(process, 0)
    seconds = usage.ru_utime + usage.ru_stime
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in (out, err))
    return Run(seconds, os.waitstatus_to_exitcode(status), *texts)


def grown(name: str, sizes: Sequence[int] = SIZES) -> list[Figure]:
    """Measure the time of `check` and `fix --diff` on a file that repeats one construct, for each size of the file."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="uncuda-bench-") as made_in:
        folder = Path(made_in)
        file = folder / "grown.py"
        for kind, *command in (
            ("check", "--isolated", "--target", "npu", "--output-format", "json", str(file)),
            ("fix", "--isolated", "--target", "npu", "--diff", str(file)),
        ):
            file.write_text("import torch\ntorch.cuda.synchronize()\n", encoding="utf-8")
            begin, before, last = run(folder, kind, *command).seconds, 0.0, 0
            for size in sizes:
                n, text = made(name, size)
                file.write_bytes(text.encode())
                done = run(folder, kind, *command)
                if done.seconds < SHORT:
                    done = min(done, *(run(folder, kind, *command) for _ in range(2)))
                seconds = max(0.0, done.seconds - begin)
                label = f"{name}, {kind}, {size >> 10} kB, n = {n}{_remark(done, name, n, kind)}"
                figures.append(Figure(label, seconds, "s"))
                if done.is_limited:
                    break
                if before >= ENOUGH:
                    times = (seconds / before) ** (math.log(4) / math.log(size / last))
                    figures.append(Figure(f"{name}, {kind}, to {size >> 10} kB: 4 x costs", times, "x", MOST))
                before, last = seconds, size
    return figures


def _remark(done: Run, name: str, n: int, kind: str) -> str:
    if done.is_limited:
        return ": limited"
    if done.code not in (0, 1):
        return f": code {done.code}"
    wanted = ROWS[name]
    if kind == "check" and wanted is not None:
        found = len(json.loads(done.out)["findings"])
        return "" if found >= wanted(n) else f": fewer, {found}"
    return ""


def growth(names: Sequence[str] = tuple(ROWS), sizes: Sequence[int] = SIZES) -> Iterator[Figure]:
    """Yield, for each construct, the factor by which the time grows for four times the size."""
    for command in ("check", "fix"):
        import_module(f"uncuda.cli.{command}")
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        for figures in pool.map(partial(grown, sizes=sizes), names):
            yield from figures


def main() -> int:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--large", action="store_true", help="files of 1 MB, too")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these constructs")
    arguments = parser.parse_args()
    if unknown := sorted({*arguments.names} - {*ROWS}):
        parser.error(f"no such construct: {', '.join(unknown)}")
    for figure in growth(arguments.names or tuple(ROWS), (*SIZES, LARGE) if arguments.large else SIZES):
        print(figure.text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
