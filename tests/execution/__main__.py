"""Ports programs and runs the ported programs: `make test-execution`, `make test-execution-full`.

The exit code is 1 if the verdicts differ from those in docs/execution.json, unless `--write` updates that file.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from execution.mutation import mutation, problems, relations, unusable
from execution.programs import Program, load_programs
from execution.report import page
from execution.rules import proofs
from execution.run import ALL, NEWEST, STRATEGIES, Judge, Result, all_cases
from execution.verdict import curve, same_curve
from execution.workers import PYTHON, ROOT, Porter, Runners
from support.execution_record import RECORD, Mutation, Outcome, Record, digests, dump, read

EARLIER = "d2dd3e6"  # the last commit whose engine did not consider which code a condition guards
PAGE = RECORD.with_suffix(".md")


def main() -> int:
    arguments = _parser().parse_args()
    if arguments.page:
        PAGE.write_text(page(_recorded(), load_programs()), "utf-8")
        return 0
    if not PYTHON.is_file():
        print(f"there is no {PYTHON}: run tests/execution/setup", file=sys.stderr)
        return 2
    started = time.monotonic()
    record, wrong = _recorded(), list[str]()
    for stage in _stages(arguments):
        record, more = stage(record)
        wrong += more
        if arguments.write:  # the record is written after every stage, because a full run takes half an hour
            _write(record)
    print(f"{time.monotonic() - started:.0f} s")
    if arguments.write:
        return 0
    print(*wrong, sep="\n")
    return 1 if wrong else 0


Stage = Callable[[Record], tuple[Record, list[str]]]


def _stages(arguments: argparse.Namespace) -> list[Stage]:
    """Return the stages of the requested run: each stage gets a record, and returns the updated record with a line for
    each difference."""
    programs = load_programs(tuple(arguments.programs))
    stages: list[Stage] = [partial(_programs, programs, arguments)]
    if not arguments.programs:
        stages.insert(0, _rules)
    if arguments.full and not arguments.programs:
        stages.insert(0, _stand_ins)
        stages += [partial(_mutants, arguments.workers), partial(_earlier, programs, arguments.workers)]
    return stages


def _programs(programs: list[Program], arguments: argparse.Namespace, record: Record) -> tuple[Record, list[str]]:
    runners = Runners(arguments.workers)
    try:
        outcomes, folded = _run(Judge(Porter(), runners), programs, arguments.full, arguments.verbose)
    finally:
        runners.close()
    wrong = _compared(record, outcomes)
    if arguments.full and not arguments.programs:
        record = replace(record, programs=tuple(outcomes), folded=folded, digests=digests())
    return record, wrong


def _stand_ins(record: Record) -> tuple[Record, list[str]]:
    """Check relations.toml at the start, because an error in it would otherwise end the mutation run after half an
    hour. This stage only checks the stand-ins and does not change the record."""
    if wrong := unusable(relations()):
        sys.exit("\n".join(wrong))
    return record, []


def _rules(record: Record) -> tuple[Record, list[str]]:
    found = proofs()
    names = sorted(found.keys() | record.rules.keys())
    wrong = [
        f"rule {name}: {found.get(name)}, before: {record.rules.get(name)}"
        for name in names
        if found.get(name) != record.rules.get(name)
    ]
    return replace(record, rules=found), wrong


def _mutants(workers: int, record: Record) -> tuple[Record, list[str]]:
    found = mutation(workers)
    return replace(record, mutation=found), problems(found)


def _earlier(programs: list[Program], workers: int, record: Record) -> tuple[Record, list[str]]:
    runners = Runners(workers)
    try:
        return replace(record, earlier=tuple(_by_earlier_engine(runners, programs, list(record.programs)))), []
    finally:
        runners.close()


def _recorded() -> Record:
    """The record of the last run; an empty one if its format has changed."""
    try:
        return read(RECORD.read_text("utf-8"))
    except (OSError, ValueError):
        return Record(digests(), "", "", {}, (), 0, (), Mutation({}, {}, {}))


def _write(record: Record) -> None:
    major, minor, torch = _versions()
    record = replace(record, python=f"{major}.{minor}", torch=torch)
    RECORD.write_text(dump(record), "utf-8")
    PAGE.write_text(page(record, load_programs()), "utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="execution", description=__doc__)
    parser.add_argument("programs", nargs="*", help="only these programs, and nothing but programs")
    parser.add_argument("--full", action="store_true", help="every version of the plugins, mutants, the earlier engine")
    parser.add_argument("--write", action="store_true", help="write docs/execution.json and docs/execution.md")
    parser.add_argument("--page", action="store_true", help="write docs/execution.md from the record, and stop")
    parser.add_argument("--workers", type=int, default=2, help="how many programs run at once")
    parser.add_argument("--verbose", action="store_true", help="show what programs say that fail or differ")
    return parser


def _run(judge: Judge, programs: list[Program], full: bool, verbose: bool) -> tuple[list[Outcome], int]:
    outcomes, folded = [], 0
    counts: Counter[str] = Counter()
    for result in judge.cases(all_cases(programs, ALL if full else NEWEST, STRATEGIES)):
        outcome = _outcome(result)
        outcomes.append(outcome)
        folded += result.folded
        counts[outcome.verdict] += 1
        print(_line(result), flush=True)
        if verbose and outcome.verdict in ("fails", "differs"):
            print(result.output[-3000:])
    for line in _originals(judge, programs):
        print(line)
    judge.porter.close()
    print(", ".join(f"{count} {word}" for word, count in counts.most_common()))
    return outcomes, folded


def _outcome(result: Result) -> Outcome:
    case = result.case
    return Outcome(
        case.program.name,
        case.target,
        case.version,
        case.strategy,  # type: ignore[arg-type]
        case.mode,  # type: ignore[arg-type]
        result.verdict.word,  # type: ignore[arg-type]
        result.verdict.note,
    )


def _line(result: Result) -> str:
    case = result.case
    way = f"{case.target:4s} {case.version:6s} {case.strategy:7s} {case.mode:6s}"
    seconds = "folded" if result.folded else f"{result.seconds:5.1f}s"
    return f"{case.program.name:22s} {way} {result.verdict.word:13s} {seconds} {result.verdict.note}"


def _originals(judge: Judge, programs: Iterable[Program]) -> Iterator[str]:
    """Yield programs that fail before the port, or that give other results on simulated CUDA than on the CPU, so that
    their ports cannot be judged."""
    for program in programs:
        original = judge.original(program)
        if original.code:
            yield f"{program.name} ends on simulated CUDA: {original.error} {original.places}"
        on_cpu = judge.on_cpu.get(program.name)
        if on_cpu is not None and not same_curve(curve(on_cpu.result()), curve(original), 1e-4):
            yield f"{program.name}: the curve on the CPU is not that on simulated CUDA {on_cpu.result().error}"


def _compared(record: Record, outcomes: Iterable[Outcome]) -> list[str]:
    """The differences between these outcomes and the outcomes in `record`, one per line."""
    before = {replace(outcome, verdict="same", note=""): outcome for outcome in record.programs}
    lines = []
    for outcome in outcomes:
        recorded = before.get(replace(outcome, verdict="same", note=""))
        if recorded is None or recorded.verdict != outcome.verdict:
            way = f"{outcome.program} {outcome.target} {outcome.version} {outcome.strategy} {outcome.mode}"
            was = recorded.verdict if recorded is not None else "not recorded"
            lines.append(f"{way}: {outcome.verdict} ({outcome.note}), before: {was}")
    return lines


def _by_earlier_engine(runners: Runners, programs: list[Program], now: list[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes of the engine at commit EARLIER that differ from the current ones; none if git's history is
    missing."""
    with tempfile.TemporaryDirectory() as scratch:
        archive = subprocess.run(
            ["git", "archive", EARLIER, "server", "rules"], cwd=ROOT, capture_output=True, check=False
        )
        if archive.returncode:
            print(f"no engine of {EARLIER} to compare with: {archive.stderr.decode().strip()}")
            return
        file = Path(scratch) / "archive.tar"
        file.write_bytes(archive.stdout)
        with tarfile.open(file) as opened:
            opened.extractall(scratch, filter="data")
        today = {replace(outcome, verdict="same", note=""): outcome.verdict for outcome in now}
        judge = Judge(Porter(Path(scratch) / "server"), runners)
        for result in judge.cases(all_cases(programs, NEWEST, ("rewrite",))):
            outcome = _outcome(result)
            if today.get(replace(outcome, verdict="same", note="")) != outcome.verdict:
                yield outcome
        judge.porter.close()


def _versions() -> tuple[str, str, str]:
    """The major and minor version of Python, and the version of PyTorch, in the virtual environment."""
    code = "import sys, torch; print(sys.version_info[0], sys.version_info[1], torch.__version__.partition('+')[0])"
    done = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=True)
    one, two, torch = done.stdout.split()
    return one, two, torch


if __name__ == "__main__":
    sys.exit(main())
