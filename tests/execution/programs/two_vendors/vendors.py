"""Ascend's side."""
from importlib.util import find_spec

import torch


def is_npu_available():
    if find_spec("torch_npu") is None:
        return False
    import torch_npu  # noqa: F401

    return torch.npu.is_available()
