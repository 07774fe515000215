"""The order in which to handle findings: first the findings that prevent the code from running at all, then the
findings with a fix, then the manual work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from uncuda.catalogue import Rule
from uncuda.catalogue.keys import PREREQUISITES
from uncuda.settings import SEVERITIES
from uncuda.workspace import CLASSES, MANUAL, Counts
from uncuda.workspace.counts import Row

Command = Callable[..., str]
"""A function that builds a command line of uncuda with the user's own options and paths; its arguments are the command
and further options."""
_FIRST = tuple(PREREQUISITES)


@dataclass(frozen=True)
class Step:
    """A group of findings that are handled together. `name`: a prerequisite of rules ("library", "extension",
    "environment") or a fix class."""

    name: str
    count: int
    decisions: int
    rules: tuple[str, ...]  # the rules of the findings, those with the most findings first
    # the libraries, APIs and variables that the findings are about: first those of errors, then those with the most
    # findings
    subjects: tuple[str, ...]
    command: str

    def record(self) -> dict[str, Any]:
        """The step as a JSON object."""
        return {
            "step": self.name,
            "count": self.count,
            "decisions": self.decisions,
            "rules": self.rules,
            "subjects": self.subjects,
            "command": self.command,
        }


def steps(counts: Counts, rules: Mapping[str, Rule], command: Command) -> list[Step]:
    """Return the steps in which to handle the findings (see `Step`), without empty steps; each finding belongs to one
    step."""
    rows: dict[str, dict[Row, int]] = {}
    for row, number in counts.rows.items():
        rows.setdefault(_step_of(row, rules), {})[row] = number
    return [_step(name, rows[name], command) for name in (*_FIRST, *CLASSES) if name in rows]


def _step_of(row: Row, rules: Mapping[str, Rule]) -> str:
    rule = rules.get(row.rule)
    return rule.prerequisite if rule and rule.prerequisite and row.kind == MANUAL else row.kind


def _step(name: str, rows: Mapping[Row, int], command: Command) -> Step:
    by_rule, by_subject = Counter[str](), Counter[str]()
    gravest: dict[str, int] = {}
    for row, number in rows.items():
        by_rule[row.rule] += number
        if row.subject:
            by_subject[row.subject] += number
            grade = SEVERITIES.index(row.severity)
            gravest[row.subject] = min(grade, gravest.get(row.subject, grade))
    decided = {(row.rule, row.subject) for row in rows if row.subject}
    alone = sum(number for row, number in rows.items() if not row.subject)
    ranked = tuple(sorted(by_rule, key=lambda rule: (-by_rule[rule], rule)))
    subjects = sorted(by_subject, key=lambda subject: (gravest[subject], -by_subject[subject], subject))
    return Step(
        name,
        count=sum(rows.values()),
        decisions=len(decided) + alone,
        rules=ranked,
        subjects=tuple(subjects),
        command=_command(name, ranked[0], command),
    )


def _command(name: str, rule: str, command: Command) -> str:
    """Return the command line to run for a step; `rule`: the rule with the most findings in the step."""
    if name == "safe":
        return command("fix")
    if name == "review":
        return command("fix", "--review-fixes", "--diff", "--fixable", rule)
    return command("check", "--only", name if name == MANUAL else f"{MANUAL},{name}")
