"""Hand-written CUDA kernels with a PyTorch way where they are not built."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from my_ops import leaky_gate, neighbours, segment_mean


class PointNet(nn.Module):
    def __init__(self, width=16, classes=3):
        super().__init__()
        self.lift = nn.Linear(3, width)
        self.mix, self.gate = nn.Linear(2 * width, width), nn.Linear(2 * width, width)
        self.out = nn.Linear(width, classes)

    def forward(self, points, cloud, clouds):
        x = torch.tanh(self.lift(points))
        near = x[neighbours(points + 100.0 * cloud.unsqueeze(1), 4)].mean(1)
        x = torch.cat([x, near], dim=1)
        x = leaky_gate(self.mix(x), self.gate(x))
        return self.out(segment_mean(x, cloud, clouds))


def make_clouds(count, points, seed):
    g = torch.Generator().manual_seed(seed)
    label = torch.randint(0, 3, (count,), generator=g)
    stretch = torch.eye(3)[label] * 2.0 + 0.5
    xyz = torch.randn(count, points, 3, generator=g) * stretch.unsqueeze(1)
    return xyz.view(-1, 3), torch.arange(count).repeat_interleave(points), label


def check_gradient(device):
    g = torch.Generator().manual_seed(9)
    x = torch.randn(6, 5, generator=g).to(device).requires_grad_()
    gate = torch.randn(6, 5, generator=g).to(device).requires_grad_()
    leaky_gate(x, gate, 0.2).square().sum().backward()
    y = x.detach().clone().requires_grad_()
    (F.leaky_relu(y, 0.2) * torch.sigmoid(gate.detach())).square().sum().backward()
    error = (x.grad - y.grad).abs().max().item()
    assert error < 1e-5 and gate.grad is not None, error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--clouds", type=int, default=8)
    parser.add_argument("--points", type=int, default=12)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device(args.device)
    check_gradient(device)
    model = PointNet().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for step in range(args.steps):
        points, cloud, label = (t.to(device) for t in make_clouds(args.clouds, args.points, step))
        loss = F.cross_entropy(model(points, cloud, args.clouds), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")
    points, cloud, label = (t.to(device) for t in make_clouds(24, args.points, 500))
    with torch.no_grad():
        hits = model(points, cloud, 24).argmax(1) == label
    print(f"accuracy {hits.float().mean().item():.4f}")


if __name__ == "__main__":
    main()
