"""Fixes leave no more half in real packages than the committed figures say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.witness.figures import PAGE, committed, page
from support.witness.record import KINDS
from support.witness.runs import MODES, TARGETS, run

# Small, and with halves of most kinds.
PACKAGES = ("bitsandbytes", "fairscale", "mmcv", "xformers", "yolov5")


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("package", PACKAGES)
def test_no_more_is_half_than_before(package: str, target: str, mode: str, corpus: Callable[[str], Path]) -> None:
    case = {"package": package, "target": target, "mode": mode}
    (known,) = (row for row in committed()["runs"] if case.items() <= row.items())
    found = run(package, corpus(package), target, mode)
    assert found.changed, "nothing was fixed, nothing was shown"
    before = sum(known.get(kind, 0) for kind in KINDS)  # a line that is half still may be so in another way
    assert len(found.records) <= before, found.records


def test_the_page_shows_the_figures() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(committed())
