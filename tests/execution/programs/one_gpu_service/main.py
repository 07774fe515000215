"""A service on one GPU that trains in a process of its own, told which GPU is its."""
import json
import os
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn

SERVICE_DEVICE = "gpu:0"  # as the scheduler writes it
ALIASES = json.loads((Path(__file__).parent / "aliases.json").read_text())


def start(store):
    backend = "nccl" if dist.is_nccl_available() else "gloo"
    dist.init_process_group(backend, init_method=f"file://{store}", rank=0, world_size=1)
    return 32 if dist.get_backend() == dist.Backend.NCCL else 8


def handles():
    """What native code is given."""
    stream, event = torch.cuda.current_stream().cuda_stream, torch.cuda.Event().cuda_event
    return [stream is not None, event is not None]


def quiet_draw(index):
    """Draws without moving the generators on."""
    with torch.random.fork_rng(devices=[index]):
        return torch.rand(2, device=0).shape


def train(store):
    assert torch.cuda.device_count() == 1
    torch.cuda.set_device(0)
    rows = start(store)
    torch.manual_seed(0)
    model = nn.Conv2d(2, 3, 3, padding=1).to(0)
    kind, _, index = SERVICE_DEVICE.partition(":")
    model = model.to(f"{ALIASES.get(kind, kind)}:{index}")
    model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler(init_scale=256.0)
    assert scaler.is_enabled()
    g = torch.Generator().manual_seed(1)
    for step in range(6):
        x = torch.randn(rows, 2, 5, 5, generator=g).to(0, memory_format=torch.channels_last)
        loss = (model(x).mean(1) - x.sum(1)).square().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        for p in model.parameters():
            dist.all_reduce(p.grad)
        scaler.step(optimizer)
        scaler.update()
        print(f"step {step} loss {loss.item():.7f}", flush=True)
    print(f"handles {all(handles())} shape {tuple(quiet_draw(0))} busy {torch.cuda.is_current_stream_capturing()}")
    dist.destroy_process_group()


def main():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        process = mp.get_context("spawn").Process(target=train, args=(os.path.join(folder, "store"),))
        process.start()
        process.join()
    raise SystemExit(process.exitcode)


if __name__ == "__main__":
    main()
