"""The parameters of functions and classes, and the members of classes, read from their source."""

from __future__ import annotations

import ast

from scripts.plugin.values import Class, Function, Instance, Outside, Value

Def = ast.FunctionDef | ast.AsyncFunctionDef
Shape = list[str] | dict[str, list[str] | None] | None


def parameters(node: Def, bound: bool = False) -> list[str]:
    """Return the parameters as they are written in a `def`, for a bound method without the first one."""
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
    found = [written(item, default) for item, default in zip(plain, defaults)]
    if given.posonlyargs:
        found.insert(len(given.posonlyargs), "/")
    if bound and plain:
        found = found[2:] if found[1:2] == ["/"] else found[1:]
    if given.vararg:
        found.append(f"*{given.vararg.arg}")
    elif given.kwonlyargs:
        found.append("*")
    found += [written(item, default) for item, default in zip(given.kwonlyargs, given.kw_defaults)]
    return [*found, f"**{given.kwarg.arg}"] if given.kwarg else found


def written(item: ast.arg, default: ast.expr | None) -> str:
    """A parameter with its default, as in the source."""
    return item.arg if default is None else f"{item.arg}={ast.unparse(default)}"


def own_members(node: ast.ClassDef) -> set[str]:
    """Return the names that the body of a class defines: methods, attributes, attributes of `self`, and names that its
    `__getattr__` handles."""
    found: set[str] = set()
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                found.add(name)
            case ast.Assign(targets):
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(ast.Name(name)):
                found.add(name)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            found |= of_self(statement)
    return {name for name in found if name.isidentifier() and not (name.startswith("__") and name.endswith("__"))}


def of_self(method: Def) -> set[str]:
    """Return the attributes that a method sets on `self`, or (in `__getattr__`) compares with the requested name."""
    found: set[object] = set()
    asked = method.name in {"__getattr__", "__setattr__"}
    for node in ast.walk(method):
        match node:
            case ast.Attribute(ast.Name("self"), name, ast.Store()):
                found.add(name)
            case ast.Compare(left, _, others) if asked:
                found |= {item.value for item in [left, *others] if isinstance(item, ast.Constant)}
    return {name for name in found if isinstance(name, str)}


def asked_names(function: Function) -> set[str]:
    """The names that a module's `__getattr__` handles."""
    return of_self(function.node) if function.node.name == "__getattr__" else set()


def shape(value: Value) -> Shape:
    """Return the parameters of a function; the parameters, members and foreign bases of a class; the members of another
    object; None for other values."""
    if isinstance(value, Function):
        return parameters(value.node)
    if isinstance(value, Class):
        found: dict[str, list[str] | None] = {"parameters": made_with(value), "members": members(value)}
        return found | ({"bases": foreign(value)} if foreign(value) else {})
    return {"members": members(value.of)} if isinstance(value, Instance) else None


def family(found: Class) -> list[Class]:
    """Return a class and those of its base classes that the plugin defines, nearest first."""
    classes = [found]
    for base in found.bases:
        if isinstance(base, Class):
            classes += [member for member in family(base) if member not in classes]
    return classes


def foreign(found: Class) -> list[str]:
    """The base classes of a class that are defined outside the plugin."""
    names: list[str] = []
    for member in family(found):
        for value, base in zip(member.bases, member.node.bases):
            name = value.dotted if isinstance(value, Outside) else ast.unparse(base)
            if not isinstance(value, Class) and name not in {"object", *names}:
                names.append(name)
    return names


def members(found: Class) -> list[str]:
    """Return the names of a class's members, including those of base classes in the plugin."""
    return sorted(set().union(*(own_members(member.node) for member in family(found))))


def made_with(found: Class) -> list[str] | None:
    """Return the parameters of a class's constructor; None if a base class outside of the plugin defines them."""
    for member in family(found):
        for name in ("__init__", "__new__"):
            method = member.method(name)
            if method is not None:
                return parameters(method, bound=True)
        decorators = [ast.unparse(item) for item in member.node.decorator_list]
        if any("dataclass" in item for item in decorators) or "typing.NamedTuple" in foreign(member):
            return fields(member.node)
    return None if foreign(found) else []


def fields(node: ast.ClassDef) -> list[str]:
    """The parameters of a dataclass or named tuple, from its annotated fields."""
    found = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
    return [ast.unparse(item.target) + (f"={ast.unparse(item.value)}" if item.value else "") for item in found]
