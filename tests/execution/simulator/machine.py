"""The one simulated machine of a process: its devices, the current device, and the operators that ran on them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from .versions import PLUGINS, Behaviour, Plugin

NAMES = Path(__file__).resolve().parents[3] / "server" / "scripts" / "plugin" / "names"


class NotSimulated(NotImplementedError):
    """Raised if a feature of the real plugin is not simulated."""


@dataclass
class Machine:
    """The machine that the process simulates. `word`: the name of the device in Python programs; `backend`: its name in
    PyTorch's C++ code. The two names differ for a simulated `cuda` device, because PyTorch's C++ code reserves the name
    `cuda` for real GPUs."""

    plugin: Plugin
    behaviour: Behaviour
    devices: int
    backend: str
    names: dict[str, dict[str, Any]] = field(default_factory=dict)
    # the names that each module of the plugin sets when it is imported
    on_request: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    current: int = 0
    shimmed: bool = False  # whether a patch maps CUDA's names to the device
    trace: list[str] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)  # names of the plugin's modules that were looked up
    kept: list[Any] = field(default_factory=list)  # objects registered with PyTorch, which must not be deleted

    @property
    def word(self) -> str:
        return self.plugin.target

    def ask(self, fact: str) -> Any:
        """Return the simulated version's answer to a query; the query is recorded, because two versions with the same
        answers run alike."""
        answer = getattr(self.behaviour, fact)
        self.asked[fact] = str(answer)
        return answer

    def device(self, index: int | None = None) -> torch.device:
        """The device as programs see it."""
        return torch.device(self.word, self.current if index is None else index)

    def inner(self, index: int | None = None) -> torch.device:
        """Return the device as PyTorch's C++ sees it."""
        return torch.device(self.backend, self.current if index is None else index)

    def is_device(self, device: Any) -> bool:
        """Whether `device` is the name of a simulated device."""
        if isinstance(device, str):
            device = torch.device(device)
        return isinstance(device, torch.device) and device.type in {self.word, self.backend}

    def index(self, device: Any) -> int:
        """Return the index of a device given as None, an int, a string, a `torch.device` or a device context.

        Raises ValueError for a device of another kind, and RuntimeError if the machine has fewer devices.
        """
        if device is None:
            return self.current
        if isinstance(device, (str, torch.device)):
            device = torch.device(device)
            if not self.is_device(device):
                raise ValueError(f"Expected a {self.word} device, but got: {device}")
            index = self.current if device.index is None else device.index
        elif isinstance(device, int) and not isinstance(device, bool):
            index = self.current if device < 0 else device
        elif hasattr(device, "idx"):
            index = device.idx
        else:
            raise TypeError(f"{device!r} is no device")
        if index >= self.devices:
            raise RuntimeError(f"invalid {self.word} device {index}: the simulated machine has {self.devices}")
        return int(index)

    @contextlib.contextmanager
    def at(self, index: int) -> Iterator[None]:
        """Make a device the current one during the block."""
        before, self.current = self.current, index
        try:
            yield
        finally:
            self.current = before


def _installed() -> Machine:
    if not _MACHINES:
        raise RuntimeError("simulator.install() comes first")
    return _MACHINES[0]


_MACHINES: list[Machine] = []


class _Proxy:
    """A proxy for the machine that `start` creates, because modules are imported before `start` is called."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_installed(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_installed(), name, value)


MACHINE: Machine = _Proxy()  # type: ignore[assignment]


def start(target: str, version: str, devices: int) -> bool:
    """Choose the machine that this process simulates. Return False if an earlier call has chosen it."""
    if _MACHINES:
        return False
    plugin = PLUGINS[target]
    visible = os.environ.get(
        {"npu": "ASCEND_RT_VISIBLE_DEVICES", "musa": "MUSA_VISIBLE_DEVICES"}.get(target, "CUDA_VISIBLE_DEVICES")
    )
    if visible is not None:
        devices = min(devices, sum(part.strip().isdigit() for part in visible.split(",")))
    version = version or list(plugin.versions)[-1]
    machine = Machine(plugin, plugin.versions[version], devices, "simulated" if target == "cuda" else target)
    file = NAMES / f"{target}-{machine.behaviour.version}.json"
    if file.is_file():
        facts = json.loads(file.read_text("utf-8"))
        machine.names, machine.on_request = facts["modules"], facts.get("on_request", {})
    _MACHINES.append(machine)
    return True
