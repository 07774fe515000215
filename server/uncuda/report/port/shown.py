"""What every format of the report on a port is given, and what they show alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple

from uncuda.catalogue import Catalogue
from uncuda.catalogue.keys import PREREQUISITES
from uncuda.messages import Sentences
from uncuda.messages.port import PORT
from uncuda.workspace import CLASSES, MANUAL, Counts, FolderTally, Problem
from uncuda.workspace.comparison import Comparison
from uncuda.workspace.counts import is_test
from uncuda.workspace.port import Port, PortFinding
from uncuda.workspace.upgrades import Plugin

from ..order import Command, Step, steps

ACCEPTED = "accepted"
SHOWN = (*CLASSES, ACCEPTED)
"""The classes of findings in a report; a key of `PORT` each."""


class PortWords(Sentences):
    """The words of the report in one language."""

    room = PORT


class Block(NamedTuple):
    """Something that keeps the rest from running: what it is about, and where it is found."""

    rule: str
    subject: str
    message: str
    places: int
    files: int


@dataclass(frozen=True)
class PortReport:
    """A port and what is said with it."""

    port: Port
    name: str  # of what was looked at
    words: PortWords
    catalogue: Catalogue
    command: Command
    problems: Sequence[Problem]
    link: Callable[[str], str]
    """From the name of a file to a link to it; empty where there is none."""
    begun: int = 0
    """How many findings there were when the baseline was begun; 0: nobody has counted."""
    comparison: Comparison | None = None

    @property
    def counts(self) -> Counts:
        """What is left."""
        return self.port.counts

    @property
    def numbers(self) -> dict[str, int]:
        """How many findings there are of each class, and how many are accepted."""
        return {**self.counts.total.by_class, ACCEPTED: self.port.accepted.total.count}

    @property
    def done(self) -> int:
        """How many of the findings with which the baseline began are left no more."""
        return max(0, self.begun - self.counts.total.count)

    def meaning(self, kind: str) -> str:
        """What a class of findings asks of a person."""
        decisions = self.words.count(self.counts.decisions_by_hand, "decision")
        return self.words(f"means {kind}", *([decisions] if kind == MANUAL else []))

    @property
    def title(self) -> str:
        """The title of the page."""
        targets = self.words.join(dict.fromkeys(self.target_title(plugin.target) for plugin in self.port.plugins))
        return self.words("title", self.name, targets) if self.name else self.words("title short", targets)

    def target_title(self, target: str) -> str:
        """The name of an accelerator."""
        declaration = self.catalogue.declarations[target]
        return str(declaration["title-zh" if self.words.locale == "zh" else "title"])

    def plugin_title(self, plugin: Plugin) -> str:
        """A plugin with its version."""
        name = f"{plugin.package} {plugin.version}".strip()
        return self.words("assumed", name) if plugin.assumed else name

    @cached_property
    def order(self) -> list[Step]:
        """The steps of the work."""
        return steps(self.counts, self.catalogue.rules, self.command)

    @cached_property
    def blocks(self) -> dict[str, list[Block]]:
        """What blocks, by prerequisite; most places first."""
        said: dict[tuple[str, str], str] = {}
        for finding in self.port.left:
            if finding.kind == MANUAL:
                said.setdefault((finding.rule, finding.subject), finding.message)
        found: dict[str, list[Block]] = {}
        for (rule, subject), tally in self.counts.by_decision:
            known = self.catalogue.rules.get(rule)
            if tally.manual and known is not None and known.prerequisite in PREREQUISITES:
                block = Block(rule, subject, said[rule, subject], tally.manual, tally.files)
                found.setdefault(known.prerequisite, []).append(block)
        return {name: sorted(found[name], key=_most_first) for name in PREREQUISITES if name in found}

    @cached_property
    def folders(self) -> tuple[list[FolderTally], list[FolderTally]]:
        """Where findings are: folders of the program, and of tests."""
        every = self.counts.folders()
        return [row for row in every if not row.tests], [row for row in every if row.tests]

    @cached_property
    def files(self) -> list[tuple[str, list[PortFinding]]]:
        """The findings file by file, accepted ones last."""
        by_file: dict[str, list[PortFinding]] = {}
        for finding in self.port.findings:
            by_file.setdefault(finding.path, []).append(finding)
        return [(path, sorted(found, key=lambda one: one.accepted)) for path, found in by_file.items()]

    @cached_property
    def tests(self) -> frozenset[str]:
        """The files of tests with findings."""
        return frozenset(path for path, _ in self.files if is_test(PurePath(path).parts))

    @property
    def prerequisites(self) -> Sequence[str]:
        """What findings by hand may keep the rest from running by."""
        return PREREQUISITES

    def blocking(self, counts: Counts, prerequisite: str) -> int:
        """How many findings by hand are of rules with a prerequisite."""
        rules = self.catalogue.rules
        return sum(
            tally.manual
            for rule, tally in counts.rules.items()
            if rule in rules and rules[rule].prerequisite == prerequisite
        )

    def upgrades(self) -> Iterator[tuple[str, Sequence[tuple[str, int]]]]:
        """What an upgrade of each plugin would bring: a sentence, and of what it is how many findings."""
        words = self.words
        for upgrade in self.port.upgrades:
            plugin = upgrade.plugin
            if not upgrade.later:
                yield words("upgrade newest", plugin.package, plugin.version), ()
            elif not upgrade.version:
                yield words("upgrade none", upgrade.later, plugin.package, plugin.version), ()
            else:
                number = sum(count for _, count in upgrade.gained)
                said = words("upgrade brings", plugin.package, upgrade.version, words.count(number, "finding"))
                if upgrade.lost:
                    said += words("upgrade lost", words.count(upgrade.lost, "finding"))
                yield said, [(subject or rule, count) for (rule, subject), count in upgrade.gained]

    def place(self, finding: PortFinding) -> str:
        """The line of a finding, as it is named behind a file: `12`, in a notebook `3:2`."""
        return f"{finding.cell}:{finding.line}" if finding.cell else str(finding.line)


def _most_first(block: Block) -> tuple[int, str, str]:
    return -block.places, block.rule, block.subject
