"""Runs an example of a rule's page in this process, with stand-ins for the names that it does not define.

A stand-in is not a mock: it is a real tensor, model or parser, chosen by the name that it stands for, or an object
that ends the run when it is used. Libraries that are not installed can be imported, but using one ends the run.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import json
import re
import sys
import types
import typing
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from standins import Context, NotRun, make

FILE = "example.py"
_OURS = re.compile(r"(torch|torch_npu|torch_musa|torchada|simulator)(\.|$)")  # PyTorch, its plugins, and the simulator


class Absent:
    """A name from a library that is not installed: it can be imported, but using it ends the run."""

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = name

    def __getattr__(self, name: str) -> Any:
        raise NotRun(f"needs {self.name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotRun(f"needs {self.name}")


class AbsentModule(types.ModuleType):
    """A library that is not installed: `from … import` finds every name in it, and `library.name` counts as a use."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        frame = sys._getframe(1)
        if frame.f_code.co_filename == FILE and frame.f_lineno not in frame.f_globals["__imports__"]:
            raise NotRun(f"needs {self.__name__}")
        return Absent(f"{self.__name__}.{name}")


class AbsentLibraries(MetaPathFinder, Loader):
    """A finder for modules that no other finder found; if a library is installed, a missing name in it stays
    missing."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        found |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        tops = {name.partition(".")[0] for name in found - {"", "__future__"}}
        self.absent = {name for name in tops if name not in sys.modules and find_spec(name) is None}

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self.absent else None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return AbsentModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Execute nothing: the module is empty."""


class Names(dict[str, Any]):
    """The global names of an example: names that it does not define are created when they are first used."""

    def __init__(self, context: Context) -> None:
        super().__init__(__name__="__main__", __imports__=_lines_of(context.tree, (ast.Import, ast.ImportFrom)))
        self.context = context

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name) or name.startswith("__"):
            raise KeyError(name)
        self[name] = make(name, self.context)
        return self[name]


def run(job: dict[str, Any], record: Path) -> int:
    """Run `job["example"]` after `job["prelude"]` and write the result.

    The result has `state` (ran, failed or not run), `note` (the reason), `line` (where it ended), `lines` (the executed
    lines) and `torch` (whether PyTorch or its simulation was used).
    """
    lines: set[int] = set()
    names: dict[str, Any] = {}
    try:
        exec(job["prelude"], {})
        tree = ast.parse(job["example"])
        context = Context(tree, job["target"], job["backend"])
        names = Names(context)
        _one_process(job["backend"])
        sys.meta_path.append(AbsentLibraries(tree))
        sys.settrace(functools.partial(_trace, lines))
        exec(compile(tree, FILE, "exec"), names)
        _call_the_rest(names, context, lines)
        answer = _ended(None, names)
    except BaseException as error:  # noqa: BLE001 (whatever ends an example)
        answer = _ended(error, names)
    finally:
        sys.settrace(None)
    answer |= {"lines": sorted(lines), "torch": any(map(_is_ours, names.values()))}
    record.write_text(json.dumps(answer), "utf-8")
    return 0


def _trace(lines: set[int], frame: Any, event: str, _: Any) -> Any:
    if frame.f_code.co_filename != FILE:
        return None
    if event == "line":
        lines.add(frame.f_lineno)
    return functools.partial(_trace, lines)


def _ended(error: BaseException | None, names: dict[str, Any]) -> dict[str, Any]:
    """Return the state of an example that ended with this exception, or with none; if the simulator lacks a name, the
    state is "not run"."""
    if error is None or (isinstance(error, SystemExit) and not error.code):
        unknown = [value.name for value in names.values() if type(value).__name__ == "Unsimulated"]
        note = f"the simulator has no {unknown[0]}" if unknown else ""
        return {"state": "not run" if unknown else "ran", "note": note, "line": 0}
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, NotRun):
        return {"state": "not run", "note": str(error), "line": line}
    if type(error).__name__ == "NotSimulated":
        name = str(error).replace(" exists in the real plugin, but is not simulated", "")
        return {"state": "not run", "note": f"the simulator has no {name}", "line": line}
    note = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    return {"state": "failed", "note": note, "line": line}


def _call_the_rest(names: dict[str, Any], context: Context, lines: set[int]) -> None:
    """Call the example's functions that have not been called yet, with stand-ins chosen by parameter name.

    Names in the annotations of the called functions must be defined as well.
    """
    for node in context.tree.body:
        function = names.get(node.name) if isinstance(node, ast.FunctionDef) else None
        if isinstance(node, ast.FunctionDef) and callable(function) and not lines & _lines_of(node.body[0]):
            typing.get_type_hints(function)
            given = {}
            for name, parameter in inspect.signature(function).parameters.items():
                if parameter.default is None or parameter.default is parameter.empty:
                    given[name] = make(name, context)
            names[f"given to {node.name}"] = list(given.values())
            function(**given)


def _lines_of(tree: ast.AST, kinds: Any = ast.AST) -> set[int]:
    """The lines of a node, or of all nodes of some kinds within it."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, kinds) and hasattr(node, "lineno"):
            found |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def _is_ours(value: Any) -> bool:
    """Return whether a value belongs to PyTorch or the plugin, or contains such values."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_ours, value))
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return isinstance(value, (torch.Tensor, torch.nn.Module)) or bool(_OURS.match(str(name or type(value).__module__)))


def _one_process(backend: str) -> None:
    """Create a process group that contains only this process; an example that expects a process group finds one with
    the target's backend."""
    module = dist.distributed_c10d
    default, start, group = module._get_default_group, dist.init_process_group, dist.new_group
    signature = inspect.signature(start)

    def init_process_group(*args: Any, **kwargs: Any) -> None:
        given = signature.bind(*args, **kwargs).arguments
        if dist.is_initialized():
            dist.destroy_process_group()
        start(given.get("backend"), store=dist.HashStore(), rank=0, world_size=1)

    def new_group(ranks: Any = None, *args: Any, **kwargs: Any) -> Any:
        return group(None if ranks is None else [rank for rank in ranks if rank == 0], *args, **kwargs)

    def default_group() -> Any:
        if not dist.is_initialized():
            start(backend, store=dist.HashStore(), rank=0, world_size=1)
        return default()

    module._get_default_group = default_group
    dist.init_process_group = module.init_process_group = init_process_group
    dist.new_group = module.new_group = new_group
