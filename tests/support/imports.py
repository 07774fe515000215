"""Reads the imports of each module of the package from its source."""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "server" / "uncuda"


class Import(NamedTuple):
    """One imported module, by its absolute name; `lazy` means: imported inside a function, or only for type
    checkers."""

    module: str
    line: int
    lazy: bool


@cache
def modules() -> dict[str, Path]:
    """Return every module of the package, from dotted name to file."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module, which is parsed once; callers must not change it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[tuple[ast.AST, bool]]:
    """Return every node of a module's syntax tree, and whether it is inside a function or only for type checkers. Many
    tests look at all nodes, and walking the trees takes longer than most of these tests."""
    found: list[tuple[ast.AST, bool]] = [(tree_of(path), False)]
    for node, lazy in found:  # the list grows
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _is_for_types(node)
        found += [(child, inside) for child in ast.iter_child_nodes(node)]
    return found


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


@cache
def imports(name: str, path: Path) -> list[Import]:
    """Return the imports of module `name`; `from . import x` counts as an import of the module `x`, if it exists."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    known = modules()
    found = []
    for node, lazy in nodes_of(path):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, node.lineno, lazy) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            submodules = [f"{base}.{alias.name}" for alias in node.names if f"{base}.{alias.name}" in known]
            names = submodules or [base]
            found += [Import(module, node.lineno, lazy) for module in names]
    return found
