"""Names of modules, as far as the paths of files show them, and of functions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from uncuda import lazy_re

OPERATORS = "torch.ops."
"""The beginning of the name of an operator of PyTorch: `torch.ops.NAMESPACE.OPERATOR`."""

SELECTS = r"_*(?:get|select|choose|default|current)_(?:\w+_)?device"
"""A pattern for names of functions that select the device of a program: `get_torch_device`."""
_TEST = lazy_re.compile(r"(?:.*[/\\])?(?:test_\w*|\w*_test)\.py")
_DEPTH = 6  # maximum number of segments in the name of a file's module


@lru_cache(maxsize=64)
def module_at(path: str) -> str:
    """Return the dotted name of the module in a file; an `__init__.py` has the name of its package."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    parts[-1:] = [name.rpartition(".")[0] or name for name in parts[-1:] if not name.startswith("__init__.")]
    return ".".join(part for part in parts[-_DEPTH:] if part.strip("./"))


def is_test(path: str) -> bool:
    """Return whether the name of a file says that it contains tests: `test_a.py`, `a_test.py`."""
    return _TEST.fullmatch(path) is not None


def imported_from(module: str, path: str) -> str:
    """Return the dotted name of a module as the file at `path` imports it; `module` begins with a dot for each level of
    a relative import."""
    name = module.lstrip(".")
    dots = len(module) - len(name)
    if not dots:
        return name
    parts = module_at(path).split(".")
    above = dots - (path.replace("\\", "/").rpartition("/")[2] == "__init__.py")
    return ".".join([*parts[: len(parts) - above], *filter(None, [name])])


def agree(one: str, other: str) -> bool:
    """Return whether one of two dotted names ends with the other."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    return longer == shorter or longer.endswith(f".{shorter}")


def operators(compiled: Iterable[str]) -> dict[str, str]:
    """Return the namespaces of `torch.ops` in which modules register operators that are compiled for CUDA, each with
    the module. `compiled`: the dotted names of the modules. Only the module's build knows its namespace; the package
    that contains the module, or the module itself, usually has the same name: `torch.ops.pkg` for `pkg._C`."""
    found: dict[str, str] = {}
    for module in sorted(compiled):
        first, _, rest = module.partition(".")
        for name in (first, rest.rpartition(".")[2] or first):
            found.setdefault(name, module)
    return found
