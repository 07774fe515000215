"""Tests that a device string that only sets an environment variable needs review: other files read the variable."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import os\nimport torch\n"
SETS = [
    'os.environ["DEVICE"] = "cpu" if small else "cuda"\n',
    'os.environ["DEVICE"] = "cuda"\nos.environ["DEVICE_ORDER"] = "0"\nos.environ.pop("DEVICE")\n',
    'os.environ.setdefault("DEVICE", "cuda")\nprint("DEVICE is set")\n',
    'os.environ["RUN_DEVICE"] = "cuda:0"\n# os.environ["RUN_DEVICE"] == "cuda"\n',
    'from os import environ\nenviron["DEVICE"] = "cuda"\nif gpu:\n    environ["DEVICE"] = "cuda"\n',
    'os.environ["DEVICE"] = "cuda"\nif os.getenv("DEVICE") == "cuda":\n    x = x.cuda()\n',
]
READS = [
    'os.environ["DEVICE"] = "cuda"\nx = x.to(os.getenv("DEVICE"))\n',
    'os.environ["DEVICE"] = "cpu" if small else "cuda"\nx = x.to(os.environ["DEVICE"])\n',
    'os.environ["DEVICE"] = "cuda"\nif os.environ["DEVICE"] == "cuda":\n    x = x.cuda()\n',
    'device = "cuda"\nos.environ["DEVICE"] = device\n',
    'config["device"] = "cuda"\n',
]


def classes(text: str) -> set[str]:
    findings = engine_for("npu", Settings(locale="en")).check(Source(HEAD + text)).findings
    return {fix.applicability for finding in findings for fix in finding.fixes if finding.rule == "device-string"}


@pytest.mark.parametrize("text", SETS)
def test_a_variable_for_other_files(text: str) -> None:
    assert classes(text) == {"review"}


@pytest.mark.parametrize("text", READS)
def test_a_variable_that_the_file_reads(text: str) -> None:
    assert classes(text) == {"safe"}


@pytest.mark.parametrize("text", SETS + READS)
def test_typed(text: str) -> None:
    type_in_each_line(HEAD + text, ('x = os.environ["DEVICE"]', 'os.environ["DEVICE"] = "cuda"', "x = 1"), 2)
