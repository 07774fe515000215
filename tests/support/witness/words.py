"""The words by which a program names CUDA and each target: names, methods and strings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Device:
    """The names of one accelerator in PyTorch programs."""

    device: str  # the device's name, as in torch.device("…"), torch.… and x.…()
    ccl: str  # the name of the collectives' backend, as in init_process_group("…")
    modules: tuple[str, ...]  # the dotted names of the device's modules, which include their submodules
    plugins: tuple[str, ...]  # packages that provide the device
    visible: str  # the environment variable that selects devices
    graph: str  # the name of the class for graphs
    extension: str  # the name of the class for extensions in setup.py
    adapted: tuple[str, ...] = ()  # names of packages for CUDA that the vendor builds for this device, too


CUDA = Device("cuda", "nccl", ("torch.cuda",), (), "CUDA_VISIBLE_DEVICES", "CUDAGraph", "CUDAExtension")
NPU = Device(
    device="npu",
    ccl="hccl",
    modules=("torch.npu", "torch_npu"),
    plugins=("torch_npu",),
    visible="ASCEND_RT_VISIBLE_DEVICES",
    graph="NPUGraph",
    extension="NpuExtension",
)
MUSA = Device(
    device="musa",
    ccl="mccl",
    modules=("torch.musa", "torch_musa"),
    plugins=("torch_musa", "torchada"),
    visible="MUSA_VISIBLE_DEVICES",
    graph="MUSAGraph",
    extension="MUSAExtension",
    adapted=("transformer_engine", "transformer_engine_torch"),
)
TARGETS = {"npu": NPU, "musa": MUSA}

# Modules that run only on CUDA, by the names of their packages.
CUDA_ONLY = re.compile(
    r"(?:amp_C|apex_C|cupy|pycuda|tensorrt|flash_attn\w*|transformer_engine\w*|cutlass|onnxruntime_gpu|numba\.cuda"
    r"|cuda|fused_\w+_cuda|\w+_cuda|\w+_cuda_lib|cuda_\w+)(?:\.|$)"
)
# A package of PyPI that is built for CUDA, as one string.
CUDA_PACKAGE = re.compile(r"[\w-]+-(?:gpu|cu\d+)(?:\[[\w,]*\])?(?:[=<>~!].*)?")
# Functions of torch.cuda that have no equivalent on another accelerator.
UNSERVED = frozenset({"cudart", "get_device_capability"})
# Functions that measure something on a device, and classes of autocast: comparing their results asks for no device.
MEASURES = re.compile(r"\.amp\.|\.(?:(?:max_)?memory_\w+|mem_get_info|get_rng_state(?:_all)?|initial_seed)\b")
# Fields of a GPU's properties that other accelerators lack: the compute capability.
CAPABILITY = frozenset({"major", "minor"})
LOADERS = ("cpp_extension.load", "cpp_extension.load_inline", ".load_ext")


def only_cuda(dotted: str, target: Device) -> bool:
    """Return whether a dotted name is a module, or in a module, that runs on CUDA and not on the target."""
    return bool(CUDA_ONLY.match(dotted)) and dotted.partition(".")[0] not in target.adapted


class Words:
    """Patterns for the names and strings by which programs name one device."""

    def __init__(self, device: Device) -> None:
        name, ccl = device.device, device.ccl
        self.device = device
        self.attribute = re.compile(rf"is_{name}|{name}_stream|{name}_event|(?:self_)?{name}_time_total")
        self.call = {name, f"is_{ccl}_available", f"{name}_graph"}
        self.last = re.compile(
            rf"is_{ccl}_available|ProcessGroup{ccl.upper()}|{device.graph}|{device.extension}"
            rf"|ProfilerActivity\.{name.upper()}|Backend\.{ccl.upper()}|(?:Tensor|Module)\.{name}"
        )
        self.string = re.compile(
            rf"(?P<device>{name}(?::[^\s/]{{0,16}})?)|(?P<ccl>{ccl}|cpu:gloo,{name}:{ccl})"
            rf"|(?P<other>{device.visible}|{name}graphs|(?:self_)?{name}_time_total)"
            rf"|(?P<path>(?:\w+\.)*torch\.(?:Tensor\.|nn\.Module\.)?{name}(?:\.\w+)*)"
        )

    def owns(self, dotted: str) -> bool:
        """Return whether a resolved dotted name belongs to this device."""
        if any(dotted == module or dotted.startswith(module + ".") for module in self.device.modules):
            return True
        tail = ".".join(dotted.split(".")[-2:])
        return bool(self.last.fullmatch(tail) or self.last.fullmatch(tail.rpartition(".")[2]))

    def family(self, text: str) -> str:
        """Return the kind of word that a whole string is: "device", "ccl", "other" or "path"; empty if it is none of
        these."""
        found = self.string.fullmatch(self.device.ccl if text == self.device.ccl.upper() else text)
        return (found.lastgroup or "") if found else ""


@lru_cache
def words(device: Device) -> Words:
    """Return the regular expressions for the words that name a device; they are created only once."""
    return Words(device)
