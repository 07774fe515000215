"""Modules and optimizers on the GPU."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from registry import idiom, on_gpu


def data():
    g = torch.Generator().manual_seed(11)
    return torch.randn(16, 4, generator=g), torch.randint(0, 3, (16,), generator=g)


def fit(model, x, y, optimizer, steps=4):
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    return loss


@idiom
def module_cuda():
    model = nn.Linear(4, 3).cuda()
    x, y = data()
    x, y = x.cuda(), y.cuda()
    on_gpu(model.weight, model.bias)
    return fit(model, x, y, torch.optim.SGD(model.parameters(), lr=0.5))


@idiom
def module_cuda_index():
    model = nn.Linear(4, 3)
    model.cuda(0)
    x, y = (t.cuda(0) for t in data())
    on_gpu(model.weight)
    return fit(model, x, y, torch.optim.Adam(model.parameters(), lr=0.1))


@idiom
def module_cuda_device():
    device = torch.device("cuda:0")
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)).cuda(device)
    x, y = (t.to(device) for t in data())
    on_gpu(*model.parameters())
    return fit(model, x, y, torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9))


@idiom
def module_cuda_current():
    model = nn.Linear(4, 3).cuda(torch.cuda.current_device())
    return on_gpu(model.weight).abs().sum()


@idiom
def module_to():
    model = nn.Linear(4, 3).to("cuda")
    other = nn.Linear(4, 3).to(device=torch.device("cuda", 0), dtype=torch.float32)
    return on_gpu(model.weight, other.weight).sum() + other.weight.sum()


@idiom
def module_factory():
    model = nn.Linear(4, 3, device="cuda")
    with torch.no_grad():
        model.weight.fill_(0.125)
    return on_gpu(model.weight).sum()


@idiom
def module_half():
    model = nn.Linear(4, 3).cuda().half()
    x = data()[0].cuda().half()
    return on_gpu(model(x)).float().mean()


@idiom
def module_buffers():
    model = nn.BatchNorm1d(4).cuda()
    x = data()[0].cuda()
    model(x)
    return on_gpu(model.running_mean, model.num_batches_tracked).sum()


@idiom
def module_question():
    model = nn.Linear(4, 3).cuda()
    x = data()[0]
    if next(model.parameters()).is_cuda:
        x = x.cuda()
    return on_gpu(model(x)).sum()


@idiom
def criterion_cuda():
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5])).cuda()
    x, y = (t.cuda() for t in data())
    on_gpu(criterion.weight)
    return criterion(x[:, :3], y)


@idiom
def module_copy():
    model = nn.Linear(4, 3).cuda()
    average = copy.deepcopy(model)
    x, y = (t.cuda() for t in data())
    fit(model, x, y, torch.optim.SGD(model.parameters(), lr=0.5))
    with torch.no_grad():
        for a, p in zip(average.parameters(), model.parameters()):
            a.lerp_(p, 0.1)
    return F.cross_entropy(on_gpu(average(x)), y)


@idiom
def module_state_dict():
    model = nn.Linear(4, 3).cuda()
    state = model.state_dict()
    assert all(value.is_cuda for value in state.values())
    other = nn.Linear(4, 3)
    other.load_state_dict({key: value.cpu() for key, value in state.items()})
    other.cuda()
    assert torch.equal(on_gpu(other.weight), model.weight)


@idiom
def recurrent_hidden():
    rnn = nn.LSTM(4, 6, batch_first=True).cuda()
    hidden = (torch.zeros(1, 2, 6).cuda(), torch.zeros(1, 2, 6).cuda())
    out, hidden = rnn(data()[0].view(2, 8, 4).cuda(), hidden)
    return on_gpu(out, *hidden).pow(2).mean()


@idiom
def embedding_lookup():
    table = nn.Embedding(10, 4).cuda()
    index = torch.cuda.LongTensor([1, 3, 5])
    return on_gpu(table(index)).sum()


@idiom
def convolution_batch_norm():
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU()).cuda()
    return on_gpu(net(data()[0].view(1, 1, 8, 8).cuda())).mean()


@idiom
def parameter_on_gpu():
    scale = nn.Parameter(torch.ones(4, device="cuda"))
    shift = torch.zeros(4, device="cuda", requires_grad=True)
    x = data()[0].cuda()
    loss = (x * scale + shift).pow(2).mean()
    loss.backward()
    on_gpu(scale.grad, shift.grad)
    return loss + scale.grad.sum()
