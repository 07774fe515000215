"""`PortReport`: the data of one report, which each output format renders, and the values that the formats share."""

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
"""The fix classes of the findings in a report, in the order in which they are shown; each is also a key of the messages
`PORT`."""


class PortWords(Sentences):
    """The messages of the report in one language."""

    room = PORT


class Block(NamedTuple):
    """Findings about one subject that must be resolved before the project can run, such as a library without a port.

    `places`: the number of findings; `files`: the number of files that contain them.
    """

    rule: str
    subject: str
    message: str
    places: int
    files: int


@dataclass(frozen=True)
class PortReport:
    """The data of a report on the porting of a project, with everything that is needed to render it: messages, rules,
    errors, links."""

    port: Port
    name: str  # the name of the checked project or paths, for the title
    words: PortWords
    catalogue: Catalogue
    command: Command
    problems: Sequence[Problem]
    link: Callable[[str], str]
    """A function that returns the link to a file, given its name in the report; the link may be empty."""
    begun: int = 0
    """The number of findings when the baseline was first written; 0 if unknown."""
    comparison: Comparison | None = None

    @property
    def counts(self) -> Counts:
        """The counts of the findings that are not accepted."""
        return self.port.counts

    @property
    def numbers(self) -> dict[str, int]:
        """The number of findings by fix class; accepted findings are counted under ACCEPTED."""
        return {**self.counts.total.by_class, ACCEPTED: self.port.accepted.total.count}

    @property
    def done(self) -> int:
        """The number of findings that were fixed or accepted since the baseline was first written: `begun` minus the
        remaining findings."""
        return max(0, self.begun - self.counts.total.count)

    def meaning(self, kind: str) -> str:
        """Return the sentence that explains a fix class."""
        if kind == MANUAL and not self.numbers[kind]:
            return self.words("means none")
        return self.words(f"means {kind}", self.words.count(self.counts.decisions_by_hand, "decision"))

    @property
    def title(self) -> str:
        """The title of the report."""
        targets = self.words.join(dict.fromkeys(self.target_title(plugin.target) for plugin in self.port.plugins))
        return self.words("title", self.name, targets) if self.name else self.words("title short", targets)

    def target_title(self, target: str) -> str:
        """Return the display name of a target, such as "Ascend NPU"."""
        declaration = self.catalogue.declarations[target]
        return str(declaration["title-zh" if self.words.locale == "zh" else "title"])

    def plugin_title(self, plugin: Plugin) -> str:
        """Return a plugin's package name and version, marked if the version is only assumed."""
        name = f"{plugin.package} {plugin.version}".strip()
        return self.words("assumed", name) if plugin.assumed else name

    @cached_property
    def order(self) -> list[Step]:
        """The steps of the port in the recommended order."""
        return steps(self.counts, self.catalogue.rules, self.command)

    @cached_property
    def blocks(self) -> dict[str, list[Block]]:
        """The findings that must be resolved first, by kind (one of PREREQUISITES); those with the most findings come
        first."""
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
        """Two lists of the folders with findings: the first counts only files that are not test files, the second only
        test files."""
        every = self.counts.folders()
        return [row for row in every if not row.tests], [row for row in every if row.tests]

    @cached_property
    def files(self) -> list[tuple[str, list[PortFinding]]]:
        """The names of files with their findings; the accepted findings of a file come last."""
        by_file: dict[str, list[PortFinding]] = {}
        for finding in self.port.findings:
            by_file.setdefault(finding.path, []).append(finding)
        return [(path, sorted(found, key=lambda one: one.accepted)) for path, found in by_file.items()]

    @cached_property
    def tests(self) -> frozenset[str]:
        """Names of the test files that have findings."""
        return frozenset(path for path, _ in self.files if is_test(PurePath(path).parts))

    @property
    def prerequisites(self) -> Sequence[str]:
        """The kinds of findings that must be resolved first: library, extension, environment."""
        return PREREQUISITES

    def blocking(self, counts: Counts, prerequisite: str) -> int:
        """Return how many findings without a fix belong to rules with this prerequisite (library, extension or
        environment)."""
        rules = self.catalogue.rules
        return sum(
            tally.manual
            for rule, tally in counts.rules.items()
            if rule in rules and rules[rule].prerequisite == prerequisite
        )

    def upgrades(self) -> Iterator[tuple[str, Sequence[tuple[str, int]]]]:
        """Yield, for each plugin, a sentence about what an upgrade would improve, and (subject or rule, number of
        improved findings) pairs."""
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
        """Return the line of a finding in the form that follows its file name: `12`, or `3:2` (cell and line) in a
        notebook."""
        return f"{finding.cell}:{finding.line}" if finding.cell else str(finding.line)


def _most_first(block: Block) -> tuple[int, str, str]:
    return -block.places, block.rule, block.subject
