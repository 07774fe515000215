"""Where tensors may lie."""
import re
from enum import Enum

import torch


class Kind(Enum):
    HOST = "host"
    GPU = "cuda"


def places():
    found = ("cpu",)
    if torch.cuda.is_available():
        found = found + ("cuda:0",)
    return found


def fastest():
    if torch.cuda.is_available():
        return Kind.GPU
    return Kind.HOST


def resolve(index):
    name = f"cuda:{index}" if torch.cuda.is_available() else "cpu"
    if name == "cuda" or re.match(r"cuda:\d+", name):
        return torch.device(name)
    if name == "cpu":
        return torch.device(name)
    raise ValueError(name)


def inventory():
    return "cuda", torch.cuda.device_count()


def last():
    """The last GPU; without one the CPU."""
    name = "cuda:{}".format(torch.cuda.device_count() - 1)
    return name if name == "cuda" or re.match(r"cuda:\d+", name) else "cpu"
