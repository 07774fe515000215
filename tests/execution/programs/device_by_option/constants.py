"""Values that several modules share."""
import torch

CUDA = "cuda"
CPU = "cpu"

DEFAULT_DEVICE = CUDA if torch.cuda.is_available() else CPU
DEVICE_CHOICES = ["auto", CPU, CUDA, "cuda:0", "cuda:1"]
ENV_DEVICE = "DISTILL_EVAL_DEVICE"

FEATURES = 12
CLASSES = 4
