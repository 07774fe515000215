"""Tests that a text with CRLF has the same findings as with LF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.test_raising import WAITS
from support.engines import engine_for
from support.imports import ROOT
from uncuda.settings import Settings
from uncuda.source import Source

ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}
PROGRAMS = sorted((ROOT / "tests" / "execution" / "programs").rglob("*.py"))


def findings(text: str, target: str) -> Iterator[tuple[object, ...]]:
    for found in ENGINES[target].check(Source(text)).findings:
        line = text.count("\n", 0, found.span.start)
        yield found.rule, line, found.severity, found.message, [fix.applicability for fix in found.fixes]


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_programs(path: Path, target: str) -> None:
    text = path.read_text("utf-8")
    assert list(findings(text.replace("\n", "\r\n"), target)) == list(findings(text, target))


@pytest.mark.parametrize("text", WAITS.values(), ids=WAITS)
def test_tests_that_wait(text: str) -> None:
    text = "import torch\n" + text.replace("\r\n", "\n")
    assert list(findings(text.replace("\n", "\r\n"), "npu")) == list(findings(text, "npu"))


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        (
            "import torch\nclass Batch:\n    def cuda(self):\n        self.x = self.x.cuda()\n\n        return self\n"
            "\n\ndef main(loader):\n    b = Batch()\n    y = x.cuda()\n"
        ),
        (
            "import torch\ntry:\n    from amp_C import multi_tensor_l2norm\nexcept ImportError:\n    import warnings\n"
            "    from local import (\n        other as multi_tensor_l2norm,\n        more,\n    )\n\n"
            "def f(x, flag):\n    return apply(multi_tensor_l2norm, flag, [x], False)\n"
        ),
    ],
    ids=["a method of a class", "an import in parentheses"],
)
def test_code_over_several_lines(text: str, target: str) -> None:
    assert list(findings(text.replace("\n", "\r\n"), target)) == list(findings(text, target))
