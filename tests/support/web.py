"""Checkers of HTML pages, from npm: the Nu Html Checker for valid HTML, and axe for accessibility."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from editors.install import debian
from support.fetching import made, npm_package
from support.imports import ROOT

CACHE = ROOT / ".cache" / "web"
CHECKER = "vnu-jar@26.9.27"
CHECKER_SHA512 = "TkQd5DFfOaWC9ebtvozTsrH2Vaod3jYg+vrOeREzIXxBexLz9+rS2DNtjn7+RPUiZhgli0SghgBX6RJRNea0KA=="
AXE = "axe-core@4.14.1"
AXE_SHA512 = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="


def html_errors(pages: Iterable[Path]) -> str:
    """Return the errors and warnings of the Nu Html Checker for pages and their CSS; raises Missing."""
    java = shutil.which("java") or str(debian("java", "openjdk-17-jre-headless"))
    folder = made(CACHE, "vnu", CHECKER, lambda folder: npm_package(CHECKER, CHECKER_SHA512, folder))
    checker = folder / "package" / "build" / "dist" / "vnu.jar"
    command = [java, "-jar", str(checker), "--also-check-css", *map(str, pages)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def axe() -> str:
    """Return the JavaScript source of axe, to be run in a page; raises Missing."""
    folder = made(CACHE, "axe", AXE, lambda folder: npm_package(AXE, AXE_SHA512, folder))
    return (folder / "package" / "axe.min.js").read_text(encoding="utf-8")
