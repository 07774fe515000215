"""Trains a small image classifier on made-up images, on one CUDA card, on several, or on the CPU.

    python train.py --device 0
    torchrun --nproc-per-node 8 train.py --channels-last
    python train.py --device cpu --epochs 1
"""

import argparse
import os
import time

import torch
from checkpoint import load, memory_report, save
from distributed import default_backend, init, seed_everything, select_device
from grad_norm import grad_norm
from model import build
from torch import nn
from torch.cuda.amp import GradScaler
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="", help="cuda card such as 0 or 0,1, or cpu")
    parser.add_argument("--dist-backend", default=default_backend(), choices=["nccl", "gloo"])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--images", type=int, default=512)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--amp", action="store_true", help="train in mixed precision")
    parser.add_argument("--fused-clip", action="store_true", help="clip gradients with apex")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--checkpoint", default="last.pt")
    return parser.parse_args()


def make_loader(args: argparse.Namespace, device: torch.device, distributed: bool) -> DataLoader:
    images = torch.randn(args.images, 3, 32, 32)
    labels = torch.randint(0, 10, (args.images,))
    dataset = TensorDataset(images, labels)
    sampler = DistributedSampler(dataset) if distributed else None
    pin = device.type == "cuda"
    return DataLoader(dataset, args.batch_size, sampler=sampler, shuffle=sampler is None, pin_memory=pin)


def make_profiler(args: argparse.Namespace, device: torch.device):
    activities = [ProfilerActivity.CPU]
    if device.type == "cuda":
        activities.append(ProfilerActivity.CUDA)
    steps = schedule(wait=1, warmup=1, active=2) if args.profile else lambda step: torch.profiler.ProfilerAction.NONE
    return profile(activities=activities, schedule=steps)


def train_one_epoch(args, model, loader, optimizer, scaler, device, profiler) -> float:
    model.train()
    criterion = nn.CrossEntropyLoss()
    if device.type == "cuda":
        criterion = criterion.cuda()
    total = 0.0
    for images, labels in loader:
        if torch.cuda.is_available() and device.type != "cpu":
            images = images.cuda(non_blocking=True)
            labels = labels.cuda(non_blocking=True)
        if args.channels_last:
            images = images.contiguous(memory_format=torch.channels_last)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device_type=device.type, enabled=args.amp):
            loss = criterion(model(images), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        if args.fused_clip:
            from fused_clip import clip_

            clip_(model.parameters(), max_norm=1.0)
        scaler.step(optimizer)
        scaler.update()
        profiler.step()
        total += loss.item()
    print(f"gradient norm {grad_norm(model.parameters()).item():.3f}")
    return total / len(loader)


@torch.no_grad()
def evaluate(model, loader, device) -> float:
    model.eval()
    correct = seen = 0
    with torch.cuda.amp.autocast(enabled=device.type == "cuda"):
        for images, labels in loader:
            predicted = model(images.to(device)).argmax(dim=1)
            correct += (predicted == labels.to(device)).sum().item()
            seen += labels.numel()
    return correct / seen


def main() -> None:
    args = parse_args()
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    device = select_device(args.device, local_rank)
    distributed = init(args.dist_backend, device)
    seed_everything(args.seed)

    loader = make_loader(args, device, distributed)
    model = build(10, device, args.channels_last)
    if distributed:
        model = DistributedDataParallel(model, device_ids=[local_rank] if device.type == "cuda" else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    scaler = GradScaler(enabled=args.amp and device.type == "cuda")
    first = load(args.checkpoint, model, optimizer, scaler, local_rank)

    with make_profiler(args, device) as profiler:
        for epoch in range(first, args.epochs):
            if distributed:
                loader.sampler.set_epoch(epoch)
            start = time.perf_counter()
            loss = train_one_epoch(args, model, loader, optimizer, scaler, device, profiler)
            if device.type == "cuda":
                torch.cuda.synchronize()
            seconds = time.perf_counter() - start
            accuracy = evaluate(model, loader, device)
            print(f"epoch {epoch}: loss {loss:.3f}, accuracy {accuracy:.3f}, {seconds:.1f} s; {memory_report(device)}")
            if local_rank == 0:
                save(args.checkpoint, model, optimizer, scaler, epoch)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
