"""Questions for CUDA that are about CUDA itself, around an ordinary training loop."""
import argparse
import unittest

import torch
import torch.nn as nn

import runtime
from places import Kind, fastest, inventory, last, places, resolve
from scaling import make_scaler
from shared import Shared, triple
from tuner import block_of, grant


def in_blocks(x):
    """The rows in blocks of the size that the tuner found for the GPU."""
    if x.is_cuda and torch.version.hip is None:
        size = block_of(x)
    else:
        size = 32
    return torch.cat(list(x.split(size)))


def split(rows):
    """How many rows go where."""
    shares = {"cuda": 0.75, "cpu": 0.25}
    counts = [int(share * rows) for share in shares.values()]
    assert sum(counts) == rows
    return counts


def block_rows(x):
    return block_of(x) if x.device.type in ("cuda", "xpu") else 32


def copies(model):
    return nn.DataParallel(model) if torch.cuda.device_count() > 1 else model


def check_places():
    x = torch.arange(6.0)
    for place in places():
        assert x.to(place).sum().item() == 15
    if fastest() is not Kind.HOST:
        assert x.to(fastest().value).sum().item() == 15
    assert x.to(resolve(0)).sum().item() == 15
    assert triple(Shared().double(x)).sum().item() == 90
    assert x.to(last()).sum().item() == 15
    kind, count = inventory()
    assert x.to(kind if count else "cpu").sum().item() == 15


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=8)
    args = parser.parse_args()

    runtime.start()
    runtime.trace()
    runtime.load()
    tests = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromModule(runtime))
    assert tests.wasSuccessful()
    check_places()

    assert not make_scaler("fp32").is_enabled()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    g = torch.Generator().manual_seed(2)
    x, y = torch.randn(80, 5, generator=g).to(device), torch.randn(80, 1, generator=g).to(device)
    grant(x, num_gpus=1 if torch.cuda.is_available() else 0)
    print(f"rows {block_rows(x) > 0} {split(80)}")
    for step in range(args.steps):
        loss = (model(in_blocks(x)) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")
    with torch.no_grad():
        print(f"mean {copies(model)(x[:4]).mean().item():.5f}")


if __name__ == "__main__":
    main()
