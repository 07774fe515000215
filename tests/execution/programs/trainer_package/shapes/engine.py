import time

import torch
import torch.nn as nn

from .utils import AverageMeter, report_memory, synchronize, to_device


class Trainer:
    def __init__(self, model, config, device):
        self.config = config
        self.device = device
        self.model = model.to(device)
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.05).to(device)
        self.optimizer = torch.optim.SGD(
            self.model.parameters(), lr=config.optim.lr, momentum=config.optim.momentum,
            weight_decay=config.optim.weight_decay, nesterov=True)
        self.scheduler = None
        self.best = -1.0
        self.global_step = 0

    def fit(self, train_loader, valid_loader):
        steps = len(train_loader) * self.config.epochs
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, max_lr=4 * self.config.optim.lr, total_steps=steps)
        for epoch in range(self.config.epochs):
            start = time.time()
            average = self.train_epoch(train_loader)
            accuracy = self.evaluate(valid_loader)
            synchronize(self.device)
            self.epoch_seconds = time.time() - start
            print(f"epoch {epoch} loss {average:.8f}")
            print(f"epoch {epoch} accuracy {accuracy:.4f}")
            if accuracy > self.best:
                self.best = accuracy
                self.save()
        report_memory(self.device)

    def train_epoch(self, loader):
        self.model.train()
        meter = AverageMeter()
        for batch in loader:
            batch = to_device(batch, self.device)
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.criterion(self.model(batch["image"]), batch["label"])
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            meter.update(loss.item(), len(batch["label"]))
            print(f"step {self.global_step} loss {loss.item():.8f}")
            self.global_step += 1
        return meter.average

    @torch.inference_mode()
    def evaluate(self, loader):
        self.model.eval()
        meter = AverageMeter()
        for batch in loader:
            batch = to_device(batch, self.device)
            hits = self.model(batch["image"]).argmax(dim=1).eq(batch["label"])
            meter.update(hits.float().mean().item(), hits.numel())
        return meter.average

    def save(self):
        torch.save({
            "model": self.model.state_dict(),
            "config": self.config.to_dict(),
            "accuracy": self.best,
        }, self.config.checkpoint)

    def load_best(self):
        checkpoint = torch.load(self.config.checkpoint, map_location=self.device)
        self.model.load_state_dict(checkpoint["model"])
        return checkpoint["accuracy"]
