"""The accelerator of this machine. Older PyTorch has no torch.accelerator: there it is CUDA or nothing."""
import contextlib

import torch

HAS_API = hasattr(torch, "accelerator")


def current():
    if HAS_API:
        return torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def count():
    if HAS_API:
        return torch.accelerator.device_count()
    return torch.cuda.device_count()


def synchronize():
    if HAS_API:
        if torch.accelerator.is_available():
            torch.accelerator.synchronize()
    elif torch.cuda.is_available():
        torch.cuda.synchronize()


@contextlib.contextmanager
def side_stream(device):
    """Runs the block on a stream of its own; what it did is done afterwards."""
    if device.type == "cpu":
        yield None
    elif HAS_API:
        side = torch.Stream(device=device)
        with side:
            yield side
        side.synchronize()
    else:
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            yield side
        side.synchronize()
