"""Data-parallel training by hand on a module of helpers for torch.distributed."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

import dist_utils


def shard(step, size):
    """This process's part of the batch."""
    g = torch.Generator().manual_seed(step)
    x = torch.randn(size * dist_utils.get_world_size(), 6, generator=g)
    y = torch.sin(x).sum(1, keepdim=True)
    rows = slice(dist_utils.get_rank() * size, (dist_utils.get_rank() + 1) * size)
    return x[rows], y[rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()

    device = dist_utils.setup()
    world = dist_utils.get_world_size()
    settings = dist_utils.broadcast_object({"lr": 0.05, "momentum": 0.9} if dist_utils.is_main() else None)
    torch.manual_seed(dist_utils.get_rank())  # different weights until they are broadcast
    model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1)).to(device)
    dist_utils.broadcast_parameters(model)
    optimizer = torch.optim.SGD(model.parameters(), **settings)

    for step in range(args.steps):
        x, y = shard(step, args.batch_size)
        x, y = x.to(device), y.to(device)
        out = model(x)
        loss = F.mse_loss(out, y)
        optimizer.zero_grad()
        loss.backward()
        dist_utils.average_gradients(model.parameters())
        optimizer.step()
        metrics = dist_utils.reduce_metrics({"loss": loss.item(), "error": (out - y).abs().mean().item()})
        if dist_utils.is_main():
            print(f"step {step} loss {metrics['loss']:.8f}", flush=True)
            print(f"step {step} error {metrics['error']:.6f}", flush=True)

    predictions = dist_utils.gather_tensors(out.detach())
    assert predictions.shape == (world * args.batch_size, 1) and predictions.device.type == device.type
    reports = dist_utils.gather_objects({"rank": dist_utils.get_rank(), "note": "x" * (5 + 7 * dist_utils.get_rank()),
                                         "weight": model[0].weight.detach().abs().sum().item()})
    assert [r["rank"] for r in reports] == list(range(world))
    assert [len(r["note"]) for r in reports] == [5 + 7 * r for r in range(world)]
    assert len({r["weight"] for r in reports}) == 1
    count = dist_utils.reduce_metrics({"samples": args.batch_size}, average=False)["samples"]
    if dist_utils.is_main():
        print(f"mean_prediction {predictions.mean().item():.6f}")
        print(f"weight {reports[0]['weight']:.6f}")
        print(f"samples {count:.0f}")
        print(f"world {world}", flush=True)
    dist_utils.cleanup()


if __name__ == "__main__":
    main()
