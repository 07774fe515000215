"""Words that name devices and backends for PyTorch, and words that are the program's own."""
import argparse
import json
from pathlib import Path

import torch
import torch.nn as nn

from memory import Stats, all_devices, devices
from transport import Refit

PRESETS = json.loads((Path(__file__).parent / "presets.json").read_text())


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--refit-backend", default="nccl", choices=["nccl", "gloo", "nvshmem"])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


class Generator:
    def __init__(self, template):
        self.model = template
        self.sync_backend = "nccl"
        self.wide = False

    def choose(self, many):
        if many and self.sync_backend != "nvshmem":
            self.wide = True
        return Refit(self.sync_backend)


def main():
    args = parse()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 12), nn.GELU(), nn.Linear(12, 2)).to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=PRESETS.get("cuda")["lr"])
    stats, seen = Stats(), dict.fromkeys(all_devices(), 0)
    g = torch.Generator().manual_seed(7)
    for step in range(args.steps):
        x, y = torch.randn(16, 4, generator=g), torch.randn(16, 2, generator=g)
        stats.add(x)
        x, y = x.to(args.device), y.to(args.device)
        stats.add(x)
        seen[x.device.type] += 1
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")
    refit, other = Refit(args.refit_backend), Generator(model).choose(many=True)
    sent = [len(part) for part in refit.send(list(model.parameters()))]
    print(f"parts {sent} {other.chunk} bytes {sum(stats.report())} batches {sum(seen.values())}")
    for kind in [*devices(), *all_devices()]:
        assert torch.ones(3).to(kind).sum().item() == 3


if __name__ == "__main__":
    main()
