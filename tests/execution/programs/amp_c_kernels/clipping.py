"""Unscaling, clipping and averaging of gradients with apex's fused kernels."""
import amp_C
import torch
from apex.multi_tensor_apply import multi_tensor_applier


class Overflow(Exception):
    pass


class FusedScaler:
    """Static loss scale; what the kernels see decides whether a step is skipped."""

    def __init__(self, device, scale=1024.0):
        self.scale = scale
        self.overflow_buf = torch.zeros(1, dtype=torch.int, device=device)

    def unscale(self, model_grads, master_grads):
        self.overflow_buf.zero_()
        multi_tensor_applier(amp_C.multi_tensor_scale, self.overflow_buf, [model_grads, master_grads], 1.0 / self.scale)
        if self.overflow_buf.item():
            raise Overflow

    def norms(self, grads):
        total, each = multi_tensor_applier(amp_C.multi_tensor_l2norm, self.overflow_buf, [grads], True)
        return total, each

    def clip(self, grads, most):
        total, _ = self.norms(grads)
        factor = most / (total + 1e-6)
        if factor < 1:
            multi_tensor_applier(amp_C.multi_tensor_scale, self.overflow_buf, [grads, grads], factor)
        return total


def average(averages, values, decay, buf):
    """Exponential moving average of the weights."""
    multi_tensor_applier(
        amp_C.multi_tensor_axpby, buf, [averages, values, averages], decay, 1.0 - decay, -1
    )
