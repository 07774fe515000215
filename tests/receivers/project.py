"""Writes a small project to disk and returns the verdicts on the receivers in a text of it: whether the type of `x` in
`x.cuda()` is torch's."""

from __future__ import annotations

from pathlib import Path

from support.engines import engine_for
from uncuda.engine import Engine
from uncuda.project import Site
from uncuda.receivers import Receivers
from uncuda.settings import Settings
from uncuda.source import Source

# torch, numba and cupy need not be installed, because the import statements alone show the names.
FILES = {
    "pkg/__init__.py": "from .data import Batch as Renamed\nfrom .compat import Tensor, module_that_fails\n",
    "pkg/compat.py": """\
from torch import Tensor
try:
    import numba.cuda as jit
    import module_that_fails
except ImportError:
    jit = module_that_fails = None
""",
    "pkg/data.py": '''\
import functools
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import cupy
import torch
import torch.nn as nn
from library_that_is_not_installed import Base

from .helpers import Mixin

T = TypeVar("T")


class Inner:
    def cuda(self):
        """Its own."""

    def to(self, device):
        return self


class Batch:
    shared: Inner

    def __init__(self, inner):
        self.nothing = None
        self.inner = Inner()
        self.mixed = Inner()
        self.given = inner
        self.net = Net()
        self.first, self.second = Inner(), Inner()

    def grow(self):
        self.mixed = torch.zeros(3)

    def cuda(self):
        return self

    def to(self, layout):
        return self

    @classmethod
    def make(cls):
        return cls(None)

    @property
    def part(self):
        return Inner()

    @functools.lru_cache
    def cached(self):
        return Inner()


class Net(nn.Module):
    pass


class Overriding(nn.Module):
    def cuda(self):
        return self


class Doubtful(Base):
    def cuda(self):
        return self


class Child(Batch):
    pass


class Mixed(Mixin):
    pass


class Array(cupy.ndarray):
    pass


class Flags(NamedTuple):
    is_cuda: bool


@dataclass
class Options:
    is_cuda: bool = False


class Container(Generic[T], Inner):
    pass


class Delegating:
    def __getattr__(self, name):
        return getattr(self.tensor, name)


def build():
    return Batch(None)


def perhaps(small):
    if small:
        return torch.zeros(3)
    return Batch(None)


def optional(small):
    if small:
        return None
    return Batch(None)


def annotated(x) -> Batch:
    return x


async def later():
    return Batch(None)


def several():
    yield Batch(None)


def tensor():
    return torch.zeros(3)


def array():
    return cupy.zeros(3)


def packed(x):
    return nn.utils.rnn.pack_sequence(x)


def again(x):
    return again(x)


ALIAS = Batch
BATCH = Batch(None)
''',
    "pkg/helpers.py": "class Mixin:\n    is_cuda = False\n",
}

HEAD = """\
import argparse
import cupy as cp
import torch
import torch.nn as nn
from numba import cuda
from pkg import Renamed, Tensor, data
from pkg.data import *
from pkg.data import build as built
"""


def write(root: Path, files: dict[str, str]) -> None:
    """Write files to a folder."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def engine(**settings: object) -> Engine:
    """Return an engine with target npu."""
    return engine_for("npu", Settings(locale="en", **settings))  # type: ignore[arg-type]


def sites(text: str, rule: str = "") -> tuple[Site, ...]:
    """Return the receivers (`x` in `x.cuda()`) in a text whose types must be found out; if `rule` is given, only those
    of this rule."""
    return tuple(site for site in engine().sites(Source(text)) if rule in ("", site.rule))


def verdicts(receivers: Receivers, root: Path, text: str, name: str = "main.py") -> list[str]:
    """Return, in source order, the verdicts ("silent", "review" or "unknown") on the objects in a text, such as the `x`
    of `x.cuda()`."""
    asked = sites(text)
    assert asked, "nothing to ask"
    answers = receivers.ask(str(root / name), text, asked)
    return [answers[site] for site in asked]
