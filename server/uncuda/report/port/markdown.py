"""The report in Markdown, for a pull request or a wiki: every section except the list of single findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import uncuda
from uncuda import lazy_re
from uncuda.printable import code_parted, markdown_code, printable
from uncuda.workspace import CLASSES, FolderTally, Tally

from .shown import SHOWN, PortReport

_SIGNS = lazy_re.compile(r"([\\`*_{}\[\]<>|#!~&$@])")


def text_of(report: PortReport) -> str:
    """Return the report as Markdown."""
    words = report.words
    parts = [f"# {_plain(report.title)}", *_head(report), _effort(report)]
    parts += _section(words("blocks"), _blocks(report))
    parts += _section(words("order"), _order(report))
    parts += _section(words("comparison"), _comparison(report))
    parts += _section(words("targets"), _targets(report))
    parts += _section(words("upgrade"), _upgrades(report))
    parts += _section(words("folders"), _folders(report))
    parts += _section(words("rules"), _rules(report))
    parts += _section(words("problems"), _problems(report))
    parts.append(f"uncuda {uncuda.__version__}")
    return "\n\n".join(parts) + "\n"


def _section(title: str, parts: Iterable[str]) -> list[str]:
    """Return a heading and its paragraphs; an empty list if there are no paragraphs."""
    shown = list(parts)
    return [f"## {_plain(title)}", *shown] if shown else []


def _head(report: PortReport) -> Iterator[str]:
    words, port = report.words, report.port
    if port.plugins:
        plugins = words.join(map(report.plugin_title, port.plugins))
        yield _plain(words("checked", words.count(len(port.looked), "file"), plugins))
    if report.begun:
        yield _plain(words("done of", f"{report.done:,}", f"{report.begun:,}"))
    if not report.counts.rows:
        yield words("nothing left" if port.findings else "nothing found")


def _effort(report: PortReport) -> str:
    words = report.words
    heads = [words("class"), words("places"), words("means")]
    rows = [[words(kind), f"{report.numbers[kind]:,}", report.meaning(kind)] for kind in SHOWN]
    return _table(heads, rows, (1,))


def _blocks(report: PortReport) -> Iterator[str]:
    words = report.words
    for name, blocks in report.blocks.items():
        yield f"### {words(name)}"
        rows = [
            [_code(block.subject or block.rule), _said(block.message), f"{block.places:,}", f"{block.files:,}"]
            for block in blocks
        ]
        yield _table([words("what"), words("what to do"), words("places"), words("files")], rows, (2, 3), made=True)


def _order(report: PortReport) -> Iterator[str]:
    words = report.words
    rows = [
        [f"{number}. {words(f'step {step.name}')}", f"{step.count:,}", _code(step.command)]
        for number, step in enumerate(report.order, 1)
    ]
    if rows:
        yield _table([words("step"), words("places"), words("command")], rows, (1,), made=True)


def _comparison(report: PortReport) -> Iterator[str]:
    words, found = report.words, report.comparison
    if found is None:
        return
    names = (words("fixed"), words("accepted since"), words("still left"), words("new"))
    numbers = (len(found.fixed), len(found.accepted), len(found.left), len(found.new))
    yield _table(names, [[f"{number:,}" for number in numbers]], (0, 1, 2, 3))
    if found.new:
        yield f"### {words('new ones', len(found.new))}"
        yield "\n".join(f"- {_code(f'{one.path}:{report.place(one)}')} {_said(one.message)}" for one in found.new)


def _targets(report: PortReport) -> Iterator[str]:
    words = report.words
    heads = [words("target"), *map(words, SHOWN), words("decisions"), *map(words, report.prerequisites)]
    rows = []
    for one in report.port.targets:
        left = one.counts.total
        plugins = words.join(map(report.plugin_title, one.plugins))
        numbers = [*left.by_class.values(), one.accepted.total.count, one.counts.decisions_by_hand]
        numbers += [report.blocking(one.counts, name) for name in report.prerequisites]
        rows.append([f"{report.target_title(one.target)}, {plugins}", *(f"{number:,}" for number in numbers)])
    if rows:
        yield _table(heads, rows, range(1, len(heads)))


def _upgrades(report: PortReport) -> Iterator[str]:
    for said, gained in report.upgrades():
        yield _plain(said)
        if gained:
            yield "\n".join(f"- {_code(name)}: {count:,}" for name, count in gained)


def _folders(report: PortReport) -> Iterator[str]:
    words = report.words
    folders, tests = report.folders

    def rows(some: Iterable[FolderTally], mark: str = "") -> Iterator[list[str]]:
        return ([_code(row.folder) + mark, *_numbers(row.tally)] for row in some)

    every = [*rows(folders), *rows(tests, f" ({words('tests')})")]
    if every:
        yield _table([words("folder"), *_tally_heads(report)], every, range(1, 6), made=True)


def _rules(report: PortReport) -> Iterator[str]:
    rules = report.catalogue.rules
    rows = []
    for name, tally in report.counts.by_rule:
        title = rules[name].title_in(report.words.locale) if name in rules else ""
        rows.append([f"{_code(name)} {_said(title)}".strip(), *_numbers(tally)])
    if rows:
        yield _table([report.words("rule"), *_tally_heads(report)], rows, range(1, 6), made=True)


def _problems(report: PortReport) -> Iterator[str]:
    if report.problems:
        yield "\n".join(f"- {_code(problem.path)}: {_said(problem.message)}" for problem in report.problems)


def _tally_heads(report: PortReport) -> list[str]:
    return [report.words(key) for key in ("all", *CLASSES, "files")]


def _numbers(tally: Tally) -> list[str]:
    return [f"{number:,}" for number in (tally.count, *tally.by_class.values(), tally.files)]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int], made: bool = False) -> str:
    """Return a Markdown table. `right`: the indices of the right-aligned columns; `made`: whether the cells are
    Markdown already."""
    numbers = set(right)
    lines = [[_plain(head) for head in heads], ["--:" if at in numbers else ":--" for at in range(len(heads))]]
    lines += [[*row] if made else [_plain(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(text: str) -> str:
    """Escape a plain text, so that nothing in it is read as Markdown."""
    return _SIGNS.sub(r"\\\1", printable(text))


def _code(text: str) -> str:
    """Return a text as a Markdown code span that is safe inside a table cell."""
    return markdown_code(text).replace("|", "\\|")


def _said(text: str) -> str:
    """Return a message as Markdown, with the parts between backticks as code spans."""
    return "".join(_code(part) if is_code else _plain(part) for part, is_code in code_parted(printable(text)))
