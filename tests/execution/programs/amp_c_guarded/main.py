"""Gradient norms and unscaling with apex's amp_C kernels, guarded, checked against float64 on the CPU."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from multi_tensor import clip, global_norm, norm_with_flag, unscale

device = "cuda" if torch.cuda.is_available() else "cpu"


def gradients(kind):
    g = torch.Generator().manual_seed(21)
    tensors = [torch.randn(n, generator=g) for n in (3, 1000, 64, 4097)]
    if kind == "float32":
        return tensors
    if kind == "half":
        return [t.half() for t in tensors]
    if kind == "half_large":  # the sum of squares is far beyond float16, the norm in float32 is not
        return [(t * 900).half() for t in tensors]
    if kind == "half_small":  # the squares are below the smallest float16
        return [(t * 2e-5).half() for t in tensors]
    tensors = [(t * 900).half() for t in tensors]
    tensors[1][17] = {"half_inf": float("inf"), "half_nan": float("nan")}[kind]
    return tensors


def reference(tensors):
    return torch.cat([t.double().flatten() for t in tensors]).norm().item()


def compare():
    for kind in ("float32", "half", "half_large", "half_small", "half_inf", "half_nan"):
        host = gradients(kind)
        tensors = [t.to(device) for t in host]
        expected = reference(host)
        norm, norms = global_norm(tensors, per_tensor=True)
        guarded, flag = norm_with_flag(tensors)
        masters = [torch.empty_like(t, dtype=torch.float32) for t in tensors]
        overflow = unscale(tensors, masters, 128.0)
        print(f"{kind} norm {norm.item():.8e}")
        print(f"{kind} guarded_norm {guarded.item():.8e}")
        print(f"{kind} norm_flag {flag}")
        print(f"{kind} overflow {overflow}")
        finite = kind not in ("half_inf", "half_nan")
        assert overflow == flag == int(not finite)
        if finite:
            assert abs(norm.item() - expected) <= 1e-5 * expected, (norm.item(), expected)
            assert abs(guarded.item() - expected) <= 1e-5 * expected
            assert norm.dtype == torch.float32 and len(norms) == len(host)
            for a, b in zip(norms.tolist(), host):
                assert abs(a - reference([b])) <= 1e-5 * reference([b]), (a, reference([b]))
            assert all(torch.allclose(m.cpu(), h.float() / 128.0) for m, h in zip(masters, host))


def train():
    """fp16 model, float32 master weights, dynamic loss scale."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1)).to(device).half()
    params = list(model.parameters())
    masters = [nn.Parameter(p.detach().float()) for p in params]
    optimizer = torch.optim.SGD(masters, lr=0.2, momentum=0.9)
    g = torch.Generator().manual_seed(5)
    scale, skipped = 2.0 ** 19, 0
    for step in range(16):
        x = torch.randn(32, 8, generator=g)
        y = (x[:, :1] - x[:, 1:2]).to(device)
        loss = F.mse_loss(model(x.to(device).half()).float(), y)
        model.zero_grad()
        (loss * scale).backward()
        for master in masters:
            master.grad = torch.empty_like(master)
        overflow = unscale([p.grad for p in params], [m.grad for m in masters], scale)
        if overflow:
            scale, skipped = scale / 2, skipped + 1
        else:
            norm = clip([m.grad for m in masters], 1.0)
            optimizer.step()
            with torch.no_grad():
                for p, master in zip(params, masters):
                    p.copy_(master)
            print(f"step {step} norm {norm:.6f}")
        print(f"step {step} loss {loss.item():.8f}")
        print(f"step {step} overflow {overflow}")
    print(f"scale {scale:.0f}")
    print(f"skipped {skipped}")
    assert 0 < skipped < 12


if __name__ == "__main__":
    compare()
    train()
