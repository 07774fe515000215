"""Random numbers of the device: they come from the CPU's generator, so that a run on the CPU with the same seed gets
the same numbers."""

from __future__ import annotations

from typing import Any

import torch

from .machine import MACHINE

CPU_GENERATOR = torch.Generator


class DeviceGenerator:
    """`torch.Generator(device="npu")`."""

    def __init__(self, device: Any) -> None:
        self.device = MACHINE.device(MACHINE.index(device))
        self.host = CPU_GENERATOR()

    def manual_seed(self, seed: int) -> DeviceGenerator:
        self.host.manual_seed(seed)
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.host, name)


class GeneratorType(type):
    """The class that programs see as `torch.Generator`."""

    def __call__(cls, device: Any = "cpu") -> Any:
        return DeviceGenerator(device) if MACHINE.is_device(device) else CPU_GENERATOR(device=device)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (CPU_GENERATOR, DeviceGenerator))


def functions() -> dict[str, Any]:
    """The runtime's functions for random numbers, by name."""
    generator = torch.random.default_generator

    def seed(value: int) -> None:
        generator.manual_seed(int(value))

    def set_state(state: torch.Tensor, device: Any = None) -> None:
        MACHINE.index(device)
        torch.random.set_rng_state(state.cpu())

    def get_state(device: Any = None) -> torch.Tensor:
        MACHINE.index(device)
        return torch.random.get_rng_state()

    return {
        "default_generators": (generator,) * MACHINE.devices,
        "manual_seed": seed,
        "manual_seed_all": seed,
        "seed": torch.random.seed,
        "seed_all": torch.random.seed,
        "initial_seed": torch.random.initial_seed,
        "get_rng_state": get_state,
        "set_rng_state": set_state,
        "get_rng_state_all": lambda: [torch.random.get_rng_state()] * MACHINE.devices,
        "set_rng_state_all": lambda states: torch.random.set_rng_state(states[MACHINE.current].cpu()),
    }
