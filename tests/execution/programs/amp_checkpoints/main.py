"""Automatic mixed precision with GradScaler; checkpoints hold the model, the optimizer and the scaler."""
import argparse
import os

import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--save-every", type=int, default=8)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--checkpoint-dir", default="checkpoints")
    parser.add_argument("--no-amp", action="store_true")
    return parser.parse_args()


class Regressor(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(16, width), nn.LayerNorm(width), nn.GELU(),
            nn.Linear(width, width), nn.LayerNorm(width), nn.GELU(),
            nn.Linear(width, 4),
        )

    def forward(self, x):
        return self.layers(x)


def build(args, device, use_amp):
    torch.manual_seed(7)
    model = Regressor().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    scaler = GradScaler(enabled=use_amp, init_scale=2.0 ** 12, growth_interval=5)
    return model, optimizer, scaler


def save_checkpoint(path, step, model, optimizer, scaler):
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scaler": scaler.state_dict(),
    }
    tmp = path + ".tmp"
    torch.save(state, tmp)
    os.replace(tmp, path)


def load_checkpoint(path, device, model, optimizer, scaler):
    if device.type == "cuda":
        map_location = lambda storage, loc: storage.cuda(torch.cuda.current_device())  # noqa: E731
    else:
        map_location = "cpu"
    state = torch.load(path, map_location=map_location, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    if state["scaler"]:
        scaler.load_state_dict(state["scaler"])
    return state["step"]


def run(args, data, device, use_amp, model, optimizer, scaler, first, last, label):
    criterion = nn.MSELoss()
    losses = []
    model.train()
    for step in range(first, last):
        inputs, targets = data[step % len(data)]
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)

        optimizer.zero_grad(set_to_none=True)
        with autocast(enabled=use_amp):
            outputs = model(inputs)
            loss = criterion(outputs.float(), targets)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()

        losses.append(loss.item())
        print(f"{label} step {step} loss {loss.item():.8f}")
        if label == "full" and (step + 1) % args.save_every == 0:
            path = os.path.join(args.checkpoint_dir, f"step_{step + 1}.pt")
            save_checkpoint(path, step + 1, model, optimizer, scaler)
    return losses


def main():
    args = parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    use_amp = device.type == "cuda" and not args.no_amp
    os.makedirs(args.checkpoint_dir, exist_ok=True)

    generator = torch.Generator().manual_seed(0)
    mix = torch.randn(16, 4, generator=generator)
    data = []
    for _ in range(6):
        x = torch.randn(32, 16, generator=generator)
        data.append((x, torch.tanh(x @ mix * 0.5)))

    model, optimizer, scaler = build(args, device, use_amp)
    full = run(args, data, device, use_amp, model, optimizer, scaler, 0, args.steps, "full")

    # Start again from the checkpoint in the middle, as after a crash.
    resumed_model, resumed_optimizer, resumed_scaler = build(args, device, use_amp)
    middle = os.path.join(args.checkpoint_dir, f"step_{args.save_every}.pt")
    step = load_checkpoint(middle, device, resumed_model, resumed_optimizer, resumed_scaler)
    print("resumed_at", step)
    assert all(p.device.type == device.type for p in resumed_model.parameters())
    resumed = run(args, data, device, use_amp, resumed_model, resumed_optimizer, resumed_scaler,
                  step, args.steps, "resumed")

    difference = max(abs(a - b) for a, b in zip(full[step:], resumed))
    assert difference < 1e-4, difference
    same = all(torch.allclose(a, b, atol=1e-4) for a, b in zip(model.parameters(), resumed_model.parameters()))
    print("same_parameters", same)
    print("same_scale", scaler.get_scale() == resumed_scaler.get_scale())
    assert same


if __name__ == "__main__":
    main()
