"""Tests the rules on simulated accelerators: runs the fixed code of the examples on the rules' pages, or compares the
names in this code with the plugin's source.

    python -m execution.rules [RULE …]

For a target, a rule counts as tested by `run` if the fixed text of at least one of its examples ran unchanged on the
simulated target, and the fixed text of no example failed. The fixed text of an example counts as run if it ran to its
end, executed every statement that the fix wrote, and used PyTorch. If the fixed text of no example could be run, the
rule is tested by `signature`: all names of the plugin that the fixes write are in the plugin's source and accept the
arguments of the examples (server/scripts/plugin/names). If a rule can be neither run nor compared for a reason that a
program cannot determine, the reason is in reasons.toml.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from execution.signatures import compare, not_reached, written
from execution.simulator.versions import PLUGINS
from execution.workers import Runners
from uncuda.catalogue import Catalogue, Example, Rule, load, read_page
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.report.proofs import Proof
from uncuda.settings import Settings
from uncuda.settings.toml import parse_toml
from uncuda.source import Source

REASONS = Path(__file__).parent / "reasons.toml"
TARGETS = ("npu", "musa")
SECONDS = 20


@dataclass(frozen=True)
class Attempt:
    """The result of running one fixed example; `at`: file and line of the example."""

    example: Example
    state: Literal["ran", "failed", "not run"]
    note: str = ""
    at: str = ""


@dataclass(frozen=True)
class Case:
    """A rule and a target, with the examples that show a fix for this target."""

    rule: Rule
    target: str
    examples: tuple[Example, ...]

    @property
    def version(self) -> str:
        """The newest version of the plugin that is simulated."""
        return PLUGINS[self.target].versions[list(PLUGINS[self.target].versions)[-1]].version


class Prover:
    """Runs examples in forks of one process."""

    def __init__(self) -> None:
        self.catalogue: Catalogue = load()
        self._runners = Runners(1)
        self._reasons: dict[str, str] = parse_toml(REASONS.read_text("utf-8"))

    def cases(self, only: Collection[str] = ()) -> Iterator[Case]:
        """The pairs of rule and target for which the rule applies."""
        for rule in self.catalogue.rules.values():
            assert isinstance(rule.path, Path)
            pages = read_page(rule.path)[1] if not only or rule.name in only else ()
            for target in TARGETS:
                if any(self._speaks(rule, example, target) for example in pages):
                    fixed = (example for example in pages if example.after.get(target, example.text) != example.text)
                    yield Case(rule, target, tuple(fixed))

    def attempt(self, case: Case) -> list[Attempt]:
        """Run the examples of a rule for a target."""
        return [self._attempt(case, example) for example in case.examples]

    def prove(self, case: Case, attempts: Sequence[Attempt]) -> Proof:
        """Derive the Proof for a rule and a target from the attempts to run the rule's examples.

        Raises:
            ValueError: reasons.toml lacks a reason that is needed.
        """
        name, ran = case.rule.name, sum(attempt.state == "ran" for attempt in attempts)
        proof: Literal["run", "signature", "neither"] = "neither"
        notes = [attempt.note for attempt in sorted(attempts, key=lambda one: one.state) if attempt.note]
        if not attempts:
            return Proof(proof, 0, 0, "no fix: only a person can decide", ())
        if any(attempt.state == "failed" for attempt in attempts):
            return Proof(proof, len(attempts), ran, self._reasons.get(name, notes[0]), ())
        if ran:
            proof = "run"
        elif self._agree(case):
            proof = "signature"
        elif name in self._reasons:
            return Proof(proof, len(attempts), ran, self._reasons[name], ())
        else:
            raise ValueError(f"{REASONS.name}: no reason for {name}, not proved for {case.target}: {'; '.join(notes)}")
        return Proof(proof, len(attempts), ran, notes[0] if notes else "", (case.version,))

    def is_new(self, case: Case, attempt: Attempt) -> bool:
        """Return True if an example fails and reasons.toml gives no reason for that."""
        return attempt.state == "failed" and case.rule.name not in self._reasons

    def check_reasons(self, found: dict[str, dict[str, Proof]]) -> None:
        """Raises ValueError if reasons.toml has a reason for a rule that needs none."""
        for rule in self._reasons:
            if not any(proof.reason == self._reasons[rule] for proof in found.get(rule, {}).values()):
                raise ValueError(f"{REASONS.name}: {rule} needs no reason")

    def close(self) -> None:
        self._runners.close()

    def _speaks(self, rule: Rule, example: Example, target: str) -> bool:
        """Return whether the rule reports the example for the target, decided as in tests/test_rules.py."""
        if not example.flagged or (example.only and target not in example.only):
            return False
        options = dict(option.split(":", 1) for option in example.project)
        known = self.catalogue.target(target, options.get("version"), options.get("torch"))
        return bool(example.only) or not (rule.needs and known.has(rule.needs))

    def _attempt(self, case: Case, example: Example) -> Attempt:
        text, note = example.after[case.target], ""
        answer = self._run(case, example, text)
        if answer["state"] == "failed" and answer["line"] not in written(example.text, text):
            whole = self._fixed_by_all(case, text)
            if whole != text:
                text, answer = whole, self._run(case, example, whole)
                note = "with what other rules port in the example"
        assert case.rule.path is not None
        at = f"{case.rule.path.name}:{example.line}"
        if answer["state"] != "ran":
            row = f": {text.splitlines()[answer['line'] - 1].strip()}" if answer["line"] else ""
            return Attempt(example, answer["state"], answer["note"], f"{at}{row}")
        missed = not_reached(example.text, text, frozenset(answer["lines"]))
        if missed:
            return Attempt(example, "not run", f"`{missed[0]}` was not reached", at)
        if not answer["torch"]:
            return Attempt(example, "not run", "nothing of PyTorch ran", at)
        return Attempt(example, "ran", note, at)

    def _run(self, case: Case, example: Example, text: str) -> Any:
        words = self.catalogue.targets[case.target].words
        shim = "strategy:shim" in example.project
        start = words["patch-import"] if shim else f"import {words['package']}"
        here = words["patch-import"] in text if shim else words["package"] in text
        with tempfile.TemporaryDirectory(prefix="example-", ignore_cleanup_errors=True) as folder:
            job = {"folder": folder, "file": "example.py", "arguments": [], "processes": 1, "devices": 2}
            job |= {"target": case.target, "version": list(PLUGINS[case.target].versions)[-1], "seconds": SECONDS}
            job |= {"example": text, "prelude": "" if here else start, "backend": words["ccl"]}
            future: Future[Any] = self._runners.ask(job)
            answer = future.result()
        said = answer["output"].strip().splitlines()[-1:]
        note = f"ended after {answer['seconds']} s: {''.join(said)}"
        return answer["records"][0] or {"state": "failed", "note": note, "line": 0}

    def _fixed_by_all(self, case: Case, text: str) -> str:
        settings = Settings(target_version=None, strategy="rewrite")
        return Engine(self.catalogue, case.target, settings, Project()).fix(Source(text), review=True).text

    def _agree(self, case: Case) -> bool:
        """Whether the plugin's source has the names that the fixes write, with parameters for the arguments in the
        fixed texts."""
        found = [compare(case.target, case.version, one.text, one.after[case.target]) for one in case.examples]
        return any(named for named, _ in found) and not any(wrong for _, wrong in found)


def proofs() -> dict[str, dict[str, Proof]]:
    """The Proofs by rule and target.

    Raises: ValueError: reasons.toml lacks a reason, or has one that is not needed.
    """
    prover, found = Prover(), dict[str, dict[str, Proof]]()
    for case in prover.cases():
        attempts = prover.attempt(case)
        found.setdefault(case.rule.name, {})[case.target] = prover.prove(case, attempts)
    prover.close()
    prover.check_reasons(found)
    return found


def main() -> int:
    """Print a table of proofs, and every example that did not run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", metavar="RULE")
    only = parser.parse_args().rules
    prover, found, bad = Prover(), dict[str, dict[str, Proof]](), 0
    for case in prover.cases(only):
        attempts = prover.attempt(case)
        try:
            proof = prover.prove(case, attempts)
            print(f"{case.rule.name:30} {case.target:5} {proof.proof:10} {proof.run}/{proof.examples}  {proof.reason}")
            found.setdefault(case.rule.name, {})[case.target] = proof
        except ValueError as error:
            bad += 1
            print(error)
        for one in attempts:
            if one.state != "ran":
                bad += prover.is_new(case, one)
                print(f"    {one.state}: {one.at}: {one.note}")
    prover.close()
    counts = [(target, proof) for target in TARGETS for proof in ("run", "signature", "neither")]
    for target, kind in counts:
        print(f"{target} {kind}: {sum(one[target].proof == kind for one in found.values() if target in one)}")
    if not only:
        prover.check_reasons(found)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
