"""What one file cannot know: facts of the whole project, gathered by workspace, given to the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .source import Span

SILENT, UNKNOWN = "silent", "unknown"
"""Answers to what a receiver is, besides "review": it has nothing to do with torch; nobody knows, nothing changes."""


class Site(NamedTuple):
    """A finding that hangs on what an object is: `x.cuda()`, `x.is_cuda`, `x.to("cuda")`.

    `span`: the finding's; `at`: offset of the attribute's name, the receiver `x` is what stands before its dot.
    `argument`: the finding is an argument of the method, not the method. `lacking`: functions of torch whose results
    have no such method on the target.
    """

    rule: str
    span: Span
    at: int
    argument: bool = False
    lacking: tuple[str, ...] = ()


Answers = Mapping[Site, str]
"""What receivers turned out to be; a site that is absent is unknown."""


@dataclass(frozen=True)
class Project:
    """Immutable facts of a project. Targets are named by their ids."""

    plugins: frozenset[str] = frozenset()
    shims: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    """Targets that a module-level constant names, where no plugin is imported: `BACKEND = "…"`."""
    methods: frozenset[str] = frozenset()
    """Names of methods that some class of the project defines itself: "cuda", "is_cuda"."""
    backends: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of the modules that are CUDA's own, since one of the same name beside them is the target's."""
    extensions: frozenset[str] = frozenset()
    """Dotted names of the modules that build files of the project compile for CUDA: "my_ext", "package._C"."""
    kernels: frozenset[str] = frozenset()
    """"module.name" of functions that run a kernel, and "module.name()" of those that give a compiled module; of the
    module its last name only."""
    sources: frozenset[str] = frozenset()
    """Names of the project's own modules that say CUDA."""
