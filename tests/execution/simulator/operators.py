"""Runs operators of the device on the CPU, with the errors and the conversions of the device."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .machine import MACHINE
from .rng import DeviceGenerator
from .tensor import DATA, DeviceTensor

# Operators that accept tensors on the CPU together with tensors on the device.
_MIXED = frozenset(
    [
        "copy_",
        "_to_copy",
        "_copy_from",
        "_copy_from_and_resize",
        "index",
        "index_put_",
        "index_put",
        "_index_put_impl_",
        "_unsafe_index",
        "to",
        "set_",
        "_pack_padded_sequence",
        "_pack_padded_sequence_backward",
        "_foreach_copy_",
        "resize_as_",
        "empty_like",
        "zeros_like",
        "ones_like",
        "_has_compatible_shallow_copy_type",
        "_fused_adam_",
        "_fused_adamw_",
        "_fused_sgd_",
        "_ctc_loss",
        "_ctc_loss_backward",
    ]
)
_TO_PYTHON = frozenset(["_local_scalar_dense", "equal", "is_same_size", "is_nonzero", "item", "allclose"])
# The error messages of operators that are called with a channels_last format; "": the message of all operators that are
# not listed. The error messages in `_REFUSED` were read from the strings in libtorch_npu.so (names/behaviour.toml,
# channels_last).
_REFUSED = {
    "_to_copy": "Only contiguous_format or preserve_format is supported.",
    "clone": "NPU contiguous operator only supported contiguous memory format.",
    "": "Only c10::MemoryFormat::Contiguous is supported for creating a npu tensor",
}
_CHANNELS_LAST = (torch.channels_last, torch.channels_last_3d)


def dispatch(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Run one ATen operator: `func`, called with arguments that contain a `DeviceTensor` or with a simulated device."""
    name = func._schema.name.partition("::")[2]
    leaves = pytree.tree_leaves((args, kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, DeviceTensor)]
    ordinal = tensors[0].ordinal if tensors else None
    to_cpu = False
    if (device := kwargs.get("device")) is not None:
        device = torch.device(device)
        if MACHINE.is_device(device):
            ordinal = MACHINE.index(device)
        else:
            to_cpu = device.type == "cpu"
    if tensors and name not in _MIXED:
        _check_one_device(name, leaves, tensors)
    kwargs = _as_the_device(name, kwargs) if ordinal is not None and not to_cpu else dict(kwargs)
    if kwargs.get("pin_memory"):
        kwargs["pin_memory"] = False
    if ordinal is not None:
        MACHINE.trace.append(name)
    on_host, named = pytree.tree_map(_host, (args, kwargs))
    special = _special(name, args, on_host)
    if special is not None:
        return special[0]
    out = func(*on_host, **named)
    if name in _TO_PYTHON:
        return out
    written = _written(func, args, kwargs)
    if written and out is None:
        return None
    if name == "_pack_padded_sequence":  # the batch sizes of a packed sequence stay on the CPU
        return DeviceTensor(out[0], ordinal or 0), out[1]
    if to_cpu or ordinal is None:
        wrap = functools.partial(_same, written)
    else:
        wrap = functools.partial(_wrapped, func, name, leaves, ordinal, written)
    return pytree.tree_map(wrap, out)


def _check_one_device(name: str, leaves: list[Any], tensors: list[DeviceTensor]) -> None:
    found = {str(tensor.device) for tensor in tensors}
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor) and not isinstance(leaf, DeviceTensor) and leaf.dim() and not leaf.is_meta:
            found.add(str(leaf.device))
    if len(found) > 1:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{' and '.join(sorted(found, reverse=True)[:2])}! (operator {name})"
        )


def _as_the_device(name: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments with which the device runs an operator: without float64, a cast to float64 becomes one to
    float32.

    Raises: RuntimeError: the memory format does not exist on the device.
    """
    kwargs = dict(kwargs)
    if name == "_to_copy" and kwargs.get("dtype") is torch.float64 and kwargs.get("device") is None:
        # if only a dtype is given, the operator is a cast; a tensor that is moved keeps its dtype
        if not MACHINE.ask("float64"):
            kwargs["dtype"] = torch.float32
    if kwargs.get("memory_format") in _CHANNELS_LAST and not MACHINE.ask("channels_last"):
        raise RuntimeError(_REFUSED.get(name, _REFUSED[""]))
    return kwargs


def _host(value: Any) -> Any:
    if isinstance(value, (DeviceTensor, DeviceGenerator)):
        return value.host
    if isinstance(value, torch.device) and MACHINE.is_device(value):
        return torch.device("cpu")
    return value


def _special(name: str, args: Any, on_host: Any) -> tuple[Any] | None:
    """Execute an operator that cannot run on the wrappers' CPU tensors, and return a tuple with its result as the only
    item; None for any other operator, which is not executed."""
    if name in {"_copy_from", "_copy_from_and_resize"}:
        on_host[1].copy_(on_host[0])
        return (args[1],)
    if name == "_has_compatible_shallow_copy_type":
        return (isinstance(args[0], DeviceTensor) and isinstance(args[1], DeviceTensor),)
    if name == "set_" and isinstance(args[0], DeviceTensor):
        if len(args) == 2 and isinstance(args[1], DeviceTensor):
            args[0].data = args[1]
        else:
            args[0].data = DeviceTensor(on_host[0].set_(*on_host[1:]), args[0].ordinal)
        return (args[0],)
    return None


def _written(func: Any, args: Any, kwargs: dict[str, Any]) -> dict[int, DeviceTensor]:
    """Return the wrappers whose CPU tensors the operator wrote to, by the identity of the CPU tensor; the wrappers'
    sizes are updated."""
    if not func._schema.is_mutable:
        return {}
    written: dict[int, DeviceTensor] = {}
    for at, argument in enumerate(func._schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        value = args[at] if at < len(args) else kwargs.get(argument.name)
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(tensor, DeviceTensor):
                written[id(tensor.host)] = tensor
                if _layout(tensor) != _layout(tensor.host):
                    DATA.__set__(tensor, DeviceTensor(tensor.host, tensor.ordinal))
    return written


def _layout(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tensor.shape, tensor.stride(), tensor.dtype, tensor.storage_offset()


def _same(written: dict[int, DeviceTensor], out: Any) -> Any:
    return written.get(id(out), out)


def _wrapped(func: Any, name: str, leaves: list[Any], ordinal: int, written: dict[int, DeviceTensor], out: Any) -> Any:
    if not isinstance(out, torch.Tensor) or isinstance(out, DeviceTensor):
        return out
    if id(out) in written:
        return written[id(out)]
    # the operator works in place, so the result is its argument, perhaps as a new Python object
    if name.endswith("_") and not out.is_meta:
        for tensor in written.values():
            if out.data_ptr() == tensor.host.data_ptr() and out.shape == tensor.host.shape:
                return tensor
    views = any(returned.alias_info is not None for returned in func._schema.returns)
    if views and torch.is_inference_mode_enabled():
        if any(isinstance(leaf, DeviceTensor) and not leaf.is_inference() for leaf in leaves):
            # a view of a normal tensor must be a normal tensor, even in inference mode
            with torch.inference_mode(False):
                return DeviceTensor(out, ordinal)
    return DeviceTensor(out, ordinal)


def register() -> None:
    """Register the functions that run the backend's operators with PyTorch's dispatcher."""
    fallback = torch.library.Library("_", "IMPL")
    fallback.fallback(lambda func, *args, **kwargs: dispatch(func, args, kwargs), "PrivateUse1")
    kernels = torch.library.Library("aten", "IMPL")
    for name in ("empty.memory_format", "empty_strided"):
        kernels.impl(name, functools.partial(_factory, _operator(name)), "PrivateUse1")
    for name in ("_copy_from", "_copy_from_and_resize"):
        kernels.impl(name, functools.partial(_plain, _operator(name)), "PrivateUse1")
    autocast = torch.library.Library("_", "IMPL")
    autocast.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    MACHINE.kept.extend((fallback, kernels, autocast))


def _operator(name: str) -> Any:
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def _factory(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """Create a tensor on the device of the call; index 0 means the current device.

    PyTorch's C++ code passes index 0 here both if Python passed index 0 and if Python passed no index. If Python passed
    an index, the wrapper `patches._at_device` has therefore made this device the current one before the call."""
    device = kwargs.get("device")
    index = torch.device(device).index if device is not None else None
    return dispatch(operator, args, {**kwargs, "device": MACHINE.inner(index or None)})


def _plain(operator: Any, *args: Any, **kwargs: Any) -> Any:
    return dispatch(operator, args, kwargs)
