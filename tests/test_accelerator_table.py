"""Tests of the table of `torch.accelerator`: its contents, how it is read from PyTorch's source, and that it is up to
date."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts import make_accelerator
from scripts.accelerator_source import NotTorch, read_source
from uncuda.catalogue import before, beyond, load

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "rules" / "tables" / "accelerator.tsv"
MODULE = "torch.accelerator"
VERSION = r"\d+(\.\d+)+(\.post\d+)?"
CELLS = {
    "name": r"torch(\.[A-Za-z]\w*)+",
    "kind": "module|class|function|import|absent",
    "since": r"(\d+\.\d+)?",
    "parameters": r"(\(\)|[\w:=/*,@.|]+)?",
    "returns": "(dict|tuple|list)?",
    "cuda": r"(torch\.cuda\.\w+)?",
    "instead": r"(torch\.[\w.]+)?",
    "shims": r"(\w+(,\w+)*)?",
}
BASIC = ("device_count", "is_available", "current_accelerator", "set_device_index", "current_device_index",
         "set_stream", "current_stream")  # fmt: skip
MEMORY = ("empty_cache", "memory_stats", "memory_allocated", "memory_reserved", "max_memory_allocated",
          "max_memory_reserved", "reset_accumulated_memory_stats", "reset_peak_memory_stats")  # fmt: skip
RANDOM = ("random.initial_seed", "random.get_rng_state", "random.get_rng_state_all")
# For each API: the first version of PyTorch, torch_npu and torch_musa that has it; "" means unknown, "no-V" means that
# no version up to V has it.
KNOWN = {
    **dict.fromkeys(BASIC, ("2.6", "2.6", "2.7")),
    "synchronize": ("2.6", "2.6", "no-2.11.0.post2"),
    "device_index": ("2.8", "2.8", "2.9"),
    **dict.fromkeys(MEMORY, ("2.9", "2.13", "2.11.0.post2")),
    "get_memory_info": ("2.10", "2.13", "2.11.0.post2"),
    "get_device_capability": ("2.10", "no-2.14", ""),
    "Graph": ("2.12", "2.13", ""),
    "empty_host_cache": ("2.12", "2.12", ""),
    **dict.fromkeys(RANDOM, ("2.14", "2.14", "")),
}
ABSENT = ("manual_seed", "manual_seed_all", "get_device_name", "get_device_properties", "mem_get_info", "Stream",
          "Event", "stream", "is_bf16_supported", "memory_summary")  # fmt: skip


def rows() -> dict[str, dict[str, str]]:
    _, columns, *lines = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    return {line[0]: dict(zip(columns, line, strict=True)) for line in lines}


def test_cells() -> None:
    every = rows()
    assert list(every) == sorted(every)
    for row in every.values():
        for column, cell in row.items():
            assert re.fullmatch(CELLS.get(column, f"((no-)?{VERSION})?"), cell), (row["name"], column)
        assert bool(row["since"]) is (row["kind"] not in ("import", "absent")), row["name"]


@pytest.mark.parametrize("name", KNOWN)
def test_since_when_there_is_a_name(name: str) -> None:
    row = rows()[f"{MODULE}.{name}"]
    assert (row["since"], row["npu"], row["musa"]) == KNOWN[name]
    if name in MEMORY:
        assert rows()[f"{MODULE}.memory.{name}"] == {**row, "name": f"{MODULE}.memory.{name}"}


@pytest.mark.parametrize("name", ABSENT)
def test_names_of_no_version(name: str) -> None:
    assert rows()[f"{MODULE}.{name}"]["kind"] == "absent"


def test_how_functions_are_called() -> None:
    every = rows()
    assert every[f"{MODULE}.max_memory_allocated"]["parameters"] == "device_index:device=,/"
    assert every[f"{MODULE}.device_index"]["parameters"] == "device:int,/"
    assert every[f"{MODULE}.current_accelerator"]["parameters"] == "check_available=@2.7"
    assert every[f"{MODULE}.empty_cache"]["parameters"] == "()"
    assert every["torch.Event"]["parameters"] == "device:device=,*,enable_timing=,blocking=,interprocess="
    assert {name for name, row in every.items() if row["returns"]} == {f"{MODULE}.get_device_capability"}


def test_the_catalogue_reads_it_for_a_target() -> None:
    table = load().accelerator("npu")
    assert table.newest.startswith("2.15")
    stream = table.apis["torch.Stream"]
    assert [[one.name for one in signature] for signature in stream.signatures] == [
        ["device", "priority"], ["stream_id", "device_index", "device_type", "priority"]
    ]  # fmt: skip
    assert [(one.place, one.optional) for one in stream.signatures[0]] == [("", True), ("*", True)]
    capability = table.apis[f"{MODULE}.get_device_capability"]
    assert (capability.served, capability.never) == ("", "2.14")
    assert not capability.shimmed
    assert load().accelerator("musa").apis[f"{MODULE}.empty_cache"].shimmed


@pytest.mark.parametrize(
    "version, other, older",
    [
        ("2.8.0", "2.9", True), ("2.9", "2.9", False), ("2.9.0", "2.9", False), ("2.10.0", "2.9", False),
        ("2.11.0", "2.11.0.post2", False), ("2.11.0.post1", "2.11.0.post2", True),
        ("2.11.0.post2", "2.11.0.post2", False), ("2.9.1", "2.11.0.post2", True), ("2.7.1.post9", "2.7.1", False),
    ],
)  # fmt: skip
def test_surely_older(version: str, other: str, older: bool) -> None:
    assert before(version, other) is older


def test_surely_newer() -> None:
    assert beyond("2.16.0", "2.15.0")
    assert not beyond("2.15.1", "2.15.0")
    assert not beyond("2.9", "2.15.0")


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a separate folder with the generator script and its input and output files."""
    for name in ("make_accelerator.py", "accelerator_source.py", "accelerator.toml", "downloads.py", "generated.py"):
        (tmp_path / "server" / "scripts").mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "server" / "scripts" / name, tmp_path / "server" / "scripts" / name)
    (tmp_path / "rules" / "tables").mkdir(parents=True)
    shutil.copy(TABLE, tmp_path / "rules" / "tables" / TABLE.name)
    shutil.copytree(ROOT / "rules" / "targets", tmp_path / "rules" / "targets")
    return tmp_path / "server" / "scripts" / "make_accelerator.py"


def test_the_table_is_fresh(copy: Path) -> None:
    result = run(ROOT / "server" / "scripts" / "make_accelerator.py", "--check")
    assert result.returncode == 0, result.stderr
    assert run(copy).returncode == 0
    assert (copy.parents[2] / "rules" / "tables" / TABLE.name).read_bytes() == TABLE.read_bytes()


@pytest.mark.parametrize(
    "file, old, new, says, status",
    [
        ("rules/tables/accelerator.tsv", "device_index:device=,/", "device_index:device=", "edited by hand", 1),
        ("rules/tables/accelerator.tsv", "2.11.0.post2", "2.11.0", "differs from what accelerator.toml gives", 1),
        ("rules/tables/accelerator.tsv", "# generated", "# made", "its first line", 2),
        ("server/scripts/accelerator.toml", 'npu = "2.13"', 'npu = "2.12"', "differs from what accelerator.toml", 1),
        (
            "server/scripts/accelerator.toml",
            '"empty_cache", ',
            '"empty_cash", ',
            "has no torch.accelerator.empty_cash",
            2,
        ),
        ("server/scripts/accelerator.toml", "memory_summary", "memory_stats", "said to be absent", 2),
        ("server/scripts/accelerator.toml", "npu-source", "from", "no source for npu", 2),
    ],
)
def test_what_is_stale(copy: Path, file: str, old: str, new: str, says: str, status: int) -> None:
    path = copy.parents[2] / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    result = run(copy, "--check")
    assert result.returncode == status
    assert says in result.stderr


def torch(folder: Path, version: str, accelerator: dict[str, str], stubs: str = "") -> Path:
    """Return a folder with invented versions of the few PyTorch files that the generator reads."""
    files = {"version.py": f"__version__ = '{version}+cpu'\n", "_C/__init__.pyi": stubs, "__init__.py": ""}
    files["cuda/__init__.py"] = "def capability(device: int = 0) -> Tuple[int, int]: ...\n"
    for name, text in {**files, **{f"accelerator/{name}.py": text for name, text in accelerator.items()}}.items():
        path = folder / "torch" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


FIRST = "from typing import Any\ndef count() -> int: ...\ndef pick(device: _device_t, /) -> None: ...\n"
SECOND = (
    "from typing import Any\nfrom .memory import clear\nfrom ._own import helper\n"
    "def count(*, all: bool = False) -> int: ...\ndef pick(device: Device, /) -> None: ...\n"
    "old = deprecated('x')(pick)\n"
    "class index:\n    def __init__(self, device: 'int | None', /): ...\n"
    "def capability(device: _device_t = None, /) -> dict[str, Any]: ...\ndef _hidden(): ...\n"
)
STUBS = (
    "class Stream:\n    @overload\n"
    "    def __new__(cls, device: DeviceLikeType | None = None, *, priority: _int = 0): ...\n"
    "    @overload\n    def __new__(cls, stream_id: _int, *, priority: _int = 0): ...\n"
)


def test_reading_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = torch(tmp_path / "a", "3.1.0", {"__init__": FIRST}, "class Stream:\n    device: int\n")
    modules = {"__init__": SECOND, "memory": "def clear() -> None: ...\n", "_own": "def helper(): ...\n"}
    two = torch(tmp_path / "b", "3.10.0", modules, STUBS)
    wheel = tmp_path / "torch-3.10.0.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in two.rglob("*.py*"):
            archive.write(path, path.relative_to(two).as_posix())
    assert read_source(wheel) == read_source(two)
    monkeypatch.setattr(make_accelerator, "load_facts", lambda: {"cuda": {"capability": "torch.cuda.capability"}})
    found = {
        row[0].removeprefix("torch."): row[1:]
        for row in make_accelerator.from_sources([*map(read_source, (wheel, one))])
    }
    assert found == {
        "Stream": ("class", "3.10", "device:device=,*,priority:int=|stream_id:int,*,priority:int=", ""),
        "accelerator": ("module", "3.1", "", ""),
        "accelerator.Any": ("import", "", "", ""),
        "accelerator.capability": ("function", "3.10", "device:device=,/", "dict"),
        "accelerator.clear": ("function", "3.10", "()", ""),
        "accelerator.count": ("function", "3.1", "*,all=@3.10", ""),
        "accelerator.helper": ("function", "3.10", "()", ""),
        "accelerator.index": ("class", "3.10", "device:int,/", ""),
        "accelerator.memory": ("module", "3.10", "", ""),
        "accelerator.memory.clear": ("function", "3.10", "()", ""),
        "accelerator.old": ("function", "3.10", "device:device,/", ""),
        "accelerator.pick": ("function", "3.1", "device:device,/", ""),
    }


@pytest.mark.parametrize(
    "later, says",
    [("def pick(device: _device_t, /): ...\n", "count: PyTorch 3.2.0 does not have it any more"),
     ("def count(): ...\ndef pick(index, /): ...\n", "parameters ['device:device'] are gone")],
)  # fmt: skip
def test_what_the_table_cannot_say(tmp_path: Path, later: str, says: str) -> None:
    sources = [torch(tmp_path / "a", "3.1.0", {"__init__": FIRST}), torch(tmp_path / "b", "3.2.0", {"__init__": later})]
    with pytest.raises(make_accelerator.Wrong, match=re.escape(says)):
        make_accelerator.from_sources([*map(read_source, sources)])


def test_a_folder_without_pytorch(tmp_path: Path) -> None:
    with pytest.raises(NotTorch):
        read_source(tmp_path)


def test_a_version_is_compared_with_the_table(copy: Path, tmp_path: Path) -> None:
    text = "def device_count(): ...\ndef is_available(now): ...\ndef made_up(): ...\n"
    path = torch(tmp_path / "torch-2.6", "2.6.0", {"__init__": text})
    result = run(copy, "--check", "--torch", str(path))
    assert result.returncode == 1
    assert "torch.accelerator.is_available: PyTorch 2.6.0 takes (now), the table says ()" in result.stderr
    assert "torch.accelerator.synchronize: since 2.6, but PyTorch 2.6.0 has none" in result.stderr
    assert "torch.accelerator.made_up: PyTorch 2.6.0 has it" in result.stderr
    assert "device_count" not in result.stderr
