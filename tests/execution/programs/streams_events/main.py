"""CUDA streams and events: work on a side stream, waiting for it, and timing with events."""
import sys

import torch
import torch.nn as nn

if not torch.cuda.is_available():
    sys.exit("This program needs CUDA")

device = torch.device("cuda")
torch.manual_seed(0)


def side_stream_matmul():
    """A product on a side stream must be the same as on the default stream."""
    a = torch.randn(64, 64).to(device)
    b = torch.randn(64, 64).to(device)
    expected = a @ b

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        assert torch.cuda.current_stream() == side
        c = a @ b
        a.record_stream(side)
        b.record_stream(side)
    torch.cuda.current_stream().wait_stream(side)
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    assert torch.allclose(c, expected)
    side.synchronize()
    assert side.query()
    print("side_stream 1")


def ordered_by_events():
    """producer -> event -> consumer, on two streams."""
    producer = torch.cuda.Stream(device=device, priority=-1)
    consumer = torch.cuda.Stream(device=device)
    ready = torch.cuda.Event()
    buffer = torch.zeros(1000, device=device)
    torch.cuda.synchronize()

    with torch.cuda.stream(producer):
        for _ in range(10):
            buffer.add_(1.0)
        ready.record(producer)
    with torch.cuda.stream(consumer):
        consumer.wait_event(ready)
        total = buffer.sum()
        done = consumer.record_event()
    done.synchronize()
    assert ready.query() and done.query()
    print("total", total.item())


class TwoBranches(nn.Module):
    """Two branches, one of them computed on another stream."""

    def __init__(self):
        super().__init__()
        self.left = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))
        self.right = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 8))
        self.head = nn.Linear(16, 1)
        self.stream = torch.cuda.Stream()

    def forward(self, x):
        current = torch.cuda.current_stream()
        self.stream.wait_stream(current)
        with torch.cuda.stream(self.stream):
            right = self.right(x)
        left = self.left(x)
        current.wait_stream(self.stream)
        right.record_stream(current)
        return self.head(torch.cat([left, right], dim=1))


def train(steps=15):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(64, 16, generator=generator)
    y = x[:, :1] * x[:, 1:2] + 0.5 * x[:, 2:3]
    x = x.pin_memory().to(device, non_blocking=True)
    y = y.pin_memory().to(device, non_blocking=True)

    model = TwoBranches().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    starts = [torch.cuda.Event(enable_timing=True) for _ in range(steps)]
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(steps)]
    for step in range(steps):
        starts[step].record()
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        ends[step].record()
        print(f"step {step} loss {loss.item():.8f}")

    torch.cuda.synchronize()
    times = [start.elapsed_time(end) for start, end in zip(starts, ends)]
    assert all(t >= 0 for t in times)
    print(f"median ms per step: {sorted(times)[steps // 2]:.3f}")


if __name__ == "__main__":
    side_stream_matmul()
    ordered_by_events()
    train()
