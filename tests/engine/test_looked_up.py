"""Tests that a condition such as `x.is_cuda`, behind which the code looks up a value in a dictionary of devices, is
fixed only together with the dictionary."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from support.portable import found, ported
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
BY_HAND = 'RUN = {"cuda": torch.cuda.nvtx.range_push, "cpu": print}\n'
"""A dictionary that gets no fix, because one of its values, `torch.cuda.nvtx.range_push`, has no fix."""
REVIEW = 'RUN = {"cuda": 16, "cpu": 8}\nprint(max(RUN.values()))\n'
"""A dictionary whose fix needs review, because the code does not only look up keys in it."""
SAFE = 'RUN = {"cuda": 16, "cpu": 8}\n'
HELD = {
    "behind the test": "def f(x):\n    if x.device.type == 'cuda':\n        return RUN[x.device.type]\n    return 1\n",
    "below": "def f(x):\n    if not x.is_cuda:\n        return 1\n    return RUN[x.device.type]\n",
    "in the same expression": "def f(x):\n    return RUN[x.device.type] if x.is_cuda else 1\n",
    "in a function that is called": (
        "def f(x):\n    return RUN[x.device.type]\ndef g(x):\n    if x.is_cuda:\n        return f(x)\n    return 1\n"
    ),
    "through a flag": "def f(x):\n    fast = x.is_cuda\n    if fast:\n        return RUN[x.device.type]\n",
}
FREE = {
    "a constant key": "def f(x):\n    if x.device.type == 'cuda':\n        return RUN['cpu']\n    return 1\n",
    "another way": "def f(x):\n    if x.is_cuda:\n        return x\n    return RUN[x.device.type]\n",
    "another object's": "def f(a, x):\n    if x.is_cuda:\n        return a.RUN[x.device.type]\n",
    "no lookup": "def f(x):\n    if x.is_cuda:\n        RUN.clear()\n",
    "another name": "def f(x, OTHER):\n    if x.is_cuda:\n        return OTHER[x.device.type]\n",
}


def classes_of(code: str) -> dict[str, str]:
    """Return the class of the first fix of each finding, by the source text of the finding; "manual" if there is no
    fix."""
    text = HEAD + code
    findings = ENGINE.check(Source(text)).findings
    return {
        text[one.span.start : one.span.end]: one.fixes[0].applicability if one.fixes else "manual" for one in findings
    }


def question_of(code: str) -> str:
    """Return the fix class of the condition in `code` that asks for CUDA; `code` contains only one such condition."""
    found = classes_of(code)
    return found.get("'cuda'") or found["is_cuda"]


@pytest.mark.parametrize("code", HELD.values(), ids=HELD)
def test_a_test_around_a_lookup_has_the_class_of_the_dictionary(code: str) -> None:
    assert question_of(BY_HAND + code) == "manual"
    assert question_of(REVIEW + code) == "review"
    assert question_of(SAFE + code) == "safe"


@pytest.mark.parametrize("code", FREE.values(), ids=FREE)
def test_any_other_test_is_safe(code: str) -> None:
    assert question_of(BY_HAND + code) == "safe"


def test_a_dictionary_that_is_looked_up_where_it_is_written() -> None:
    lookup = BY_HAND.replace("RUN =", "return").replace("\n", "[x.device.type]\n")
    assert classes_of(f"def f(x):\n    if x.is_cuda:\n        {lookup}")["is_cuda"] == "manual"


def test_a_dictionary_of_another_function() -> None:
    local = f"def g(d):\n    {BY_HAND}    return RUN[d]\n"
    assert classes_of(local + HELD["below"])["is_cuda"] == "safe"


@pytest.mark.parametrize("assigned", ["class A:\n    RUN", "class A:\n    def __init__(self):\n        self.RUN"])
def test_a_dictionary_of_an_object(assigned: str) -> None:
    code = "    def f(self, x):\n        if x.is_cuda:\n            return self.RUN[x.device.type]\n"
    assert classes_of(BY_HAND.replace("RUN", assigned) + code)["is_cuda"] == "manual"


def test_the_fix_of_the_test_adds_the_entry() -> None:
    text = HEAD + SAFE + HELD["below"]
    finding = next(
        one for one in ENGINE.check(Source(text)).findings if "is_cuda" in text[one.span.start : one.span.end]
    )
    assert any('"npu": 16' in edit.text for edit in finding.fixes[0].edits)


def test_the_message_says_why() -> None:
    text = HEAD + BY_HAND + HELD["below"]
    messages = [one.message for one in ENGINE.check(Source(text)).findings if not one.fixes]
    assert any("it guards a lookup in a dictionary without an entry for the target" in one for one in messages)


@pytest.mark.parametrize("code", [SAFE, REVIEW])
def test_nothing_is_half_portable(code: str) -> None:
    text = "import torch\n\n" + code + HELD["behind the test"]
    assert [bool(one.fixes) for one in found(text)] == [False, False]
    assert ported(text, review=True) == text


@pytest.mark.parametrize(
    ("entries", "code", "due"),
    [
        (REVIEW, "def f(x, device='cuda'):\n    return RUN[device](x)\n", "review"),
        (BY_HAND, "def f(x, *, kind='cuda'):\n    return RUN[kind](x)\n", "manual"),
        (SAFE, "def f(x, device='cuda'):\n    return RUN[device](x)\n", "safe"),
        (REVIEW, "def f(x, device='cuda', kind=0):\n    return RUN[kind](x.to(device))\n", "safe"),
        (REVIEW, "def f(x, device='cuda'):\n    return x.to(device)\ndef g(device):\n    return RUN[device]\n", "safe"),
        (REVIEW, "def f(x, device='cuda'):\n    return RUN['cpu'](x.to(device))\n", "safe"),
        (REVIEW, "p.add_argument('--device', default='cuda')\nRUN[args.device](x)\n", "review"),
        (SAFE, "p.add_argument('--device', default='cuda')\nRUN[args.device](x)\n", "safe"),
        (REVIEW, "p.add_argument('--device', default='cuda')\nRUN[args.kind](x.to(args.device))\n", "safe"),
    ],
)
def test_a_default_by_which_a_dictionary_is_asked(entries: str, code: str, due: str) -> None:
    """As in `build_dp` of mmtracking, and an option of Chinese-CLIP."""
    text = HEAD + entries + code
    (found,) = (
        one
        for one in ENGINE.check(Source(text)).findings
        if one.rule == "device-string" and one.span.start >= len(HEAD + entries)
    )
    assert (found.fixes[0].applicability if found.fixes else "manual") == due


def test_a_default_by_which_a_dictionary_is_asked_is_typed() -> None:
    text = HEAD + REVIEW + "\n\ndef f(x, device='cuda'):\n    x = x.cuda()\n    return RUN[device](x)\n"
    type_in_each_line(text, ("y = RUN[device]", "device = 'cuda'", "def g(device='cuda'):"), 2)
    option = HEAD + REVIEW + "p.add_argument('--device', default='cuda')\nx = RUN[args.device](x)\n"
    type_in_each_line(option, ("y = RUN[args.device]", "p.add_argument('--device')"), 2)


@pytest.mark.parametrize(
    ("code", "due"),
    [
        ("ok = {'npu': f(), 'cuda': torch.cuda.is_available()}\n", "review"),
        ("ok = {'cuda': torch.cuda.is_available() and x, 'cpu': True}\n", "review"),
        ("ok = {'cpu': 1, 'cuda': torch.cuda.device_count()}\n", "review"),
        ("ok = dict(cuda=torch.cuda.is_available(), cpu=True)\n", "review"),
        ("ok = {}\nok['cuda'] = torch.cuda.is_available()\n", "review"),
        ("ok = {'gpu': torch.cuda.is_available()}\n", "safe"),
        ("ok = f(cuda=torch.cuda.is_available())\n", "safe"),
        ("ok['gpu'] = torch.cuda.is_available()\n", "safe"),
        ("print({'CUDA available': torch.cuda.is_available()})\n", "safe"),
        ("ok = {torch.cuda.is_available(): 'x'}\n", "safe"),
    ],
)
def test_whether_there_is_a_device_by_its_name(code: str, due: str) -> None:
    """As in `get_device` of mmtracking, which returns the first key with a true value."""
    classes = classes_of(code)
    (name,) = (one for one in classes if one.startswith("torch.cuda."))
    assert classes[name] == due


def test_whether_there_is_a_device_by_its_name_is_typed() -> None:
    text = "import torch\n\n\ndef f():\n    ok = {\n        'cuda': torch.cuda.is_available(),\n    }\n    return ok\n"
    type_in_each_line(text, ("'cpu': True,", "ok['cuda'] = torch.cuda.is_available()", "'gpu': 1,"), 3)
