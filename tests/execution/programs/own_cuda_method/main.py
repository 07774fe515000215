"""Trainer whose batches and vocabulary have cuda() methods of their own."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from data import Batch, Sentences


class Net(nn.Module):
    def __init__(self, words, size=16):
        super().__init__()
        self.embedding = nn.Embedding(words, size, padding_idx=0)
        self.rnn = nn.GRU(size, size, batch_first=True)
        self.out = nn.Linear(size, words)

    def forward(self, batch: Batch):
        hidden = torch.zeros(1, len(batch), self.rnn.hidden_size)
        if batch.is_cuda:
            hidden = hidden.cuda()
        states, _ = self.rnn(self.embedding(batch.tokens), hidden)
        return self.out(states)


class Trainer:
    def __init__(self, data, use_cuda):
        torch.manual_seed(0)
        self.data, self.use_cuda = data, use_cuda
        self.net = Net(len(data.vocabulary))
        if use_cuda:
            self.net = self.net.cuda()
            data.vocabulary.cuda()
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=0.02)
        self.total = torch.zeros(1).cuda() if use_cuda else torch.zeros(1)

    def loss(self, batch):
        logits = self.net(batch)
        weight = self.data.vocabulary.weights
        losses = F.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), weight=weight, reduction="none")
        mask = batch.mask().flatten()
        return (losses * mask).sum() / mask.sum()

    def epoch(self, first):
        for step, batch in enumerate(self.data.batches(12), first):
            if self.use_cuda:
                batch = batch.cuda(non_blocking=True)
                assert batch.is_cuda and batch.moves == 1
            loss = self.loss(batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.total += loss.detach()
            print(f"step {step} loss {loss.item():.8f}")
        return step + 1

    @torch.no_grad()
    def evaluate(self):
        right = count = 0
        for batch in self.data.batches(30):
            if self.use_cuda:
                batch.cuda(0)
            hits = (self.net(batch).argmax(-1) == batch.targets).float() * batch.mask()
            batch = batch.cpu()
            assert not batch.is_cuda
            right, count = right + hits.sum().item(), count + batch.mask().sum().item()
        return right / count


def main():
    trainer = Trainer(Sentences(96), torch.cuda.is_available())
    step = 0
    for _ in range(2):
        step = trainer.epoch(step)
    print(f"mean loss {trainer.total.item() / step:.8f}")
    print(f"accuracy {trainer.evaluate():.4f}")


if __name__ == "__main__":
    main()
