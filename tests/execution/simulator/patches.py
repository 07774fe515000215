"""The changes that the plugin makes in PyTorch on import, and replacements of PyTorch's C++ code where that code would
give wrong results with simulated tensors."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils import _pytree as pytree
from torch.utils._device import DeviceContext

from . import loading, rng
from .machine import MACHINE, NotSimulated
from .streams import functions as stream_functions
from .tensor import DeviceTensor, names_type_of_device, to_type

_FACTORIES = [
    "empty",
    "zeros",
    "ones",
    "full",
    "rand",
    "randn",
    "randint",
    "randperm",
    "arange",
    "linspace",
    "logspace",
    "eye",
    "tensor",
    "as_tensor",
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "rand_like",
    "randn_like",
    "randint_like",
    "tril_indices",
    "triu_indices",
    "empty_strided",
    "normal",
    "hann_window",
    "hamming_window",
    "scalar_tensor",
    "asarray",
]
_NEW = ["new_empty", "new_zeros", "new_ones", "new_full", "new_tensor"]
_RECURRENT = ["lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"]


def patch() -> None:
    """Apply all patches; a second call does nothing."""
    _patch_moves()
    _patch_factories()
    _patch_recurrent()
    _patch_scripting()
    _patch_pinning()
    _patch_grouping()
    _patch_parallel()
    _patch_accelerator()
    _patch_sharing()
    _patch_distributed()
    loading.patch()
    torch.Generator = rng.GeneratorType("Generator", (), {"__module__": "torch"})
    seed = torch.manual_seed  # this also seeds the simulated device, which uses the same generator
    torch.manual_seed = torch.random.manual_seed = seed
    _patch_conversion()
    if MACHINE.word != "cuda":
        torch.utils.checkpoint.DefaultDeviceType.set_device_type(MACHINE.word)
    activity = torch._C._profiler.ProfilerActivity
    if not hasattr(activity, MACHINE.word.upper()) and MACHINE.word == "musa":
        setattr(activity, MACHINE.word.upper(), activity.PrivateUse1)


def _patch_moves() -> None:
    """`Tensor.npu`, `Tensor.is_npu`, `Module.npu`, `Tensor.to`, `Tensor.type`."""
    word = MACHINE.word

    def move(
        self: torch.Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = torch.preserve_format
    ) -> torch.Tensor:
        return self.to(MACHINE.device(MACHINE.index(device)), non_blocking=non_blocking)

    def module_move(self: torch.nn.Module, device: Any = None) -> torch.nn.Module:
        how = MACHINE.ask("module_move") if device is not None else "any"
        if how == "ignored":
            device = None
        elif how == "index":
            device = torch.device(word, device)  # this raises TypeError for any argument but an int, as the plugin does
        return self._apply(lambda tensor: move(tensor, device))

    def is_on_device(self: torch.Tensor) -> bool:
        return isinstance(self, DeviceTensor)

    setattr(torch.Tensor, word, move)
    setattr(torch.Tensor, f"is_{word}", property(is_on_device))
    setattr(torch.nn.Module, word, module_move)
    torch.Tensor.to = _to(torch.Tensor.to)
    kind = torch.Tensor.type

    def tensor_type(self: torch.Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        if dtype is not None and names_type_of_device(dtype):
            return to_type(self, dtype)
        return kind(self) if dtype is None else kind(self, dtype, non_blocking, **kwargs)

    torch.Tensor.type = tensor_type
    for storage in (torch.UntypedStorage, torch.TypedStorage):
        setattr(storage, word, _not_simulated(f"storage.{word}()"))


def _patch_conversion() -> None:
    """When a module moves, its parameters stay the same objects, as with CUDA; loading copies values into them."""
    original = torch.nn.Module._apply

    def apply(self: torch.nn.Module, *args: Any, **kwargs: Any) -> torch.nn.Module:
        before = torch.__future__.get_swap_module_params_on_conversion()
        torch.__future__.set_swap_module_params_on_conversion(True)
        try:
            return original(self, *args, **kwargs)
        finally:
            torch.__future__.set_swap_module_params_on_conversion(before)

    torch.nn.Module._apply = apply


def _to(original: Callable[..., Any]) -> Callable[..., Any]:
    def to(self: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        device = kwargs.get("device", args[0] if args else None)
        if isinstance(device, DeviceTensor):
            # `.to(other)` also converts to the dtype of `other`, which the wrapper knows
            args = (device.device, device.dtype, *args[1:])
            device = device.device
        if isinstance(device, int) and not isinstance(device, bool):
            device = MACHINE.device(device)
        if not (isinstance(device, (str, torch.device)) and MACHINE.is_device(device)):
            return original(self, *args, **kwargs)
        index = MACHINE.index(device)
        if "device" in kwargs:
            kwargs = {**kwargs, "device": MACHINE.inner(index)}
        else:
            args = (MACHINE.inner(index), *args[1:])
        if isinstance(self, DeviceTensor) and self.ordinal != index:
            self = DeviceTensor(self.host.clone(), index)
        with MACHINE.at(index):
            return original(self, *args, **kwargs)

    return to


def _patch_factories() -> None:
    for name in _FACTORIES:
        setattr(torch, name, _at_device(getattr(torch, name)))
    for name in _NEW:
        setattr(torch.Tensor, name, _at_device(getattr(torch.Tensor, name)))


def _at_device(original: Callable[..., Any]) -> Callable[..., Any]:
    method = hasattr(original, "__objclass__")

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if isinstance(device, int) and not isinstance(device, bool):
            device = MACHINE.device(device)
        elif device is None and args and isinstance(args[0], DeviceTensor):
            device = args[0].device
        elif device is None and not method:
            device = _default_device()
        if isinstance(kwargs.get("generator"), rng.DeviceGenerator):
            kwargs["generator"] = kwargs["generator"].host
        if not (isinstance(device, (str, torch.device)) and MACHINE.is_device(device)):
            return original(*args, **kwargs)
        index = MACHINE.index(device)
        if kwargs.get("device") is not None or not (args and isinstance(args[0], DeviceTensor)):
            kwargs["device"] = MACHINE.inner(index)
        with MACHINE.at(index):
            return original(*args, **kwargs)

    return call


def _default_device() -> torch.device | None:
    """Return the device that `torch.set_default_device` or a `with` block sets, because PyTorch's own mode does not
    know the wrapped factory functions."""
    if torch._C._len_torch_function_stack() == 0:
        return None
    for mode in reversed(_get_current_function_mode_stack()):
        if isinstance(mode, DeviceContext):
            device = torch.device(mode.device)
            return device if MACHINE.is_device(device) else None
    return None


def _patch_recurrent() -> None:
    """Run recurrent cells on the CPU with autograd, because PyTorch would choose fused cells, which exist only for
    CUDA."""
    for name in _RECURRENT:
        setattr(torch._VF, name, _on_host(getattr(torch._VF, name)))


def _on_host(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        ordinals = [leaf.ordinal for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, DeviceTensor)]
        if not ordinals:
            return original(*args, **kwargs)
        MACHINE.trace.append(original.__name__)
        args, kwargs = pytree.tree_map(
            lambda value: value.cpu() if isinstance(value, DeviceTensor) else value, (args, kwargs)
        )
        device = MACHINE.device(ordinals[0])
        out = original(*args, **kwargs)
        return pytree.tree_map(lambda value: value.to(device) if isinstance(value, torch.Tensor) else value, out)

    return call


def _patch_scripting() -> None:
    """Do not script modules: the parameters of a scripted module belong to C++ and cannot become wrappers."""
    script = torch.jit.script

    @functools.wraps(script)
    def keep(obj: Any, *args: Any, **kwargs: Any) -> Any:
        return obj if isinstance(obj, torch.nn.Module) else script(obj, *args, **kwargs)

    torch.jit.script = keep


def _patch_pinning() -> None:
    """Let a CPU tensor report that it is pinned; the simulation has no pinned memory."""
    pinned: weakref.WeakSet[Any] = weakref.WeakSet()

    def pin_memory(self: torch.Tensor, device: Any = None) -> torch.Tensor:
        copy = self.clone()
        pinned.add(copy)
        return copy

    torch.Tensor.pin_memory = pin_memory
    torch.Tensor.is_pinned = lambda self, device=None: any(self is one for one in pinned)


def _patch_parallel() -> None:
    """Replace DataParallel's copies between devices, which PyTorch implements in C++ for CUDA only."""

    def scatter(tensor: torch.Tensor, devices: Any, sizes: Any, dim: int = 0, streams: Any = None) -> Any:
        parts = tensor.split(sizes, dim) if sizes else tensor.chunk(len(devices), dim)
        return tuple(part.to(MACHINE.device(index)) for part, index in zip(parts, devices))

    def gather(tensors: Any, dim: int, destination: int | None) -> torch.Tensor:
        device = torch.device("cpu") if destination == -1 else MACHINE.device(destination)
        return torch.cat([tensor.to(device) for tensor in tensors], dim)

    def broadcast(tensors: Any, devices: Any, size: int = 0) -> Any:
        return [[tensor.to(MACHINE.device(index)) for tensor in tensors] for index in devices]

    torch.cuda.nccl.is_available = lambda tensors: False
    torch._C._scatter, torch._C._gather, torch._C._broadcast_coalesced = scatter, gather, broadcast
    torch._C._broadcast = lambda tensor, devices: [copies[0] for copies in broadcast([tensor], devices)]


def _patch_grouping() -> None:
    """Make optimizers group parameters by the simulated device, because in C++ all parameters are on index 0."""
    group = torch._C._group_tensors_by_device_and_dtype

    def groups(lists: Any, *args: Any) -> dict[Any, Any]:
        found = {}
        for (device, dtype), members in group(lists, *args).items():
            first = next((tensor for many in members[0] for tensor in many if isinstance(tensor, DeviceTensor)), None)
            found[first.device if first is not None else device, dtype] = members
        return found

    torch._C._group_tensors_by_device_and_dtype = groups


def _patch_accelerator() -> None:
    """Let the memory functions of `torch.accelerator` raise an exception if the plugin's version does not support
    them."""
    accelerator, streams = torch.accelerator, stream_functions()

    def of_memory(name: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if not MACHINE.ask("accelerator_memory"):
                raise RuntimeError(f"torch.accelerator.{name}: allocator for {MACHINE.word} is not a DeviceAllocator.")
            return getattr(getattr(torch, MACHINE.word), name)(*args)

        return call

    def set_index(device: Any) -> None:
        MACHINE.current = MACHINE.index(device)

    accelerator.device_count = lambda: MACHINE.devices
    accelerator.is_available = lambda: MACHINE.devices > 0
    accelerator.current_device_index = accelerator.current_device_idx = lambda: MACHINE.current
    accelerator.set_device_index = accelerator.set_device_idx = set_index
    accelerator.synchronize = lambda device=None: None
    accelerator.current_stream = streams["current_stream"]
    accelerator.set_stream = streams["set_stream"]
    accelerator.current_accelerator = lambda check_available=False: torch.device(MACHINE.word)
    for name in [
        "empty_cache",
        "memory_stats",
        "memory_allocated",
        "memory_reserved",
        "max_memory_allocated",
        "max_memory_reserved",
        "reset_peak_memory_stats",
        "reset_accumulated_memory_stats",
    ]:
        setattr(accelerator, name, of_memory(name))


def _patch_sharing() -> None:
    """Let spawned processes receive tensors of the device through shared memory."""
    from multiprocessing.reduction import ForkingPickler

    import torch.multiprocessing.reductions

    def reduce(tensor: DeviceTensor) -> Any:
        host = tensor.host.detach().share_memory_()
        return _rebuilt, (host, tensor.ordinal, tensor.requires_grad, isinstance(tensor, torch.nn.Parameter))

    ForkingPickler.register(DeviceTensor, reduce)


def _rebuilt(host: torch.Tensor, ordinal: int, requires_grad: bool, is_parameter: bool) -> DeviceTensor:
    tensor = DeviceTensor(host, ordinal, requires_grad)
    if is_parameter:
        tensor._is_param = True
    return tensor


def _patch_distributed() -> None:
    """Ignore two options of DistributedDataParallel that make C++ request pinned memory, which a backend in Python
    cannot provide."""
    if not torch.distributed.is_available():
        return
    from torch.nn.parallel import DistributedDataParallel

    start = DistributedDataParallel.__init__

    @functools.wraps(start)
    def init(self: Any, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        on_device = any(isinstance(parameter, DeviceTensor) for parameter in module.parameters())
        if kwargs.get("find_unused_parameters") and on_device:
            raise NotSimulated("DistributedDataParallel(find_unused_parameters=True)")
        kwargs.pop("static_graph", None)
        start(self, module, *args, **kwargs)

    DistributedDataParallel.__init__ = init


def _not_simulated(what: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        raise NotSimulated(what)

    return call
