"""Tests that a finding at a use of an alias points to the definition of the alias."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.settings import Settings
from uncuda.source import Source


def related(text: str, locale: str = "en") -> list[tuple[str, str, str]]:
    """(rule, message, place) of every related location of the findings."""
    found = engine_for("npu", Settings(locale=locale)).check(Source(text)).findings
    return [(f.rule, r.message, text[r.span.start : r.span.end]) for f in found for r in f.related]


@pytest.mark.parametrize(
    "text, message, place",
    [
        ("import torch.cuda as tc\ntc.list_gpu_processes()\n", "`tc` is `torch.cuda`", "torch.cuda as tc"),
        ("from torch import cuda\ncuda.list_gpu_processes()\n", "`cuda` is `torch.cuda`", "cuda"),
        ("from torch import (nn,\n  cuda as c)\nc.list_gpu_processes()\n", "`c` is `torch.cuda`", "cuda as c"),
        ("import torch\nmodule = torch.cuda\nmodule.list_gpu_processes()\n", "`module` is `torch.cuda`", "module"),
    ],
)
def test_an_alias(text: str, message: str, place: str) -> None:
    assert ("cuda-api-missing", message, place) in related(text)


def test_chinese() -> None:
    assert related("import torch.cuda as tc\ntc.list_gpu_processes()\n", "zh")[0][1] == "`tc` 即 `torch.cuda`"


def test_what_is_spelled_out_needs_no_place() -> None:
    assert related("import torch\ntorch.cuda.list_gpu_processes()\n") == []


def test_names_that_pytorch_gives_up_are_tagged() -> None:
    rules = load().rules
    assert rules["cuda-amp"].tags == ("deprecated",)
    assert rules["cuda-api"].tags == ()
