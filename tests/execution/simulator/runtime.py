"""The runtime's namespace: `torch.npu`, `torch.musa`, `torch.cuda`."""

from __future__ import annotations

import collections
import types
from typing import Any

import torch

from . import rng, streams
from .machine import MACHINE
from .tensor import TENSOR_TYPES, DeviceTensor

_MEMORY = 1 << 20


class DeviceContext:
    """The context manager `torch.npu.device(index)`; a negative index changes nothing."""

    def __init__(self, device: Any) -> None:
        self.idx, self.prev_idx = MACHINE.index(device), -1

    def __enter__(self) -> None:
        self.prev_idx, MACHINE.current = MACHINE.current, self.idx

    def __exit__(self, *exc: object) -> None:
        MACHINE.current = self.prev_idx


class DeviceOf(DeviceContext):
    """`torch.npu.device_of(tensor)`."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.ordinal if isinstance(obj, DeviceTensor) else -1)


class Switches:
    """The objects `torch.npu.matmul`, `torch.npu.conv` and `torch.npu.config`: setting an attribute that is not a
    switch is an error, as in the plugin."""

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "values", dict.fromkeys(names, False))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.values:
            raise AttributeError(f"no switch {name}")
        self.values[name] = value

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


def namespace() -> dict[str, Any]:
    """Return every member of `torch.npu` (or `torch.musa`, `torch.cuda`) that the simulation provides, by name,
    including members that the simulated version does not have."""
    names = {**_devices(), **rng.functions(), **streams.functions(), **_memory(), **_tensor_types(), **_properties()}
    if MACHINE.word == "npu":
        names.update(_of_npu())
    elif MACHINE.word == "musa":
        names.update(get_arch_list=lambda: ["mp_22"], OutOfMemoryError=torch.OutOfMemoryError)
        names["fork_rng"] = torch.random.fork_rng
    else:
        names["get_arch_list"] = lambda: ["sm_80"]
    return names


def _devices() -> dict[str, Any]:
    def set_device(device: Any) -> None:
        MACHINE.current = MACHINE.index(device)

    def synchronize(device: Any = None) -> None:
        MACHINE.index(device)

    return {
        "is_available": lambda: MACHINE.devices > 0,
        "device_count": lambda: MACHINE.devices,
        "current_device": lambda: MACHINE.current,
        "set_device": set_device,
        "synchronize": synchronize,
        "device": DeviceContext,
        "device_of": DeviceOf,
        "init": _nothing,
        "is_initialized": lambda: True,
        "_initialized": True,
        "_lazy_init": _nothing,
        "_lazy_call": lambda function, **_: function(),
        "_is_in_bad_fork": lambda: False,
        "_is_compiled": lambda: True,
        "ipc_collect": _nothing,
        "can_device_access_peer": lambda device, peer_device: True,
        "is_bf16_supported": lambda including_emulation=True: True,
        "get_amp_supported_dtype": lambda: [torch.float16, torch.bfloat16],
    }


def _memory() -> dict[str, Any]:
    def amount(device: Any = None) -> int:
        MACHINE.index(device)
        return _MEMORY

    def reset(device: Any = None) -> None:
        MACHINE.index(device)

    def stats(device: Any = None) -> dict[str, int]:
        MACHINE.index(device)
        counts = ("allocated_bytes.all.current", "allocated_bytes.all.peak", "reserved_bytes.all.current")
        return collections.OrderedDict({**dict.fromkeys(counts, _MEMORY), "num_ooms": 0, "num_alloc_retries": 0})

    amounts = (
        "memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_cached max_memory_cached"
    )
    resets = "reset_peak_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_accumulated_memory_stats"
    return {
        **dict.fromkeys(amounts.split(), amount),
        **dict.fromkeys(resets.split(), reset),
        "empty_cache": _nothing,
        "memory_stats": stats,
        "memory_summary": lambda device=None, abbreviated=False: "simulated",
        "memory_snapshot": list,
        "mem_get_info": lambda device=None: (30 << 30, 32 << 30),
        "set_per_process_memory_fraction": lambda fraction, device=None: None,
    }


def _properties() -> dict[str, Any]:
    def properties(device: Any) -> types.SimpleNamespace:
        MACHINE.index(device)
        found = types.SimpleNamespace(name=MACHINE.plugin.device_name, total_memory=32 << 30, L2_cache_size=192 << 20)
        capability = MACHINE.ask("capability")
        found.major, found.minor = capability or (None, None)
        found.multi_processor_count = 48 if MACHINE.ask("processors") else None
        if MACHINE.word == "npu":
            found.cube_core_num, found.vector_core_num = 20, 40
        return found

    def capability(device: Any = None) -> Any:
        MACHINE.index(device)
        return MACHINE.ask("capability")

    def name(device: Any = None) -> str:
        MACHINE.index(device)
        return MACHINE.plugin.device_name

    if MACHINE.word == "npu":  # in torch_npu/npu/utils.py, the parameter is called device_name
        return {
            "get_device_properties": lambda device_name=None: properties(device_name),
            "get_device_name": lambda device_name=None: name(device_name),
            "get_device_capability": capability,
        }
    return {
        "get_device_properties": lambda device=None: properties(device),
        "get_device_name": name,
        "get_device_capability": capability,
    }


def _tensor_types() -> dict[str, Any]:
    return {name: _tensor_type(name, dtype) for dtype, name in TENSOR_TYPES.items()}


def _tensor_type(name: str, dtype: torch.dtype) -> type:
    class Meta(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, DeviceTensor) and value.dtype is dtype

        def __call__(cls, *args: Any) -> Any:
            if len(args) == 1 and not isinstance(args[0], int):
                return torch.tensor(args[0], dtype=dtype, device=MACHINE.device())
            return torch.empty(*args, dtype=dtype, device=MACHINE.device())

    return Meta(name, (), {"dtype": dtype, "__module__": f"torch.{MACHINE.word}"})


def _of_npu() -> dict[str, Any]:
    mstx = type(
        "mstx",
        (),
        {name: staticmethod(_zero) for name in ("mark", "range_start", "range_end", "range_push", "range_pop")},
    )
    mstx.mstx_range = staticmethod(lambda message, stream=None, domain="default": lambda function: function)  # type: ignore[attr-defined]
    return {
        "can_device_access_peer": lambda device_id, peer_device_id: True,
        "set_compile_mode": lambda jit_compile=False: None,
        "utilization": lambda device=None: 0,
        "get_per_process_memory_fraction": lambda device=None: 1.0,
        "is_autocast_enabled": lambda: torch.is_autocast_enabled("npu"),
        "set_autocast_enabled": lambda enabled: torch.set_autocast_enabled("npu", enabled),
        "get_autocast_dtype": lambda: torch.get_autocast_dtype("npu"),
        "set_autocast_dtype": lambda dtype: torch.set_autocast_dtype("npu", dtype),
        "get_amp_supported_dtype": lambda: [torch.float16, torch.bfloat16, torch.float32],
        "matmul": Switches("allow_hf32", "cube_math_type"),
        "conv": Switches("allow_hf32", "cube_math_type"),
        "config": Switches("allow_internal_format"),
        "get_soc_version": lambda: 224,
        "mstx": mstx,
    }


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Accept any arguments and do nothing, for functions without an effect on the CPU."""


def _zero(*args: Any, **kwargs: Any) -> int:
    return 0
