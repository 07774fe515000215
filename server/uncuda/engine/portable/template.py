"""The source text of the helper module, for the targets of a project."""

from __future__ import annotations

from collections.abc import Sequence

from ...catalogue import Target

MARK = "Written by uncuda"
"""A phrase in the generated helper module, by which uncuda recognises the module."""
_TEXT = '''"""Which accelerator this process uses. Written by uncuda; change it as you like.

Without the plugin of another vendor the answers are CUDA's, so that the program does what it did before.
"""

import importlib
import importlib.util
import types
import warnings

import torch

_PLUGINS = {<<plugins>>}
_BACKENDS = {<<backends>>}
_VISIBLE = {
<<visible>>
}


def _is_there(name: str, plugin: str) -> bool:
    """Import a plugin, as PyTorch before 2.5 does not do it by itself."""
    if hasattr(torch, name):
        return True
    spec = importlib.util.find_spec(plugin)
    if spec is None or spec.origin is None:  # or a mere folder
        return False
    try:
        importlib.import_module(plugin)
    except Exception as error:  # noqa: BLE001 its own libraries may be missing
        warnings.warn(f"{plugin} cannot be imported: {error}", stacklevel=2)
        return False
    return hasattr(torch, name)


def _choose() -> str:
    found = [name for name, plugin in _PLUGINS.items() if _is_there(name, plugin)]
    if len(found) > 1:  # only then a device is asked
        found = [name for name in found if getattr(torch, name).is_available()] or found
    return found[0] if found else "cuda"


_TYPE = _choose()


def accelerator_type() -> str:
    """<<types>>."""
    return _TYPE


def device_module() -> types.ModuleType:
    """<<modules>>."""
    module: types.ModuleType = getattr(torch, _TYPE)
    return module


def device_type() -> str:
    """As `accelerator_type`, but "cpu" where none is available."""
    return _TYPE if device_module().is_available() else "cpu"


def device(index: "int | str | torch.device | None" = None) -> torch.device:
    """What `.cuda(index)` takes, as a device; without an index the current one."""
    if index is None:
        return torch.device(_TYPE)
    if isinstance(index, (str, torch.device)):
        return torch.device(index)
    return torch.device(_TYPE, index)


def backend() -> str:
    """The backend of `torch.distributed` that belongs to it."""
    return _BACKENDS[_TYPE]


def visible_devices() -> str:
    """The environment variable that limits which devices are seen."""
    return _VISIBLE[_TYPE]
'''
_CUDA = {"device": "cuda", "module": "torch.cuda", "ccl": "nccl", "visible-devices": "CUDA_VISIBLE_DEVICES"}


def helper_text(targets: Sequence[Target]) -> str:
    """Return the source text of the helper module for CUDA and these targets."""
    every = [_CUDA, *(target.words for target in targets)]
    visible = ((words["device"], words.get("visible-devices", _CUDA["visible-devices"])) for words in every)
    names = [f'"{words["device"]}"' for words in every]
    return (
        _TEXT.replace("<<plugins>>", _pairs([(t.words["device"], t.words["package"]) for t in targets]))
        .replace("<<backends>>", _pairs([(w["device"], w.get("ccl", "gloo")) for w in every]))
        .replace("<<visible>>", "\n".join(f'    "{name}": "{variable}",' for name, variable in visible))
        .replace('"""<<types>>', f'""" {_either(names)}')
        .replace("<<modules>>", _either([f"`{words['module']}`" for words in every]))
    )


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f'"{name}": "{value}"' for name, value in pairs)


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]])
