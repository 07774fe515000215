"""Positions, imports and patched names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from .expressions import device_word
from .module import Module, Word
from .project import Project
from .record import Record, record
from .words import CUDA, NPU, Device

PATCHES = {"patch", "setattr", "object", "delattr", "dict", "multiple", "spy", "stub"}
NETWORK = re.compile(
    r"(?:self\.)?_?(?:\w*model|net|\w*net|\w*network|module|criterion|generator|discriminator|encoder|decoder)"
)
SAYS_DEVICE = re.compile(r"(?:\w+\.)*\w*(?:device|dev)(?!_?(?:id|ids|index|idx|num|count|rank)\b)\w*")


def positions(project: Project, module: Module) -> Iterator[Record]:
    """Arguments whose place means something else on the target."""
    if module.target is not NPU:
        return
    for node in module.parents:
        if not isinstance(node, ast.Call):
            continue
        word = module.words.get(node.func)
        if not word or not word.ported:
            continue
        if word.text.endswith(".GradScaler") and len(node.args) > 4:
            yield record(module, node, "position", "the fifth is dynamic")
        elif word.text == "npu" and node.args and isinstance(node.func, ast.Attribute):
            if _network(project, module, node.func.value) and _says_device(project, module, node.args[0]):
                yield record(module, node, "position", "a module takes an index only")


def _network(project: Project, module: Module, node: ast.AST) -> bool:
    """Whether a receiver is a module by its name, its class or its annotation."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name[:1].isupper() and not name.endswith("Tensor")
    if NETWORK.fullmatch(ast.unparse(node)):
        return True
    key = project.key(module, node)
    values = [value for _, value in project.given.get(key, ())] if key else []
    return any(isinstance(value, ast.Call) and _network(project, module, value) for value in values)


def _says_device(project: Project, module: Module, node: ast.AST) -> bool:
    """Whether an argument is a string or device and no index."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.Call):
        return module.resolve(node.func) == "torch.device"
    if isinstance(node, ast.Name | ast.Attribute) and SAYS_DEVICE.fullmatch(ast.unparse(node)):
        return True
    key = project.key(module, node)
    return any(device_word(home, value) for home, value in project.sources(key)) if key else False


def imports(project: Project, texts: dict[str, str], target: Device) -> Iterator[Record]:
    """The first use of the target in each file that changed, if no file imports the plugin."""
    names = "|".join(target.plugins)
    pattern = re.compile(rf"^\s*(?:import|from)\s+(?:\w+\s*,\s*)*(?:{names})\b|import_module\(['\"](?:{names})", re.M)
    if any(pattern.search(text) for text in texts.values()):
        return
    for module in project.modules:
        uses = [word for word in module.words.values() if word.ported and word.family in ("api", "method", "device")]
        uses = [word for word in uses if word.family != "device" or _is_argument(module, word)]
        if uses:
            yield record(module, min(uses, key=lambda word: word.line).node, "import", "no file imports the plugin")


def _is_argument(module: Module, word: Word) -> bool:
    return isinstance(module.parents.get(word.node), ast.Call | ast.keyword)


METHOD = "()"  # x.cuda(): a method of tensors or modules


class Patched(NamedTuple):
    """A name that a test replaces."""

    module: Module
    node: ast.AST
    name: str  # below the device's module
    word: Word


def patches(project: Project) -> Iterator[Record]:
    """Names that are replaced in one device's module while the code calls the other's."""
    uses: dict[str, list[tuple[Module, Word]]] = {}
    patched = [item for module in project.modules for item in _patched(module)]
    nodes = {item.word.node for item in patched}
    for module in project.modules:
        for word in module.words.values():
            if word.family == "method" and word.text in (CUDA.device, module.target.device):
                uses.setdefault(METHOD, []).append((module, word))
            if word.family in ("api", "import") and word.node not in nodes and (name := _below(module, word.text)):
                uses.setdefault(name, []).append((module, word))
                uses.setdefault("", []).append((module, word))
    for item in patched:
        near = {item.module, *_imported(project, item.module)}
        found = uses.get(item.name, [])
        local = [word for module, word in found if module in near] or [word for _, word in found]
        ported, stayed = [w for w in local if w.ported], [w for w in local if w.stayed]
        if (item.word.stayed and ported and not stayed) or (item.word.ported and stayed and not ported):
            yield record(item.module, item.node, "patch", (ported or stayed)[0].text)


def _below(module: Module, dotted: str) -> str:
    for device in (CUDA, module.target):
        for base in sorted((*device.modules, f"{device.modules[-1]}.{device.device}"), key=len, reverse=True):
            if dotted.startswith(base + "."):
                return dotted[len(base) + 1 :]
    return ""


def _patched(module: Module) -> Iterator[Patched]:
    for node in module.parents:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in PATCHES:
            continue
        first, word = node.args[0], module.words.get(node.args[0])
        if word and word.family == "path":
            device = module.target.device if word.target else CUDA.device
            base, _, below = word.text.partition(f".{device}")
            yield Patched(module, node, METHOD if base.endswith(("Tensor", "Module")) else below.lstrip("."), word)
        elif word and word.family == "api" and len(node.args) > 1:
            attribute = node.args[1]
            below = _below(module, word.text + ".x").removesuffix("x")
            if isinstance(attribute, ast.Constant) and isinstance(first, ast.Attribute | ast.Name):
                yield Patched(module, node, below + str(attribute.value), word)


def _imported(project: Project, module: Module, depth: int = 2) -> Iterator[Module]:
    """The project's files that a file imports, and those that they do."""
    for found in {binding.dotted for several in module.bindings.values() for binding in several}:
        home = project.module(found) or project.module(found.rpartition(".")[0])
        if home and home is not module:
            yield home
            if depth > 1:
                yield from _imported(project, home, depth - 1)
