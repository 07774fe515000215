"""Tests of device strings that a program divides, or tries one after the other."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

DIVIDED = """import torch


def ids_of(device: str):
    parts = device.split(":")
    name = parts[0]
    if name == "cpu":
        return None
    if name != "cuda":
        raise ValueError(name)
"""
TRIED = """import torch


def get_device(name=None):
    if name.lower() == "cuda":
        if not torch.cuda.is_available():
            raise RuntimeError(name)
    return torch.device(name)


def available():
    for each in ["cuda", "mps", "cpu"]:
        get_device(each)
"""


def classes(text: str) -> set[str]:
    report = engine_for("npu", Settings(locale="en")).check(Source(text))
    return {finding.fixes[0].applicability for finding in report.findings if finding.fixes}


@pytest.mark.parametrize("divides", ["split", "rsplit", "partition"])
def test_a_part_of_a_divided_device_is_a_device(divides: str) -> None:
    """As in sparseml, whose default device moves."""
    assert classes(DIVIDED.replace("split", divides)) == {"safe"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("device", "path"),
        ("    name =", "    parts = other(parts)\\n    name ="),
        ('    parts = device.split(":")\n', ""),
        ("split", "replace"),
        ("parts[0]", "parts[1]"),
        ('":"', '"_"'),
        ("    name =", "    parts.insert(0, read())\\n    name ="),
    ],
)
def test_a_part_of_something_else_may_be_anything(old: str, new: str) -> None:
    assert classes(DIVIDED.replace(old, new.replace("\\n", "\n"))) == {"review"}


def test_a_list_of_devices_that_a_loop_hands_to_a_function_of_the_file() -> None:
    """As in micro-sam, whose function refuses devices that it does not compare with."""
    assert classes(TRIED) == {"safe"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("get_device(each)", "other(each)"),
        ('"mps", "cpu"]', '"triton-gpu", "cpu"]'),
        ("torch.device(name)", "TABLE.get(name)"),
    ],
)
def test_a_list_of_other_words_may_be_anything(old: str, new: str) -> None:
    assert "review" in classes(TRIED.replace(old, new).replace('name.lower() == "cuda"', "name"))


def test_typing_equals_a_new_check() -> None:
    typed = ("parts = other(parts)", "def ids_of(path):", 'parts = path.split(":")', "x = 1", '"""')
    type_in_each_line(DIVIDED, typed, 1)
    typed = ("get_device(each)", "def get_device(path):", 'for each in ["cuda", "triton"]:', "name = 1", '"""')
    type_in_each_line(TRIED, typed, 1)


CHOSEN = """import torch


def is_usable(device):
    if device == "cuda":
        return torch.cuda.is_available()
    return device == "cpu"


def best():
    return next((each for each in ("cuda", "mps") if is_usable(each)), "cpu")
"""


def test_a_comprehension_that_tries_devices() -> None:
    """As in deeptab/core/serialization.py."""
    assert classes(CHOSEN) == {"safe"}
    assert "review" in classes(CHOSEN.replace("is_usable(each)", "other(each)"))
    assert "review" in classes(CHOSEN.replace("is_usable(each)", "is_usable(other)"))


def test_a_comprehension_that_tries_devices_is_typed() -> None:
    typed = ("    return next((x for x in ('cuda', 'cpu') if is_usable(x)), None)", "def is_usable(name):", "x = 1")
    type_in_each_line(CHOSEN, typed, 2)


OFFERED = """import torch


def pick(offer):
    default_device = "cpu"
    if torch.cuda.is_available():
        default_device = "cuda"
    options = ["cuda", "cpu", "mps"]
    return offer(options=options, index=options.index(default_device))
"""


def test_a_list_in_which_a_device_is_looked_up() -> None:
    """As in riffusion/streamlit/util.py: `index` raises if only one of the two changes."""
    assert classes(OFFERED) == {"safe"}
    assert "review" in classes(OFFERED.replace("index(default_device)", "index(kind)"))


def test_a_list_in_which_a_device_is_looked_up_is_typed() -> None:
    type_in_each_line(OFFERED, ("    index = options.index(kind)", '    options = ["cuda"]', "    x = 1"), 3)


VERIFIED = """import torch


def verify(device):
    parts = device.lower().split(":")
    assert parts[0] in ["cpu", "cuda", "gpu", "xpu"], device
    device_type = parts[0]
    if device_type == "cuda":
        device_type = "gpu"
    return device_type
"""


def test_the_first_part_of_a_name_of_a_device() -> None:
    """As in modelscope/utils/device.py, which refuses the devices of other files if its list stays."""
    assert classes(VERIFIED) == {"review"}
    assert classes(VERIFIED.replace('= "gpu"', "= GPU")) == {"safe"}
    assert "review" in classes(VERIFIED.replace("device", "file_name"))
    assert "review" in classes(VERIFIED.replace("parts[0] in", "parts[1] in"))


def test_the_first_part_of_a_name_is_typed() -> None:
    typed = ("    parts = name.split(':')", "    if parts[0] != 'cuda':", "    device_type = parts[1]", "x = 1")
    type_in_each_line(VERIFIED, typed, 1)


PINNED = """import torch
import config


def load(data):
    if "cuda" in config.get_default_device():
        data = data.pin_memory()
    return data
"""


def test_the_device_of_a_function_in_which_a_word_is_looked_for() -> None:
    """As in deepobs/pytorch/datasets/dataset.py, whose default device moves in another file."""
    assert classes(PINNED) == {"safe"}
    assert "review" in classes(PINNED.replace("get_default_device", "get_name"))
    assert "review" in classes(PINNED.replace('"cuda" in', '"cuda" =='))
    assert "review" in classes(PINNED.replace("get_default_device", "features_by_device"))
    assert "safe" not in classes(PINNED.replace("config", "onnxruntime"))


def test_the_device_of_a_function_is_typed() -> None:
    type_in_each_line(PINNED, ("    if 'cuda' in str(get_device()):", "    if 'cuda' in get_name():", "x = 1"), 1)


MATCHED = """import re
import torch


def index_of(device):
    if "cuda" not in device:
        return None
    match = re.match("([^:]+)(:[0-9]+)?$", device)
    assert match.group(1).lower() == "cuda", device
    return int(match.group(2)[1:])
"""


def test_the_first_group_of_a_device_that_is_matched() -> None:
    """As in mmdeploy/utils/device.py: the assertion raised for the ported default of another file."""
    assert classes(MATCHED) == {"safe"}
    assert classes(MATCHED.replace("match.group(1)", "match[1]")) == {"safe"}
    assert "review" in classes(MATCHED.replace("group(1)", "group(2)"))
    assert "review" in classes(MATCHED.replace('$", device)', '$", name)'))
    assert classes(MATCHED.replace('re.match("([^:]+)(:[0-9]+)?$", device)', "PATTERN.match(device)")) == {"safe"}


def test_the_first_group_of_a_device_is_typed() -> None:
    typed = ("    match = re.match('(.*)', name)", "    if match[1] == 'cuda':", "    kind = match.group(1)", "x = 1")
    type_in_each_line(MATCHED, typed, 2)
