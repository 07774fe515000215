"""Checks of the PyCharm plugin's files that need no Java."""

import json
import re
import subprocess
import sys
from pathlib import Path

from support.imports import ROOT
from uncuda.catalogue import load
from uncuda.settings import EDITOR_OPTIONS, OPTIONS, Vocabulary, read_editor

PLUGIN = ROOT / "pycharm-plugin"
SURFACE = PLUGIN / "api-surface.txt"
VOCABULARY = Vocabulary(tuple(load().declarations), tuple(load().rules))
COMPARE = ROOT / "server" / "scripts" / "compare_api.py"


def test_settings_of_the_page_are_those_of_the_server() -> None:
    """Each setting has the values that the server accepts; the first is the default, which is stored as an empty
    value."""
    text = (PLUGIN / "plugin/src/main/resources/settings.json").read_text(encoding="utf-8")
    page = {setting["name"]: setting for setting in json.loads(text)}
    options = {option.name: option for option in (*OPTIONS, *EDITOR_OPTIONS)}
    assert options.keys() - page.keys() == {"fail-level", "workers"}  # these settings are only for the command line
    for name, setting in page.items():
        values = [choice["value"] for choice in setting.get("choices", ())]
        for value in (value for value in values if value not in ("", "true", "false")):
            read = read_editor({setting["key"]: value}, VOCABULARY)
            assert not (read.problems or read.unknown), name
        assert values[:1] in ([], [""]), name
    assert [one["en"] for one in page["code-lens"]["choices"]] == ["No", "Yes"]
    assert page["max-depth"]["most"] == options["max-depth"].most


def test_one_version() -> None:
    """All files state the same version: every pom, plugin.xml and the Gradle build, which also states since-build."""
    found = set()
    for pom in [PLUGIN / "pom.xml", *PLUGIN.glob("*/pom.xml")]:
        text = pom.read_text(encoding="utf-8")
        found |= set(re.findall(r"<artifactId>pycharm</artifactId>\s*<version>([^<]+)<", text))
    descriptor = (PLUGIN / "plugin/src/main/resources/META-INF/plugin.xml").read_text(encoding="utf-8")
    gradle = (PLUGIN / "gradle/build.gradle.kts").read_text(encoding="utf-8")
    assert found == set(re.findall(r"<version>([^<]+)<", descriptor))
    assert found == set(re.findall(r'^version = "([^"]+)"', gradle, re.M))
    assert len(found) == 1
    since = re.findall(r'since-build="([^"]+)"', descriptor)
    assert re.findall(r'sinceBuild = "([^"]+)"', gradle) == since


def test_gradle_build_says_that_it_is_not_run() -> None:
    for file in (PLUGIN / "gradle").glob("*.kts"):
        assert "not run here" in file.read_text(encoding="utf-8").splitlines()[0].lower(), file


def test_template_for_lsp4ij() -> None:
    folder = PLUGIN / "lsp4ij"
    template = json.loads((folder / "template.json").read_text(encoding="utf-8"))
    assert template["programArgs"] == {"default": "uncuda server --stdio"}
    assert [mapping["languageId"] for mapping in template["fileTypeMappings"]] == ["python"]
    for file in folder.glob("*.json"):
        json.loads(file.read_text(encoding="utf-8"))


def compare(checkout: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, COMPARE, checkout], capture_output=True, text=True, check=False)


def test_comparison_with_a_checkout(tmp_path: Path) -> None:
    """The check passes if the API dumps contain all that the plugin uses, and fails if a member is missing in them."""
    dumps: dict[Path, list[str]] = {}
    lines: list[str] = []
    for line in SURFACE.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            file, at, _ = line[2:].partition(" @ ")
            lines = dumps.setdefault(tmp_path / file, []) if at and file.startswith("platform/") else []
        else:
            lines += [line, "- more():V"] if line.startswith("- ") else [line]
    for path, text in dumps.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(text) + "\nf:com.intellij.More\n", encoding="utf-8")
    assert (compare(tmp_path).returncode, compare(tmp_path).stdout.strip()) == (0, "")
    lsp = tmp_path / "platform/lsp/api-dump.txt"
    lsp.write_text(lsp.read_text("utf-8").replace("- serverStopped(Z):V\n", ""), encoding="utf-8")
    done = compare(tmp_path)
    assert done.returncode == 1
    assert done.stdout.strip().endswith("com.intellij.platform.lsp.api.LspServerListener: serverStopped(Z):V")
    assert compare(tmp_path / "nowhere").returncode == 2
