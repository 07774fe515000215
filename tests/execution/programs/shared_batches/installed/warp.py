"""As much of NVIDIA Warp as the program needs, over PyTorch, for machines without it."""
import torch

DEVICES = ("cpu", "cud" + "a")


def total(values, device):
    if str(device) not in DEVICES:
        raise ValueError(f"unknown device {device}")
    return float(torch.as_tensor(values).sum())
