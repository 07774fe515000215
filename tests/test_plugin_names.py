"""Tests of the script that reads a plugin's names, on small plugins written by the tests, as wheel and as folder."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts.plugin.compare import Fit, differences, fit
from scripts.plugin.known import NAMES, Version, facts, versions
from scripts.plugin.names import dumped, read

ROOT = Path(__file__).resolve().parents[1]
COMMAND = ROOT / "server" / "scripts" / "plugin_names.py"

PLUGIN = {
    "torch_npu/__init__.py": """
import sys
import torch
import torch_npu.npu

torch.utils.rename_privateuse1_backend("npu")
torch._register_device_module("npu", torch_npu.npu)
torch.Tensor.npu_only = 1
torch.utils.tools = torch.utils.tools
""",
    "torch_npu/npu/__init__.py": """
__all__ = ["synchronize", "Stream", "mstx"]
from torch_npu import _C
from .streams import Stream
from .mstx import mstx


def synchronize(device=None, *, wait=True):
    pass
""",
    "torch_npu/npu/streams.py": """
import torch_npu


class Stream(torch_npu._C._NPUStreamBase):
    def __new__(cls, device=None, priority=0, **kwargs):
        pass

    def query(self):
        pass
""",
    "torch_npu/npu/mstx.py": "class mstx:\n    @staticmethod\n    def mark(message):\n        pass\n",
    "torch_npu/contrib/__init__.py": "",
    "torch_npu/contrib/transfer_to_npu.py": "import torch, torch_npu\ntorch.cuda.Stream = torch_npu.npu.Stream\n",
}
# Strings in a compiled library end with a zero byte; a string that is the end of another string is not stored
# separately.
CORE = b"\0torch_npu_stream\0THNPStream_get_priority\0_npu_getDevice\0my_npu_getNothing\0replays\0"


def wheel(folder: Path, files: dict[str, str], version: str, core: bytes = CORE) -> Path:
    path = folder / f"torch_npu-{version}-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr("torch_npu/lib/libtorch_npu.so", core)
        archive.writestr(f"torch_npu-{version}.dist-info/METADATA", f"Name: torch-npu\nVersion: {version}\n")
    return path


def checkout(folder: Path, files: dict[str, str], version: str) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / "version.txt").write_text(f"{version}\n", "utf-8")
    (folder / "torch_npu" / "csrc").mkdir(exist_ok=True)
    (folder / "torch_npu" / "csrc" / "Stream.cpp").write_text('{"npu_stream", get}, {"_npu_getDevice", f}', "utf-8")
    return folder


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(COMMAND), *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("make", [wheel, checkout])
def test_a_plugin_is_read_as_wheel_and_as_folder(make: object, tmp_path: Path) -> None:
    found = Version(read((wheel if make is wheel else checkout)(tmp_path, PLUGIN, "2.9.0.post9")))
    assert (found.package, found.version) == ("torch_npu", "2.9.0.post9")
    wanted = {
        "torch.npu.synchronize": ["device=None", "*", "wait=True"],
        "torch.npu.Stream": ["device=None", "priority=0", "**kwargs"],
        "torch_npu.npu.streams.Stream": ["device=None", "priority=0", "**kwargs"],
        "torch.npu.Stream.query": None,
        "torch.npu.Stream.npu_stream": None,  # this attribute is implemented in C
        "torch.npu.mstx.mark": None,  # this name belongs to the class, not to the module of the same name
        "torch.npu.streams": None,
        "torch_npu._C._npu_getDevice": None,
        "torch_npu.__version__": None,
    }
    for name, parameters in wanted.items():
        answer = found.find(name)
        assert answer, name
        assert answer.parameters == parameters, name
    for name in (
        "torch.npu.synchronise",
        "torch.npu.Stream.replay",  # `replays` in the library is a different word
        "torch.npu.synchronize.inside",
        "torch.npu.mstx.mstx",
        "torch_npu._C._npu_getNothing",  # in the library, this is only the end of a longer name
        "torch.cuda.synchronize",
    ):
        assert not found.find(name), name
    assert found.gives("torch.Tensor.npu_only")
    assert not found.gives("torch.utils.tools")  # the plugin does not change this name
    assert found.on_request["torch_npu.contrib.transfer_to_npu"] == {"torch.cuda": ["Stream"]}


def test_a_library_is_no_proof_of_the_end_of_a_name(tmp_path: Path) -> None:
    found = read(wheel(tmp_path, PLUGIN, "2.9.0"))
    assert found["native"] == ["_npu_getDevice", "npu_stream", "priority"]


def test_a_folder_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="neither a plugin nor PyTorch"):
        read(tmp_path)
    result = run("compare", str(tmp_path), str(tmp_path))
    assert result.returncode == 2
    assert "neither a plugin nor PyTorch" in result.stderr


def test_of_pytorch_only_signatures_are_read(tmp_path: Path) -> None:
    for name, text in {
        "torch/__init__.py": "raise SystemExit\n",
        "torch/cuda/__init__.py": "from .streams import Stream\n\ndef synchronize(device=None): ...\n",
        "torch/cuda/streams.py": "class Stream:\n    def __new__(cls, device=None): ...\n",
        "torch-2.14.1+cpu.dist-info/METADATA": "Version: 2.14.1+cpu\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    found = Version(read(tmp_path))
    assert (found.package, found.version, sorted(found.modules)) == (
        "torch",
        "2.14.1",
        ["torch.cuda", "torch.cuda.streams"],
    )
    assert found.find("torch.cuda.Stream") == found.find("torch.cuda.streams.Stream") == (["device=None"],)


NEWER = PLUGIN | {
    "torch_npu/npu/__init__.py": PLUGIN["torch_npu/npu/__init__.py"].replace("wait=True", "wait=False")
    + "\n\ndef npurt():\n    pass\n",
    "torch_npu/npu/mstx.py": "class mstx:\n    @staticmethod\n    def range_push(message):\n        pass\n",
    "torch_npu/contrib/transfer_to_npu.py": "import torch\nimport torch_npu\ntorch.cuda.npurt = torch_npu.npu.npurt\n",
}


def test_what_two_versions_differ_in(tmp_path: Path) -> None:
    old, new = wheel(tmp_path, PLUGIN, "2.8.0"), wheel(tmp_path, NEWER, "2.9.0", CORE + b"_npu_getMemoryFraction\0")
    lines = [
        "torch.npu.mstx.mark: gone in 2.9.0",
        "torch.npu.mstx.range_push: new in 2.9.0",
        "torch.npu.npurt: new in 2.9.0()",
        "torch.npu.synchronize: (device=None, *, wait=True) became (device=None, *, wait=False) in 2.9.0",
        "torch_npu._C._npu_getMemoryFraction: new in 2.9.0",
        "torch.cuda.npurt: set by torch_npu.contrib.transfer_to_npu since 2.9.0",
        "torch.cuda.Stream: no longer set by torch_npu.contrib.transfer_to_npu in 2.9.0",
    ]
    found = differences(Version(read(old)), Version(read(new)))
    assert [line for line in found if ".npu.mstx.mstx" not in line] == lines
    file = tmp_path / "new.json"
    file.write_text(dumped(read(new)), "utf-8")
    for other in (str(new), str(file)):
        result = run("compare", str(old), other)
        assert (result.returncode, result.stdout.splitlines()) == (0, found)
    assert "no difference" in run("compare", str(new), str(file)).stdout


@pytest.mark.parametrize(
    ("original", "counterpart", "wanted"),
    [
        (["a", "b=1"], ["a", "b=2"], Fit()),
        (["a", "b=1"], ["a"], Fit(missing=("b",))),
        (["a"], ["a", "c=1"], Fit(extra=("c",))),
        (["a", "b", "c"], ["a", "x", "b", "c"], Fit((), ("x",), True)),
        (["a", "*", "b"], ["a", "*", "b=1"], Fit()),
        (["a", "b"], ["a", "**kwargs"], Fit()),
        (["a", "b"], ["*args", "**kwargs"], Fit()),
        (["a", "/", "b"], ["b", "a"], Fit(positions=True)),
        (None, ["a"], Fit()),
        (["a"], None, Fit()),
    ],
)
def test_how_parameters_fit(original: list[str] | None, counterpart: list[str] | None, wanted: Fit) -> None:
    assert fit(original, counterpart) == wanted


def test_what_was_not_read_is_unknown(tmp_path: Path) -> None:
    for name, text in {
        "torch_musa/__init__.py": "import torch\nfrom .core.memory import *\nfrom .core.random import *\n"
        "from .core.device import set_device\ntorch.__setattr__('musa', __import__('sys').modules[__name__])\n",
        "torch_musa/core/memory.py": "def empty_cache():\n    pass\n",
        "version.txt": "2.9.1\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    found = Version(read(tmp_path, partial=True))
    assert found.has("torch_musa.empty_cache")
    assert found.has("torch_musa.set_device")  # the name exists, because otherwise importing the plugin would fail
    assert found.has("torch_musa.core.memory.memory_stats") is False
    assert found.has("torch_musa.manual_seed") is None
    assert found.has("torch_musa.core.random.manual_seed") is None
    assert not Version(read(tmp_path)).unread


def test_a_version_is_found_by_how_it_begins() -> None:
    assert facts("npu", "2.1")["version"] == "2.1.0.post17"
    assert facts("npu", "2.14")["version"] == "2.14.0"
    assert facts("npu", "2.9.0")["version"] == "2.9.0"


@pytest.mark.parametrize("path", sorted(NAMES.glob("*.json")), ids=lambda path: path.stem)
def test_files_of_names_are_as_they_are_written(path: Path) -> None:
    text = path.read_text("utf-8")
    found = json.loads(text)
    assert dumped(found) == text
    assert path.name.endswith(f"-{found['version']}.json")
    assert re.fullmatch(r"[\w./@+ -]+", found["source"])


ADVISED = re.compile(r"`((?:torch\.(?:npu|musa)|torch_npu|torch_musa)(?:\.\w+)+)(?![\w*])")


def test_names_that_a_sentence_advises_are_in_every_version_or_it_says_in_which() -> None:
    lines = (ROOT / "rules" / "limits.tsv").read_text(encoding="utf-8").splitlines()[1:]
    known = {target: versions(target) for target in ("npu", "musa")}
    missing = [
        (limit, name, one.version)
        for limit, english, _ in (line.split("\t") for line in lines)
        for name in ADVISED.findall(english)
        for one in known["npu" if "npu" in name else "musa"]
        if one.has(name) is False and not re.search(rf"{one.package} from [\d.]+ on", english)
    ]
    assert not missing
