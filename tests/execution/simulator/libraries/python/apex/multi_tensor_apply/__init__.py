"""`multi_tensor_applier(op, flag, lists, *args)` calls `op(size, flag, lists, *args)`, if amp_C was built."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any


class MultiTensorApply:
    """Raises if apex was built without its CUDA kernels, as in the builds for Ascend and MUSA."""

    available = find_spec("amp_C") is not None

    def __init__(self, chunk_size: int) -> None:
        self.chunk_size = chunk_size

    def __call__(self, op: Any, flag: Any, lists: Any, *args: Any) -> Any:
        if not self.available:
            raise RuntimeError("multi_tensor_applier needs the extensions of apex for CUDA, amp_C among them")
        return op(self.chunk_size, flag, lists, *args)


multi_tensor_applier = MultiTensorApply(2048 * 32)
