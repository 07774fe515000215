"""Asks the GPU for its properties, to choose a data type and a batch size and to print a summary."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

GIGABYTE = 1024 ** 3


def describe():
    """Lines like those of nvidia-smi."""
    if not torch.cuda.is_available():
        return ["no GPU"]
    lines = []
    for i in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(i)
        lines.append(f"gpu {i}: {torch.cuda.get_device_name(i)}, {properties.total_memory / GIGABYTE:.1f} GB")
        assert properties.name == torch.cuda.get_device_name(torch.device("cuda", i))
    return lines


def supports_bfloat16():
    if not torch.cuda.is_available():
        return True
    return torch.cuda.is_bf16_supported()


def choose_dtype(wanted):
    if wanted == "auto":
        return torch.bfloat16 if supports_bfloat16() else torch.float16
    return {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[wanted]


def choose_batch_size(wanted, bytes_per_sample):
    """As many samples as fit into a tenth of the memory, at most what was asked for."""
    if not torch.cuda.is_available():
        return wanted
    total = torch.cuda.get_device_properties(0).total_memory
    free, total_again = torch.cuda.mem_get_info()
    assert 0 < free <= total_again
    return max(1, min(wanted, int(0.1 * min(total, total_again)) // bytes_per_sample))


class MemoryLog:
    """Peak of the memory between start() and stop()."""

    def __init__(self):
        self.on = torch.cuda.is_available()
        self.peak = 0

    def __enter__(self):
        if self.on:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            self.before = torch.cuda.memory_allocated()
        return self

    def __exit__(self, *_):
        if self.on:
            torch.cuda.synchronize()
            self.peak = torch.cuda.max_memory_allocated() - self.before
            assert torch.cuda.memory_reserved() >= 0 and self.peak >= 0


def fast_matmul():
    """TF32 came with Ampere."""
    if torch.cuda.is_available():
        major, minor = torch.cuda.get_device_capability(0)
        if major >= 8:
            torch.backends.cuda.matmul.allow_tf32 = False  # this model is too small to gain from it
        print(f"capability {major}.{minor}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=24)
    parser.add_argument("--dtype", default="auto", choices=["auto", "float32", "bfloat16", "float16"])
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device(f"cuda:{torch.cuda.current_device()}") if torch.cuda.is_available() else torch.device("cpu")
    for line in describe():
        print(line)
    fast_matmul()
    dtype = choose_dtype(args.dtype)
    batch_size = choose_batch_size(args.batch_size, bytes_per_sample=4 * 10 * 64)
    print(f"batch_size {batch_size}")

    model = nn.Sequential(nn.Linear(10, 32), nn.Softplus(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    g = torch.Generator().manual_seed(3)
    x = torch.randn(args.steps, args.batch_size, 10, generator=g)
    y = (x[..., :4] ** 2).sum(-1, keepdim=True) / 4
    # inputs are kept in the smaller type and widened on the device
    x = x.to(dtype)
    with MemoryLog() as log:
        for step in range(args.steps):
            inputs = x[step, :batch_size].to(device).float()
            loss = F.smooth_l1_loss(model(inputs), y[step, :batch_size].to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"step {step} loss {loss.item():.8f}")
    if log.on:
        assert inputs.is_cuda and log.peak < torch.cuda.get_device_properties(device).total_memory


if __name__ == "__main__":
    main()
