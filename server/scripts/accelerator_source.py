"""Reads, from PyTorch's source, the API of `torch.accelerator` and of the few other names that accept its devices.

The source is a wheel, or a folder that contains `torch/`, which may be an installation or a checkout. No code of
PyTorch is run or imported.
"""

from __future__ import annotations

import ast
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MODULE = "torch.accelerator"
# Names outside of `torch.accelerator` that are read, by the file in which they are defined.
BESIDE = {
    "torch.get_device_module": ("torch/__init__.py", "get_device_module"),
    "torch.Stream": ("torch/_C/__init__.pyi", "Stream"),
    "torch.Event": ("torch/_C/__init__.pyi", "Event"),
}
_FOLDER = "torch/accelerator/"
_INT = frozenset({"int", "int | None", "Optional[int]", "_int"})
_DEVICE = re.compile(r"(?:\w*\.)?(?:_device_t|Device|DeviceLikeType)\b")
_CONTAINERS = {"OrderedDict": "dict", "Dict": "dict", "Tuple": "tuple", "List": "list"}

Signature = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """A name: its kind (module, function, class, or import if it is defined elsewhere), its signatures, and the class
    of its result."""

    kind: str
    signatures: tuple[Signature, ...] = ()
    returns: str = ""


class NotTorch(ValueError):
    """Raised if a path does not contain PyTorch's source."""


def read_source(path: Path) -> tuple[str, dict[str, Entry], dict[str, Entry]]:
    """Return (version, names of `torch.accelerator` and those related to it, names of `torch.cuda`) for a wheel or a
    folder."""
    if path.is_file():
        with zipfile.ZipFile(path) as wheel:
            return _read(path, wheel.namelist(), lambda name: wheel.read(name).decode("utf-8"))
    names = [found.relative_to(path).as_posix() for found in (path / "torch").glob("**/*.py*")]
    return _read(path, names, lambda name: (path / name).read_text(encoding="utf-8"))


def _read(path: Path, names: list[str], text: Callable[[str], str]) -> tuple[str, dict[str, Entry], dict[str, Entry]]:
    version = re.search(r"__version__ = '(\d+(?:\.\d+)+)", text("torch/version.py")) if _VERSION in names else None
    if version is None:
        raise NotTorch(f"{path}: there is no {_VERSION} that says a version")
    modules = {
        name[len(_FOLDER) : -3]: _module(ast.parse(text(name)))
        for name in sorted(names)
        if name.startswith(_FOLDER) and name.endswith(".py") and "/" not in name[len(_FOLDER) :]
    }
    found: dict[str, Entry] = {}
    if (top := modules.pop("__init__", None)) is not None:
        found[MODULE] = Entry("module")
        found.update({f"{MODULE}.{name}": entry for name, entry in _merged(top, modules).items()})
        for module, below in modules.items():
            if not module.startswith("_"):
                found[f"{MODULE}.{module}"] = Entry("module")
                found.update({f"{MODULE}.{module}.{name}": entry for name, (entry, _) in below.items()})
    for dotted, (file, name) in BESIDE.items():
        if file in names and (entry := _one(ast.parse(text(file)), name)) is not None:
            found[dotted] = entry
    cuda: dict[str, Entry] = {}
    for file in ("__init__", "memory", "random"):
        if f"torch/cuda/{file}.py" in names:
            every = _module(ast.parse(text(f"torch/cuda/{file}.py")))
            cuda.update({name: entry for name, (entry, _) in every.items() if entry.kind != "import"})
    return version[1], found, cuda


_VERSION = "torch/version.py"


def _module(tree: ast.Module) -> dict[str, tuple[Entry, str]]:
    """Return the public names that a module binds, each with the sibling module from which it was imported, or ""."""
    found: dict[str, tuple[Entry, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = Entry("function", (_signature(node.args),), _class_of(node.returns)), ""
        elif isinstance(node, ast.ClassDef):
            found[node.name] = Entry("class", _constructors(node)), ""
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = Entry("import"), (node.module or "") if node.level else ""
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = Entry("import"), ""
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = _wrapped(node.value, found), ""
    return {name: entry for name, entry in found.items() if not name.startswith("_")}


def _wrapped(value: ast.expr, known: Mapping[str, tuple[Entry, str]]) -> Entry:
    """Return the entry of the function that an assigned value wraps, such as `current_device_index` in
    `deprecated(…)(current_device_index)`."""
    given = value.args[0] if isinstance(value, ast.Call) and len(value.args) == 1 else None
    return known[given.id][0] if isinstance(given, ast.Name) and given.id in known else Entry("import")


def _merged(top: dict[str, tuple[Entry, str]], modules: Mapping[str, dict[str, tuple[Entry, str]]]) -> dict[str, Entry]:
    """Return the names of the package with their entries. If the package imports a name from one of its modules, the
    entry is the one that the name has in this module."""
    return {
        name: modules[module][name][0] if module in modules and name in modules[module] else entry
        for name, (entry, module) in top.items()
    }


def _one(tree: ast.Module, name: str) -> Entry | None:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return Entry("function", (_signature(node.args),))
        if isinstance(node, ast.ClassDef) and node.name == name:
            signatures = _constructors(node)
            # in this version of PyTorch the class cannot be called from Python
            return Entry("class", signatures) if signatures else None
    return None


def _constructors(node: ast.ClassDef) -> tuple[Signature, ...]:
    """Return the signatures of a class: all overloads of its `__new__`, otherwise its `__init__`."""
    for name in ("__new__", "__init__"):
        if found := [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == name]:
            return tuple(_signature(part.args, own=True) for part in found)
    return ()


def _signature(given: ast.arguments, own: bool = False) -> Signature:
    """Return the parameters as strings: `name`, or `name=` if the parameter is optional; `/` and `*` as in Python.

    If a parameter is annotated as an integer or a device, this type follows the parameter's name: `:int`, `:device`, or
    `:named` for a device that is never given as a number.

    `own`: whether the first parameter is the object itself (`self`).
    """
    positional = [*given.posonlyargs, *given.args]
    optional = {argument.arg for argument in positional[len(positional) - len(given.defaults) :] if given.defaults}
    optional |= {argument.arg for argument, value in zip(given.kwonlyargs, given.kw_defaults) if value is not None}

    def said(arguments: list[ast.arg]) -> Iterator[str]:
        for argument in arguments:
            yield argument.arg + _type(argument.annotation) + ("=" if argument.arg in optional else "")

    first = list(said(given.posonlyargs))
    rest = list(said(given.args))
    if own:
        first, rest = (first[1:], rest) if first else (first, rest[1:])
    starred = ["*", *said(given.kwonlyargs)] if given.kwonlyargs else []
    return (*first, *(["/"] if first else []), *rest, *starred)


def _type(annotation: ast.expr | None) -> str:
    text = ast.unparse(annotation).strip("'\"") if annotation is not None else ""
    if text in _INT:
        return ":int"
    if {"torch.device", "str"} <= set(re.findall(r"[\w.]+", text)):
        return ":named"
    return ":device" if _DEVICE.search(text) else ""


def _class_of(annotation: ast.expr | None) -> str:
    """Return the container type that a function returns (dict, tuple or list); "" for any other type."""
    text = ast.unparse(annotation).strip("'\"") if annotation is not None else ""
    name = text.partition("[")[0].rpartition(".")[2]
    name = _CONTAINERS.get(name, name)
    return name if name in ("dict", "tuple", "list") else ""
