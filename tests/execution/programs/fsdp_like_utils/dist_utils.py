"""Helpers for torch.distributed which do the right thing with NCCL (tensors on the GPU) and Gloo."""
import os
import pickle

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import Backend


def setup():
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    if torch.cuda.is_available():
        local_rank %= torch.cuda.device_count()
        torch.cuda.set_device(local_rank)
        device, backend = torch.device("cuda", local_rank), "nccl"
    else:
        device, backend = torch.device("cpu"), "gloo"
    dist.init_process_group(backend=backend)
    return device


def cleanup():
    barrier()
    dist.destroy_process_group()


def get_rank():
    return dist.get_rank() if dist.is_available() and dist.is_initialized() else 0


def get_world_size():
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def is_main():
    return get_rank() == 0


def barrier():
    if get_world_size() == 1:
        return
    if dist.get_backend() == Backend.NCCL:
        dist.barrier(device_ids=[torch.cuda.current_device()])
    else:
        dist.barrier()


def _object_device():
    """NCCL cannot send tensors that are not on the GPU."""
    if dist.get_backend() == "nccl":
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


def reduce_metrics(metrics, average=True):
    """Adds up (averages) a dictionary of numbers over all processes."""
    names = sorted(metrics)
    values = torch.tensor([float(metrics[name]) for name in names], dtype=torch.float32)
    backend = dist.get_backend()
    if backend == "nccl":
        values = values.cuda()
    dist.all_reduce(values, op=dist.ReduceOp.SUM)
    if average:
        values /= get_world_size()
    return dict(zip(names, values.tolist()))


def broadcast_object(value, source=0):
    box = [value if get_rank() == source else None]
    dist.broadcast_object_list(box, src=source, device=_object_device())
    return box[0]


def gather_tensors(tensor):
    """All processes' tensors of one shape, joined along the first dimension."""
    parts = [torch.empty_like(tensor) for _ in range(get_world_size())]
    dist.all_gather(parts, tensor.contiguous())
    return torch.cat(parts)


def gather_objects(value):
    """Any picklable object of every process, sent as padded byte tensors."""
    device = _object_device()
    data = torch.frombuffer(bytearray(pickle.dumps(value)), dtype=torch.uint8).to(device)
    size = torch.tensor([data.numel()], dtype=torch.long, device=device)
    sizes = [torch.zeros(1, dtype=torch.long, device=device) for _ in range(get_world_size())]
    dist.all_gather(sizes, size)
    longest = int(max(s.item() for s in sizes))
    padded = torch.zeros(longest, dtype=torch.uint8, device=device)
    padded[:data.numel()] = data
    parts = [torch.empty_like(padded) for _ in range(get_world_size())]
    dist.all_gather(parts, padded)
    return [pickle.loads(p[:int(s.item())].cpu().numpy().tobytes()) for p, s in zip(parts, sizes)]


def average_gradients(parameters):
    for p in parameters:
        if p.grad is not None:
            dist.all_reduce(p.grad)
            p.grad /= get_world_size()


def broadcast_parameters(module, source=0):
    for value in module.state_dict().values():
        dist.broadcast(value, source)
