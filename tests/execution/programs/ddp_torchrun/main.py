"""DistributedDataParallel started by torchrun: torchrun --nproc_per_node=2 main.py"""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class BlobDataset(Dataset):
    """Points around a few centres; the class is the centre."""

    def __init__(self, length=256, features=20, classes=5):
        generator = torch.Generator().manual_seed(0)
        centres = 2.0 * torch.randn(classes, features, generator=generator)
        self.labels = torch.randint(0, classes, (length,), generator=generator)
        self.points = centres[self.labels] + torch.randn(length, features, generator=generator)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.points[index], self.labels[index]


def setup():
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        dist.init_process_group(backend="nccl")
        device = torch.device("cuda", local_rank)
    else:
        dist.init_process_group(backend="gloo")
        device = torch.device("cpu")
    return local_rank, device


def reduce_mean(tensor):
    value = tensor.detach().clone()
    dist.all_reduce(value, op=dist.ReduceOp.SUM)
    return value / dist.get_world_size()


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    counts = torch.zeros(2, device=device)
    for points, labels in loader:
        points, labels = points.to(device), labels.to(device)
        counts[0] += (model(points).argmax(dim=1) == labels).sum()
        counts[1] += labels.numel()
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=16, help="per process")
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()

    local_rank, device = setup()
    rank = dist.get_rank()
    torch.manual_seed(42)

    dataset = BlobDataset()
    sampler = DistributedSampler(dataset, shuffle=True, seed=3)
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler,
                        pin_memory=torch.cuda.is_available())

    model = nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 5))
    model = model.to(device)
    if device.type == "cuda":
        model = DDP(model, device_ids=[local_rank], output_device=local_rank)
    else:
        model = DDP(model)

    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        for step, (points, labels) in enumerate(loader):
            points = points.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            optimizer.zero_grad()
            loss = criterion(model(points), labels)
            loss.backward()
            optimizer.step()
            mean_loss = reduce_mean(loss)
            if rank == 0:
                print(f"epoch {epoch} step {step} loss {mean_loss.item():.8f}", flush=True)
        accuracy = evaluate(model, loader, device)
        if rank == 0:
            print(f"epoch {epoch} accuracy {accuracy:.4f}", flush=True)

    # every process must have ended with the same weights
    checksum = sum(p.detach().double().sum() for p in model.parameters())
    gathered = [torch.zeros_like(checksum) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, checksum)
    assert all(torch.allclose(gathered[0], other) for other in gathered)

    if rank == 0:
        torch.save(model.module.state_dict(), "model.pt")
    dist.barrier()
    state = torch.load("model.pt", map_location={"cuda:0": f"cuda:{local_rank}"})
    model.module.load_state_dict(state)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
