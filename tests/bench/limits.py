"""Measures the work for the largest files of the corpus, package by package; the defaults of the limits are derived
from it.

python tests/bench/limits.py [NAME…]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import uncuda.engine
from corpus.fetch import pinned, tree
from uncuda.catalogue import load
from uncuda.engine import Engine
from uncuda.limits import UNLIMITED, Limits, Work
from uncuda.settings import Settings
from uncuda.source import Source, SourceError

KINDS = ("bytes", "statements", "comparisons")


class _Kept(Work):
    """A Work counter whose counts can be read after the analysis."""

    last: Work

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        _Kept.last = self


def most(folder: Path, engine: Engine) -> dict[str, tuple[int, str]]:
    """For each of KINDS, return the largest count that a file of the folder has, and the name of this file."""
    found = dict.fromkeys(KINDS, (0, ""))
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        figures = [len(data), 0, 0]
        if engine.concerns(data):
            try:
                engine.check(Source.decode(data, str(path)), concerned=True, limits=UNLIMITED)
            except SourceError:
                continue
            figures[1:] = [_Kept.last.statements, _Kept.last.comparisons]
        name = str(path.relative_to(folder))
        for kind, figure in zip(KINDS, figures, strict=True):
            found[kind] = max(found[kind], (figure, name))
    return found


def main(names: list[str]) -> None:
    """For each package, print the largest count of each of KINDS in one file, and the name of the file."""
    uncuda.engine.Work = _Kept  # type: ignore[attr-defined]
    engine = Engine(load(), "npu", Settings(locale="en", strategy="rewrite"))
    for name in names or pinned():
        for kind, (figure, file) in most(tree(name), engine).items():
            print(f"{name:16} {kind:12} {figure:>12,}  {file}")


if __name__ == "__main__":
    main(sys.argv[1:])
