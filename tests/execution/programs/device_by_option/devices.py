"""Where a model or the data should live."""
import os

import torch

from constants import CPU, CUDA, DEFAULT_DEVICE, ENV_DEVICE


def usable(name):
    """The device of that name, or the CPU (with a word) if there is no GPU."""
    device = torch.device(name)
    if device.type == CUDA and not torch.cuda.is_available():
        return torch.device(CPU)
    return device


def from_option(option, gpu=None):
    """--gpu wins over --device; "auto" means the default."""
    if gpu is not None and gpu >= 0:
        return usable(f"cuda:{gpu}")
    if option == "auto":
        return torch.device(DEFAULT_DEVICE)
    return usable(option)


def from_config(section, fallback):
    name = section.get("device")
    return usable(name) if name else fallback


def from_environment():
    return usable(os.environ.get(ENV_DEVICE, "cuda"))


def activate(device):
    if device.type == "cuda":
        index = device.index if device.index is not None else torch.cuda.current_device()
        torch.cuda.set_device(index)
        torch.backends.cudnn.benchmark = False
