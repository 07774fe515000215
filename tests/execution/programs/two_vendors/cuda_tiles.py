"""Tile sizes for CUDA, measured with a small tensor when the module is first needed."""
import torch

SIZES = {"cuda": 16, "xpu": 16, "musa": 16}
LARGEST = max(SIZES.values())
TILE = 1 << 20
if torch.cuda.is_available():
    TILE = min(SIZES[torch.ones(1, device="cuda").device.type], LARGEST)
