"""Vocabulary, batches and their iterator. Batches know how to go to the GPU themselves."""
import torch


class Vocabulary:
    def __init__(self, words):
        self.words = ["<pad>"] + sorted(set(words))
        self.index = {word: i for i, word in enumerate(self.words)}
        counts = torch.tensor([1.0] + [float(words.count(word)) for word in self.words[1:]])
        self.weights = counts.sum() / (counts * len(self.words))

    def __len__(self):
        return len(self.words)

    def encode(self, words):
        return torch.tensor([self.index[word] for word in words])

    def cuda(self):
        """Moves the table of class weights; words stay where they are."""
        self.weights = self.weights.cuda()
        return self


class Batch:
    """Padded token numbers, lengths and targets."""

    def __init__(self, tokens, lengths, targets):
        self.tokens, self.lengths, self.targets = tokens, lengths, targets
        self.moves = 0

    def to(self, device, non_blocking=False):
        self.tokens = self.tokens.to(device, non_blocking=non_blocking)
        self.targets = self.targets.to(device, non_blocking=non_blocking)
        self.lengths = self.lengths.to(device)
        self.moves += 1
        return self

    def cuda(self, device=None, non_blocking=False):
        if device is None:
            device = torch.cuda.current_device()
        return self.to(f"cuda:{device}" if isinstance(device, int) else device, non_blocking=non_blocking)

    def cpu(self):
        return self.to("cpu")

    @property
    def is_cuda(self):
        return self.tokens.is_cuda and self.targets.is_cuda

    def mask(self):
        steps = torch.arange(self.tokens.size(1), device=self.tokens.device)
        return (steps.unsqueeze(0) < self.lengths.unsqueeze(1)).float()

    def __len__(self):
        return self.tokens.size(0)


class Sentences:
    def __init__(self, count, seed=0):
        words = "one two three four five six seven eight nine ten".split()
        g = torch.Generator().manual_seed(seed)
        lengths = torch.randint(3, 8, (count,), generator=g).tolist()
        self.sentences = []
        for n in lengths:
            start = int(torch.randint(0, len(words), (1,), generator=g))
            self.sentences.append([words[(start + i) % len(words)] for i in range(n + 1)])
        self.vocabulary = Vocabulary([word for sentence in self.sentences for word in sentence])

    def batches(self, size):
        for first in range(0, len(self.sentences), size):
            rows = [self.vocabulary.encode(s) for s in self.sentences[first:first + size]]
            padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
            lengths = torch.tensor([len(row) - 1 for row in rows])
            yield Batch(padded[:, :-1].contiguous(), lengths, padded[:, 1:].contiguous())
