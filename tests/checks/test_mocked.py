"""Tests of the names of torch.cuda that a test reads from a mock of the whole module torch."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "from unittest.mock import patch\nimport pytest\nimport torch\nimport torch_npu\n\n\n"
MODULE = "app.device.torch"
MOVED = ENGINE.knowing(Project(carried=frozenset({("npu", "test_a.py", MODULE)})))
ASKED = "    {0}.cuda.is_available.return_value = True\n    run()\n    {0}.cuda.set_device.assert_called_with(1)\n"
MOCKS = {
    "a parameter": f'@patch("{MODULE}")\ndef test(mock):\n' + ASKED.format("mock"),
    "a parameter called torch": f'@patch("{MODULE}")\ndef test(torch):\n' + ASKED.format("torch"),
    "a method": f'class TestIt:\n    @patch("{MODULE}", autospec=True)\n    def test(self, mock):\n'
    + ASKED.format("mock").replace("    ", "        "),
    "one of several": f'@patch("{MODULE}")\n@pytest.mark.slow\n@patch("app.x", 3)\n@patch("app.y")\n'
    "@patch.object(app, 'z')\ndef test(z, y, mock):\n" + ASKED.format("mock"),
    "a with": f'def test():\n    with patch("app.x") as x, patch("{MODULE}") as mock:\n'
    + ASKED.format("mock").replace("    ", "        "),
}
OTHERS = {
    "a mock of another module": '@patch("app.device.torches")\ndef test(mock):\n' + ASKED.format("mock"),
    "another parameter": f'@patch("{MODULE}")\ndef test(mock, other):\n' + ASKED.format("other"),
    "an object that replaces torch": f'@patch("{MODULE}", fake)\ndef test(mock):\n' + ASKED.format("mock"),
    "a function in the test": f'@patch("{MODULE}")\ndef test(mock):\n    def f(mock):\n'
    + ASKED.format("mock").replace("    ", "        "),
    "methods of the mock": f'@patch("{MODULE}")\ndef test(mock):\n    mock.cuda.reset_mock()\n',
}
MARK = "@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\n"


def classes(text: str, engine: Engine = ENGINE) -> list[str]:
    found = engine.check(Source(text, "test_a.py")).findings
    return [one.fixes[0].applicability if one.fixes else "by hand" for one in found]


@pytest.mark.parametrize("code", MOCKS.values(), ids=MOCKS)
def test_a_mock_of_torch_changes_if_the_code_under_test_is_known_to_change(code: str) -> None:
    text = HEAD + code
    assert classes(text) == ["review", "review"]
    assert ENGINE.fix(Source(text, "test_a.py")).text == text
    assert classes(text, MOVED) == ["safe", "safe"]
    assert MOVED.fix(Source(text, "test_a.py")).text == text.replace(".cuda", ".npu")
    assert ENGINE.fix(Source(text, "test_a.py"), review=True).text == text.replace(".cuda", ".npu")


@pytest.mark.parametrize("code", OTHERS.values(), ids=OTHERS)
def test_other_variables_are_no_mock_of_torch(code: str) -> None:
    assert classes(HEAD + code) == []


def test_the_message_says_why() -> None:
    (found, _) = ENGINE.check(Source(HEAD + MOCKS["a parameter"])).findings
    assert "the code under test has to call the new name, and this file does not show it" in found.message


def test_the_mark_of_such_a_test_moves_only_with_the_mock() -> None:
    text = HEAD + MARK + MOCKS["a parameter"]
    assert classes(text) == ["review"] * 3
    assert ENGINE.fix(Source(text, "test_a.py")).text == text
    assert MOVED.fix(Source(text, "test_a.py")).text == text.replace("cuda", "npu")
    assert classes(text.replace(MODULE, "app.device")) == ["safe"]


def test_a_name_that_the_target_lacks_keeps_the_others_of_the_mock() -> None:
    text = HEAD + MOCKS["a parameter"] + "    mock.cuda.get_device_capability.return_value = (8, 0)\n"
    assert classes(text, MOVED) == ["by hand"] * 3


def test_typing_says_what_a_fresh_look_says() -> None:
    typing = engine_for("npu", Settings(locale="en"), remember=2)
    for code in MOCKS.values():
        text = HEAD + MARK + code if code.startswith("@") else HEAD + code
        typing.check(Source(text, "test_a.py"))
        for line in text.splitlines(keepends=True)[4:]:
            indent = line[: len(line) - len(line.lstrip())]
            for typed in ("", "mock.cuda.synchronize()", "pass", f'@patch("{MODULE}")'):
                step = text.replace(line, f"{indent}{typed}\n", 1)
                for now in (step, text):
                    source = Source(now, "test_a.py")
                    assert typing.check(source).findings == ENGINE.check(source).findings, now
