"""Installs the simulation in this process."""

from __future__ import annotations

import atexit
import json
import os
import sys
import types
from pathlib import Path

os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")

import torch
import torch.distributed
import torch.utils.checkpoint

from . import collectives, compiling, cuda, operators, patches, plugin, runtime
from .machine import MACHINE, start


def install(target: str, version: str = "", devices: int = 1) -> None:
    """Register the backend and its plugin; a second call does nothing.

    `target`: `npu`, `musa` or `cuda`; `version`: the plugin's version, as in `versions.PLUGINS`, or empty for the
    newest; `devices`: the number of devices.
    """
    if not start(target, version, devices):
        return
    torch.utils.rename_privateuse1_backend(MACHINE.backend)
    torch.utils.generate_methods_for_privateuse1_backend()
    if hasattr(torch, MACHINE.backend):
        delattr(torch, MACHINE.backend)
    if target == "cuda":
        main: types.ModuleType = types.ModuleType("torch.simulated")
        main.__dict__.update(runtime.namespace())
    else:
        main = plugin.build()
    torch._register_device_module(MACHINE.backend, main)
    _register_backend()
    operators.register()
    torch.empty(0, device=MACHINE.backend)  # C++ imports torch.<backend> for its lazy initialisation, once
    if target == "musa":
        del sys.modules["torch.musa"]  # like torch_musa, which only sets the attribute
    if target == "cuda":
        cuda.build()
    patches.patch()
    compiling.patch()
    collectives.register()
    MACHINE.trace.clear()
    if folder := os.environ.get("SIMULATOR_TRACE"):
        atexit.register(_write_trace, Path(folder))


def _write_trace(folder: Path) -> None:
    """Write down the operators that ran in a process which the program started."""
    if MACHINE.trace:
        (folder / f"trace-{os.getpid()}.json").write_text(json.dumps(MACHINE.trace), "utf-8")


def _register_backend() -> None:
    class Hooks(torch._C._acc.PrivateUse1Hooks):
        def is_available(self) -> bool:
            return MACHINE.devices > 0

        def has_primary_context(self, index: int) -> bool:
            return True

        def is_built(self) -> bool:
            return True

    class Guard(torch._C._acc.DeviceGuard):
        def type_(self) -> object:
            return torch._C._autograd.DeviceType.PrivateUse1

    hooks, guard = Hooks(), Guard()
    torch._C._acc.register_python_privateuseone_hook(hooks)
    torch._C._acc.register_python_privateuseone_device_guard(guard)
    MACHINE.kept.extend((hooks, guard))
