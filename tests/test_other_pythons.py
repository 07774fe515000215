"""The engine and the rules give the same results on every Python version of this machine, and on Python for WebAssembly
in Node."""

import os
import subprocess
import sys

import pytest

from support.pythons import ROOT, environment, pyodide

THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
# Tests of code that parses Python source, because parsing may differ between Python versions. Tests of how findings
# depend on each other are left out, because the listed tests already use the same features of Python.
READING = ["tests/test_rules.py", "tests/test_catalogue.py", "tests/facts"]
# Tests that run only with the oldest and the newest Python.
SUBSET = [*READING, "tests/checks", "tests/engine/test_engine.py"]
PYTEST = ["-q", "-m", "not slow and not corpus and not network", "-p", "no:cacheprovider"]

pytestmark = pytest.mark.slow


def run(command: list[str], paths: list[str]) -> None:
    """Run tests with another Python's pytest and print its summary; a failure there fails this test."""
    done = subprocess.run(
        [*command, *PYTEST, *paths],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "server")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout[-5000:])
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_cpython(version: str) -> None:
    if version == THIS:
        pytest.skip("the Python that runs all tests")
    run([str(environment(version)), "-m", "pytest"], READING if version in ("3.12", "3.13") else SUBSET)


# Pyodide's Python 3.12 is left out: it gives the same results as CPython's 3.12, and is the slowest Python
@pytest.mark.parametrize("version", ["3.14"])
def test_webassembly(version: str) -> None:
    run(pyodide(version), READING)  # only the tests in READING are run, because WebAssembly is ten times slower
