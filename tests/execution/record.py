"""Records what a program does, in order: its calls of `torch.cuda`, and operators with the devices of their arguments.

The steps are grouped by thread, the main thread first: autograd runs the operators of a device in a separate thread, at
the same time as the operators of the CPU. Operators that receive a batch from a worker of a DataLoader are left out,
because their order depends on which worker is faster.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

_STEPS: dict[int, list[str]] = {}
"""For each thread, by its id: the operators and the calls of `torch.cuda` that it ran, in order."""
_RECEIVING: list[bool] = []
"""Not empty while the program receives a batch from a worker."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def _note(step: str) -> None:
    _STEPS.setdefault(threading.get_ident(), []).append(step)


class _Recorder(TorchDispatchMode):  # type: ignore[misc]
    """Records each operator with the devices of its arguments."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Record one operator."""
        if _RECEIVING:
            return func(*args, **(kwargs or {}))
        given = [leaf for leaf in tree_flatten((args, kwargs))[0] if isinstance(leaf, (torch.Tensor, torch.device))]
        devices = [str(leaf if isinstance(leaf, torch.device) else leaf.device) for leaf in given]
        _note(f"{func} {' '.join(devices)}")
        return func(*args, **(kwargs or {}))


def _noted(name: str, function: Any, folder: str) -> Any:
    @functools.wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        if sys._getframe(1).f_code.co_filename.startswith(folder):
            _note(_ADDRESS.sub("", f"torch.cuda.{name}({', '.join(map(str, args))}, {kwargs})"))
        return function(*args, **kwargs)

    return noted


def _receiving(function: Any) -> Any:
    @functools.wraps(function)
    def received(*args: Any, **kwargs: Any) -> Any:
        _RECEIVING.append(True)
        try:
            return function(*args, **kwargs)
        finally:
            _RECEIVING.pop()

    return received


@contextlib.contextmanager
def recorded(folder: str, file: Path) -> Iterator[None]:
    """Record during the block what the program in a folder does, and write the steps to a file, a line for each."""
    for name, value in list(vars(torch.cuda).items()):
        if inspect.isfunction(value) and not name.startswith("_"):
            setattr(torch.cuda, name, _noted(name, value, folder))
    workers = torch.utils.data.dataloader._MultiProcessingDataLoaderIter
    workers._try_get_data = _receiving(workers._try_get_data)
    try:
        with _Recorder():
            yield
    finally:
        own = _STEPS.pop(threading.get_ident(), [])
        others = sorted(_STEPS.values())
        file.write_text("\n".join(step for steps in (own, *others) for step in steps), encoding="utf-8")
