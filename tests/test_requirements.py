"""Tests of reading which versions of torch and of plugins a project requires."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.bounded import run_bounded
from uncuda.catalogue import load
from uncuda.settings import Settings
from uncuda.settings.toml import parse_toml
from uncuda.workspace import (
    Held,
    Pins,
    Requirements,
    asks_for_versions,
    of_lines,
    of_lock,
    of_pyproject,
    pinned_target,
    settled,
)

PACKAGES = frozenset({"torch", "torch-npu", "torch-musa"})


def said(pins: Pins) -> dict[str, str]:
    return {name: str(versions) for name, versions in pins.items()}


def held(folder: Path, tell: Callable[[str], object] = lambda message: None) -> dict[str, tuple[str, str]]:
    """Return, for each package, the versions that the files in a folder require, and the name of the file that requires
    them."""
    found = Requirements(PACKAGES, tell).of(str(folder))
    return {name: (str(one.versions), Path(one.path).name) for name, one in found.items()}


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("torch==2.1.0", "2.1.0"),
        ("torch == 2.1.0+cu118 ; python_version < '3.9'", "2.1.0"),
        ("torch==2.1.0 \\\n    --hash=sha256:0", "2.1.0"),
        ("torch===2.1.0", "2.1.0"),
        ("torch[opt]==2.2.0", "2.2.0"),
        ("torch (==2.1.1)", "2.1.1"),
        ("torch==v2.1.0", "2.1.0"),
        ("torch==2", "2"),
        ("torch==2.6.0rc1", "2.6.0"),
        ("torch>=1.7.0,<=2.0.1", ">=1.7.0,<=2.0.1"),
        ("torch >= 2.4, < 2.7 # why", ">=2.4,<2.7"),
        ("torch>2.4", ">2.4"),
        ("torch~=2.1.0", ">=2.1.0,<2.2"),
        ("torch~=2.1", ">=2.1,<3"),
        ("numpy\n  torch==1.13.1 # why", "1.13.1"),
        ("install_requires=['numpy', 'torch==2.0.1']", "2.0.1"),
        ('dependencies = ["torch==2.4.*"]', ">=2.4,<2.5"),
        ('torch = "2.1.0"', "2.1.0"),
        ('torch = "^2.1"', ">=2.1,<3"),
        ("  - pytorch=2.0.1", "2.0.1"),
        ("  - pytorch=2.0.1=py3.9_cuda11.7_0", "2.0.1"),
        ("  - pytorch=2.0", ">=2.0,<2.1"),
        ("  - pytorch::pytorch=2.0.1", "2.0.1"),
        ("torch", ""),
        ("torch>=1.7.0", ">=1.7.0"),
        ("torch<2.5", "<2.5"),
        ("torch>=2.0,!=2.1.0", ">=2.0"),
        ("torch>=2.1\ntorch<2.4", ">=2.1,<2.4"),
        ("torch==2.1.0; sys_platform == 'darwin'\ntorch==2.4.0; sys_platform == 'linux'", ">=2.1.0,<=2.4.0"),
        ("torch @ https://example.org/torch", ""),
        ("torch @ https://example.org/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl", "2.1.0"),
        ("./wheels/torch-2.1.0.post2-cp310-cp310-linux_x86_64.whl --hash=sha256:0", "2.1.0.post2"),
        ("torchvision @ https://example.org/torchvision-0.16.0-cp310-cp310-linux_x86_64.whl", None),
        ("torch @ file:///wheels/torch-2.9.0rc1-cp310-cp310-linux_x86_64.whl", "2.9.0"),
        ("torch @ https://example.org/torch-2.1.0/torch.whl", ""),
        ("./torch-2.1.0/torchvision-0.16.0-cp310-cp310-linux_x86_64.whl", None),
        ("torch>=2.4, \\\n    <2.7", ">=2.4,<2.7"),
        ('torch = ">=2.4 <2.7"', ">=2.4,<2.7"),
        ("# torch==2.0.0", None),
        ("torch>=3,<2", None),
        ("channels:\n  - pytorch", None),
        ("torchvision==0.9.1\ntorch-scatter==2.1.0\npytorch-lightning==1.9.0\npytorch_npu==1.0", None),
        ("if torch.__version__ >= '1.8': pass", None),
    ],
)
def test_of_lines(text: str, versions: str | None) -> None:
    assert said(of_lines(text, PACKAGES)) == ({} if versions is None else {"torch": versions})


WHEEL = "cp311-cp311-linux_x86_64.whl"


@pytest.mark.parametrize(
    ("requirement", "pins"),
    [
        (f"torch @ https://example.org/whl/cu128/torch-2.8.0%2Bcu128-{WHEEL}", {"torch": "2.8.0"}),
        (f"torch[opt] @ https://example.org/torch-2.8.0+cu128-{WHEEL}; sys_platform == 'linux'", {"torch": "2.8.0"}),
        (f"torch_npu @ file:///opt/torch_npu-2.7.1.post1-{WHEEL}", {"torch-npu": "2.7.1.post1"}),
        (f"torch-musa@file:///opt/torch_musa-2.7.1-{WHEEL}", {"torch-musa": "2.7.1"}),
        (f"torchvision @ https://example.org/torchvision-0.23.0-{WHEEL}", {}),
        (f"apex @ https://example.org/torch-2.8.0/apex-0.1-{WHEEL}", {}),
    ],
)
def test_a_wheel_that_is_required_by_its_link(requirement: str, pins: dict[str, str], tmp_path: Path) -> None:
    needed = repr([requirement])
    files = {
        "setup.py": f"setup(install_requires={needed})\n",
        "setup.cfg": f"[options]\ninstall_requires =\n    {requirement}\n",
        "requirements.txt": requirement + "\n",
        "pyproject.toml": f"[project]\ndependencies = {needed}\n",
    }
    for name, text in files.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text(text)
        assert {package: versions for package, (versions, _) in held(folder).items()} == pins, name


def test_a_wheel_that_a_setup_py_only_speaks_of_pins_nothing() -> None:
    text = f"url = 'https://example.org/torch-2.8.0-{WHEEL}'\nprint('needs torch @ HEAD')\n"
    assert said(of_lines(text, PACKAGES, bare=False)) == {}


@pytest.mark.parametrize("name", ["torch-npu", "torch_npu", "Torch.NPU"])
def test_a_plugin_has_one_name(name: str) -> None:
    assert said(of_lines(f"torch==2.6.0\n{name}==2.6.0.post5", PACKAGES)) == {
        "torch": "2.6.0",
        "torch-npu": "2.6.0.post5",
    }


@pytest.mark.parametrize(
    ("text", "pins"),
    [
        ('project.dependencies = ["torch>=2.4 ; extra == \'x\'", "torch_npu"]', {"torch": ">=2.4", "torch-npu": ""}),
        ('project.optional-dependencies.a = ["torch-npu==2.6.0"]', {"torch-npu": "2.6.0"}),
        ('project.dependencies = ["torch"]\nproject.optional-dependencies.a = ["torch==2.6.0"]', {"torch": "2.6.0"}),
        ('project.dependencies = ["torch>=2.4"]\ndependency-groups.a = ["torch==2.6", {x = "y"}]', {"torch": ">=2.4"}),
        ('dependency-groups.a = ["torch-musa==2.7.1", {include-group = "b"}]', {"torch-musa": "2.7.1"}),
        ('tool.poetry.dependencies = {torch = "^2.6", torch-npu = {version = "2.6.0", source = "x"}}',
         {"torch": ">=2.6,<3", "torch-npu": "2.6.0"}),
        ('tool.poetry.dependencies.torch = [{version = "2.1.0"}, {version = "2.4.0"}]', {"torch": ">=2.1.0,<=2.4.0"}),
        ('tool.poetry.dependencies.torch = {git = "https://example.org"}', {"torch": ""}),
        (f'tool.poetry.dependencies.torch = {{url = "https://example.org/torch-2.8.0+cu128-{WHEEL}"}}',
         {"torch": "2.8.0"}),
        (f'project.dependencies = ["torch-npu>=2"]\ntool.uv.sources.torch-npu = {{path = "a/torch_npu-2.6.0-{WHEEL}"}}',
         {"torch-npu": "2.6.0"}),
        ('project.dependencies = ["torch>=2.1"]\ntool.uv.sources.torch = [{index = "pytorch"}]', {"torch": ">=2.1"}),
        ('tool.poetry.group.a.dependencies.torch = "~2.6"', {"torch": ">=2.6,<2.7"}),
        ('tool.poetry.dependencies.torch = ">=2.1,<2.2 || 2.4.*"', {"torch": ">=2.1,<2.5"}),
        ('tool.uv.dev-dependencies = ["torch<2.7"]', {"torch": "<2.7"}),
        ('build-system.requires = ["torch == 2.7.1"]', {"torch": "2.7.1"}),
        ('project = 1\ntool.poetry = [1]\nbuild-system.requires = "torch==1.0"', {}),
        ("project.dependencies = [1, [], \"-\"]\ntool.poetry.dependencies.torch = 1", {"torch": ""}),
    ],
)  # fmt: skip
def test_of_pyproject(text: str, pins: dict[str, str]) -> None:
    assert said(of_pyproject(parse_toml(text), PACKAGES)) == pins


def lock(**packages: str) -> str:
    return "version = 1\n" + "".join(
        f'\n[[package]]\nname = "{name.replace("_", "-")}"\nversion = "{version}"\n'
        'dependencies = [\n    { name = "torch", version = "9.9" },\n]\n'
        for name, version in packages.items()
    )


def test_of_lock() -> None:
    text = lock(torch="2.6.0+cpu", torch_npu="2.6.0.post5", torchvision="0.21.0")
    assert said(of_lock(text, PACKAGES)) == {"torch": "2.6.0", "torch-npu": "2.6.0.post5"}
    assert said(of_lock(text.replace("\n", "\r\n"), PACKAGES)) == {"torch": "2.6.0", "torch-npu": "2.6.0.post5"}
    assert said(of_lock(lock(torch="2.6.0") + lock(torch="2.4.1"), PACKAGES)) == {"torch": ">=2.4.1,<=2.6.0"}


@pytest.mark.parametrize("name", ["torch-npu", "torch_npu", "Torch.NPU"])
def test_a_lock_may_spell_a_name_as_it_likes(name: str) -> None:
    assert said(of_lock(f'[[package]]\nname = "{name}"\nversion = "2.7.1"\n', PACKAGES)) == {"torch-npu": "2.7.1"}


def test_the_nearest_requirements_count(tmp_path: Path) -> None:
    inner = tmp_path / "pkg" / "sub"
    inner.mkdir(parents=True)
    (tmp_path / "setup.py").write_text("setup(install_requires=['torch==2.1.0'])")
    assert held(inner) == {"torch": ("2.1.0", "setup.py")}
    (tmp_path / "pkg" / "requirements.txt").write_text("torch\n")
    assert held(inner) == {"torch": ("", "requirements.txt")}


def test_a_repository_is_where_the_search_ends(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.1.0\n")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert held(tmp_path / "repo") == {}
    assert held(tmp_path)


def test_in_a_repository_files_that_say_nothing_of_a_package_are_passed_over(tmp_path: Path) -> None:
    inner = tmp_path / "examples" / "a"
    inner.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("torch==2.1.0\n")
    (inner / "requirements.txt").write_text("pillow\n")
    assert held(inner) == {}
    (tmp_path / ".git").mkdir()
    assert held(inner) == {"torch": ("2.1.0", "requirements.txt")}


def test_in_one_folder_what_is_locked_counts_then_what_is_exact(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=2.4,<2.7", "torch-npu"]\n')
    assert held(tmp_path) == {"torch": (">=2.4,<2.7", "pyproject.toml"), "torch-npu": ("", "pyproject.toml")}
    (tmp_path / "requirements-dev.txt").write_text("torch==2.5.1\n    # via -r requirements.in\n")
    assert held(tmp_path)["torch"] == ("2.5.1", "requirements-dev.txt")
    # this range contradicts the pin in the other file; the file whose name sorts first counts
    (tmp_path / "requirements.txt").write_text("torch>=2.6\n")
    assert held(tmp_path)["torch"] == (">=2.6", "requirements.txt")
    for name in ("pdm.lock", "poetry.lock", "pylock.toml", "uv.lock"):
        (tmp_path / name).write_text(lock(torch="2.6.0", torch_npu="2.6.0.post5"))
        assert held(tmp_path) == {"torch": ("2.6.0", name), "torch-npu": ("2.6.0.post5", name)}


def test_a_lock_further_up_says_which_version_of_a_range(tmp_path: Path) -> None:
    member = tmp_path / "packages" / "a"
    member.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "uv.lock").write_text(lock(torch="2.6.0"))
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch==2.7.1"]\n')
    (member / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=2.4"]\n')
    assert held(member)["torch"] == ("2.6.0", "uv.lock")
    (member / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=2.7"]\n')
    assert held(member)["torch"] == (">=2.7", "pyproject.toml")


def test_a_file_that_is_broken_is_named_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project\n# torch\n")
    (tmp_path / "setup.cfg").write_text("install_requires =\n    torch<2.5\n")
    told: list[str] = []
    assert held(tmp_path, told.append) == {"torch": ("<2.5", "setup.cfg")}
    (message,) = told
    assert message.startswith(f"{tmp_path / 'pyproject.toml'}: line 1: not valid TOML: ")


def test_a_folder_with_very_many_entries_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uncuda.workspace.requirements._MOST_ENTRIES", 3)
    for name in ("requirements-a.txt", "requirements.txt", "a.py"):
        (tmp_path / name).write_text("torch==2.1.0\n" if name.endswith("a.txt") else "torch\n")
    assert held(tmp_path)["torch"] == ("2.1.0", "requirements-a.txt")
    (tmp_path / "b.py").write_text("")
    assert held(tmp_path)["torch"] == ("", "requirements.txt")


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("requirements.txt", True),
        ("requirements-dev.txt", True),
        ("requirements.lock", True),
        ("uv.lock", True),
        ("environment.yml", True),
        ("setup.py", True),
        ("requirements.py", False),
        ("yarn.lock", False),
        ("npu-requirements.txt", True),
        ("pylock.npu.toml", True),
        ("norequirements.txt", False),
    ],
)
def test_files_that_may_say_versions(name: str, asks: bool) -> None:
    assert asks_for_versions(name) is asks


# The order of precedence for the plugin's version: settings, its own pin, the version that matches torch, the default.
@pytest.mark.parametrize(
    ("target", "given", "requirements", "plugin", "torch", "why"),
    [
        ("npu", {}, "", None, None, "assumed"),
        ("npu", {}, "torch>=1.8", None, None, "assumed"),
        ("npu", {}, "torch-npu==2.6.0.post5", "2.6.0.post5", None, "asked for"),
        ("npu", {}, "torch-npu==2.6.0\ntorch==2.6.0", "2.6.0", None, "asked for"),
        ("npu", {}, "torch-npu==2.14.0\ntorch==2.1+cu118", "2.14.0", None, "asked for"),
        ("npu", {}, "torch-npu==2.6.0\ntorch>=2.1", "2.6.0", None, "asked for"),
        ("npu", {}, "torch-npu>=2.6,<2.8\ntorch>=2.1", ">=2.6,<2.8", None, "asked for"),
        ("npu", {}, "torch-npu\ntorch==2.6.0", "2.6.0", "2.6.0", "goes with"),
        ("npu", {}, "torch==2.6.0", "2.6.0", "2.6.0", "goes with"),
        ("npu", {}, "torch==2.1.2", "2.1.0", "2.1.2", "goes with"),
        ("npu", {}, "torch>=2.4,<2.7", ">=2.4,<2.7", ">=2.4,<2.7", "goes with"),
        ("npu", {}, "torch<2.5", ">=1.8.1,<2.5", "<2.5", "goes with"),
        ("npu", {}, "torch==1.5.0", None, "1.5.0", "assumed"),
        ("npu", {"torch_version": "2.6.0"}, "torch==2.1.0", "2.6.0", "2.6.0", "goes with"),
        ("npu", {"target_version": "2.7.1"}, "torch-npu==2.6.0\ntorch==2.6.0", "2.7.1", None, "set"),
        ("npu", {}, "torch-musa==2.7.1", None, None, "assumed"),
        ("musa", {}, "torch==2.7.0", "2.7.0", "2.7.0", "goes with"),
        ("musa", {}, "torch==2.6.0", "2.6.0", "2.6.0", "goes with"),
        # before 2.5.0, the version numbers of torch_musa are not those of PyTorch
        ("musa", {}, "torch==2.2.0", None, "2.2.0", "assumed"),
    ],
)
def test_what_is_taken(
    target: str, given: dict[str, Any], requirements: str, plugin: str | None, torch: str | None, why: str
) -> None:
    holds = {name: Held(versions, "r.txt") for name, versions in of_lines(requirements, PACKAGES).items()}
    settings, taken = settled(Settings(**given), load(), target, holds)
    assert (settings.target_version, settings.torch_version, taken.why) == (plugin, torch, why)
    assert taken.versions == plugin or load().default_version(target)


@pytest.mark.parametrize(
    ("requirements", "target"),
    [("torch-npu==2.6.0", "npu"), ("torch_musa", "musa"), ("torch-npu\ntorch-musa", None), ("torch", None)],
)
def test_a_plugin_that_is_asked_for_says_the_target(requirements: str, target: str | None) -> None:
    holds = {name: Held(versions, "r.txt") for name, versions in of_lines(requirements, PACKAGES).items()}
    asked = pinned_target(_packages(), holds)
    assert (asked[0] if asked else None) == target


def _packages() -> dict[str, str]:
    return {name: raw["words"]["package"] for name, raw in load().declarations.items()}


def test_the_plugin_of_the_nearest_folder_says_the_target(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements.txt").write_text("torch-npu\n")
    near = tmp_path / "musa"
    near.mkdir()
    (near / "requirements.txt").write_text("torch_musa\n")
    asked = pinned_target(_packages(), Requirements(PACKAGES).of(str(near)))
    assert asked is not None
    assert asked[0] == "musa"


def test_files_that_requirements_include_count(tmp_path: Path) -> None:
    """Included requirements files may be in the same folder or elsewhere, and may include each other in a circle."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "app"
    (folder / "reqs").mkdir(parents=True)
    (folder / "requirements.txt").write_text("numpy\n-r reqs/base.txt\n-r https://example.org/more.txt\n-r gone.txt\n")
    (folder / "reqs" / "base.txt").write_text("torch-npu>=2.6\n-c ../../limits.txt\n-r base.txt\n-r ../../../out.txt\n")
    (tmp_path / "limits.txt").write_text("torch-npu==2.7.1\n-r app/requirements.txt\n")
    (tmp_path.parent / "out.txt").write_text("torch==2.1\n")
    assert held(folder) == {"torch-npu": ("2.7.1", "limits.txt")}


# Each of the texts in `HOSTILE` once took half a minute or more to read.
HOSTILE = """
from uncuda.workspace import of_lines, of_lock

packages = {"torch", "torch-npu"}
for text in (
    "torch" + " " * 40000 + "x",
    "torch[" * 160000,
    "torch = " * 100000,
    "torch[] = '(" * 80000,
    "torch>=1" + "," * 900000,
    "torch=='1" + ".1" * 400000 + "x'",
    ("torch" + " " * 400) * 2000,
    "torch>=1 " * 100000,
    "torch==" + "1" * 900000,
    "pytorch" * 100000,
    "torch" + "-" * 900000,
):
    of_lines(text, packages)
of_lock('\\nname = "torch' * 500000, packages)
of_lock('\\nname = "torch"\\nversion = "' + "1" * 7000000, packages)
print("done")
"""


@pytest.mark.slow
def test_time_follows_the_size() -> None:
    assert run_bounded(HOSTILE) == "done\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_what_cannot_be_read_is_named_and_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "requirements.txt")
    with (tmp_path / "setup.cfg").open("wb") as file:
        file.truncate(5_000_000)
    (tmp_path / "setup.py").write_text("setup(install_requires=['torch==2.1.0'])")
    code = """if True:
        import sys
        from uncuda.workspace import Requirements
        print(Requirements(["torch"], print).of(sys.argv[1])["torch"].versions)
    """
    pipe, large, version = run_bounded(code, str(tmp_path)).splitlines()
    assert pipe.startswith(f"{tmp_path / 'requirements.txt'}: cannot be read: is a pipe, not a file; ")
    assert large.startswith(f"{tmp_path / 'setup.cfg'}: cannot be read: larger than 1 MB (5.0 MB); ")
    assert version == "2.1.0"


def test_a_folder_far_below_is_no_deep_recursion(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements.txt").write_text("torch==2.6.0\n")
    held = Requirements([]).of(str(tmp_path.joinpath(*["a"] * 1500)))
    assert held["torch"].versions.exact
