"""Runs `uncuda fix` on copies of packages and reads the results."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cli.command import uncuda

from .reader import witness
from .record import Record
from .words import TARGETS

MODES = {"safe": (), "review": ("--review-fixes",)}
# Files that state which versions a project uses; without these files the engine would assume other versions.
KEPT = ("pyproject.toml", "setup.cfg", "requirements*.txt")


@dataclass(frozen=True)
class Run:
    """The result of fixing one package in one mode."""

    package: str
    target: str
    mode: str  # one of MODES
    changed: int  # number of changed Python files
    records: tuple[Record, ...]

    @property
    def kinds(self) -> Counter[str]:
        """Return the number of reports of each kind."""
        return Counter(item.kind for item in self.records)


def run(package: str, folder: Path, target: str, mode: str) -> Run:
    """Copy a package's Python files, run `uncuda fix` on the copy and return the result; raises if the command
    fails."""
    with tempfile.TemporaryDirectory(prefix="uncuda-witness-") as scratch:
        tree = Path(scratch) / "tree"
        _copy(folder, tree)
        before = _texts(tree)
        options = ("--quiet", "--isolated", "--target", target, "--strategy", "rewrite", *MODES[mode])
        done = uncuda("fix", *options, str(tree))
        if "Traceback" in done.err or done.code not in (0, 1, 2):
            raise RuntimeError(f"uncuda fix on {package}: exit code {done.code}\n{done.err}")
        after = _texts(tree)
    changed = sum(text != before.get(path) for path, text in after.items())
    return Run(package, target, mode, changed, tuple(witness(before, after, target)))


def run_all(packages: dict[str, Path], targets: Iterable[str], modes: Iterable[str], jobs: int) -> Iterator[Run]:
    """Yield one `Run` for each combination of package, target and mode (a key of MODES), ordered by package, then by
    target, then by mode."""
    cases = [(name, folder, target, mode) for name, folder in packages.items() for target in targets for mode in modes]
    if jobs == 1:
        yield from (run(*case) for case in cases)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run, *zip(*cases))


def _copy(folder: Path, tree: Path) -> None:
    for pattern in ("*.py", *KEPT):
        for path in folder.rglob(pattern):
            if path.is_file() and not path.is_symlink():
                copy = tree / path.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)


def _texts(tree: Path) -> dict[str, str]:
    texts = {}
    for path in sorted(tree.rglob("*.py")):
        try:
            texts[path.relative_to(tree).as_posix()] = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
    return texts


__all__ = ["MODES", "TARGETS", "Run", "run", "run_all"]
