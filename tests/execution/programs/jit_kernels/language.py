"""Triton where COMPILE_KERNELS=1, else as much of it as the kernels need: one program for the whole array."""
import os

import torch


class Kernel:
    def __init__(self, function):
        self.function = function

    def __getitem__(self, grid):
        torch.cuda.cudart()  # a launch needs the runtime
        return self.function


class triton:
    jit = Kernel


class tl:
    constexpr = int
    maximum = torch.maximum


if os.environ.get("COMPILE_KERNELS", "0") == "1":
    import triton
    import triton.language as tl
