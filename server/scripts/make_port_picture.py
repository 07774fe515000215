"""Writes docs/images/port*.svg: an animation of the port of examples/train, from all findings to none left.

    python server/scripts/make_port_picture.py [--check]

The commands run on a copy of the example, and the picture shows their real output. If the user prefers reduced motion,
the picture does not move and shows the end. With --check the script only compares, and exits with 1 if a picture is
stale.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from html import escape
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generated import ROOT, settle
from scripts.make_pictures import BAR, CHAR, COLORS, FONTS, IMAGES, LIGHTS, LINE, MARGIN, Piece, Row, line_of

LANGUAGES = {"port.svg": "en", "port.zh-CN.svg": "zh"}
REASONS = {"en": "Ascend has no such kernel yet", "zh": "昇腾暂无此算子"}
COLUMNS = 100
SECONDS = 2.6  # seconds for which each step is shown
REST = 4.0  # seconds for which the last step is shown
STRIP = 46  # height of the bar of findings, in pixels
CLASSES = {"safe": "32", "review": "33", "manual": "35", "accepted": "34"}
NAMES = {
    "en": {"safe": "safe", "review": "to review", "manual": "by hand", "accepted": "accepted", "left": "left"},
    "zh": {"safe": "安全", "review": "需复核", "manual": "手动", "accepted": "已接受", "left": "剩余"},
}


class Step(NamedTuple):
    """A command, and the lines of its output that are shown. `more`: whether a last row `…` stands for the lines that
    are left out."""

    command: str
    shown: slice
    more: bool = False


STEPS = (
    Step("check --summary --target npu train", slice(0, 4)),
    Step("fix --target npu train", slice(-2, -1)),
    Step("fix --review-fixes --target npu train", slice(-2, -1)),
    Step("check --only manual --output-format concise --target npu train", slice(0, 3), more=True),
    Step('check --write-baseline --reason "{reason}" --target npu train', slice(-1, None)),
    Step("report --target npu train", slice(-1, None)),
)


class Shown(NamedTuple):
    """A step as it is drawn: its rows of text, and the number of findings of each class after the step."""

    rows: Sequence[Row]
    numbers: Mapping[str, int]


def shown(language: str) -> Iterator[Shown]:
    """Run the steps on a copy of the example, and yield the output of each."""
    with tempfile.TemporaryDirectory() as folder, _inside(folder):
        shutil.copytree(ROOT / "examples" / "train", Path(folder, "train"))
        for step in STEPS:
            command = step.command.format(reason=REASONS[language])
            lines = _said(command, language).rstrip("\n").split("\n")
            rows: list[Row] = [[Piece("$ ", "dim"), Piece(f"uncuda {command}", "1")]]
            rows += [[Piece(_cut(line), "")] for line in lines[step.shown]]
            rows += [[Piece("…", "dim")]] if step.more else []
            yield Shown(rows, _numbers())


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Make a folder the current one during the block."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _said(command: str, language: str) -> str:
    """Run a command in this process, which has read all tables; return its standard output, followed by its standard
    error."""
    import shlex

    from uncuda.cli import main

    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(errors):
        code = main([*shlex.split(command), "--isolated", "--locale", language])
    said, complained = (stream.buffer.getvalue().decode() for stream in (out, errors))
    if code not in (0, 1):
        raise SystemExit(f"uncuda {command}: {complained}")
    return said + complained


def _numbers() -> Mapping[str, int]:
    """Return the number of findings of each class in the current folder."""
    found = json.loads(_said("report --target npu --no-beside --format json --output - -q train", "en"))["summary"]
    return {**{name: found[name] for name in ("safe", "review", "manual")}, "accepted": sum(found["accepted"].values())}


def _cut(line: str) -> str:
    from uncuda.report.text import width

    while width(line) > COLUMNS:
        line = line.removesuffix("…")[:-1] + "…"
    return line


def picture(language: str) -> str:
    """Return the picture as SVG."""
    steps = list(shown(language))
    wide = round(COLUMNS * CHAR + 2 * MARGIN)
    high = BAR + LINE * sum(len(step.rows) + 1 for step in steps) + STRIP + MARGIN
    whole = SECONDS * len(steps) + REST
    box = f'width="{wide}" height="{high}"'
    circles = [f'<circle cx="{20 + 18 * i}" cy="16" r="5.5" fill="{fill}"/>' for i, fill in enumerate(LIGHTS)]
    parts, y = [], BAR
    for number, step in enumerate(steps):
        lines = [line_of(row, y + LINE * (at + 1) - 4) for at, row in enumerate(step.rows)]
        parts.append(f'<g class="s{number}">{"".join(lines)}</g>')
        y += LINE * (len(step.rows) + 1)
    most = sum(steps[0].numbers.values())
    for number, step in enumerate(steps):
        parts.append(f'<g class="b{number}">{_strip(step.numbers, most, high - MARGIN, wide, language)}</g>')
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {box} viewBox="0 0 {wide} {high}" role="img">',
                f"<title>{escape('; '.join(f'uncuda {step.command}' for step in STEPS))}</title>",
                "<!-- generated by server/scripts/make_port_picture.py from what the commands say -->",
                f"<style>{_motion(len(steps), whole)}</style>",
                f'<rect {box} rx="8" fill="#1e1e1e"/>',
                *circles,
                f'<g font-family="{FONTS}" font-size="13" xml:space="preserve">',
                *parts,
                "</g>",
                "</svg>",
            ]
        )
        + "\n"
    )


def _strip(numbers: Mapping[str, int], most: int, bottom: int, wide: int, language: str) -> str:
    """Return the number of remaining findings, as text and as a bar; `most` findings fill the whole bar."""
    names, room = NAMES[language], wide - 2 * MARGIN
    left = sum(number for name, number in numbers.items() if name != "accepted")
    row: Row = [Piece(f"{left} {names['left']}", "1")]
    for name, number in numbers.items():
        row += [Piece("   ", ""), Piece(f"{number} {names[name]}", CLASSES[name])]
    parts = [line_of(row, bottom - 18), f'<rect x="{MARGIN}" y="{bottom - 8}" width="{room}" height="8" fill="#333"/>']
    x = float(MARGIN)
    for name, number in numbers.items():
        part = room * number / most
        parts.append(
            f'<rect x="{x:.1f}" y="{bottom - 8}" width="{part:.1f}" height="8" fill="{COLORS[CLASSES[name]]}"/>'
        )
        x += part
    return "".join(parts)


def _motion(steps: int, whole: float) -> str:
    """Return the CSS animation: the steps appear one after the other; at each step, a bar of the remaining findings
    replaces the bar of the step before."""
    rules = []
    for number in range(steps):
        begin, end = (100 * SECONDS * at / whole for at in (number, number + 1))
        end = end if number + 1 < steps else 100
        rules.append(f"@keyframes s{number}{{0%,{begin:.2f}%{{opacity:0}}{begin + 0.01:.2f}%,100%{{opacity:1}}}}")
        gone = f"{end - 0.01:.2f}%{{opacity:1}}{end:.2f}%,100%{{opacity:0}}" if end < 100 else "100%{opacity:1}"
        rules.append(f"@keyframes b{number}{{0%,{begin:.2f}%{{opacity:0}}{begin + 0.01:.2f}%,{gone}}}")
    rules += [f".b{number}{{opacity:0}}" for number in range(steps - 1)]
    moved = "".join(f".{kind}{at}{{animation:{kind}{at} {whole:g}s infinite}}" for at in range(steps) for kind in "sb")
    return "".join([*rules, f"@media(prefers-reduced-motion:no-preference){{{moved}}}"])


def files() -> dict[Path, str]:
    """Return the pictures: their paths and contents."""
    return {IMAGES / name: picture(language) for name, language in LANGUAGES.items()}


if __name__ == "__main__":
    sys.exit(settle(__doc__, files))
