"""Tests that a process of the server gives the same answers whether it handles all files of a large folder itself or
shares them among workers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.command import SAFE
from uncuda.catalogue import load
from uncuda.child import command
from uncuda.child.records import Codec
from uncuda.lsp.fixing import job
from uncuda.lsp.fixing.job import Buffer, FileChange, Job, JobDone, JobFolder, JobProgress
from uncuda.lsp.state import inspected, scan, scan_process
from uncuda.lsp.state.folders import Folders
from uncuda.lsp.wire.client import Client
from uncuda.settings import Configuration, Vocabulary
from uncuda.workspace import discover
from uncuda.workspace.cpus import processors, sizes_of

OWN = "class Batch:\n    def cuda(self):\n        return self\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a folder whose files have findings, facts about the project, or neither; one file cannot be decoded."""
    for number in range(60):
        text = [SAFE, OWN, "import torch_npu\n", "x = 1\n"][number % 4]
        (tmp_path / f"m{number}.py").write_text(text, encoding="utf-8")
    (tmp_path / "bad.py").write_bytes(b"x = '\xff'\n")
    return tmp_path


def answers(module: str, forks: bool, codec: Codec, request: object, last: type[object]) -> list[Any]:
    """Return the records of a process until its last answer; its input stays open until then.

    `forks`: whether the process may fork its workers; where forking is not safe, each worker is a new Python.
    """
    *arguments, program = command(module)
    if not forks:
        program = program.replace(
            f"from {module}", f"import uncuda.child.pool; uncuda.child.pool.may_fork = bool; from {module}"
        )
    with subprocess.Popen([*arguments, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write(codec.line(request))
        process.stdin.flush()
        said = []
        for line in process.stdout:
            said.append(codec.record(line))
            if isinstance(said[-1], last):
                break
        process.stdin.close()
    return said


def scanned(folder: Path, workers: int, forks: bool) -> list[Any]:
    (folder / "uncuda.toml").write_text(f"workers = {workers}\n", encoding="utf-8")
    request = scan.Scan(str(folder), {}, {})
    return answers("uncuda.lsp.state.scan_process", forks, scan.CODEC, request, scan.Scanned)


def checked(folder: Path, workers: int, forks: bool) -> list[Any]:
    (folder / "uncuda.toml").write_text(f'target = "npu"\nworkers = {workers}\n', encoding="utf-8")
    request = inspected.InspectAll(Folders(Client(), {"rootUri": folder.as_uri()}).known(), (folder.as_uri(),), {})
    module = "uncuda.lsp.state.inspection_process"
    said = answers(module, forks, inspected.CODEC, request, inspected.InspectionDone)
    return [record for record in said if not isinstance(record, inspected.InspectionProgress)]


def fixed(folder: Path, workers: int, forks: bool) -> list[Any]:
    """Return the answers of a job in which one open file has a text that differs from the one on disk."""
    (folder / "uncuda.toml").write_text(f"workers = {workers}\n", encoding="utf-8")
    path = folder / "m4.py"
    buffer = Buffer(path.as_uri(), str(path), 7, 'import torch\nx = torch.device("cuda")\n')
    request = Job((JobFolder(str(folder), {"target": "npu"}),), (buffer,))
    said = answers("uncuda.lsp.fixing.worker", forks, job.CODEC, request, JobDone)
    assert any(isinstance(record, FileChange) and record.open for record in said)
    return [record for record in said if not isinstance(record, JobProgress)]


@pytest.mark.parametrize("forks", [True, False])
@pytest.mark.parametrize("said", [scanned, checked, fixed])
@pytest.mark.slow
def test_workers_answer_as_one_process_does(folder: Path, said: Any, forks: bool) -> None:
    alone = said(folder, 1, forks)
    assert len(alone) > 15
    assert said(folder, 3, forks) == alone


@pytest.mark.skipif(processors() == 1, reason="needs two processors")
def test_as_many_workers_as_are_set(folder: Path) -> None:
    """At most one process is started for each batch, and no more than there are CPUs."""
    (folder / "uncuda.toml").write_text("workers = 2\n", encoding="utf-8")
    configuration = Configuration(Vocabulary(tuple(load().declarations), tuple(load().rules)))
    files = discover([str(folder)], configuration.settings_for, empty=True).files
    pool = scan_process._pool(scan.ScanWorker(scan.Reader(load())), files, sizes_of(files))
    assert pool is not None and pool.number == 2
    pool.close()
