"""Tests of the PyCharm plugin with Maven: its own tests, in JetBrains' core and with JetBrains' verifier.

pycharm-plugin/README.md says what these tests show and what they cannot show.
"""

import pytest

from .maven import clean, maven, results, zip_path

# Every test class that must have run, with the smallest number of tests that it must have.
EXPECTED = {
    "uncuda.core.InterpretersTest": 15,
    "uncuda.core.MessagesTest": 2,
    "uncuda.core.OptionsTest": 4,
    "uncuda.core.PortTest": 17,
    "uncuda.core.ProbeTest": 14,
    "uncuda.core.ReportTest": 6,
    "uncuda.core.ResultsTest": 4,
    "uncuda.core.SettingTest": 17,
    "uncuda.core.StartTest": 8,
    "uncuda.surface.SurfaceTest": 5,
    "uncuda.test.PluginXmlTest": 12,
    "uncuda.test.PortActionsTest": 12,
    "uncuda.test.PortActionsTest(lsp4j-1)": 2,
    "uncuda.test.PortWindowTest": 15,
    "uncuda.test.SettingsPageTest": 5,
    "uncuda.test.StartTest": 11,
    "uncuda.test.SessionTest": 14,
    "uncuda.test.SessionTest(lsp4j-1)": 14,
    "uncuda.verify.LayoutTest": 10,
    "uncuda.verify.StructureTest": 15,
    "uncuda.verify.VerifierTest": 4,
}

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("pycharm")]


def test_everything() -> None:
    clean()
    maven("package")
    ran = results()
    assert {name: number for name, (number, bad) in ran.items() if bad} == {}
    assert set(ran) == set(EXPECTED)
    assert {name: ran[name][0] for name, least in EXPECTED.items() if ran[name][0] < least} == {}
    assert zip_path().is_file()
