"""Mutation test: for every rule or relation of the engine, checks whether some program fails or gives other results
without it. `python -m execution.mutation`.

Each safe rule is switched off, and each relation of relations.toml disabled, one at a time. Every program is ported
with the mutant; if the text or the findings differ from those without the mutant, both ports are run. A program notices
a mutant if its port by the mutant is worse than its port by the complete engine. The latter must have run as on CUDA,
or must have failed as a finding predicted. A port is worse if it fails, gives other results, crashes although the
original program works, or, if a rule is switched off, no longer runs on the device. For each mutant that no program
notices, survivors.toml gives a reason.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from execution.programs import Program, load_programs
from execution.run import NEWEST, STRATEGIES, Case, all_cases
from execution.verdict import Verdict, judge
from execution.workers import ROOT, Port, Porter, Run, Runners, read_texts
from support.execution_record import RECORD, Mutation, read
from uncuda.catalogue import load
from uncuda.settings.toml import parse_toml

HERE = Path(__file__).parent
LEAST = {"rules": 0.8, "relations": 0.9}
_GOOD = ("same", "reported")
_WORSE = ("differs", "fails")


@dataclass(frozen=True)
class Mutant:
    """What is changed in the engine: a rule is switched off, or the function of a relation is replaced by a lambda."""

    name: str
    place: str = ""
    answer: str = ""

    @property
    def is_rule(self) -> bool:
        return not self.place

    def options(self, case: Case) -> list[str]:
        return [*case.options, *(["--ignore", self.name] if self.is_rule else [])]


@dataclass(frozen=True)
class Ended:
    """A ported program, its run, and the verdict on that run."""

    run: Run
    verdict: Verdict


def rules() -> list[Mutant]:
    """A mutant for every rule that has safe fixes."""
    return [
        Mutant(rule.name) for rule in sorted(load().rules.values(), key=lambda rule: rule.name) if rule.fix == "safe"
    ]


def relations() -> list[Mutant]:
    """The mutants that relations.toml describes.

    Raises: ValueError: a module of `engine/relations` has no mutant.
    """
    table = parse_toml((HERE / "relations.toml").read_text("utf-8"))
    found = [Mutant(name, row["place"], row["answer"]) for name, row in table.items()]
    named = {mutant.place.partition(":")[0] for mutant in found}
    folder = ROOT / "server" / "uncuda" / "engine" / "relations"
    modules = {f"uncuda.engine.relations.{file.stem}" for file in folder.glob("*.py") if file.stem != "__init__"}
    if unnamed := modules - named:
        raise ValueError(f"no relation of relations.toml is one of {', '.join(sorted(unnamed))}")
    return found


def unusable(mutants: Iterable[Mutant]) -> list[str]:
    """Return an error for each mutant with which the engine crashes because the replaced function has other arguments
    or results than relations.toml says. Each mutant is tried with one program before the mutation test, which
    takes half an hour."""
    folder, wrong = load_programs()[0].folder, []
    porter: Porter | None = None
    for mutant in mutants:
        if porter is None:
            porter = Porter()
            # port once, to import all modules before a function is replaced
            porter.port(folder, ["--target", "npu"], review=True)
        try:
            porter.port(folder, ["--target", "npu"], review=True, without=(mutant.place, mutant.answer))
        except RuntimeError as error:
            wrong.append(f"relations.toml, {mutant.name}: the engine does not work with its answer: {error}")
            porter.close()
            porter = None
    if porter is not None:
        porter.close()
    return wrong


class Hunt:
    """Searches for programs that notice a mutant; several threads may search at the same time."""

    def __init__(self, programs: Sequence[Program], workers: int) -> None:
        self._runners = Runners(workers)
        self._programs = programs
        self._local = threading.local()
        self._porters: list[Porter] = []
        self._lock = threading.Lock()
        self._ports: dict[Case, Port] = {}
        self._runs: dict[tuple[str, str, str], Future[Run]] = {}

    def killer(self, mutant: Mutant, first: str = "") -> str:
        """The case (a program and a way to port it) that notices a mutant, and how; "" if none does. `first`: the
        program to try first."""
        for case in self._cases(mutant, first):
            port = self._port(case, mutant)
            before = self._unmutated(case)
            if port != before and (worse := self._worse(mutant, case, before, port)):
                return worse
        return ""

    def close(self) -> None:
        self._runners.close()
        for porter in self._porters:
            porter.close()

    def _cases(self, mutant: Mutant, first: str) -> list[Case]:
        """Return the cases (programs, each with a way to port it) in which the mutant may be noticed, in the order in
        which they are tried: first those of the program `first`. For a rule that applies with a shim, cases with a shim
        are included."""
        shim = mutant.is_rule and load().rules[mutant.name].shim != "silent"
        cases = all_cases(self._programs, NEWEST, STRATEGIES if shim else STRATEGIES[:1])
        order = ("safe", "review")
        return sorted(
            cases,
            key=lambda case: (
                case.program.name != first,
                STRATEGIES.index(case.strategy),
                order.index(case.mode),
                case.target != "npu",
            ),
        )

    def _port(self, case: Case, mutant: Mutant) -> Port:
        without = (mutant.place, mutant.answer)
        return self._porter().port(case.program.folder, mutant.options(case), case.mode == "review", without)

    def _unmutated(self, case: Case) -> Port:
        if case not in self._ports:
            self._ports[case] = self._porter().port(case.program.folder, case.options, case.mode == "review")
        return self._ports[case]

    def _porter(self) -> Porter:
        """Return the current thread's `Porter`, an object that ports programs with uncuda. The porter has already
        ported a folder without a mutant, so that it has imported all modules before a function is replaced."""
        if not hasattr(self._local, "porter"):
            porter = self._local.porter = Porter()
            self._porters.append(porter)
            porter.port(self._programs[0].folder, ["--target", "npu"], review=True)
        found: Porter = self._local.porter
        return found

    def _worse(self, mutant: Mutant, case: Case, before: Port, after: Port) -> str:
        """Return in which way the mutant's port is worse than the port without the mutant; "" if it is not worse."""
        was = self._ended(case, before)
        if was.verdict.word not in _GOOD:
            return ""
        now = self._ended(case, after)
        lost = mutant.is_rule and (was.verdict.word, now.verdict.word) == _GOOD
        crashed = now.run.code and not was.run.code and now.verdict.word in _GOOD and self._works(case.program)
        if now.verdict.word not in _WORSE and not lost and not crashed:
            return ""
        how = f"{case.program.name} ({case.target}, {case.strategy}, {case.mode})"
        return f"{how}: {was.verdict.word}; with the mutant {now.verdict.word}: {now.verdict.note}".rstrip(": ")

    def _ended(self, case: Case, port: Port) -> Ended:
        original = self._run(case.program, read_texts(case.program.folder), "cuda", "")
        run = self._run(case.program, port.texts, case.target, case.version)
        return Ended(run.result(), judge(case.program, run.result(), original.result(), port.findings))

    def _works(self, program: Program) -> bool:
        """Return whether the original program runs without an accelerator."""
        return program.cpu and self._run(program, read_texts(program.folder), "", "").result().code == 0

    def _run(self, program: Program, texts: Mapping[str, str], target: str, version: str) -> Future[Run]:
        key = (program.name, target, Port(texts, ()).digest)
        with self._lock:
            if key not in self._runs:
                self._runs[key] = self._runners.run(program, texts, target, version)
            return self._runs[key]


def mutation(workers: int = 2, programs: Sequence[Program] = (), only: Iterable[str] = ()) -> Mutation:
    """For each mutant, the program that notices it; `only`: mutants with one of these strings in their name."""
    known = _killers()
    parts = tuple(only)
    mutants = [one for one in (*rules(), *relations()) if not parts or any(part in one.name for part in parts)]
    hunt = Hunt(programs or load_programs(), workers)
    with ThreadPoolExecutor(workers) as pool:
        noticed = pool.map(lambda one: hunt.killer(one, known.get(one.name, "")), mutants)
        found = dict(zip(mutants, _told(mutants, noticed)))
    hunt.close()
    reasons = parse_toml((HERE / "survivors.toml").read_text("utf-8"))
    return Mutation(
        {one.name: by for one, by in found.items() if one.is_rule},
        {one.name: by for one, by in found.items() if not one.is_rule},
        {**reasons.get("rules", {}), **reasons.get("relations", {})},
    )


def problems(found: Mutation) -> list[str]:
    """The problems of a mutation test: a score that is too low, surviving mutants without a reason, reasons without a
    survivor."""
    wrong = []
    every = {**found.rules, **found.relations}
    for name, least in LEAST.items():
        noticed: Mapping[str, str] = getattr(found, name)
        if (score := _score(noticed)) < least:
            wrong.append(f"{name}: {score:.0%} are noticed, at least {least:.0%} should be")
    unsaid = [name for name, by in every.items() if not by and name not in found.reasons]
    needless = [name for name in found.reasons if every.get(name, "-")]
    wrong += [f"{name}: survives without a reason" for name in unsaid]
    return wrong + [f"{name}: a reason, but it is noticed, or there is none" for name in needless]


def _score(noticed: Mapping[str, str]) -> float:
    return sum(map(bool, noticed.values())) / len(noticed) if noticed else 1.0


def _killers() -> dict[str, str]:
    """Return, for each mutant, the program that noticed it in the recorded run."""
    try:
        noticed = read(RECORD.read_text("utf-8")).mutation
    except (OSError, ValueError):
        return {}
    return {name: by.partition(" ")[0] for name, by in {**noticed.rules, **noticed.relations}.items() if by}


def _told(mutants: Sequence[Mutant], found: Iterable[str]) -> Iterator[str]:
    for mutant, by in zip(mutants, found):
        print(f"{mutant.name:62s} {by or 'SURVIVES'}", flush=True)
        yield by


def main() -> int:
    parser = argparse.ArgumentParser(prog="execution.mutation", description=__doc__)
    parser.add_argument("mutants", nargs="*", help="only those whose names hold one of these")
    parser.add_argument("--program", action="append", default=[], help="only this program")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    started = time.monotonic()
    programs = load_programs(tuple(arguments.program))
    found = mutation(arguments.workers, programs, arguments.mutants)
    for name in LEAST:
        noticed: Mapping[str, str] = getattr(found, name)
        print(f"{name}: {sum(map(bool, noticed.values()))} of {len(noticed)} noticed, {_score(noticed):.0%}")
    wrong = [] if arguments.mutants or arguments.program else problems(found)
    print(*wrong, f"{time.monotonic() - started:.0f} s", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
