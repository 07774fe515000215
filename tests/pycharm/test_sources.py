"""Checks of the PyCharm plugin's files that need no Java."""

import json
import re
import subprocess
import sys
from pathlib import Path

from scripts.compare_api import SURFACE, erased
from scripts.platform_types import Sources
from support.imports import ROOT
from uncuda.catalogue import load
from uncuda.settings import EDITOR_OPTIONS, OPTIONS, Vocabulary, read_editor

PLUGIN = ROOT / "pycharm-plugin"
VOCABULARY = Vocabulary(tuple(load().declarations), tuple(load().rules))
COMPARE = ROOT / "server" / "scripts" / "compare_api.py"


def test_settings_of_the_page_are_those_of_the_server() -> None:
    """Each setting of the page has values that the server accepts; the first value is the default, which is stored as
    an empty string."""
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


LIST = """
Fa:org.some.Shape<T>
- java.lang.Runnable
- p:<init>(java.lang.String,I[]):V
- sf:KEY:com.intellij.openapi.util.Key<java.util.Map<T, T>>
- a:<S extends org.some.Side>turn(org.some.Shape$Part[],java.util.Map<S, ? super S>):S
- sf:of(I):V throws java.lang.Exception
- s:getInstance():org.some.Shape
a:org.some.Shape$Part
- org.some.Shape
org.some.Drawn
- java.lang.Cloneable
- draw():I
f:org.some.Round
- org.some.Shape$Part
- org.some.Drawn
e:org.some.Side
- sf:LEFT:org.some.Side
- sf:RIGHT:org.some.Side
"""
# The start of each line that the generated Java files must have, by file, in the order of LIST.
JAVA = {
    "org/some/Shape.java": [
        "public abstract class Shape<T> implements java.lang.Runnable {",
        "protected Shape(java.lang.String a0, int[] a1)",
        "public static final com.intellij.openapi.util.Key<java.util.Map<T, T>> KEY = ",
        "public abstract <S extends org.some.Side> S turn(org.some.Shape.Part[] a0, java.util.Map<S, ? super S> a1);",
        "public static final void of(int a0) throws java.lang.Exception {",
        "public static org.some.Shape getInstance() { return com.intellij.openapi.application.ApplicationManager",
        "public static abstract class Part extends org.some.Shape {",
        "public Part() { super((java.lang.String) null, (int[]) null); }",
    ],
    "org/some/Drawn.java": [
        "public interface Drawn extends java.lang.Cloneable {",
        'public default int draw() { return com.intellij.Stub.call(this, "Drawn.draw"); }',
    ],
    "org/some/Round.java": [
        "public final class Round extends org.some.Shape.Part implements org.some.Drawn {",
        "Round() { super(); }",
    ],
    "org/some/Side.java": ["public enum Side { LEFT, RIGHT }"],
}


def test_every_notation_of_the_dumps_is_written_as_java() -> None:
    """The generated types have all members in LIST and no others, each with the access that LIST gives."""
    made = Sources(LIST).files()
    assert made.keys() == JAVA.keys()
    for path, lines in JAVA.items():
        written = [line for line in made[path].splitlines()[2:] if line.strip("} ")]
        assert len(written) == len(lines)
        assert [line[: len(start)] for line, start in zip(written, lines, strict=True)] == lines


def compare(checkout: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, COMPARE, checkout], capture_output=True, text=True, check=False)


def test_dumps_have_no_generic_types() -> None:
    line = "a:<T>ask(I,kotlin.Function1<? super a.B, ? extends c.D<T>>,T):T throws a.E"
    assert erased(f"- {line}") == "- a:ask(I,kotlin.Function1,java.lang.Object):java.lang.Object"
    assert erased("- p:<init>(java.util.List<a.T>):V") == "- p:<init>(java.util.List):V"


def test_comparison_with_a_checkout(tmp_path: Path) -> None:
    """The check passes if the API dumps contain all that the plugin uses, and fails if a member is missing in them."""
    dumps: dict[Path, list[str]] = {}
    lines: list[str] = []
    for line in SURFACE.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            file, at, _ = line[2:].partition(" @ ")
            lines = dumps.setdefault(tmp_path / file, []) if at and file.startswith("platform/") else []
        else:
            lines += [erased(line), "- more():V"] if line.startswith("- ") else [erased(line)]
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
