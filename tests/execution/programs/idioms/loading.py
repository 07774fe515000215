"""Loaders, checkpoints and the choice of a device."""
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from registry import idiom, on_gpu

FILE = "idioms_checkpoint.pt"


def dataset():
    return TensorDataset(torch.randn(12, 3, generator=torch.Generator().manual_seed(8)))


def checkpoint(map_location):
    value = torch.arange(4.0)
    torch.save({"w": value.cuda()}, FILE)
    try:
        return torch.load(FILE, map_location=map_location)["w"]
    finally:
        os.remove(FILE)


@idiom
def loader_pinned():
    total = 0.0
    for (x,) in DataLoader(dataset(), batch_size=4, pin_memory=True):
        x = x.cuda(non_blocking=True)
        total += on_gpu(x).pow(2).sum().item()
    return total


@idiom
def loader_options():
    options = {"num_workers": 0, "pin_memory": True} if torch.cuda.is_available() else {}
    assert options
    total = 0.0
    for (x,) in DataLoader(dataset(), batch_size=5, **options):
        total += on_gpu(x.to("cuda", non_blocking=True)).sum().item()
    return total


@idiom
def load_to_string():
    return on_gpu(checkpoint("cuda:0")).sum()


@idiom
def load_to_device():
    return on_gpu(checkpoint(torch.device("cuda"))).sum()


@idiom
def load_to_cpu_then_gpu():
    w = checkpoint("cpu")
    assert not w.is_cuda
    return on_gpu(w.cuda()).sum()


@idiom
def load_by_function():
    return on_gpu(checkpoint(lambda storage, location: storage.cuda(0))).sum()


@idiom
def load_by_table():
    return on_gpu(checkpoint({"cuda:0": f"cuda:{torch.cuda.device_count() - 1}"})).sum()


@idiom
def set_device():
    torch.cuda.set_device(0)
    assert torch.cuda.current_device() == 0
    torch.cuda.set_device(torch.device("cuda:0"))
    return on_gpu(torch.ones(3).cuda()).sum()


@idiom
def device_context():
    with torch.cuda.device(0):
        x = torch.ones(3, device="cuda")
    with torch.cuda.device(torch.device("cuda:0")), torch.cuda.device_of(x):
        y = torch.ones(3).cuda()
    return on_gpu(x, y).dot(y)


@idiom
def device_loop():
    names = [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    assert names and os.environ.get("CUDA_VISIBLE_DEVICES") != ""
    return sum(on_gpu(torch.ones(2, device=name)).sum().item() for name in names) / len(names)


@idiom
def device_by_question():
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 1).to(device)
    return on_gpu(model(dataset()[:][0].to(device))).mean()


@idiom
def device_config():
    class Config:
        device = "cuda"
        seed = 1

    x = torch.ones(3).to(Config.device)
    if Config.device.startswith("cuda"):
        torch.cuda.manual_seed_all(Config.seed)
    assert x.device.type == Config.device
    return on_gpu(x).sum()
