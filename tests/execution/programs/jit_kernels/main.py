"""Kernels that are compiled while the program runs: an extension by load(), and Triton."""
import argparse

import torch
import torch.nn as nn

from gating import Gate
from kernels import fused_add, scaled


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Linear(6, width), nn.Linear(6, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(Gate.apply(self.a(x), self.b(x))).squeeze(1)


@torch.no_grad()
def smooth(average, values, rate=0.9):
    """The running average of all weights."""
    if values.is_cuda:
        return fused_add(scaled(average, rate), scaled(values, 1 - rate))
    return scaled(average, rate) + scaled(values, 1 - rate)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(3)
    net = Block(12).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(4)
    x = torch.randn(40, 6, generator=g).to(device)
    y = torch.randn(40, generator=g).to(device)
    average = None
    for step in range(args.steps):
        loss = (net(x) - y).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        flat = torch.cat([p.detach().reshape(-1) for p in net.parameters()])
        average = flat if average is None else smooth(average, flat)
        print(f"step {step} loss {loss.item():.7f} average {average.sum().item():.5f}")


if __name__ == "__main__":
    main()
