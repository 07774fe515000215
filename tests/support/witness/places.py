"""Reports positional arguments whose meaning differs on the target, and missing imports of the plugin."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .expressions import annotation, device_word
from .module import FUNCTION, Module, Word
from .project import Project
from .record import Record, record
from .words import NPU, Device

NETWORK = re.compile(
    r"(?:self\.)?_?(?:\w*model|net|\w*net|\w*network|module|criterion|generator|discriminator|encoder|decoder)"
)
# Methods that return the object itself; those of `OF_MODULES` exist only on modules.
OF_MODULES = {"eval", "train", "to_empty"}
SAME = {*OF_MODULES, "requires_grad_", "share_memory", "to", "cpu", "half", "float", "double", "bfloat16", "type"}
MAKERS = re.compile(r"torchvision\.models\.|timm\.create_model|torch\.hub\.load")
SAYS_DEVICE = re.compile(r"(?:\w+\.)*\w*(?:device|dev)(?!_?(?:id|ids|index|idx|num|count|rank)\b)\w*")


def positions(project: Project, module: Module) -> Iterator[Record]:
    """Report positional arguments whose meaning differs on the target."""
    if module.target is not NPU:
        return
    for node in module.parents:
        if not isinstance(node, ast.Call):
            continue
        if len(_to_scaler(project, module, node)) > 4:
            yield record(module, node, "position", "the fifth is dynamic")
        word = module.words.get(node.func)
        if word and word.ported and word.text == "npu" and isinstance(node.func, ast.Attribute):
            given = [*node.args[:1], *(item.value for item in node.keywords if item.arg == "device")]
            if given and _network(project, module, node.func.value) and _says_device(project, module, given[0]):
                yield record(module, node, "position", "a module takes an index only")


def _to_scaler(project: Project, module: Module, call: ast.Call) -> list[ast.expr]:
    """Return the positional arguments of a call of GradScaler's constructor; [] for other calls, and if the fix has not
    ported the name of the class.

    The called constructor is that of the class, of a subclass without its own constructor, of a `partial`, or of the
    base class: `super().__init__(…)`, `GradScaler.__init__(self, …)`.
    """
    func, args = call.func, list(call.args)
    if len(args) < 5:
        return []
    if ast.unparse(func).endswith("partial") and args:
        func, args = args[0], args[1:]
    if _is_scaler(module, func):
        return args
    if isinstance(func, ast.Attribute) and func.attr == "__init__":
        inner, owner = func.value, module.class_of(call)
        if _is_scaler(module, func):
            return args[1:]
        if isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == "super" and owner:
            return args if _comes_to_scaler(project, module, owner, above=True) else []
        return []
    made = project.class_named(module, func)
    return args if made and _comes_to_scaler(project, *made) else []


def _is_scaler(module: Module, node: ast.AST) -> bool:
    word = module.words.get(node)
    return bool(word and word.ported and word.text.removesuffix(".__init__").endswith(".GradScaler"))


def _comes_to_scaler(project: Project, module: Module, owner: ast.ClassDef, above: bool = False) -> bool:
    """Return whether a class inherits GradScaler's constructor; `above`: whether to look at its base class only."""
    if not above and any(isinstance(node, FUNCTION) and node.name == "__init__" for node in owner.body):
        return False
    for base in owner.bases:
        if _is_scaler(module, base):
            return True
        found = project.class_named(module, base)
        if found and found[1] is not owner and _comes_to_scaler(project, *found):
            return True
    return False


def _network(project: Project, module: Module, node: ast.AST) -> bool:
    """Return whether a receiver is an nn.Module, judged by its name, its class or its annotation."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if isinstance(node.func, ast.Attribute) and name in SAME:
            return name in OF_MODULES or _network(project, module, node.func.value)
        if name[:1].isupper():
            return not name.endswith("Tensor")
        return bool(MAKERS.match(module.resolve(node.func))) or name == "from_pretrained"
    if isinstance(node, ast.Name) and (noted := annotation(module, node)) is not None:
        return ast.unparse(noted).strip("'\"").endswith("Module")
    if NETWORK.fullmatch(ast.unparse(node)):
        return True
    key = project.key(module, node)
    values = [value for _, value in project.given.get(key, ())] if key else []
    return any(isinstance(value, ast.Call) and _network(project, module, value) for value in values)


def _says_device(project: Project, module: Module, node: ast.AST) -> bool:
    """Return whether an argument is a device string or device object rather than an index."""
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
    """Report the first use of the target in each changed file, if no file imports the plugin."""
    names = "|".join(target.plugins)
    pattern = re.compile(
        rf"^\s*(?:import|from)\s+(?:\w+\s*,\s*)*(?:{names})\b|import(?:_module|__)\(['\"](?:{names})", re.M
    )
    if any(pattern.search(text) and _imports(text, target) for text in texts.values()):
        return
    for module in project.modules:
        uses = [word for word in module.words.values() if word.ported and word.family in ("api", "method", "device")]
        uses = [word for word in uses if word.family != "device" or _is_argument(module, word)]
        if uses:
            yield record(module, min(uses, key=lambda word: word.line).node, "import", "no file imports the plugin")


def _imports(text: str, target: Device) -> bool:
    """Return whether a text imports a plugin at run time; text in strings and comments, and imports for type checkers,
    do not count."""
    try:
        nodes: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError, RecursionError):
        return True
    while nodes:
        node = nodes.pop()
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names = [str(arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant)]
        if any(name.partition(".")[0] in target.plugins for name in names):
            return True
        if isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING":
            nodes += node.orelse
        else:
            nodes += ast.iter_child_nodes(node)
    return False


def _is_argument(module: Module, word: Word) -> bool:
    return isinstance(module.parents.get(word.node), ast.Call | ast.keyword)
