"""A simulation of `torch.cuda` itself, on which the original program runs; its port is compared with this run.

C++ reserves the name `cuda` for real GPUs, so the backend has another name in C++, and only Python code uses `cuda`.
"""

from __future__ import annotations

from typing import Any

import torch

from . import amp, runtime
from .tensor import DeviceTensor


def build() -> Any:
    """Fill `torch.cuda` with the simulated runtime."""
    for name, value in runtime.namespace().items():
        setattr(torch.cuda, name, value)
    for module in (torch.cuda.memory, torch.cuda.random, torch.cuda.streams):
        for name in list(vars(module)):
            if name in torch.cuda.__dict__ and callable(getattr(torch.cuda, name)):
                setattr(module, name, getattr(torch.cuda, name))
    torch.cuda.amp.common.amp_definitely_not_available = lambda: False
    DeviceTensor.is_cuda = property(lambda self: True)
    torch.Tensor.is_cuda = property(lambda self: isinstance(self, DeviceTensor))
    torch.version.cuda = torch.version.cuda or "12.8"
    torch.backends.cudnn.is_acceptable = lambda tensor: False  # cuDNN's kernels do not exist on the CPU
    amp.ask_without_device("cuda")
    _patch_nvtx()
    _patch_profiler()
    torch.Stream, torch.Event = torch.cuda.Stream, torch.cuda.Event
    return torch.cuda


def _patch_nvtx() -> None:
    nvtx = torch.cuda.nvtx
    for name in ("range_push", "range_pop", "mark", "range_start", "range_end"):
        setattr(nvtx, name, lambda *args, **kwargs: 0)


def _patch_profiler() -> None:
    """The profiler (Kineto) would look for a GPU, so its GPU events are left out."""
    original = torch.profiler.profile

    def profile(*, activities: Any = None, **kwargs: Any) -> Any:
        return original(activities=[torch.profiler.ProfilerActivity.CPU], **kwargs)

    torch.profiler.profile = profile
