"""Distillation of a small classifier; devices come from options, settings files and the environment."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

import devices
from constants import CLASSES, DEVICE_CHOICES, FEATURES
from settings import load_json, load_simple_yaml


def get_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="auto", choices=DEVICE_CHOICES, help="device of the student")
    parser.add_argument("--gpu", type=int, default=None, help="number of a GPU, instead of --device")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def mlp(hidden):
    return nn.Sequential(nn.Linear(FEATURES, hidden), nn.Tanh(), nn.Linear(hidden, CLASSES))


def make_data(seed, count=256):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, FEATURES, generator=generator)
    rule = torch.randn(FEATURES, CLASSES, generator=torch.Generator().manual_seed(77))
    return x, (x @ rule).argmax(dim=1)


def train_teacher(section, runtime, x, y, fallback):
    device = devices.from_config(section, fallback)
    model = mlp(section["hidden"]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=runtime["lr"])
    for step in range(section["steps"]):
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"teacher step {step} loss {loss.item():.8f}")
    return model, device


def distill(section, runtime, teacher, teacher_device, x, device):
    student = mlp(section["hidden"]).to(device)
    optimizer = torch.optim.Adam(student.parameters(), lr=runtime["lr"])
    size, t = runtime["batch_size"], runtime["temperature"]
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(5)).to(x.device)
    for step in range(section["steps"]):
        start = step * size % len(x)
        batch = x[order[start:start + size]]
        with torch.no_grad():
            wanted = F.softmax(teacher(batch.to(teacher_device)) / t, dim=1).to(device)
        got = F.log_softmax(student(batch.to(device)) / t, dim=1)
        loss = F.kl_div(got, wanted, reduction="batchmean") * t * t
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"student step {step} loss {loss.item():.8f}")
    return student


@torch.no_grad()
def accuracy(model, x, y):
    device = devices.from_environment()
    model = model.to(device).eval()
    return (model(x.to(device)).argmax(1) == y.to(device)).float().mean().item()


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    models, runtime = load_json("models.json"), load_simple_yaml("runtime.yaml")

    student_device = devices.from_option(args.device, args.gpu)
    devices.activate(student_device)
    data_device = devices.usable(runtime["data_device"])

    x, y = make_data(1)
    if runtime["pin_memory"] and torch.cuda.is_available():
        x, y = x.pin_memory(), y.pin_memory()
    x, y = x.to(data_device, non_blocking=True), y.to(data_device, non_blocking=True)

    teacher, teacher_device = train_teacher(models["teacher"], runtime, x, y, student_device)
    student = distill(models["student"], runtime, teacher, teacher_device, x,
                      devices.from_config(models["student"], student_device))

    test_x, test_y = make_data(2, 128)
    print(f"teacher_accuracy {accuracy(teacher, test_x, test_y):.4f}")
    print(f"student_accuracy {accuracy(student, test_x, test_y):.4f}")


if __name__ == "__main__":
    main()
