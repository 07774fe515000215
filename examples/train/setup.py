"""Builds the fused bias + GELU kernel: python setup.py build_ext --inplace"""

import os

from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

if CUDA_HOME is None:
    raise SystemExit("the kernel needs the CUDA toolkit; set CUDA_HOME")
os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0;9.0")

setup(
    name="bias_gelu",
    ext_modules=[
        CUDAExtension(
            "bias_gelu_cuda",
            ["csrc/bias_gelu.cu"],
            extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "--use_fast_math"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
