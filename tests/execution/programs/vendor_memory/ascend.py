"""Ascend's runtime."""
import torch


def empty():
    torch.npu.empty_cache()
