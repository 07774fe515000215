"""The interface of a kind of input, and the type `Find` for a failure."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

# Numbers, quoted parts and temporary folders, which differ between failures that have the same cause.
_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|/\S+|0x[0-9a-f]+|\d+|[^\x20-\x7e]+")


@dataclass(frozen=True)
class Find:
    """A failure: something that must not happen.

    `what`: the category of the failure in a few words; `detail`: what was observed; `cases`: the inputs that cause it;
    `files`: files, by name, that help to investigate it, in addition to those of `tree`.
    """

    what: str
    detail: str
    cases: tuple[int, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """Return a text that is equal for failures that seem to have the same cause."""
        lines = [line for line in self.detail.splitlines() if line.strip()]
        return f"{self.what}: {_VARIABLE.sub('_', lines[-1])[:160]}" if lines else self.what


class Kind(Protocol):
    """A kind of input. `size`: the number of inputs that are tested in one run."""

    name: str
    size: int

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        """Test the inputs with these numbers, which all belong to one run; returns the failures."""
        ...


def told(find: Find, mark: str, **files: bytes) -> Find:
    """Return the failure `find` with `files` added to its files. If the failure has no inputs yet, the inputs that its
    `detail` names are added if there are at most four. `mark`: a regular expression for the text that stands in
    `detail` before the number of an input."""
    cases = tuple(sorted({int(number) for number in re.findall(rf"{mark}(\d+)(?![\d])", find.detail)}))
    return replace(find, cases=find.cases or (cases if len(cases) <= 4 else ()), files={**find.files, **files})


def chance(seed: str, kind: str, case: int | str) -> random.Random:
    """Return the random generator of one input; it does not depend on the inputs before."""
    return random.Random(f"{seed}:{kind}:{case}")


def first_of_run(kind: Kind, cases: Sequence[int]) -> int:
    """Return the number of the run that contains these inputs; all inputs of a run give the same number."""
    return cases[0] // kind.size
