"""pip install -e .  builds fused_C where nvcc is found."""
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="gated-mlp",
    version="0.4",
    ext_modules=[CUDAExtension("fused_C", ["csrc/fused.cpp", "csrc/fused_kernel.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
