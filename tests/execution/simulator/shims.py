"""`from torch_npu.contrib import transfer_to_npu`: maps CUDA's names to the device, as far as the plugin's source does.

Importing `transfer_to_npu` sets names on PyTorch; they are listed in server/scripts/plugin/names/npu-*.json under
`on_request`. torchada is not simulated: the real package, from the package index, runs with the simulated torch_musa.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch

from .machine import MACHINE

# The keyword arguments whose devices torch_npu/contrib/transfer_to_npu.py changes, and the functions of torch.cuda that
# it wraps.
_KEYWORDS = ("device", "device_type", "map_location", "device_id", "device_ids")
_OF_CUDA = frozenset(
    [
        "get_device_properties",
        "get_device_name",
        "get_device_capability",
        "list_gpu_processes",
        "set_device",
        "synchronize",
        "mem_get_info",
        "memory_stats",
        "memory_summary",
        "memory_allocated",
        "max_memory_allocated",
        "reset_max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
        "reset_max_memory_cached",
        "reset_peak_memory_stats",
        "default_stream",
        "can_device_access_peer",
        "current_stream",
        "utilization",
        "set_per_process_memory_fraction",
        "get_rng_state",
        "set_rng_state",
    ]
)
_LEFT_OUT = ("torch._dynamo", "torch._inductor", "torch.utils._triton", "torch.utils.cpp_extension")


def transfer_to_npu() -> None:
    """Change PyTorch as importing the real module `transfer_to_npu` does."""
    warnings.warn("The torch.Tensor.cuda and torch.nn.Module.cuda are replaced with torch.Tensor.npu", ImportWarning, 2)
    special = _special()
    for owner, names in MACHINE.on_request["torch_npu.contrib.transfer_to_npu"].items():
        if not owner.startswith(_LEFT_OUT) and (found := _resolve(owner)) is not None:
            for name in names:
                _set(owner, found, name, special)
    MACHINE.shimmed = True
    activity = torch.profiler.ProfilerActivity
    torch.profiler.ProfilerActivity = type("ProfilerActivity", (), {"CPU": activity.CPU, "CUDA": activity.PrivateUse1})


def _set(owner: str, found: Any, name: str, special: dict[str, Any]) -> None:
    if (place := f"{owner}.{name}") in special:
        setattr(found, name, special[place])
    elif owner.startswith("torch.cuda"):
        plugin = _resolve(owner.replace("torch.cuda", "torch.npu"))
        value = getattr(plugin, name, None) if plugin is not None else None
        if value is not None:
            setattr(found, name, _wrapped(value) if name in _OF_CUDA else value)
    elif callable(getattr(found, name, None)) and not isinstance(getattr(found, name), type):
        setattr(found, name, _wrapped(getattr(found, name)))


def _special() -> dict[str, Any]:
    def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
        warnings.warn("torch.jit.script will be disabled by transfer_to_npu", RuntimeWarning, 2)
        return obj

    distributed = torch.distributed
    return {
        "torch.Tensor.cuda": torch.Tensor.npu,
        "torch.Tensor.is_cuda": torch.Tensor.is_npu,
        "torch.nn.Module.cuda": torch.nn.Module.npu,
        "torch.cuda.DoubleTensor": torch.npu.FloatTensor,
        "torch.jit.script": script,
        "torch.jit.script_method": lambda function, *args: function,
        "torch.distributed.is_nccl_available": distributed.is_hccl_available,
        "torch.distributed.init_process_group": _hccl(_wrapped(distributed.init_process_group)),
        "torch.distributed.distributed_c10d._new_group_with_tag": _hccl(
            distributed.distributed_c10d._new_group_with_tag
        ),
        "torch._utils._get_available_device_type": lambda: "npu",
        "torch.Generator": _generator(),
        "torch.Event": torch.npu.Event,
        "torch.profiler.profile": sys.modules["torch_npu.profiler"].profile,
        "torch.get_autocast_gpu_dtype": functools.partial(torch.get_autocast_dtype, "npu"),
    }


def _generator() -> Any:
    original = torch.Generator
    return lambda device="cpu": original(_npu(device))


def _hccl(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple("hccl" if value == "nccl" else value for value in args)
        return function(*args, **{key: "hccl" if value == "nccl" else value for key, value in kwargs.items()})

    return call


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        kwargs = {key: _npu(value) if key in _KEYWORDS else value for key, value in kwargs.items()}
        return function(*map(_npu, args), **kwargs)

    return call


def _npu(value: Any) -> Any:
    """Return a value with CUDA devices replaced by the plugin's, in strings, devices, lists of devices and entries of a
    dictionary."""
    if isinstance(value, str):
        return value.replace("cuda", "npu") if value.startswith("cuda") else value
    if isinstance(value, torch.device):
        return torch.device("npu", value.index) if value.type == "cuda" else value
    if type(value) is dict:
        return {_npu(key): _npu(item) for key, item in value.items()}
    return value


def _resolve(path: str) -> Any:
    found: Any = torch
    for name in path.split(".")[1:]:
        found = getattr(found, name, None)
        if found is None:
            return None
    return found
