"""No accelerator."""
from .base import Accelerator


class CpuAccelerator(Accelerator):
    pass
