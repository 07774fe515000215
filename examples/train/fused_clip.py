"""Gradient clipping by apex's fused kernels; train.py imports it for --fused-clip only, because it needs apex."""

import amp_C
import torch
from apex.multi_tensor_apply import multi_tensor_applier


def clip_(parameters, max_norm: float) -> torch.Tensor:
    grads = [p.grad for p in parameters if p.grad is not None]
    overflow = torch.zeros(1, dtype=torch.int32, device="cuda")
    norm, _ = multi_tensor_applier(amp_C.multi_tensor_l2norm, overflow, [grads], False)
    scale = max_norm / (norm.item() + 1e-6)
    if scale < 1.0:
        multi_tensor_applier(amp_C.multi_tensor_scale, overflow, [grads, grads], scale)
    return norm
