"""The functions of apex's `amp_C` on simulated CUDA: they compute in float32, and set a flag if a value is not finite.

Source: NVIDIA/apex, csrc/multi_tensor_l2norm_kernel.cu (this kernel sets the flag, too), multi_tensor_scale_kernel.cu,
multi_tensor_axpby_kernel.cu.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from simulator.machine import MACHINE

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def _kernel(function: Kernel) -> Kernel:
    """Count a function as a single operator, whatever operators it calls itself."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        before = len(MACHINE.trace)
        result = function(*args, **kwargs)
        MACHINE.trace[before:] = [function.__name__]
        return result

    return call  # type: ignore[return-value]


@_kernel
def multi_tensor_l2norm(size: int, flag: Any, lists: list[list[Any]], per_tensor: bool = False) -> tuple[Any, Any]:
    """The norm of all tensors of a list, with the shape [1], and, if requested, the norm of each tensor."""
    norms = [tensor.float().norm() for tensor in lists[0]]
    _flag(flag, torch.stack(norms))
    return torch.stack(norms).norm().view(1), torch.stack(norms) if per_tensor else torch.empty(0)


@_kernel
def multi_tensor_scale(size: int, flag: Any, lists: list[list[Any]], scale: float) -> None:
    """Write the scaled first list into the second; set the flag to 1 if a value is not finite."""
    for source, out in zip(*lists):
        _flag(flag, source)
        out.copy_(source.float() * scale)


@_kernel
def multi_tensor_axpby(size: int, flag: Any, lists: list[list[Any]], a: float, b: float, which: int = -1) -> None:
    """Write a times the first list plus b times the second list into the third; `which`: the list whose values are
    checked (-1: both); the flag is set if one is not finite."""
    for x, y, out in zip(*lists):
        for one in (x, y) if which == -1 else ((x, y)[which],):
            _flag(flag, one)
        out.copy_(x.float() * a + y.float() * b)


def _flag(flag: Any, tensor: Any) -> None:
    if not bool(torch.isfinite(tensor).all()):
        flag.fill_(1)
