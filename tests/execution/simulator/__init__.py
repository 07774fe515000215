"""A PyTorch whose CPU simulates an accelerator: `npu` as torch_npu does, `musa` as torch_musa does, and `cuda` for
comparison.

The simulation runs ported programs on a machine without an accelerator, to show whether a program starts, trains,
saves, loads, communicates, and computes the same. The simulation shows nothing about speed; README.md lists where it
differs from the real plugin.

    python -m simulator --target npu --version 2.14 -- train.py --epochs 1
"""
