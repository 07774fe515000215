"""Tests of `strategy = "portable"` on the command line: where the helper module is, and the messages about it."""

import subprocess
from pathlib import Path

import pytest

from cli.command import make, uncuda
from uncuda.settings import Configuration, Vocabulary

TEXT = "import torch\n\ntorch.cuda.synchronize()\nx = torch.zeros(1, device='cuda')\n"
USES = "device_module().synchronize()\nx = torch.zeros(1, device=accelerator_type())\n"
SETTINGS = 'strategy = "portable"\n'
ALONE = f"import torch\nfrom _accelerator import accelerator_type, device_module\n\n{USES}"
WORDS = Vocabulary(("musa", "npu"), ("cuda-api",))


def fix(*arguments: str, stdin: str = "") -> str:
    run = uncuda("fix", "--review-fixes", *arguments, stdin=stdin)
    return run.err + run.out


@pytest.mark.parametrize(
    "files, module",
    [
        ({"train.py": TEXT}, "_accelerator"),
        ({"train.py": TEXT, "models/__init__.py": "", "utils/__init__.py": ""}, "_accelerator"),
        ({"train.py": TEXT, "pkg/__init__.py": "", "pkg/a.py": TEXT}, "pkg.device"),
        ({"train.py": TEXT, "pkg/__init__.py": "", "tests/__init__.py": ""}, "pkg.device"),
        ({"pkg/__init__.py": "", "pkg/a.py": TEXT, "pkg/device.py": "def mine(): ...\n"}, "pkg._accelerator"),
        ({"src/pkg/__init__.py": "", "src/pkg/a.py": TEXT}, "pkg.device"),
        ({"pkg/__init__.py": "from .b import device\n", "pkg/a.py": TEXT}, "pkg._accelerator"),  # it would be replaced
        ({"pkg/__init__.py": "from .b import *\n", "pkg/a.py": TEXT}, "pkg._accelerator"),
    ],
)
def test_where_it_is(files: dict[str, str], module: str) -> None:
    make({**files, "uncuda.toml": SETTINGS})
    said = fix()
    assert f"its module is {module}\n" in said
    path = next(Path().rglob(module.rpartition(".")[2] + ".py"))
    assert f"wrote {path}, which says which accelerator there is" in said
    assert path.read_text().startswith('"""Which accelerator this process uses. Written by uncuda')
    package = Path(*module.split(".")[:-1])
    assert path.parent == (package if package.is_dir() else "src" / package)
    for name, content in files.items():
        if content == TEXT:
            assert f"from {module} import accelerator_type, device_module\n" in Path(name).read_text()
    assert "Nothing to fix" in fix()
    assert "No findings" in uncuda("check").out


def test_it_is_named_by_the_settings_and_never_overwritten() -> None:
    own = "def accelerator_type(): ...\ndef device_module(): ...\n"
    make({"a.py": TEXT, "lib/device.py": own, "uncuda.toml": f'{SETTINGS}portable-helper = "lib.device"\n'})
    assert "wrote" not in fix()
    assert Path("lib/device.py").read_text() == own
    assert Path("a.py").read_text() == ALONE.replace("_accelerator", "lib.device")


def test_a_function_that_it_lacks_is_said() -> None:
    make({"a.py": TEXT, "lib/device.py": "def device_module(): ...\n"})
    said = fix("--strategy", "portable", "--portable-helper", "lib.device", "--isolated")
    assert "the module of `portable-helper` has no such function; add it there" in said
    assert "device_module().synchronize()\nx = torch.zeros(1, device='cuda')" in Path("a.py").read_text()


def test_a_diff_makes_it_and_writes_nothing() -> None:
    make({"a.py": TEXT})
    run = uncuda("fix", "--review-fixes", "--diff", "--isolated", "--strategy", "portable")
    assert not Path("_accelerator.py").exists()
    assert Path("a.py").read_text() == TEXT
    Path("change.diff").write_text(run.out)
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "apply", "change.diff"], check=True)
    assert Path("a.py").read_text() == ALONE
    compile(Path("_accelerator.py").read_text(), "_accelerator.py", "exec")


def test_standard_input_is_told_of_it() -> None:
    run = uncuda("fix", "--review-fixes", "--isolated", "--strategy", "portable", "-", stdin=TEXT)
    assert run.out == ALONE
    assert "the text imports _accelerator.py, which is not there" in run.err
    assert not Path("_accelerator.py").exists()


def test_fewer_accelerators() -> None:
    make({"a.py": TEXT})
    said = fix("--isolated", "--strategy", "portable", "--portable-targets", "musa")
    assert "one source for CUDA, torch_musa 2.7.1" in said
    text = Path("_accelerator.py").read_text()
    assert '_PLUGINS = {"musa": "torch_musa"}' in text
    assert '""" "cuda" or "musa"."""' in text


def test_several_processes_say_the_same() -> None:
    files = {f"pkg/m{number}.py": TEXT + "#" * 40_000 for number in range(24)}
    make({**files, "pkg/__init__.py": "", "uncuda.toml": SETTINGS})
    assert "Fixed 48 findings in 24 files" in fix("--workers", "2")
    assert {Path(name).read_text()[: len(ALONE) + 2].count("pkg.device") for name in files} == {1}
    assert Path("pkg/device.py").exists()


def test_the_closer_of_a_target_and_portable_holds(tmp_path: Path) -> None:
    (tmp_path / "uncuda.toml").write_text(SETTINGS)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/uncuda.toml").write_text('extend = "../uncuda.toml"\ntarget = "npu"\n')
    settings = Configuration(WORDS).settings_for(str(tmp_path / "inner"))
    assert (settings.target, settings.strategy) == ("npu", "auto")
    (tmp_path / "uncuda.toml").write_text('target = "npu"\ntarget-version = "2.9.0"\n')
    (tmp_path / "inner/uncuda.toml").write_text(f'extend = "../uncuda.toml"\n{SETTINGS}')
    settings = Configuration(WORDS).settings_for(str(tmp_path / "inner"))
    assert (settings.target, settings.target_version, settings.strategy) == (None, None, "portable")
    over = Configuration(WORDS, {"target": "musa"}).settings_for(str(tmp_path / "inner"))
    assert (over.target, over.strategy) == ("musa", "auto")


def test_a_monorepo_has_one_for_each_folder_with_settings() -> None:
    one, two = {"one/uncuda.toml": SETTINGS, "one/a.py": TEXT}, {"two/uncuda.toml": SETTINGS, "two/a.py": TEXT + "\n"}
    make({**one, **two})
    said = fix("one", "two")
    assert said.count("wrote") == 2
    assert Path("one/_accelerator.py").exists() and Path("two/_accelerator.py").exists()


def test_a_module_that_cannot_be_written_keeps_all_files_as_they_are() -> None:
    settings = f'{SETTINGS}portable-helper = "pkg.device"\n'
    make({"a.py": TEXT, "b.py": TEXT, "pkg": "a file, no folder\n", "uncuda.toml": settings})
    said = fix()
    assert "a.py: cannot be written: " in said and "b.py: cannot be written: " in said
    assert Path("a.py").read_text() == Path("b.py").read_text() == TEXT
