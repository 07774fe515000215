"""The effects of calls that define names, either in a module of the plugin or on torch's own objects."""

from __future__ import annotations

from collections import defaultdict

from scripts.plugin.shape import own_members
from scripts.plugin.source import Source
from scripts.plugin.values import (
    C_PARTS,
    Class,
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
    texts,
)

# The classes on which `torch.utils.generate_methods_for_privateuse1_backend` sets methods, by the parameter that
# requests these methods. Source: torch 2.14.1. In torch 2.1 (pytorch@044bc05535),
# `generate_methods_for_privateuse1_backend` sets no methods on packed sequences. A call that passes none of the
# parameters `for_…` sets methods on all classes in `GENERATED` except the two classes of `for_storage`.
GENERATED = {
    "for_tensor": ["torch.Tensor"],
    "for_module": ["torch.nn.Module"],
    "for_packed_sequence": ["torch.nn.utils.rnn.PackedSequence"],
    "for_storage": ["torch.storage._StorageBase", "torch.storage.TypedStorage"],
}
BARE = {"torch.nn.Module"}  # `torch.nn.Module` gets the method `npu`, but not `is_npu`


class World:
    """The values of names after the plugin has been imported: names in its modules, and names that it set on other
    objects."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.spaces: dict[str, dict[str, Value]] = {}
        self.sets: dict[str, set[str]] = defaultdict(set)
        self.aliases: dict[str, Value] = {}
        self.importable: set[str] = set()
        self.device = ""
        self.operators: list[str] | None = None

    def load(self, module: str) -> None:
        """Simulate the import of a module."""
        raise NotImplementedError

    def named(self, dotted: str) -> Value:
        """Return the value of a dotted name."""
        if dotted in self.aliases:
            return self.aliases[dotted]
        return Module(dotted) if dotted in self.source else Outside(dotted)

    def inside(self, dotted: str) -> bool:
        """Return whether a dotted name belongs to the plugin."""
        return dotted.split(".", maxsplit=1)[0] == self.source.package

    def attribute(self, value: Value, name: str) -> Value:
        """The value of `value.name`."""
        if isinstance(value, Outside):
            return self.named(f"{value.dotted}.{name}")
        if isinstance(value, Module):
            if name in {"__name__", "__dict__"}:
                return Text(value.name) if name == "__name__" else Space(value.name)
            self.load(value.name)
            space = self.spaces.get(value.name, {})
            return space[name] if name in space else self.child(value.name, name)
        owner = value.of if isinstance(value, Instance) else value
        if isinstance(owner, Class) and (method := owner.method(name)):
            return Function(method, owner.frame)
        return None

    def child(self, module: str, name: str) -> Value:
        """Return the value of a name that a module does not define itself: a submodule, or a name of the plugin's C
        part."""
        dotted = f"{module}.{name}"
        if dotted in self.source:
            return Module(dotted)
        return Outside(dotted) if name in C_PARTS else None

    def set(self, owner: Value, name: Value, value: Value) -> None:
        """Simulate `setattr(owner, name, value)`."""
        if not isinstance(name, Text) or (
            isinstance(owner, Outside) and value == Outside(f"{owner.dotted}.{name.value}")
        ):
            return  # `setattr` is ignored: the name is unknown, or already has this value
        if isinstance(owner, Module):
            self.spaces.setdefault(owner.name, {})[name.value] = value
        elif isinstance(owner, Outside) and not self.inside(owner.dotted):
            if owner.dotted.split(".")[0] == "torch" and name.value != "__doc__":
                self.sets[owner.dotted].add(name.value)
            if isinstance(value, Module):
                self.aliases[f"{owner.dotted}.{name.value}"] = value

    def put(self, container: Value, key: Value, value: Value) -> None:
        """Simulate `container[key] = value`."""
        if not isinstance(key, Text):
            return
        if isinstance(container, Space):
            self.set(Module(container.module), key, value)
        elif container == Outside("sys.modules"):
            self.importable.add(key.value)
            if isinstance(value, Instance) and key.value in self.spaces:
                for name in own_members(value.of.node):
                    self.spaces[key.value].setdefault(name, None)
            elif isinstance(value, Module):
                self.aliases[key.value] = value

    def item(self, container: Value, key: Value) -> Value:
        """The value of `container[key]`."""
        if container == Outside("sys.modules") and isinstance(key, Text):
            return self.named(key.value)
        if isinstance(container, Space) and isinstance(key, Text):
            return self.attribute(Module(container.module), key.value)
        if isinstance(container, Table):
            return next((value for found, value in container.items if found == key), None)
        if isinstance(container, Many) and isinstance(key, Number):
            return container.items[key.value] if -len(container.items) <= key.value < len(container.items) else None
        return None

    def known(self, name: str, given: list[Value], by_name: dict[str, Value]) -> tuple[bool, Value]:
        """Simulate a call of a function of Python or torch; return (True, result), or (False, None) for other
        functions."""
        first, second, third = (*given, None, None, None)[:3]
        match name:
            case "setattr":
                self.set(first, second, third)
            case "delattr" if isinstance(first, Module) and isinstance(second, Text):
                self.spaces[first.name].pop(second.value, None)
            case "getattr":
                return True, self.attribute(first, second.value) if isinstance(second, Text) else None
            case "dir" if first == Outside("torch.ops.npu"):
                if self.operators is None:
                    self.operators = self.source.operators()
                return True, Many(tuple(map(Text, self.operators)))
            case "import_module" if isinstance(first, Text):
                self.load(first.value)
                return True, self.named(first.value)
            case "list" | "tuple" | "set" | "sorted":
                return True, first
            case "rename_privateuse1_backend" if isinstance(first, Text):
                self.device = first.value
            case "_register_device_module" if isinstance(first, Text):
                self.set(Outside("torch"), first, second)
                self.importable.add(f"torch.{first.value}")
            case "generate_methods_for_privateuse1_backend":
                self.generate(by_name)
            case _:
                return False, None
        return True, None

    def settle(self, space: dict[str, Value]) -> None:
        """Define the names that torch_npu creates only when they are used, from the list that torch_npu keeps of
        them."""
        later = space.get("_LAZY_PYTHON_SYMBOLS")
        for name, pair in later.items if isinstance(later, Table) else ():
            module, attribute = (*texts(pair), "", "")[:2]
            if isinstance(name, Text) and module:
                self.set(Module(self.source.package), name, self.attribute(Module(module), attribute))

    def apply(self, patches: Value) -> None:
        """Simulate torch_npu's `_apply_patches`, which sets on torch either all public names of a module, or one
        object."""
        for pair in patches.items if isinstance(patches, Many) else ():
            path, patch = pair.items if isinstance(pair, Many) and len(pair.items) == 2 else (None, None)
            if not isinstance(path, Text):
                continue
            public = texts(self.attribute(patch, "__all__")) if isinstance(patch, Module) else []
            for name in public:
                self.set(Outside(f"torch.{path.value}"), Text(name), self.attribute(patch, name))
            if not public:
                owner, _, last = f"torch.{path.value}".rpartition(".")
                self.set(Outside(owner), Text(last), patch)

    def generate(self, by_name: dict[str, Value]) -> None:
        """Define the methods that torch generates for a device."""
        for parameter, owners in GENERATED.items():
            if parameter == "for_storage" and parameter not in by_name:
                continue
            if parameter == "for_packed_sequence" and self.source.version().startswith("2.1."):
                continue
            for owner in owners:
                self.sets[owner] |= {self.device} if owner in BARE else {self.device, f"is_{self.device}"}

    def method(self, owner: Value, name: str, given: list[Value]) -> tuple[bool, Value]:
        """Simulate a call of a method of a string, a dictionary or an object of torch; return (True, result), or
        (False, None) for other methods."""
        first, second = (*given, None, None)[:2]
        match owner, name:
            case Text(value), "split" if isinstance(first, Text):
                return True, Many(tuple(map(Text, value.split(first.value))))
            case Text(value), "join" if isinstance(first, Many):
                parts = [item.value for item in first.items if isinstance(item, Text)]
                return True, Text(value.join(parts)) if len(parts) == len(first.items) else None
            case Table(items), "items":
                return True, Many(tuple(Many(pair) for pair in items))
            case Table(items), "keys":
                return True, Many(tuple(key for key, _ in items))
            case Outside("sys.modules"), "get":
                return True, self.item(owner, first)
            case ((Outside() | Module()), "__setattr__"):
                self.set(owner, first, second)
                return True, None
        return False, None
