"""Saving and restoring the state of the random number generators of the CPU and of CUDA."""
import os
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def get_rng_states():
    states = {
        "python": random.getstate(),
        "numpy": np.random.get_state(),
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.get_rng_state()
        states["cuda_all"] = torch.cuda.get_rng_state_all()
    return states


def set_rng_states(states):
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])
    torch.set_rng_state(states["torch"])
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all(states["cuda_all"])
        torch.cuda.set_rng_state(states["cuda"], device="cuda")


def draw():
    """One number of every source."""
    return [
        random.random(),
        float(np.random.rand()),
        torch.rand(1).item(),
        torch.rand(1, device=device).item(),
        torch.randn(3, device=device).sum().item(),
    ]


def check_repeats():
    seed_all(123)
    first = draw()
    states = get_rng_states()
    second = draw()
    assert first != second
    set_rng_states(states)
    assert draw() == second
    seed_all(123)
    assert draw() == first
    print("repeats 1")


def check_fork():
    devices = [torch.cuda.current_device()] if torch.cuda.is_available() else []
    seed_all(9)
    expected = torch.rand(4, device=device)
    seed_all(9)
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(1)
        torch.rand(100)
        torch.rand(100, device=device)
    assert torch.equal(torch.rand(4, device=device), expected)
    print("fork 1")


def check_generator():
    generator = torch.Generator(device=device)
    generator.manual_seed(77)
    state = generator.get_state()
    a = torch.rand(5, device=device, generator=generator)
    generator.set_state(state)
    b = torch.rand(5, device=device, generator=generator)
    assert torch.equal(a, b)
    assert generator.initial_seed() == 77
    print("generator 1")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 40)
        self.fc2 = nn.Linear(40, 2)

    def forward(self, x):
        x = F.dropout(F.relu(self.fc1(x)), p=0.3, training=self.training)
        return self.fc2(x)


def train(model, optimizer, x, y, steps, label):
    losses = []
    for step in steps:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        print(f"{label} step {step} loss {loss.item():.8f}")
    return losses


def main():
    check_repeats()
    check_fork()
    check_generator()

    generator = torch.Generator().manual_seed(0)
    x = torch.randn(64, 10, generator=generator)
    y = (x[:, 0] > x[:, 1]).long()
    x, y = x.to(device), y.to(device)

    seed_all(2024)
    model = Net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    train(model, optimizer, x, y, range(0, 6), "first")
    rng = get_rng_states()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": rng}, "state.pth")
    wanted = train(model, optimizer, x, y, range(6, 14), "second")

    # map_location has to be the CPU here: states of generators are byte tensors of the CPU
    saved = torch.load("state.pth", map_location="cpu", weights_only=False)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    set_rng_states(saved["rng"])
    again = train(model, optimizer, x, y, range(6, 14), "again")
    assert again == wanted
    print("same_curve 1")
    os.remove("state.pth")


if __name__ == "__main__":
    main()
