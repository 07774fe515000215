"""Automatic mixed precision: PyTorch's own classes, with the names and parameters of the plugin."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.amp import autocast_mode

from .machine import MACHINE


def namespace() -> dict[str, Any]:
    """The names of `torch.npu.amp`, with the class or function of each."""
    word = MACHINE.word

    class autocast(autocast_mode.autocast):  # noqa: N801 (the plugin's name)
        def __init__(
            self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True
        ) -> None:
            super().__init__(word, enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)

    return {
        "autocast": autocast,
        "GradScaler": _with_dynamic() if MACHINE.ask("scaler_dynamic") else _like_torch(word),
        "amp_definitely_not_available": lambda: MACHINE.devices == 0,
        "custom_fwd": functools.partial(torch.amp.custom_fwd, device_type=word),
        "custom_bwd": functools.partial(torch.amp.custom_bwd, device_type=word),
    }


def ask_without_device(word: str) -> None:
    """Make those functions of torch that use CUDA by default use the simulated accelerator instead."""
    asked, put = torch.is_autocast_enabled, torch.set_autocast_enabled
    torch.is_autocast_enabled = lambda *device: asked(*(device or (word,)))
    torch.set_autocast_enabled = lambda *given: put(*(given if len(given) > 1 else (word, *given)))


def _with_dynamic() -> type:
    class GradScaler(torch.amp.GradScaler):
        """In torch_npu/npu/amp/grad_scaler.py, the fifth parameter is `dynamic`."""

        def __init__(
            self,
            init_scale: float = 2.0**16,
            growth_factor: float = 2.0,
            backoff_factor: float = 0.5,
            growth_interval: int = 2000,
            dynamic: bool = True,
            enabled: bool = True,
        ) -> None:
            if not dynamic:  # the scale stays constant
                growth_factor, backoff_factor = 1.0 + 1e-12, 1.0 - 1e-12
            super().__init__("npu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)

    return GradScaler


def _like_torch(word: str) -> type:
    class GradScaler(torch.amp.GradScaler):
        def __init__(
            self,
            init_scale: float = 2.0**16,
            growth_factor: float = 2.0,
            backoff_factor: float = 0.5,
            growth_interval: int = 2000,
            enabled: bool = True,
        ) -> None:
            super().__init__(word, init_scale, growth_factor, backoff_factor, growth_interval, enabled)

    return GradScaler
