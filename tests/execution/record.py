"""Runs a program and writes what it did, in order: calls of `torch.cuda` by the program, and operators with devices.

The command is `python record.py FILE main.py [ARGUMENT…]`, which may also follow `python -m simulator`.
"""

from __future__ import annotations

import functools
import inspect
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

_STEPS: list[str] = []
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class _Recorder(TorchDispatchMode):  # type: ignore[misc]
    """Records each operator with the devices of its arguments."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Record one operator."""
        given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, (torch.Tensor, torch.device))]
        devices = [str(leaf if isinstance(leaf, torch.device) else leaf.device) for leaf in given]
        _STEPS.append(f"{func} {' '.join(devices)}")
        return func(*args, **(kwargs or {}))


def _noted(name: str, function: Any, folder: str) -> Any:
    @functools.wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        if sys._getframe(1).f_code.co_filename.startswith(folder):
            _STEPS.append(_ADDRESS.sub("", f"torch.cuda.{name}({', '.join(map(str, args))}, {kwargs})"))
        return function(*args, **kwargs)

    return noted


def main(file: str, program: str, *arguments: str) -> None:
    """Run the program as `__main__`, and write the steps to the file when the program ends, in whatever way."""
    folder = str(Path(program).resolve().parent)
    for name, value in list(vars(torch.cuda).items()):
        if inspect.isfunction(value) and not name.startswith("_"):
            setattr(torch.cuda, name, _noted(name, value, folder))
    sys.argv = [program, *arguments]
    sys.path.insert(0, folder)
    try:
        with _Recorder():
            runpy.run_path(str(Path(program).resolve()), run_name="__main__")
    finally:
        Path(file).write_text("\n".join(_STEPS), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
