"""A tensor on the simulated device: a wrapper whose values are in a tensor of the CPU."""

from __future__ import annotations

import collections
from typing import Any

import torch
from typing_extensions import Self

from .machine import MACHINE

TENSOR_TYPES = {
    torch.float32: "FloatTensor",
    torch.float64: "DoubleTensor",
    torch.float16: "HalfTensor",
    torch.bfloat16: "BFloat16Tensor",
    torch.int8: "CharTensor",
    torch.uint8: "ByteTensor",
    torch.int16: "ShortTensor",
    torch.int32: "IntTensor",
    torch.int64: "LongTensor",
    torch.bool: "BoolTensor",
}

# PyTorch's own `data`, which is defined in C++; setting it also changes the size that a DeviceTensor reports.
DATA = torch._C.TensorBase.data


class DeviceTensor(torch.Tensor):
    """`host`: the CPU tensor that contains the values; `ordinal`: the index of the simulated device.

    Views share the memory of `host`, so that views and in-place changes work. Every ATen operator is passed to
    `operators.dispatch`.
    """

    host: torch.Tensor
    ordinal: int

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, host: torch.Tensor, ordinal: int = 0, requires_grad: bool = False) -> Self:
        assert not isinstance(host, DeviceTensor), "wrapped twice"
        tensor = torch.Tensor._make_wrapper_subclass(
            cls,
            host.size(),
            strides=host.stride(),
            storage_offset=host.storage_offset(),
            dtype=host.dtype,
            layout=host.layout,
            device=MACHINE.inner(0),  # in C++ every simulated tensor is on device 0
            requires_grad=requires_grad,
        )
        tensor.host, tensor.ordinal = host, ordinal
        return tensor  # type: ignore[no-any-return]

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from .operators import dispatch

        return dispatch(func, args, kwargs or {})

    @property
    def device(self) -> torch.device:
        return MACHINE.device(self.ordinal)

    def get_device(self) -> int:
        return self.ordinal

    @property
    def data(self) -> torch.Tensor:
        return DATA.__get__(self)

    @data.setter
    def data(self, new: torch.Tensor) -> None:
        if not isinstance(new, DeviceTensor):
            raise RuntimeError(f"set_data: incompatible tensor type ({MACHINE.word} <- {new.device})")  # noqa: TRY004 (as PyTorch)
        DATA.__set__(self, new)
        self.host, self.ordinal = new.host, new.ordinal

    def data_ptr(self) -> int:
        return int(self.host.data_ptr())

    def is_pinned(self, device: Any = None) -> bool:
        return False

    def pin_memory(self, device: Any = None) -> torch.Tensor:
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")

    def is_shared(self) -> bool:
        return True

    def share_memory_(self) -> DeviceTensor:
        self.host.share_memory_()
        return self

    def record_stream(self, stream: Any) -> None:
        pass

    def numpy(self, *, force: bool = False) -> Any:
        if force:
            return self.detach().cpu().numpy()
        raise TypeError(
            f"can't convert {self.device} device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self.numpy()

    def tolist(self) -> Any:
        return self.detach().cpu().tolist()

    def storage(self) -> Any:
        return self.host.storage()

    def untyped_storage(self) -> Any:
        return self.host.untyped_storage()

    def type(self, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        if dtype is None:
            return f"torch.{MACHINE.word}.{TENSOR_TYPES.get(self.dtype, 'Tensor')}"
        return to_type(self, dtype, non_blocking)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        text = repr(self.detach().cpu())
        grad = ", requires_grad=True" if self.is_leaf and self.requires_grad else ""
        return f"{text[:-1]}, device='{self.device}'{grad})"

    def __format__(self, spec: str) -> str:
        return self.item().__format__(spec) if self.dim() == 0 else object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError("Only Tensors created explicitly by the user support the deepcopy protocol")
        new = DeviceTensor(self.host.clone(memory_format=torch.preserve_format), self.ordinal, self.requires_grad)
        if isinstance(self, torch.nn.Parameter):
            new._is_param = True
        new.__dict__.update({name: value for name, value in self.__dict__.items() if name not in {"host", "ordinal"}})
        if self.grad is not None:
            new.grad = self.grad.__deepcopy__(memo)
        memo[id(self)] = new
        return new

    def __reduce_ex__(self, protocol: Any) -> Any:
        if isinstance(self, torch.nn.Parameter):
            plain = DeviceTensor(self.host.detach(), self.ordinal)
            return (torch._utils._rebuild_parameter, (plain, self.requires_grad, collections.OrderedDict()))
        arguments = (self.host.detach(), self.dtype, str(self.device), self.requires_grad)
        return (torch._utils._rebuild_device_tensor_from_cpu_tensor, arguments)


def names_type_of_device(dtype: Any) -> bool:
    """Whether `.type(dtype)` names a tensor type of the device, as a class or as a string."""
    if isinstance(dtype, torch.dtype):
        return False
    named = dtype if isinstance(dtype, str) else f"{getattr(dtype, '__module__', '')}.{getattr(dtype, '__name__', '')}"
    return named.startswith(f"torch.{MACHINE.word}.")


def to_type(tensor: torch.Tensor, dtype: Any, non_blocking: bool = False) -> torch.Tensor:
    """`tensor.type(dtype)`.

    Raises:
        TypeError: the type is that of another accelerator.
    """
    if isinstance(dtype, torch.dtype):
        return tensor.to(dtype)
    name = dtype if isinstance(dtype, str) else f"{dtype.__module__}.{dtype.__name__}"
    if names_type_of_device(dtype):
        device: Any = MACHINE.device()
    elif name.startswith("torch.cuda."):
        raise TypeError(f"type {name} not available. Torch not compiled with CUDA enabled.")
    else:
        device = "cpu"
    kinds = {word: kind for kind, word in TENSOR_TYPES.items()}
    return tensor.to(device, kinds[name.rpartition(".")[2]])
