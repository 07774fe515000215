"""Runs Maven on pycharm-plugin/: downloads are kept in .cache/maven, so that later runs work offline."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from editors.install import debian
from support.fetching import fetched, unreachable
from support.imports import ROOT
from support.locks import alone

PLUGIN = ROOT / "pycharm-plugin"
CACHE = ROOT / ".cache" / "maven"
BUNDLE = PLUGIN / "target" / "bundle"
_SECONDS = 1500
# Each Java process lives for seconds only, so compiling code for long runs, in several threads, would cost more time
# than it saves.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def maven(*arguments: str) -> str:
    """Run Maven, offline if possible; returns its output, or raises Missing or AssertionError."""
    debian("mvn", "maven", "openjdk-17-jdk-headless")
    if not shutil.which("javac"):
        debian("javac", "openjdk-17-jdk-headless")
    with alone(CACHE / "lock"):
        bundle()
        offline = _run("--offline", *arguments)
        done = _run(*arguments) if offline.returncode and unreachable(offline.stdout) else offline
        return fetched("mvn", done.returncode, done.stdout)


def bundle() -> None:
    """Make the server's bundle, which becomes a part of the plugin's zip, and the types that the plugin is compiled
    against."""
    scripts = ROOT / "server" / "scripts"
    subprocess.run([scripts / "bundle", BUNDLE], check=True, timeout=300)
    folder = PLUGIN / "platform" / "target" / "types"
    subprocess.run([sys.executable, scripts / "platform_types.py", folder], check=True)


def results() -> dict[str, tuple[int, int]]:
    """Return how many tests each class ran, and how many of them failed or were skipped, from Surefire's reports."""
    found = {}
    for report in sorted(PLUGIN.glob("*/target/surefire-reports/TEST-*.xml")):
        suite = ET.parse(report).getroot()
        numbers = {key: int(suite.attrib[key]) for key in ("tests", "errors", "failures", "skipped")}
        found[suite.attrib["name"]] = (numbers.pop("tests"), sum(numbers.values()))
    return found


def _run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    line = ["mvn", "--batch-mode", "--quiet", "--no-transfer-progress", f"-Dmaven.repo.local={CACHE}"]
    line.append(f"-DargLine={_JAVA}")  # these options are for the processes that run tests
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["MAVEN_OPTS"] = f"{_JAVA} {environment.get('MAVEN_OPTS', '')}".strip()
    return subprocess.run(
        [*line, f"-Duncuda.python={sys.executable}", *arguments],
        cwd=PLUGIN,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_SECONDS,
        check=False,
    )


def clean() -> None:
    """Remove the reports of earlier runs."""
    for reports in PLUGIN.glob("*/target/surefire-reports"):
        shutil.rmtree(reports)


def zip_path() -> Path:
    """Return the path of the plugin's zip."""
    return PLUGIN / "plugin" / "target" / "uncuda.zip"
