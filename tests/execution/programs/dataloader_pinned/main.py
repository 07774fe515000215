"""DataLoader with workers and pinned memory; batches are copied ahead of time on a side stream."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

BATCH = 32
EPOCHS = 2


class Waves(Dataset):
    """Noisy sine waves; the target is the frequency."""

    def __init__(self, n, length=64):
        self.n = n
        self.time = torch.linspace(0, 1, length)

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        frequency = 1 + 7 * torch.rand(1, generator=generator)
        phase = 6.28 * torch.rand(1, generator=generator)
        wave = torch.sin(6.28 * frequency * self.time + phase)
        wave += 0.1 * torch.randn(wave.shape, generator=generator)
        return wave.unsqueeze(0), frequency / 8


class CUDAPrefetcher:
    """Copies the next batch while the current one is computed on."""

    def __init__(self, loader, device):
        self.loader = loader
        self.device = device
        self.stream = torch.cuda.Stream(device=device)

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        self.iterator = iter(self.loader)
        self.preload()
        batch = self.next()
        while batch is not None:
            yield batch
            batch = self.next()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.iterator)
        except StopIteration:
            self.next_input = None
            self.next_target = None
            return
        with torch.cuda.stream(self.stream):
            self.next_input = self.next_input.cuda(self.device, non_blocking=True)
            self.next_target = self.next_target.cuda(self.device, non_blocking=True)
            self.next_input = self.next_input.float()

    def next(self):
        torch.cuda.current_stream(self.device).wait_stream(self.stream)
        inputs, target = self.next_input, self.next_target
        if inputs is None:
            return None
        inputs.record_stream(torch.cuda.current_stream())
        target.record_stream(torch.cuda.current_stream())
        self.preload()
        return inputs, target


class CPUPrefetcher:
    """The same without a GPU: hands the batches on."""

    def __init__(self, loader):
        self.loader = loader

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        return iter(self.loader)


def build_prefetcher(loader, device):
    return CUDAPrefetcher(loader, device) if device.type == "cuda" else CPUPrefetcher(loader)


def main():
    use_cuda = torch.cuda.is_available()
    device = torch.device("cuda", torch.cuda.current_device()) if use_cuda else torch.device("cpu")
    torch.manual_seed(3)

    loader = DataLoader(
        Waves(256), batch_size=BATCH, shuffle=True, num_workers=2, pin_memory=use_cuda,
        persistent_workers=True, generator=torch.Generator().manual_seed(3))
    model = nn.Sequential(
        nn.Conv1d(1, 8, 7, stride=2), nn.ReLU(),
        nn.Conv1d(8, 16, 5, stride=2), nn.ReLU(),
        nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(64, 1),
    ).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.SmoothL1Loss()

    seen = 0
    for epoch in range(EPOCHS):
        loader.generator.manual_seed(100 + epoch)
        for step, (inputs, targets) in enumerate(build_prefetcher(loader, device)):
            assert inputs.device.type == device.type
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
            seen += inputs.size(0)
            print(f"epoch {epoch} step {step} loss {loss.item():.8f}")
    print("samples", seen)


if __name__ == "__main__":
    main()
