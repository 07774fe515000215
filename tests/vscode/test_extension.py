"""Tests of those parts of the VS Code extension that run without VS Code."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.command import uncuda
from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES
from support.imports import ROOT
from support.node import EXTENSION, installed, npm
from uncuda.lsp.features.overview import WELCOMES

ZH = "zh-cn"
LONGEST_FILE = 160


def _json(name: str) -> Any:
    return json.loads((EXTENSION / name).read_text(encoding="utf-8"))


def _sources() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((EXTENSION / "src").rglob("*.ts"))}


@pytest.fixture(scope="module")
def ready() -> Path:
    return installed()


@pytest.mark.slow
def test_it_compiles_without_a_warning(ready: Path) -> None:
    done = npm("run", "--silent", "lint")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_units(ready: Path, tmp_path: Path) -> None:
    built = npm("run", "--silent", "test", "--", str(tmp_path))
    assert built.returncode == 0, built.stdout + built.stderr
    files = [str(path) for path in sorted(tmp_path.glob("*.test.mjs"))]
    assert len(files) == len(list((EXTENSION / "tests").glob("*.test.ts")))
    done = npm("exec", "--no", "--offline", "-c", f"node --test {' '.join(files)}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# fail 0$", done.stdout, re.M)


def test_texts_are_there_in_both_languages() -> None:
    english, chinese = _json("package.nls.json"), _json(f"package.nls.{ZH}.json")
    assert english.keys() == chinese.keys()
    used = set(re.findall(r'"%([\w.]+)%"', (EXTENSION / "package.json").read_text(encoding="utf-8")))
    assert used == english.keys()
    for key, text in english.items():
        commands = r"\((command:[^)]*)\)"
        assert re.findall(commands, text) == re.findall(commands, chinese[key])


def test_messages_are_there_in_chinese() -> None:
    said = set()
    for text in _sources().values():
        for quoted in re.findall(r'\bt\(\s*("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')', text):
            said.add(quoted[1:-1].replace('\\"', '"').replace("\\'", "'"))
    translated = _json(f"l10n/bundle.l10n.{ZH}.json")
    assert said == translated.keys()
    for text, chinese in translated.items():
        assert set(re.findall(r"\{\d\}", text)) == set(re.findall(r"\{\d\}", chinese))
        assert chinese != text


@pytest.mark.slow
def test_commands_are_the_servers_and_those_of_the_client(tmp_path: Path) -> None:
    contributed = {entry["command"] for entry in _json("package.json")["contributes"]["commands"]}
    commands = _sources()["commands.ts"]
    passed_on = set(re.findall(r'^  "(uncuda\.\w+)",$', commands, re.M))
    own = {name for text in _sources().values() for name in re.findall(r'register\("(uncuda\.\w+)"', text)}
    client = Client(PROFILES["vscode"], [tmp_path])
    servers = set(client.initialize()["executeCommandProvider"]["commands"])
    assert client.shutdown() == 0
    # the nodes of the view contain these commands
    by_node = {"uncuda.fixFinding", "uncuda.acceptFinding", "uncuda.suppressFinding"}
    assert passed_on | {"uncuda.debugInformation"} | by_node == servers
    assert contributed <= passed_on | own
    # `hidden`: the commands that need an argument, or are called only by another command
    hidden = {"uncuda.showRule", "uncuda.keepTarget", "uncuda.moveTarget", "uncuda.accept", "uncuda.openPlace"}
    hidden |= {"uncuda.report", "uncuda.writeReport", "uncuda.portMore"}
    assert passed_on | own == contributed | hidden


def test_menus_have_the_commands_for_what_they_are_opened_on() -> None:
    contributes = _json("package.json")["contributes"]
    known = {entry["command"] for entry in contributes["commands"]}
    menus = contributes["menus"]
    ids = {menu["id"] for menu in contributes["submenus"]}
    assert ids == {menus["explorer/context"][0]["submenu"], menus["editor/context"][0]["submenu"]}
    shown = {name: [entry["command"] for entry in menus[name]] for name in ids}
    assert {command for commands in shown.values() for command in commands} <= known
    names = ("fixAllInFolder", "previewFixAllInFolder", "fixAllInFile", "acceptInFolder")
    assert {f"uncuda.{name}" for name in names} == {*shown["uncuda.explorer"]}
    folders = {entry["command"] for entry in menus["uncuda.explorer"] if "!" not in entry["when"]}
    hidden = {entry["command"] for entry in menus["commandPalette"] if entry["when"] == "false"}
    nodes = {entry["command"] for entry in menus["view/item/context"]}
    # these commands need a folder or a node of the view, which the command palette cannot pass
    assert folders | nodes == hidden


def test_the_view_says_why_it_is_empty() -> None:
    """The extension has a text for every reason that the server gives for an empty view, and for a server that is not
    running."""
    contributes = _json("package.json")["contributes"]
    shown = {entry["when"].removeprefix("uncuda.welcome == ") for entry in contributes["viewsWelcome"]}
    assert shown == {*WELCOMES, "noServer"}
    assert {entry["view"] for entry in contributes["viewsWelcome"]} == {contributes["views"]["uncuda"][0]["id"]}


def test_the_review_goes_by_keys_and_buttons_alike() -> None:
    contributes = _json("package.json")["contributes"]
    buttons = {entry["command"] for entry in contributes["menus"]["editor/title"]}
    keys = {entry["command"]: entry["key"] for entry in contributes["keybindings"] if "reviewed" in entry["when"]}
    all_shown = {entry["command"] for entry in contributes["keybindings"] if "compared" in entry["when"]}
    assert all_shown == {"uncuda.reviewFixAll", "uncuda.reviewAcceptAll"}
    assert buttons == {*keys, *all_shown, "uncuda.reviewRule", "uncuda.reviewSuppress"}
    assert len(set(keys.values())) == len(keys)
    acts = {f"uncuda.port{name}" for name in ("Fix", "Preview", "Accept")}
    assert acts == {entry["command"] for entry in contributes["keybindings"] if "uncuda.port" in entry["when"]}


def test_an_untrusted_workspace_cannot_name_a_program() -> None:
    manifest = _json("package.json")
    trust = manifest["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert set(trust["restrictedConfigurations"]) == {"uncuda.interpreter", "uncuda.importStrategy"}
    properties: dict[str, Any] = {}
    for group in manifest["contributes"]["configuration"]:
        properties |= group["properties"]
    for name in trust["restrictedConfigurations"]:
        assert properties[name]["scope"] == "machine-overridable"
    assert manifest["capabilities"]["virtualWorkspaces"]["supported"] is False


@pytest.mark.slow
def test_the_problem_matcher_reads_what_the_command_says() -> None:
    (matcher,) = _json("package.json")["contributes"]["problemMatchers"]
    assert matcher["applyTo"] == "closedDocuments"  # with other values, an open file would show each finding twice
    pattern = matcher["pattern"]
    said = uncuda("check", "--isolated", "--target", "npu", "--exit-zero", str(ROOT / "examples" / "train"))
    report = uncuda(
        *("check", "--isolated", "--target", "npu", "--exit-zero", "--output-format", "json"),
        str(ROOT / "examples" / "train"),
    )
    matches = [match for line in said.out.splitlines() if (match := re.match(pattern["regexp"], line))]
    found = [(Path(m[pattern["file"]]).name, int(m[pattern["line"]]), m[pattern["code"]]) for m in matches]
    wanted = report.json["findings"]
    assert len(found) == len(wanted)
    assert {code for _, _, code in found} == {finding["rule"] for finding in wanted}
    assert {m[pattern["severity"]] for m in matches} == {finding["severity"] for finding in wanted}


def test_values_of_settings_have_names_and_say_what_they_do() -> None:
    properties = _json("package.json")["contributes"]["configuration"][1]["properties"]
    for name in ("uncuda.target", "uncuda.strategy", "uncuda.configurationPreference"):
        said = properties[name]["markdownEnumDescriptions"]
        assert len(said) == len(properties[name]["enum"])
        assert all(text for text, value in zip(said, properties[name]["enum"]) if value)
    assert "Ascend NPU (npu)" in properties["uncuda.target"]["enumItemLabels"]


def test_files_are_short() -> None:
    for name, text in _sources().items():
        assert text.count("\n") <= LONGEST_FILE, name


def test_every_version_is_pinned() -> None:
    manifest = _json("package.json")
    versions = {**manifest["dependencies"], **manifest["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values())
    assert "resolved" not in (EXTENSION / "package-lock.json").read_text(encoding="utf-8")


def test_generated_settings_are_current() -> None:
    script = ROOT / "server" / "scripts" / "make_vscode_settings.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)
