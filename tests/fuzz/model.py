"""What a kind of input is, and what is found with it."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

# Numbers, quoted parts and temporary folders differ between two finds of one cause.
_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|/\S+|0x[0-9a-f]+|\d+|[^\x20-\x7e]+")


@dataclass(frozen=True)
class Find:
    """Something that must not happen.

    `what`: its category in a few words; `detail`: what was seen; `cases`: the inputs that it needs; `files`: what helps
    to look into it, by name, beside what is found in `tree`.
    """

    what: str
    detail: str
    cases: tuple[int, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """The same for finds that seem to have the same cause."""
        lines = [line for line in self.detail.splitlines() if line.strip()]
        return f"{self.what}: {_VARIABLE.sub('_', lines[-1])[:160]}" if lines else self.what


class Kind(Protocol):
    """A kind of input. `size`: how many inputs share one run of what is tested."""

    name: str
    size: int

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        """Try the inputs of these numbers, which are all of one run; what was found."""
        ...


def told(find: Find, mark: str, **files: bytes) -> Find:
    """The find with the inputs that its detail names, as `mark` and a number, if they are few; and with more files."""
    cases = tuple(sorted({int(number) for number in re.findall(rf"{mark}(\d+)(?![\d])", find.detail)}))
    return replace(find, cases=find.cases or (cases if len(cases) <= 4 else ()), files={**find.files, **files})


def chance(seed: str, kind: str, case: int | str) -> random.Random:
    """The source of all that is random in one input: input N is the same without those before it."""
    return random.Random(f"{seed}:{kind}:{case}")


def first_of_run(kind: Kind, cases: Sequence[int]) -> int:
    """A number that all inputs of a run share, whichever of them are tried."""
    return cases[0] // kind.size
