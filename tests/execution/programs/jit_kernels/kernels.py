"""Triton kernels."""
import torch

from language import triton, tl


@triton.jit
def add_kernel(x, y, out, size: tl.constexpr):
    out[:size] = x[:size] + y[:size]


@triton.jit
def scale_kernel(x, factor, out):
    out.copy_(x * factor)


def fused_add(x, y):
    out = torch.empty_like(x)
    add_kernel[(1,)](x, y, out, x.size(0))
    return out


def scaled(x, factor):
    if x.is_cuda:
        out = torch.empty_like(x)
        scale_kernel[(1,)](x, factor, out)
        return out
    return x * factor
