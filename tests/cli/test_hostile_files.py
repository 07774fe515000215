"""Tests that each hostile configuration file in a tree is reported by name, and affects only the files that it
configures."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.command import SAFE, check, environment, make
from support.bounded import SECONDS


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5_000_000_000)


def text(words: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(words, encoding="utf-8")


TRAPS: dict[str, Callable[[Path], object]] = {"a pipe": pipe, "a device": endless, "larger than": sparse}
# For each invalid uncuda.toml: the name of its folder (which uncuda then does not check), its contents, the message.
CONFIGURATIONS = {
    "nested": ("target = " + "[" * 100_000, "line 1: not valid TOML: nested too deeply"),
    "parts": ("a." * 100_000 + "a = 1", "line 1: not valid TOML: a key of more than 16 parts"),
    "user": ('extend = "~nobodyx/z"', "line 1: `extend`: there is no home folder for ~nobodyx/z"),
    "backslash": ("exclude = ['\\']", "line 1: `exclude`: invalid pattern `\\`: nothing follows the backslash"),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs pipes, devices and sparse files")
def test_each_costs_what_it_governs() -> None:
    make({"good.py": SAFE, "requirements.txt/x": ""})
    expected = {}
    for name in ("uncuda.toml", "pyproject.toml", ".gitignore", "requirements.txt", "setup.cfg", "setup.py"):
        for what, trap in TRAPS.items():
            folder = Path(f"{name.strip('.')}-{what.replace(' ', '-')}")
            make({f"{folder}/a.py": SAFE})
            trap(folder / name)
            if name in ("uncuda.toml", "pyproject.toml", ".gitignore") or (name, trap) == ("setup.py", sparse):
                expected[str(folder / name)] = what
    for name, (words, message) in CONFIGURATIONS.items():
        make({f"{name}/a.py": SAFE, f"{name}/uncuda.toml": words})
        expected[f"{name}/uncuda.toml"] = message
    make({"chain/a.py": SAFE, "chain/uncuda.toml": 'extend = "0.toml"'})
    make({f"chain/{number}.toml": f'extend = "{number + 1}.toml"' for number in range(2000)})
    expected[str(Path("chain/32.toml"))] = "`extend` leads from chain/uncuda.toml through more than 32 files"
    if hasattr(sys, "get_int_max_str_digits"):
        make({"digits/a.py": SAFE, "digits/uncuda.toml": "target = " + "9" * 5000})
        expected["digits/uncuda.toml"] = "line 1: not valid TOML: Exceeds the limit"
    name = f"{'a' * 120}.py"
    make({f"star-exclude/{name}": SAFE, "star-exclude/uncuda.toml": "exclude = ['*a*a*a*a*a*b']"})
    make({f"star-ignore/{name}": SAFE, "star-ignore/uncuda.toml": "[per-file-ignores]\n'*a*a*a*a*a*b' = ['cuda-api']"})
    make({"many/a.py": SAFE, "many/.gitignore": "a\n" * 200_000, "stars/a.py": SAFE, "b.toml": ""})
    make({"stars/.gitignore": "*a*a*a*a*a*b\n[z-a]\nignored.py", "stars/ignored.py": SAFE, f"stars/{name}": SAFE})
    expected["many/.gitignore"] = "more than 5,000 patterns; it ignores nothing"
    done = subprocess.run(
        [sys.executable, "-m", "uncuda", "check", "--target", "npu", "--output-format", "json"],
        capture_output=True,
        check=False,
        timeout=SECONDS,
        env=environment(),
    )
    report, notes = json.loads(done.stdout), done.stderr.decode()
    errors = {error["path"]: error["message"] for error in report["errors"]}
    assert done.returncode == 2
    assert errors.keys() == expected.keys()
    assert all(expected[path] in message for path, message in errors.items())
    found = {finding["path"] for finding in report["findings"]}
    governed = {Path(path).parent for path in expected if path.endswith(".toml")}
    assert found == {str(path) for path in [*Path().rglob("a*.py"), Path("good.py")] if path.parent not in governed}
    assert (
        "note: stars/.gitignore: line 2: invalid pattern `[z-a]`: bad character range z-a; it ignores nothing" in notes
    )


@pytest.mark.skipif(sys.platform != "linux", reason="needs pipes and devices")
@pytest.mark.parametrize("name", ["requirements.txt", "setup.cfg", "setup.py", "environment.yml"])
def test_requirements_are_a_note(name: str) -> None:
    make({"a.py": SAFE})
    endless(Path(name))
    run = check("a.py", LC_ALL="C.UTF-8")
    assert run.code == 1
    assert run.err.startswith(f"note: {Path(name).absolute()}: cannot be read: is a device, not a file; ")
    assert len(run.err.splitlines()) == 1 + ("target" in run.err)
    assert "提示：" in check("a.py", "--locale", "zh").err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_given_as_configuration() -> None:
    make({"a.py": SAFE})
    pipe(Path("x.toml"))
    run = check("--config", "x.toml")
    assert (run.code, run.out) == (2, "")
    assert run.err == "uncuda: error: x.toml: cannot be read: is a pipe, not a file\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_link_to_a_device() -> None:
    make({"good.py": SAFE})
    Path("zero.py").symlink_to("/dev/zero")
    run = check("--verbose")
    assert run.code == 1
    assert "left out zero.py: link that leads to no file or folder" in run.err
    assert check("zero.py").json["errors"] == [{"path": "zero.py", "message": "is neither a file nor a folder"}]
