"""A gated MLP whose operators have CUDA kernels of the project's own."""
import argparse

import torch
import torch.nn as nn

import ops


class GatedMLP(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.side = nn.Linear(8, width, bias=False), nn.Linear(8, width)
        self.bias = nn.Parameter(torch.zeros(width))
        self.weight = nn.Parameter(torch.ones(width))
        self.down = nn.Linear(width, 4)

    def forward(self, x):
        hidden = ops.bias_gelu(self.up(x), self.bias)
        hidden = ops.gate(hidden, self.side(x))
        return self.down(ops.scale(ops.norm(hidden, self.weight), 0.5))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--width", type=int, default=16)
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = GatedMLP(args.width).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    data = torch.Generator().manual_seed(1)
    inputs = torch.randn(64, 8, generator=data).to(device)
    targets = torch.randn(64, 4, generator=data).to(device)
    for step in range(args.steps):
        loss = ops.mean_square(model(inputs) - targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")


if __name__ == "__main__":
    main()
