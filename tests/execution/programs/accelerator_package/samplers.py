"""Draws batches where the device is best at it."""
import torch


class Sampler:
    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def where(self):
        return "cpu"

    def draw(self, rows):
        x = torch.rand(rows, 6, generator=self.generator)
        return x.to(self.where())


class CudaSampler(Sampler):
    def where(self):
        return "cuda" if torch.cuda.is_available() else "cpu"


class XpuSampler(Sampler):
    def where(self):
        return "xpu" if torch.xpu.is_available() else "cpu"
