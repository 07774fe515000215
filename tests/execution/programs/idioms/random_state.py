"""Random numbers drawn on the GPU: seeds, states and generators."""
import torch
import torch.nn.functional as F

from registry import idiom, on_gpu


def draw():
    return on_gpu(torch.randn(5, device="cuda"))


@idiom
def seed_one():
    torch.cuda.manual_seed(3)
    first = draw()
    torch.cuda.manual_seed(3)
    assert torch.equal(first, draw())


@idiom
def seed_all():
    torch.cuda.manual_seed_all(4)
    first = draw()
    torch.cuda.manual_seed_all(4)
    assert torch.equal(first, draw())
    assert torch.cuda.initial_seed() == 4


@idiom
def state_one():
    state = torch.cuda.get_rng_state()
    first = draw()
    torch.cuda.set_rng_state(state)
    assert torch.equal(first, draw())


@idiom
def state_of_device():
    state = torch.cuda.get_rng_state("cuda:0")
    first = draw()
    torch.cuda.set_rng_state(state, device="cuda:0")
    assert torch.equal(first, draw())


@idiom
def state_all():
    states = torch.cuda.get_rng_state_all()
    assert len(states) == torch.cuda.device_count()
    first = draw()
    torch.cuda.set_rng_state_all(states)
    assert torch.equal(first, draw())


@idiom
def generator_on_gpu():
    g = torch.Generator(device="cuda").manual_seed(5)
    h = torch.Generator(device=torch.device("cuda")).manual_seed(5)
    x = torch.rand(4, generator=g, device="cuda")
    assert torch.equal(x, torch.rand(4, generator=h, device="cuda"))
    on_gpu(x)


@idiom
def fork_state():
    with torch.random.fork_rng(devices=[torch.cuda.current_device()]):
        torch.cuda.manual_seed(9)
        inside = draw()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.cuda.manual_seed(9)
        assert torch.equal(inside, draw())


@idiom
def dropout_repeated():
    x = torch.ones(4, 8, device="cuda")
    torch.cuda.manual_seed_all(6)
    first = F.dropout(x, 0.5)
    torch.cuda.manual_seed_all(6)
    assert torch.equal(on_gpu(first), F.dropout(x, 0.5))
    return first.min()
