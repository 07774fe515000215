"""ImageNet training in the style of the PyTorch examples, on tiny synthetic pictures."""
import argparse
import os
import random
import shutil
import warnings

import torch
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.parallel
import torch.optim
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser(description="PyTorch ImageNet Training")
parser.add_argument("-a", "--arch", default="tinynet", choices=["alexnet", "tinynet"])
parser.add_argument("-j", "--workers", default=0, type=int)
parser.add_argument("--epochs", default=2, type=int)
parser.add_argument("--start-epoch", default=0, type=int)
parser.add_argument("-b", "--batch-size", default=16, type=int)
parser.add_argument("--lr", default=0.02, type=float)
parser.add_argument("--momentum", default=0.9, type=float)
parser.add_argument("--wd", "--weight-decay", default=1e-4, type=float, dest="weight_decay")
parser.add_argument("--resume", default="", type=str, help="path to latest checkpoint")
parser.add_argument("-e", "--evaluate", action="store_true")
parser.add_argument("--world-size", default=-1, type=int)
parser.add_argument("--rank", default=-1, type=int)
parser.add_argument("--dist-url", default="tcp://127.0.0.1:23456", type=str)
parser.add_argument("--dist-backend", default="nccl", type=str)
parser.add_argument("--seed", default=None, type=int)
parser.add_argument("--gpu", default=None, type=int, help="GPU id to use.")
parser.add_argument("--multiprocessing-distributed", action="store_true")

best_acc1 = 0


class TinyNet(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(16 * 4 * 4, classes))

    def forward(self, x):
        return self.classifier(self.features(x))


def fake_data(count, seed):
    g = torch.Generator().manual_seed(seed)
    target = torch.randint(0, 5, (count,), generator=g)
    images = torch.randn(count, 3, 16, 16, generator=g)
    images[torch.arange(count), target % 3] += (target.float() - 2.0).view(-1, 1, 1)
    return TensorDataset(images, target)


def main():
    args = parser.parse_args()
    if args.seed is not None:
        random.seed(args.seed)
        torch.manual_seed(args.seed)
        cudnn.deterministic = True
        cudnn.benchmark = False
    if args.gpu is not None:
        warnings.warn("You have chosen a specific GPU. This will completely disable data parallelism.")
    if args.dist_url == "env://" and args.world_size == -1:
        args.world_size = int(os.environ["WORLD_SIZE"])
    args.distributed = args.world_size > 1 or args.multiprocessing_distributed
    ngpus_per_node = torch.cuda.device_count() if torch.cuda.is_available() else 1
    if args.multiprocessing_distributed:
        args.world_size = ngpus_per_node * args.world_size
        mp.spawn(main_worker, nprocs=ngpus_per_node, args=(ngpus_per_node, args))
    else:
        main_worker(args.gpu, ngpus_per_node, args)


def main_worker(gpu, ngpus_per_node, args):
    global best_acc1
    args.gpu = gpu
    if args.gpu is not None:
        print("=> use GPU {} for training".format(args.gpu))
    if args.distributed:
        if args.dist_url == "env://" and args.rank == -1:
            args.rank = int(os.environ["RANK"])
        if args.multiprocessing_distributed:
            args.rank = args.rank * ngpus_per_node + gpu
        dist.init_process_group(backend=args.dist_backend, init_method=args.dist_url,
                                world_size=args.world_size, rank=args.rank)
    model = TinyNet()
    if not torch.cuda.is_available():
        print("using CPU, this will be slow")
    elif args.distributed:
        if args.gpu is not None:
            torch.cuda.set_device(args.gpu)
            model.cuda(args.gpu)
            args.batch_size = int(args.batch_size / ngpus_per_node)
            args.workers = int((args.workers + ngpus_per_node - 1) / ngpus_per_node)
            model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
        else:
            model.cuda()
            model = torch.nn.parallel.DistributedDataParallel(model)
    elif args.gpu is not None:
        torch.cuda.set_device(args.gpu)
        model = model.cuda(args.gpu)
    elif args.arch.startswith("alexnet") or args.arch.startswith("vgg"):
        model.features = torch.nn.DataParallel(model.features)
        model.cuda()
    else:
        model = torch.nn.DataParallel(model).cuda()

    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    if torch.cuda.is_available():
        criterion = criterion.cuda(args.gpu)
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=args.momentum, weight_decay=args.weight_decay)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)

    if args.resume:
        load(args, model, optimizer, scheduler)
    cudnn.benchmark = args.seed is None
    train_dataset, val_dataset = fake_data(96, 0), fake_data(40, 1)
    sampler = torch.utils.data.distributed.DistributedSampler(train_dataset) if args.distributed else None
    pin = torch.cuda.is_available()
    train_loader = DataLoader(train_dataset, batch_size=args.batch_size, num_workers=args.workers,
                              pin_memory=pin, sampler=sampler)
    val_loader = DataLoader(val_dataset, batch_size=args.batch_size, num_workers=args.workers, pin_memory=pin)

    if args.evaluate:
        validate(val_loader, model, criterion, args)
        return
    for epoch in range(args.start_epoch, args.epochs):
        if args.distributed:
            sampler.set_epoch(epoch)
        train(train_loader, model, criterion, optimizer, epoch, args)
        acc1 = validate(val_loader, model, criterion, args)
        scheduler.step()
        is_best = acc1 > best_acc1
        best_acc1 = max(acc1, best_acc1)
        if not args.multiprocessing_distributed or args.rank % ngpus_per_node == 0:
            save({"epoch": epoch + 1, "state_dict": model.state_dict(), "best_acc1": best_acc1,
                  "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}, is_best)
    print("best_acc1 {:.3f}".format(best_acc1))
    if args.epochs > 0:  # what was written has to give the same figures again
        args.resume = "checkpoint.pth.tar"
        load(args, model, optimizer, scheduler)
        assert args.start_epoch == args.epochs and validate(val_loader, model, criterion, args) == acc1


def load(args, model, optimizer, scheduler):
    global best_acc1
    if args.gpu is None or not torch.cuda.is_available():
        checkpoint = torch.load(args.resume)
    else:
        loc = f"cuda:{args.gpu}"
        checkpoint = torch.load(args.resume, map_location=loc)
        assert all(value.device == torch.device(loc) for value in checkpoint["state_dict"].values())
    args.start_epoch = checkpoint["epoch"]
    best_acc1 = checkpoint["best_acc1"]
    model.load_state_dict(checkpoint["state_dict"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])


def train(loader, model, criterion, optimizer, epoch, args):
    model.train()
    for i, (images, target) in enumerate(loader):
        if args.gpu is not None and torch.cuda.is_available():
            images = images.cuda(args.gpu, non_blocking=True)
        if torch.cuda.is_available():
            target = target.cuda(args.gpu, non_blocking=True)
        output = model(images)
        loss = criterion(output, target)
        acc1 = accuracy(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("Epoch {} step {} loss {:.8f}".format(epoch, i, loss.item()))
        print("acc1 {:.3f}".format(acc1))


def validate(loader, model, criterion, args):
    model.eval()
    total, correct = 0.0, 0.0
    with torch.no_grad():
        for images, target in loader:
            if args.gpu is not None and torch.cuda.is_available():
                images = images.cuda(args.gpu, non_blocking=True)
            if torch.cuda.is_available():
                target = target.cuda(args.gpu, non_blocking=True)
            output = model(images)
            total += criterion(output, target).item() * images.size(0)
            correct += accuracy(output, target) * images.size(0)
    count = len(loader.dataset)
    print("validation loss {:.8f}".format(total / count))
    return correct / count


def save(state, is_best, filename="checkpoint.pth.tar"):
    torch.save(state, filename)
    if is_best:
        shutil.copyfile(filename, "model_best.pth.tar")


def accuracy(output, target):
    with torch.no_grad():
        return output.argmax(1).eq(target).float().mean().item() * 100.0


if __name__ == "__main__":
    main()
