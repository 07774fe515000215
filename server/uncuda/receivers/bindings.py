"""Finds the statements of one file that bind a name, and the dotted name to which an import binds a name; works on
parso trees, without jedi."""

from __future__ import annotations

from typing import Any

_SCOPES = ("funcdef", "lambdef", "file_input", "classdef")


def bindings(leaf: Any) -> list[Any]:
    """Return the names that bind the variable to which `leaf` refers: all bindings in the innermost scope that contains
    any."""
    own = _scope(leaf)
    scope = own
    while scope is not None:
        if scope.type != "classdef" or scope is own:
            found = _bound_in(scope, leaf.value)
            if found:
                return found
        scope = _scope(scope)
    return []


def rebound(leaf: Any) -> bool:
    """Whether any function declares a name global or nonlocal; then functions can bind the name of an outer scope."""
    names = leaf.get_root_node().get_used_names().get(leaf.value, ())
    return any(name.parent.type in ("global_stmt", "nonlocal_stmt") for name in names)


def _scope(node: Any) -> Any:
    """The scope around a node; a default, an annotation or a decorator belongs to the scope outside its function."""
    child, parent = node, node.parent
    while parent is not None:
        if parent.type in _SCOPES and _inside(parent, child):
            return parent
        child, parent = parent, parent.parent
    return None


def _inside(scope: Any, child: Any) -> bool:
    if scope.type == "file_input":
        return True
    if scope.type == "lambdef":
        return child is scope.children[-1] or child.type == "param"
    return child is scope.children[-1]


def _bound_in(scope: Any, word: str) -> list[Any]:
    module = scope.get_root_node()
    found = []
    for name in module.get_used_names().get(word, ()):
        definition = name.get_definition(include_setitem=False)
        if definition is not None and definition.type != "del_stmt" and _binds_in(definition, name, scope):
            found.append(name)
    return found


def _binds_in(definition: Any, name: Any, scope: Any) -> bool:
    if definition.type == "param":
        return definition.get_parent_function() is scope
    if definition.type == "expr_stmt" and name.parent.type == "trailer":
        return False  # `x.name = …` binds an attribute, not a name
    return _scope(definition) is scope


def dotted_imports(leaf: Any) -> list[str]:
    """Return the dotted names to which absolute imports bind a name; empty if something that is not an import binds the
    name, too.

    `x = None`, a common fallback if an import fails, does not count as another binding.
    """
    found = []
    for name in bindings(leaf):
        dotted = imported(name)
        if dotted is not None:
            found.append(dotted)
        elif not is_none(name):
            return []
    return found


def is_none(name: Any) -> bool:
    """Whether the statement that binds a name is `name = None`."""
    statement = name.get_definition()
    if statement is None:
        return False
    value = statement.children[-1] if statement.type == "expr_stmt" and len(statement.children) == 3 else None
    return value is not None and value.type == "keyword" and value.value == "None"


def named_in_module(tree: Any, word: str) -> list[Any]:
    """Return the names in the syntax tree that bind the identifier `word` at module level."""
    return _bound_in(tree, word)


def imported(name: Any) -> str | None:
    """Return the dotted name to which an import binds `name`; None if no import binds it, or only a relative import."""
    definition = name.get_definition()
    if definition is None or definition.type not in ("import_name", "import_from") or definition.level:
        return None
    path = [part.value for part in definition.get_path_for_name(name)]
    aliased = definition.type == "import_from" or name.parent.type == "dotted_as_name"
    return ".".join(path if aliased else path[:1])


def spelled(parts: list[Any]) -> tuple[Any, list[str]] | None:
    """The first name and the attributes of a plain dotted expression: `a`, ["b", "c"] for the node and trailers of
    `a.b.c`."""
    if not parts or parts[0].type != "name":
        return None
    attributes = []
    for trailer in parts[1:]:
        if trailer.type != "trailer" or trailer.children[0] != ".":
            return None
        attributes.append(trailer.children[1].value)
    return parts[0], attributes


def parts_of(node: Any) -> list[Any]:
    """Return the parts of a node as a list: its first expression, then its trailers (`.name`, calls, subscripts)."""
    return list(node.children) if node.type in ("atom_expr", "power") else [node]


def plain_value(statement: Any) -> Any:
    """Return the node `value` of the statement `a = b = value`; None for `+=` and other statements."""
    plain = all(child == "=" for child in statement.children[1::2])
    return statement.children[-1] if plain and len(statement.children) > 2 else None


def owner(parameter: Any, kind: str) -> Any:
    """Return the class of a method whose first parameter is `parameter`: for an instance (`kind` "self") or for the
    class itself ("cls"); None for any other parameter."""
    function = parameter.get_parent_function()
    if function.type != "funcdef" or function.get_params()[0] is not parameter:
        return None
    around, found = class_around(function), decorators(function)
    if around is None or "staticmethod" in found:
        return None
    by_class = "classmethod" in found or function.name.value in ("__new__", "__init_subclass__")
    return around if by_class == (kind == "cls") else None


def class_around(function: Any) -> Any:
    """The class in whose body a function is defined; None for a function that is not a method."""
    node = function.parent
    while node is not None and node.type in ("decorated", "async_funcdef", "async_stmt", "suite"):
        node = node.parent
    return node if node is not None and node.type == "classdef" else None


def decorators(definition: Any) -> list[str]:
    """Return the decorators of a function or class as the code spells them, without arguments: ["staticmethod"]."""
    return ["".join(leaf for leaf in _dotted(item)) for item in definition.get_decorators()]


def _dotted(decorator: Any) -> list[str]:
    words = []
    for child in decorator.children[1:]:
        if child.type not in ("name", "dotted_name", "power", "atom_expr"):
            break
        words.append(child.get_code(include_prefix=False).partition("(")[0])
    return words
