"""What a text does with the result of a call: fields that are not filled, numbers of CUDA's, members of its own."""

from __future__ import annotations

import pytest

from uncuda.catalogue import load
from uncuda.engine import Engine, Finding
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
PROPERTIES = "torch.cuda.get_device_properties"
CAPABILITY = "torch.cuda.get_device_capability"


def findings(text: str, target: str, **settings: object) -> list[Finding]:
    made = Engine(CATALOGUE, target, Settings(locale="en", **settings))  # type: ignore[arg-type]
    return list(made.check(Source(f"import torch\n{text}")).findings)


def classes(text: str, target: str, name: str, **settings: object) -> set[str]:
    """The classes of the fixes where a name is spelled."""
    found = [finding for finding in findings(text, target, **settings) if f"`{name}`" in finding.message]
    assert found
    return {fix.applicability for finding in found for fix in finding.fixes}


FIELDS = {
    "at the call": f"x = {PROPERTIES}(0).major",
    "through a name": f"p = {PROPERTIES}(0)\nprint(p.major, p.minor)",
    "in a string": f'p = {PROPERTIES}(0)\nx = f"{{p.major}}.{{p.minor}}"',
    "through an attribute": f"class A:\n    def __init__(self):\n        self.p = {PROPERTIES}(0)\n\n"
    "    def f(self):\n        return self.p.major",
    "in a loop over devices": f"for i in range(n):\n    p = {PROPERTIES}(i)\n    print(p.name, p.major)",
    "of a list": f"ps = [{PROPERTIES}(i) for i in range(n)]\nx = ps[0].major",
    "in a loop over a list": f"ps = [{PROPERTIES}(i) for i in range(n)]\nfor i, p in enumerate(ps):\n    f(p.minor)",
    "in a comprehension": f"ps = [{PROPERTIES}(i) for i in range(n)]\nx = [p.major for p in ps]",
    "of a list that grows": f"ps = []\nps.append({PROPERTIES}(0))\nx = ps[0].major",
    "by its name": f'p = {PROPERTIES}(0)\nx = getattr(p, "warp_size", 32)',
    "in an expression": f"if (p := {PROPERTIES}(0)).major >= 8:\n    pass",
    "of what a function returns": f"def props():\n    return {PROPERTIES}(0)\n\n\nx = props().major",
    "of what a function is given": f"def f(p):\n    return p.major\n\n\nf({PROPERTIES}(0))",
    "through an alias": f"get = {PROPERTIES}\nx = get(0).major",
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_that_is_not_filled_is_for_review(name: str) -> None:
    found = [each for each in findings(FIELDS[name], "npu") if f"`{PROPERTIES}`" in each.message]
    assert {fix.applicability for each in found for fix in each.fixes} == {"review"}
    assert any("a field is read that is not filled: `" in each.message for each in found)


@pytest.mark.parametrize(
    "text",
    [
        f"p = {PROPERTIES}(0)\nprint(p.name, p.total_memory / 2**30, p)",
        f"x = {PROPERTIES}(0)\n\n\ndef f(p):\n    return p.major",
        f"def f():\n    p = {PROPERTIES}(0)\n    return p.name\n\n\ndef g(p):\n    return p.major",
        f"log({PROPERTIES}(0))",
    ],
)
@pytest.mark.parametrize("target", ["npu", "musa"])
def test_other_fields_are_safe(text: str, target: str) -> None:
    assert classes(text, target, PROPERTIES) == {"safe"}


def test_what_is_filled_hangs_on_the_version() -> None:
    text = f"p = {PROPERTIES}(0)\nblocks = p.multi_processor_count * 2\n"
    assert classes(text, "npu", PROPERTIES, target_version="2.14.0") == {"safe"}
    assert classes(text, "npu", PROPERTIES, target_version="2.7.1") == {"safe"}
    assert classes(text, "npu", PROPERTIES, target_version="2.6.0") == {"review"}
    assert classes(text, "musa", PROPERTIES) == {"safe"}
    assert classes(f"p = {PROPERTIES}(0)\nx = p.warp_size\n", "musa", PROPERTIES) == {"review"}  # it has none


COMPARED = {
    "whole": f"x = {CAPABILITY}() >= (8, 0)",
    "its item": f"x = {CAPABILITY}()[0] >= 8",
    "of a device": f"x = {CAPABILITY}(0)[0] < 7",
    "unpacked": f"major, minor = {CAPABILITY}()",
    "unpacked by a loop": f"for major, minor in [{CAPABILITY}(i) for i in range(n)]:\n    pass",
    "given in parts": f"check(*{CAPABILITY}())",
    "through a name": f"cc = {CAPABILITY}()\nif cc >= (7, 5):\n    pass",
    "its item, through a name": f"cc = {CAPABILITY}()\nif cc[0] >= 8:\n    pass",
    "through two names": f"cc = {CAPABILITY}()\nmajor = cc[0]\nassert major >= 8",
    "through an attribute": f"class A:\n    def __init__(self):\n        self.cc = {CAPABILITY}()\n\n"
    "    def f(self):\n        return self.cc[0] >= 8",
    "computed": f"cc = {CAPABILITY}()\nsm = cc[0] * 10 + cc[1]\nfast = sm >= 80",
    "as a number": f'cc = {CAPABILITY}()\nif float(f"{{cc[0]}}.{{cc[1]}}") >= 8.0:\n    pass',
    "returned": f"def cc():\n    return {CAPABILITY}()[0]\n\n\nx = cc() >= 8",
    "the lowest": f"x = min({CAPABILITY}(i) for i in range(n)) >= (8, 0)",
    "one of some": f"x = {CAPABILITY}() in [(8, 0), (9, 0)]",
}


@pytest.mark.parametrize("name", COMPARED)
def test_numbers_that_are_compared_are_for_review_where_they_are_others(name: str) -> None:
    found = [each for each in findings(COMPARED[name], "musa") if f"`{CAPABILITY}`" in each.message]
    assert {fix.applicability for each in found for fix in each.fixes} == {"review"}
    assert all("no threshold of CUDA's applies: `" in each.message for each in found)
    assert not classes(COMPARED[name], "npu", CAPABILITY)


@pytest.mark.parametrize(
    "text",
    [
        f"print({CAPABILITY}())",
        f'print("sm_%d%d" % {CAPABILITY}())',
        f'name = "sm_{{}}{{}}".format(*{CAPABILITY}())',
        f"cc = {CAPABILITY}()\nlogger.info(f'{{cc[0]}}.{{cc[1]}}')",
        f"info = dict(capability={CAPABILITY}())",
        f"self.cc = {CAPABILITY}()",
        f"cc = {CAPABILITY}() if fast else None\nif cc is None:\n    pass",
        f"cc = {CAPABILITY}()\n\n\ndef f(cc):\n    return cc >= (8, 0)",
    ],
)
def test_numbers_that_are_shown_or_kept_are_safe(text: str) -> None:
    assert classes(text, "musa", CAPABILITY) == {"safe"}


def test_the_fields_that_hold_these_numbers_are_for_review_where_they_are_compared() -> None:
    assert classes(f"p = {PROPERTIES}(0)\nif p.major >= 8:\n    pass", "musa", PROPERTIES) == {"review"}
    assert classes(f"p = {PROPERTIES}(0)\nif (p.major, p.minor) >= (8, 0):\n    pass", "musa", PROPERTIES) == {"review"}
    assert classes(f"p = {PROPERTIES}(0)\nprint(p.major, p.minor)", "musa", PROPERTIES) == {"safe"}


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize(
    "text",
    [
        "torch.cuda.cudart().cudaProfilerStart()",
        "rt = torch.cuda.cudart()\nrt.cudaProfilerStart()\nrun()\nrt.cudaProfilerStop()",
        "from torch.cuda import cudart\ncudart().cudaProfilerStop()",
    ],
)
def test_the_switch_of_the_profiler_leads_to_the_profiler(target: str, text: str) -> None:
    found = findings(text, target)[-1]
    assert found.rule == "cuda-profiler"
    assert CATALOGUE.target(target).words["profiler"] in found.message
    assert "npurt" not in found.message and "musart" not in found.message
    assert not found.fixes


@pytest.mark.parametrize("text", ["x = torch.cuda.cudart()", "torch.cuda.cudart().cudaHostRegister(p, n, 0)"])
def test_other_functions_of_the_runtime_keep_their_advice(text: str) -> None:
    assert [found.rule for found in findings(text, "npu")] == ["cuda-api-replaced"]


def test_a_rule_that_is_switched_off_keeps_its_members() -> None:
    assert not findings("torch.cuda.cudart().cudaProfilerStart()", "npu", ignore=("cuda-profiler",))


def test_a_use_that_is_typed_counts_at_once() -> None:
    engine = Engine(CATALOGUE, "npu", Settings(locale="en"), remember=4)
    text = f"import torch\n\np = {PROPERTIES}(0)\nprint(p)\np.name\n"
    assert [f.fixes[0].applicability for f in engine.check(Source(text, path="a.py")).findings] == ["safe"]
    typed = text.replace("p.name", "p.major")
    assert [f.fixes[0].applicability for f in engine.check(Source(typed, path="a.py")).findings] == ["review"]
