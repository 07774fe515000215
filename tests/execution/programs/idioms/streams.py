"""Streams and events."""
import torch

from registry import idiom, on_gpu


def host(n=8):
    return torch.randn(n, n, generator=torch.Generator().manual_seed(3))


@idiom
def side_stream():
    stream = torch.cuda.Stream()
    x = host().cuda()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        y = x @ x
    torch.cuda.current_stream().wait_stream(stream)
    return on_gpu(y).mean()


@idiom
def stream_record():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = host().cuda(non_blocking=True)
    torch.cuda.current_stream().wait_stream(stream)
    x.record_stream(torch.cuda.current_stream())
    return on_gpu(x).sum()


@idiom
def stream_synchronize():
    stream = torch.cuda.Stream(device=torch.device("cuda:0"))
    with torch.cuda.stream(stream):
        x = host().cuda().relu()
    stream.synchronize()
    assert torch.cuda.default_stream() is not None
    return on_gpu(x).sum()


@idiom
def event_timing():
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    x = host().cuda().matmul(host().cuda())
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0
    return on_gpu(x).mean()


@idiom
def event_between_streams():
    first, second, ready = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.Event()
    with torch.cuda.stream(first):
        x = host().cuda().tanh()
        ready.record(first)
    with torch.cuda.stream(second):
        second.wait_event(ready)
        y = x * 2
    torch.cuda.synchronize()
    assert ready.query()
    return on_gpu(x, y).sum()


@idiom
def synchronize_device():
    x = host().cuda()
    torch.cuda.synchronize(device="cuda:0")
    torch.cuda.synchronize(0)
    on_gpu(x)


@idiom
def prefetcher():
    class Prefetcher:
        def __init__(self, batches):
            self.batches = iter(batches)
            self.stream = torch.cuda.Stream()
            self.preload()

        def preload(self):
            self.item = next(self.batches, None)
            if self.item is not None:
                with torch.cuda.stream(self.stream):
                    self.item = self.item.cuda(non_blocking=True)

        def next(self):
            torch.cuda.current_stream().wait_stream(self.stream)
            item = self.item
            if item is not None:
                item.record_stream(torch.cuda.current_stream())
                self.preload()
            return item

    total, source = 0.0, Prefetcher([host(n) for n in (2, 3, 4)])
    while (x := source.next()) is not None:
        total += on_gpu(x).sum().item()
    return total
