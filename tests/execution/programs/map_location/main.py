"""Checkpoints loaded with torch.load and every form of map_location."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

rank = max(torch.cuda.device_count() - 1, 0)
map_location = None if torch.cuda.is_available() else "cpu"
PATH = "checkpoint.pth"


def make():
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    if torch.cuda.is_available():
        model.cuda()
    return model, torch.optim.Adam(model.parameters(), lr=0.02)


def batch(step, device):
    g = torch.Generator().manual_seed(100 + step)
    x = torch.randn(32, 6, generator=g)
    return x.to(device), (x[:, :2].prod(1, keepdim=True) + x[:, 2:3]).to(device)


def train(model, optimizer, first, count):
    for step in range(first, first + count):
        x, y = batch(step, next(model.parameters()).device)
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        yield loss.item()


def forms():
    """name, map_location, and where the tensors have to be afterwards"""
    yield "none_if_available", map_location, "cuda:0"
    yield "cpu", "cpu", "cpu"
    yield "cpu_device", torch.device("cpu"), "cpu"
    yield "keep", lambda storage, loc: storage, "cpu"
    yield "dict_fstring", {"cuda:0": f"cuda:{rank}"}, f"cuda:{rank}"
    yield "dict_percent", {"cuda:%d" % 0: "cuda:%d" % rank}, "cuda:%d" % rank
    if torch.cuda.is_available():
        yield "string", "cuda:0", "cuda:0"
        yield "device", torch.device("cuda"), f"cuda:{torch.cuda.current_device()}"
        yield "device_index", torch.device("cuda", rank), f"cuda:{rank}"
        yield "function", lambda storage, loc: storage.cuda(), "cuda:0"
        yield "function_rank", lambda storage, loc: storage.cuda(rank), f"cuda:{rank}"
        yield "fstring", f"cuda:{rank}", f"cuda:{rank}"
    else:
        for name in ("string", "device", "device_index", "function", "function_rank", "fstring"):
            yield name, "cpu", "cpu"


def resume(location):
    """Goes on with training from the file, whatever device the tensors were loaded to."""
    checkpoint = torch.load(PATH, map_location=location, weights_only=True)
    where = checkpoint["model"]["0.weight"].device
    model, optimizer = make()
    if where.type == "cuda":
        model.cuda(where)
    else:
        model.cpu()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    assert next(model.parameters()).device == where
    moments = optimizer.state[next(model.parameters())]["exp_avg"]
    assert moments.device == where
    return where, list(train(model, optimizer, checkpoint["step"], 3))


def main():
    model, optimizer = make()
    for step, loss in enumerate(train(model, optimizer, 0, 8)):
        print(f"step {step} loss {loss:.8f}")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 8}, PATH)
    reference = list(train(model, optimizer, 8, 3))
    for step, loss in enumerate(reference, 8):
        print(f"step {step} loss {loss:.8f}")

    for name, location, expected in forms():
        where, losses = resume(location)
        for step, loss in enumerate(losses, 8):
            print(f"{name} step {step} loss {loss:.8f}")
        assert max(abs(a - b) for a, b in zip(losses, reference)) < 1e-4, name
        if torch.cuda.is_available():
            assert str(where) == expected, (name, where, expected)
        print(f"{name} right_place 1")
    os.remove(PATH)


if __name__ == "__main__":
    main()
