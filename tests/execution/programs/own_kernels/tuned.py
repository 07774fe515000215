"""Block sizes found by the tuner, by device."""
import json
from pathlib import Path

import torch

_TABLE = json.loads((Path(__file__).parent / "tuning.json").read_text())


def blocks(kind):
    return _TABLE[kind]["blocks"]


def rms_norm(x, weight, eps):
    parts = x.split(blocks(x.device.type))
    return weight * torch.cat([part * (part.pow(2).mean(-1, keepdim=True) + eps).rsqrt() for part in parts])
