"""Gradient scalers with positional arguments, with unscaling and clipping by hand."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.cuda.amp import GradScaler, autocast

enabled = torch.cuda.is_available()
device = torch.device("cuda" if enabled else "cpu")


def net():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.1), nn.Linear(32, 32), nn.LeakyReLU(0.1), nn.Linear(32, 1))
    return model.to(device)


def batches(count, spoiled):
    """Batches; in the spoiled ones a sensor has failed, and the gradients are not finite."""
    g = torch.Generator().manual_seed(6)
    for i in range(count):
        x = torch.randn(24, 8, generator=g)
        y = (x[:, :2] * x[:, 2:4]).sum(1, keepdim=True)
        if i in spoiled:
            x[3, 5] = float("inf")
        yield x.to(device), y.to(device)


@torch.no_grad()
def unscale_and_clip(parameters, scale, max_norm):
    """Divides the gradients by the scale and clips them; returns their norm, None if they are not finite."""
    grads = [p.grad for p in parameters if p.grad is not None]
    torch._foreach_mul_(grads, 1.0 / scale)
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(grads)))
    if not torch.isfinite(norm):
        return None
    if norm > max_norm:
        torch._foreach_mul_(grads, (max_norm / (norm + 1e-6)).item())
    return norm.item()


def by_hand(steps=12):
    """The scale is taken from the scaler, everything else is done here."""
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = GradScaler(65536.0, 2.0, 0.5, 2000, enabled)
    assert scaler.is_enabled() == enabled
    if enabled:
        assert scaler.get_growth_interval() == 2000 and scaler.get_scale() == 65536.0
    skipped = 0
    for step, (x, y) in enumerate(batches(steps, spoiled=(4, 9))):
        optimizer.zero_grad()
        with autocast(enabled, torch.float16):
            assert torch.is_autocast_enabled() == enabled
            out = model(x)
        loss = F.mse_loss(out.float(), y)
        scaler.scale(loss).backward()
        norm = unscale_and_clip(list(model.parameters()), scaler.get_scale(), 1.0)
        if norm is None:
            skipped += 1
            if scaler.is_enabled():
                scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        else:
            optimizer.step()
            print(f"by_hand step {step} loss {loss.item():.8f}")
    print(f"by_hand skipped {skipped}")
    if enabled:
        assert skipped >= 2 and scaler.get_scale() == 65536.0 * 0.5 ** skipped


def by_scaler(steps=12):
    """The newer spelling: unscale_, clip, step, update."""
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cuda", 1024.0, 2.0, 0.5, 3, enabled)
    expected, run, skipped = 1024.0, 0, 0
    for step, (x, y) in enumerate(batches(steps, spoiled=(5,))):
        optimizer.zero_grad(set_to_none=True)
        with torch.amp.autocast("cuda", torch.float16, enabled):
            out = model(x)
        loss = F.smooth_l1_loss(out.float(), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        good = bool(torch.isfinite(norm))
        if enabled or good:  # an enabled scaler leaves out the bad step by itself
            scaler.step(optimizer)
        scaler.update()
        skipped += not good
        run = run + 1 if good else 0
        if not good:
            expected *= 0.5
        elif run == 3:
            expected, run = expected * 2.0, 0
        if good:
            print(f"by_scaler step {step} loss {loss.item():.8f}")
    print(f"by_scaler skipped {skipped}")
    if enabled:
        assert skipped >= 1 and scaler.get_scale() == expected
        state = scaler.state_dict()
        assert (state["growth_factor"], state["backoff_factor"], state["growth_interval"]) == (2.0, 0.5, 3)


def switched_off(steps=3):
    """With enabled=False in fifth place the scaler must do nothing."""
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler(65536.0, 2.0, 0.5, 2000, False)
    assert not scaler.is_enabled() and scaler.get_scale() == 1.0
    for step, (x, y) in enumerate(batches(steps, spoiled=())):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        scaled = scaler.scale(loss)
        assert torch.equal(scaled, loss)
        scaled.backward()
        scaler.step(optimizer)
        scaler.update()
        print(f"switched_off step {step} loss {loss.item():.8f}")


if __name__ == "__main__":
    by_hand()
    by_scaler()
    switched_off()
