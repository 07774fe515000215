"""A training loop on torch.accelerator, with what two vendors' runtimes have to do themselves."""
import argparse

import torch
import torch.nn as nn

import ascend
import moore_threads

EMPTY = {"npu": ascend.empty, "musa": moore_threads.empty}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
    torch.manual_seed(4)
    model = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(), nn.Linear(8, 1)).to(device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    g = torch.Generator().manual_seed(9)
    x, y = torch.randn(32, 4, generator=g).to(device), torch.randn(32, 1, generator=g).to(device)
    for step in range(args.steps):
        loss = nn.functional.smooth_l1_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")
    if device.type in EMPTY:
        EMPTY[device.type]()


if __name__ == "__main__":
    main()
