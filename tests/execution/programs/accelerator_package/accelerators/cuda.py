"""CUDA devices."""
import torch

from .base import Accelerator


class CudaAccelerator(Accelerator):
    @staticmethod
    def is_available():
        return torch.cuda.is_available()

    def device(self):
        return torch.device("cuda")

    def synchronize(self):
        torch.cuda.synchronize()
