"""The norm of all gradients, by apex's fused kernel where it is installed."""

import torch

try:
    import amp_C
    from apex.multi_tensor_apply import multi_tensor_applier
except ImportError:
    amp_C = None


def grad_norm(parameters) -> torch.Tensor:
    grads = [p.grad for p in parameters if p.grad is not None]
    if amp_C is not None and grads[0].is_cuda:
        overflow = torch.cuda.IntTensor([0])
        norm, _ = multi_tensor_applier(amp_C.multi_tensor_l2norm, overflow, [grads], False)
        return norm
    return torch.stack([g.float().norm() for g in grads]).norm().view(1)
