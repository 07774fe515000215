"""The .vsix of the VS Code extension contains what it needs, and nothing else."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support.node import EXTENSION, vsix

pytestmark = pytest.mark.slow

MOST_BYTES = 12 * 1024 * 1024


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    package = vsix()
    folder = tmp_path_factory.mktemp("vsix")
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder)
    return folder / "extension"


@pytest.fixture(scope="module")
def names(unpacked: Path) -> set[str]:
    return {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}


def test_it_is_small_enough(unpacked: Path) -> None:
    assert vsix().stat().st_size <= MOST_BYTES


def test_no_sources_no_tests_nothing_compiled(names: set[str]) -> None:
    wrong = (
        r"\.tsx?$|\.map$|\.(so|pyd|dll|dylib|pyc|exe|node)$|(^|/)(node_modules|__pycache__|src|tests?)/|\.vscodeignore"
    )
    assert not [name for name in names if re.search(wrong, name) and not name.endswith(".pyi")]
    outside = {name for name in names if not name.startswith(("bundle/libs/", "walkthrough/", "images/"))}
    assert outside == {
        *("package.json", "package.nls.json", "package.nls.zh-cn.json", "l10n/bundle.l10n.zh-cn.json"),
        *("readme.md", "changelog.md", "LICENSE.txt", "NOTICE"),
        *("dist/extension.js", "dist/LICENSES.txt", "bundle/launch.py"),
    }


def test_what_the_manifest_names_is_there(unpacked: Path, names: set[str]) -> None:
    manifest = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
    assert manifest["icon"] in names
    for step in manifest["contributes"]["walkthroughs"][0]["steps"]:
        page = step["media"]["markdown"]
        assert {page, page.replace(".md", ".nls.zh-cn.md")} <= names
    readme = (unpacked / "readme.md").read_text(encoding="utf-8")
    pictures = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", readme)
    assert set(pictures) <= names


def test_the_licences_of_what_is_inside_are_passed_on(unpacked: Path, names: set[str]) -> None:
    text = (unpacked / "dist" / "LICENSES.txt").read_text(encoding="utf-8")
    lock: dict[str, Any] = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    shipped = {path.removeprefix("node_modules/") for path, package in lock.items() if not package.get("dev")}
    known = {path.rpartition("node_modules/")[2]: package["version"] for path, package in lock.items() if path}
    named = {name for name, version in known.items() if f"{name} {version}\n" in text}
    assert "vscode-languageclient" in named
    assert named <= shipped
    packages = {name.split("/")[2] for name in names if re.match(r"bundle/libs/[^/]+\.dist-info/", name)}
    for package in packages:
        licences = [name for name in names if re.search(rf"/{re.escape(package)}/.*licen[cs]e", name, re.I)]
        assert licences, f"{package} brings no licence"


def test_its_server_runs(unpacked: Path) -> None:
    command = [sys.executable, "-I", str(unpacked / "bundle" / "launch.py"), "--version"]
    said = subprocess.check_output(command, text=True)
    version = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))["version"]
    assert said == f"uncuda {version}\n"
