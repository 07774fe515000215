"""Reads `rules/tables/accelerator.tsv`: the API of `torch.accelerator`, the PyTorch version of each name, and the
plugins that support it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .ranges import numbers, release
from .tables import records

_NEVER = "no-"


class Parameter(NamedTuple):
    """A parameter. A parameter of a function. `place`: "/" if it is positional only, "*" if it is keyword only, "" if
    it is either; `type`: "int", "device", "named" (a device that cannot be a number) or ""."""

    name: str
    place: str
    type: str
    optional: bool
    since: str


class Api(NamedTuple):
    """One name of the table of `torch.accelerator`. `kind`: "module", "class", "function", "import" (an object defined
    in another module) or "absent" (a name that no PyTorch version has).

    `cuda`: the equivalent name of `torch.cuda`; `instead`: PyTorch code to use if there is no equivalent name;
    `served`: the first plugin version that supports the name, "" if unknown; `never`: if no version supports it, the
    newest version that was examined; `shimmed`: whether the target's shim provides it.
    """

    name: str
    kind: str
    since: str
    signatures: tuple[tuple[Parameter, ...], ...]
    returns: str
    cuda: str
    instead: str
    served: str
    never: str
    shimmed: bool

    @property
    def beside(self) -> bool:
        """Whether the name is directly in the module `torch`: `torch.Event`."""
        return self.name.count(".") == 1 and self.kind != "module"


@dataclass(frozen=True)
class Accelerator:
    """The table of `torch.accelerator` for one target, and the newest PyTorch version that the table covers.

    `apis`: maps each dotted name to its row; `roots`: the first two parts of these names (`torch.Event`,
    `torch.accelerator`).
    """

    apis: Mapping[str, Api] = field(default_factory=dict)
    newest: str = ""
    roots: tuple[str, ...] = ()


def read_accelerator(path: Path, target: str) -> Accelerator:
    """The table for one target; empty if the file does not exist."""
    if not path.is_file():
        return Accelerator()
    with open(path, encoding="utf-8") as file:
        versions = re.search(r" from PyTorch ([\d. ]+)", file.readline())
    apis = {cells["name"]: _api(cells, target) for cells in records(path)}
    roots = {".".join(name.split(".")[:2]) for name in apis}
    return Accelerator(apis, versions[1].split()[-1] if versions else "", tuple(sorted(roots)))


def _api(cells: dict[str, str], target: str) -> Api:
    served = cells.get(target, "")
    never = served[len(_NEVER) :] if served.startswith(_NEVER) else ""
    parameters = cells["parameters"]
    every = tuple(_signature(one) for one in parameters.split("|")) if parameters not in ("", "()") else ()
    return Api(
        cells["name"],
        cells["kind"],
        cells["since"],
        every or (((),) if parameters else ()),
        cells["returns"],
        cells["cuda"],
        cells["instead"],
        "" if never else served,
        never,
        target in cells["shims"].split(","),
    )


def _signature(text: str) -> tuple[Parameter, ...]:
    tokens = text.split(",")
    slash = tokens.index("/") if "/" in tokens else 0
    star = tokens.index("*") if "*" in tokens else len(tokens)
    found = []
    for at, part in enumerate(tokens):
        if part not in "/*":
            said, _, since = part.partition("@")
            name, _, kind = said.removesuffix("=").partition(":")
            place = "/" if at < slash else "*" if at > star else ""
            found.append(Parameter(name, place, kind, said.endswith("="), since))
    return tuple(found)


def before(version: str, since: str) -> bool:
    """Return whether a version is certainly older than `since`; `2.11.0` is not certainly older than `2.11.0.post2`,
    because it may be that post-release."""
    (ours, post), (theirs, since_post) = release(version), release(since)
    return ours < theirs or (ours == theirs and ".post" in version and post < since_post)


def beyond(version: str, known: str) -> bool:
    """Return whether a version is certainly newer than `known`; a later patch release of the same minor version does
    not count as newer."""
    return numbers(version)[:2] > numbers(known)[:2]
