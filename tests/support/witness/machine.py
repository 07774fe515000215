"""Generates half-ported programs: a correct port in which one word is changed back to CUDA's, or a CUDA program in
which one word is ported.

Each file of `ports/` is a program in which every word that a port changes is replaced by a mark
`[[word|back|forward]]`. `word`: which word it is, as in `_word`. `back`: the kind of mistake in the correct port if
only this word is changed back to CUDA's. `forward`: the kind of mistake in the CUDA program if only this word is
ported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .words import CUDA, TARGETS, Device

FOLDER = Path(__file__).parent / "ports"
MARK = re.compile(r"\[\[(\w+)(?:\|([^|\]]*))?(?:\|([^|\]]*))?\]\]")
FILE = re.compile(r"^# file: (\S+)\n", re.M)
Texts = dict[str, str]


class Half(NamedTuple):
    """A CUDA program (`before`), the same program half ported (`after`), and the kind of mistake in the half port."""

    name: str
    target: str
    kind: str
    before: Texts
    after: Texts


def ports() -> list[str]:
    """Return the names of the correct ports."""
    return sorted(path.name.removesuffix(".py.in") for path in FOLDER.glob("*.py.in"))


def right(name: str, target: str) -> tuple[Texts, Texts]:
    """Return a CUDA program and its correct port."""
    text = (FOLDER / f"{name}.py.in").read_text(encoding="utf-8")
    return _files(name, _written(text, CUDA, TARGETS[target], ())), _files(
        name, _written(text, TARGETS[target], TARGETS[target], ())
    )


def halves(target: str) -> Iterator[Half]:
    """Yield programs in which one word is for another device than the rest. In a mark `[[word|back|forward]]` of a
    port, `back` is the kind of mistake if only this word is left for CUDA, and `forward` if only this word is ported;
    no program is made for an empty kind."""
    for name in ports():
        text = (FOLDER / f"{name}.py.in").read_text(encoding="utf-8")
        before = _files(name, _written(text, CUDA, TARGETS[target], ()))
        for number, mark in enumerate(MARK.finditer(text)):
            for kind, most, way in ((mark[2], TARGETS[target], "back"), (mark[3], CUDA, "forward")):
                if kind:
                    after = _files(name, _written(text, most, TARGETS[target], (number,)))
                    line = text.count("\n", 0, mark.start()) + 1
                    yield Half(f"{name}:{line}:{number} {way}", target, kind, before, after)


def _written(text: str, most: Device, target: Device, other: tuple[int, ...]) -> str:
    """Return the program with each mark (`[[…]]`) replaced by a word of the device `most`, which is CUDA or the target.
    `other`: the numbers (from 0) of the marks that get a word of the target if `most` is CUDA, and a word of CUDA if
    `most` is the target."""
    parts, at = [], 0
    for number, mark in enumerate(MARK.finditer(text)):
        device = most if number not in other else (CUDA if most is target else target)
        imported = target if other else device
        parts += [text[at : mark.start()], _word(mark[1], imported if mark[1] == "import" else device)]
        at = mark.end()
    return "".join([*parts, text[at:]]).replace("# nothing\n", "")


def _word(name: str, device: Device) -> str:
    return {
        "d": device.device,
        "D": device.device.upper(),
        "c": device.ccl,
        "is": f"is_{device.device}",
        "G": device.graph,
        "import": f"import {device.plugins[0]}" if device.plugins else "# nothing",
        "profiler": "torch_npu.profiler" if device.device == "npu" else "torch.profiler",
    }[name]


def _files(name: str, text: str) -> Texts:
    parts = FILE.split(text)
    return {f"{name}.py": text} if len(parts) == 1 else dict(zip(parts[1::2], parts[2::2]))
