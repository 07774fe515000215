"""Mixed precision, in the older and the newer spelling."""
import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast, custom_bwd, custom_fwd

from registry import idiom, on_gpu


def problem():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1)).cuda()
    g = torch.Generator().manual_seed(2)
    x = torch.randn(16, 4, generator=g)
    return model, torch.optim.SGD(model.parameters(), lr=0.05), x.cuda(), x.sum(1, keepdim=True).cuda()


@idiom
def scaler_and_autocast():
    model, optimizer, x, y = problem()
    scaler = GradScaler()
    for _ in range(4):
        optimizer.zero_grad()
        with autocast():
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    assert scaler.is_enabled() and scaler.get_scale() > 0
    on_gpu(loss)
    return loss


@idiom
def scaler_unscale_and_clip():
    model, optimizer, x, y = problem()
    scaler = torch.cuda.amp.GradScaler(init_scale=1024.0)
    for _ in range(4):
        optimizer.zero_grad()
        with torch.cuda.amp.autocast(enabled=True):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        scaler.step(optimizer)
        scaler.update()
    return on_gpu(loss)


@idiom
def scaler_new_spelling():
    model, optimizer, x, y = problem()
    scaler = torch.amp.GradScaler("cuda", init_scale=256.0, growth_interval=2)
    for _ in range(4):
        optimizer.zero_grad()
        with torch.amp.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    assert scaler.get_scale() == 1024.0
    return on_gpu(loss)


@idiom
def scaler_state():
    model, optimizer, x, y = problem()
    scaler, other = GradScaler(init_scale=64.0), GradScaler()
    scaler.scale(model(x).mean()).backward()
    scaler.step(optimizer)
    scaler.update()
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == scaler.get_scale() == 64.0
    on_gpu(x)


@idiom
def autocast_bfloat16():
    model, optimizer, x, y = problem()
    with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(model(x).float(), y)
    loss.backward()
    return on_gpu(loss, model[0].weight.grad)


@idiom
def autocast_off_inside():
    model, optimizer, x, y = problem()
    with torch.autocast("cuda"):
        hidden = model[0](x)
        with torch.autocast("cuda", enabled=False):
            out = hidden.float().pow(2).mean()
    assert out.dtype == torch.float32
    return on_gpu(out)


@idiom
def autocast_question():
    on_gpu(torch.zeros(1).cuda())
    assert not torch.is_autocast_enabled("cuda")
    with autocast(dtype=torch.bfloat16):
        assert torch.is_autocast_enabled("cuda") and torch.get_autocast_dtype("cuda") == torch.bfloat16


@idiom
def autocast_asked_without_a_device():
    x = on_gpu(torch.zeros(2).cuda())
    assert not torch.is_autocast_enabled()
    with autocast(dtype=torch.bfloat16):
        assert torch.is_autocast_enabled()
    return x.sum()


@idiom
def autocast_decorator():
    model, optimizer, x, y = problem()

    @autocast()
    def step(inputs):
        return model(inputs).float().mean()

    return on_gpu(step(x))


@idiom
def custom_function():
    class Scale(torch.autograd.Function):
        @staticmethod
        @custom_fwd(cast_inputs=torch.float32)
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        @custom_bwd
        def backward(ctx, grad):
            return grad * ctx.factor, None

    x = torch.ones(4, device="cuda", requires_grad=True)
    with autocast():
        loss = Scale.apply(x, 3.0).sum()
    loss.backward()
    return on_gpu(x.grad).sum() + loss
