"""Which hardware is there: Ascend NPU, NVIDIA GPU or only the CPU."""
import functools
import random

import numpy as np
import torch

try:
    import torch_npu  # noqa: F401
    from torch_npu.npu import amp as npu_amp  # noqa: F401
    HAS_TORCH_NPU = True
except ImportError:
    HAS_TORCH_NPU = False


@functools.lru_cache(maxsize=None)
def is_npu_available():
    return HAS_TORCH_NPU and hasattr(torch, "npu") and torch.npu.is_available()


def is_cuda_available():
    return torch.cuda.is_available()


def get_device(index=0):
    if is_npu_available():
        return torch.device(f"npu:{index}")
    elif is_cuda_available():
        return torch.device(f"cuda:{index}")
    return torch.device("cpu")


def get_backend():
    if is_npu_available():
        return "hccl"
    elif is_cuda_available():
        return "nccl"
    return "gloo"


def set_device(device):
    if device.type == "npu":
        torch.npu.set_device(device)
    elif device.type == "cuda":
        torch.cuda.set_device(device)


def seed(value):
    random.seed(value)
    np.random.seed(value)
    torch.manual_seed(value)
    if is_npu_available():
        torch.npu.manual_seed_all(value)
    elif is_cuda_available():
        torch.cuda.manual_seed_all(value)


def synchronize():
    if is_npu_available():
        torch.npu.synchronize()
    elif is_cuda_available():
        torch.cuda.synchronize()


def empty_cache():
    if is_npu_available():
        torch.npu.empty_cache()
    if is_cuda_available():
        torch.cuda.empty_cache()


def on_device(tensor):
    return tensor.device.type in ("cuda", "npu")
