"""Multi-tensor functions: apex's fused kernels where they are installed, torch's foreach functions else."""
import torch

try:
    import amp_C
    from apex.multi_tensor_apply import multi_tensor_applier
    from amp_C import multi_tensor_l2norm, multi_tensor_scale
except ImportError:
    amp_C = None

    def multi_tensor_applier(op, noop_flag, tensor_lists, *args):
        return op(2048 * 32, noop_flag, tensor_lists, *args)

    def multi_tensor_l2norm(chunk_size, noop_flag, tensor_lists, per_tensor):
        """Norm of all tensors together, accumulated in float32, and of each if asked for."""
        norms = torch.stack(torch._foreach_norm([t.float() for t in tensor_lists[0]]))
        total = norms.norm()
        noop_flag.logical_or_(~torch.isfinite(total))
        return total.view(1), norms if per_tensor else norms.new_zeros(0)

    def multi_tensor_scale(chunk_size, noop_flag, tensor_lists, scale):
        """out = in * scale; the flag is raised where an element of in is not finite."""
        source, target = tensor_lists
        scaled = torch._foreach_mul([t.float() for t in source], scale)
        for t in source:
            noop_flag.logical_or_(~torch.isfinite(t).all())
        torch._foreach_copy_(target, scaled)


def new_flag(like):
    """The overflow buffer which the kernels write."""
    return torch.zeros(1, dtype=torch.int, device=like.device)


def global_norm(tensors, per_tensor=False):
    norm, norms = multi_tensor_applier(multi_tensor_l2norm, new_flag(tensors[0]), [tensors], per_tensor)
    return (norm, norms) if per_tensor else norm


def norm_with_flag(tensors):
    flag = new_flag(tensors[0])
    if amp_C is not None and tensors[0].is_cuda:
        norm, _ = multi_tensor_applier(amp_C.multi_tensor_l2norm, flag, [tensors], False)
    else:
        norm = torch.stack(torch._foreach_norm([t.float() for t in tensors])).norm().view(1)
        flag.fill_(int(not bool(torch.isfinite(norm).all())))
    return norm, flag.item()


def unscale(grads, masters, scale):
    """Copies fp16 gradients, divided by the loss scale, to float32 master gradients. Returns 1 on overflow."""
    flag = new_flag(grads[0])
    multi_tensor_applier(multi_tensor_scale, flag, [grads, masters], 1.0 / scale)
    return flag.item()


def clip(tensors, max_norm):
    norm = global_norm(tensors).item()
    if norm > max_norm:
        multi_tensor_applier(multi_tensor_scale, new_flag(tensors[0]), [tensors, tensors], max_norm / (norm + 1e-6))
    return norm
