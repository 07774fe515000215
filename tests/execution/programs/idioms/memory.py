"""Memory figures and the cache."""
import gc

import torch

from registry import idiom, on_gpu


@idiom
def memory_allocated():
    x = on_gpu(torch.ones(64, 64, device="cuda"))
    assert torch.cuda.memory_allocated() >= 0 and torch.cuda.memory_allocated(x.device) >= 0
    return x.mean()


@idiom
def memory_peak():
    torch.cuda.reset_peak_memory_stats()
    on_gpu(torch.ones(64, 64).cuda())
    assert torch.cuda.max_memory_allocated() >= 0 and torch.cuda.max_memory_allocated("cuda:0") >= 0


@idiom
def memory_reserved():
    on_gpu(torch.ones(4).cuda())
    assert torch.cuda.memory_reserved(0) >= 0 and torch.cuda.max_memory_reserved() >= 0


@idiom
def memory_free_and_total():
    on_gpu(torch.ones(4).cuda())
    free, total = torch.cuda.mem_get_info()
    assert 0 <= free <= total


@idiom
def memory_empty_cache():
    x = torch.ones(4).cuda()
    total = on_gpu(x).sum().item()
    del x
    gc.collect()
    torch.cuda.empty_cache()
    return total


@idiom
def memory_statistics():
    on_gpu(torch.ones(4).cuda())
    assert hasattr(torch.cuda.memory_stats(), "get")
    assert isinstance(torch.cuda.memory_summary(), str)


@idiom
def memory_of_device():
    on_gpu(torch.ones(4).cuda())
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    assert properties.total_memory > 0 and properties.name == torch.cuda.get_device_name()
