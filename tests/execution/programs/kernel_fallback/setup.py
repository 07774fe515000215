"""Builds the optional CUDA kernels: python setup.py build_ext --inplace"""
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="my_ops",
    version="0.3",
    py_modules=["my_ops"],
    ext_modules=[CUDAExtension("my_ops_cuda", ["csrc/my_ops.cpp", "csrc/my_ops_kernel.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
