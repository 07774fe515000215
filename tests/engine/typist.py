"""Simulates typing: after every edit, the fields of all hits (raw findings) are compared with those of a new
analysis."""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from support.engines import engine_for
from uncuda.catalogue import Rule
from uncuda.checks import At, Hit
from uncuda.edits import Edit
from uncuda.engine import Engine, Finding, Report
from uncuda.facts.read import Statement
from uncuda.project import SILENT, Answers, Project, Site
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace.prints import Printed, Prints

PATH = "typed.py"
_NAMES = Hit._fields
_VERDICTS = (SILENT, "review", "unknown")
WORDS = (
    *("torch.cuda.set_device(1)", "torch.cuda.synchr", "x.cuda()", "x.is_cuda", "x = 'cuda'", "device", "self.device"),
    *("torch.npu.synchronize()", "npu", "backend", "hccl", "pass", "return", "return torch.cuda.seed()", "if gpu:"),
    *("# x.cuda() waits", "# torch.npu", "    # device = 'cuda:0'", "# backend: nccl (", '# """ nccl', "#"),
)


@cache
def prepared(target: str, version: str | None = None) -> Engine:
    """Return an engine that caches as much as the engine of the language server."""
    return engine_for(target, Settings(locale="en", target_version=version), remember=16)


def type_in_each_line(
    text: str, typed: Sequence[str], first: int, path: str = "a.py", project: Project | None = None
) -> None:
    """Type each of the lines `typed` above each line of a text from the line with the index `first` on, and in its
    place, with its indentation, and undo this. After each edit, the findings must be those of a new analysis."""

    @cache
    def fresh(step: str) -> Sequence[Finding]:
        return engine_for("npu", Settings(locale="en"), project).check(Source(step, path)).findings

    typing = engine_for("npu", Settings(locale="en"), project, remember=2)
    typing.check(Source(text, path))
    for line in text.splitlines(keepends=True)[first:]:
        indent = line[: len(line) - len(line.lstrip())]
        for words in typed:
            for kept in (line, ""):
                step = text.replace(line, f"{indent}{words}\n{kept}", 1)
                for now in (step, text):
                    assert typing.check(Source(now, path)).findings == fresh(now), now


def answers(sites: tuple[Site, ...]) -> Answers:
    """Return an answer for every place that needs a receiver's type; all kinds of answers occur in turn."""
    return {site: _VERDICTS[number % len(_VERDICTS)] for number, site in enumerate(sites)}


def told(engine: Engine, text: str) -> list[Any]:
    """Every field of every cached hit (raw finding) of a text: of the hits that the checks returned, and of the hits
    whose fixes were then linked with each other."""
    seen: dict[int, int] = {}
    every: list[Any] = []
    for found in engine._carried._found.values():
        if found.facts.text == text:
            rows = [(number, hit, served) for number, row in enumerate(found.hits) for hit, served in row]
            linked = [(-1, hit, False) for hit in found.linked or ()]
            for number, hit, served in sorted((*rows, *linked), key=_order):
                every.append((number, served, {name: _plain(getattr(hit, name), seen) for name in _NAMES}))
    return every


def _order(item: tuple[int, Hit, bool | None]) -> tuple[int, int, int, str]:
    number, hit, _ = item
    return number, hit.start, hit.end, hit.rule.name


def _plain(value: object, seen: dict[int, int]) -> Any:
    """Return the values of an analysis in a form that can be compared: each id() is replaced by a number, in the order
    in which the ids occur."""
    if isinstance(value, (str, bool, Rule)) or value is None:
        return value
    if isinstance(value, Statement):
        return value.start, value.end, value.digest.piece.text
    if isinstance(value, ast.AST):
        return type(value), getattr(value, "lineno", 0), getattr(value, "col_offset", 0)
    if type(value) is tuple:
        return tuple(_plain(part, seen) for part in value)
    if isinstance(value, Mapping):
        return dict(value)
    if type(value) is int and value > 1 << 24:  # the id() of an object, in a key by which hits are linked
        return "identity", seen.setdefault(value, len(seen))
    return ("offset", int(value)) if isinstance(value, At) else value


class _Fresh(NamedTuple):
    """The results of a new analysis of a text. `hits`: see `told`; `prints`: the fingerprints of the findings."""

    engine: Engine
    report: Report
    hits: list[Any]
    prints: list[Printed]


class Typist:
    """Types into a text, and compares the hits (raw findings) after each edit. `answering`: whether the engine is also
    told the types of receivers (`x` in `x.cuda()`)."""

    def __init__(self, text: str, engine: Engine, answering: bool = False) -> None:
        self.text, self.keys, self.answering = text, 0, answering
        self.typed = engine.knowing(engine.project)
        self.typed.check(Source(text, PATH))
        self._fresh: dict[str, _Fresh] = {}  # by text: what is typed and erased gives each text twice

    def replace(self, start: int, end: int, new: str, told_of_edit: bool = True) -> None:
        """Make one edit, and compare the hits (raw findings) with those of a new analysis. `told_of_edit`: whether the
        engine is given the position of the edit."""
        before, self.text = self.text, self.text[:start] + new + self.text[end:]
        self.keys += 1
        edited = (before, [Edit(start, end, new)]) if told_of_edit else None
        source, edit = Source(self.text, PATH), (before, start, end, new)
        fresh = self._analysed(source)
        report = self.typed.check(source, edited=edited)
        assert report == fresh.report, edit
        prints = Prints(self.text, self.typed.read(source)[0])
        assert prints.of(report.findings) == fresh.prints, edit
        assert told(self.typed, self.text) == fresh.hits, edit
        if self.answering:
            known = answers(fresh.report.sites)
            expected = fresh.engine.knowing(fresh.engine.project).check(source, answers=known)
            assert self.typed.check(source, answers=known) == expected, edit
        if self.keys % 4 == 0:
            assert self.typed.check(source) == report, edit

    def _analysed(self, source: Source) -> _Fresh:
        """Return the results of a new analysis of a text, which is made once."""
        text = source.text
        if text not in self._fresh:
            engine = self.typed.knowing(self.typed.project)
            report = engine.check(source)
            self._fresh[text] = _Fresh(engine, report, told(engine, text), Prints(text).of(report.findings))
        return self._fresh[text]

    def type(self, at: int, words: str, told_of_edit: bool = True) -> None:
        """Type words, one character at a time."""
        for offset, key in enumerate(words, at):
            self.replace(offset, offset, key, told_of_edit)

    def erase(self, end: int, count: int) -> None:
        """Delete `count` characters before an offset."""
        for offset in range(end, end - count, -1):
            self.replace(offset - 1, offset, "")

    def _copied(self, chance: random.Random) -> str:
        """Return some lines from a random part of the text."""
        start = self.text.rfind("\n", 0, chance.randrange(len(self.text) + 1)) + 1
        return "".join(self.text[start:].splitlines(keepends=True)[: chance.randrange(1, 20)])

    def wander(self, chance: random.Random, keys: int) -> None:
        """Type at random until at least `keys` keys have been pressed."""
        done = self.keys + keys
        while self.keys < done:
            findings = self.typed.check(Source(self.text, PATH)).findings
            near = chance.choice(findings).span.start if findings and chance.random() < 0.6 else -1
            at = near if near >= 0 else chance.randrange(len(self.text) + 1)
            start, end = self.text.rfind("\n", 0, at) + 1, (self.text.find("\n", at) + 1 or len(self.text))
            line = self.text[start:end]
            what = chance.random()
            if what < 0.4:  # insert a new line
                words = chance.choice(WORDS)
                indent = line[: len(line) - len(line.lstrip())].rstrip("\r\n")
                self.replace(start, start, indent + "\n")
                self.type(start + len(indent), words, chance.random() < 0.9)
                self.erase(start + len(indent) + len(words), chance.choice((0, 1, len(words))))
            elif what < 0.5:  # type at the beginning of a line
                words = chance.choice(("x", "x = 1", "(", "    "))
                self.type(start, words)
                self.erase(start + len(words), chance.choice((0, len(words), len(words))))
            elif what < 0.6:  # press Enter
                words = "\n" + line[: len(line) - len(line.lstrip())].strip("\r\n")
                place = chance.choice((at, end - 1 if line.endswith("\n") else end))
                self.replace(place, place, words)
                if chance.random() < 0.5:
                    self.replace(place, place + len(words), "")
            elif what < 0.7:  # paste lines
                words = self._copied(chance)
                self.replace(start, start, words)
                if chance.random() < 0.8:
                    self.replace(start, start + len(words), "")
            elif what < 0.74:  # type a line again
                first = len(line) - len(line.lstrip())
                self.replace(start + first, start + len(line.rstrip("\r\n")), "")
                self.type(start + first, line.strip())
            elif what < 0.9:  # type a word again
                count = min(chance.randrange(1, 5), end - at)
                old = self.text[at : at + count]
                self.erase(at + count, count)
                self.type(at, chance.choice((old, old[:-1], old + "x")))
            elif what < 0.95:
                self.replace(start, end, "")
            else:
                self.replace(start, start, line if line.endswith("\n") else "\n")
