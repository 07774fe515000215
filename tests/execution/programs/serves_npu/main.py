"""Project that serves Ascend NPUs beside NVIDIA GPUs."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from platform_utils import (empty_cache, get_backend, get_device, is_cuda_available, is_npu_available, on_device, seed,
                            set_device, synchronize)

device = "cpu"
if is_npu_available():
    device = "npu:0"
elif torch.cuda.is_available():
    device = "cuda:0"

AUTOCAST = {"npu": torch.float16, "cuda": torch.float16, "cpu": torch.bfloat16}


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        weights = (q @ k.transpose(-1, -2) / q.size(-1) ** 0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class Tagger(nn.Module):
    def __init__(self, words=20, size=16, tags=3):
        super().__init__()
        self.embedding, self.attention = nn.Embedding(words, size), Attention(size, 2)
        self.norm, self.out = nn.LayerNorm(size), nn.Linear(size, tags)

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.out(self.norm(x + self.attention(x)))


def reduced(value):
    """Mean over all processes."""
    if dist.is_available() and dist.is_initialized():
        value = value.detach().clone()
        dist.all_reduce(value)
        value /= dist.get_world_size()
    return value.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--amp", action="store_true")
    parser.add_argument("--distributed", action="store_true")
    args = parser.parse_args()

    seed(0)
    place = get_device(int(os.environ.get("LOCAL_RANK", 0)))
    set_device(place)
    assert str(place) == device
    if args.distributed:
        store = os.path.abspath("rendezvous")
        dist.init_process_group(get_backend(), init_method=f"file://{store}", rank=0, world_size=1)
    model = Tagger().to(place)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    g = torch.Generator().manual_seed(1)
    for step in range(args.steps):
        tokens = torch.randint(0, 20, (16, 8), generator=g)
        tags = ((tokens + tokens.roll(1, 1)) % 3).to(place)
        with torch.autocast(place.type, dtype=AUTOCAST[place.type], enabled=args.amp):
            loss = F.cross_entropy(model(tokens.to(place)).float().flatten(0, 1), tags.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {reduced(loss):.8f}")
    synchronize()
    accelerated = on_device(next(model.parameters()))
    assert accelerated == (is_npu_available() or is_cuda_available())
    empty_cache()
    if args.distributed:
        print(f"world {dist.get_world_size()}")
        dist.destroy_process_group()
        if os.path.exists(store):
            os.remove(store)


if __name__ == "__main__":
    main()
