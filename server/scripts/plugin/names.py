"""Reads the names that a version of a plugin has, and the names that it sets on torch; they are stored as JSON in
`names/`.

`modules`: for each module that users may import, its names, each with a value that describes what the name stands for.
If a name stands for a function, its value is the list of the function's parameters. If a name stands for a class, its
value is a JSON object with the class's `parameters` and `members`; if `parameters` is null, a base class outside of the
plugin (one of `bases`) defines the parameters. If a name stands for an instance of a class, its value contains only
`members`. The value of a name that stands for anything else is null. Dunder names, and names that come from neither
torch nor the plugin, are left out. `loaded`: the modules that `import torch_npu` loads; the other modules exist only
after they are imported. `aliases`: other names of modules, such as `torch.npu`. `importable`: names outside of the
package that an `import` finds because of `sys.modules`. `native`: names that occur as text in the plugin's C part, so
that the C part or a class of the plugin may have a member of this name. `sets`: names that importing the plugin sets,
or may set, on objects of torch; conditions are not evaluated. `on_request`: the names that a module such as
transfer_to_npu sets when it is imported on request. `unread`: for a version of which only some files could be read, the
modules that are missing, and the modules that import all names (`*`) of a missing module. Names that were found in a
module of `unread` exist; whether the module has other names is unknown.

Of PyTorch itself, only the modules in `TORCH` are read, for the signatures of their functions; the import of `torch` is
not simulated.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeAlias

from scripts.plugin.shape import Shape, asked_names, shape
from scripts.plugin.source import Folder, Source, Zip
from scripts.plugin.values import Function, Module, Outside, Value, texts
from scripts.plugin.walk import Walk

PACKAGES = {"torch_npu": "npu", "torch_musa": "musa", "torch": "torch"}
TORCH = ("torch/cuda/",)

# The modules of a plugin that users import, each with the number of levels of submodules that are included. Modules
# that are not listed, and private modules, are left out.
DEEP = ("npu", "contrib", "utils", "optim", "core", "musa_graph")
DEPTHS = dict.fromkeys(DEEP, 9) | {"profiler": 1, "distributed": 1} | dict.fromkeys(("dynamo", "asd", "onnx", "jit"), 0)
PRIVATE = {"torch_npu.utils._module"}
Names: TypeAlias = dict[str, Shape]
Facts: TypeAlias = dict[str, object]


def kept(module: str) -> bool:
    """Return whether a module of the plugin is one that users import."""
    parts = module.split(".")[1:]
    if module in PRIVATE or not parts:
        return True
    return len(parts) - 1 <= DEPTHS.get(parts[0], -1) and not any(part.startswith("_") for part in parts)


def listed(walk: Walk, name: str, value: Value) -> bool:
    """Return whether a name that a module binds is listed in the JSON file about the plugin's version."""
    if (name.startswith("__") and name.endswith("__")) or name == "annotations":
        return False
    return not isinstance(value, Outside) or value.dotted.split(".")[0] in {"torch", walk.source.package}


def names_of(walk: Walk, module: str) -> Names:
    """The names of a module."""
    space = walk.spaces[module]
    found = {name: shape(value) for name, value in space.items() if listed(walk, name, value)}
    answers = space.get("__getattr__")
    for name in asked_names(answers) if isinstance(answers, Function) else ():
        found.setdefault(name, None)
    for name in of_c(walk, module):
        found.setdefault(name, None)
    return found


def of_c(walk: Walk, module: str) -> list[str]:
    """Return the names that the plugin's C part adds to the package; torch_npu lists its tensor types in `__all__`."""
    if module == "torch_npu.npu":
        return [name for name in texts(walk.spaces[module].get("__all__")) if name.endswith("Tensor")]
    return walk.source.c_names() if module == "torch_musa" else []


def aliases(walk: Walk, modules: dict[str, Names]) -> dict[str, str]:
    """Return the additional dotted names of modules, such as `torch.npu`, each with the name under which the module is
    defined."""
    found = {name: value.name for name, value in walk.aliases.items() if isinstance(value, Module)}
    for module in modules:
        for name, value in walk.spaces[module].items():
            if isinstance(value, Module) and value.name not in {f"{module}.{name}", walk.source.package}:
                found[f"{module}.{name}"] = value.name
    return found


def given(walk: Walk) -> dict[str, list[str]]:
    """Return the names that were set on torch since the last call of this function."""
    sets = {owner: sorted(names) for owner, names in walk.sets.items()}
    walk.sets.clear()
    return sets


def facts(source: Source, origin: str, partial: bool) -> Facts:
    """Return the facts about one version in the form in which they are written to its file."""
    walk = Walk(source)
    walk.start()
    loaded = sorted(module for module in walk.spaces if kept(module))
    modules = {module: names_of(walk, module) for module in loaded}
    found: Facts = {"aliases": aliases(walk, modules), "sets": given(walk), "loaded": loaded}
    found["importable"] = sorted(name for name in walk.importable if not walk.inside(name))
    on_request: dict[str, dict[str, list[str]]] = {}
    dormant, walk.dormant = walk.dormant, set()
    for module in sorted(source.paths):
        if kept(module) and module not in modules:
            walk.load(module)
            modules[module] = names_of(walk, module)
            sets = given(walk)
            if module in dormant and sets:
                on_request[module] = sets
    found |= {"package": source.package, "version": source.version(), "source": origin, "modules": modules}
    found |= {"on_request": on_request} if on_request else {}
    found |= {"unread": sorted(walk.unread)} if partial else {}
    found["native"] = source.native(walk.device)
    return found | ({"unreadable": source.unreadable} if source.unreadable else {})


def read(path: Path, origin: str = "", partial: bool = False) -> Facts:
    """Read the facts about the version of a plugin, or of PyTorch, from a wheel or a folder.

    `path`: a wheel, a checkout, or the `site-packages` folder in which the plugin is installed. `origin`: where the
    files came from, if the path does not show it. `partial`: whether only some of the version's files are there. Raise
    ValueError if there is no plugin at the path, or more than one.
    """
    files = Zip(path) if path.is_file() else Folder(path)
    found = [package for package in PACKAGES if files.holds(f"{package}/__init__.py")]
    if "torch" in found and len(found) == 1:
        source = Source(files, "torch", TORCH)
        return of_torch(source, origin or path.name)
    plugins = [package for package in found if package != "torch"]
    if len(plugins) != 1:
        raise ValueError(f"{path} holds {' and '.join(plugins) or 'neither a plugin nor PyTorch'}: one is needed")
    source = Source(files, plugins[0])
    return facts(source, origin or path.name, partial)


def of_torch(source: Source, origin: str) -> Facts:
    """Return the names in those modules of PyTorch that plugins imitate; the import of `torch` is not simulated."""
    walk = Walk(source)
    for module in sorted(source.paths):
        walk.load(module)
    modules = {module: names_of(walk, module) for module in sorted(source.paths)}
    return {"package": source.package, "version": source.version(), "source": origin, "modules": modules}


def dumped(found: Facts) -> str:
    """Return the JSON text with the names of a version, one name per line."""

    def block(value: object, depth: int) -> str:
        inner = isinstance(value, dict) and (depth < 2 or any(isinstance(item, list | dict) for item in value.values()))
        if depth == 3 or not isinstance(value, dict) or not inner:
            return json.dumps(value, sort_keys=True, ensure_ascii=False)
        lines = [f"{' ' * (depth + 1)}{json.dumps(key)}: {block(value[key], depth + 1)}" for key in sorted(value)]
        return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}" if lines else "{}"

    return block(found, 0) + "\n"


def file_name(found: Facts) -> str:
    """The name of the JSON file that stores the names of a version."""
    return f"{PACKAGES[str(found['package'])]}-{found['version']}.json"
