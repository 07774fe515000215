"""One Python file: its names, its words for devices, and which of these words the fix wrote."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .change import Change
from .words import CUDA, Device, words

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
SAID = {"print", "debug", "info", "warning", "warn", "error", "critical", "exception", "log", "print_rank_0", "fail"}


LABELS = {"id", "ids", "help", "desc", "label", "title"}


class Binding(NamedTuple):
    """The dotted name that an import binds to a name."""

    dotted: str
    moved: bool
    node: ast.stmt


@dataclass(frozen=True, eq=False)
class Word:
    """One place where the code names a device."""

    node: ast.AST
    line: int
    target: bool  # whether the word names the target rather than CUDA
    moved: bool  # whether the fix wrote the word
    # for a string: device ("cuda"), ccl ("nccl"), path ("torch.cuda.Stream") or other (such as "CUDA_VISIBLE_DEVICES");
    # for a dotted name: api; for x.cuda() and x.is_cuda: method
    family: str
    text: str  # the whole string, or the dotted name
    added: bool = False  # whether the fix inserted the word without replacing any text

    @property
    def stayed(self) -> bool:
        """Return whether this is a CUDA word that the fix did not change."""
        return not self.target and not self.moved

    @property
    def ported(self) -> bool:
        """Return whether the word names the target and the fix wrote it."""
        return self.target and self.moved


def _parents(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    """Return the parent of each node, in the order of `ast.walk`."""
    found: dict[ast.AST, ast.AST] = {}
    nodes: list[ast.AST] = [tree]
    for node in nodes:
        children = list(ast.iter_child_nodes(node))
        found.update(dict.fromkeys(children, node))
        nodes += children
    return found


class Module:
    """A parsed file. `target`: the device to which the file was ported; words that name CUDA or this device are
    collected."""

    def __init__(self, path: str, before: str | None, after: str, target: Device) -> None:
        self.path, self.before, self.target = path, before, target
        self.dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self.package = self.dotted if path.endswith("__init__.py") else self.dotted.rpartition(".")[0]
        self.tree = ast.parse(after)
        self.lines = after.encode().split(b"\n")
        self.change = Change(before, after)
        self.parents = _parents(self.tree)
        self.bindings: dict[str, list[Binding]] = {}
        self._bind()

    def _bind(self) -> None:
        aliases = []
        for node in self.parents:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    name, dotted = self._imported(node, alias)
                    self.bindings.setdefault(name, []).append(Binding(dotted, self._node_moved(node, dotted), node))
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                aliases.append((node.targets[0].id, node))
        for name, node in aliases:
            dotted = self.resolve(node.value) if isinstance(node.value, ast.Attribute | ast.Call) else ""
            if dotted and self.side(dotted) is not None and name != dotted:
                self.bindings.setdefault(name, []).append(Binding(dotted, self._node_moved(node.value, dotted), node))

    def _imported(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> tuple[str, str]:
        if isinstance(node, ast.Import):
            name = alias.asname or alias.name.partition(".")[0]
            return name, alias.name if alias.asname else name
        base = node.module or ""
        if node.level:
            parts = self.package.split(".") if self.package else []
            parts = parts[: len(parts) - node.level + 1]
            base = ".".join([*parts, *([base] if base else [])])
        return alias.asname or alias.name, f"{base}.{alias.name}"

    def _node_moved(self, node: ast.AST, dotted: str) -> bool:
        """Return whether the fix wrote the part of a dotted name that shows its device."""
        for device in (CUDA, self.target):
            for name in (device.device, *device.plugins, device.graph, device.extension):
                token = name.encode()
                for line, start, end in self.spans(node):
                    at = self.lines[line - 1].find(token, start, end)
                    if at >= 0 and name in dotted and self.change.moved(line, at, at + len(token)):
                        return True
        return False

    def spans(self, node: ast.AST) -> Iterator[tuple[int, int, int]]:
        """Yield, for each line of a node, its number and its first and last byte."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        for line in range(first, last + 1):
            start = node.col_offset if line == first else 0  # type: ignore[attr-defined]
            end = node.end_col_offset if line == last else len(self.lines[line - 1])  # type: ignore[attr-defined]
            yield line, start, end

    def moved(self, node: ast.AST) -> bool:
        """Return whether the fix wrote any word of a node."""
        return any(self.change.moved(*span) for span in self.spans(node))

    def binding(self, name: str, near: ast.AST | None = None) -> Binding | None:
        """Return what a name is bound to; of several bindings, one in the same function is preferred, then a CUDA
        binding that the fix did not change."""
        found = self.bindings.get(name, [])
        if len(found) > 1 and near is not None:
            scope = self.function(near)
            local = [item for item in found if self.function(item.node) is scope]
            found = local or found
        return found[-1] if found else None

    def resolve(self, node: ast.AST) -> str:
        """Return the dotted name of an expression with imports resolved; empty if it has none."""
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return f"{base}.{node.attr}" if base else ""
        if isinstance(node, ast.Name):
            found = self.binding(node.id, node)
            return found.dotted if found else ""
        if isinstance(node, ast.Call) and node.args:
            callee, first = self.resolve(node.func) or getattr(node.func, "id", ""), node.args[-1]
            text = first.value if isinstance(first, ast.Constant) else ""
            if not isinstance(text, str):
                return ""
            if callee == "importlib.import_module":
                return text
            if callee == "getattr" and len(node.args) == 2 and self.resolve(node.args[0]) == "torch":
                return f"torch.{text}"
        return ""

    def side(self, dotted: str) -> bool | None:
        """Return to which API a dotted name belongs: True for the target's, False for CUDA's, None for neither."""
        if words(self.target).owns(dotted):
            return True
        return False if words(CUDA).owns(dotted) else None

    @cached_property
    def words(self) -> dict[ast.AST, Word]:
        """Maps each node of the file that names CUDA or the target, such as the string "cuda", to its Word."""
        found = {}
        for node in (self.tree, *self.parents):
            if word := self._word(node):
                found[node] = word
        return found

    def _word(self, node: ast.AST) -> Word | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._string(node, node.value)
        if isinstance(node, ast.JoinedStr):
            first = node.values[0] if node.values else None
            if isinstance(first, ast.Constant) and str(first.value) in (
                *("cuda:", f"{self.target.device}:"),
                *("cuda", self.target.device),
            ):
                return self._string(node, str(first.value))
            return None
        if isinstance(node, ast.Attribute | ast.Name) and not isinstance(self.parents.get(node), ast.Attribute):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node) if not self.resolve(node) else None
        if isinstance(node, ast.Import | ast.ImportFrom):
            return self._import(node)
        return None

    def _string(self, node: ast.expr, text: str) -> Word | None:
        if self._is_said(node):
            return None
        for device in (CUDA, self.target):
            if family := words(device).family(text):
                moved = self.moved(node)
                added = moved and all(self.change.added(*span) for span in self.spans(node))
                return Word(node, node.lineno, device is not CUDA, moved, family, text, added)
        parent = self.parents.get(node)
        if isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in ("getattr", "hasattr"):
            for device in (CUDA, self.target):
                if words(device).attribute.fullmatch(text) or (text == device.device):
                    return Word(node, node.lineno, device is not CUDA, self.moved(node), "method", text)
        return None

    def _is_said(self, node: ast.AST) -> bool:
        """Return whether a string is text for people: printed, logged, raised, or a docstring."""
        above = self.parents.get(node)
        if isinstance(above, ast.FormattedValue | ast.JoinedStr | ast.Expr):
            return True
        if isinstance(above, ast.keyword) and above.arg in LABELS:
            return True
        if isinstance(above, ast.Subscript) and above.slice is node and isinstance(above.ctx, ast.Store | ast.Del):
            return False
        while above is not None and not isinstance(above, ast.stmt):
            if isinstance(above, ast.Call) and not isinstance(self.parents.get(node), ast.Compare):
                name = above.func.attr if isinstance(above.func, ast.Attribute) else getattr(above.func, "id", "")
                if name in SAID:
                    return True
                if name not in ("format", "str", "join", "ljust", "rjust", "center"):
                    return False
            above = self.parents.get(above)
        return isinstance(above, ast.Raise)

    def _name(self, node: ast.Attribute | ast.Name) -> Word | None:
        dotted = self.resolve(node)
        if not dotted:
            return self._attribute(node) if isinstance(node, ast.Attribute) else None
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            return None
        side = self.side(dotted)
        if side is None:
            return self._attribute(node) if isinstance(node, ast.Attribute) else None
        bottom: ast.AST = node
        while isinstance(bottom, ast.Attribute):
            bottom = bottom.value
        found = self.binding(bottom.id, node) if isinstance(bottom, ast.Name) else None
        through = found is not None and self.side(found.dotted) is not None
        moved = found.moved if found and through else self._node_moved(node, dotted)
        backend = dotted.endswith((f"Backend.{CUDA.ccl.upper()}", f"Backend.{self.target.ccl.upper()}"))
        return Word(node, node.lineno, side, moved, "ccl" if backend else "api", dotted)

    def _attribute(self, node: ast.Attribute) -> Word | None:
        parent = self.parents.get(node)
        called = isinstance(parent, ast.Call) and parent.func is node
        end = node.end_col_offset or 0
        if node.attr in self._own and not called:
            return None
        for device in (CUDA, self.target):
            known = words(device)
            method = node.attr in known.call and called
            if method or known.attribute.fullmatch(node.attr) or known.last.fullmatch(node.attr):
                moved = self.change.moved(node.end_lineno or 0, end - len(node.attr.encode()), end)
                return Word(node, node.end_lineno or 0, device is not CUDA, moved, "method", node.attr)
        return None

    @cached_property
    def _own(self) -> set[str]:
        """Return the attributes that the program itself sets on objects: after `self.is_cuda = …`, `is_cuda` need not
        be a tensor's."""
        return {
            node.attr for node in self.parents if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }

    def _import(self, node: ast.Import | ast.ImportFrom) -> Word | None:
        for alias in node.names:
            dotted = alias.name if isinstance(node, ast.Import) else self._imported(node, alias)[1]
            side = self.side(dotted)
            if side is not None and not (isinstance(node, ast.Import) and side):
                return Word(node, node.lineno, side, self._node_moved(node, dotted), "import", dotted)
        return None

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around a node; a decorator or default is outside its function."""
        child, above = node, self.parents.get(node)
        while above is not None:
            if isinstance(above, FUNCTION) and child in above.body:
                return above
            child, above = above, self.parents.get(above)
        return None

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class around a node."""
        above = self.parents.get(node)
        while above is not None and not isinstance(above, ast.ClassDef):
            above = self.parents.get(above)
        return above

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that a node is part of."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def inside(self, node: ast.AST) -> list[Word]:
        """Return the words for a device, such as `cuda`, that a node of the syntax tree contains."""
        return [self.words[item] for item in ast.walk(node) if item in self.words] if node in self._around else []

    @cached_property
    def _around(self) -> frozenset[ast.AST]:
        """The nodes that contain a word for a device."""
        found: set[ast.AST] = set()
        for word in self.words:
            node: ast.AST | None = word
            while node is not None and node not in found:
                found.add(node)
                node = self.parents.get(node)
        return frozenset(found)

    def source(self, node: ast.AST) -> str:
        """The source of a node on one line, cut to 160 characters."""
        text = b" ".join(self.lines[line - 1][start:end] for line, start, end in self.spans(node)).decode()
        return " ".join(text.split())[:160]
