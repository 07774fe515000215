"""The witness finds a half-ported place in every spelling listed in spellings.md, and reports none of the similar
correct programs there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.witness import witness

PAGE = (Path(__file__).parent / "spellings.md").read_text(encoding="utf-8")
PROGRAMS = dict(section.split("\n", 1) for section in re.split(r"^## ", PAGE, flags=re.M)[1:])
BLOCK = re.compile(r"^```python (\S+)\n(.*?)^```$", re.M | re.S)
PORTED = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_half_is_found_and_what_is_right_is_not(name: str) -> None:
    texts = dict(BLOCK.findall(PROGRAMS[name]))
    before = {path: PORTED.sub(lambda m: m[1], text) for path, text in texts.items()}
    after = {path: PORTED.sub(_written, text) for path, text in texts.items()}
    assert before != after
    assert bool(witness(before, after, "npu")) == name.startswith("half"), witness(before, after, "npu")


def _written(mark: re.Match[str]) -> str:
    return mark[1].replace("cuda", "npu") if mark[2] is None else mark[2]
