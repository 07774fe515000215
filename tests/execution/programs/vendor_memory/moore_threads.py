"""Moore Threads' runtime."""
import torch


def empty():
    torch.musa.empty_cache()
