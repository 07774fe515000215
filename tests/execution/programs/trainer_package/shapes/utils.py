import random

import numpy as np
import torch


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


def get_device(name="cuda"):
    if name.startswith("cuda") and not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device(name)


def describe_device(device):
    if device.type != "cuda":
        return "CPU"
    return f"{torch.cuda.get_device_name(device)} (1 of {torch.cuda.device_count()})"


def to_device(batch, device):
    """Move tensors in dicts, lists and tuples."""
    if torch.is_tensor(batch):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, dict):
        return {k: to_device(v, device) for k, v in batch.items()}
    if isinstance(batch, (list, tuple)):
        return type(batch)(to_device(v, device) for v in batch)
    return batch


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def report_memory(device):
    if device.type == "cuda":
        peak = torch.cuda.max_memory_allocated(device) / 2 ** 20
        print(f"peak memory {peak:.1f} MiB")
        torch.cuda.reset_peak_memory_stats(device)
        torch.cuda.empty_cache()


class AverageMeter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def average(self):
        return self.total / max(1, self.count)
