"""Old-style code: typed tensors (torch.cuda.FloatTensor), .type(dtype) and Variable."""
from __future__ import print_function

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

cuda = True if torch.cuda.is_available() else False

dtype = torch.cuda.FloatTensor if cuda else torch.FloatTensor
dtype_long = torch.cuda.LongTensor if cuda else torch.LongTensor
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor

torch.manual_seed(0)
np.random.seed(0)


def to_var(x, requires_grad=False):
    if torch.cuda.is_available():
        x = x.cuda()
    return Variable(x, requires_grad=requires_grad)


def two_layer_by_hand():
    """N is batch size; D_in is input dimension; H is hidden dimension; D_out is output dimension."""
    N, D_in, H, D_out = 32, 50, 20, 5

    x = Variable(torch.randn(N, D_in).type(dtype), requires_grad=False)
    y = Variable(torch.randn(N, D_out).type(dtype), requires_grad=False)
    w1 = Variable(torch.randn(D_in, H).type(dtype), requires_grad=True)
    w2 = Variable(torch.randn(H, D_out).type(dtype), requires_grad=True)

    learning_rate = 1e-5
    for t in range(10):
        y_pred = x.mm(w1).clamp(min=0).mm(w2)
        loss = (y_pred - y).pow(2).sum()
        print('by hand', t, 'loss', '%.6f' % loss.data.item())
        loss.backward()

        w1.data -= learning_rate * w1.grad.data
        w2.data -= learning_rate * w2.grad.data
        w1.grad.data.zero_()
        w2.grad.data.zero_()


class Scorer(nn.Module):
    def __init__(self, n_words, dim):
        super(Scorer, self).__init__()
        self.embed = nn.Embedding(n_words, dim)
        self.out = nn.Linear(dim, 1)

    def forward(self, words):
        return F.sigmoid(self.out(self.embed(words).mean(1)))


def words_and_scores():
    n_words, batch = 30, 16
    model = Scorer(n_words, 8)
    criterion = nn.BCELoss()
    if cuda:
        model.cuda()
        criterion.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)

    valid = Variable(Tensor(batch, 1).fill_(1.0), requires_grad=False)
    fake = Variable(Tensor(batch, 1).fill_(0.0), requires_grad=False)
    for t in range(10):
        good = Variable(dtype_long(np.random.randint(0, n_words // 2, (batch, 6)).tolist()))
        bad = to_var(torch.from_numpy(np.random.randint(n_words // 3, n_words, (batch, 6))).type(torch.LongTensor))
        optimizer.zero_grad()
        loss = 0.5 * (criterion(model(good), valid) + criterion(model(bad), fake))
        loss.backward()
        optimizer.step()
        print('words', t, 'loss', '%.8f' % loss.data.cpu().numpy().item())
    return model


def check_types(model):
    weight = model.embed.weight.data
    if cuda:
        assert isinstance(weight, torch.cuda.FloatTensor)
        assert weight.type() == 'torch.cuda.FloatTensor'
        assert not isinstance(weight.cpu(), torch.cuda.FloatTensor)
    else:
        assert isinstance(weight, torch.FloatTensor)
        assert weight.type() == 'torch.FloatTensor'

    z = Variable(Tensor(np.random.normal(0, 1, (4, 3))))
    index = dtype_long([0, 2])
    print('picked', ' '.join('%.6f' % v for v in z.index_select(1, index).data.cpu().view(-1).tolist()))
    mask = z.data.gt(0).type_as(z.data)
    print('positive', int(mask.sum()))
    one_hot = Tensor(4, 3).zero_()
    one_hot.scatter_(1, dtype_long([[0], [2], [1], [1]]), 1)
    print('one_hot', one_hot.cpu().numpy().astype(int).tolist())


if __name__ == '__main__':
    two_layer_by_hand()
    check_types(words_and_scores())
