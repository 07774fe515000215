"""Own operators: CUDA kernels if they have been built (see setup.py), plain PyTorch else."""
import warnings

import torch

try:
    import my_ops_cuda
except ImportError:
    my_ops_cuda = None

HAS_KERNELS = my_ops_cuda is not None


def _torch_gate(x, gate, slope):
    return torch.where(x > 0, x, x * slope) * torch.sigmoid(gate)


class _LeakyGate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gate, slope):
        ctx.save_for_backward(x, gate)
        ctx.slope = slope
        if x.is_cuda and HAS_KERNELS:
            return my_ops_cuda.leaky_gate_forward(x.contiguous(), gate.contiguous(), slope)
        return _torch_gate(x, gate, slope)

    @staticmethod
    def backward(ctx, grad):
        x, gate = ctx.saved_tensors
        if grad.is_cuda and my_ops_cuda is not None:
            gx, gg = my_ops_cuda.leaky_gate_backward(grad.contiguous(), x, gate, ctx.slope)
            return gx, gg, None
        s = torch.sigmoid(gate)
        return (grad * s * torch.where(x > 0, 1.0, ctx.slope),
                grad * torch.where(x > 0, x, x * ctx.slope) * s * (1 - s), None)


def leaky_gate(x, gate, slope=0.1):
    """(leaky relu of x) * (sigmoid of gate)"""
    return _LeakyGate.apply(x, gate, slope)


def segment_mean(x, index, segments):
    """Mean of the rows of x over each segment."""
    if x.device.type == "cuda":
        try:
            return my_ops_cuda.segment_mean(x, index, segments)
        except AttributeError:
            warnings.warn("my_ops_cuda is not built: segment_mean is slower")
    total = x.new_zeros(segments, x.size(1)).index_add(0, index, x)
    count = x.new_zeros(segments).index_add(0, index, torch.ones_like(index, dtype=x.dtype))
    return total / count.clamp(min=1).unsqueeze(1)


def neighbours(points, k):
    """Numbers of the k nearest points. There is no kernel for this one, only less memory on the CPU."""
    if points.is_cuda:
        distance = (points.unsqueeze(1) - points.unsqueeze(0)).pow(2).sum(2)
        return distance.topk(k, largest=False).indices
    return torch.stack([(points - p).pow(2).sum(1).topk(k, largest=False).indices for p in points])
