"""The differences between the plugins and their versions, as read from names/behaviour.toml, which has one table for
each version of a plugin."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Behaviour:
    """The behaviour of one version of a plugin where versions or plugins differ."""

    version: str  # the plugin's full version
    module_move: str = "any"  # what `Module.npu(x)` does with `x`: `ignored`, `index` (an int only), `any`
    float64: bool = True  # whether a tensor of the device can be cast to float64; else it becomes float32
    channels_last: bool = True  # whether the memory format exists on the device
    processors: bool = True  # whether the properties of a device say `multi_processor_count`; else it is None
    scaler_dynamic: bool = False  # whether the fifth parameter of `GradScaler` is `dynamic`
    capability: tuple[int, int] | None = None  # what `get_device_capability()` returns
    accelerator_memory: bool = True  # whether the memory functions of `torch.accelerator` work
    graphs: str = ""  # the plugin's backend of `torch.compile` that records graphs; empty if it has none


@dataclass(frozen=True)
class Plugin:
    """A target: the names of its package and of its runtime."""

    target: str
    package: str
    runtime: str
    amp: str
    collective: str
    device_name: str
    modules: tuple[str, ...]
    versions: dict[str, Behaviour]


def _npu(version: str, module_move: str, *, memory: bool, processors: bool) -> Behaviour:
    return Behaviour(
        version,
        module_move=module_move,
        float64=False,
        channels_last=False,
        processors=processors,
        scaler_dynamic=True,
        capability=None,
        accelerator_memory=memory,
        graphs="" if version.startswith("2.1.") else "npugraphs",
    )


_NPU_MODULES = (
    "torch_npu",
    "torch_npu.npu",
    "torch_npu.npu.amp",
    "torch_npu.npu.amp.autocast_mode",
    "torch_npu.npu.amp.common",
    "torch_npu.npu.amp.grad_scaler",
    "torch_npu.npu.memory",
    "torch_npu.npu.random",
    "torch_npu.npu.streams",
    "torch_npu.npu.utils",
    "torch_npu.npu.graphs",
    "torch_npu.npu.mstx",
    "torch_npu.contrib",
    "torch_npu.profiler",
    "torch_npu.utils",
    "torch_npu.utils.cpp_extension",
    "torch_npu.distributed",
    "torch_npu.optim",
)

_MUSA_MODULES = (
    "torch_musa",
    "torch_musa.core",
    "torch_musa.core.amp",
    "torch_musa.core.amp.autocast_mode",
    "torch_musa.core.amp.common",
    "torch_musa.core.amp.grad_scaler",
    "torch_musa.core.memory",
    "torch_musa.core.random",
    "torch_musa.core.stream",
    "torch_musa.core.device",
    "torch_musa.core.mudnn",
    "torch_musa.core.mccl",
    "torch_musa.musa_graph",
    "torch_musa.musa_graph.graphs",
    "torch_musa.utils",
    "torch_musa.utils.musa_extension",
    "torch_musa.distributed",
    "torch_musa.optim",
    "torch_musa.profiler",
)

PLUGINS = {
    "npu": Plugin(
        target="npu",
        package="torch_npu",
        runtime="torch_npu.npu",
        amp="torch_npu.npu.amp",
        collective="hccl",
        device_name="Ascend910B4",
        modules=_NPU_MODULES,
        versions={
            "2.1": _npu("2.1.0.post17", "ignored", memory=False, processors=False),
            "2.6": _npu("2.6.0.post5", "ignored", memory=False, processors=False),
            "2.7.1": _npu("2.7.1.post11", "index", memory=False, processors=True),
            "2.8": _npu("2.8.0.post5", "ignored", memory=False, processors=True),
            "2.13": _npu("2.13.0", "index", memory=True, processors=True),
            "2.14": _npu("2.14.0", "index", memory=True, processors=True),
        },
    ),
    "musa": Plugin(
        target="musa",
        package="torch_musa",
        runtime="torch_musa",
        amp="torch_musa.core.amp",
        collective="mccl",
        device_name="MTT S4000",
        modules=_MUSA_MODULES,
        versions={"2.7.1": Behaviour("2.7.1", capability=(2, 2), accelerator_memory=False, graphs="musagraphs")},
    ),
    # When an original program runs, no plugin is simulated.
    "cuda": Plugin(
        target="cuda",
        package="",
        runtime="torch.cuda",
        amp="torch.cuda.amp",
        collective="nccl",
        device_name="Simulated GPU",
        modules=(),
        versions={"": Behaviour("", capability=(8, 0), graphs="cudagraphs")},
    ),
}
