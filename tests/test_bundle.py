"""The bundle runs without installed packages, and with installed packages whose names equal those of its own."""

import ast
import hashlib
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES
from support import pythons
from support.bundles import make_bundle
from support.fetching import Missing
from support.imports import PACKAGE, ROOT

pytestmark = pytest.mark.slow

MOST_BYTES = 12 * 1024 * 1024
BAIT = ("uncuda", "pygls", "lsprotocol", "click", "attr", "cattrs", "jedi", "json", "libcst", "yaml", "sitecustomize")
# Python 3.12 and newer parse this syntax themselves; older versions need libcst.
NEWER = 'import torch\n\nx = f"{torch.ones(1, device="cuda")}"\n'


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="module")
def unused(tmp_path_factory: pytest.TempPathFactory, launch: Path) -> Path:
    """Return the folder of a bundle that has not been run yet."""
    return make_bundle(tmp_path_factory.mktemp("unused")).parent


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Python whose only package has the name of one of the bundle's packages."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    _set_traps(_site(folder), folder / "sprung", BAIT[:7])
    return folder


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a folder whose modules have the names of the bundle's modules; importing one creates the file `sprung`
    there."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    _set_traps(folder, folder / "sprung", BAIT)
    return folder


def _python(environment: Path) -> str:
    return str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def _site(environment: Path) -> Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.check_output([_python(environment), "-c", code], text=True).strip())


def _set_traps(folder: Path, sprung: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(f"open({str(sprung)!r}, 'w').close()\nraise SystemExit(99)\n")


def _run(command: list[str], folder: Path, **env: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **env}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _client(python: str, launch: Path, folder: Path, **env: str) -> Client:
    command = [python, "-I", str(launch), "server", "--stdio"]
    client = Client(PROFILES["vscode"], [folder], command=command, env=env)
    client.initialize()
    return client


def test_the_command_runs_among_packages_that_look_like_its_own(launch: Path, bare: Path, hostile: Path) -> None:
    python = [_python(bare), "-I", str(launch)]
    version = _run([*python, "--version"], hostile, PYTHONPATH=str(hostile))
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout.startswith("uncuda ")
    examples = str(ROOT / "examples" / "train")
    check = _run([*python, "check", "--receivers", "--target", "npu", examples], hostile, PYTHONPATH=str(hostile))
    assert (check.returncode, "nccl" in check.stdout) == (1, True), check.stderr
    assert not (hostile / "sprung").exists()
    assert not (bare / "sprung").exists()


def test_the_server_runs_among_packages_that_look_like_its_own(launch: Path, bare: Path, hostile: Path) -> None:
    (hostile / "a.py").write_text("import torch\n\nx = torch.ones(1).cuda()\n", encoding="utf-8")
    client = _client(_python(bare), launch, hostile, PYTHONPATH=str(hostile))
    try:
        client.open(hostile / "a.py")
        assert client.diagnostics(hostile / "a.py")
        assert client.execute("uncuda.fixAllInWorkspace", {"dryRun": True})["edits"]
        assert "libcst not installed" in client.execute("uncuda.debugInformation")
        assert client.shutdown() == 0
    finally:
        client.kill()
    assert not (hostile / "sprung").exists()
    assert not (bare / "sprung").exists()


@pytest.fixture
def lending(tmp_path: Path) -> Iterator[Any]:
    """Return a function that makes a Python environment with this Python's libcst, which pretends to have the given
    version, and with packages that must not be imported."""
    pytest.importorskip("libcst", reason="no libcst here; install uncuda[structural]")

    def lend(version: str) -> str:
        environment = tmp_path / f"lends-{version}"
        venv.create(environment, with_pip=False, symlinks=os.name != "nt")
        site = _site(environment)
        for name in ("libcst", "yaml", "_yaml", "yaml_ft", "_yaml_ft"):
            for path in _places(name):
                (site / path.name).symlink_to(path)
        _set_traps(site, tmp_path / "sprung", ("pygls", "click", "jedi"))
        (site / f"libcst-{version}.dist-info").mkdir()
        metadata = f"Metadata-Version: 2.1\nName: libcst\nVersion: {version}\n"
        (site / f"libcst-{version}.dist-info" / "METADATA").write_text(metadata, encoding="utf-8")
        return _python(environment)

    yield lend
    assert not (tmp_path / "sprung").exists()


def _places(name: str) -> list[Path]:
    from importlib.util import find_spec

    found = find_spec(name)
    return [Path(place) for place in (found.submodule_search_locations or [])] if found else []


@pytest.mark.parametrize(("version", "taken"), [("1.9.0", True), ("1.10.1", True), ("1.8.6", False), ("0.9", False)])
def test_libcst_is_taken_from_the_python_if_it_is_new_enough(
    launch: Path, lending: Any, version: str, taken: bool, tmp_path: Path
) -> None:
    python = lending(version)
    file = tmp_path / "project" / "newer.py"
    file.parent.mkdir()
    file.write_text(NEWER, encoding="utf-8")
    client = _client(python, launch, file.parent)
    try:
        said = client.execute("uncuda.debugInformation")
        assert (f"libcst {version}" if taken else "libcst not installed") in said
        # Child processes use the installed libcst, too.
        edits = client.execute("uncuda.fixAllInWorkspace", {"dryRun": True})["edits"]
        assert bool(edits) == (taken or sys.version_info >= (3, 12))
        assert client.shutdown() == 0
    finally:
        client.kill()


def test_a_python_that_is_too_old_is_told_so_in_one_line(launch: Path) -> None:
    code = "import runpy, sys; sys.version_info = (3, 9, 7, 'final', 0); runpy.run_path(sys.argv[1])"
    done = _run([sys.executable, "-I", "-c", code, str(launch)], launch.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"uncuda needs Python 3\.10 or newer; .* is Python 3\.9\.7\n", done.stderr)


def test_the_command_that_it_names_runs_it(launch: Path) -> None:
    libs = str(launch.with_name("libs"))
    code = f"import sys; sys.path.insert(0, {libs!r}); from uncuda.bundled import command, isolate; isolate({libs!r})"
    said = _run([sys.executable, "-I", "-c", f"{code}; print(*command(), sep=chr(10))"], launch.parent)
    assert said.stdout.splitlines() == [sys.executable, "-I", str(launch)]
    assert _run([*said.stdout.splitlines(), "--version"], launch.parent).stdout.startswith("uncuda ")


def test_every_python_of_this_machine_runs_it_or_says_that_it_is_too_old(launch: Path) -> None:
    found = [sys.executable]
    for version in ("3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"):
        with suppress(Missing):
            found.append(pythons.interpreter(version))
    for python in found:
        code = "import sys; print(sys.version_info >= (3, 10))"
        is_new = subprocess.check_output([python, "-c", code], text=True).strip() == "True"
        arguments = ["check", "--isolated", "--receivers", "--target", "npu", str(ROOT / "examples" / "train")]
        done = _run([python, "-I", str(launch), *arguments], launch.parent)
        if is_new:
            assert (done.returncode, "nccl" in done.stdout) == (1, True), done.stderr
        else:
            assert (done.returncode, done.stdout) == (2, "")
            assert re.fullmatch(r"uncuda needs Python 3\.10 or newer; .*\n", done.stderr)


def test_an_old_python_reads_what_says_so() -> None:
    tree = ast.parse((ROOT / "server" / "launch.py").read_text(encoding="utf-8"), feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.FunctionDef, ast.ClassDef)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]


def test_what_is_in_it(unused: Path) -> None:
    libs = unused / "libs"
    names = {path.relative_to(libs).as_posix() for path in libs.rglob("*") if path.is_file()}
    assert {path.name for path in unused.iterdir()} == {"launch.py", "libs"}
    for source, place in ((PACKAGE, "uncuda"), (ROOT / "rules", "uncuda/rules")):
        files = [path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert {f"{place}/{path.relative_to(source).as_posix()}" for path in files} <= names
    assert (libs / "uncuda" / "execution.json").read_bytes() == (ROOT / "docs" / "execution.json").read_bytes()
    compiled = [name for name in names if re.search(r"\.(so|pyd|dll|dylib|pyc|exe)$|__pycache__", name)]
    tests = [
        name
        for name in names
        if re.search(r"(^|/)(tests?|conftest\.py|test_\w+\.py)(/|$)", name) and not name.endswith(".pyi")
    ]
    assert not compiled
    assert not tests
    for package in re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / "requirements" / "bundle.txt").read_text(), re.M):
        assert f"{package[0].replace('-', '_')}-{package[1]}.dist-info/METADATA" in names


def test_it_is_small(unused: Path, tmp_path: Path) -> None:
    packed = tmp_path / "bundle.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in unused.rglob("*"):
            archive.write(path, path.relative_to(unused))
    assert packed.stat().st_size < MOST_BYTES / 2


def test_the_same_checkout_gives_the_same_bytes(unused: Path, tmp_path: Path) -> None:
    again = make_bundle(tmp_path / "again")
    assert _digests(again.parent) == _digests(unused)
    assert make_bundle(tmp_path / "again") == again  # this overwrites an existing bundle
    assert _digests(again.parent) == _digests(unused)


def test_nothing_else_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("three years", encoding="utf-8")
    with pytest.raises(AssertionError, match="not a bundle"):
        make_bundle(tmp_path)
    assert (tmp_path / "thesis.txt").is_file()


def _digests(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
