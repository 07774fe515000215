"""As much of CuPy as the program needs, over PyTorch, for machines without it."""
import torch


class cuda:
    class ExternalStream:
        """A stream that somebody else made."""

        def __init__(self, ptr):
            torch.cuda.cudart()
            self.ptr = ptr

        def __enter__(self):
            return self

        def __exit__(self, *exc):
            return None
