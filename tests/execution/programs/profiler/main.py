"""Training under torch.profiler with a schedule and NVTX ranges around the phases."""
import argparse
import contextlib
import os

import torch
import torch.nn as nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule


@contextlib.contextmanager
def phase(name):
    """One range in the PyTorch trace and one for Nsight Systems."""
    if torch.cuda.is_available():
        torch.cuda.nvtx.range_push(name)
    try:
        with record_function(name):
            yield
    finally:
        if torch.cuda.is_available():
            torch.cuda.nvtx.range_pop()


class Profiled:
    def __init__(self, args):
        self.args = args
        self.use_cuda = torch.cuda.is_available()
        self.device = torch.device("cuda") if self.use_cuda else torch.device("cpu")
        torch.manual_seed(args.seed)
        self.model = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True).to(self.device)
        self.head = nn.Linear(16, 1).to(self.device)
        parameters = list(self.model.parameters()) + list(self.head.parameters())
        self.optimizer = torch.optim.AdamW(parameters, lr=5e-3)
        self.traces = 0

    def trace_ready(self, prof):
        self.traces += 1
        averages = prof.key_averages()
        sort_by = "self_cuda_time_total" if self.use_cuda else "self_cpu_time_total"
        with open(os.path.join(self.args.output, f"profile_{self.traces}.txt"), "w") as f:
            f.write(averages.table(sort_by=sort_by, row_limit=10))
        names = {event.key for event in averages}
        print(f"trace {self.traces}")
        print(f"phases {sum(name in names for name in ('forward', 'backward', 'optimizer'))}")

    def batch(self, step):
        g = torch.Generator().manual_seed(step)
        x = torch.randn(8, 6, 16, generator=g)
        return x.to(self.device, non_blocking=True), x[:, :, :4].mean((1, 2), keepdim=False).to(self.device)

    def step(self, step):
        with phase("data"):
            x, y = self.batch(step)
        with phase("forward"):
            loss = (self.head(self.model(x).mean(1)).squeeze(-1) - y).pow(2).mean()
        with phase("backward"):
            self.optimizer.zero_grad()
            loss.backward()
        with phase("optimizer"):
            self.optimizer.step()
        if self.use_cuda:
            torch.cuda.synchronize()
        return loss.item()

    def run(self):
        activities = [ProfilerActivity.CPU]
        if self.use_cuda:
            activities.append(ProfilerActivity.CUDA)
        plan = schedule(wait=1, warmup=1, active=2, repeat=2)
        with profile(activities=activities, schedule=plan, on_trace_ready=self.trace_ready,
                     record_shapes=True, profile_memory=False) as prof:
            for step in range(self.args.steps):
                loss = self.step(step)
                prof.step()
                print(f"step {step} loss {loss:.8f}")
        print(f"traces {self.traces}")
        assert self.traces == 2


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default=".")
    Profiled(parser.parse_args()).run()
