"""The processes that port and run test programs: one ports programs (with the Python that has uncuda), the others run
programs (with the Python that has PyTorch)."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from execution.programs import Program

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYTHON = ROOT / ".cache" / "execution" / "venv" / "bin" / "python"
SECONDS = 90  # the limit of CPU seconds for one process of a program


@dataclass(frozen=True)
class Finding:
    """A finding of `uncuda check` in a ported program. `kind`: "safe", "review", "manual" or "information", which is
    the class of the finding."""

    file: str
    line: int
    rule: str
    kind: str


@dataclass(frozen=True)
class Port:
    """A ported program: its files by name, and the findings left."""

    texts: Mapping[str, str]
    findings: tuple[Finding, ...]

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.texts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Run:
    """The result of running a program; `records`: the records of observe.py, one for each process."""

    code: int
    output: str
    records: tuple[Mapping[str, Any], ...]
    seconds: float

    @property
    def operators(self) -> list[str]:
        """The operators that ran on the device, one process after the other."""
        return [name for record in self.records for name in record.get("operators", ())]

    @property
    def error(self) -> str:
        """The error of the first process."""
        return next((record["error"] for record in self.records if "error" in record), "")

    @property
    def places(self) -> list[tuple[str, int]]:
        """Return the lines of the program at which its processes ended with an error."""
        return [(record["at"][0], record["at"][1]) for record in self.records if record.get("at")]


class _Lines:
    """A process that answers each line of JSON with another line of JSON."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, **environment},
        )

    def ask(self, job: Mapping[str, Any]) -> Any:
        """Return the process's answer to a job.

        Raises:
            RuntimeError: the process ended.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args!r} ended with {self.process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Porter:
    """Ports programs with the engine of a checkout; `server`: the folder `server` of the checkout."""

    def __init__(self, server: Path = ROOT / "server") -> None:
        self._lines = _Lines(
            [sys.executable, str(HERE / "porter.py")], {"PYTHONPATH": str(server), "LC_ALL": "C.UTF-8"}
        )

    def port(self, folder: Path, options: Sequence[str], review: bool, without: Sequence[str] = ("", "")) -> Port:
        """Ports a copy of a folder.

        Raises: RuntimeError: `uncuda` printed an error.
        """
        with tempfile.TemporaryDirectory(prefix="port-") as scratch:
            tree = Path(scratch) / folder.name
            shutil.copytree(folder, tree, ignore=shutil.ignore_patterns("__pycache__"))
            job = {"folder": str(tree), "options": list(options), "review": review, "without": list(without)}
            answer = self._lines.ask(job)
            if answer["error"]:
                raise RuntimeError(f"uncuda on {folder.name}: {answer['error']}")
            return Port(read_texts(tree), tuple(Finding(*finding) for finding in answer["findings"]))

    def close(self) -> None:
        self._lines.close()


class Runners:
    """Runs programs, as many at once as there are workers."""

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(workers)
        self._local = threading.local()
        self._all: list[_Lines] = []

    def run(self, program: Program, texts: Mapping[str, str], target: str, version: str) -> Future[Run]:
        """Run a program whose files have these texts on the simulated accelerator `target`; if `target` is empty, run
        it on the CPU, by PyTorch alone."""
        return self._pool.submit(self._run, program, texts, target, version)

    def ask(self, job: Mapping[str, Any]) -> Future[Any]:
        """Send zygote.py a job in the form that zygote.py describes, and return the result."""
        return self._pool.submit(lambda: self._worker().ask(job))

    def close(self) -> None:
        self._pool.shutdown()
        for worker in self._all:
            worker.close()

    def _worker(self) -> _Lines:
        if not hasattr(self._local, "lines"):
            self._local.lines = _Lines([str(PYTHON), str(HERE / "zygote.py")], {"PYTHONDONTWRITEBYTECODE": "1"})
            self._all.append(self._local.lines)
        lines: _Lines = self._local.lines
        return lines

    def _run(self, program: Program, texts: Mapping[str, str], target: str, version: str) -> Run:
        with tempfile.TemporaryDirectory(prefix="run-", ignore_cleanup_errors=True) as scratch:
            folder = written(Path(scratch) / program.name, texts)
            answer = self._worker().ask(
                {
                    "folder": str(folder),
                    "file": "main.py",
                    "arguments": list(program.arguments),
                    "processes": program.processes,
                    "target": target,
                    "version": version,
                    "devices": 2,
                    "seconds": SECONDS,
                }
            )
        return Run(answer["code"], answer["output"], tuple(answer["records"]), answer["seconds"])


def read_texts(folder: Path) -> dict[str, str]:
    """The files of a program, by their paths relative to its folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found[path.relative_to(folder).as_posix()] = path.read_text("utf-8")
    return found


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    """Write the files of a program into a folder, and return the folder."""
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return folder
