"""Tests of `strategy = "portable"` on the command line: where the helper module is, and the messages about it."""

import subprocess
from pathlib import Path

import pytest

from cli.command import make, uncuda
from uncuda.settings import Configuration, Vocabulary

TEXT = "import torch\n\ntorch.cuda.synchronize()\nx = torch.zeros(1, device='cuda')\n"
USES = "device_module().synchronize()\nx = torch.zeros(1, device=accelerator_type())\n"
SETTINGS = 'strategy = "portable"\n'
ALONE = f"import torch\n\nfrom _accelerator import accelerator_type, device_module\n\n{USES}"
WORDS = Vocabulary(("musa", "npu"), ("cuda-api",))


def fix(*arguments: str, stdin: str = "") -> str:
    run = uncuda("fix", *arguments, stdin=stdin)
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
        # `pkg.device` already means something else, and a helper module pkg/device.py would replace it
        ({"pkg/__init__.py": "from .b import device\n", "pkg/a.py": TEXT}, "pkg._accelerator"),
        ({"pkg/__init__.py": "from .b import *\n", "pkg/a.py": TEXT}, "pkg._accelerator"),
    ],
)
def test_where_it_is(files: dict[str, str], module: str) -> None:
    make({**files, "uncuda.toml": SETTINGS})
    said = fix()
    assert f"the helper module is {module}\n" in said
    path = next(Path().rglob(module.rpartition(".")[2] + ".py"))
    assert f"wrote {path}, the helper module of the project" in said
    assert path.read_text().startswith('"""Which accelerator this process uses. Written by uncuda')
    package = Path(*module.split(".")[:-1])
    assert path.parent == (package if package.is_dir() else "src" / package)
    for name, content in files.items():
        if content == TEXT:
            assert f"from {module} import accelerator_type, device_module\n" in Path(name).read_text()
    assert "Nothing to fix" in fix()
    assert "No findings" in uncuda("check").out


SETUP = {"setup.py": "from setuptools import setup\nsetup()\n"}
ONE, TWO = {"one/__init__.py": "", "one/a.py": TEXT}, {"two/__init__.py": "", "two/a.py": TEXT}
RELATIVE = TEXT.replace("import torch\n", "import torch\n\nfrom .b import c\n")


@pytest.mark.parametrize(
    "files, written, imports",
    [
        (SETUP | ONE | TWO, ["one/device.py", "two/device.py"], {"one/a.py": "one.device", "two/a.py": "two.device"}),
        (ONE | TWO, ["_accelerator.py"], {"one/a.py": "_accelerator", "two/a.py": "_accelerator"}),
        (SETUP | ONE | TWO | {"one/b/c.py": TEXT, "one/b/__init__.py": ""}, None, {"one/b/c.py": "one.device"}),
        (SETUP | ONE | TWO | {"one/b.py": RELATIVE}, None, {"one/b.py": ".device"}),
        (SETUP | ONE | TWO | {"run/b.py": "import two\n" + TEXT}, None, {"run/b.py": "two.device"}),
        (ONE | {"one/b/c.py": RELATIVE, "one/b/__init__.py": ""}, None, {"one/b/c.py": "..device"}),
        ({"meg/core/__init__.py": "", "meg/core/a.py": RELATIVE}, ["meg/core/device.py"], {"meg/core/a.py": ".device"}),
        (
            {"meg/core/__init__.py": "", "meg/core/a.py": "import meg.core.b\n" + TEXT, "meg/core/b.py": TEXT},
            ["meg/core/device.py"],
            {"meg/core/a.py": "meg.core.device"},
        ),
    ],
)
def test_a_package_has_its_own(files: dict[str, str], written: list[str] | None, imports: dict[str, str]) -> None:
    """Each package gets a helper module of its own: a module beside the packages is not installed with them, and one
    package may be installed without the other."""
    make({**files, "uncuda.toml": SETTINGS})
    fix()
    for name, module in imports.items():
        assert f"from {module} import accelerator_type, device_module\n" in Path(name).read_text()
    made = sorted(str(path) for path in Path().rglob("*.py") if "Written by uncuda" in path.read_text())
    assert written is None or made == written
    assert "Nothing to fix" in fix()
    assert "No findings" in uncuda("check").out


@pytest.mark.parametrize(
    "other, both", [("", False), ("import two\n", True), ("try:\n    import two\nfinally: ...\n", False)]
)
def test_a_package_that_imports_another_has_no_module_of_its_own(other: str, both: bool) -> None:
    two = {"two/b.py": "import one.a\n", "two/c.py": RELATIVE.replace(".b", "..two.b"), "two/d.py": TEXT}
    make({**SETUP, **ONE, **TWO, **two, "one/b.py": other, "uncuda.toml": SETTINGS})
    fix()
    module = "two.device" if both else "one.device"
    assert Path("two/device.py").exists() == both
    assert f"from {module} import accelerator_type, device_module\n" in Path("two/d.py").read_text()
    assert "from one.device import" in Path("one/a.py").read_text()
    assert "Nothing to fix" in fix()


@pytest.mark.parametrize(
    "name, text, breaks",
    [
        ("pyproject.toml", "[tool.black]\nline-length = 120\n", False),
        ("pyproject.toml", "[tool.ruff]\n", True),
        ("setup.cfg", "[flake8]\nmax-line-length = 100\n", False),
        (".flake8", "[flake8]\nmax-line-length=90\n", True),
    ],
)
def test_lines_are_as_long_as_the_projects_settings_allow(name: str, text: str, breaks: bool) -> None:
    line = "x = torch.zeros(number_of_rows, number_of_columns, dtype=torch.float32, device='cuda')\n"
    make({"a.py": f"import torch\n\n{line}", name: text})
    fix("--isolated", "--strategy", "portable")
    assert ("device=accelerator_type()\n)" in Path("a.py").read_text()) == breaks


def test_a_package_whose_name_nobody_says_is_imported_from_within() -> None:
    """The package may be a part of a namespace package: `meg.core`."""
    files: dict[str, str | bytes] = {"core/__init__.py": "", "core/a.py": TEXT}
    make(files)
    fix("--isolated", "--strategy", "portable")
    assert "from .device import" in Path("core/a.py").read_text()
    make({**files, "core/b.py": "from core.c import d\n"})
    fix("--isolated", "--strategy", "portable")
    assert "from core.device import" in Path("core/a.py").read_text()


def test_line_ends_of_the_module_are_those_of_the_project() -> None:
    make({"a.py": TEXT.replace("\n", "\r\n"), "uncuda.toml": SETTINGS})
    fix()
    assert Path("_accelerator.py").read_bytes().count(b"\r\n") == Path("_accelerator.py").read_bytes().count(b"\n") > 50


STAR = "from .ops import *\n\n\ndef f(x, device):\n    return x.to(device)\n"


def test_what_another_file_imports_with_a_star_gets_private_names() -> None:
    """Without private names, `device` of the helper module would replace the other file's own name `device`."""
    make({"pkg/__init__.py": "", "pkg/ops.py": TEXT, "pkg/a.py": STAR, "uncuda.toml": SETTINGS})
    fix()
    text = Path("pkg/ops.py").read_text()
    assert "import pkg.device as _accelerators\n" in text
    assert "_accelerators.device_module().synchronize()" in text
    assert "Nothing to fix" in fix()
    Path("pkg/ops.py").write_text(f"__all__ = ['x']\n{TEXT}")
    fix()
    assert "from pkg.device import accelerator_type, device_module\n" in Path("pkg/ops.py").read_text()


def test_it_is_named_by_the_settings_and_never_overwritten() -> None:
    own = "def accelerator_type(): ...\ndef device_module(): ...\n"
    make({"a.py": TEXT, "lib/device.py": own, "uncuda.toml": f'{SETTINGS}portable-helper = "lib.device"\n'})
    assert "wrote" not in fix()
    assert Path("lib/device.py").read_text() == own
    assert Path("a.py").read_text() == ALONE.replace("_accelerator", "lib.device")


def test_a_function_that_it_lacks_is_said() -> None:
    make({"a.py": TEXT, "lib/device.py": "def device_module(): ...\n"})
    said = fix("--review-fixes", "--strategy", "portable", "--portable-helper", "lib.device", "--isolated")
    assert "the module of `portable-helper` has no such function; add it there" in said
    assert "device_module().synchronize()\nx = torch.zeros(1, device='cuda')" in Path("a.py").read_text()


def test_a_diff_makes_it_and_writes_nothing() -> None:
    make({"a.py": TEXT})
    run = uncuda("fix", "--diff", "--isolated", "--strategy", "portable")
    assert not Path("_accelerator.py").exists()
    assert Path("a.py").read_text() == TEXT
    Path("change.diff").write_text(run.out)
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "apply", "change.diff"], check=True)
    assert Path("a.py").read_text() == ALONE
    compile(Path("_accelerator.py").read_text(), "_accelerator.py", "exec")


def test_standard_input_is_told_of_it() -> None:
    run = uncuda("fix", "--isolated", "--strategy", "portable", "-", stdin=TEXT)
    assert run.out == ALONE
    assert "the text imports the helper module _accelerator.py, which does not exist" in run.err
    assert not Path("_accelerator.py").exists()


def test_fewer_accelerators() -> None:
    make({"a.py": TEXT})
    said = fix("--isolated", "--strategy", "portable", "--portable-targets", "musa")
    assert "one source for CUDA, torch_musa 2.7.1" in said
    text = Path("_accelerator.py").read_text()
    assert '_PLUGINS = {"musa": "torch_musa"}' in text
    assert '""" "cuda" or "musa"."""' in text


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "other",
    [
        "import torch\nfrom .a import f\n\ng = torch.jit.script(f)\n",
        "from torch.jit import script\nfrom .a import f\n\ng = script(f)\n",
        "import torch\nfrom torch.nn.utils.rnn import pack_sequence\nfrom .a import f\n\nf(pack_sequence([]))\n",
    ],
)
def test_what_another_file_does_with_a_function_is_known(other: str) -> None:
    text = "import torch\n\n\ndef f(x):\n    return x.is_cuda\n"
    make({"pkg/__init__.py": "", "pkg/a.py": text, "pkg/b.py": other, "uncuda.toml": SETTINGS})
    fix("--workers", "1")
    assert Path("pkg/a.py").read_text() == text
    Path("pkg/b.py").write_text("from .a import f\n")
    fix()
    assert "x.device.type == accelerator_type()" in Path("pkg/a.py").read_text()


@pytest.mark.parametrize(
    "other", ["from .a import torch\n", "from . import a\n\na.torch.ones(1)\n", "p('pkg.a.torch')\n"]
)
def test_torch_that_another_file_takes_from_this_one_stays(other: str) -> None:
    text = "import torch\n\ntorch.cuda.synchronize()\n"
    make({"pkg/__init__.py": "", "pkg/a.py": text, "pkg/b.py": other, "uncuda.toml": SETTINGS})
    fix()
    assert Path("pkg/a.py").read_text().startswith("import torch\n")
    Path("pkg/b.py").unlink()
    Path("pkg/a.py").write_text(text)
    fix()
    assert Path("pkg/a.py").read_text() == "from pkg.device import device_module\n\ndevice_module().synchronize()\n"


OWN = """import torch

NPU = hasattr(torch, "npu") and torch.npu.is_available()


def get_visible_devices_keyword() -> str:
    return "ASCEND_RT_VISIBLE_DEVICES" if NPU else "CUDA_VISIBLE_DEVICES"


def get_device_name() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "npu" if NPU else "cpu"


def get_torch_device():
    return getattr(torch, get_device_name(), torch.cuda)


def get_nccl_backend() -> str:
    return "hccl" if NPU else "nccl"
"""
NAMES = (
    'portable-names = { visible_devices = "get_visible_devices_keyword()", device_type = "get_device_name()", '
    'device_module = "get_torch_device()", backend = "get_nccl_backend()" }'
)


def test_a_module_of_the_projects_own_is_offered_once_and_never_used_by_itself() -> None:
    text = TEXT.replace("x = torch", "d = 'cuda' if torch.cuda.is_available() else 'cpu'\nx = torch")
    files = {"pkg/__init__.py": "", "pkg/utils/__init__.py": "", "pkg/utils/device.py": OWN, "pkg/a.py": text}
    make({**files, "uncuda.toml": SETTINGS})
    said = fix("--diff")
    note = "pkg.utils.device seems to return the accelerator of the machine already; to use this module: "
    assert said.count(note) == 1
    assert 'use this module: portable-helper = "pkg.utils.device", portable-names' in said
    assert NAMES in said
    assert "from pkg.device import" in said
    make({"uncuda.toml": f'{SETTINGS}portable-helper = "pkg.utils.device"\n{NAMES}\n'})
    assert "seems to say" not in fix("--review-fixes")
    fixed = Path("pkg/a.py").read_text()
    assert "get_torch_device().synchronize()\nd = get_device_name()\n" in fixed
    assert Path("pkg/utils/device.py").read_text() == OWN
    assert not Path("pkg/device.py").exists()


@pytest.mark.parametrize(
    "lacking", ["return getattr(torch, get_device_name(), torch.cuda)", 'return "npu" if NPU else "cpu"']
)
def test_a_module_that_does_not_say_enough_is_not_offered(lacking: str) -> None:
    files = {"pkg/__init__.py": "", "pkg/device_utils.py": OWN.replace(lacking, "return 1"), "pkg/a.py": TEXT}
    make({**files, "uncuda.toml": SETTINGS})
    assert "seems to say" not in fix("--diff")


@pytest.mark.parametrize(
    "declared, fixed",
    [("torch>=1.8.0", False), ("torch>=2.0,<3", False), ("torch>=2.1", True), ("torch==2.7.1", True), ("torch", True)],
)
def test_what_an_older_pytorch_that_is_declared_does_not_have(declared: str, fixed: bool) -> None:
    setup = f'from setuptools import setup\n\nsetup(name="pkg", install_requires=["{declared}"])\n'
    forks = "import torch\n\ntorch.cuda.synchronize()\nwith torch.random.fork_rng([0]):\n    torch.manual_seed(0)\n"
    asks = "import torch.distributed as dist\n\nfast = dist.is_nccl_available()\n"
    files = {"pkg/__init__.py": "", "pkg/forks.py": forks, "pkg/asks.py": asks, "pkg/a.py": TEXT}
    make({**files, "setup.py": setup, "uncuda.toml": SETTINGS})
    fix()
    assert ("device_type=accelerator_type()" in Path("pkg/forks.py").read_text()) == fixed
    assert ("is_backend_available(backend())" in Path("pkg/asks.py").read_text()) == fixed
    assert "device_module().synchronize()" in Path("pkg/a.py").read_text()
    assert ("than the project declares" in uncuda("check", "--output-format", "concise").out) != fixed


def test_the_setting_of_the_version_is_above_what_is_declared() -> None:
    forks = "import torch\n\ntorch.cuda.synchronize()\nwith torch.random.fork_rng([0]):\n    torch.manual_seed(0)\n"
    make({"a.py": forks, "requirements.txt": "torch>=1.8\n", "uncuda.toml": f'{SETTINGS}torch-version = "2.7.1"\n'})
    fix()
    assert "device_type=accelerator_type()" in Path("a.py").read_text()


STREAM = """import torch

__all__ = ["use_device"]


def use_device(device):
    if device.type != "cuda":
        return None
    return torch.cuda.device(device)
"""
LEFT = "\n\ndef as_cuda(stream) -> torch.cuda.Stream:\n    return stream\n"
WORKER = "import torch\n\n{0}\n\n\ndef work(device):\n    torch.cuda.synchronize()\n    {1}(device)\n"


@pytest.mark.parametrize(
    "line, call",
    [
        ("from .stream import use_device", "use_device"),
        ("from pkg.stream import use_device", "use_device"),
        ("from . import stream", "stream.use_device"),
        ("from .between import use_device", "use_device"),
        ("from .again import used", "used"),
    ],
)
def test_a_function_of_another_file_that_silently_stays(line: str, call: str) -> None:
    worker = WORKER.format(line, call)
    between = "from .stream import use_device\n"
    again = f"import torch\n\n{between}\n\ndef used(device):\n    return _used(device)\n\n\n"
    again += "def _used(device):\n    if device.type == 'cuda':\n        use_device(device)\n"
    files = {"pkg/__init__.py": "", "pkg/worker.py": worker, "pkg/between.py": between, "pkg/again.py": again}
    make({**files, "pkg/stream.py": STREAM + LEFT, "uncuda.toml": SETTINGS})
    fix()
    assert Path("pkg/worker.py").read_text() == worker
    assert Path("pkg/stream.py").read_text() == STREAM + LEFT
    assert "of another file that is used here" in uncuda("check", "--output-format", "concise").out
    make({"pkg/stream.py": STREAM})
    fix()
    assert "device_module().synchronize()" in Path("pkg/worker.py").read_text()
    assert "device.type != accelerator_type()" in Path("pkg/stream.py").read_text()
    assert "Nothing to fix" in fix()


@pytest.mark.parametrize(
    "body",
    [
        "if torch.cuda.is_available():\n        return torch.device('cuda:0')\n    return torch.device('cpu')",
        "return torch.cuda.memory_reserved() if torch.cuda.is_available() else 0",
        "return range(torch.cuda.device_count())",
    ],
)
def test_a_function_of_another_file_that_asks_for_a_cuda_device(body: str) -> None:
    """pkg/stream.py stays on CUDA, so its function finds no device on another accelerator. Therefore the file that
    calls this function, pkg/worker.py, is not fixed."""
    worker = WORKER.format("from .stream import choose", "choose")
    choose = (
        f"import torch\n\n\ndef choose(name):\n    if name:\n        assert torch.cuda.is_available()\n    {body}\n"
    )
    make({"pkg/__init__.py": "", "pkg/worker.py": worker, "pkg/stream.py": choose + LEFT, "uncuda.toml": SETTINGS})
    fix()
    assert Path("pkg/worker.py").read_text() == worker
    make({"pkg/stream.py": choose.replace(f"    {body}\n", "    return name\n") + LEFT})
    fix()
    assert "device_module().synchronize()" in Path("pkg/worker.py").read_text()


def test_a_function_of_another_file_that_raises() -> None:
    worker = WORKER.format("from .stream import use_device", "use_device")
    loud = STREAM.replace("return None", "raise ValueError(device)")
    make({"pkg/__init__.py": "", "pkg/worker.py": worker, "pkg/stream.py": loud + LEFT, "uncuda.toml": SETTINGS})
    fix()
    assert "device_module().synchronize()" in Path("pkg/worker.py").read_text()
    assert Path("pkg/stream.py").read_text() == loud + LEFT


def test_a_class_of_another_file_that_is_only_tested() -> None:
    """If a class is not ported, and its methods do nothing on other devices without raising an exception, a file that
    creates objects of the class is not fixed; a file that only names the class in `isinstance` is."""
    stream = STREAM.replace("def use_device(device)", "class Streams:\n    def use(self, device)").replace(
        "    if", "        if"
    )
    stream = stream.replace("    return", "        return")
    use = "from .stream import Streams\n\n\ndef f(x: Streams) -> bool:\n    torch.cuda.synchronize()\n    "
    tested, made = f"import torch\n\n{use}return isinstance(x, Streams)\n", f"import torch\n\n{use}return Streams()\n"
    files = {"pkg/__init__.py": "", "pkg/stream.py": stream + LEFT, "pkg/tested.py": tested, "pkg/made.py": made}
    make({**files, "uncuda.toml": SETTINGS})
    fix()
    assert "device_module().synchronize()" in Path("pkg/tested.py").read_text()
    assert Path("pkg/made.py").read_text() == made


def test_the_modules_of_several_packages_are_said() -> None:
    make({**SETUP, **ONE, **TWO, "uncuda.toml": SETTINGS})
    assert "the helper module depends on the package of a file: one.device, two.device, _accelerator\n" in fix()


GUARDED = (
    "import torch\n\n\ndef f(x):\n    if torch.cuda.is_available():\n        {0}\n        return g(x)\n    return x\n"
)
EXTENSION = "import torch\nimport fast_cuda\n\n\ndef g(x):\n    return fast_cuda.run(x)\n"


@pytest.mark.parametrize(
    "line", ["from .fast import g", "from pkg.fast import g", "from .fast.ops import g", "from pkg import fast as g"]
)
def test_a_question_over_an_import_of_a_file_with_an_extension(line: str) -> None:
    """The file that is imported needs an extension for CUDA, so that the import fails on other accelerators."""
    asking = GUARDED.format(line)
    passes_on = {"pkg/fast/__init__.py": "from .ops import g\n", "pkg/fast/ops.py": EXTENSION}
    make({"pkg/__init__.py": "", "pkg/a.py": asking, **passes_on, "uncuda.toml": SETTINGS})
    fix()
    assert Path("pkg/a.py").read_text() == asking
    assert "it decides about code that stays CUDA's" in uncuda("check", "--output-format", "concise").out
    make({"pkg/fast/ops.py": EXTENSION.replace("import fast_cuda", "import fast")})
    fix()
    assert "if device_module().is_available():" in Path("pkg/a.py").read_text()


@pytest.mark.parametrize(
    "imported",
    ["try:\n    import fast_cuda\nexcept ImportError:\n    fast_cuda = None\n", "def h():\n    import fast_cuda\n"],
)
def test_a_question_over_an_import_that_does_without_the_extension(imported: str) -> None:
    files = {"pkg/a.py": GUARDED.format("from .fast import g"), "pkg/fast.py": EXTENSION}
    files["pkg/fast.py"] = EXTENSION.replace("import fast_cuda\n", imported)
    make({"pkg/__init__.py": "", **files, "uncuda.toml": SETTINGS})
    fix()
    assert "if device_module().is_available():" in Path("pkg/a.py").read_text()


CONFIG = """import torch
import torch.distributed as dist


class Config:
    {0} = {1}
"""
READER = "import torch\n\n\ndef start(cfg):\n    torch.cuda.synchronize()\n    return cfg.{0}\n"


@pytest.mark.parametrize(
    "name, value",
    [
        ("dist_backend", '"nccl"'),
        ("world_size: int", "max(1, torch.cuda.device_count())"),
        ("world_size: int", "field(\n        default=torch.cuda.device_count(),\n    )"),
    ],
)
def test_a_field_that_a_file_which_stays_reads(name: str, value: str) -> None:
    config, reader = CONFIG.format(name, value), READER.format(name.partition(":")[0])
    use = "\n\ndist.init_process_group(Config.dist_backend)\n" if name == "dist_backend" else ""
    files = {"pkg/__init__.py": "", "pkg/config.py": config + use, "pkg/train/start.py": reader + LEFT}
    make({**files, "uncuda.toml": SETTINGS})
    fix()
    assert Path("pkg/config.py").read_text() == config + use
    assert "another file reads a value of this one" in uncuda("check", "--output-format", "concise").out
    make({"pkg/train/start.py": reader})
    fix()
    assert Path("pkg/config.py").read_text() != config + use
    assert "device_module().synchronize()" in Path("pkg/train/start.py").read_text()


NAMED = """\
import torch


def get_device(name="cuda"):
    if {}:
        return torch.device("cpu")
    return torch.device(name)
"""


@pytest.mark.parametrize("given", ['    device: str = "cuda"', '    defaults = {"device": "cuda:0"}'])
def test_a_name_that_a_file_without_torch_gives(given: str) -> None:
    """pkg/config.py, which does not import torch, still sets a device to "cuda" after the safe fixes. If the condition
    in pkg/utils.py were fixed, it would no longer replace "cuda" by the CPU on another accelerator."""
    text = NAMED.format('name.startswith("cuda") and not torch.cuda.is_available()')
    make({"pkg/__init__.py": "", "pkg/config.py": f"class Config:\n{given}\n", "pkg/utils.py": text})
    make({"uncuda.toml": SETTINGS})
    fix()
    assert Path("pkg/utils.py").read_text() == text
    assert "compares a name with it" in uncuda("check", "--output-format", "concise").out


@pytest.mark.parametrize(
    ("condition", "config"),
    [
        ('torch.device(name).type == "cuda" and not torch.cuda.is_available()', 'device: str = "cuda"'),
        ('name.startswith("cuda") and not torch.cuda.is_available()', 'device: str = "cpu"'),
    ],
)
def test_a_name_that_no_file_without_torch_gives(condition: str, config: str) -> None:
    files = {"pkg/__init__.py": "", "pkg/config.py": f"class Config:\n    {config}\n"}
    make({**files, "pkg/utils.py": NAMED.format(condition), "uncuda.toml": SETTINGS})
    fix()
    assert "device_module().is_available()" in Path("pkg/utils.py").read_text()


def test_a_field_that_no_file_which_stays_reads() -> None:
    config, reader = CONFIG.format("world_size", "torch.cuda.device_count()"), READER.format("other_size")
    make({"pkg/__init__.py": "", "pkg/config.py": config, "pkg/start.py": reader + LEFT, "uncuda.toml": SETTINGS})
    fix()
    assert "world_size = device_module().device_count()" in Path("pkg/config.py").read_text()
