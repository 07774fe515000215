"""The values that an expression can have: objects of torch, of another library, of the project's classes, or unknown
objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .bindings import imported, is_none
from .modules import Place

# Libraries whose objects are never torch's and have methods and devices of their own.
LIBRARIES = frozenset(
    {"numba", "cupy", "cupyx", "cudf", "cuml", "cugraph", "pycuda", "jax", "jaxlib", "flax", "tensorflow", "mxnet",
     "paddle", "oneflow", "mindspore", "tvm", "taichi", "warp", "open3d"}
)  # fmt: skip
_CROSSING = ("torch", "dlpack")


class Origin(NamedTuple):
    """The origin of an object: its kind, its dotted name if it has one, and the definition of its class.

    `kind`: "torch", "library", "class" (an instance of a class of the project), "type" (the class itself) or "module".
    """

    kind: str
    name: str = ""
    place: Place | None = None


class Values(NamedTuple):
    """The objects that the value of an expression can be; `complete`: whether the value can be no other object."""

    origins: frozenset[Origin] = frozenset()
    complete: bool = True

    def __or__(self, other: Values) -> Values:
        return Values(self.origins | other.origins, self.complete and other.complete)


NOTHING = Values()
UNKNOWN = Values(complete=False)


def one(kind: str, name: str = "", place: Place | None = None) -> Values:
    """Return Values with one possible object; the arguments are the fields of its Origin."""
    return Values(frozenset({Origin(kind, name, place)}))


def union(found: Iterable[Values]) -> Values:
    """The union of several Values."""
    result = NOTHING
    for values in found:
        result |= values
    return result


def crosses(word: str) -> bool:
    """Whether a library's function of this name, such as `to_torch`, may return a tensor of torch."""
    return any(part in word for part in _CROSSING)


def known(dotted: str) -> Values | None:
    """Return the objects (`Values`) that an imported dotted name can stand for, according to the first part of the
    name; None if this part neither begins with `torch` nor is in LIBRARIES."""
    root = dotted.partition(".")[0]
    if root.startswith("torch"):
        return one("torch", dotted)
    if root in LIBRARIES:
        return UNKNOWN if crosses(dotted) else one("library", dotted)
    return None


def imported_from(place: Place) -> Values:
    """Return the Values of a name that an import binds, for an import whose file cannot be found."""
    dotted = imported(place.leaf)
    return (known(dotted) if dotted is not None else None) or UNKNOWN


def is_nothing(place: Place) -> bool:
    """Return whether the name defined at `place` is bound to None, which is usually the fallback of an import that
    failed."""
    return place.leaf is not None and is_none(place.leaf)


def instance(place: Place) -> Values:
    """Return the Values of an instance of the class that is defined at `place`."""
    if place.is_class:
        return one("class", place=place)
    if place.is_import:
        return imported_from(place)
    return NOTHING if is_nothing(place) else UNKNOWN
