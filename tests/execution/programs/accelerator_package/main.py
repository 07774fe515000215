"""A package with a module for each accelerator, and classes for each."""
import argparse

import torch
import torch.nn as nn

from accelerators import get_accelerator
from samplers import CudaSampler, XpuSampler

ROWS = {"cuda": 64, "xpu": 48, "cpu": 32}
LARGEST = max(ROWS.values())


def rows_for(x):
    return min(ROWS[x.device.type], LARGEST)


def samplers(device):
    """By the device that they draw for."""
    return {"xpu": XpuSampler}.get(device.type, CudaSampler)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--trace", action="store_true", help="load the runtime before anything else, for Nsight")
    args = parser.parse_args()
    if args.trace:
        torch.cuda.cudart()
    accelerator = get_accelerator()
    device = accelerator.device()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    sampler = samplers(device)(5)
    for step in range(args.steps):
        x = sampler.draw(24)
        rows = rows_for(x) if torch.cuda.is_available() else 32
        loss = torch.cat([(model(part) - part.sum(1, keepdim=True)).pow(2) for part in x.split(rows)]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        accelerator.synchronize()
        print(f"step {step} loss {loss.item():.8f}")


if __name__ == "__main__":
    main()
