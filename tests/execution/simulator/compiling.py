"""`torch.compile` with the plugin's backend for graphs, which generates no code: the function runs unchanged."""

from __future__ import annotations

import functools
from typing import Any

import torch

from .machine import MACHINE


def patch() -> None:
    """Register the plugin's backend of `torch.compile`."""
    original = torch.compile

    @functools.wraps(original)
    def compile_(*args: Any, **kwargs: Any) -> Any:
        graphs = MACHINE.ask("graphs") if "backend" in kwargs else ""
        if graphs and kwargs["backend"] == graphs:
            kwargs["backend"] = "eager"
        return original(*args, **kwargs)

    torch.compile = compile_
