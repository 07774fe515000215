"""One seed for every generator."""
import torch

from vendors import is_npu_available


def seed_all(seed):
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    elif is_npu_available():
        torch.npu.manual_seed_all(seed)
