"""Facts about the whole project, which a single file cannot show; `workspace` collects them for the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .module_names import agree, module_at
from .source import Span

SILENT, UNKNOWN = "silent", "unknown"
"""Verdicts on the type of a receiver; a further verdict is "review". "silent": the type is not torch's, so the finding
is dropped; "unknown": the finding stays as it is."""


class Site(NamedTuple):
    """A place whose finding depends on the type of an object: `x` in `x.cuda()`, `x.is_cuda`, `x.to("cuda")`.

    `span`: the span of the finding; `at`: the offset of the name of the attribute; the object `x` before the dot is the
    receiver. `argument`: whether the finding is at an argument of the method instead of the method. `lacking`:
    functions of torch whose results lack this method on the target.
    """

    rule: str
    span: Span
    at: int
    argument: bool = False
    lacking: tuple[str, ...] = ()


ACTS, INHERITS, MOVES, PATCHES = "acts", "inherits", "moves", "patches"
"""The effects that the method `cuda` of a class in the project may have. ACTS: the method does more than move the
object; INHERITS: the method does the same as torch's; MOVES: the method moves the contents of an object that is not
torch's; PATCHES: the method replaces torch's own (`torch.Tensor.cuda = traced`)."""
FIELD = "field"
"""The kind of an `Owner` with an attribute in place of a method: `is_cuda: bool` in a class, or `self.is_cuda = …`."""


class Owner(NamedTuple):
    """A class that defines or inherits a method, or a function that returns an object of a class with the method.

    `method`: "cuda" or "is_cuda"; `name`: the name of the class or function, "" if unknown; `kind`: ACTS, INHERITS,
    MOVES, PATCHES or FIELD.
    """

    method: str
    name: str
    kind: str


SCALERS = frozenset({"timm.utils.NativeScaler"})
"""Gradient scalers of other libraries that are CUDA's unless they get a device (timm/utils/cuda.py)."""
MARK = "@"
"""The character before the name of a skip mark in `Project.reaches`."""
MODELS_ON_CPU, LIGHTNING_ON_CPU, LIGHTNING_PLACES, WRAPS_BY_COUNT, FLAG_BY_CUDA, DRIVER_ASKED, OWN_BACKEND = (
    "models-on-cpu", "lightning-on-cpu", "lightning-places", "wraps-by-count", "flag-by-cuda", "driver-asked",
    "own-backend",
)  # fmt: skip
"""What `Project.models_stay` may contain."""
MANY = "*"
"""What `Project.reaches` says about a name through which too many names and libraries are needed to list them."""


OTHERWISE = "?"
"""Stands behind the name of a function in `Project.selectors` that selects the device in another way."""


@dataclass(frozen=True)
class Helper:
    """The helper module of a portable project, whose functions select the accelerator at run time."""

    module: str = "_accelerator"
    """The dotted name of the helper module."""
    path: str = ""
    """The path of the helper module's file, which need not exist yet."""
    defines: frozenset[str] | None = None
    """The names that the helper module defines; None if its file does not exist yet, so that uncuda will write all of
    them."""
    own: frozenset[str] = frozenset()
    """The names of the project's top-level modules and packages."""
    folder: str = ""
    """The folder of the outermost package that contains the helper module; "" for a module beside scripts."""
    dependents: tuple[str, ...] = ()
    """The folders of packages that import this helper module's package, and have no helper module of their own."""
    named: bool = True
    """Whether other files are known to import the helper module's package by the name in `module`. If False, an
    import of the helper module may need a longer name than `module`."""
    line_length: int = 0
    """The maximum length of a line in the project's settings of formatters and linters; 0 without such settings."""
    torch: str = ""
    """The PyTorch versions that the project declares to support, as `str` of a `Versions`; "" if it declares none."""
    others: tuple[Helper, ...] = ()
    """The helper modules of the other packages in the project, because one package cannot always import another."""

    @property
    def every(self) -> tuple[Helper, ...]:
        """This helper module, and the helper modules of the other packages."""
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
        """Return whether the helper module defines a function, or will define it when uncuda writes the file."""
        return self.defines is None or name in self.defines


Answers = Mapping[Site, str]
"""Maps each Site to the verdict on the type of its receiver; a Site that is missing counts as "unknown"."""


@dataclass(frozen=True)
class Project:
    """Facts about a project; they never change. The fields of this class name each target by its id."""

    plugins: frozenset[str] = frozenset()
    shims: frozenset[str] = frozenset()
    switched: frozenset[str] = frozenset()
    """Targets for which a file sets the environment variable that makes the plugin import its shim; only some versions
    of the plugin read it."""
    constants: frozenset[str] = frozenset()
    """Targets that a constant at module level names, `BACKEND = "…"`, in a project without a file that imports a
    plugin."""
    owners: frozenset[Owner] = frozenset()
    """The classes of the project that define `cuda` or `is_cuda` themselves."""
    torch: bool = False
    """Whether a module of the project imports torch and uses `torch.cuda` or a device string for CUDA."""
    served: frozenset[str] = frozenset()
    """Targets for which all fixes need review, because the project chooses between accelerators at run time."""
    neutral: frozenset[str] = frozenset()
    """The paths of modules that are for another accelerator, or for all accelerators in common."""
    lacking: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of each module for CUDA that has counterparts for other accelerators, but none for the target."""
    backends: frozenset[tuple[str, str]] = frozenset()
    """(target, path) of each module for CUDA that has a counterpart for the target."""
    extensions: frozenset[str] = frozenset()
    """The dotted names of modules that the project's build files compile for CUDA: "my_ext", "package._C"."""
    kernels: frozenset[str] = frozenset()
    """ "module.name" of each function that runs a kernel, and "module.name()" of each function that returns a compiled
    module; `module` is the last part of the module's name."""
    askers: frozenset[str] = frozenset()
    """ "module.name" of each function that asks for the compute capability of a device, and for nothing before."""
    selectors: frozenset[str] = frozenset()
    """ "module.name" of each function whose name says that it selects a device (SELECTS), and which returns CUDA's, or
    that of a target, because torch says that there is one; OTHERWISE is behind the name of each other function with
    such a name, for example one that reads an environment variable."""
    wrappers: frozenset[tuple[str, str]] = frozenset()
    """(name, module) of each autograd function of the project, and of each function that calls one, which asks for no
    device and runs code of a compiled module. `name`: the dotted name of the function; `module`: a module in
    `extensions`, or a name in a library."""
    sources: frozenset[str] = frozenset()
    """The names of the project's own modules that use CUDA."""
    own: frozenset[str] = frozenset()
    """Modules of the project that have the name of a library, each as FOLDER/MODULE: files below FOLDER import MODULE
    from there instead of the library."""
    users: frozenset[tuple[str, str]] = frozenset()
    """(module, library) of each module of the project that imports, outside of all blocks, a library that takes tensors
    and graphs only on CUDA and on the CPU according to the table of any target, or one of SCALERS."""
    device_makers: frozenset[str] = frozenset()
    """The dotted names of functions such as `get_device` that modules in `users` with such a library import from other
    modules: the functions also make devices for the library."""
    devices_given: frozenset[tuple[str, str]] = frozenset()
    """(module, library) of each module of the project that gives a device which it got from elsewhere to a library with
    devices of its own: `WhisperModel(size, device=device)`."""
    tried: frozenset[str] = frozenset()
    """The dotted names of modules, and of objects in them, that a file of the project imports in a `try` and can work
    without."""
    helper: Helper | None = None
    """The helper module of a portable project; None for other projects."""
    starred: frozenset[str] = frozenset()
    """The last part of the name of each module that a file imports with `*`; the file also gets the names that the
    module itself imports."""
    torch_of: frozenset[str] = frozenset()
    """The last parts of the names of modules from which another file takes the name `torch`: `module.torch`, `from
    module import torch`."""
    scripts: bool = False
    """Whether a file of the project may compile any code of the project with TorchScript."""
    compiled: frozenset[tuple[str, str]] = frozenset()
    """(path, name) of each function or class that TorchScript compiles together with functions of other files."""
    packs: bool = False
    """Whether a file of the project creates packed sequences, which have an attribute `is_cuda`, but no `device`."""
    reaches: frozenset[tuple[str, str]] = frozenset()
    """(name, needed) of each name that files which skip tests import, and of each skip mark that files import ("@" is
    before its name): functions of the project that are called through the name need `needed`: on each line a name of
    `torch.cuda`, with the keywords of its call in parentheses, or a library; or MANY."""
    naming: frozenset[str] = frozenset()
    """The paths of files that give a device the value "cuda" and do not name torch."""
    models_stay: frozenset[str] = frozenset()
    """Why the program's models stay as they are, as ids of sentences in rules/limits.tsv. On the CPU:
    MODELS_ON_CPU, if a file asks for CUDA in an attribute that stays as it is, because the compute capability of
    CUDA's devices is compared where the attribute is true, as in fairseq/trainer.py; LIGHTNING_ON_CPU, if the
    number of Lightning's GPUs depends on a question for CUDA; LIGHTNING_PLACES, if a file runs Lightning, which
    places the models; FLAG_BY_CUDA, if a model's own `cuda` also sets an attribute that its other methods read;
    DRIVER_ASKED, if a file asks NVIDIA's driver for the memory of the GPU in use. Everywhere: OWN_BACKEND, if the
    project registers a backend of its own, whose place in torch the plugin would take. Without a wrapper:
    WRAPS_BY_COUNT, if a file wraps a model in `DataParallel` where there are several devices."""
    patching: frozenset[str] = frozenset()
    """The paths of files of tests that replace names of `torch.cuda`: `mock.patch("torch.cuda.Stream")`,
    `setattr(torch.cuda, "Stream", f)`."""
    carried: frozenset[tuple[str, str, str]] = frozenset()
    """(target, path, string) of each name that a file in `patching` replaces, if the code under test, in other files,
    uses the name only where a safe fix changes it."""

    @property
    def says(self) -> frozenset[str]:
        """The targets that files of the project name in an import, or by an environment variable."""
        return self.plugins | self.shims | self.switched

    def tries(self, path: str) -> frozenset[str]:
        """Return the names that a file of the project imports in a `try` from the file at `path`, or from its
        package."""
        if not self.tried or not path.endswith(".py"):
            return frozenset()
        dotted = "." + path.removesuffix(".py").replace("\\", "/").replace("/", ".")
        modules = dotted, dotted.rpartition(".")[0]
        split = (one.rpartition(".") for one in self.tried)
        return frozenset(name for module, _, name in split if any(one.endswith(f".{module}") for one in modules))

    def libraries_of(self, module: str, path: str) -> frozenset[str]:
        """Return the libraries in `users` that a module of the project imports. `module`: its dotted name as the file
        at `path` imports it; a name of one segment is that of a module beside the file."""
        users = self._users_by_name.get(module.rpartition(".")[2], ())
        if not users:
            return frozenset()
        beside = ".".join(filter(None, (module_at(path).rpartition(".")[0], module)))
        if "." not in module:
            return frozenset(library for user, library in users if user == beside)
        # a user of one segment is a file in the folder where the scan began: `torchvision.utils` is not its `utils`
        return frozenset(library for user, library in users if user == beside or ("." in user and agree(user, module)))

    @cached_property
    def scales_on_cuda(self) -> bool:
        """Whether a file of the project imports a gradient scaler that is CUDA's unless it gets a device."""
        return any(library in SCALERS for _, library in self.users)

    @cached_property
    def roots_of_users(self) -> frozenset[str]:
        """The segments of the names of the modules in `users`: an import of such a module begins with one of them, or,
        if it is relative, with ""."""
        found = frozenset(part for user, _ in self.users for part in user.split("."))
        return found | {""} if found else found

    @cached_property
    def _users_by_name(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The items of `users`, by the last segment of the module's name."""
        found: dict[str, list[tuple[str, str]]] = {}
        for user in self.users:
            found.setdefault(user[0].rpartition(".")[2], []).append(user)
        return found

    def makers_in(self, path: str) -> frozenset[str]:
        """Return the names of the functions in `device_makers` that a file may define. A module may also import them
        from the package that contains the file."""
        own = f".{module_at(path)}." if self.device_makers and path else ""
        found = (maker.rpartition(".") for maker in self.device_makers if own)
        return frozenset(name for module, _, name in found if f".{module}." in own)

    def selects(self, name: str, module: str) -> bool:
        """Return whether the function `name` of another file returns CUDA's device because torch says that there is
        one. `module`: the dotted name by which a file imports the function; it may be the name in a package that gives
        the function on."""
        known = [one for one in self.selectors if one.removesuffix(OTHERWISE).rpartition(".")[2] == name]
        there = [one for one in known if agree(one.removesuffix(OTHERWISE), module.lstrip("."))]
        return bool(known) and not any(one.endswith(OTHERWISE) for one in there or known)

    def owns(self, module: str, path: str) -> bool:
        """Whether an import of `module` in the file at `path` finds a module of the project."""
        root = module.partition(".")[0]
        for folder, name in self._own_by_root.get(root, ()):
            if module == name or module.startswith(f"{name}."):
                if not folder or path.replace("\\", "/").startswith(f"{folder}/"):
                    return True
            if "." in name:
                inside = f"{folder}/{root}/" if folder else f"{root}/"
                if path.replace("\\", "/").startswith(inside):
                    # the file and the imported module are in one namespace package: `megatron.rl` beside
                    # `megatron.core`
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
