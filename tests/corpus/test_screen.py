"""Tests on real projects with 5,000 findings: the summary fits one screen, and a longer report ends with the command
that shows the summary."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.command import Run, uncuda
from cli.test_summary import COLUMNS, SCREEN
from cli.test_terminal import on_terminal
from cli.test_terminal import pytestmark as terminal
from uncuda.report.text import width

pytestmark = [pytest.mark.corpus, pytest.mark.slow, terminal]

FOLDERS = {f"team{number}/megatron": "megatron-core" for number in range(4)} | {
    "models/fairseq": "fairseq",
    "deepspeed": "deepspeed",
}
FINDINGS = 4_900
HINT = re.compile(r"^For a summary on one screen: uncuda (check --summary .*)$")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, corpus: Callable[[str], Path]) -> Path:
    """A repository with several packages."""
    folder = tmp_path_factory.mktemp("thousands")
    for name, package in FOLDERS.items():
        shutil.copytree(
            corpus(package), folder / name, ignore=lambda _, names: [one for one in names if not is_python(one)]
        )
    return folder


def is_python(name: str) -> bool:
    return "." not in name or name.endswith(".py")


def fits(run: Run) -> bool:
    """Return whether a summary and the notes about it fit one screen."""
    lines, notes = run.out.splitlines(), run.err.splitlines()
    return (
        max(map(width, lines)) <= COLUMNS and len(lines) + sum(1 + width(note) // COLUMNS for note in notes) <= SCREEN
    )


def test_a_long_report_ends_with_the_command_for_a_screen(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    shown = on_terminal("check", "--target", "npu", "--statistics", ".").replace("\r\n", "\n").splitlines()
    assert len(shown) > 15_000
    (command,) = HINT.findall(shown[-1])
    summary = uncuda(*shlex.split(command))
    assert fits(summary)
    number = summary.out.partition(" findings in ")[0]
    assert any(line.startswith(f"{number} findings in ") for line in shown[-5:])
    assert int(number.replace(",", "")) >= FINDINGS


def test_it_fits_in_chinese(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    run = uncuda("check", "--summary", "--target", "npu", ".", LC_ALL="zh_CN.UTF-8")
    assert "按规则" in run.out
    assert fits(run)
