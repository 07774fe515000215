"""Tests of uses of a call's result: fields that the target does not fill, numbers that differ on the target, and
members of the object."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.engine import Finding
from uncuda.limits import Limits, Work
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
PROPERTIES = "torch.cuda.get_device_properties"
CAPABILITY = "torch.cuda.get_device_capability"


def findings(text: str, target: str, **settings: object) -> list[Finding]:
    made = engine_for(target, Settings(locale="en", **settings))  # type: ignore[arg-type]
    return list(made.check(Source(f"import torch\n{text}")).findings)


def classes(text: str, target: str, name: str, **settings: object) -> set[str]:
    """Return the classes of the fixes at all occurrences of a name."""
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
        f"x = {PROPERTIES}(0)\nprint(x)\n\n\ndef f(p):\n    return p.major",
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
    assert classes(text, "npu", PROPERTIES, target_version="2.10.0") == {"safe"}
    assert classes(text, "npu", PROPERTIES, target_version="2.7.1") == {"review"}
    assert classes(text, "musa", PROPERTIES) == {"safe"}
    # on MUSA the object has no field `warp_size`
    assert classes(f"p = {PROPERTIES}(0)\nx = p.warp_size\n", "musa", PROPERTIES) == {"review"}


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
        f'name = "sm_{{}}{{}}".format(*{CAPABILITY}())\nlog(name)',
        f"cc = {CAPABILITY}()\nlogger.info(f'{{cc[0]}}.{{cc[1]}}')",
        f"info = dict(capability={CAPABILITY}())\nfor key, value in info.items():\n    print(key, value)",
        f"self.cc = {CAPABILITY}()\nprint(f'{{self.cc}}')",
        f"print('.'.join(map(str, {CAPABILITY}())))",
        f"print('.'.join(str(x) for x in {CAPABILITY}()))",
        f"raise RuntimeError(f'no kernel for {{{CAPABILITY}()}}')",
        f"def describe():\n    return f'sm_{{{CAPABILITY}()[0]}}'\n\n\nprint(describe())",
        f"class A:\n    def __repr__(self):\n        return f'{{{CAPABILITY}()}}'",
        f"def main():\n    lines = []\n    lines.append(f'cc {{{CAPABILITY}()}}')\n    print(lines)",
        f"import json\ninfo = {{'cc': {CAPABILITY}()}}\nprint(json.dumps(info))",
        f"def f():\n    cc = {CAPABILITY}()",
        "if hasattr(torch.cuda, 'get_device_capability'):\n    pass\n" + f"print({CAPABILITY}())",
        f"cc = {CAPABILITY}() if fast else None\nif cc is None:\n    pass",
        f"cc = {CAPABILITY}()\nprint(cc)\n\n\ndef f(cc):\n    return cc >= (8, 0)",
    ],
)
def test_numbers_that_are_shown_are_safe(text: str) -> None:
    assert classes(text, "musa", CAPABILITY) == {"safe"}


CARRIED = {
    "by a property": f"class A:\n    @property\n    def cc(self):\n        return {CAPABILITY}()\n\n"
    "    def f(self):\n        return self.cc >= (8, 0)",
    "by an attribute of a class": f"class A:\n    cc = {CAPABILITY}()\n\n"
    "    def f(self):\n        return self.cc[0] >= 8",
    "by another name of the object": f"class A:\n    def __init__(self):\n        self.cc = {CAPABILITY}()\n\n\n"
    "a = A()\nx = a.cc >= (8, 0)",
    "as a key": f"TABLE = {{(8, 0): 1}}\nprint(TABLE[{CAPABILITY}()])",
    "as a part of a key": f"print(TABLE[name, {CAPABILITY}()[0]])",
    "as a bound": f"cc = {CAPABILITY}()\nprint(names[: cc[0]])",
    "by a match": f"match {CAPABILITY}():\n    case (8, 0):\n        pass",
    "by map": f"fast = all(cc >= (8, 0) for cc in map({CAPABILITY}, range(n)))",
    "by partial": f"get = partial({CAPABILITY}, 0)\nx = get() >= (8, 0)",
    "by a lambda": f"get = lambda: {CAPABILITY}()\nx = get() >= (8, 0)",
    "in a dictionary": f"info = {{'cc': {CAPABILITY}()}}\nx = info['cc'] >= (8, 0)",
    "in a dict()": f"info = dict(cc={CAPABILITY}())\nx = info['cc'][0] >= 8",
    "in a dictionary that grows": f"info['cc'] = {CAPABILITY}()\nx = info.get('cc') >= (8, 0)",
    "in a dictionary of all": f"info = {{i: {CAPABILITY}(i) for i in range(n)}}\nx = info[0] >= (8, 0)",
    "in a set": f"x = {{{CAPABILITY}(i) for i in range(n)}} == {{(8, 0)}}",
    "in a text": f"s = f'sm_{{{CAPABILITY}()}}'\nx = s in archs",
    "in a formatted text": f"s = 'sm_%d%d' % {CAPABILITY}()\nx = s in archs",
    "in a text that grows": f"s += str({CAPABILITY}())\nx = s == 'y'",
    "by a name alone in a text": f"cc = {CAPABILITY}()\ns = f'{{cc}}'\nx = s == '(8, 0)'",
    "by a default": f"def f(cc={CAPABILITY}()):\n    return cc >= (8, 0)",
    "by a generator": f"def f():\n    yield {CAPABILITY}()\n\n\nx = next(f()) >= (8, 0)",
    "as a condition": f"cc = {CAPABILITY}()\nif cc[1]:\n    pass",
    "by the environment": f"import os\nos.environ['ARCH'] = str({CAPABILITY}())",
    "by another module": f"import lib\nlib.check({CAPABILITY}())",
    "by whoever calls": f"def cc():\n    return {CAPABILITY}()",
    "by whoever reads": f"CC = {CAPABILITY}()",
    "by a method": f"class A:\n    get = {CAPABILITY}\n\n    def f(self):\n        return self.get() >= (8, 0)",
    "by setattr": f"setattr(self, 'cc', {CAPABILITY}())\nx = self.cc >= (8, 0)",
    "by getattr": f"self.cc = {CAPABILITY}()\nprint(self.cc, getattr(self, 'cc')[0] >= 8)",
}


@pytest.mark.parametrize("name", CARRIED)
def test_numbers_that_are_followed_to_no_harmless_use_are_for_review(name: str) -> None:
    assert classes(CARRIED[name], "musa", CAPABILITY) == {"review"}


def test_an_attribute_that_is_asked_by_its_name_is_followed() -> None:
    text = "x = getattr(torch.cuda, 'get_device_capability')(){}"
    assert classes(text.format(" >= (8, 0)"), "musa", "torch.cuda") == {"review"}
    assert classes(f"print({text[4:].format('')})", "musa", "torch.cuda") == {"safe"}


OBJECTS = {
    "by a property": f"class A:\n    @property\n    def p(self):\n        return {PROPERTIES}(0)\n\n\n"
    "print(A().p.warp_size)",
    "by the values": f"ps = {{i: {PROPERTIES}(i) for i in range(n)}}\nfor p in ps.values():\n    f(p.warp_size)",
    "by the items": f"ps = {{i: {PROPERTIES}(i) for i in range(n)}}\nfor i, p in ps.items():\n    f(p.warp_size)",
    "by zip": f"ps = [{PROPERTIES}(i) for i in range(n)]\nfor i, p in zip(names, ps):\n    f(p.warp_size)",
    "by any name": f"x = getattr({PROPERTIES}(0), name)",
    "by vars": f"x = vars({PROPERTIES}(0))",
    "by hasattr": f"x = hasattr({PROPERTIES}(0), 'warp_size')",
    "by another module": f"import dataclasses\nx = dataclasses.asdict({PROPERTIES}(0))",
}


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_that_is_followed_to_no_harmless_use_is_for_review(name: str, target: str) -> None:
    assert classes(OBJECTS[name], target, PROPERTIES) == {"review"}


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize(
    "text",
    [
        f"for p in map({PROPERTIES}, range(n)):\n    print(p.name)",
        f"ps = [{PROPERTIES}(i) for i in range(n)]\nprint([p.name for p in ps], sum(p.total_memory for p in ps))",
        f"ps = [{PROPERTIES}(i) for i in range(n)]\nfor name, p in zip(names, ps):\n    print(name.upper(), p.name)",
        f"s = ''\nfor i in range(n):\n    p = {PROPERTIES}(i)\n    s += f'{{p.name}} {{p.total_memory}}'\nlog.info(s)",
    ],
)
def test_an_object_whose_filled_fields_are_read_is_safe(text: str, target: str) -> None:
    assert classes(text, target, PROPERTIES) == {"safe"}


def test_the_fields_that_hold_these_numbers_are_for_review_where_they_are_compared() -> None:
    assert classes(f"p = {PROPERTIES}(0)\nif p.major >= 8:\n    pass", "musa", PROPERTIES) == {"review"}
    assert classes(f"p = {PROPERTIES}(0)\nif (p.major, p.minor) >= (8, 0):\n    pass", "musa", PROPERTIES) == {"review"}
    assert classes(f"p = {PROPERTIES}(0)\nprint(p.major, p.minor)", "musa", PROPERTIES) == {"safe"}


@pytest.mark.parametrize("patch", ["torch.cuda.{0} = f", "setattr(torch.cuda, '{0}', f)"])
def test_a_function_that_is_replaced_changes_with_its_uses(patch: str) -> None:
    name = CAPABILITY.rpartition(".")[2]
    text = f"{patch.format(name)}\nx = {CAPABILITY}() >= (8, 0)\n"
    assert [fix.applicability for found in findings(text, "musa") for fix in found.fixes] == ["review", "review"]


GROWING = {
    "functions": "def f{0}():\n    return {1}()\n\n\nprint(f{0}())\n",
    "names": "cc{0} = {1}()\nprint(cc{0})\n",
    "attributes": "self.cc{0} = {1}()\nprint(self.cc{0})\n",
}


@pytest.mark.parametrize("name", GROWING)
def test_each_function_and_name_is_looked_for_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    works: list[Work] = []

    def made(limits: Limits) -> Work:
        works.append(Work(limits))
        return works[-1]

    monkeypatch.setattr("uncuda.engine.Work", made)
    for size in (200, 800):
        findings("".join(GROWING[name].format(i, CAPABILITY) for i in range(size)), "musa")
    small, large = (work.comparisons for work in works)
    assert large < 4.5 * small


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
    engine = engine_for("npu", Settings(locale="en"), remember=4)
    text = f"import torch\n\np = {PROPERTIES}(0)\nprint(p)\np.name\n"
    assert [f.fixes[0].applicability for f in engine.check(Source(text, path="a.py")).findings] == ["safe"]
    typed = text.replace("p.name", "p.major")
    assert [f.fixes[0].applicability for f in engine.check(Source(typed, path="a.py")).findings] == ["review"]
