"""The interface of the compiled module in plain PyTorch, for machines without nvcc: the same checks, the same results."""
import torch
import torch.nn.functional as F


def _start():
    torch.cuda.cudart()  # as the kernels: there has to be a runtime


def bias_gelu(x, bias):
    _start()
    return F.gelu(x + bias)


def scale(x, factor):
    _start()
    return x * factor


def gate(x, y):
    _start()
    return x * torch.sigmoid(y)


def mean_square(x):
    _start()
    return x.pow(2).mean()
