"""Measures the cost of the language server, beside `ruff server` on the same texts, in one run on one machine.

    python tests/bench/lsp_server.py [--json FILE]

CPU time is user and system time of the server and of the processes that it starts, read from /proc; wall time is the
time that the client waits, which other programs on the machine can lengthen. The script never fails because of a figure
that is too high.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.any_line import any_line
from bench.measure import python_files
from bench.process import settled, usage
from bench.run import Figure
from corpus.fetch import tree
from lsp.harness.client import SERVER, Client
from lsp.harness.profiles import PROFILES
from lsp.harness.traffic import Json

KEYS = 200
RUNS = 5
TURNS = 3  # number of runs of each server, alternately
TYPED = "torch.cuda.set_device(1)"
MEGATRON = "megatron-core"
BEYOND = 30_000  # pairs of statements in the text that is too long for the server to check
# Two of the texts are files of the benchmark's packages: one of 950 to 1,050 lines, and one of 4,500 to 5,500 lines.
# Each of the two files of the packages has the median number of CUDA words among the files of its size that contain
# CUDA words. The text of 10,000 lines is the file of 4,500 to 5,500 lines, followed by another large file of the same
# package. The texts called "dense" are nearly all CUDA code: they show the cost of findings, and have no maximum cost
# in RATIOS and WAITS.
LARGE = "transformers/modeling_utils.py"
BUFFER = "megatron/core/distributed/fsdp/src/megatron_fsdp/param_and_grad_buffer.py"
TEXTS = {
    "1k lines": ("transformers", ["transformers/integrations/accelerate.py"]),
    "5k lines": ("transformers", [LARGE]),
    "10k lines": ("transformers", [LARGE, "transformers/trainer.py"]),
    "1k lines, dense": (MEGATRON, ["megatron/core/pipeline_parallel/bridge_communicator.py"]),
    "5k lines, dense": (MEGATRON, [BUFFER]),
    "10k lines, dense": (MEGATRON, [BUFFER, "megatron/training/training.py"]),
}
RATIOS = {"1k lines": 1.0, "5k lines": 0.5, "10k lines": 0.2}
WAITS = {"1k lines": 5.0, "5k lines": 10.0, "10k lines": 20.0}


def ruff() -> list[str]:
    """The command of the pinned ruff's server, run without Python."""
    code = "import ruff; print(ruff.find_ruff_bin())"
    binary = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    return [binary, "server"]


def started(command: list[str], folder: Path) -> Client:
    """A session of VS Code with a server."""
    client = Client(PROFILES["vscode"], [folder], command=command)
    client.initialize()
    return client


def ended(client: Client) -> None:
    """Shut a session down; kill the server if it does not end."""
    client.traffic.clear()
    client.shutdown()


def place_to_type(text: str) -> tuple[str, int]:
    """Return a text with an indented empty line in the middle, before a statement, and the number of that line."""
    lines = text.splitlines(keepends=True)
    middle = next(number for number in range(len(lines) // 2, len(lines)) if lines[number].startswith("        return"))
    return "".join([*lines[:middle], "        \n", *lines[middle:]]), middle


def keys(line: int) -> Iterator[Json]:
    """Yield endless changes that type a statement on a line, one character at a time, and delete it again."""
    while True:
        for column, key in enumerate(TYPED, 8):
            place = {"line": line, "character": column}
            yield {"range": {"start": place, "end": place}, "text": key}
        for column in range(8 + len(TYPED), 8, -1):
            start, end = ({"line": line, "character": column - back} for back in (1, 0))
            yield {"range": {"start": start, "end": end}, "text": ""}


def typing(command: list[str], folder: Path, text: str) -> tuple[float, list[float]]:
    """Return the CPU milliseconds per keystroke until its diagnostics arrive, and how long the client waited for
    each."""
    client = started(command, folder)
    text, line = place_to_type(text)
    uri = client.open(folder / "typed.py", text)
    changes, waits = keys(line), []
    for number in range(KEYS + 40):
        if number == 40:  # the first keystrokes only warm up the server
            before = usage(client.process.pid)
        change = next(changes)
        begun = time.perf_counter()
        client.change(uri, change)
        client.diagnostics(uri)
        waits.append(1000 * (time.perf_counter() - begun))
    spent = usage(client.process.pid).cpu - before.cpu
    ended(client)
    return 1000 * spent / KEYS, waits[40:]


def keystrokes(folder: Path) -> Iterator[Figure]:
    """Yield the CPU time per keystroke beside ruff's (the median of a few runs of each), and how long the client
    waits."""
    for name, (package, parts) in TEXTS.items():
        text = "".join((tree(package) / part).read_text(encoding="utf-8") for part in parts)
        # `from __future__ import` is allowed only at the top of a file
        text = text.replace("from __future__ import", "# from __future__ import")
        pairs = [(typing(SERVER, folder, text), typing(ruff(), folder, text)) for _ in range(TURNS)]
        ours, theirs = (statistics.median(run[0] for run in runs) for runs in zip(*pairs))
        waits = [wait for (_, each), _ in pairs for wait in each]
        yield Figure(f"key, {name}: uncuda", ours, "ms")
        yield Figure(f"key, {name}: ruff server", theirs, "ms")
        yield Figure(f"key, {name}: ratio", ours / theirs, "", RATIOS.get(name))
        yield Figure(f"key, {name}: p95 of the wait", statistics.quantiles(waits, n=20)[-1], "ms", WAITS.get(name))


def starting(folder: Path) -> Iterator[Figure]:
    """Yield the CPU time from the start to the reply to `initialize`."""
    spent = []
    for _ in range(RUNS + 1):
        client = Client(PROFILES["vscode"], [folder])
        client.request("initialize", client.profile.initialize([folder]))
        spent.append(usage(client.process.pid).cpu)
        client.notify("initialized", {})
        ended(client)
    yield Figure("start: to initialize", statistics.median(spent[1:]), "s", 0.6)


def remembering(folder: Path) -> Iterator[Figure]:
    """Yield the memory used with a hundred open files whose diagnostics were requested."""
    client = started(SERVER, folder)
    files = [file for file in python_files(tree(MEGATRON)) if file.stat().st_size > 5000][:100]
    for file in files:
        client.diagnostics(client.open(file))
    held = usage(client.process.pid)
    yield Figure("memory: 100 files open", held.mebibytes, "MiB", 80)
    yield Figure("memory: with its processes", held.all_mebibytes, "MiB")
    ended(client)


def fixing(folder: Path) -> Iterator[Figure]:
    """Yield the time of Fix All in a workspace of 1,000 files, and of hovers during that time.

    The files come from packages that do not support the target yet: in packages that do, every fix needs review.
    """
    workspace = folder / "workspace"
    files = list(chain.from_iterable(python_files(tree(name)) for name in ("fairseq", "yolov5", MEGATRON)))[:1000]
    for number, file in enumerate(files):
        copy = workspace / f"p{number // 50}" / f"{number}_{file.name}"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    (workspace / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
    client = started(SERVER, workspace)
    edits: list[Any] = []

    def apply(params: Any) -> Json:
        edits.append(params)
        return {"applied": True}

    client.answers["workspace/applyEdit"] = apply
    uri = client.open(workspace / "open.py", "import torch\n\ntorch.cuda.synchronize()\n")
    client.diagnostics(uri)
    asked = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 14}}
    client.request("textDocument/hover", asked)
    before, waits = settled(client.process.pid), []
    command = {"command": "uncuda.fixAllInWorkspace", "arguments": []}
    running = client.begin("workspace/executeCommand", command)
    while not client.answered(running):
        begun = time.perf_counter()
        client.request("textDocument/hover", asked)
        waits.append(1000 * (time.perf_counter() - begun))
        time.sleep(0.01)  # a user would pause even longer between two keystrokes
    spent = usage(client.process.pid).cpu - before.cpu
    result = client.reply(running)
    assert result["applied"] and result["files"] > 100 and len(edits) == 1, result
    ended(client)
    yield Figure("fix all, 1,000 files: CPU", spent, "s", 3.0)
    yield Figure("fix all: longest wait for a hover", max(waits), "ms", 50)
    yield Figure("fix all: files fixed", result["files"], "")


def crowding(folder: Path) -> Iterator[Figure]:
    """Yield the time of hovers in one document while the user types in another that is too long for the server to
    check."""
    (folder / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
    client = started(SERVER, folder)
    uri = client.open(folder / "open.py", "import torch\n\ntorch.cuda.synchronize()\n")
    asked = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 14}}
    client.diagnostics(uri)
    crowd = "".join(f'if x{n}.is_cuda and y == "cuda":\n    torch.cuda.synchronize()\n' for n in range(BEYOND))
    other = client.open(folder / "beyond.py", "import torch\n" + crowd)
    waits: list[float] = []
    for number in range(10):
        running = client.begin("textDocument/diagnostic", {"textDocument": {"uri": other}})
        while not client.answered(running):
            begun = time.perf_counter()
            assert client.request("textDocument/hover", asked)
            waits.append(1000 * (time.perf_counter() - begun))
        (note,) = client.reply(running)["items"]
        assert "did not check" in note["message"], note
        start = {"line": 2 * number, "character": 0}
        client.change(other, {"range": {"start": start, "end": start}, "text": "n = 1\n"})
    ended(client)
    yield Figure("hover beside a file beyond the limits: p99", statistics.quantiles(waits, n=100)[-1], "ms", 200)
    yield Figure("hover beside a file beyond the limits: longest", max(waits), "ms")


def typing_anywhere(folder: Path) -> Iterator[Figure]:
    """Yield the CPU time per keystroke on any line of real files."""
    yield from any_line(folder, ruff())


GROUPS: list[Callable[[Path], Iterator[Figure]]] = [
    starting,
    keystrokes,
    typing_anywhere,
    remembering,
    fixing,
    crowding,
]


def figures() -> Iterator[Figure]:
    """Yield all measurements, each as soon as it is done."""
    for group in GROUPS:
        with tempfile.TemporaryDirectory(prefix="uncuda-bench-") as folder:
            yield from group(Path(folder))


def main() -> int:
    """Measures, prints the table and, if asked, writes it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    print(f"{'':<56} {'measured':>9} {'':<6} {'budget':>8}")
    found = []
    for figure in figures():
        print(figure.text(), flush=True)
        found.append(figure._asdict())
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
