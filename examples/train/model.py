"""A small residual network for 32x32 images."""

import torch
from torch import Tensor, nn


@torch.jit.script
def swish(x: Tensor) -> Tensor:
    return x * torch.sigmoid(x)


class Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        return swish(x + self.norm(self.second(swish(self.first(x)))))


class Net(nn.Module):
    def __init__(self, classes: int, channels: int = 32, depth: int = 3) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.blocks = nn.Sequential(*(Block(channels) for _ in range(depth)))
        self.head = nn.Linear(channels, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.blocks(self.stem(x))
        return self.head(x.mean(dim=(2, 3)))


def build(classes: int, device: torch.device, channels_last: bool) -> nn.Module:
    model = Net(classes).to(device)
    if channels_last:
        model = model.to(memory_format=torch.channels_last)
    return model
