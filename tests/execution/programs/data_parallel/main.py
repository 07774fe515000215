"""nn.DataParallel where there are several GPUs, and wrapped around a single one."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import data_parallel


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 8))
        self.score = nn.Linear(8, 2)

    def forward(self, a, b):
        return self.score((self.features(a) - self.features(b)).abs())


def wrap(model):
    if torch.cuda.device_count() > 1:
        print("using several GPUs")
        model = nn.DataParallel(model).cuda()
    elif torch.cuda.is_available():
        model = model.cuda()
    return model


def wrap_single(model):
    """Keeps the `module.` prefix in checkpoints whatever the number of GPUs."""
    if torch.cuda.is_available():
        model = torch.nn.DataParallel(model, device_ids=[0])
        model.cuda()
    else:
        model = torch.nn.DataParallel(model)
    return model


def wrap_features(model):
    model.features = nn.DataParallel(model.features)
    if torch.cuda.is_available():
        model.cuda()
    return model


def pairs(count, seed):
    g = torch.Generator().manual_seed(seed)
    a = torch.randn(count, 10, generator=g)
    b = torch.randn(count, 10, generator=g)
    same = torch.rand(count, 1, generator=g) < 0.5
    b = torch.where(same, a + 0.1 * b, b)
    return a, b, same.squeeze(1).long()


def fit(name, model, steps, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for step in range(steps):
        a, b, target = pairs(32, step)
        if torch.cuda.is_available():
            a, b, target = a.cuda(), b.cuda(), target.cuda(non_blocking=True)
        loss = F.cross_entropy(model(a, b), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{name} step {step} loss {loss.item():.8f}")
    assert next(model.parameters()).is_cuda == torch.cuda.is_available()
    return model


def fresh():
    torch.manual_seed(0)
    return Siamese()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()

    fit("plain", wrap(fresh()), args.steps, args.lr)
    single = fit("single", wrap_single(fresh()), args.steps, args.lr)
    assert all(key.startswith("module.") for key in single.state_dict())
    print(f"prefixed_keys {len(single.state_dict())}")

    inner = single.module if isinstance(single, nn.DataParallel) else single
    other = fresh()
    other.load_state_dict({key: value.cpu() for key, value in inner.state_dict().items()})
    fit("features", wrap_features(other), 3, args.lr)

    a, b, target = pairs(64, 1000)
    if next(inner.parameters()).is_cuda:
        device_ids = list(range(torch.cuda.device_count()))
        out = data_parallel(inner, (a.cuda(), b.cuda()), device_ids=device_ids)
        target = target.cuda()
    else:
        out = inner(a, b)
    print(f"validation loss {F.cross_entropy(out, target).item():.8f}")
    print(f"accuracy {(out.argmax(1) == target).float().mean().item():.4f}")


if __name__ == "__main__":
    main()
