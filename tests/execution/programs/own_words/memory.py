"""Counts what tensors take, by device."""
import torch


class Stats:
    def __init__(self):
        self.bytes = {"host": 0, "device": 0}

    def add(self, tensor):
        kind = tensor.device.type
        if kind == "cuda":
            self.bytes["device"] += tensor.numel() * tensor.element_size()
        elif kind == "cpu":
            self.bytes["host"] += tensor.numel() * tensor.element_size()
        else:
            raise ValueError(f"no memory is known of {kind}")

    def volume(self, device_type):
        if device_type == "cuda":
            return self.bytes["device"]
        elif device_type == "cpu":
            return self.bytes["host"]
        raise TypeError(f"no memory is known of {device_type}")

    def report(self):
        return [self.volume("cuda"), self.volume("cpu")]


def devices():
    found = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
    return found


def all_devices():
    kinds = ["cpu"]
    if torch.cuda.is_available():
        kinds.append("cuda")
    return kinds
