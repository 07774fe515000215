"""XPU devices."""
import torch

from .base import Accelerator


class XpuAccelerator(Accelerator):
    @staticmethod
    def is_available():
        return torch.xpu.is_available()

    def device(self):
        return torch.device("xpu")

    def synchronize(self):
        torch.xpu.synchronize()
