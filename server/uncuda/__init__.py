"""Find what ties PyTorch code to CUDA and rewrite it for another accelerator."""

__version__ = "0.1.0"
