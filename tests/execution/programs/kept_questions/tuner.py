"""What the tuner found, by kind of device."""
import json
from pathlib import Path

TABLE = json.loads((Path(__file__).parent / "tuning.json").read_text())


def block_of(tensor):
    return TABLE[tensor.device.type]["block"]


def grant(tensor, num_gpus):
    """GPUs of the tensor's kind for a job; there are no others."""
    if num_gpus and TABLE[tensor.device.type]["gpus"] < num_gpus:
        raise RuntimeError(f"{num_gpus} GPUs wanted")
    return num_gpus
