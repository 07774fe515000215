"""Programs that a port left partly for CUDA and partly for the target ("half"), and programs that were ported correctly
("right").

Each Markdown file beside this module contains programs in which the port made one kind of mistake; the kind is the
title of the file. Each section of a file is a program. The section begins with a list: the target of the port, the
mistake of the port in words, and other kinds of mistake that a report may name, too. After the list, each file of the
program follows as a `diff` block, which begins with the file's path and contains its whole text. Each line of a block
has two prefix characters: first a space (the line exists before and after the port), `-` (only before the port) or `+`
(only after the port); then `!` if the line is a mistake of the port, otherwise a space. In a correctly ported program
no line has a `!`, and every report of a mistake is a false positive. The text before the port contains only code for
CUDA, so a report of a mistake in that text is a false positive, too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
RIGHT = "right"
KINDS = frozenset(
    {
        "mixed-statement",
        "question-over-cuda",
        "target-under-cuda",
        "value-without-test",
        "kit-split",
        "argument-left",
        "option-disagrees",
        "position-differs",
        "no-import",
        "patch-misses",
    }
)
BLOCK = re.compile(r"^```diff (?P<path>\S+)\n(?P<lines>.*?)^```$", re.M | re.S)
ENTRY = re.compile(r"^- (?P<key>target|also|half): (?P<value>.+)$", re.M)


@dataclass(frozen=True)
class Half:
    """A ported program; its `kind` is `right` if it was ported correctly."""

    name: str
    target: str
    kind: str
    also: frozenset[str]  # other kinds of mistake that the witness may also report for this program
    what: str  # the mistake of the port; empty if the port is right
    before: Mapping[str, str]  # the original for CUDA, by path
    after: Mapping[str, str]  # the ported text, by path
    places: tuple[tuple[str, int], ...]  # path and line (from 1) in `after`; reporting any one of these lines is enough

    @property
    def kinds(self) -> frozenset[str]:
        """Return those of KINDS, the kinds of mistakes in ports, that the witness may report for this program; empty
        for a correct port."""
        return self.also if self.kind == RIGHT else self.also | {self.kind}


@cache
def programs() -> tuple[Half, ...]:
    """Return all programs, in the order of files and sections; ValueError if a line has no valid prefix."""
    return tuple(program for file in sorted(HERE.glob("*.md")) for program in read(file.read_text(encoding="utf-8")))


def read(document: str) -> list[Half]:
    """The programs of one Markdown document; ValueError if a line has no valid prefix."""
    head, *sections = re.split(r"^## ", document, flags=re.M)
    kind = head.split("\n", 1)[0].removeprefix("# ")
    return [program(kind, section) for section in sections]


def program(kind: str, section: str) -> Half:
    """Return the program in one section of a Markdown file. `kind`: the kind of mistake in the ports of this file, or
    RIGHT; `section`: the text of the section, without the `## ` before its heading."""
    entries = {m["key"]: m["value"] for m in ENTRY.finditer(section.partition("\n```")[0])}
    before, after, places = {}, {}, []
    for block in BLOCK.finditer(section):
        path = block["path"]
        old, new, marked = texts(block["lines"])
        before[path], after[path] = old, new
        places += [(path, line) for line in marked]
    return Half(
        name=section.split("\n", 1)[0],
        target=entries["target"],
        kind=kind,
        also=frozenset(entries["also"].split(", ")) if "also" in entries else frozenset(),
        what=entries.get("half", ""),
        before=before,
        after=after,
        places=tuple(places),
    )


def texts(block: str) -> tuple[str, str, list[int]]:
    """From one `diff` block, return the text before the port, the text after the port, and the numbers of the marked
    lines in the text after the port."""
    old: list[str] = []
    new: list[str] = []
    marked = []
    for line in block.splitlines():
        side, mark, code = line[:1] or " ", line[1:2] or " ", line[2:]
        if side not in " -+" or mark not in " !" or (side == "-" and mark == "!"):
            raise ValueError(f"no valid prefix: {line!r}")
        if side != "+":
            old.append(code)
        if side != "-":
            new.append(code)
            if mark == "!":
                marked.append(len(new))
    return "".join(f"{code}\n" for code in old), "".join(f"{code}\n" for code in new), marked
