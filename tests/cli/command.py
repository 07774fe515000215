"""Runs the real command line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from support.forked import IS_POSSIBLE, Forked
from support.imports import ROOT as ROOT
from uncuda.catalogue import load

# Three texts with one finding each: the first with a safe fix, the second with a fix that needs review, the third
# without a fix.
SAFE = 'import torch.distributed as dist\n\ndist.init_process_group("nccl")\n'
REVIEW = 'import torch\n\nif lang == "cuda":\n    pass\n'
MANUAL = "import amp_C\n\namp_C.multi_tensor_lamb(chunk, buffer, tensors)\n"
CLEAN = "import torch\n\nx = torch.ones(2)\n"
# The note that is printed if no source states the plugin's version.
ASSUMED = {
    name: f"{declaration['words']['package']} {load().default_version(name)} is assumed; "
    "pin it in the requirements, or set `target-version`\n"
    for name, declaration in load().declarations.items()
}


class Run(NamedTuple):
    """The output of a command and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Read standard output as JSON."""
        return json.loads(self.out)

    @property
    def rules(self) -> list[str]:
        """Return the rules of the findings in a JSON report."""
        return [finding["rule"] for finding in self.json["findings"]]


def environment(**more: str) -> dict[str, str]:
    """An environment in which the checkout's uncuda runs, in English."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "NO_COLOR"))}
    return {
        **kept,
        "PYTHONPATH": os.environ.get("UNCUDA_TEST_PATH", str(ROOT / "server")),
        "LC_ALL": "C.UTF-8",
        "XDG_CACHE_HOME": str(ROOT / ".cache" / "pages"),
        **more,
    }


def uncuda(*arguments: str, stdin: str | bytes = b"", **env: str) -> Run:
    """Run `uncuda` with arguments and additional environment variables; output is decoded as UTF-8, with unchanged line
    ends.

    With additional environment variables, a new process is started, because language and encoding depend on them;
    otherwise a process is forked.
    """
    if env or not IS_POSSIBLE:
        return started(*arguments, stdin=stdin, **env)
    forked = Forked(arguments, Path.cwd(), environment())
    out, err = forked.communicate(stdin.encode() if isinstance(stdin, str) else stdin)
    return Run(forked.wait(), out.decode(), err.decode())


def started(*arguments: str, stdin: str | bytes = b"", **env: str) -> Run:
    """Run `uncuda` in a new Python, as users start it."""
    done = subprocess.run(
        [sys.executable, "-m", "uncuda", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        env=environment(**env),
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def check(*arguments: str, **more: Any) -> Run:
    """Run `uncuda check` for npu with JSON output."""
    return uncuda("check", "--target", "npu", "--output-format", "json", *arguments, **more)


def make(files: dict[str, str | bytes]) -> None:
    """Write files below the current folder."""
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
