"""Convolution net in channels_last memory format with mixed precision."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(cout)
        self.skip = nn.Conv2d(cin, cout, 1, stride=stride, bias=False)

    def forward(self, x):
        out = F.relu(self.norm1(self.conv1(x)), inplace=True)
        return F.relu(self.norm2(self.conv2(out)) + self.skip(x), inplace=True)


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2), Block(16, 16, 2))
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


def images(count, classes, seed):
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, classes, (count,), generator=g)
    pictures = torch.randn(count, 3, 16, 16, generator=g) * 0.5
    for i, label in enumerate(labels.tolist()):
        pictures[i, label % 3, label * 3:label * 3 + 4] += 1.5
    return pictures, labels


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--no-channels-last", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    use_cuda = torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    # NHWC kernels and half precision only pay off on tensor cores
    channels_last = use_cuda and not args.no_channels_last
    memory_format = torch.channels_last if channels_last else torch.contiguous_format
    if use_cuda:
        torch.backends.cudnn.benchmark = True

    model = Net(classes=4).to(device)
    if channels_last:
        model = model.to(memory_format=torch.channels_last)
        assert model.stem.weight.is_contiguous(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scaler = torch.amp.GradScaler("cuda", enabled=use_cuda)

    pictures, labels = images(args.steps * args.batch_size, 4, seed=0)
    model.train()
    for step in range(args.steps):
        rows = slice(step * args.batch_size, (step + 1) * args.batch_size)
        x, y = pictures[rows], labels[rows]
        if use_cuda:
            x = x.cuda(non_blocking=True).contiguous(memory_format=memory_format)
            y = y.cuda(non_blocking=True)
            assert x.is_cuda and x.is_contiguous(memory_format=memory_format)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device_type=device.type, dtype=torch.float16, enabled=use_cuda):
            loss = F.cross_entropy(model(x).float(), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        print(f"step {step} loss {loss.item():.8f}")

    model.eval()
    pictures, labels = images(32, 4, seed=1)
    with torch.inference_mode():
        out = model(pictures.to(device, memory_format=memory_format))
        accuracy = (out.argmax(1) == labels.to(device)).float().mean()
    print(f"accuracy {accuracy.item():.4f}")
    print(f"channels_last {int(out.is_cuda and channels_last)}")


if __name__ == "__main__":
    main()
