"""Finds the effects of importing a plugin by reading its source: the names that each module has, and those that it sets
on torch.

A small interpreter follows the code that runs when the package is imported: the statements of its modules, and the
functions of the package that these statements call. This interpreter follows all branches of the plugin's code except
those for `TYPE_CHECKING` and `__main__`. Some of the names that are found are set only with certain versions of torch,
or only with a certain value of an environment variable. No code is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from scripts.plugin.calls import World
from scripts.plugin.source import Source
from scripts.plugin.values import (
    C_PARTS,
    Class,
    Frame,
    Function,
    Instance,
    Many,
    Module,
    Number,
    Outside,
    Space,
    Table,
    Text,
    Value,
    constant,
    texts,
)

# Modules that are imported only on request, or only because of an environment variable.
DORMANT = ("torch_npu.contrib.transfer_to_npu", "torch_npu.npu._sanitizer", "torch_npu.npu.npugraph_ex")
DEEP = 24  # maximum depth of nested calls


class Walk(World):
    """A simulated import of a plugin."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.dormant = set(DORMANT)
        self.unread: set[str] = set()
        self.patches: list[Function] = []
        self.results: dict[object, Value] = {}
        self.depth = 0

    def start(self) -> None:
        """Simulate the import of the package."""
        self.load(self.source.package)
        held = f"{self.source.package}._init.patches"  # torch_npu finds the modules of patches with `pkgutil`
        for module in sorted(self.source.paths):
            if module.startswith(f"{held}.") and module.endswith("_patches"):
                self.load(module)
        for patch in self.patches:
            self.call_function(patch, [], {})
        for space in list(self.spaces.values()):
            self.settle(space)

    def load(self, module: str) -> None:
        """Simulate the import of a module, and bind it in its parent package."""
        if module in self.spaces or module not in self.source or module in self.dormant:
            return
        above, _, last = module.rpartition(".")
        if above:
            self.load(above)
        if module in self.spaces:
            return
        names = self.spaces[module] = {"__name__": Text(module)}
        self.run(self.source.tree(module).body, Frame(module, names))
        if above in self.spaces:
            self.spaces[above][last] = Module(module)

    def run(self, body: Iterable[ast.stmt], frame: Frame) -> None:
        """Simulate the statements of a block."""
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    self.define(node, frame)
                case ast.Import() | ast.ImportFrom():
                    self.take(node, frame)
                case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete():
                    self.assign(node, frame)
                case ast.Expr(value):
                    self.evaluate(value, frame)
                case ast.Return(value):
                    result = self.evaluate(value, frame) if value else None
                    frame.result = frame.result or result
                case ast.Global(names) | ast.Nonlocal(names):
                    frame.shared.update(names)
                case _:
                    self.blocks(node, frame)

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, frame: Frame) -> None:
        """Simulate a `def` or `class` statement."""
        if isinstance(node, ast.ClassDef):
            frame.bind(node.name, Class(node, frame, tuple(self.evaluate(base, frame) for base in node.bases)))
            return
        value = Function(node, frame)
        frame.bind(node.name, value)
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(called, ast.Attribute) and called.attr == "register_patch":
                self.patches.append(value)

    def blocks(self, node: ast.stmt, frame: Frame) -> None:
        """Simulate a compound statement, such as `if` or `for`. If several blocks bind the same name, the last binding
        counts; so the block that runs most often (the body of `if` or `try`) is read last."""
        match node:
            case ast.If(test, body, orelse):
                self.run(orelse, frame)
                if not any(word in ast.unparse(test) for word in ("TYPE_CHECKING", "__main__")):
                    self.run(body, frame)
            case ast.Try():
                for handler in node.handlers:
                    self.run(handler.body, frame)
                self.run([*node.body, *node.orelse, *node.finalbody], frame)
            case ast.With():
                self.run(node.body, frame)
            case ast.For(target, over, body):
                items = self.evaluate(over, frame)
                for item in items.items if isinstance(items, Many) else (None,):
                    self.target(target, item, frame)
                    self.run(body, frame)
            case ast.While(_, body):
                self.run(body, frame)

    def assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete, frame: Frame) -> None:
        """Simulate an assignment, or `del`."""
        if isinstance(node, ast.Delete):
            for gone in node.targets:
                if isinstance(gone, ast.Name):
                    frame.names.pop(gone.id, None)
            return
        value = self.evaluate(node.value, frame) if node.value else None
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            old = frame.find(node.target.id)
            value = Many(old.items + value.items) if isinstance(old, Many) and isinstance(value, Many) else old
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self.target(target, value, frame)

    def target(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind a value to a name, attribute or item; for several targets, bind the parts of the value."""
        match target:
            case ast.Name(name):
                frame.bind(name, value)
            case ast.Attribute(owner, name):
                self.set(self.evaluate(owner, frame), Text(name), value)
            case ast.Subscript(container, key):
                self.put(self.evaluate(container, frame), self.evaluate(key, frame), value)
            case ast.Tuple(parts) | ast.List(parts):
                items = value.items if isinstance(value, Many) and len(value.items) == len(parts) else ()
                for part, item in zip(parts, items or [None] * len(parts)):
                    self.target(part, item, frame)

    def take(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """Simulate an import statement."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in self.dormant:
                    continue
                self.fetch(alias.name)
                bound = alias.asname or alias.name.split(".")[0]
                frame.bind(bound, self.named(alias.name if alias.asname else bound))
            return
        base = self.source.base(frame.module, node)
        self.fetch(base)
        for alias in node.names:
            if alias.name != "*":
                frame.bind(alias.asname or alias.name, self.imported(base, alias.name))
                continue
            if base in self.unread:
                self.unread.add(frame.module)  # the names that this module imports cannot be determined
            space = self.spaces.get(base, {})
            listed = texts(space.get("__all__")) or [name for name in space if not name.startswith("_")]
            for name in listed:
                frame.bind(name, self.imported(base, name))

    def fetch(self, dotted: str) -> None:
        """Simulate the import of a module by its name; a module of the plugin's C part becomes a name in its parent
        package."""
        self.load(dotted)
        above, _, last = dotted.rpartition(".")
        if self.inside(dotted) and dotted not in self.source:
            if not C_PARTS.intersection(dotted.split(".")):
                self.unread.add(dotted)
            self.fetch(above)
            if above in self.spaces:
                self.spaces[above].setdefault(last, Outside(dotted))

    def imported(self, base: str, name: str) -> Value:
        """The value that `from base import name` binds."""
        holder = self.named(base)
        if not isinstance(holder, Module):
            return self.attribute(holder, name)
        if name not in self.spaces.get(holder.name, {}):
            self.fetch_child(holder.name, name)
        return self.attribute(holder, name)

    def fetch_child(self, module: str, name: str) -> None:
        """Simulate the import of the submodule `name` of `module`, if it exists."""
        if f"{module}.{name}" in self.source or name in C_PARTS:
            self.fetch(f"{module}.{name}")

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""
        match node:
            case ast.Constant(value):
                return constant(value)
            case ast.Name(name):
                return frame.find(name)
            case ast.Attribute(owner, name):
                return self.attribute(self.evaluate(owner, frame), name)
            case ast.List(items) | ast.Tuple(items) | ast.Set(items):
                return Many(tuple(self.evaluate(item, frame) for item in items))
            case ast.Dict(keys, values):
                pairs = [(key, value) for key, value in zip(keys, values) if key]
                return Table(tuple((self.evaluate(key, frame), self.evaluate(value, frame)) for key, value in pairs))
            case ast.Subscript(container, ast.Slice(low, high)):
                return self.part(self.evaluate(container, frame), low, high, frame)
            case ast.Subscript(container, key):
                return self.item(self.evaluate(container, frame), self.evaluate(key, frame))
            case ast.Call():
                return self.call(node, frame)
            case _:
                return self.composed(node, frame)

    def composed(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of an expression that consists of other expressions."""
        match node:
            case ast.IfExp(_, body, orelse):
                return self.evaluate(body, frame) or self.evaluate(orelse, frame)
            case ast.JoinedStr(values):
                inner = [part.value if isinstance(part, ast.FormattedValue) else part for part in values]
                parts = [self.evaluate(part, frame) for part in inner]
                known = [part.value for part in parts if isinstance(part, Text)]
                return Text("".join(known)) if len(known) == len(parts) else None
            case ast.BinOp(left, ast.Add(), right):
                one, two = self.evaluate(left, frame), self.evaluate(right, frame)
                if isinstance(one, Many) and isinstance(two, Many):
                    return Many(one.items + two.items)
                return Text(one.value + two.value) if isinstance(one, Text) and isinstance(two, Text) else None
            case ast.UnaryOp(ast.USub(), operand):
                value = self.evaluate(operand, frame)
                return Number(-value.value) if isinstance(value, Number) else None
            case ast.BoolOp(_, values):
                return next((value for value in [self.evaluate(part, frame) for part in values] if value), None)
        return None

    def part(self, value: Value, low: ast.expr | None, high: ast.expr | None, frame: Frame) -> Value:
        """`value[low:high]`."""
        bounds = [self.evaluate(bound, frame) if bound else None for bound in (low, high)]
        start, stop = (bound.value if isinstance(bound, Number) else None for bound in bounds)
        return Many(value.items[start:stop]) if isinstance(value, Many) else None

    def call(self, node: ast.Call, frame: Frame) -> Value:
        """Simulate a call, and return its result."""
        given = [self.evaluate(item, frame) for item in node.args]
        by_name = {word.arg: self.evaluate(word.value, frame) for word in node.keywords if word.arg}
        called = self.evaluate(node.func, frame)
        if isinstance(called, Class):
            return Instance(called)
        if isinstance(called, Function):
            return self.call_function(called, given, by_name)
        if isinstance(node.func, ast.Attribute):
            done, value = self.method(self.evaluate(node.func.value, frame), node.func.attr, given)
            return value if done else self.known(node.func.attr, given, by_name)[1]
        if isinstance(node.func, ast.Name):
            if node.func.id == "globals":
                return Space(frame.module)
            return self.known(node.func.id, given, by_name)[1]
        return None

    def call_function(self, function: Function, given: list[Value], by_name: dict[str, Value]) -> Value:
        """Follow the body of a function, once for each different call."""
        if function.node.name == "_apply_patches" and given:
            self.apply(given[0])
            return None
        key = (id(function.node), tuple(given), tuple(sorted(by_name.items(), key=lambda pair: pair[0])))
        if key in self.results or self.depth >= DEEP:
            return self.results.get(key)
        self.results[key] = None
        arguments = function.node.args
        words = [item.arg for item in arguments.posonlyargs + arguments.args]
        if words[:1] in (["cls"], ["self"]):
            words = words[1:]
        names: dict[str, Value] = dict.fromkeys([item.arg for item in arguments.kwonlyargs])
        names |= dict.fromkeys(words) | dict(zip(words, given)) | by_name
        frame = Frame(function.frame.module, names, function.frame)
        self.depth += 1
        self.run(function.node.body, frame)
        self.depth -= 1
        self.results[key] = frame.result
        return frame.result
