"""Tensors: how they get to the GPU and how they say that they are there."""
import numpy as np
import torch

from registry import idiom, on_gpu

FLOAT = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor


def sample(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7))


@idiom
def tensor_cuda():
    x = sample(4, 3).cuda()
    return on_gpu(x).pow(2).mean()


@idiom
def tensor_cuda_index():
    x = sample(4, 3).cuda(0, non_blocking=True)
    return on_gpu(x).abs().mean()


@idiom
def tensor_cuda_device():
    device = torch.device("cuda:0")
    x, y = sample(4, 3).cuda(device), sample(4, 3).cuda(device=device)
    assert torch.equal(x, y)
    return on_gpu(x, y).sum()


@idiom
def tensor_cuda_as_function():
    x, y = map(torch.Tensor.cuda, [sample(4, 3), sample(2)])
    return on_gpu(x, y).sum()


@idiom
def tensor_to_string():
    x = sample(2, 5).to("cuda")
    return on_gpu(x).std()


@idiom
def tensor_to_device_and_dtype():
    x = sample(2, 5).to("cuda", torch.float64).to(device="cuda:0", dtype=torch.float32)
    return on_gpu(x).sum()


@idiom
def tensor_to_number():
    x = sample(3).to(0)
    return on_gpu(x).max()


@idiom
def tensor_to_current():
    x = sample(3, 3).to(f"cuda:{torch.cuda.current_device()}")
    return on_gpu(x).trace()


@idiom
def factory_device():
    x = torch.zeros(3, device="cuda") + torch.arange(3, device=torch.device("cuda", 0))
    y = torch.full((3,), 2.0, device=torch.device("cuda"))
    return on_gpu(x, y).dot(y)


@idiom
def factory_options():
    options = {"device": "cuda", "dtype": torch.float32}
    x = torch.eye(3, **options) @ torch.linspace(0, 1, 3, **options)
    return on_gpu(x).sum()


@idiom
def factory_like():
    x = sample(4).cuda()
    y = torch.zeros_like(sample(4), device="cuda") + x.new_ones(4) + x.new_tensor([1.0, 2.0, 3.0, 4.0])
    return on_gpu(y, x).sub(x).norm()


@idiom
def as_tensor_from_numpy():
    array = np.linspace(-1.0, 1.0, 9, dtype=np.float32)
    x = torch.as_tensor(array, device="cuda")
    y = torch.from_numpy(array).cuda()
    assert np.array_equal(y.cpu().numpy(), array)
    return on_gpu(x, y).mul(y).sum()


@idiom
def typed_constructor():
    weights = torch.cuda.FloatTensor([0.5, 1.5, 2.5])
    counts = torch.cuda.LongTensor([1, 2, 3])
    mask = torch.cuda.ByteTensor(3).fill_(1)
    return on_gpu(weights, counts, mask).mul(counts).mul(mask).sum()


@idiom
def typed_alias():
    x = FLOAT(2, 3).fill_(0.25)
    y = FLOAT(np.ones((2, 3), dtype=np.float32))
    return on_gpu(x, y).add(y).sum()


@idiom
def type_by_string():
    x = sample(3).type("torch.cuda.FloatTensor")
    assert x.type() == "torch.cuda.FloatTensor"
    return on_gpu(x).sum()


@idiom
def type_by_class():
    x = sample(3).type(torch.cuda.FloatTensor)
    assert isinstance(x, torch.cuda.FloatTensor)
    return on_gpu(x).min()


@idiom
def question_is_cuda():
    here, there = sample(3), sample(3).cuda()
    assert there.is_cuda and not here.is_cuda
    return on_gpu(there).sum()


@idiom
def question_device_type():
    x = sample(3).cuda()
    if x.device.type == "cuda":
        y = torch.ones(3, device="cuda")
    else:
        y = torch.ones(3)
    return on_gpu(x, y).dot(y)


@idiom
def question_device_string():
    x = sample(3).cuda()
    assert "cuda" in str(x.device) and str(x.device).startswith("cuda") and x.device != torch.device("cpu")
    return on_gpu(x).sum()


@idiom
def question_get_device():
    x = sample(3).cuda()
    assert x.get_device() == torch.cuda.current_device() == x.device.index
    on_gpu(x)


@idiom
def nested_move():
    def move(item):
        if torch.is_tensor(item):
            return item.cuda()
        if isinstance(item, dict):
            return {key: move(value) for key, value in item.items()}
        if isinstance(item, (list, tuple)):
            return type(item)(move(value) for value in item)
        return item

    batch = move({"x": sample(3), "more": [sample(2), (sample(2), "name")]})
    return on_gpu(batch["x"], *batch["more"][:1], batch["more"][1][0]).sum() + batch["more"][0].sum()


@idiom
def map_over_list():
    moved = list(map(lambda t: t.cuda(), [sample(2), sample(3)]))
    again = [t.to("cuda", non_blocking=True) for t in (sample(2), sample(3))]
    return on_gpu(*moved, *again).sum() + again[1].sum()


@idiom
def there_and_back():
    x = sample(3, 2).cuda()
    assert np.allclose(x.detach().cpu().numpy(), sample(3, 2).numpy())
    return on_gpu(x).sum().item()
