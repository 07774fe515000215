"""Functions that ask for CUDA and have a working way for the CPU."""
import random
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(seed)
        torch.cuda.manual_seed_all(seed)
        torch.backends.cudnn.deterministic = True


def pick_device():
    if not torch.cuda.is_available():
        print("CUDA is not available, using the CPU", file=sys.stderr)
        return torch.device("cpu")
    torch.cuda.set_device(0)
    return torch.device("cuda", torch.cuda.current_device())


def to_var(x):
    if torch.cuda.is_available():
        x = x.cuda()
    return x


def to_numpy(x):
    if x.is_cuda:
        x = x.detach().cpu()
    return x.detach().numpy()


def one_hot(index, classes):
    if index.is_cuda:
        table = torch.cuda.FloatTensor(index.size(0), classes).zero_()
    else:
        table = torch.FloatTensor(index.size(0), classes).zero_()
    return table.scatter_(1, index.view(-1, 1), 1.0)


def pairwise(x, y):
    """Squared distances: in one piece on the GPU, row by row (less memory) on the CPU."""
    if not x.is_cuda:
        return torch.stack([(row - y).pow(2).sum(1) for row in x])
    return (x.unsqueeze(1) - y.unsqueeze(0)).pow(2).sum(2)


def loader_settings():
    settings = {"batch_size": 20}
    settings.update({"pin_memory": True} if torch.cuda.is_available() else {})
    return settings


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def peak_memory():
    return torch.cuda.max_memory_allocated() if torch.cuda.is_available() else 0


class Prototypes(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(features, 16), nn.ReLU(), nn.Linear(16, 8))
        self.centres = nn.Parameter(torch.randn(classes, 8))

    def forward(self, x):
        return -pairwise(self.encode(x), self.centres)

    @property
    def on_gpu(self):
        return next(self.parameters()).is_cuda


def soft_cross_entropy(logits, target):
    return -(target * F.log_softmax(logits, dim=1)).sum(1).mean()


def main():
    seed_everything(12)
    device = pick_device()
    model = to_var(Prototypes(5, 3))
    g = torch.Generator().manual_seed(2)
    x = torch.randn(200, 5, generator=g)
    y = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()
    data = torch.utils.data.TensorDataset(x, y)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    step = 0
    for _ in range(2):
        for inputs, labels in torch.utils.data.DataLoader(data, **loader_settings()):
            inputs, labels = to_var(inputs), to_var(labels)
            target = one_hot(labels, 3) * 0.9 + 0.1 / 3
            loss = soft_cross_entropy(model(inputs), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            synchronize(device)
            print(f"step {step} loss {loss.item():.8f}")
            step += 1
    with torch.no_grad():
        scores = to_numpy(model(to_var(x)))
    print(f"accuracy {(scores.argmax(1) == to_numpy(y)).mean():.4f}")
    assert peak_memory() >= 0
    if not torch.cuda.is_available():
        assert not model.on_gpu
    else:
        assert model.on_gpu and inputs.is_cuda and target.device == device


if __name__ == "__main__":
    main()
