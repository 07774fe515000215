"""Facts about the whole project, which one file alone cannot show: `workspace` collects them, and the engine reads
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .source import Span

SILENT, UNKNOWN = "silent", "unknown"
"""The verdicts on a receiver, apart from "review". "silent": the type of the receiver does not come from torch;
"unknown": the finding stays as it is."""


class Site(NamedTuple):
    """A place with a finding that depends on the type of an object: `x.cuda()`, `x.is_cuda`, `x.to("cuda")`.

    `span`: the span of the finding; `at`: the offset of the attribute's name; the receiver `x` is the expression before
    the dot. `argument`: whether the finding is an argument of the method, not the method itself. `lacking`: functions
    of torch whose results do not have this method on the target.
    """

    rule: str
    span: Span
    at: int
    argument: bool = False
    lacking: tuple[str, ...] = ()


ACTS, INHERITS, MOVES, PATCHES = "acts", "inherits", "moves", "patches"
"""What the `cuda` method of a class in the project may do. ACTS: more than moving the object; INHERITS: only what
torch's method does; MOVES: moves the contents of an object whose class is not torch's; PATCHES: the method replaces
torch's own (`torch.Tensor.cuda = traced`)."""


class Owner(NamedTuple):
    """A class that defines a method itself or derives from a class that does, or a function that returns an object of
    such a class.

    `method`: "cuda" or "is_cuda"; `name`: the name of the class or function, "" if unknown; `kind`: ACTS, INHERITS,
    MOVES or PATCHES.
    """

    method: str
    name: str
    kind: str


@dataclass(frozen=True)
class Helper:
    """The helper module of a portable project, whose functions select the accelerator at run time."""

    module: str = "_accelerator"
    """The dotted name of the helper module."""
    path: str = ""
    """The path of the helper module's file, which need not exist yet."""
    defines: frozenset[str] | None = None
    """The names that the helper module defines; None if its file does not exist yet and will define all of them."""
    own: frozenset[str] = frozenset()
    """The top-level names of the project's modules."""
    folder: str = ""
    """The folder of the package that holds it and that is in no other package; "" for a module beside scripts."""
    dependents: tuple[str, ...] = ()
    """The folders of packages that have no helper module of their own, because they import this helper's package."""
    named: bool = True
    """Whether other files are known to import it by `module`. False: the folder may be a part of a longer name."""
    line_length: int = 0
    """The longest line that the project's settings of formatters and linters allow; 0 if no such setting exists."""
    torch: str = ""
    """The PyTorch versions on which the project declares to run, as `str` of a `Versions`; "" if it declares none."""
    others: tuple[Helper, ...] = ()
    """The helper modules of the project's other packages, because one package cannot always import another."""

    @property
    def every(self) -> tuple[Helper, ...]:
        """This helper module and those of the other packages."""
        return (self, *self.others)

    def is_at(self, path: str) -> bool:
        """Return whether a file is a helper module of the project."""
        return bool(path) and any(one.path == path for one in self.every)

    def package_of(self, path: str) -> str:
        """Return the folder of the project's package that holds a file; "" if none does."""
        path = path.replace("\\", "/")
        folders = [one.folder.replace("\\", "/") for one in self.every if one.folder]
        return next((folder for folder in folders if path.startswith(folder + "/")), "")

    def has(self, name: str) -> bool:
        """Return whether the helper module defines a function, or will define it when it is created."""
        return self.defines is None or name in self.defines


Answers = Mapping[Site, str]
"""Maps each site to the verdict on its receiver; for a site that is missing, the verdict is "unknown"."""


@dataclass(frozen=True)
class Project:
    """Facts about a project, which are immutable. Targets are represented by their ids."""

    plugins: frozenset[str] = frozenset()
    shims: frozenset[str] = frozenset()
    switched: frozenset[str] = frozenset()
    """Targets for which a file sets the environment variable that makes the plugin import its shim, if that version of
    the plugin reads it."""
    constants: frozenset[str] = frozenset()
    """Targets that a module-level constant names, `BACKEND = "…"`, if no file imports a plugin."""
    owners: frozenset[Owner] = frozenset()
    """The classes of the project that define `cuda` or `is_cuda` themselves."""
    torch: bool = False
    """Whether a module of the project imports torch and uses `torch.cuda` or a device string for CUDA."""
    served: frozenset[str] = frozenset()
    """Targets for which fixes need review, because the project chooses among accelerators at run time."""
    neutral: frozenset[str] = frozenset()
    """Paths of modules for another accelerator, or for the common base of all accelerators."""
    lacking: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of modules for CUDA that have corresponding modules for other accelerators, but none for the
    target."""
    backends: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of modules for CUDA that have a corresponding module for the target."""
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
    """Dotted names (of modules, and of objects in them) that a file of the project imports in a `try` and can do
    without."""
    helper: Helper | None = None
    """The helper module; None if the project is not portable."""
    starred: frozenset[str] = frozenset()
    """The last parts of the names of modules that a file imports with `*`, so that everything that they import is
    visible there, too."""
    torch_of: frozenset[str] = frozenset()
    """The last parts of the names of modules whose `torch` another file uses: `module.torch`, `from module import
    torch`."""
    scripts: bool = False
    """Whether a file may compile anything of the project with TorchScript."""
    compiled: frozenset[tuple[str, str]] = frozenset()
    """(path, name) of functions and classes that TorchScript compiles because functions of other files, which it
    compiles, use them."""
    packs: bool = False
    """Whether a file of the project makes packed sequences, which have `is_cuda` but no `device`."""

    @property
    def says(self) -> frozenset[str]:
        """The targets that files name in an import or by an environment variable."""
        return self.plugins | self.shims | self.switched

    def tries(self, path: str) -> frozenset[str]:
        """Return the names that a file of the project imports, in a `try`, from the file at `path` or from its
        package."""
        if not self.tried or not path.endswith(".py"):
            return frozenset()
        dotted = "." + path.removesuffix(".py").replace("\\", "/").replace("/", ".")
        modules = dotted, dotted.rpartition(".")[0]
        split = (one.rpartition(".") for one in self.tried)
        return frozenset(name for module, _, name in split if any(one.endswith(f".{module}") for one in modules))

    def owns(self, module: str, path: str) -> bool:
        """Whether an import of `module` in the file at `path` finds a module of the project itself."""
        root = module.partition(".")[0]
        for folder, name in self._own_by_root.get(root, ()):
            if module == name or module.startswith(f"{name}."):
                if not folder or path.replace("\\", "/").startswith(f"{folder}/"):
                    return True
            if "." in name:
                inside = f"{folder}/{root}/" if folder else f"{root}/"
                if path.replace("\\", "/").startswith(inside):
                    # the module is in the same namespace package as the file: `megatron.rl` beside `megatron.core`
                    return True
        return root in self.sources

    @cached_property
    def _own_by_root(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The folder and the name of each module in `own`, by the first segment of the name."""
        found: dict[str, list[tuple[str, str]]] = {}
        for place in self.own:
            folder, _, name = place.replace("\\", "/").rpartition("/")
            found.setdefault(name.partition(".")[0], []).append((folder, name))
        return found
