"""Training on whatever accelerator torch.accelerator finds."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

import device as accelerator


class Autoencoder(nn.Module):
    def __init__(self, size=12, code=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(size, 24), nn.SiLU(), nn.Linear(24, code))
        self.decoder = nn.Sequential(nn.Linear(code, 24), nn.SiLU(), nn.Linear(24, size))

    def forward(self, x):
        return self.decoder(self.encoder(x))


class Batches:
    """Copies the next batch on a side stream while the current one is in use."""

    def __init__(self, steps, size, device):
        g = torch.Generator().manual_seed(1)
        mixing = torch.randn(4, 12, generator=g)
        self.data = [torch.tanh(torch.randn(size, 4, generator=g) @ mixing) for _ in range(steps)]
        self.device = device

    def __iter__(self):
        following = self.copy(self.data[0])
        for i in range(len(self.data)):
            batch = following
            if i + 1 < len(self.data):
                following = self.copy(self.data[i + 1])
            yield batch

    def copy(self, batch):
        with accelerator.side_stream(self.device):
            return batch.to(self.device, non_blocking=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=14)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.02)
    args = parser.parse_args()

    torch.manual_seed(0)
    device = accelerator.current()
    model = Autoencoder().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    running = torch.zeros((), device=device)

    for step, x in enumerate(Batches(args.steps, args.batch_size, device)):
        assert x.device.type == device.type
        loss = F.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        running.mul_(0.9).add_(loss.detach(), alpha=0.1)
        accelerator.synchronize()
        print(f"step {step} loss {loss.item():.8f}")
    print(f"running loss {running.item():.8f}")

    if device.type != "cpu":
        assert accelerator.count() >= 1
        if accelerator.HAS_API:
            index = torch.accelerator.current_device_index()
            assert next(model.parameters()).device == torch.device(device.type, index)
    print(f"accelerated {int(next(model.parameters()).device.type != 'cpu') == int(accelerator.count() > 0)}")


if __name__ == "__main__":
    main()
