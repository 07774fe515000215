"""Tests of `portable-style = "accelerator"`, and of files that already use `torch.accelerator`."""

from __future__ import annotations

from typing import Any

import pytest

from support.engines import engine_for
from support.portable import classes, found, ported
from uncuda.catalogue import load
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
TORCH = ["2.1.0", "2.5.0", "2.6.0", "2.7.1", "2.8.0", "2.9.0", "2.10.0", "2.11.0", "2.12.0", "2.13.0", "2.14.0"]
NAMES = sorted({api.cuda for api in CATALOGUE.accelerator("npu").apis.values() if api.cuda})
EVERY = "import torch\n\n" + "".join(f"{name}()\n{name}(0)\n{name}(device=0)\nx = {name}\n" for name in NAMES)


@pytest.mark.parametrize("torch", TORCH)
@pytest.mark.parametrize(
    "targets", [*(pytest.param((target,), marks=pytest.mark.slow) for target in ("npu", "musa")), ("npu", "musa")]
)
def test_no_name_is_written_that_a_configured_version_lacks(torch: str, targets: tuple[str, ...]) -> None:
    fixed = ported(EVERY, True, torch_version=torch, portable_targets=targets, portable_style="accelerator")
    for target in targets:
        version = CATALOGUE.going_with(target, torch)
        settings = Settings(target_version=version, torch_version=torch, select=("accelerator-api",))
        assert not engine_for(target, settings).check(Source(fixed)).findings
    served = TORCH[3 if "musa" in targets else 2 :]
    assert ("torch.accelerator." in fixed) is (torch in served)


def body(code: str, **settings: Any) -> str:
    over: Any = {"torch_version": "2.14.0", "portable_targets": ("npu",), "portable_style": "accelerator"} | settings
    return ported(f"import torch\n\n{code}\n", True, **over).rpartition("\n\n")[2].strip()


@pytest.mark.parametrize(
    "before, after",
    [
        ("torch.cuda.synchronize()", "torch.accelerator.synchronize()"),
        ("torch.cuda.set_device(0)", "torch.accelerator.set_device_index(0)"),
        ("torch.cuda.max_memory_allocated(0)", "torch.accelerator.max_memory_allocated(0)"),
        ("torch.cuda.max_memory_allocated(device=0)", "device_module().max_memory_allocated(device=0)"),
        ("torch.cuda.max_memory_allocated(*a)", "device_module().max_memory_allocated(*a)"),
        ("torch.cuda.manual_seed_all(0)", "device_module().manual_seed_all(0)"),
        ("f = torch.cuda.synchronize", "f = device_module().synchronize"),
        ("x = y.cuda()", "x = y.to(accelerator_type())"),
    ],
)
def test_what_is_written(before: str, after: str) -> None:
    assert body(before) == after


def test_what_one_of_several_plugins_lacks_is_asked_of_the_helper() -> None:
    """No version of torch_musa supports this function of `torch.accelerator`, so the fix calls the helper module."""
    assert body("torch.cuda.synchronize()", portable_targets=("npu", "musa")) == "device_module().synchronize()"


def test_its_fixes_need_review() -> None:
    """Functions of `torch.accelerator` use any accelerator, MPS as well, and raise an exception if there is none."""
    settings: Any = {"torch_version": "2.14.0", "portable_targets": ("npu",)}
    text = "import torch\n\ntorch.cuda.synchronize()\n"
    assert classes(text, **settings) == ["safe"]
    assert classes(text, **settings, portable_style="accelerator") == ["review"]


def test_a_style_that_stands_in_the_file_is_continued_after_review() -> None:
    text = "import torch\n\nd = torch.accelerator.current_accelerator()\ntorch.cuda.set_device(0)\n"
    settings: Any = {"torch_version": "2.14.0"}
    assert classes(text, **settings) == ["review"]
    fixed = ported(text, True, **settings)
    assert fixed == text.replace("torch.cuda.set_device(0)", "torch.accelerator.set_device_index(0)")
    assert not found(fixed, **settings)


def test_a_file_with_both_styles_needs_review_and_goes_on_with_the_helper() -> None:
    text = (
        "import torch\n\nfrom pkg.device import device_module\n\n"
        "d = torch.accelerator.current_accelerator()\ndevice_module().synchronize()\ntorch.cuda.set_device(0)\n"
    )
    assert classes(text) == ["review"]
    assert "device_module().set_device(0)" in ported(text, True)


def test_a_word_about_it_is_no_style() -> None:
    assert classes("import torch\n\n# not torch.accelerator\ntorch.cuda.synchronize()\n") == ["safe"]
