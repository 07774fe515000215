"""Options as a dataclass, given by position, and helpers that are told a device by its name."""
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Options:
    width: int
    device: str = "cpu"

    @property
    def half(self):
        return self.device == "cuda"


def has_gpu():
    """Whether a tensor can be moved there: what counts is that it works."""
    try:
        torch.ones(1).cuda()
    except (AssertionError, RuntimeError):
        return False
    return True


def resolve(kind, index=0):
    if kind == "cpu":
        return torch.device("cpu")
    if kind == "cuda":
        return torch.device(kind, index)
    raise ValueError(kind)


def batches(options, steps):
    generator = torch.Generator().manual_seed(3)
    for _ in range(steps):
        x = torch.randn(16, options.width, generator=generator)
        yield x.to(options.device), x.sum(1, keepdim=True).to(options.device)


def main():
    torch.manual_seed(0)
    options = Options(6, "cuda") if has_gpu() else Options(6)
    place = resolve("cuda") if has_gpu() else resolve("cpu")
    model = nn.Sequential(nn.Linear(options.width, 12), nn.Tanh(), nn.Linear(12, 1)).to(place)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step, (x, y) in enumerate(batches(options, 10)):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")
    assert options.half == (place.type != "cpu")


if __name__ == "__main__":
    main()
