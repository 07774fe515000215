"""The report for people: place, message, the line itself and a caret below what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uncuda.engine import Finding
from uncuda.printable import printable
from uncuda.settings import SEVERITIES
from uncuda.source import Source

from .base import Counts, Reporter
from .records import fix_class
from .words import Words

_TAB = 4
_WIDEST = 160
_WITHOUT_WIDTH = ("Mn", "Me", "Cf")
_COLORS = {"error": "31", "warning": "33", "information": "36"}
_FIX_COLORS = {"safe": "32", "review": "33", "manual": "35"}


class TextReporter(Reporter):
    """Findings with their source line; the summary last."""

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """One block a finding."""
        write = self.frame.out.write
        for finding in findings:
            write(headline(finding, source, self.frame.words, self.frame.color))
            write(_excerpt(finding, source, self.frame.color))
            write("\n")

    def end(self) -> None:
        """The counts by rule, if asked for, and the summary."""
        frame = self.frame
        if frame.statistics and self.counts.findings:
            frame.out.write(f"{frame.words('by rule')}\n{rule_table(self.counts, frame.words)}\n")
        if not frame.quiet and (self.checked or not self.problems):
            frame.out.write(summary(self.counts, self.checked, frame.words) + "\n")


def headline(
    finding: Finding, source: Source, words: Words, color: bool = False, shown: Callable[[int], int] = int
) -> str:
    """`path:line:column: severity rule: message [fix: class]` and a line break. `shown`: from a line to its number."""
    line, column = source.position(finding.span.start)
    line = shown(line)
    kind = fix_class(finding)
    fix = words("by hand") if kind == "manual" else words("fix", kind)
    place = paint(f"{printable(source.path)}:{line}:{column}:", "1", color)
    severity = paint(finding.severity, _COLORS[finding.severity], color)
    mark = paint(f"[{fix}]", _FIX_COLORS[kind], color)
    return f"{place} {severity} {paint(finding.rule, '1', color)}: {printable(finding.message)} {mark}\n"


def summary(counts: Counts, checked: int, words: Words) -> str:
    """What was found, of which severity, and what can be done about it."""
    if not counts.findings:
        return words("none", files=words.count(checked, "file"))
    severities = [words.count(counts.severities[name], name) for name in SEVERITIES if name in counts.severities]
    kinds = [kind for kind in ("safe", "review", "manual") if kind in counts.classes]
    found = words(
        "found",
        findings=words.count(counts.findings, "finding"),
        files=words.count(counts.files, "file"),
        severities=words.join(severities),
        fixes=words.join(words(kind, f"{counts.classes[kind]:,}") for kind in kinds),
    )
    hints = [words(key) for kind, key in (("safe", "how"), ("review", "how review")) if kind in kinds]
    return "\n".join([found, *hints])


def rule_table(counts: Counts, words: Words) -> str:
    """A line a rule, most findings first: how many, and how many of each fix class."""
    rows = sorted(counts.rules.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    wide = max(len(rule) for rule, _ in rows)
    lines = []
    for rule, kinds in rows:
        fixes = words.join(words(kind, number) for kind, number in kinds.items() if number)
        lines.append(f"{sum(kinds.values()):6,}  {rule:{wide}}  {fixes}\n")
    return "".join(lines)


def paint(text: str, code: str, color: bool) -> str:
    """The text in a terminal colour."""
    return f"\x1b[{code}m{text}\x1b[0m" if color else text


def _excerpt(finding: Finding, source: Source, color: bool) -> str:
    line, column = source.position(finding.span.start)
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
    """The part of a long line that holds the finding, with … where something was cut off."""
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
    """The text as it takes place on a terminal: tabs as blanks, control characters as escapes."""
    return printable(text.replace("\t", " " * _TAB))


def width(text: str) -> int:
    """How many columns of a terminal the text takes: Chinese characters take two, marks and joiners none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(char) in _WITHOUT_WIDTH else 2 if east_asian_width(char) in "WF" else 1 for char in text)
