"""Operators: the kernels of fused_C for tensors of the GPU, PyTorch for others."""
import torch
import torch.nn.functional as F

import fused_C
from tuned import rms_norm


def _launch(x, y):
    return fused_C.gate(x, y)


def bias_gelu(x, bias):
    if x.is_cuda:
        return fused_C.bias_gelu(x, bias)
    return F.gelu(x + bias)


def scale(x, factor):
    if not x.is_cuda:
        return x * factor
    return fused_C.scale(x, factor)


def gate(x, y):
    if x.is_cuda and y.is_cuda:
        return _launch(x, y)
    return x * torch.sigmoid(y)


def mean_square(x):
    return fused_C.mean_square(x) if x.is_cuda else x.pow(2).mean()


def norm(x, weight, eps=1e-6):
    if x.is_cuda:
        return rms_norm(x, weight, eps)
    return weight * (x * (x.pow(2).mean(-1, keepdim=True) + eps).rsqrt())
