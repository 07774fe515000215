"""The stand-ins for names that a rule's example does not define: real objects, no mocks."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset

_MOVES = {"to", "type", "npu", "musa"}


class NotRun(Exception):
    """Raised if the example cannot run here, which does not show that the rule is wrong."""


class Context:
    """The uses of the names that an example does not define."""

    def __init__(self, tree: ast.Module, target: str, backend: str) -> None:
        self.tree, self.target, self.backend = tree, target, backend
        nodes = list(ast.walk(tree))
        # Names whose values the example itself moves to a device.
        self.moved = {_moved(node) for node in nodes if isinstance(node, ast.Call)} - {""}
        for node in nodes:
            if isinstance(node, (ast.comprehension, ast.For)) and _root(node.target) in self.moved:
                self.moved.add(_root(node.iter))
        self.fetched = {(_root(node.value), node.attr) for node in nodes if isinstance(node, ast.Attribute)}
        # Names that are called in a `try` which handles the exceptions of these calls, not only a missing module.
        self.tried = {
            _root(call.func)
            for node in nodes
            if isinstance(node, ast.Try) and not any(_is_import_error(handler) for handler in node.handlers)
            for call in ast.walk(ast.Module(node.body, []))
            if isinstance(call, ast.Call)
        }

    @property
    def device(self) -> torch.device:
        return torch.device(self.target, 0)

    def place(self, name: str, value: Any) -> Any:
        """Return a tensor or model on the device where the example expects it: on the CPU if the example moves it,
        otherwise on the accelerator."""
        return value if name in self.moved or not hasattr(torch, self.target) else value.to(self.device)


def make(name: str, context: Context) -> Any:
    """Return the stand-in for a name.

    Raises: NotRun: there is no stand-in.
    """
    if name not in _STANDINS:
        raise NotRun(f"no stand-in for {name}")
    return _STANDINS[name](context)


class Net(torch.nn.Module):
    """A model whose output is a loss."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)

    @property
    def device(self) -> torch.device:
        """The device of the parameters, which a `LightningModule` has, too."""
        return self.linear.weight.device

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.linear(x)
        return found.square().mean()


class Library:
    """A C library whose functions accept a raw handle."""

    def launch(self, handle: int) -> None:
        if type(handle) is not int:
            raise TypeError(f"a handle is an int, not {handle!r}")


class DeepSpeed:
    """The part of DeepSpeed that an example uses: its process group is PyTorch's."""

    def init_distributed(self, dist_backend: str) -> None:
        dist.init_process_group(dist_backend)


def _moved(call: ast.Call) -> str:
    """Return the name whose value a call moves to a device; empty if the call moves none."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _MOVES:
        return ""
    says_where = bool(call.args) or any(keyword.arg == "device" for keyword in call.keywords)
    return _root(call.func.value) if says_where or call.func.attr not in {"to", "type"} else ""


def _is_import_error(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.type, ast.Name) and handler.type.id in {"ImportError", "ModuleNotFoundError"}


def _root(node: ast.AST) -> str:
    """The name that an expression starts with; empty if it starts with something else."""
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            break
    return node.id if isinstance(node, ast.Name) else ""


def _tensor(name: str, *shape: int) -> Callable[[Context], torch.Tensor]:
    return lambda context: context.place(name, torch.randn(*shape))


def _tensors(name: str) -> Callable[[Context], list[torch.Tensor]]:
    return lambda context: [context.place(name, torch.randn(3 - size)) for size in range(3)]


def _y(context: Context) -> torch.Tensor:
    leaf: torch.Tensor = context.place("y", torch.randn(2, 3)).detach().requires_grad_()
    leaf.sum().backward()
    return leaf


def _model(context: Context) -> Any:
    return context.place("model", Net())


def _device_module(context: Context) -> Any:
    return getattr(torch, context.target)


def _handle(context: Context) -> Any:
    wants_event = ("handle", f"{context.target}_event") in context.fetched
    module = _device_module(context)
    return module.Event() if wants_event else module.Stream()


def _step(context: Context) -> Callable[[], None]:
    """Return a training step; if the example catches an exception, the step raises it."""

    x = context.place("step", torch.randn(2, 3)).requires_grad_()

    def step() -> None:
        if "step" in context.tried:
            raise torch.OutOfMemoryError("simulated")
        x.square().sum().backward()

    return step


def _path(_: Context) -> str:
    torch.save({"weight": torch.randn(2, 3)}, "state.pt")
    return "state.pt"


def _arguments(context: Context) -> argparse.Namespace:
    return argparse.Namespace(gpu=0, device="auto", dist_backend=context.backend, backend=context.backend, profile=True)


def _scale(context: Context) -> Any:
    """Return a number; if the example uses `torch.library`, define the operator `mine::scale` and return a kernel for
    it instead."""
    if ("torch", "library") not in context.fetched:
        return 2.0
    torch.library.define("mine::scale", "(Tensor x) -> Tensor")
    return lambda x: x * 2


def _constant(value: Any) -> Callable[[Context], Any]:
    return lambda _: value


_STANDINS: dict[str, Callable[[Context], Any]] = {
    **{name: _tensor(name, 2, 3) for name in ("x", "tensor", "images")},
    **{name: _tensors(name) for name in ("xs", "ys", "outs", "grads", "copies", "batch", "parts")},
    **dict.fromkeys(("rank", "seed"), _constant(0)),
    **dict.fromkeys(("amp", "use_amp", "use_cuda", "use_gpu", "fast", "half"), _constant(True)),
    **dict.fromkeys(("nothing", "skip"), _constant(lambda: None)),
    **dict.fromkeys(("args", "cfg"), _arguments),
    "Net": _constant(Net),
    "model": _model,
    "models": lambda _: [Net(), Net()],
    "layers": lambda _: [Net(), Net()],
    "functions": lambda _: [lambda x: x * 2],
    "y": _y,
    "video": _tensor("video", 2, 3, 4, 4, 4),
    "flag": lambda context: context.place("flag", torch.zeros(1)),
    "states": lambda _: [torch.get_rng_state()] * 2,
    "sources": lambda _: ["ops.cpp"],
    **dict.fromkeys(("cpp", "cuda"), _constant("int one() { return 1; }")),
    "lengths": _constant([2, 2, 1]),
    "data": lambda _: TensorDataset(torch.randn(4, 3)),
    "DataLoader": _constant(DataLoader),
    "device": lambda context: context.device,
    "devices": lambda _: [0, 1],
    "dtype": _constant(torch.bfloat16),
    "stream": lambda context: _device_module(context).Stream(),
    "handle": _handle,
    "library": lambda _: Library(),
    "step": _step,
    "path": _path,
    "parser": lambda _: argparse.ArgumentParser(),
    "backend": lambda context: context.backend,
    "kind": lambda context: context.target,
    "group": _constant(None),
    "deepspeed": lambda _: DeepSpeed(),
    "scale": _scale,
    "command": _constant(["true"]),
}
