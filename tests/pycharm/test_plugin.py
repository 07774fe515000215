"""Tests of the PyCharm plugin with Maven: its own tests, in JetBrains' core and with JetBrains' verifier.

pycharm-plugin/README.md says what these tests show and what they cannot show.
"""

import io
import re
import zipfile

import pytest

from scripts.compare_api import SURFACE, types

from .maven import clean, maven, results, zip_path

# Every test class that must have run, with the smallest number of tests that it must have.
EXPECTED = {
    "uncuda.core.InterpretersTest": 15,
    "uncuda.core.MessagesTest": 2,
    "uncuda.core.OptionsTest": 4,
    "uncuda.core.PortTest": 18,
    "uncuda.core.ProbeTest": 14,
    "uncuda.core.ReportTest": 6,
    "uncuda.core.ResultsTest": 4,
    "uncuda.core.SettingTest": 17,
    "uncuda.core.StartTest": 8,
    "uncuda.test.PluginXmlTest": 12,
    "uncuda.test.PortActionsTest": 12,
    "uncuda.test.PortActionsTest(lsp4j-1)": 2,
    "uncuda.test.PortWindowTest": 16,
    "uncuda.test.SettingsPageTest": 5,
    "uncuda.test.StartTest": 11,
    "uncuda.test.SessionTest": 14,
    "uncuda.test.SessionTest(lsp4j-1)": 14,
    "uncuda.verify.LayoutTest": 10,
    "uncuda.verify.StructureTest": 15,
    "uncuda.verify.VerifierTest": 4,
}

pytestmark = [pytest.mark.slow, pytest.mark.network]


@pytest.fixture(scope="module")
def ran() -> dict[str, tuple[int, int]]:
    """Build the plugin and run its tests; return for each test class how many tests it ran, and how many of them failed
    or were skipped."""
    clean()
    maven("package")
    return results()


@pytest.fixture(scope="module")
def classes(ran: dict[str, tuple[int, int]]) -> dict[str, str]:
    """Return the text of each class file in the shipped plugin, in which the names that the class uses can be found."""
    assert ran
    with (
        zipfile.ZipFile(zip_path()) as plugin,
        zipfile.ZipFile(io.BytesIO(plugin.read("uncuda/lib/uncuda.jar"))) as jar,
    ):
        return {name: jar.read(name).decode("latin-1") for name in jar.namelist() if name.endswith(".class")}


def test_everything(ran: dict[str, tuple[int, int]]) -> None:
    assert {name: number for name, (number, bad) in ran.items() if bad} == {}
    assert set(ran) == set(EXPECTED)
    assert {name: ran[name][0] for name, least in EXPECTED.items() if ran[name][0] < least} == {}
    assert zip_path().is_file()


def test_no_type_is_recorded_that_the_plugin_does_not_use(classes: dict[str, str]) -> None:
    """A type is used if the plugin names it, or a used type names it."""
    recorded = {
        re.sub(r"^\w*[@\w]:|<.*", "", head): lines
        for head, lines in types(SURFACE.read_text("utf-8").splitlines()).items()
    }
    text = "\n".join(classes.values())
    used = {name for name in recorded if re.search(re.escape(name.replace(".", "/")) + r"[^\w$/]", text)}
    more = set(used)
    while more:
        lines = "\n".join(line for name in more for line in recorded[name])
        more = {name for name in recorded.keys() - used if re.search(re.escape(name) + r"(?![\w$.])", lines)}
        used |= more
    assert recorded.keys() - used == set()


def test_no_newer_name_is_used(classes: dict[str, str]) -> None:
    """Types named LspClient… and LspIntegration… exist from 2026.1.4 on; the oldest supported IDE is 2025.2.1."""
    assert _naming(classes, "com/intellij/platform/lsp/api/(lsWidget/)?Lsp(Client|Integration)") == set()
    assert len(_naming(classes, "com/intellij/platform/lsp/api/LspServer")) > 2


def test_core_knows_no_ide(classes: dict[str, str]) -> None:
    """The package uncuda.core is tested without an IDE, so it may use neither the IDE nor Swing nor uncuda.ide."""
    core = {name for name in classes if name.startswith("uncuda/core/")}
    assert len(core) > 10
    knowing = _naming(classes, "(com/intellij|com/jetbrains|javax/swing|java/awt|uncuda/ide)/")
    assert core & knowing == set()
    assert "uncuda/ide/ServerAction.class" in knowing


def _naming(classes: dict[str, str], pattern: str) -> set[str]:
    return {name for name, text in classes.items() if re.search(pattern, text)}
