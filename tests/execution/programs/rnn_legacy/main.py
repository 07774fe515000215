"""Character-level LSTM in the style of 2017: args.cuda, hidden states moved with .cuda(), packed sequences."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

TEXT = ("the quick brown fox jumps over the lazy dog and the dog barks at the fox until the night falls over the hill "
        "where the old man with the lantern walks home singing a song about the sea and the ships he sailed ") * 2

parser = argparse.ArgumentParser(description="char RNN")
parser.add_argument("--nhid", type=int, default=24)
parser.add_argument("--nlayers", type=int, default=2)
parser.add_argument("--bptt", type=int, default=12)
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--steps", type=int, default=12)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--clip", type=float, default=0.25)
parser.add_argument("--seed", type=int, default=1111)
parser.add_argument("--no-cuda", action="store_true", default=False)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()

torch.manual_seed(args.seed)
if torch.cuda.is_available():
    if not args.cuda:
        print("WARNING: You have a CUDA device, so you should probably run without --no-cuda")
    else:
        torch.cuda.manual_seed(args.seed)

chars = sorted(set(TEXT))


class CharRNN(nn.Module):
    def __init__(self, ntoken, nhid, nlayers):
        super(CharRNN, self).__init__()
        self.encoder = nn.Embedding(ntoken, nhid)
        self.rnn = nn.LSTM(nhid, nhid, nlayers)
        self.decoder = nn.Linear(nhid, ntoken)
        self.nhid, self.nlayers = nhid, nlayers

    def forward(self, x, hidden):
        output, hidden = self.rnn(self.encoder(x), hidden)
        return self.decoder(output), hidden

    def init_hidden(self, bsz):
        h = Variable(torch.zeros(self.nlayers, bsz, self.nhid))
        c = Variable(torch.zeros(self.nlayers, bsz, self.nhid))
        if next(self.parameters()).is_cuda:
            return h.cuda(), c.cuda()
        return h, c


class WordClassifier(nn.Module):
    """Is the word longer than four letters? Reads words as packed sequences."""

    def __init__(self, ntoken, nhid):
        super(WordClassifier, self).__init__()
        self.encoder = nn.Embedding(ntoken, nhid)
        self.rnn = nn.GRU(nhid, nhid, batch_first=True)
        self.decoder = nn.Linear(2 * nhid, 2)

    def forward(self, x, lengths):
        x = pack_padded_sequence(self.encoder(x), lengths, batch_first=True, enforce_sorted=False)
        h = torch.zeros(1, len(lengths), self.rnn.hidden_size)
        if x.is_cuda:
            h = h.cuda()
        output, h = self.rnn(x, h)
        output, _ = pad_packed_sequence(output, batch_first=True)
        return self.decoder(torch.cat([output.max(1)[0], h[0]], 1))


def repackage_hidden(h):
    if torch.is_tensor(h):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


def batchify():
    data = torch.LongTensor([chars.index(c) for c in TEXT])
    nbatch = data.size(0) // args.batch_size
    data = data.narrow(0, 0, nbatch * args.batch_size).view(args.batch_size, -1).t().contiguous()
    if args.cuda:
        data = data.cuda(non_blocking=True)
    return data


def train_chars():
    model = CharRNN(len(chars), args.nhid, args.nlayers)
    criterion = nn.CrossEntropyLoss()
    if args.cuda:
        model.cuda()
        criterion.cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    data = batchify()
    hidden = model.init_hidden(args.batch_size)
    for step in range(args.steps):
        i = (step * args.bptt) % (data.size(0) - args.bptt - 1)
        x, target = data[i:i + args.bptt], data[i + 1:i + 1 + args.bptt].reshape(-1)
        hidden = repackage_hidden(hidden)
        model.zero_grad()
        output, hidden = model(x, hidden)
        loss = criterion(output.view(-1, len(chars)), target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        print("chars step %d loss %.8f" % (step, loss.item()))
    return model


def generate(model, n):
    """The likeliest continuation, one character at a time."""
    model.eval()
    x = torch.LongTensor([[chars.index("t")]])
    if args.cuda:
        x = x.cuda()
    hidden, text = model.init_hidden(1), []
    with torch.no_grad():
        for _ in range(n):
            output, hidden = model(x, hidden)
            best = output.view(-1).max(0)[1].item()
            x.fill_(best)
            text.append(chars[best])
    return "".join(text)


def train_words():
    words = sorted(set(TEXT.split()))
    padded = nn.utils.rnn.pad_sequence([torch.LongTensor([chars.index(c) for c in w]) for w in words], batch_first=True)
    lengths = torch.LongTensor([len(w) for w in words])
    target = (lengths > 4).long()
    model = WordClassifier(len(chars), 12)
    if args.cuda:
        model, target = model.cuda(), target.cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    packed = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
    if args.cuda:
        packed = packed.cuda()
        assert packed.is_cuda and packed.data.is_cuda
    padded = pad_packed_sequence(packed, batch_first=True)[0]
    for step in range(8):
        loss = F.cross_entropy(model(padded, lengths), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("words step %d loss %.8f" % (step, loss.item()))


if __name__ == "__main__":
    print("text %s" % generate(train_chars(), 12).replace(" ", "_"))
    train_words()
