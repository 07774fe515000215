"""Programs that a port left half for CUDA and half for the target, and programs that were ported right.

Each Markdown file beside this module holds programs of one kind, which is its title. A section is a program: a list
with its target, what is half in it, and other kinds that fit; then its files, each a `diff` block with the whole text,
named by its path. Each line has two prefix characters: a space (in both texts), `-` (before only) or `+` (after only);
then `!` if the line after the port is half, else a space. In a right program no line is marked: any report there is a
false one. The same holds for the text before, which is CUDA's alone.
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
    """A ported program; its `kind` is `right` if nothing in it is half."""

    name: str
    target: str
    kind: str
    also: frozenset[str]  # other kinds that fit as well
    what: str  # what is half in it; empty if right
    before: Mapping[str, str]  # path to text: the CUDA original
    after: Mapping[str, str]  # path to text: the port
    places: tuple[tuple[str, int], ...]  # path and line of `after`, from 1; a report of any one of them finds the half

    @property
    def kinds(self) -> frozenset[str]:
        """All kinds under which the half may be reported; empty if the program is right."""
        return self.also if self.kind == RIGHT else self.also | {self.kind}


@cache
def programs() -> tuple[Half, ...]:
    """All programs, half and right ones, in the order of files and sections; ValueError if a line has no valid
    prefix."""
    return tuple(program for file in sorted(HERE.glob("*.md")) for program in read(file.read_text(encoding="utf-8")))


def read(document: str) -> list[Half]:
    """The programs of one Markdown document; ValueError if a line has no valid prefix."""
    head, *sections = re.split(r"^## ", document, flags=re.M)
    kind = head.split("\n", 1)[0].removeprefix("# ")
    return [program(kind, section) for section in sections]


def program(kind: str, section: str) -> Half:
    """The program of one section, which starts with its name."""
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
    """The text before, the text after, and the numbers of the latter's marked lines, of one `diff` block."""
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
