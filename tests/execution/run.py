"""Ports programs and runs the ported texts; a text runs only once for all simulations that behave the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from execution.programs import Program
from execution.simulator.versions import PLUGINS
from execution.verdict import Verdict, judge
from execution.workers import Port, Porter, Run, Runners, read_texts
from scripts.plugin.known import modules

STRATEGIES = ("rewrite", "shim")
MODES = ("safe", "review")
NEWEST = {"npu": ("2.14",), "musa": ("2.7.1",)}
ALL = {target: tuple(reversed(PLUGINS[target].versions)) for target in NEWEST}


@dataclass(frozen=True)
class Case:
    """One way to port one program."""

    program: Program
    target: str
    version: str
    strategy: str
    mode: str

    @property
    def options(self) -> list[str]:
        version = PLUGINS[self.target].versions[self.version].version
        return ["--target", self.target, "--target-version", version, "--strategy", self.strategy]


@dataclass(frozen=True)
class Result:
    """A case (one way to port a program), its port and its verdict; `folded`: whether the verdict comes from the run of
    another case, which had the same text in the same simulation."""

    case: Case
    port: Port
    verdict: Verdict
    folded: bool
    seconds: float
    output: str = ""


class Judge:
    """Runs ported programs and compares the results with those of the unported programs. If a program is ported to the
    same text for several versions of a plugin that do not differ for this program, the text runs only once."""

    def __init__(self, porter: Porter, runners: Runners) -> None:
        self.porter, self.runners = porter, runners
        self.originals: dict[str, Future[Run]] = {}
        self.on_cpu: dict[str, Future[Run]] = {}
        # the runs so far, each with the plugin's version; the key is program, target and digest of the ported text
        self.runs: dict[tuple[str, str, str], list[tuple[str, Future[Run]]]] = {}

    def original(self, program: Program) -> Run:
        """Return the run of the original program on simulated CUDA."""
        return self._original(program).result()

    def _original(self, program: Program) -> Future[Run]:
        texts = read_texts(program.folder)
        if program.name not in self.originals:
            self.originals[program.name] = self.runners.run(program, texts, "cuda", "")
            if program.cpu:
                self.on_cpu[program.name] = self.runners.run(program, texts, "", "")
        return self.originals[program.name]

    def judge(self, program: Program, run: Run, port: Port, mode: str = "review") -> Verdict:
        """The verdict on the run of a ported program."""
        on_cpu = self.on_cpu[program.name].result() if program.name in self.on_cpu else None
        return judge(program, run, self.original(program), port.findings, on_cpu, mode == "safe")

    def cases(self, cases: Sequence[Case], without: Sequence[str] = ("", "")) -> Iterator[Result]:
        """The results of the cases (ways to port programs), in their order."""
        ported: dict[Case, Port] = {}
        newest: dict[Case, tuple[str, Future[Run]]] = {}
        for case in cases:
            self._original(case.program)
            ported[case] = self.porter.port(case.program.folder, case.options, case.mode == "review", without)
            key = (case.program.name, case.target, ported[case].digest)
            if key not in self.runs:
                self.runs[key] = [(case.version, self._run(case, ported[case]))]
                newest[case] = self.runs[key][0]
        runs: dict[Case, tuple[Future[Run], bool]] = {}
        for case in cases:  # all runs are started before the first is waited for
            runs[case] = (newest[case][1], False) if case in newest else self._alike(case, ported[case])
        for case in cases:
            run, folded = runs[case]
            done = run.result()
            verdict = self.judge(case.program, done, ported[case], case.mode)
            yield Result(case, ported[case], verdict, folded, 0.0 if folded else done.seconds, done.output)

    def _run(self, case: Case, port: Port) -> Future[Run]:
        return self.runners.run(case.program, port.texts, case.target, case.version)

    def _alike(self, case: Case, port: Port) -> tuple[Future[Run], bool]:
        """Return the run that gives the result of a case, and whether this run was already started for an earlier case.
        An earlier run of the same text is used if the plugin had the same version, or if the program could not tell the
        plugin's two versions apart."""
        runs = self.runs[case.program.name, case.target, port.digest]
        for version, run in runs:
            if version == case.version or _alike(case.target, version, case.version, run.result()):
                return run, True
        runs.append((case.version, self._run(case, port)))
        return runs[-1][1], False


def _alike(target: str, one: str, other: str, run: Run) -> bool:
    """Return whether two versions of a plugin are alike for a program that ran on the version `one`: both give the same
    answers to the program's queries, and have the same entry for every name that the program looked up."""
    versions, names, others = PLUGINS[target].versions, modules(target, one), modules(target, other)
    for record in run.records:
        if "asked" not in record:  # the record belongs to a process that the program started
            return False
        if any(str(getattr(versions[other], fact)) != answer for fact, answer in record["asked"].items()):
            return False
        for place in record["touched"]:
            module, _, name = place.partition(":")
            if names.get(module, {}).get(name, "") != others.get(module, {}).get(name, ""):
                return False
    return True


def all_cases(
    programs: Iterable[Program], versions: Mapping[str, Sequence[str]], strategies: Sequence[str] = STRATEGIES
) -> list[Case]:
    """Every combination of program, target, version, strategy and mode."""
    return [
        Case(program, target, version, strategy, mode)
        for program in programs
        for target in versions
        for version in versions[target]
        for strategy in strategies
        for mode in MODES
    ]
