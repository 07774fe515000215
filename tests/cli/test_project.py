"""Tests that checking some files of a project gives the same findings as checking all files, because the other files
are read, too: what they define and import decides about findings in the checked files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.command import Run, uncuda
from uncuda.settings import Settings
from uncuda.workspace import discover, project_root
from uncuda.workspace import project_files as files_of

TEXT = "import torch\n\ntorch.cuda.synchronize()\n"
SHIM = "import torch\nfrom torch_npu.contrib import transfer_to_npu\n"
# Two files that already support another accelerator, because of which all fixes in the other files need review.
CHOICE = 'if is_npu_available():\n    device = "npu"\nelif torch.cuda.is_available():\n    device = "cuda"\n'
SERVING = {"uncuda.toml": "", "device.py": CHOICE, "other.py": CHOICE.replace("device", "kind"), "core/train.py": TEXT}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def found(*arguments: str, stdin: str = "") -> list[Any]:
    run = uncuda("check", "--target", "npu", "--output-format", "json", *arguments, stdin=stdin)
    return [
        (one["rule"], one["range"]["start"]["line"], [fix["applicability"] for fix in one["fixes"]])
        for one in json.loads(run.out)["findings"]
        if one["path"].endswith("train.py")
    ]


@pytest.mark.parametrize("mark", [".git/HEAD", "pyproject.toml", "setup.py", "uncuda.toml"])
def test_a_runtime_patch_that_another_file_imports(project: Path, mark: str) -> None:
    write({"main.py": SHIM, "core/train.py": TEXT})
    assert found("core/train.py")  # the root folder of the project is not named on the command line
    write({mark: ""})
    for arguments in ((), ("core",), ("core/train.py",), (str(project / "core"),), (str(project / "core/train.py"),)):
        assert found(*arguments) == []


def test_a_project_that_serves_the_target(project: Path) -> None:
    write(SERVING)
    whole = found()
    assert whole == [("cuda-api", 3, ["review"])]
    assert found("core") == found("core/train.py") == whole
    before = Path("core/train.py").read_bytes()
    assert "Nothing to fix in 1 file." in uncuda("fix", "--target", "npu", "core/train.py").err
    assert Path("core/train.py").read_bytes() == before


def test_from_a_folder_of_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(SERVING)
    monkeypatch.chdir("core")
    assert found() == found("train.py") == found(".") == [("cuda-api", 3, ["review"])]


def test_a_package_without_a_project(project: Path) -> None:
    write({f"site/lib/{name}": text for name, text in SERVING.items() if name != "uncuda.toml"})
    assert found("site/lib/core/train.py") == [("cuda-api", 3, ["safe"])]
    write({"site/lib/__init__.py": "", "site/lib/core/__init__.py": ""})
    assert found("site/lib/core/train.py") == found("site/lib/core") == [("cuda-api", 3, ["review"])]


def test_standard_input_stands_for_its_file(project: Path) -> None:
    write(SERVING)
    for name in ("core/train.py", "core/new_train.py"):  # the second file does not exist yet
        assert found("--stdin-filename", name, "-", stdin=TEXT) == [("cuda-api", 3, ["review"])]
    assert found("--stdin-filename", "core/train.py", "-", stdin="import torch\n") == []


def test_what_a_project_ignores_is_none_of_it(project: Path) -> None:
    write({".git/HEAD": "", ".gitignore": "scratch/\n", "main.py": SHIM, "scratch/train.py": TEXT})
    assert [rule for rule, *_ in found("scratch/train.py")] == ["cuda-api"]


def test_a_project_within_a_project_is_one_of_its_own(project: Path) -> None:
    write({".git/HEAD": "", "main.py": SHIM, "port/pyproject.toml": "", "port/train.py": TEXT})
    assert [rule for rule, *_ in found("port")] == [rule for rule, *_ in found("port/train.py")] == ["cuda-api"]


def test_only_what_is_given_is_reported_and_counted(project: Path) -> None:
    write({**SERVING, "broken.py": "x = '\udcff'\n".encode("utf-8", "surrogateescape").decode("latin-1")})
    Path("bad.py").write_bytes(b"# \xff\n")
    run: Run = uncuda("check", "--target", "npu", "core/train.py")
    assert run.code == 1
    assert "1 finding in 1 file" in run.out
    assert "bad.py" not in run.err


def paths_of(*paths: str) -> list[str]:
    settings = Settings()
    given = discover(paths, lambda folder: settings).files
    return [file.path for file in files_of(paths, given, lambda folder: settings)]


def test_as_it_was_given(project: Path) -> None:
    """All files of the project are named in the form in which the user named some of them (relative or absolute), and
    each file is named once."""
    write({".git/HEAD": "", "main.py": "", "core/a.py": "", "core/b.py": ""})
    assert paths_of("core/b.py") == ["core/a.py", "core/b.py", "main.py"]
    assert paths_of("core/b.py", "core") == ["core/a.py", "core/b.py", "main.py"]
    whole = [str(project / name) for name in ("core/a.py", "core/b.py", "main.py")]
    assert paths_of(str(project / "core/b.py")) == whole
    assert paths_of(".") == ["core/a.py", "core/b.py", "main.py"]


def test_a_large_project_is_not_read_for_one_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write({".git/HEAD": "", "main.py": "", "core/a.py": "", "core/b.py": "", "empty/x/y/z/README": ""})
    monkeypatch.setattr(project_root, "MOST_FILES", 2)
    assert paths_of("core/b.py") == ["core/b.py"]
    monkeypatch.setattr(project_root, "MOST_FILES", 5)  # also the limit of folders; the project has six
    assert paths_of("core/b.py") == ["core/b.py"]


def test_the_users_own_folder_is_no_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write({".git/HEAD": "", "main.py": "", "core/a.py": ""})
    monkeypatch.setenv("HOME", str(project))
    assert paths_of("core/a.py") == ["core/a.py"]


@pytest.mark.corpus
@pytest.mark.slow
def test_each_file_of_a_package_is_what_it_is_in_all_of_it(
    corpus: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accelerate already supports NPUs, so its fixes need review; if uncuda read only the named file, they would be
    safe."""
    monkeypatch.chdir(corpus("accelerate"))

    def lines(*paths: str) -> list[str]:
        shown = uncuda("check", "--target", "npu", "--output-format", "github", *paths).out.splitlines()
        return [line for line in shown if line.startswith("::")]

    whole = lines("accelerate")
    files = sorted({line.partition("file=")[2].partition(",")[0] for line in whole})
    assert len(files) > 10
    for file in random.Random(5).sample(files, 6):
        assert sorted(lines(file)) == sorted(line for line in whole if f"file={file}," in line)


def test_a_project_with_the_name_of_a_library_with_its_own_devices(project: Path) -> None:
    """EasyOCR knows CUDA only, so its words for devices stay; in its own project they are devices of torch."""
    text = "import torch\nfrom easyocr.model import Model\n\nmodel = Model(64, device='cuda:0')\n"
    write({"uncuda.toml": "", "train.py": text})
    assert found("train.py") == []
    write({"easyocr/__init__.py": "", "easyocr/model.py": "import torch\n"})
    assert found("train.py") == [("device-string", 4, ["safe"])]
