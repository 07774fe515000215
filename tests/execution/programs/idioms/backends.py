"""Switches of the libraries, the profiler and what else hangs at torch.cuda."""
import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile

from registry import idiom, on_gpu


def heads():
    g = torch.Generator().manual_seed(5)
    return [torch.randn(1, 2, 4, 8, generator=g).cuda() for _ in range(3)]


@idiom
def cudnn_switches():
    cudnn.benchmark = False
    cudnn.deterministic = True
    torch.backends.cudnn.enabled = True
    return on_gpu(nn.Conv1d(1, 2, 3).cuda()(torch.ones(1, 1, 5).cuda())).sum()


@idiom
def tf32_switches():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    x = torch.eye(4).cuda()
    return on_gpu(x @ x).sum()


@idiom
def attention():
    return on_gpu(F.scaled_dot_product_attention(*heads(), is_causal=True)).pow(2).mean()


@idiom
def attention_backend():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(SDPBackend.MATH):
        return on_gpu(F.scaled_dot_product_attention(*heads())).pow(2).mean()


@idiom
def fused_optimizer():
    model = nn.Linear(4, 1).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, fused=torch.cuda.is_available())
    model(torch.ones(2, 4).cuda()).mean().backward()
    optimizer.step()
    return on_gpu(model(torch.ones(2, 4, device="cuda"))).mean()


@idiom
def nvtx_range():
    torch.cuda.nvtx.range_push("sum")
    x = on_gpu(torch.ones(3).cuda()).sum()
    torch.cuda.nvtx.range_pop()
    return x


@idiom
def profiler_activity():
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
        x = on_gpu(torch.ones(8, 8).cuda()).sum()
    assert len(p.key_averages()) > 0
    return x


@idiom
def default_device():
    torch.set_default_device("cuda")
    try:
        x = torch.ones(3)
    finally:
        torch.set_default_device(None)
    return on_gpu(x).sum()


@idiom
def availability():
    on_gpu(torch.ones(1).cuda())
    assert torch.cuda.is_available() and torch.cuda.device_count() >= 1 and torch.cuda.is_initialized()


@idiom
def module_alias():
    import torch.cuda as tc
    cuda = torch.cuda
    assert tc.is_available() and cuda.current_device() == 0
    with cuda.device(0):
        return on_gpu(torch.ones(2, device="cuda")).sum()
