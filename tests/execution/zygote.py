"""Runs programs in forks of one process that has imported PyTorch: a program starts in milliseconds, not in seconds.

Reads one job per line from standard input and writes one result per line to standard output, both as JSON:

    job: {"folder": "…", "file": "main.py", "arguments": [], "processes": 1, "environment": {}, "target": "npu",
          "version": "2.14", "devices": 1, "seconds": 60}
    result: {"code": 0, "records": [{…}], "output": "…", "seconds": 1.2}

If the job contains `steps`, the result contains under `steps` what the program did (record.py), one list for each
process, and its standard error is in `errors`, not in `output`.

If the job contains `example`, that text is run instead of a file: see examples.py.

If `target` is empty, the program runs on PyTorch's own CPU. observe.py describes the content of `records`. With more
than one process, the forks get the environment variables that torchrun would set.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import examples
import torch

# Imported here for torchada, because the import takes two seconds of CPU time, which only this first process spends.
import torch._inductor.autotune_process
import torch._inductor.codegen.common
import torch._inductor.template_heuristics.registry
import torch.distributed
import torch.distributed.checkpoint
import torch.nn.attention.flex_attention
import torch.profiler
import torch.utils.cpp_extension
import torch.utils.data
import torch.utils.data.distributed
from observe import run
from record import recorded
from simulator import launch
from simulator.setup import install

_OUTPUT = 200_000
# seconds of wall time that are allowed per CPU second, so that other load on the machine does not end a program
_PATIENCE = 4


def _start(job: dict[str, Any], rank: int, port: int, scratch: Path) -> int:
    """Fork one process of a job; returns its id."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.setsid()
        _redirect(scratch / f"output-{rank}", scratch / f"{'errors' if job.get('steps') else 'output'}-{rank}")
        os.chdir(job["folder"])
        os.environ.update(job.get("environment", {}))
        if job["processes"] > 1:
            os.environ.update(_ranks(rank, job["processes"], port))
        os.environ["SIMULATOR_TRACE"] = str(scratch)
        if job["target"]:
            folder = launch.write_plugin(job["target"], scratch)
            launch.environment(folder, job["target"], job["version"], job["devices"])
            if job["target"] == "cuda":
                install("cuda", "", job["devices"])
        sys.argv = [job["file"], *job["arguments"]]
        sys.path.insert(0, job["folder"])
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 5))
        signal.alarm(_PATIENCE * job["seconds"])  # this ends a process that would wait for ever
        record = scratch / f"record-{rank}.json"
        with recorded(job["folder"], scratch / f"steps-{rank}") if job.get("steps") else contextlib.nullcontext():
            code = examples.run(job, record) if "example" in job else run(Path(job["file"]), record)
    finally:
        os._exit(code)


def _redirect(output: Path, errors: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    out = os.open(output, flags)
    wrong = os.open(errors, flags) if errors != output else out
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in ((0, nothing), (1, out), (2, wrong)):
        os.dup2(stream, number)
    sys.stdout = os.fdopen(1, "w", buffering=1)
    sys.stderr = os.fdopen(2, "w", buffering=1)


def _ranks(rank: int, size: int, port: int) -> dict[str, str]:
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(size),
        "LOCAL_WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait(processes: list[int]) -> list[int]:
    """The exit codes, in the order in which the processes end; if one fails, the others are killed."""
    codes: list[int] = []
    while len(codes) < len(processes):
        _, status = os.wait()
        codes.append(os.waitstatus_to_exitcode(status))
        if codes[-1]:  # the other processes might wait for the failed one for ever
            for other in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(other, signal.SIGALRM)
    return codes


def carry_out(job: dict[str, Any]) -> dict[str, Any]:
    """Run one job to its end, or until its limit of processor time."""
    started, port = time.monotonic(), _free_port()
    with tempfile.TemporaryDirectory(prefix="execution-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        processes = [_start(job, rank, port, scratch) for rank in range(job["processes"])]
        codes = _wait(processes)
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
        records, output, errors, steps = [], "", "", []
        for rank in range(job["processes"]):
            file = scratch / f"record-{rank}.json"
            records.append(json.loads(file.read_text("utf-8")) if file.is_file() else {})
            output += _text(scratch / f"output-{rank}")
            errors += _text(scratch / f"errors-{rank}")
            steps.append(_text(scratch / f"steps-{rank}", None).splitlines())
        for file in sorted(scratch.glob("trace-*.json")):  # processes that the program started have written these files
            records.append({"operators": json.loads(file.read_text("utf-8"))})
    seconds = round(time.monotonic() - started, 2)
    answer = {"code": max(map(abs, codes)), "records": records, "output": output, "seconds": seconds}
    return {**answer, "errors": errors, "steps": steps} if job.get("steps") else answer


def _text(file: Path, most: int | None = _OUTPUT) -> str:
    return file.read_text("utf-8", errors="replace")[:most] if file.is_file() else ""


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(carry_out(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
