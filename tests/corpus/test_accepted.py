"""Findings stay accepted if real files are formatted, moved, renamed or split; new findings in these files are
reported."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ci.install import hooks
from cli.command import uncuda
from support.fetching import Missing

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

SEED = 18
PACKAGES = ("fairseq", "deepspeed", "transformers", "accelerate")
FILES, CASES = 60, 120
"""The number of files in a run, and the minimum number of accepted findings that are matched again after the changes;
with 200 files there are 547."""
MORE = "_more.py"
NEW = "\n\ndef added_{0}(added):\n    return added[{0}].cuda()\n"
"""A function with a new finding, which is added to a file."""
BASELINE = "uncuda-baseline.jsonl"


def ruff(project: Path) -> None:
    command = [sys.executable, "-m", "ruff", "format", "--quiet", "--isolated", "--line-length", "70", "."]
    subprocess.run(command, cwd=project, check=True, capture_output=True)


def black(project: Path) -> None:
    try:
        program = hooks() / "black"
    except Missing as error:
        pytest.skip(str(error))
    subprocess.run([program, "-q", "--fast", "-l", "140", "."], cwd=project, check=False, capture_output=True)


def moved(project: Path) -> None:
    """Move all files to another folder."""
    target = project / "elsewhere" / "deep"
    target.mkdir(parents=True)
    for path in sorted(project.glob("*.py")):
        path.rename(target / path.name)


def renamed(project: Path) -> None:
    for path in sorted(project.glob("*.py")):
        path.rename(path.with_name(f"new_{path.name}"))


def split(project: Path) -> None:
    """Move the second half of each file's functions and classes to a new file with a copy of the imports."""
    for path in sorted(project.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        body = ast.parse(text).body
        blocks = [each for each in body if isinstance(each, (ast.FunctionDef, ast.ClassDef))]
        if len(blocks) < 2:
            continue
        taken = [(first_line(each) - 1, each.end_lineno or 0) for each in blocks[len(blocks) // 2 :]]
        part = "".join("".join(lines[start:end]) + "\n\n" for start, end in taken)
        for start, end in reversed(taken):
            del lines[start:end]
        copied = "".join(f"{ast.unparse(each)}\n" for each in body if isinstance(each, (ast.Import, ast.ImportFrom)))
        path.with_name(f"{path.stem}{MORE}").write_text(f"{copied}\n\n{part}", encoding="utf-8")
        path.write_text("".join(lines), encoding="utf-8")


def first_line(block: ast.FunctionDef | ast.ClassDef) -> int:
    return min([block.lineno, *(each.lineno for each in block.decorator_list)])


def nothing(project: Path) -> None:
    """Change nothing except the functions that were added."""


CHANGES: dict[str, Callable[[Path], None]] = {
    change.__name__: change for change in (nothing, ruff, black, moved, renamed, split)
}


def candidates(folder: Path) -> Iterator[Path]:
    """Files that Python can parse and that use CUDA within functions, sorted by name."""
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        if b"cuda" in data and len(data) < 60_000 and b"\r" not in data:
            try:
                compile(data, str(path), "exec", dont_inherit=True)
                data.decode("utf-8")
            except (SyntaxError, ValueError, SyntaxWarning):
                continue
            yield path


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory, corpus: Callable[[str], Path]) -> tuple[Path, list[Any]]:
    """A project of sampled files in which all findings are accepted, and the baseline's entries."""
    project = tmp_path_factory.mktemp("accepted")
    found = [path for package in PACKAGES for path in candidates(corpus(package))]
    for number, path in enumerate(Random(SEED).sample(found, FILES)):
        (project / f"{path.stem}_{number}.py").write_bytes(path.read_bytes())
    (project / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
    run = uncuda("check", "--write-baseline", "--reason", "known", str(project))
    assert run.code == 0, run.err
    entries = [json.loads(line) for line in (project / BASELINE).read_text(encoding="utf-8").splitlines()[1:]]
    return project, entries


@pytest.mark.parametrize("change", CHANGES)
def test_what_stays_accepted(accepted: tuple[Path, list[Any]], tmp_path: Path, change: str) -> None:
    source, entries = accepted
    project = Path(shutil.copytree(source, tmp_path / "project"))
    CHANGES[change](project)
    files = sorted(project.rglob("*.py"))
    for number, path in enumerate(files):
        with path.open("a", encoding="utf-8") as file:
            file.write(NEW.format(number))
    report = json.loads(uncuda("check", "--output-format", "json", str(project)).out)
    shown = [(each["path"], each["rule"], line_of(each)) for each in report["findings"]]
    new = [each for each in shown if each[2].startswith("return added[")]
    again = [each for each in shown if each not in new and not is_copy(*each)]
    stay = report["accepted"]
    print(f"\n{change}: {stay} of {stay + len(again)} stay, {len(entries)} were accepted; new and shown: {len(new)}")
    assert len(new) == len(files), "what is new is reported, in each file"
    assert stay >= CASES
    assert stay >= 0.98 * (stay + len(again)), again


def is_copy(path: str, _rule: str, line: str) -> bool:
    """Return whether a finding is about an import that exists both in a split-off file and in the file it came from."""
    return path.endswith(MORE) and line.startswith(("import ", "from "))


def line_of(finding: Any) -> str:
    lines = Path(str(finding["path"])).read_text(encoding="utf-8").splitlines()
    number: int = finding["range"]["start"]["line"]
    return lines[number - 1].strip()
