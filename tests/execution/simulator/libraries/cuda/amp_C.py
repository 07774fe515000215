"""What apex's `amp_C` computes, on the machine that plays CUDA: in float32, with a flag for what is not finite.

Source: NVIDIA/apex, csrc/multi_tensor_l2norm_kernel.cu (the norm sets the flag, too), multi_tensor_scale_kernel.cu,
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
    """A kernel is one operator, whatever it is made of here."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        before = len(MACHINE.trace)
        result = function(*args, **kwargs)
        MACHINE.trace[before:] = [function.__name__]
        return result

    return call  # type: ignore[return-value]


@_kernel
def multi_tensor_l2norm(size: int, flag: Any, lists: list[list[Any]], per_tensor: bool = False) -> tuple[Any, Any]:
    """The norm of all tensors of a list, of shape [1], and those of each, or nothing."""
    norms = [tensor.float().norm() for tensor in lists[0]]
    _flag(flag, torch.stack(norms))
    return torch.stack(norms).norm().view(1), torch.stack(norms) if per_tensor else torch.empty(0)


@_kernel
def multi_tensor_scale(size: int, flag: Any, lists: list[list[Any]], scale: float) -> None:
    """The second list becomes the first, scaled; the flag becomes 1 where a value is not finite."""
    for source, out in zip(*lists):
        _flag(flag, source)
        out.copy_(source.float() * scale)


@_kernel
def multi_tensor_axpby(size: int, flag: Any, lists: list[list[Any]], a: float, b: float, which: int = -1) -> None:
    """The third list becomes a times the first and b times the second; `which` of them is looked at for the flag."""
    for x, y, out in zip(*lists):
        for one in (x, y) if which == -1 else ((x, y)[which],):
            _flag(flag, one)
        out.copy_(x.float() * a + y.float() * b)


def _flag(flag: Any, tensor: Any) -> None:
    if not bool(torch.isfinite(tensor).all()):
        flag.fill_(1)
