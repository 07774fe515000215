"""The names that show which targets a project uses: plugins, shims, devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from uncuda.catalogue import Catalogue


@dataclass(frozen=True)
class Words:
    """For each target, by id: the plugin's package, the shim's module, the names of device and collective library, the
    vendor, and the variable that makes the plugin import the shim. `libraries`: the names of all libraries in the
    tables of the targets; `cuda_and_cpu`: the libraries that take tensors only on CUDA and on the CPU, according to the
    table of any target; `own_devices`: the libraries with devices of their own; `bound_to_cuda`: the first parts of the
    names of the modules that need CUDA according to the table of any target."""

    packages: Mapping[str, str]
    shims: Mapping[str, str]
    devices: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    vendors: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    libraries: frozenset[str] = frozenset()
    cuda_and_cpu: frozenset[str] = frozenset()
    own_devices: frozenset[str] = frozenset()
    bound_to_cuda: frozenset[str] = frozenset()

    @classmethod
    def of_catalogue(cls, catalogue: Catalogue) -> Words:
        """Return the names that a catalogue contains."""
        return cls.of(
            catalogue.declarations,
            catalogue.libraries,
            catalogue.cuda_and_cpu,
            catalogue.with_own_devices,
            frozenset(name.partition(".")[0] for name in catalogue.bound_to_cuda),
        )

    @classmethod
    def of(
        cls,
        declarations: Mapping[str, Mapping[str, Any]],
        libraries: frozenset[str] = frozenset(),
        cuda_and_cpu: frozenset[str] = frozenset(),
        own_devices: frozenset[str] = frozenset(),
        bound_to_cuda: frozenset[str] = frozenset(),
    ) -> Words:
        """Return the names in the declarations of targets, such as the plugin's package and the device. `libraries`,
        `cuda_and_cpu`, `own_devices`, `bound_to_cuda`: see the fields."""
        words = {name: declaration["words"] for name, declaration in declarations.items()}
        return cls(
            {name: word.get("package", "") for name, word in words.items()},
            {name: word.get("patch", "") for name, word in words.items()},
            {name: (word.get("device", ""), word.get("ccl", "")) for name, word in words.items()},
            {name: declaration.get("vendor", "") for name, declaration in declarations.items()},
            {name: word.get("patch-variable", "") for name, word in words.items()},
            libraries,
            cuda_and_cpu,
            own_devices,
            bound_to_cuda,
        )
