"""Where the program runs."""
import torch

from vendors import is_npu_available


def get_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    elif is_npu_available():
        return torch.device("npu")
    return torch.device("cpu")
