"""Measures CPU time and memory of uncuda beside ruff on large packages, in one run on one machine; also for the
language server.

    python tests/bench/run.py [--json FILE] [--trees NAME…] [--only-command-line] [--large] [--peers]

The script also measures the cost of a keystroke on any line, and how time grows with the size of a file. The script
does not fail because of a figure: it prints each one with its budget, and `ok` or `OVER`.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.measure import median, printed, python_files
from corpus.fetch import pinned, tree

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "train" / "distributed.py"
# The package megatron-core, whose code is nearly all CUDA, is measured in addition to the other packages; its time has
# no budget.
DENSE = "megatron-core"
UNCUDA = [sys.executable, "-m", "uncuda"]
TARGET = ["--target", "npu"]
CHECK = [*UNCUDA, "check", "--isolated", "--exit-zero", "--quiet", *TARGET]
FIX = [*UNCUDA, "fix", "--isolated", "--quiet", *TARGET]
LOAD = (
    # The modules that every command imports are imported before the measurement, so that the figure is the cost of the
    # catalogue itself.
    "import uncuda.cli, dataclasses, json, time; start = time.process_time();"
    "from uncuda.catalogue import load; load();"
    "print(1000 * (time.process_time() - start))"
)
PEERS = """\
What is compared: user + system CPU seconds of all processes that a command starts, median of 5 runs after one warm-up,
output thrown away, the same trees for both, copied out of any site-packages, virtual environment and git checkout
(in the first two ruff checks nothing; in the last ignore files would count).
  uncuda  check --isolated --exit-zero --quiet --target npu; without a cache
  ruff    check --no-cache --isolated --exit-zero --quiet --select F,UP; pinned in requirements/dev.txt
The two do different work: ruff is compiled and parses every file for two families of rules; uncuda is Python and reads
the statements that matter. The ratio says what uncuda adds to a CI that runs ruff already.
"""


class Figure(NamedTuple):
    """One line of the result; `budget`: the highest allowed value, None if there is no limit."""

    name: str
    value: float
    unit: str
    budget: float | None = None

    def text(self) -> str:
        verdict = "" if self.budget is None else "ok" if self.value <= self.budget else "OVER"
        budget = "" if self.budget is None else f"{self.budget:>8g}"
        return f"{self.name:<56} {self.value:>9.3f} {self.unit:<6} {budget:>8}  {verdict}"


def ruff() -> list[str]:
    """Return the command of the pinned ruff: its binary, not the Python script that starts the binary."""
    code = "import ruff; print(ruff.find_ruff_bin())"
    binary = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    return [binary, "check", "--no-cache", "--isolated", "--exit-zero", "--quiet", "--select", "F,UP"]


def compare(name: str, folders: list[Path], budget: float | None = None) -> list[Figure]:
    """Compare uncuda and ruff on the same folders."""
    paths = [str(folder) for folder in folders]
    ours = median([*CHECK, *paths])
    theirs = median([*ruff(), *paths])
    return [
        Figure(f"{name}: uncuda check", ours.cpu, "s"),
        Figure(f"{name}: ruff check F,UP", theirs.cpu, "s"),
        Figure(f"{name}: ratio", ours.cpu / theirs.cpu, "", budget),
        Figure(f"{name}: memory of a process", ours.mebibytes, "MiB", 60),
    ]


def fixing(name: str, sources: list[Path], scratch: Path, budget: float | None = None) -> list[Figure]:
    """Compare the time of `fix` with that of `check`, on a copy that is restored before every run."""
    folders = [scratch / source.name for source in sources]

    def restore() -> None:
        shutil.rmtree(scratch, ignore_errors=True)
        for source, folder in zip(sources, folders, strict=True):
            shutil.copytree(source, folder)

    paths = [str(folder) for folder in folders]
    fix = median([*FIX, *paths], codes=(0, 1), before=restore)
    check = median([*CHECK, *paths], before=restore)
    return [
        Figure(f"{name}: uncuda fix", fix.cpu, "s"),
        Figure(f"{name}: fix / check", fix.cpu / check.cpu, "", budget),
        Figure(f"{name}: memory of a process, fix", fix.mebibytes, "MiB", 60),
    ]


def starting() -> list[Figure]:
    """Measure the cost of a short run."""
    return [
        Figure("start: --version", median([*UNCUDA, "--version"]).cpu, "s", 0.15),
        Figure("start: one small file", median([*CHECK, str(EXAMPLE)]).cpu, "s", 0.25),
        Figure("start: catalogue", printed([sys.executable, "-c", LOAD]), "ms", 40),
        # with -B the rules are not cached beside the byte code, so they are read from their files
        Figure("start: catalogue, first time", printed([sys.executable, "-B", "-c", LOAD]), "ms"),
    ]


def sources(names: list[str], scratch: Path) -> list[Path]:
    """Copy each package into a folder below `scratch`, print its size, and return the folders."""
    folders = []
    for name in names:
        folder = scratch / name
        shutil.copytree(tree(name), folder)
        files = python_files(folder)
        lines = sum(file.read_bytes().count(b"\n") for file in files)
        print(f"{name}: {len(files)} files, {lines} lines", flush=True)
        folders.append(folder)
    return folders


def groups(folders: list[Path], scratch: Path) -> list[Callable[[], list[Figure]]]:
    """The parts of the benchmark, in the order of the table."""
    each = [partial(compare, folder.name, [folder]) for folder in folders]
    usual = [folder for folder in folders if folder.name != DENSE]
    parts: list[Callable[[], list[Figure]]] = [starting, *each]
    if usual:
        parts += [partial(compare, "all", usual, 1.0), partial(fixing, "all", usual, scratch, 1.6)]
    if len(usual) < len(folders):
        parts += [partial(compare, f"all + {DENSE}", folders), partial(fixing, f"all + {DENSE}", folders, scratch)]
    return parts


def main() -> int:
    """Measures, prints the table and, if asked, writes it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--trees", nargs="+", choices=list(pinned()), default=list(pinned()), metavar="NAME")
    parser.add_argument("--only-command-line", action="store_true", help="leave the language server out")
    parser.add_argument(
        "--large", action="store_true", help="how time grows up to files of 1 MB, too: half an hour more"
    )
    parser.add_argument("--peers", action="store_true", help="say what is compared, and stop")
    arguments = parser.parse_args()
    print(PEERS)
    if arguments.peers:
        return 0
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="uncuda-bench-") as folder:
        scratch = Path(folder)
        folders = sources(arguments.trees, scratch / "trees")
        print(f"\n{'':<56} {'measured':>9} {'':<6} {'budget':>8}")
        for group in groups(folders, scratch / "fixed"):
            for figure in group():
                print(figure.text(), flush=True)
                figures.append(figure)
    if not arguments.only_command_line:
        from bench.growth import LARGE, SIZES, growth
        from bench.lsp_server import figures as of_the_server

        for figure in chain(of_the_server(), growth(sizes=(*SIZES, LARGE) if arguments.large else SIZES)):
            print(figure.text(), flush=True)
            figures.append(figure)
    if arguments.json:
        arguments.json.write_text(
            json.dumps([figure._asdict() for figure in figures], indent=2) + "\n", encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
