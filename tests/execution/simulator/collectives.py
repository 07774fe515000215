"""The backends `hccl` and `mccl` (and `nccl` for simulated CUDA): they call Gloo with the CPU tensors in which device
tensors keep their values."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.utils import _pytree as pytree

from .machine import MACHINE
from .tensor import DeviceTensor

_METHODS = [
    "allreduce",
    "allreduce_coalesced",
    "broadcast",
    "allgather",
    "_allgather_base",
    "allgather_into_tensor_coalesced",
    "allgather_coalesced",
    "reduce",
    "gather",
    "scatter",
    "reduce_scatter",
    "_reduce_scatter_base",
    "reduce_scatter_tensor_coalesced",
    "alltoall",
    "alltoall_base",
    "send",
    "recv",
    "recv_anysource",
    "barrier",
    "monitored_barrier",
    "all_gather_single",
    "all_gather_single_coalesced",
    "all_to_all_single",
    "gather_single",
    "gather_into_tensor",
    "reduce_scatter_single",
    "reduce_scatter_single_coalesced",
]


def register() -> None:
    """Register the simulated backend, and remove the backends of other vendors."""
    if not dist.is_available():
        return
    word = MACHINE.plugin.collective
    group = _group(word)
    if word == "nccl":
        _replace_nccl(group)
        return
    dist.Backend.register_backend(word, group, devices=[MACHINE.word])
    setattr(dist, f"is_{word}_available", lambda: True)
    # The vendors' builds of PyTorch do not contain NCCL, but the wheel that runs here does.
    dist.is_nccl_available = dist.distributed_c10d.is_nccl_available = lambda: False
    dist.distributed_c10d._NCCL_AVAILABLE = False


def _replace_nccl(group: Callable[..., Any]) -> None:
    """PyTorch itself creates groups of `nccl`; here they are created under another name, and report `nccl`."""
    dist.Backend.register_backend("simulated", group, devices=["cpu", MACHINE.backend])
    start, backend = dist.init_process_group, dist.get_backend

    def init_process_group(name: Any = None, *args: Any, **kwargs: Any) -> Any:
        name = kwargs.pop("backend", name)
        kwargs.pop("device_id", None)
        return start("simulated" if name in {None, "nccl"} else name, *args, **kwargs)

    def get_backend(*args: Any, **kwargs: Any) -> Any:
        found = backend(*args, **kwargs)
        return dist.Backend("nccl") if found == "simulated" else found

    for module in (dist, dist.distributed_c10d):
        module.init_process_group = init_process_group
        module.get_backend = get_backend
    dist.is_nccl_available = dist.distributed_c10d.is_nccl_available = lambda: True


def _group(word: str) -> type:
    class SimulatedGroup(dist.ProcessGroup):
        """A process group that accepts only tensors of the device, as the vendors' libraries do."""

        def __init__(self, store: Any, rank: int, size: int, timeout: Any) -> None:
            super().__init__(rank, size)
            self.gloo = dist.ProcessGroupGloo(store, rank, size, timeout)

        @property
        def _device_types(self) -> list[torch.device]:
            return [torch.device(MACHINE.word)]

        def getBackendName(self) -> str:  # noqa: N802 (PyTorch's name)
            return word

        def name(self) -> str:
            return word

    for name in _METHODS:
        if hasattr(dist.ProcessGroupGloo, name):
            setattr(SimulatedGroup, name, _method(name, word))
    return SimulatedGroup


def _method(name: str, word: str) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        for leaf in pytree.tree_leaves((args, kwargs)):
            if isinstance(leaf, torch.Tensor) and not isinstance(leaf, DeviceTensor):
                raise RuntimeError(  # noqa: TRY004 (as PyTorch)
                    f"No backend type associated with device type {leaf.device.type} ({word})"
                )
        args, kwargs = pytree.tree_map(_host, (args, kwargs))
        for options in (*args, *kwargs.values()):
            if hasattr(options, "device_ids"):
                options.device_ids = []
            if hasattr(options, "device"):
                with contextlib.suppress(TypeError, RuntimeError):
                    options.device = None
        if name == "allreduce" and len(args) > 1 and getattr(args[1], "reduceOp", None) == dist.ReduceOp.AVG:
            return _average(self, args[0])
        return getattr(self.gloo, name)(*args, **kwargs)

    call.__name__ = name
    return call


def _average(group: Any, tensors: Any) -> Any:
    """Return the average of tensors, because Gloo has no AVG."""
    options = dist.AllreduceOptions()
    options.reduceOp = dist.ReduceOp.SUM
    work = group.gloo.allreduce(tensors, options)
    work.wait()
    for tensor in tensors:
        tensor.div_(group.size())
    return work


def _host(value: Any) -> Any:
    return value.host if isinstance(value, DeviceTensor) else value
