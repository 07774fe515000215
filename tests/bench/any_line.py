"""Measures the cost of a keystroke on any line of real files, beside `ruff server`, which gets the same keystrokes.

    python tests/bench/any_line.py [--texts "1.2k lines"…] [--kinds NAME…] [--only-ours]

The cost of a keystroke is the CPU time that the server and its child processes use from one reply to the next,
including background work.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.process import Clock, settled
from bench.run import DENSE as MEGATRON
from bench.run import Figure
from corpus.fetch import tree
from lsp.harness.client import SERVER, Client
from lsp.harness.profiles import PROFILES
from lsp.harness.traffic import Json

SEED = 17
WARM = 40
PASTED = 50
PLACES = 30
# The texts to type in: a file of a package that people port; a large file and a small file of the same package; the
# large file followed by two other files of the package. The text called "dense" is nearly all CUDA code, and has no
# maximum cost in RATIOS.
_LARGE = ["modeling_utils.py", "integrations/compressed_tensors.py"]
TEXTS = {
    "1.2k lines": ("yolov5", "yolov5/utils", ["dataloaders.py"]),
    "5.7k lines": ("transformers", "transformers", _LARGE),
    "11k lines": ("transformers", "transformers", [*_LARGE, "trainer.py", "integrations/accelerate.py"]),
    "5k lines, dense": (MEGATRON, "megatron/core/distributed/fsdp/src/megatron_fsdp", ["param_and_grad_buffer.py"]),
}
RATIOS = {
    "any line": {"1.2k lines": 0.4, "5.7k lines": 0.35, "11k lines": 0.15},
    "column 0": {"1.2k lines": 0.4, "5.7k lines": 0.5, "11k lines": 0.3},
}
SPREAD = 2.5  # the highest allowed ratio of the 95th percentile of 100 keystrokes to their median


class Key(NamedTuple):
    """The effect of one keystroke on a text: (line, column) of the start and of the end of the deleted text, and the
    inserted text."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str

    def change(self) -> Json:
        """The keystroke as one item of `contentChanges` in `textDocument/didChange`."""
        start, end = ({"line": line, "character": column} for line, column in (self.start, self.end))
        return {"range": {"start": start, "end": end}, "text": self.text}


_HEADS = frozenset({"if", "elif", "else", "for", "while", "with", "try", "def", "class"})
Kind = Callable[[Sequence[str], random.Random], Iterator[Key]]


def retyped(wanted: Callable[[str], bool], count: int) -> Kind:
    """Empty random lines up to their indentation and type them again, until there are `count` keystrokes."""

    def keys(lines: Sequence[str], chance: random.Random) -> Iterator[Key]:
        able = [number for number, line in enumerate(lines) if line.isascii() and line.strip() and wanted(line.strip())]
        done = 0
        while able and done < count:
            number = chance.choice(able)
            line = lines[number]
            first = len(line) - len(line.lstrip())
            yield Key((number, first), (number, len(line)), "")
            yield from (Key((number, at), (number, at), line[at]) for at in range(first, len(line)))
            done += len(line) - first + 1

    return keys


def column_0(lines: Sequence[str], chance: random.Random) -> Iterator[Key]:
    """Type an `x` before a line of a class, and delete it again."""
    inside = [number for number, line in enumerate(lines) if line.startswith("        ") and line.isascii()]
    for number in chance.sample(inside, PLACES):
        yield Key((number, 0), (number, 0), "x")
        yield Key((number, 0), (number, 1), "")


def entered(lines: Sequence[str], chance: random.Random) -> Iterator[Key]:
    """Press Enter at the end of a line, after which the new line gets the same indentation, and undo it."""
    able = [number for number, line in enumerate(lines) if line.strip() and line.isascii()]
    for number in chance.sample(able, PLACES):
        line = lines[number]
        indent = line[: len(line) - len(line.lstrip())]
        yield Key((number, len(line)), (number, len(line)), "\n" + indent)
        yield Key((number, len(line)), (number + 1, len(indent)), "")


def pasted(lines: Sequence[str], chance: random.Random) -> Iterator[Key]:
    """Paste lines copied from one part of the text before a line in another part, and undo it."""
    for _ in range(PLACES // 2):
        start = chance.randrange(len(lines) - PASTED)
        number = chance.randrange(len(lines))
        yield Key((number, 0), (number, 0), "".join(line + "\n" for line in lines[start : start + PASTED]))
        yield Key((number, 0), (number + PASTED, 0), "")


def _binds(line: str) -> bool:
    return line.partition(" = ")[0].isidentifier()


def _opens(line: str) -> bool:
    return line.endswith(":") and line.split(maxsplit=1)[0].rstrip(":") in _HEADS


def _holds(line: str) -> bool:
    return line.count('"') >= 2 and '"""' not in line and not line.startswith("#")


KINDS: dict[str, Kind] = {
    "any line": retyped(lambda line: True, 400),
    "a line that binds": retyped(_binds, 120),
    "a header": retyped(_opens, 120),
    "a line with a string": retyped(_holds, 120),
    "column 0": column_0,
    "Enter, and back": entered,
    "50 lines, and undo": pasted,
}


def text_of(name: str) -> str:
    """Return the text in which a benchmark types, by its name in TEXTS."""
    package, folder, parts = TEXTS[name]
    text = "".join((tree(package) / folder / part).read_text(encoding="utf-8") for part in parts)
    # `from __future__ import` is allowed only at the top of a file
    return text.replace("from __future__ import", "# from __future__ import")


def spent(command: list[str], folder: Path, text: str, kinds: Sequence[str]) -> dict[str, list[float]]:
    """The CPU milliseconds of each keystroke, by kind."""
    client = Client(PROFILES["vscode"], [folder], command=command)
    client.initialize()
    uri = client.open(folder / "typed.py", text)
    client.diagnostics(uri)
    lines, clock, found = text.split("\n"), Clock(client.process.pid), {}
    for key in list(column_0(lines, random.Random(SEED)))[:WARM]:
        client.change(uri, key.change())
        client.diagnostics(uri)
    settled(client.process.pid)  # the server reads the folder when it starts
    for kind in kinds:
        before, costs = clock.spent(), []
        for key in KINDS[kind](lines, random.Random(SEED)):
            client.change(uri, key.change())
            client.diagnostics(uri)
            now = clock.spent()
            costs.append(1000 * (now - before))
            before = now
            client.traffic.clear()
        assert client.text(uri) == text, kind
        found[kind] = costs
    client.shutdown()
    return found


def any_line(
    folder: Path, ruff: list[str], texts: Sequence[str] = tuple(TEXTS), kinds: Sequence[str] = tuple(KINDS)
) -> Iterator[Figure]:
    """CPU time per keystroke, by kind of keystroke and size of the text, together with ruff's CPU time."""
    for name in texts:
        text = text_of(name)
        ours = spent(SERVER, folder, text, kinds)
        theirs = spent(ruff, folder, text, kinds) if ruff else {}
        for kind in kinds:
            label, median = f"{kind}, {name}", statistics.median(ours[kind])
            yield Figure(f"{label}: uncuda", median, "ms")
            if ruff:
                other = statistics.median(theirs[kind])
                yield Figure(f"{label}: ruff server", other, "ms")
                yield Figure(f"{label}: ratio", median / other, "", RATIOS.get(kind, {}).get(name))
            spread = SPREAD if kind in RATIOS and name in RATIOS[kind] else None
            yield Figure(f"{label}: p95 / median", statistics.quantiles(ours[kind], n=20)[-1] / median, "", spread)


def main() -> int:
    """Measures and prints the table."""
    from bench.lsp_server import ruff

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--texts", nargs="+", choices=list(TEXTS), default=list(TEXTS))
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--only-ours", action="store_true", help="leave ruff out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="uncuda-bench-") as folder:
        for figure in any_line(Path(folder), [] if arguments.only_ours else ruff(), arguments.texts, arguments.kinds):
            print(figure.text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
