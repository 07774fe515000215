"""The package of the simulated plugin: it has the names that the simulated version has, and no others."""

from __future__ import annotations

import functools
import importlib.machinery
import inspect
import sys
import types
from typing import Any

import torch

from . import amp, runtime
from .machine import MACHINE, NotSimulated

# Submodules of the plugin, each with those of its names that are also in the module `torch.npu` or `torch.musa`.
_SHARED = {
    "torch_npu.npu.memory": "memory_allocated max_memory_allocated memory_reserved empty_cache memory_stats",
    "torch_npu.npu.random": "manual_seed manual_seed_all get_rng_state set_rng_state seed initial_seed",
    "torch_npu.npu.streams": "Stream Event",
    "torch_npu.npu.utils": "synchronize set_device current_device stream current_stream device",
    "torch_musa.core.memory": "memory_allocated max_memory_allocated memory_reserved empty_cache memory_stats",
    "torch_musa.core.random": "manual_seed manual_seed_all get_rng_state set_rng_state seed initial_seed",
    "torch_musa.core.stream": "Stream Event stream current_stream",
    "torch_musa.core.device": "synchronize set_device current_device device_count is_available",
}


class Unsimulated:
    """An object of the real plugin that is not simulated: it can be passed on, and raises an exception when it is
    used."""

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unsimulated(f"{self.name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotSimulated(f"{self.name} exists in the real plugin, but is not simulated")


class PluginModule(types.ModuleType):
    """A module with the simulated names, which distinguishes names that the real plugin lacks from names that only the
    simulation lacks."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("__"):
            MACHINE.touched.add(f"{super().__getattribute__('__name__')}:{name}")
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = MACHINE.names.get(self.__name__, {})
        if name not in known:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        if isinstance(known[name], list):
            return _declared(f"{self.__name__}.{name}", known[name], None)
        return Unsimulated(f"{self.__name__}.{name}")

    def fill(self, names: dict[str, Any]) -> None:
        """Add those names of `names` that the simulated version has; functions get the parameters that they have in
        that version."""
        known = MACHINE.names.get(self.__name__)
        for name, value in names.items():
            if known is None or name.endswith("Tensor"):
                setattr(self, name, value)
            elif name in known:
                declared = known[name]
                takes = isinstance(declared, list) and callable(value) and not isinstance(value, type)
                setattr(self, name, _declared(f"{self.__name__}.{name}", declared, value) if takes else value)


def _declared(name: str, parameters: list[str], function: Any) -> Any:
    """Return a function with the parameters of the plugin's function, as `plugin_names.py` has recorded them.

    The returned function calls `function` with the same arguments by position.
    """
    last = name.rpartition(".")[2]
    space: dict[str, Any] = {"function": function, "NotSimulated": NotSimulated, "Any": Any}
    signature = ", ".join(part.partition("=")[0] + ("=None" if "=" in part else "") for part in parameters)
    try:
        exec(f"def {last}({signature}):\n    pass", space)
    except SyntaxError:
        return function
    checked = inspect.signature(space[last])

    @functools.wraps(function or space[last])
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = checked.bind(*args, **kwargs)
        if function is None:
            raise NotSimulated(f"{name}() exists in the real plugin, but is not simulated")
        return function(*bound.args, **bound.kwargs)

    return call


def build() -> types.ModuleType:
    """Make the package and its modules importable; returns the runtime's module, which becomes `torch.npu`."""
    modules = {name: _module(name) for name in MACHINE.plugin.modules}
    for name, module in modules.items():
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(modules[parent], last, module)
    package, main = modules[MACHINE.plugin.package], modules[MACHINE.plugin.runtime]
    package.__dict__["__version__"] = MACHINE.behaviour.version
    if contrib := modules.get("torch_npu.contrib"):
        contrib.__path__ = [f"{folder}/contrib" for folder in package.__path__]
    names = runtime.namespace()
    main.fill(names)
    mixed = modules[MACHINE.plugin.amp]
    classes = amp.namespace()
    mixed.fill(classes)
    main.__dict__["amp"] = mixed
    for name, shared in _SHARED.items():
        if name in modules:
            modules[name].fill({each: names[each] for each in shared.split()})
    for last in ("autocast_mode", "common", "grad_scaler"):
        modules[f"{MACHINE.plugin.amp}.{last}"].fill(classes)
    if MACHINE.word == "npu":
        _profiler(modules["torch_npu.profiler"])
        modules["torch_npu.distributed"].__dict__["is_hccl_available"] = lambda: True
    else:
        package.__dict__["amp"] = mixed
        torch.backends.mudnn = modules["torch_musa.core.mudnn"]
        modules["torch_musa.core.mudnn"].__dict__["allow_tf32"] = False
        torch.version.musa = "4.3"
        amp.ask_without_device("musa")  # as torch_musa/core/amp/common.py does
    return main


def _module(name: str) -> PluginModule:
    module = sys.modules.get(name)  # the module is None only while the package is being imported
    if module is None:
        module = PluginModule(name)
    else:
        module.__class__ = PluginModule
    if module.__spec__ is None:
        module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__path__ = list(getattr(module, "__path__", []))
    sys.modules[name] = module
    assert isinstance(module, PluginModule)
    return module


def _profiler(module: PluginModule) -> None:
    profiler = torch.profiler
    original = profiler.profile  # PyTorch's class, or the function that replaced it
    activities = types.SimpleNamespace(CPU=profiler.ProfilerActivity.CPU, NPU=profiler.ProfilerActivity.PrivateUse1)

    def profile(
        *,
        activities: Any = None,
        schedule: Any = None,
        on_trace_ready: Any = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        with_flops: bool = False,
        experimental_config: Any = None,
    ) -> Any:
        cpu = [profiler.ProfilerActivity.CPU]
        return original(activities=cpu, schedule=schedule, on_trace_ready=on_trace_ready)

    module.fill(
        {
            "ProfilerActivity": activities,
            "profile": profile,
            "schedule": profiler.schedule,
            "tensorboard_trace_handler": profiler.tensorboard_trace_handler,
            "ProfilerAction": profiler.ProfilerAction,
            "supported_activities": lambda: {activities.CPU, activities.NPU},
        }
    )
