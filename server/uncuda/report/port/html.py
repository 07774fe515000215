"""The report as one self-contained HTML page.

The page loads no other file and is complete without JavaScript: the script only filters the findings. All text from the
checked project is escaped.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template

import uncuda
from uncuda import lazy_re
from uncuda.printable import code_parted, printable
from uncuda.settings import SEVERITIES
from uncuda.workspace import CLASSES, FolderTally, Tally
from uncuda.workspace.comparison import Earlier
from uncuda.workspace.port import PortFinding

from ..rule_page import page_of
from .pages import page_html
from .shown import ACCEPTED, SHOWN, PortReport

_BREAKS = lazy_re.compile(r"([./])(?=\w)")
_FOLDER = Path(__file__).parent
_NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'"
_NAMED = 200  # maximum number of findings in the list of new ones, and in that of fixed ones; the rest is only counted


def text_of(report: PortReport) -> str:
    """Return the page as HTML."""
    return _Page(report).text()


class _Page:
    def __init__(self, report: PortReport) -> None:
        self._report, self._words = report, report.words
        self._pages = self._rule_pages()

    def text(self) -> str:
        words = self._words
        sections = {
            "blocks": (words("blocks"), self._blocks()),
            "order": (words("order"), self._order()),
            "comparison": (words("comparison"), self._comparison()),
            "targets": (words("targets"), self._targets()),
            "upgrade": (words("upgrade"), self._upgrades()),
            "folders": (words("folders"), self._folders()),
            "rules": (words("rules"), self._rules()),
            "findings": (words("findings"), self._findings()),
            "problems": (words("problems"), self._problems()),
            "pages": (words("pages"), self._pages.values()),
        }
        shown = {name: (title, "\n".join(parts)) for name, (title, parts) in sections.items()}
        shown = {name: section for name, section in shown.items() if section[1]}
        style, script = _asset("page.css"), _asset("page.js")
        policy = f"{_NOTHING}; style-src {_hash(style)}; script-src {_hash(script)}"
        return Template(_asset("page.html")).substitute(
            lang="zh-CN" if words.locale == "zh" else "en",
            policy=policy,
            title=_text(self._report.title),
            style=style,
            script=script,
            contents=_text(words("contents")),
            header="\n".join(self._header()),
            links="\n".join(f'<li><a href="#{name}">{_text(title)}</a></li>' for name, (title, _) in shown.items()),
            main="\n".join(_section(name, title, body) for name, (title, body) in shown.items()),
            footer=_text(words("made by", uncuda.__version__)),
        )

    def _header(self) -> Iterator[str]:
        report, words = self._report, self._words
        counts = report.counts
        yield f"<h1>{_text(report.title)}</h1>"
        if report.port.plugins:
            plugins = words.join(map(report.plugin_title, report.port.plugins))
            checked = words("checked", words.count(len(report.port.looked), "file"), plugins)
            yield f'<p class="quiet">{_text(checked)}</p>'
        if counts.rows:
            total = counts.total
            said = words("left", words.count(total.count, "finding"))
            where = words("left in", words.count(total.files, "file"))
            yield f'<p class="headline"><strong>{_text(said)}</strong> <span class="quiet">{_text(where)}</span></p>'
        else:
            said = words("nothing left" if report.port.findings else "nothing found")
            yield f'<p class="headline"><strong>{_text(said)}</strong></p>'
        if report.begun:
            yield f'<p class="quiet">{_text(words("done of", f"{report.done:,}", f"{report.begun:,}"))}</p>'
        numbers = report.numbers
        yield _bar(numbers, words.join(f"{words(kind)}: {number:,}" for kind, number in numbers.items()))
        yield f'<ul class="cards">\n{"".join(map(self._card, SHOWN))}</ul>'

    def _card(self, kind: str) -> str:
        words, number = self._words, self._report.numbers[kind]
        commands = {step.name: step.command for step in self._report.order}
        command = f"<p><code>{_text(commands[kind])}</code></p>" if kind in commands and kind != "manual" else ""
        return (
            f'<li class="{kind}"><span class="number">{number:,}</span> <span class="name">{_text(words(kind))}</span>'
            f"<p>{_text(self._report.meaning(kind))}</p>{command}</li>\n"
        )

    def _blocks(self) -> Iterator[str]:
        words, blocks = self._words, self._report.blocks
        yield f'<p class="quiet">{_text(words("blocks means" if blocks else "no blocks"))}</p>'
        heads = [words("what"), words("what to do"), words("rule"), words("places"), words("files")]
        for name, found in blocks.items():
            yield f"<h3>{_text(words(name))}</h3>"
            rows = [
                [
                    _code(block.subject or block.rule),
                    _said(block.message),
                    self._rule(block.rule),
                    f"{block.places:,}",
                    f"{block.files:,}",
                ]
                for block in found
            ]
            yield _table(words(name), heads, rows, 3)

    def _order(self) -> Iterator[str]:
        words = self._words
        heads = [words("step"), words("command"), words("decisions"), words("places")]
        rows = [
            [
                f'<span class="step">{number}. {_text(words(f"step {step.name}"))}</span>',
                _code(step.command),
                f"{step.decisions:,}",
                f"{step.count:,}",
            ]
            for number, step in enumerate(self._report.order, 1)
        ]
        if rows:
            yield _table(words("order"), heads, rows, 2)

    def _comparison(self) -> Iterator[str]:
        words, found = self._words, self._report.comparison
        if found is None:
            return
        numbers = {
            "fixed": len(found.fixed),
            "accepted since": len(found.accepted),
            "still left": len(found.left),
            "new": len(found.new),
        }
        cards = "".join(
            f'<li><span class="number">{number:,}</span> <span class="name">{_text(words(key))}</span></li>'
            for key, number in numbers.items()
        )
        yield f'<ul class="cards">{cards}</ul>'
        yield from self._listed(words("new ones", len(found.new)), found.new)
        yield from self._listed(words("fixed ones", len(found.fixed)), found.fixed)

    def _listed(self, title: str, findings: Sequence[PortFinding | Earlier]) -> Iterator[str]:
        if not findings:
            return
        yield f"<h3>{_text(title)}</h3>\n<ul>"
        for one in findings[:_NAMED]:
            place = f"{one.path}:{one.line}"
            named = f"<code>{_text(place)}</code>"
            href = self._report.link(one.path) if isinstance(one, PortFinding) else ""
            yield f"<li>{_linked(href, one.line, named)} {_said(one.message)}</li>"
        yield "</ul>"
        if len(findings) > _NAMED:
            yield f"<p>{_text(self._words('more', len(findings) - _NAMED))}</p>"

    def _targets(self) -> Iterator[str]:
        report, words = self._report, self._words
        heads = [words("target"), *map(words, SHOWN), words("decisions"), *map(words, report.prerequisites)]
        own = {plugin.target for plugin in report.port.plugins}
        rows = []
        for one in report.port.targets:
            left = one.counts.total
            numbers = [*left.by_class.values(), one.accepted.total.count, one.counts.decisions_by_hand]
            numbers += [report.blocking(one.counts, name) for name in report.prerequisites]
            plugins = words.join(map(report.plugin_title, one.plugins))
            mark = f" · {words('this one')}" if one.target in own else ""
            named = f'{_text(report.target_title(one.target))} <br><span class="quiet">{_text(plugins + mark)}</span>'
            rows.append([named, *(f"{number:,}" for number in numbers)])
        if rows:
            yield _table(words("targets"), heads, rows, 1)

    def _upgrades(self) -> Iterator[str]:
        for said, gained in self._report.upgrades():
            yield f"<p>{_text(said)}</p>"
            if gained:
                rows = [[_code(name), f"{count:,}"] for name, count in gained]
                yield _table(said, [self._words("what"), self._words("places")], rows, 1)

    def _folders(self) -> Iterator[str]:
        words = self._words
        folders, tests = self._report.folders
        most = max((row.tally.count for row in (*folders, *tests)), default=0)

        def rows(some: Iterable[FolderTally]) -> list[list[str]]:
            return [[_code(row.folder), _share(row.tally, most), *_numbers(row.tally)] for row in some]

        heads = [words("folder"), words("share"), *self._tally_heads()]
        if folders:
            yield _table(words("folders"), heads, rows(folders), 2)
        if tests:
            yield f"<h3>{_text(words('test folders'))}</h3>"
            yield _table(words("test folders"), heads, rows(tests), 2)

    def _rules(self) -> Iterator[str]:
        words, counts = self._words, self._report.counts
        most = max((tally.count for _, tally in counts.by_rule), default=0)
        rows = [
            [f"{self._rule(name)} <br>{_said(self._title(name))}", _share(tally, most), *_numbers(tally)]
            for name, tally in counts.by_rule
        ]
        if rows:
            yield _table(words("rules"), [words("rule"), words("share"), *self._tally_heads()], rows, 2)

    def _findings(self) -> Iterator[str]:
        files = self._report.files
        if files:
            yield self._filter()
        for path, findings in files:
            yield self._file(path, findings)

    def _filter(self) -> str:
        words = self._words

        def boxes(name: str, values: Iterable[str]) -> str:
            return "".join(
                f'<label><input type="checkbox" name="{name}" value="{value}" checked>{_text(words(value))}</label>'
                for value in values
            )

        return (
            f'<form id="filter" hidden aria-label="{_text(words("filter"))}">'
            f"<fieldset><legend>{_text(words('class'))}</legend>{boxes('kind', SHOWN)}</fieldset>"
            f"<fieldset><legend>{_text(words('severity'))}</legend>{boxes('severity', SEVERITIES)}</fieldset>"
            f"{boxes('tests', ['tests'])}"
            f'<label><span class="quiet">{_text(words("search"))}</span><input type="search" name="search"></label>'
            f'<output class="quiet" data-said="{_text(words("shown", shown="{shown}", all="{all}"))}"></output></form>'
        )

    def _file(self, path: str, findings: Sequence[PortFinding]) -> str:
        words, href = self._words, self._report.link(path)
        numbers = Tally.of((one.kind, 1) for one in findings if not one.accepted).by_class
        numbers[ACCEPTED] = sum(one.accepted for one in findings)
        said = words.join(f"{number:,} {words(kind)}" for kind, number in numbers.items() if number)
        tests = " data-tests" if path in self._report.tests else ""
        rows = "".join(self._finding(one, href) for one in findings)
        return (
            f'<details class="file" open{tests}><summary><code>{_text(path)}</code> '
            f'<span class="quiet">{_text(said)}</span></summary>\n<ol>\n{rows}</ol></details>'
        )

    def _finding(self, finding: PortFinding, href: str) -> str:
        words = self._words
        kind = ACCEPTED if finding.accepted else finding.kind
        at = _linked(href, finding.line, self._report.place(finding))
        return (
            f'<li class="{kind}" data-s="{finding.severity}"><span class="at">{at}</span>'
            f'<span class="tag {kind}">{_text(words(kind))}</span>'
            f'<span class="said">{_said(finding.message)} <span class="by">{self._rule(finding.rule)}</span></span>'
            "</li>\n"
        )

    def _problems(self) -> Iterator[str]:
        rows = [[_code(one.path), _said(one.message)] for one in self._report.problems]
        if rows:
            yield _table(self._words("problems"), [self._words("file"), self._words("why")], rows, 2)

    def _rule_pages(self) -> Mapping[str, str]:
        """Return the documentation of each rule that has findings, as HTML, by rule name."""
        report = self._report
        rules, pages = report.catalogue.rules, {}
        versions = {plugin.target: plugin.version for plugin in reversed(report.port.plugins)}
        names = {finding.rule: finding.target for finding in reversed(report.port.findings)}
        for name in sorted(names.keys() & rules):
            target = report.catalogue.target(names[name], versions.get(names[name]))
            body = page_html(page_of(rules[name], target, report.catalogue, self._words.locale))
            pages[name] = (
                f'<details class="page"><summary><h3><code>{name}</code> {_said(self._title(name))}</h3></summary>\n'
                f'<div id="rule-{name}">\n{body}\n</div></details>'
            )
        return pages

    def _rule(self, name: str) -> str:
        shown = f"<code>{_text(name)}</code>"
        return f'<a href="#rule-{name}">{shown}</a>' if name in self._pages else shown

    def _title(self, name: str) -> str:
        rule = self._report.catalogue.rules.get(name)
        return rule.title_in(self._words.locale) if rule is not None else ""

    def _tally_heads(self) -> list[str]:
        return [self._words(key) for key in ("all", *CLASSES, "files")]


def _section(name: str, title: str, body: str) -> str:
    return f'<section id="{name}">\n<h2>{_text(title)}</h2>\n{body}\n</section>'


def _table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], texts: int) -> str:
    """Return an HTML table. The cells in `rows` are already HTML; the first `texts` columns contain text, the other
    columns numbers."""
    marks = ["" if at < texts else ' class="n"' for at in range(len(heads))]
    head = "".join(f'<th scope="col"{mark}>{_text(name)}</th>' for name, mark in zip(heads, marks, strict=True))
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td{mark}>{cell}</td>" for cell, mark in zip(others, marks[1:], strict=True))
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    body = "\n".join(lines)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{_text(caption)}"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _numbers(tally: Tally) -> list[str]:
    return [f"{number:,}" for number in (tally.count, *tally.by_class.values(), tally.files)]


def _share(tally: Tally, most: int) -> str:
    """Return a bar that shows the findings by fix class; a bar for `most` findings has the full width."""
    return _bar(tally.by_class, "", most)


def _bar(numbers: Mapping[str, int], label: str, most: int = 0) -> str:
    """Return an SVG bar with one segment for each number. `label`: a text for screen readers; "" hides the bar from
    them."""
    whole = most or sum(numbers.values())
    parts, at = [], 0.0
    for kind, number in numbers.items():
        wide = 100 * number / whole if whole else 0.0
        if number:
            parts.append(f'<rect class="{kind}" x="{at:.2f}" y="0" width="{wide:.2f}" height="8"/>')
        at += wide
    said = f'role="img" aria-label="{_text(label)}"' if label else 'aria-hidden="true"'
    empty = "" if parts else '<rect class="none" x="0" y="0" width="100" height="8"/>'
    return f'<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" {said}>{empty}{"".join(parts)}</svg>'


def _linked(href: str, line: int, shown: str) -> str:
    """Return `shown` (HTML) as a link to a line of the file at `href`; without a link if `href` is empty."""
    return f'<a href="{escape(href)}#L{line}">{shown}</a>' if href else shown


def _said(message: str) -> str:
    """Return a message as HTML, with the parts between backticks in `<code>`."""
    parts = code_parted(printable(message))
    return "".join(f"<code>{escape(part)}</code>" if is_code else escape(part) for part, is_code in parts)


def _code(text: str) -> str:
    """Return a name in `<code>`, with a possible line break after each dot and slash."""
    broken = _BREAKS.sub(r"\1<wbr>", _text(text))
    return f"<code>{broken}</code>"


def _text(text: str) -> str:
    """Escape a text for the page or for an attribute; it may come from the checked project."""
    return escape(printable(text))


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@lru_cache(maxsize=4)
def _asset(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").rstrip("\n")
