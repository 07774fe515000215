"""`torch.load` with a `map_location` of the simulated device: tensors are read on the CPU, then moved."""

from __future__ import annotations

import functools
import sys
from typing import Any

import torch

from .machine import MACHINE


class Storage:
    """A stand-in for a storage in `map_location=lambda storage, location: storage.npu(1)`, which records the device."""

    def __init__(self, where: Any = "cpu") -> None:
        self.where = where

    def cpu(self) -> Storage:
        return Storage("cpu")

    def __getattr__(self, name: str) -> Any:
        if name == MACHINE.word or (name == "cuda" and (MACHINE.shimmed or "torchada" in sys.modules)):
            return lambda device=None, *args: Storage(MACHINE.device(MACHINE.index(device)))
        if name == "cuda":
            raise RuntimeError(
                "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False"
            )
        raise AttributeError(name)


def patch() -> None:
    """Replace PyTorch's `torch.load`, because its deserialisers are in C++."""
    original = torch.load

    @functools.wraps(original)
    def load(f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
        if callable(map_location):
            where = map_location(Storage(), f"{MACHINE.word}:0")
            map_location = where.where if isinstance(where, Storage) else "cpu"
        if isinstance(map_location, (str, torch.device)) and MACHINE.is_device(map_location):
            device = MACHINE.device(MACHINE.index(map_location))
            return _move(original(f, "cpu", *args, **kwargs), device, {})
        return original(f, map_location, *args, **kwargs)

    torch.load = torch.serialization.load = load


def _move(value: Any, device: torch.device, seen: dict[int, Any]) -> Any:
    if id(value) in seen:
        return seen[id(value)]
    out = value
    if isinstance(value, torch.nn.Module):
        out = value.to(device)
    elif isinstance(value, torch.Tensor):
        out = value.to(device)
        if isinstance(value, torch.nn.Parameter):
            out = torch.nn.Parameter(out.detach(), value.requires_grad)
    elif isinstance(value, dict):
        for key in list(value):
            value[key] = _move(value[key], device, seen)
    elif isinstance(value, list):
        value[:] = [_move(item, device, seen) for item in value]
    elif type(value) is tuple:
        out = tuple(_move(item, device, seen) for item in value)
    seen[id(value)] = out
    return out
