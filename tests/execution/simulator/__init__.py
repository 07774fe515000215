"""A PyTorch whose CPU plays an accelerator: `npu` as torch_npu, `musa` as torch_musa, and `cuda` to compare with.

It is there to run what was ported on a machine that has neither: does it start, train, save, load, communicate, and
does it compute the same? It says nothing of speed, and where it is not like the real thing stands in README.md.

    python -m simulator --target npu --version 2.14 -- train.py --epochs 1
"""
