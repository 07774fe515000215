"""DistributedDataParallel with processes started by torch.multiprocessing.spawn."""
import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

WORLD_SIZE = 2
STEPS = 20


def find_free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def setup(rank, world_size, port):
    os.environ["MASTER_ADDR"] = "127.0.0.1"
    os.environ["MASTER_PORT"] = str(port)
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, rank=rank, world_size=world_size)


def cleanup():
    dist.destroy_process_group()


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 24)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(24, 5)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def make_batches(rank):
    # every rank has its own part of the data, the rule behind it is common
    rule = torch.randn(10, 5, generator=torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(100 + rank)
    for _ in range(STEPS):
        x = torch.randn(16, 10, generator=generator)
        yield x, torch.sin(0.3 * x @ rule)


def run(rank, world_size, port):
    setup(rank, world_size, port)
    use_cuda = torch.cuda.is_available()
    if use_cuda:
        torch.cuda.set_device(rank)

    torch.manual_seed(rank)  # DDP sends the weights of rank 0 to the others
    model = ToyModel()
    if use_cuda:
        model = model.cuda(rank)
        ddp_model = DistributedDataParallel(model, device_ids=[rank])
    else:
        ddp_model = DistributedDataParallel(model)
    optimizer = torch.optim.Adam(ddp_model.parameters(), lr=0.03)

    for step, (inputs, targets) in enumerate(make_batches(rank)):
        if use_cuda:
            inputs = inputs.cuda(rank, non_blocking=True)
            targets = targets.cuda(rank, non_blocking=True)
        optimizer.zero_grad()
        loss = F.mse_loss(ddp_model(inputs), targets)
        loss.backward()
        optimizer.step()

        total = loss.detach().clone()
        dist.reduce(total, dst=0, op=dist.ReduceOp.SUM)
        if rank == 0:
            print(f"step {step} loss {total.item() / world_size:.8f}", flush=True)

    if use_cuda:
        torch.cuda.synchronize()

    # weights are equal everywhere
    for name, parameter in ddp_model.module.named_parameters():
        reference = parameter.detach().clone()
        dist.broadcast(reference, src=0)
        assert torch.equal(reference, parameter), name
    if rank == 0:
        print("weights_equal 1", flush=True)
    cleanup()


def main():
    if torch.cuda.is_available():
        n_gpus = torch.cuda.device_count()
        assert n_gpus >= WORLD_SIZE, f"Requires at least {WORLD_SIZE} GPUs to run, but got {n_gpus}"
    mp.spawn(run, args=(WORLD_SIZE, find_free_port()), nprocs=WORLD_SIZE, join=True)


if __name__ == "__main__":
    main()
