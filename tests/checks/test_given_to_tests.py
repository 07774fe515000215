"""Tests of the devices that a test function gets from its parameters and fixtures, and of the strings it compares them
with."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import pytest\nimport torch\nimport torch_npu\n\n\n"
TEST = "def test_it({0}):\n    if {1} == 'cuda':\n        torch.ones(2).cuda()\n    torch.ones(2, device={1})\n"
MOVES = {
    "one parameter": "@pytest.mark.parametrize('device', ['cuda', 'cpu'])\n" + TEST.format("device", "device"),
    "rows": "@pytest.mark.parametrize('device, size', [('cuda', 1), ('cpu', 2)])\n"
    + TEST.format("device, size", "device"),
    "one of two": "@pytest.mark.parametrize('here, there', [('cuda', 'cpu')])\ndef test_it(here, there):\n"
    "    if 'cuda' in (here, there) and not torch.cuda.is_available():\n        pytest.skip()\n"
    "    torch.ones(2, device=here).to(there)\n",
    "names in a list": "@pytest.mark.parametrize(['device', 'size'], [('cuda', 1), ('cpu', 2)])\n"
    + TEST.format("device, size", "device"),
    "a member of the same name": "@pytest.fixture(params=[1])\ndef size(request):\n    return request.param\n\n\n"
    "class A:\n    def f(self):\n        if self.param == 'cuda':\n            torch.device(self.param)\n",
    "another column": "@pytest.mark.parametrize('size, dev', [(1, 'cuda'), (2, 'cpu')])\n"
    + TEST.format("size, dev", "dev"),
}
CLASS = "@parameterized_class({0})\nclass TestIt:\n    def test_it(self):\n        pass\n"
EXPAND = "@parameterized.expand({0})\ndef test_it(kind, size):\n    pass\n"
MOVES |= {
    "a column of a class": CLASS.format(
        "('device', 'size'), ([('cpu', 1), ('cuda', 1), ('cuda', 2)] if torch.cuda.is_available() else [('cpu', 1)])"
    ),
    "the only column of a class": CLASS.format(
        "('device',), [('cpu',), ('cuda',)] if torch.cuda.is_available() else [('cpu',)]"
    ),
    "a column of a class, by keyword": CLASS.format("'device', input_values=[('cpu',), ('cuda',)]"),
    "a question beside other strings": EXPAND.format("[('a', 1)] if torch.cuda.is_available() else []"),
    "a question that chooses the device": EXPAND.format("[torch.device('cuda' if torch.cuda.is_available() else 'x')]"),
    "a list that a loop goes through": "for kind in ['cuda'] if torch.cuda.is_available() else ['cpu']:\n    f(kind)\n",
}
FIXTURE = "@pytest.fixture(params=['cuda', 'cpu'])\ndef kind(request):\n{0}\n\n\n"
STAYS = {
    "the fixture's own test": FIXTURE.format("    if request.param == 'cuda':\n        torch.cuda.init()\n"),
    "a test that is given it": FIXTURE.format("    yield request.param\n") + TEST.format("kind", "kind"),
    "a blank line": "@pytest.fixture(params=['cuda', 'cpu'])\n\n# the device\ndef kind(request):\n    pass\n",
    "one more decorator": FIXTURE.format("    pass").replace("def kind", "@other\ndef kind")
    + TEST.format("kind", "kind"),
    "a column of a name that says nothing": CLASS.format(
        "('kind', 'size'), [('cuda', 1)] if torch.cuda.is_available() else []"
    ),
    "rows without names": EXPAND.format("[('cpu', 1), ('cuda', 1)] if torch.cuda.is_available() else [('cpu', 1)]"),
    "rows without names, after a negated question": EXPAND.format(
        "[] if not torch.cuda.is_available() else [('cuda', 1)]"
    ),
    "a list for a function of another file": "run(['cuda', 'host'] if torch.cuda.is_available() else ['host'])\n",
    "marks": "KINDS = [pytest.param('cuda', marks=pytest.mark.skipif(not torch.cuda.is_available(), reason='no'))]\n",
}


@pytest.mark.parametrize("name", MOVES)
def test_what_a_test_is_given_moves_with_what_it_asks(name: str) -> None:
    text = HEAD + MOVES[name]
    fixed = ENGINE.fix(Source(text)).text
    assert "cuda" not in fixed
    assert fixed == text.replace("cuda", "npu")


@pytest.mark.parametrize("name", STAYS)
def test_what_a_test_is_given_stays_with_what_it_asks(name: str) -> None:
    text = HEAD + STAYS[name]
    findings = ENGINE.check(Source(text)).findings
    assert {fix.applicability for finding in findings for fix in finding.fixes} == {"review"}
    assert ENGINE.fix(Source(text)).text == text


def test_an_unknown_list_of_implementations_is_not_reported() -> None:
    text = f"{HEAD}run(['cuda', 'triton'] if torch.cuda.is_available() else [])\n"
    assert [finding.rule for finding in ENGINE.check(Source(text)).findings] == ["cuda-api"]
    assert not ENGINE.check(Source(f"{HEAD}run([('cuda', 1)] if fast else [])\n")).findings


def test_typing_says_what_a_fresh_look_says() -> None:
    """The names of the columns, the rows and the condition may be typed in any order."""
    typing = engine_for("npu", Settings(locale="en"), remember=2)
    for code in (MOVES | STAYS).values():
        text = HEAD + code
        fresh = {step: ENGINE.check(Source(step)).findings for step in (text, HEAD)}
        typing.check(Source(text, "a.py"))
        for old, new in (("'cuda'", "'host'"), ("'device'", "'kind'"), ("torch.cuda.is_available()", "x"), ("(", "")):
            step = text.replace(old, new, 1)
            fresh[step] = ENGINE.check(Source(step)).findings
            for now in (step, text):
                assert typing.check(Source(now, "a.py")).findings == fresh[now], now
