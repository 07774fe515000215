"""The accelerators that the program knows."""
from .cpu import CpuAccelerator
from .cuda import CudaAccelerator
from .xpu import XpuAccelerator


def get_accelerator():
    for kind in (CudaAccelerator, XpuAccelerator):
        if kind.is_available():
            return kind()
    return CpuAccelerator()
