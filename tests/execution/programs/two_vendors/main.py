"""A program for two vendors: the GPU's and Ascend's."""
import argparse

import torch
import torch.nn as nn

from device import get_device
from seeds import seed_all
from tiles import tile, warm_up


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    seed_all(3)
    device = get_device()
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 4)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    g = torch.Generator().manual_seed(6)
    x = torch.randn(16, 4, generator=g).to(device)
    warm_up(x)
    for step in range(args.steps):
        loss = torch.stack([(model(part) - part).abs().sum() for part in x.split(tile(x))]).sum() / 64
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")


if __name__ == "__main__":
    main()
