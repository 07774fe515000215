"""Scripted modules and functions, for training and inference with TorchScript."""
import os
from typing import List, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


@torch.jit.script
def smooth_loss(logits: Tensor, target: Tensor, smoothing: float) -> Tensor:
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return ((1.0 - smoothing) * nll - smoothing * logp.mean(-1)).mean()


@torch.jit.script
def bias_gelu(bias: Tensor, y: Tensor) -> Tensor:
    x = bias + y
    return x * 0.5 * (1.0 + torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x)))


@torch.jit.script
def decay_mask(steps: int, like: Tensor) -> Tensor:
    # weights of the time steps, on the device of the states; the cumulated sum is in float32 on CUDA
    ones = like.new_ones([steps])
    if like.is_cuda:
        positions = ones.float().cumsum(0).to(like.dtype)
    else:
        positions = ones.cumsum(0)
    return torch.exp(-0.1 * (steps - positions))


class Cell(nn.Module):
    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.weight_x = nn.Parameter(torch.randn(inputs, hidden) * 0.3)
        self.weight_h = nn.Parameter(torch.randn(hidden, hidden) * 0.2)
        self.bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        return torch.tanh(bias_gelu(self.bias, x @ self.weight_x) + h @ self.weight_h)


class Reader(nn.Module):
    """Runs a cell over time and weighs its states; loops like this are why it is scripted."""

    def __init__(self, inputs: int, hidden: int, classes: int):
        super().__init__()
        self.hidden = hidden
        self.cell = Cell(inputs, hidden)
        self.out = nn.Linear(hidden, classes)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        h = x.new_zeros([x.size(1), self.hidden])
        states: List[Tensor] = []
        for t in range(x.size(0)):
            h = self.cell(x[t], h)
            states.append(h)
        mask = decay_mask(x.size(0), h)
        mixed = (torch.stack(states) * mask.view(-1, 1, 1)).sum(0) / mask.sum()
        return self.out(mixed), h

    @torch.jit.export
    def predict(self, x: Tensor) -> Tensor:
        logits, _ = self.forward(x)
        return logits.argmax(-1)


def data(n):
    g = torch.Generator().manual_seed(4)
    x = torch.randn(6, n, 5, generator=g)
    y = (x[:, :, 0].sum(0) > 0).long() + (x[-1, :, 1] > 0).long()
    return x, y


def main():
    torch.manual_seed(0)
    model = torch.jit.script(Reader(5, 12, 3)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    x, y = data(160)
    for step in range(10):
        rows = slice(step * 16, step * 16 + 16)
        logits, _ = model(x[:, rows].to(device))
        loss = smooth_loss(logits, y[rows].to(device), 0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")

    torch.save(model.state_dict(), "reader.pt")
    restored = torch.jit.script(Reader(5, 12, 3).eval())
    restored.load_state_dict(torch.load("reader.pt", map_location="cpu"))
    os.remove("reader.pt")
    if torch.cuda.is_available():
        restored = restored.cuda()
    assert next(restored.parameters()).device.type == device.type
    x, y = x.to(device), y.to(device)
    with torch.no_grad():
        first, second = model(x)[0], restored(x)[0]
        print(f"difference {(first - second).abs().max().item():.6f}")
        print(f"accuracy {(restored.predict(x) == y).float().mean().item():.4f}")
        print(f"final loss {smooth_loss(second, y, 0.0).item():.8f}")


if __name__ == "__main__":
    main()
