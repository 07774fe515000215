"""The session that is run in every editor, and its expected results."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.command import environment
from lsp.harness.expected import engine
from support.imports import ROOT
from uncuda.edits import apply_edits
from uncuda.source import Source

SECONDS = 180
TRAIN = """\
import torch
import torch.distributed as dist

s = "中文😀"; dist.init_process_group(backend="nccl")
torch.cuda.synchronize()
n = torch.cuda.device_count()
print(s, n)
"""
OTHER = 'import torch\n\nx = torch.ones(2, device="cuda")  # 😀\n'
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Expected:
    """The output that an editor must show and write. `marked`: the rule and the text of each finding; `quick`: the text
    after one fix; `rule`: the text after the fixes of one rule."""

    marked: list[list[str]]
    line: int
    column: int
    quick: str
    left: int
    train: str
    other: str
    rule: str


def expected() -> Expected:
    """Return what an editor must show and write, computed by the engine from the session's files."""
    source = Source(TRAIN)
    findings = engine().check(source).findings
    first = findings[0]
    before = TRAIN[: first.span.start]
    quick = apply_edits(TRAIN, first.fixes[0].edits)
    return Expected(
        marked=[[found.rule, TRAIN[slice(*found.span)]] for found in findings],
        line=before.count("\n") + 1,
        column=len(before.rpartition("\n")[2].encode()),
        quick=quick,
        left=len(engine().check(Source(quick)).findings),
        train=engine().fix(source).text,
        other=engine().fix(Source(OTHER)).text,
        rule=engine().fix(source, rules=["nccl-backend"]).text,
    )


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a language on a page of docs/editors."""
    text = (ROOT / "docs" / "editors" / page).read_text(encoding="utf-8")
    return [match[2] for match in _FENCE.finditer(text) if match[1] == language]


def play(command: Sequence[str], folder: Path, **variables: str) -> Any:
    """Run an editor with the files in `folder`, and `uncuda` on PATH; returns the report that its script wrote."""
    want = expected()
    workspace, home, report = folder / "workspace", folder / "home", folder / "report.json"
    for path in (workspace / "sub", home / "run", folder / "bin"):
        path.mkdir(parents=True)
    (workspace / "train.py").write_text(TRAIN, encoding="utf-8")
    (workspace / "sub" / "other.py").write_text(OTHER, encoding="utf-8")
    (workspace / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
    uncuda = folder / "bin" / "uncuda"
    uncuda.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m uncuda "$@"\n', encoding="utf-8")
    uncuda.chmod(0o755)
    settings = environment(
        HOME=str(home), XDG_STATE_HOME=str(home), XDG_CACHE_HOME=str(home), XDG_DATA_HOME=str(home),
        XDG_CONFIG_HOME=str(home), XDG_RUNTIME_DIR=str(home / "run"), FOLDER=str(workspace), REPORT=str(report),
        PATH=f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", FINDINGS=str(len(want.marked)),
        FINDINGS_AFTER=str(want.left), LINE=str(want.line), COLUMN=str(want.column), **variables,
    )  # fmt: skip
    done = subprocess.run(
        command,
        cwd=workspace,
        env=settings,
        capture_output=True,
        check=False,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
    )
    said = (done.stdout + done.stderr).decode("utf-8", "replace")[-3000:]
    assert report.is_file(), said
    written = json.loads(report.read_text(encoding="utf-8"))
    assert written.get("error") is None, f"{written['error']}\n{said}"
    return written


def check(report: Any) -> None:
    """Check that an editor's report has the expected results."""
    want = expected()
    assert sorted(report["marked"]) == sorted(want.marked)
    assert report["quick"] == want.quick
    assert report["fixed"] == want.train
    assert report["undone"] == TRAIN
    assert report["saved"] == [want.train, want.other]
    assert report["taken_back"] == [TRAIN, OTHER]
    assert report["rule"] == want.rule
    assert report.get("folder", [TRAIN, want.other]) == [TRAIN, want.other]
    _, entry = map(json.loads, report["accepted"].splitlines())
    assert (entry["path"], entry["rule"], entry["reason"]) == ("train.py", "nccl-backend", "one node")
    assert report["kept"] == 'target = "musa"\n'
