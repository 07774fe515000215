"""Which device this process trains on, and how it talks to the others."""

import os
import random

import torch
import torch.distributed as dist


def select_device(name: str, local_rank: int) -> torch.device:
    """`0` and `0,1` are CUDA cards, `cpu` is the CPU, and an empty name takes what is there."""
    if name == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
        return torch.device("cpu")
    if name and name != "cuda":
        os.environ["CUDA_VISIBLE_DEVICES"] = name
    if not torch.cuda.is_available():
        if name:
            raise RuntimeError(f"--device {name} was asked for, but CUDA is not available")
        return torch.device("cpu")
    torch.cuda.set_device(local_rank)
    return torch.device(f"cuda:{local_rank}")


def init(backend: str, device: torch.device) -> bool:
    """Joins the process group when started by torchrun; says whether there is one."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return False
    if device.type != "cuda" and backend == "nccl":
        backend = "gloo"
    dist.init_process_group(backend=backend, init_method="env://")
    if dist.get_backend() == "nccl":
        dist.barrier(device_ids=[device.index])
    else:
        dist.barrier()
    return True


def default_backend() -> str:
    return "nccl" if dist.is_nccl_available() else "gloo"


def seed_everything(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(seed)
        torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
