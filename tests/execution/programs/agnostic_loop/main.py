"""A training loop on torch.accelerator with one thing that is tuned for CUDA."""
import argparse

import torch
import torch.nn as nn

CHUNKS = {"cuda": 16, "xpu": 8}
LARGEST = max(CHUNKS.values())


def chunk(device):
    """Rows at a time: as tuned, else all of them."""
    if device.type == "cuda":
        return min(CHUNKS[device.type], LARGEST)
    return 1 << 20


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=8)
    args = parser.parse_args()
    device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 20), nn.SiLU(), nn.Linear(20, 3)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    g = torch.Generator().manual_seed(1)
    x = torch.randn(16, 3, generator=g).to(device)
    for step in range(args.steps):
        loss = torch.stack([(model(part) - part).square().sum() for part in x.split(chunk(x.device))]).sum() / 48
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")


if __name__ == "__main__":
    main()
