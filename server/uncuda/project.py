"""Facts about the whole project, which one file alone cannot show: `workspace` collects them, and the engine reads
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .source import Span

SILENT, UNKNOWN = "silent", "unknown"
"""The verdicts on a receiver other than "review". With "silent" its type does not come from torch; with "unknown" the
finding stays as it is."""


class Site(NamedTuple):
    """A finding that depends on the type of an object: `x.cuda()`, `x.is_cuda`, `x.to("cuda")`.

    `span`: the span of the finding; `at`: the offset of the attribute's name; the receiver `x` is before the dot.
    `argument`: whether the finding is an argument of the method, not the method itself. `lacking`: functions of torch
    whose results do not have this method on the target.
    """

    rule: str
    span: Span
    at: int
    argument: bool = False
    lacking: tuple[str, ...] = ()


ACTS, INHERITS, MOVES, PATCHES = "acts", "inherits", "moves", "patches"
"""The possible effects of the `cuda` method of a project's class. ACTS: more than moving the object; INHERITS: only
what torch's method does; MOVES: moves the contents of an object whose class is not torch's; PATCHES: replaces torch's
own method (`torch.Tensor.cuda = traced`)."""


class Owner(NamedTuple):
    """A class that defines a method itself or derives from a class that does, or a function that returns an object of
    such a class.

    `method` is "cuda" or "is_cuda"; `name` is the name of the class or function, "" if unknown; `kind` is one of ACTS,
    INHERITS, MOVES, PATCHES.
    """

    method: str
    name: str
    kind: str


@dataclass(frozen=True)
class Helper:
    """The module of a portable project that says which accelerator there is."""

    module: str = "_accelerator"
    """Its dotted name."""
    path: str = ""
    """The path of its file, whether it is there or not."""
    defines: frozenset[str] | None = None
    """The functions that it has; None: it is not there yet, and will have all."""
    own: frozenset[str] = frozenset()
    """The first words of the project's modules."""
    folder: str = ""
    """The folder of the package that holds it and that is in no other package; "" for a module beside scripts."""
    dependents: tuple[str, ...] = ()
    """The folders of packages that have no helper of their own: they import this one's package."""
    named: bool = True
    """Whether other files are known to import it by `module`. False: the folder may be a part of a longer name."""
    line_length: int = 0
    """The longest line that the project's settings of formatters and linters allow; 0 where they do not say it."""
    others: tuple[Helper, ...] = ()
    """The helpers of the project's other packages: one cannot always import another."""

    @property
    def every(self) -> tuple[Helper, ...]:
        """This helper and those of other packages."""
        return (self, *self.others)

    def is_at(self, path: str) -> bool:
        """Whether a file is a helper of the project."""
        return bool(path) and any(one.path == path for one in self.every)

    def has(self, name: str) -> bool:
        """Whether the module has a function, or will have it."""
        return self.defines is None or name in self.defines


Answers = Mapping[Site, str]
"""The verdict on the receiver of each site; for a site that is missing, the verdict is "unknown"."""


@dataclass(frozen=True)
class Project:
    """Facts about a project, which are immutable. Targets are named by their ids."""

    plugins: frozenset[str] = frozenset()
    shims: frozenset[str] = frozenset()
    switched: frozenset[str] = frozenset()
    """Targets for which a file sets the environment variable that makes the plugin import its shim, if that version of
    the plugin reads it."""
    constants: frozenset[str] = frozenset()
    """Targets that a module-level constant names, `BACKEND = "…"`, if no plugin is imported."""
    owners: frozenset[Owner] = frozenset()
    """The classes of the project that define `cuda` or `is_cuda` themselves."""
    torch: bool = False
    """Whether a module of the project imports torch and uses `torch.cuda` or a CUDA device string."""
    served: frozenset[str] = frozenset()
    """Targets whose fixes need review, because the project chooses between accelerators at run time."""
    neutral: frozenset[str] = frozenset()
    """Paths of modules for another accelerator, or for the common base of all accelerators."""
    lacking: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of modules that are only for CUDA and have siblings for other accelerators, but none for the
    target."""
    backends: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of modules that are only for CUDA and have a sibling of the same name for the target."""
    extensions: frozenset[str] = frozenset()
    """Dotted names of modules that the project's build files compile for CUDA: "my_ext", "package._C"."""
    kernels: frozenset[str] = frozenset()
    """ "module.name" of functions that run a kernel, and "module.name()" of functions that return a compiled module;
    `module` is the module's last name only."""
    sources: frozenset[str] = frozenset()
    """Names of the project's own modules that use CUDA."""
    own: frozenset[str] = frozenset()
    """FOLDER/MODULE of the project's own modules that have the name of a library and can be imported below that
    folder."""
    tried: frozenset[str] = frozenset()
    """Dotted names, each with its module's, that a file imports where it can from another, and goes on without."""
    helper: Helper | None = None
    """Of a project that is ported for every accelerator."""
    starred: frozenset[str] = frozenset()
    """The last words of modules that a file imports with `*`: what they import goes to that file, too."""
    torch_of: frozenset[str] = frozenset()
    """The last words of modules whose `torch` another file uses: `module.torch`, `from module import torch`."""
    scripts: bool = False
    """Whether a file may compile anything of the project with TorchScript."""
    compiled: frozenset[tuple[str, str]] = frozenset()
    """(path, name) of functions and classes that TorchScript compiles with what other files compile."""
    packs: bool = False
    """Whether a file makes packed sequences, which have `is_cuda` and no `device`."""

    @property
    def says(self) -> frozenset[str]:
        """The targets that files name in an import or by an environment variable."""
        return self.plugins | self.shims | self.switched

    def tries(self, path: str) -> frozenset[str]:
        """The names that a file of the project imports where it can from the file at `path`, or from its package."""
        if not self.tried or not path.endswith(".py"):
            return frozenset()
        dotted = "." + path.removesuffix(".py").replace("\\", "/").replace("/", ".")
        modules = dotted, dotted.rpartition(".")[0]
        split = (one.rpartition(".") for one in self.tried)
        return frozenset(name for module, _, name in split if any(one.endswith(f".{module}") for one in modules))

    def owns(self, module: str, path: str) -> bool:
        """Whether an import of `module` in the file at `path` finds a module of the project itself."""
        for place in self.own:
            folder, _, name = place.replace("\\", "/").rpartition("/")
            if module == name or module.startswith(f"{name}."):
                if not folder or path.replace("\\", "/").startswith(f"{folder}/"):
                    return True
            space = name.partition(".")[0] if "." in name else ""
            if space and module.partition(".")[0] == space:
                inside = f"{folder}/{space}/" if folder else f"{space}/"
                if path.replace("\\", "/").startswith(inside):
                    return True  # part of the file's own namespace package: `megatron.rl` beside `megatron.core`
        return module.partition(".")[0] in self.sources
