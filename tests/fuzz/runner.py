"""Divides the time among the kinds of input, reduces the inputs of failures, and writes failures to files."""

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.model import Find, Kind
from lsp.harness.connection import ResponseError
from support.imports import ROOT

FOLDER = ROOT / ".cache" / "fuzz"
NARROWING_SECONDS = 120.0


def _say(text: str) -> None:
    print(text, flush=True)


@dataclass
class Tally:
    """The statistics of one kind of input. `finds`: the number of failures by their signature, a text that is equal for
    failures that seem to have the same cause."""

    kind: Kind
    inputs: int = 0
    runs: int = 0
    seconds: float = 0.0
    finds: Counter[str] = field(default_factory=Counter)


class Runner:
    """Tests inputs of all kinds until the time is up; each new failure is reduced, printed and written below
    `folder`."""

    def __init__(
        self,
        kinds: Sequence[Kind],
        seed: str,
        *,
        folder: Path = FOLDER,
        say: Callable[[str], None] = _say,
    ) -> None:
        self.tallies = [Tally(kind) for kind in kinds]
        self.seed = seed
        self._folder = folder
        self._say = say

    @property
    def found(self) -> int:
        """The number of failures with different signatures."""
        return sum(len(tally.finds) for tally in self.tallies)

    def run(self, seconds: float) -> None:
        """Test inputs for this number of seconds. The next kind is always the one on which the least time has been
        spent."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            tally = min(self.tallies, key=lambda tally: tally.seconds)
            first = tally.runs * tally.kind.size
            self._try(tally, range(first, first + tally.kind.size))

    def repeat(self, cases: Sequence[int]) -> None:
        """For every kind of input, test the inputs that have these numbers."""
        for tally in self.tallies:
            self._try(tally, cases, narrow=False)

    def table(self) -> str:
        """The statistics as a table, one line for each kind."""
        rows = [("kind", "inputs", "runs", "finds", "seconds")]
        for tally in self.tallies:
            numbers = (tally.inputs, tally.runs, len(tally.finds), round(tally.seconds))
            rows.append((tally.kind.name, *(f"{number:,}" for number in numbers)))  # type: ignore[arg-type]
        return "\n".join(f"{row[0]:<14}" + "".join(f"{cell:>9}" for cell in row[1:]) for row in rows)

    def _try(self, tally: Tally, cases: Sequence[int], narrow: bool = True) -> None:
        began = time.monotonic()
        try:
            finds = self._run(tally.kind, cases)
            tally.runs += 1
            tally.inputs += len(cases)
            for find in finds:
                tally.finds[find.signature] += 1
                if tally.finds[find.signature] == 1:
                    self._keep(tally.kind, *(self._narrowed(tally.kind, cases, find) if narrow else (find, cases)))
        finally:
            tally.seconds += time.monotonic() - began

    def _run(self, kind: Kind, cases: Sequence[int]) -> list[Find]:
        try:
            return kind.run(self.seed, cases)
        except (AssertionError, ResponseError) as error:  # the server did not even start
            return [Find("no answer", str(error))]

    def _narrowed(self, kind: Kind, cases: Sequence[int], find: Find) -> tuple[Find, Sequence[int]]:
        """Return the failure with the fewest inputs found that reproduce it. First, only the inputs that the failure
        names are tried; then one half of the inputs is left out, again and again, as long as the failure stays."""
        end = time.monotonic() + NARROWING_SECONDS
        try:
            for named in [*((case,) for case in find.cases), find.cases]:
                if named and len(named) < len(cases) and (again := self._again(kind, named, find)):
                    find, cases = again, named
                    break
            while len(cases) > 1 and time.monotonic() < end:
                middle = len(cases) // 2
                for part in (cases[:middle], cases[middle:]):
                    if again := self._again(kind, part, find):
                        find, cases = again, part
                        break
                else:
                    break
        except KeyboardInterrupt:
            self._keep(kind, find, cases)
            raise
        return find, cases

    def _again(self, kind: Kind, cases: Sequence[int], find: Find) -> Find | None:
        """The failure `find` as a run with only the inputs `cases` produces it; None if this run does not fail in the
        same way."""
        found = self._run(kind, cases)
        return next((other for other in found if other.signature == find.signature), None)

    def _keep(self, kind: Kind, find: Find, cases: Sequence[int]) -> None:
        numbers = str(cases[0]) if len(cases) == 1 else f"{cases[0]}-{cases[-1]}"
        command = f"make fuzz SEED={self.seed} KIND={kind.name} CASE={numbers}"
        folder = self._folder / f"{kind.name}-{self.seed}-{numbers}"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "finds.txt").open("a", encoding="utf-8", errors="backslashreplace") as report:
            report.write(f"{find.signature}\n{command}\n\n{find.detail}\n\n")
        for name, data in find.files.items():
            with contextlib.suppress(OSError):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
        shown = find.signature.encode("ascii", "backslashreplace").decode()
        self._say(f"FIND {kind.name} {shown}\n     {command}\n     {folder}")
