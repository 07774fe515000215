"""Gradient accumulation: small batches, one update for several of them, with clipping and a schedule."""
import math
import random

import numpy as np
import torch
import torch.nn as nn

USE_CUDA = torch.cuda.is_available()

BATCH_SIZE = 8
ACCUMULATION_STEPS = 4
UPDATES = 12
WARMUP = 3
MAX_NORM = 0.5
BASE_LR = 5e-3


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if USE_CUDA:
        torch.cuda.manual_seed_all(seed)


class SequenceClassifier(nn.Module):
    def __init__(self, vocabulary=50, embedding=24, hidden=32, classes=3):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.rnn = nn.GRU(embedding, hidden, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, tokens):
        h0 = torch.zeros(1, tokens.size(0), self.rnn.hidden_size)
        if tokens.is_cuda:
            h0 = h0.cuda()
        output, _ = self.rnn(self.embedding(tokens), h0)
        return self.head(output.mean(dim=1))


def batches(count):
    """Sentences of 12 words; the class tells from which third most of the words come."""
    rng = np.random.RandomState(0)
    for _ in range(count):
        labels = rng.randint(0, 3, size=BATCH_SIZE)
        words = rng.randint(0, 50, size=(BATCH_SIZE, 12))
        own = labels[:, None] * 16 + rng.randint(0, 16, size=(BATCH_SIZE, 12))
        words = np.where(rng.rand(BATCH_SIZE, 12) < 0.6, own, words)
        tokens, labels = torch.from_numpy(words).long(), torch.from_numpy(labels).long()
        if USE_CUDA:
            tokens, labels = tokens.cuda(), labels.cuda()
        yield tokens, labels


def lr_at(update):
    if update < WARMUP:
        return (update + 1) / WARMUP
    progress = (update - WARMUP) / max(1, UPDATES - WARMUP)
    return 0.5 * (1.0 + math.cos(math.pi * progress))


set_seed(11)
model = SequenceClassifier()
criterion = nn.CrossEntropyLoss()
if USE_CUDA:
    model.cuda()
    criterion.cuda()

optimizer = torch.optim.AdamW(model.parameters(), lr=BASE_LR, weight_decay=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_at)

update = 0
running = 0.0
correct = torch.zeros((), device="cuda" if USE_CUDA else "cpu")
model.train()
optimizer.zero_grad()
for i, (tokens, labels) in enumerate(batches(UPDATES * ACCUMULATION_STEPS)):
    logits = model(tokens)
    loss = criterion(logits, labels) / ACCUMULATION_STEPS
    loss.backward()
    running += loss.item()
    correct += (logits.argmax(1) == labels).sum()

    if (i + 1) % ACCUMULATION_STEPS == 0:
        norm = nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
        lr = scheduler.get_last_lr()[0]
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad(set_to_none=True)
        print(f"update {update} lr {lr:.6f} norm {norm.item():.6f} loss {running:.8f}")
        update += 1
        running = 0.0

assert update == UPDATES
print("accuracy", round(correct.item() / (UPDATES * ACCUMULATION_STEPS * BATCH_SIZE), 4))
if USE_CUDA:
    torch.cuda.empty_cache()

# The accumulated gradient is the gradient of the large batch.
parts = list(batches(ACCUMULATION_STEPS))
for tokens, labels in parts:
    (criterion(model(tokens), labels) / ACCUMULATION_STEPS).backward()
accumulated = [p.grad.detach().cpu().clone() for p in model.parameters()]
model.zero_grad()
criterion(model(torch.cat([t for t, _ in parts])), torch.cat([y for _, y in parts])).backward()
close = all(torch.allclose(a, p.grad.cpu(), atol=1e-4) for a, p in zip(accumulated, model.parameters()))
print("same_as_large_batch", int(close))
assert close
