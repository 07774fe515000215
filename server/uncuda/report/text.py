"""The report for people: location, message, source line, and a caret below the finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from uncuda.engine import Finding
from uncuda.printable import cut, printable
from uncuda.settings import SEVERITIES
from uncuda.source import Location, Source
from uncuda.workspace import MANUAL, Counts, Tally, fix_class

from .base import Frame, Reporter
from .repeated import Group, Repeated, Shown
from .words import Words

_TAB = 4
_WIDEST = 160
_SUBJECT = 60
_SCREEN = 100  # if there are more findings than this number, the report in a terminal also names `--summary`
_WITHOUT_WIDTH = ("Mn", "Me", "Cf")
_COLORS = {"error": "31", "warning": "33", "information": "36"}
_FIX_COLORS = {"safe": "32", "review": "33", "manual": "35"}


class TextReporter(Reporter):
    """Prints findings with their source lines, then the repeated findings in short form, then the summary."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self._repeated = Repeated()

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """Write one block for each finding, except for repeated findings, which are held back until the end."""
        write = self.frame.out.write
        for finding in findings:
            if self._repeated.keeps(finding, source):
                continue
            write(headline(finding, source, fix_mark(finding, self.frame.words), self.frame.color))
            write(_excerpt(finding, source, self.frame.color))
            write("\n")

    def end(self) -> None:
        """Write the repeated findings that `write` left for the end, the counts if they were requested, and the
        summary."""
        frame = self.frame
        for block in repeated_blocks(self._repeated, frame.words, frame.color):
            frame.out.writelines(f"{line}\n" for line in block)
            frame.out.write("\n")
        if frame.statistics and self.counts.rows:
            frame.out.write(f"{frame.words('by rule')}\n{rule_table(self.counts, frame.words)}\n")
        if frame.statistics and (table := decision_table(self.counts, frame.words)):
            frame.out.write(f"{frame.words('by decision')}\n{table}\n")
        if not frame.quiet and (self.checked or not self.problems):
            lines = [*summary(self.counts, frame.words), *hidden_line(self)] if self.counts.rows else none_found(self)
            if frame.terminal and self.counts.total.count > _SCREEN:
                lines.append(frame.words("how summary", frame.check("--summary")))
            frame.out.writelines(f"{line}\n" for line in lines)


def fix_mark(finding: Finding, words: Words) -> str:
    """Return the words for the class of a finding's fix: `fix: safe`, `by hand`."""
    kind = fix_class(finding)
    return words("by hand") if kind == MANUAL else words("fix", kind)


def headline(finding: Finding, source: Source, mark: str, color: bool = False, shown: Shown | None = None) -> str:
    """Return `path:line:column: severity rule: message [mark]` and a line break. `mark`: what to say about the fix,
    such as its class. `shown`: a function that returns the locations to report for a span; None: the locations of the
    span in the source."""
    location = shown(finding.span)[0] if shown else source.location(finding.span.start)
    place = _place(source.path, location, color)
    marked = paint(f"[{mark}]", _FIX_COLORS[fix_class(finding)], color)
    return f"{place} {_kind(finding.severity, finding.rule, color)}: {printable(finding.message)} {marked}\n"


def repeated_blocks(repeated: Repeated, words: Words, color: bool = False) -> Iterator[Iterator[str]]:
    """Yield a block of lines for each group of findings that differ only in their position: their message, then
    `path:line:column: severity rule: subject` for each finding."""
    for group in repeated.groups():
        yield _block(group, words, color)


def _block(group: Group, words: Words, color: bool) -> Iterator[str]:
    said = group.decision
    places, files = words.count(len(group), "more"), words.count(group.files, "file")
    yield words("more", paint(printable(said.message), "1", color), words("by hand"), places, files)
    told = f"{_kind(said.severity, said.rule, color)}: {printable(cut(said.subject))}"
    for place in group:
        location = Location(place.line, place.column, place.cell)
        yield f"{_place(place.path, location, color)} {told}"


def _place(path: str, location: Location, color: bool) -> str:
    return paint(f"{printable(path)}:{location.row}:{location.column}:", "1", color)


def _kind(severity: str, rule: str, color: bool) -> str:
    return f"{paint(severity, _COLORS[severity], color)} {paint(rule, '1', color)}"


def none_found(report: Reporter) -> list[str]:
    """Return the line that says that there are no findings, or that none of them is shown."""
    hidden, words = hidden_line(report), report.frame.words
    return [words("none shown" if hidden else "none", files=words.count(report.checked, "file")), *hidden]


def hidden_line(report: Reporter) -> list[str]:
    """Return the line that says how many findings are not shown; empty if none is hidden."""
    hidden, words = report.hidden.counts.total, report.frame.words
    return [words("hidden", _class_counts(hidden, words))] if hidden.count else []


def summary(counts: Counts, words: Words) -> list[str]:
    """The summary: the numbers of findings by severity, and how many can be fixed."""
    kinds = [kind for kind, number in counts.total.by_class.items() if number]
    found = words(
        "found",
        findings=words.count(counts.total.count, "finding"),
        files=words.count(counts.total.files, "file"),
        severities=words.join(
            words.count(counts.severities[name], name) for name in SEVERITIES if name in counts.severities
        ),
        fixes=words.join(_class_count(kind, counts, words) for kind in kinds),
    )
    hints = [words(key) for kind, key in (("safe", "how"), ("review", "how review")) if kind in kinds]
    return [found, *hints]


def _class_count(kind: str, counts: Counts, words: Words) -> str:
    """Return the number of findings of a fix class: `3 safe`, `149 by hand (1 decision)`."""
    number = counts.total.by_class[kind]
    if kind == MANUAL and counts.decisions_by_hand < number:
        return words("manual decisions", f"{number:,}", words.count(counts.decisions_by_hand, "decision"))
    return words(kind, f"{number:,}")


def rule_table(counts: Counts, words: Words) -> str:
    """Return one line for each rule, those with the most findings first: the number of findings, in total and for each
    fix class."""
    wide = max(map(len, counts.rules))
    return "".join(
        f"{tally.count:6,}  {rule:{wide}}  {_class_counts(tally, words)}\n" for rule, tally in counts.by_rule
    )


def decision_table(counts: Counts, words: Words) -> str:
    """Return one line for each decision that a person has to make: number of findings, rule and subject, fix classes,
    files."""
    rows = [
        (rule, printable(cut(subject, _SUBJECT)), tally)
        for (rule, subject), tally in counts.by_decision
        if tally.manual
    ]
    longest = max((len(rule) for rule, _, _ in rows), default=0)
    wide = max((width(subject) for _, subject, _ in rows), default=0)
    lines = []
    for rule, subject, tally in rows:
        name = f"{rule:{longest}}  {subject}{' ' * (wide - width(subject))}"
        fixes, files = _class_counts(tally, words), words.count(tally.files, "file")
        lines.append(f"{tally.count:6,}  {name}  {words('in files', fixes, files)}\n")
    return "".join(lines)


def _class_counts(tally: Tally, words: Words) -> str:
    """Return the counts by fix class: `70 safe, 10 by hand`."""
    return words.join(words(kind, f"{number:,}") for kind, number in tally.by_class.items() if number)


def paint(text: str, code: str, color: bool) -> str:
    """The text in a terminal colour."""
    return f"\x1b[{code}m{text}\x1b[0m" if color else text


def _excerpt(finding: Finding, source: Source, color: bool) -> str:
    line, column, _ = source.location(finding.span.start)
    text = source.line_at(finding.span.start)
    start = column - 1
    end = min(len(text), max(start + 1, start + finding.span.end - finding.span.start))
    shown, start, end = _window(text, start, max(start, end))
    visible = _visible(shown)
    before, marked = shown[:start], shown[start:end]
    if visible != shown:
        before, marked = _visible(before), _visible(marked)
    indent = width(before)
    carets = "^" * max(1, width(marked))
    number = str(line)
    margin = " " * len(number)
    bar = paint("|", "34", color)
    caret = paint(carets, _COLORS[finding.severity], color)
    return f"{paint(number, '34', color)} {bar} {visible}\n{margin} {bar} {' ' * indent}{caret}\n"


def _window(text: str, start: int, end: int) -> tuple[str, int, int]:
    """Return the part of a long line that contains the finding, with … in place of text that was cut off."""
    if len(text) <= _WIDEST:
        return text, start, end
    end = min(end, start + _WIDEST - 60)
    left = max(0, start - 40)
    right = min(len(text), left + _WIDEST)
    head = "…" if left else ""
    tail = "…" if right < len(text) else ""
    shift = len(head) - left
    return head + text[left:right] + tail, start + shift, end + shift


def _visible(text: str) -> str:
    """Return the text as a terminal can show it: tabs become blanks, control characters become escapes."""
    return printable(text.replace("\t", " " * _TAB))


def width(text: str) -> int:
    """The number of terminal columns that the text takes: a Chinese character takes two, combining marks and joiners
    none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(char) in _WITHOUT_WIDTH else 2 if east_asian_width(char) in "WF" else 1 for char in text)
