"""Loss scaling as the settings say: scale, growth, backoff, interval, and whether at all."""
from torch.cuda.amp import GradScaler

SETTINGS = {"fp16": (65536.0, 2.0, 0.5, 2000, True), "fp32": (1.0, 2.0, 0.5, 2000, False)}


def make_scaler(precision):
    return GradScaler(*SETTINGS[precision])
