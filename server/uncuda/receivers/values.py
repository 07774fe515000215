"""What an expression can be: objects of torch, of another library, of classes of the project; or nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .bindings import imported, is_none
from .modules import Place

# Libraries whose objects have nothing to do with torch, and methods and devices of their own.
LIBRARIES = frozenset(
    {"numba", "cupy", "cupyx", "cudf", "cuml", "cugraph", "pycuda", "jax", "jaxlib", "flax", "tensorflow", "mxnet",
     "paddle", "oneflow", "mindspore", "tvm", "taichi", "warp", "open3d"}
)  # fmt: skip
_CROSSING = ("torch", "dlpack")


class Origin(NamedTuple):
    """Where an object comes from: its kind, a dotted name if it has one, and the place of a class.

    `kind`: torch, library; class (an instance of a class of the project), type (the class itself), module.
    """

    kind: str
    name: str = ""
    place: Place | None = None


class Values(NamedTuple):
    """What an expression can be; `complete`: and nothing else."""

    origins: frozenset[Origin] = frozenset()
    complete: bool = True

    def __or__(self, other: Values) -> Values:
        return Values(self.origins | other.origins, self.complete and other.complete)


NOTHING = Values()
UNKNOWN = Values(complete=False)


def one(kind: str, name: str = "", place: Place | None = None) -> Values:
    """Values that all have one origin."""
    return Values(frozenset({Origin(kind, name, place)}))


def union(found: Iterable[Values]) -> Values:
    """All of them together."""
    result = NOTHING
    for values in found:
        result |= values
    return result


def crosses(word: str) -> bool:
    """Whether a function of a library that is called so may give a tensor of torch."""
    return any(part in word for part in _CROSSING)


def known(dotted: str) -> Values | None:
    """What a dotted name below an import is, where its first word says it."""
    root = dotted.partition(".")[0]
    if root.startswith("torch"):
        return one("torch", dotted)
    if root in LIBRARIES:
        return UNKNOWN if crosses(dotted) else one("library", dotted)
    return None


def imported_from(place: Place) -> Values:
    """What an import binds that leads to no file."""
    dotted = imported(place.leaf)
    return (known(dotted) if dotted is not None else None) or UNKNOWN


def is_nothing(place: Place) -> bool:
    """Whether a name is bound to None there: beside an import, that is where the import failed."""
    return place.leaf is not None and is_none(place.leaf)


def instance(place: Place) -> Values:
    """What is of the class that is defined at a place."""
    if place.is_class:
        return one("class", place=place)
    if place.is_import:
        return imported_from(place)
    return NOTHING if is_nothing(place) else UNKNOWN
