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


ACTS, INHERITS, MOVES, PATCHES = "acts", "inherits", "moves", "patches"
"""What a class's own `cuda` does: more than move; no more than torch's; it moves what a class not of torch's holds; it
takes the place of torch's own: `torch.Tensor.cuda = traced`."""


class Owner(NamedTuple):
    """A class that defines a method itself, or derives from one that does, or a function that returns such an object.

    `method`: "cuda" or "is_cuda"; `name`: of the class or function, "" if it is not known; `kind`: see ACTS.
    """

    method: str
    name: str
    kind: str


@dataclass(frozen=True)
class Helper:
    """The module of a portable project that says which accelerator there is. `module`: dotted; `path`: of its file,
    there or not; `defines`: the functions that it has, None: it is not there yet, and will have all; `own`: the first
    words of the project's modules."""

    module: str = "_accelerator"
    path: str = ""
    defines: frozenset[str] | None = None
    own: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Whether the module has a function, or will."""
        return self.defines is None or name in self.defines


Answers = Mapping[Site, str]
"""What receivers turned out to be; a site that is absent is unknown."""


@dataclass(frozen=True)
class Project:
    """Immutable facts of a project. Targets are named by their ids."""

    plugins: frozenset[str] = frozenset()
    shims: frozenset[str] = frozenset()
    switched: frozenset[str] = frozenset()
    """Targets of whose plugin a file sets the variable that makes it import the shim, if its version knows that."""
    constants: frozenset[str] = frozenset()
    """Targets that a module-level constant names, where no plugin is imported: `BACKEND = "…"`."""
    owners: frozenset[Owner] = frozenset()
    """The classes of the project that define such a method themselves."""
    torch: bool = False
    """Whether a module of the project imports torch and names its CUDA."""
    served: frozenset[str] = frozenset()
    """Targets whose fixes need review: the project chooses among accelerators at run time."""
    neutral: frozenset[str] = frozenset()
    """Paths of the modules that are another accelerator's own, or the base of those of all accelerators."""
    lacking: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of the modules that are CUDA's own, beside those of other accelerators and none of the target."""
    backends: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of the modules that are CUDA's own, since one of the same name beside them is the target's."""
    extensions: frozenset[str] = frozenset()
    """Dotted names of the modules that build files of the project compile for CUDA: "my_ext", "package._C"."""
    kernels: frozenset[str] = frozenset()
    """"module.name" of functions that run a kernel, and "module.name()" of those that give a compiled module; of the
    module its last name only."""
    sources: frozenset[str] = frozenset()
    """Names of the project's own modules that say CUDA."""
    own: frozenset[str] = frozenset()
    """FOLDER/MODULE of the project's own modules that are called as a library, importable below that folder."""
    helper: Helper | None = None
    """Of a project that is ported for every accelerator."""

    @property
    def says(self) -> frozenset[str]:
        """The targets that files say by imports or by a variable."""
        return self.plugins | self.shims | self.switched

    def owns(self, module: str, path: str) -> bool:
        """Whether an import of a module, in the file at a path, finds one of the project's own."""
        for place in self.own:
            folder, _, name = place.replace("\\", "/").rpartition("/")
            if module == name or module.startswith(f"{name}."):
                if not folder or path.replace("\\", "/").startswith(f"{folder}/"):
                    return True
            space = name.partition(".")[0] if "." in name else ""
            if space and module.partition(".")[0] == space:
                inside = f"{folder}/{space}/" if folder else f"{space}/"
                if path.replace("\\", "/").startswith(inside):
                    return True  # a part of the file's own namespace, as `megatron.rl` beside `megatron.core`
        return module.partition(".")[0] in self.sources
