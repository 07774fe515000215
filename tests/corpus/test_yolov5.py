"""The acceptance test: one command ports YOLOv5, and the result is compared with the changes that the vendors' guides
describe."""

from __future__ import annotations

import ast
import difflib
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.common import TARGETS, engine
from support.oracle import read_whole
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.source import Source

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

# The changes that the guides describe, found by their contents; {d} stands for the device, {D} for the device in
# capitals, {c} for the collective library, {p} for the plugin, {v} for the environment variable of visible devices, {a}
# for the module from which amp is imported.
SAFE = {
    "train.py": [
        "import torch\nimport {p}\n",
        "scaler = torch.{d}.amp.GradScaler(enabled=amp)",
        "with torch.{d}.amp.autocast(amp):",
        "torch.{d}.memory_reserved() / 1E9 if torch.{d}.is_available() else 0",
        "assert torch.{d}.device_count() > LOCAL_RANK",
        "torch.{d}.set_device(LOCAL_RANK)",
        "device = torch.device('{d}', LOCAL_RANK)",
        "dist.init_process_group(backend='{c}' if dist.is_{c}_available() else 'gloo')",
    ],
    "utils/torch_utils.py": [
        "device = str(device).strip().lower().replace('{d}:', '').replace('none', '')",
        "os.environ['{v}'] = '-1'",
        "os.environ['{v}'] = device",
        "assert torch.{d}.is_available() and torch.{d}.device_count() >= len(device.replace(',', ''))",
        "if not cpu and not mps and torch.{d}.is_available():",
        "p = torch.{d}.get_device_properties(i)",
        "arg = '{d}:0'",
        "torch.{d}.synchronize()",
        "torch.{d}.empty_cache()",
    ],
    "models/common.py": ["from {a} import amp\n", "device = torch.device('{d}:0')"],
    "utils/general.py": ["torch.{d}.manual_seed(seed)", "torch.{d}.manual_seed_all(seed)", "import {p}\n"],
}
WORDS = {
    "npu": {"d": "npu", "c": "hccl", "p": "torch_npu", "v": "ASCEND_RT_VISIBLE_DEVICES", "a": "torch_npu.npu"},
    "musa": {"d": "musa", "c": "mccl", "p": "torch_musa", "v": "MUSA_VISIBLE_DEVICES", "a": "torch_musa"},
}


def fix(folder: Path, target: str, *options: str) -> None:
    """Run the command line as users do."""
    command = [
        sys.executable,
        "-m",
        "uncuda",
        "fix",
        "--isolated",
        "--quiet",
        "--target",
        target,
        *options,
        str(folder),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr


def texts(folder: Path) -> dict[str, str]:
    package = folder / "yolov5"
    return {path.relative_to(package).as_posix(): path.read_bytes().decode() for path in sorted(package.rglob("*.py"))}


@pytest.fixture(scope="module", params=TARGETS)
def ported(
    request: pytest.FixtureRequest, corpus: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[str, str], dict[str, str], dict[str, str], Path]:
    """Return (target, original texts, texts after safe fixes, texts after all fixes, folder that contains the texts
    after all fixes)."""
    target = str(request.param)
    before = texts(corpus("yolov5"))
    results = []
    for name, options in (("safe", ()), ("all", ("--review-fixes",))):
        folder = tmp_path_factory.mktemp(f"{target}-{name}") / "src"
        shutil.copytree(corpus("yolov5"), folder)
        fix(folder, target, *options)
        results.append(texts(folder))
    return target, before, results[0], results[1], folder


Ported = tuple[str, dict[str, str], dict[str, str], dict[str, str], Path]


def test_every_change_of_the_guides(ported: Ported) -> None:
    target, _, safe, every, _ = ported
    for file, lines in SAFE.items():
        for line in lines:
            due = line.format(**WORDS[target])
            assert due in every[file], f"{file}: {due}"
            assert due in safe[file], f"{file}: {due} (with safe fixes alone)"


def test_nothing_of_cuda_is_left_but_what_has_no_counterpart(ported: Ported) -> None:
    target, _, _, every, _ = ported
    made = engine(target)
    words = made.ruleset(shim=False).words
    for file, text in every.items():
        reported = {finding.span.start for finding in made.check(Source(text, file)).findings}
        for name in read_whole(text, words).references:
            if name.dotted.startswith("torch.cuda"):
                starts = {span[0] for span in name.spans() if span}
                assert starts & reported, f"{file}: {name.dotted} is left and not reported"


def test_a_second_run_changes_nothing(ported: Ported) -> None:
    target, _, _, every, folder = ported
    fix(folder, target, "--review-fixes")
    assert texts(folder) == every


def test_every_file_parses_and_other_lines_are_as_they_were(ported: Ported) -> None:
    target, before, _, every, _ = ported
    changed = 0
    for file, text in every.items():
        ast.parse(text)
        old, new = before[file].splitlines(keepends=True), text.splitlines(keepends=True)
        fixed_lines = lines_of_edits(engine(target), before[file])
        for tag, start, end, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag in ("replace", "delete"):
                assert set(range(start, end)) <= fixed_lines, f"{file}:{start + 1}"
            changed += tag != "equal"
    assert changed


def lines_of_edits(made: Engine, text: str) -> set[int]:
    """Return the lines (from 0) that edits of any finding change."""
    source = Source(text)
    edits = [e for f in made.check(source).findings for fix in f.fixes[:1] for e in fix.edits]
    lines = set()
    for edit in edits:
        first, last = source.position(edit.start)[0], source.position(max(edit.start, edit.end - 1))[0]
        lines |= set(range(first - 1, last))
    return lines


def test_changes_by_rule(ported: Ported) -> None:
    """Print every change by rule, and which fixes are left for review after the safe ones."""
    target, before, safe, every, folder = ported
    made = engine(target).knowing(Project(torch=True))
    totals: dict[str, Counter[str]] = {"safe": Counter(), "all": Counter()}
    for file, text in before.items():
        for kind, review in (("safe", False), ("all", True)):
            fixed = made.fix(Source(text, str(folder / "yolov5" / file)), review)
            totals[kind].update(fixed.applied)
            assert fixed.text == (every if review else safe)[file], file
    print(f"\n{target}: changes by rule (safe / with review)")
    for rule, count in sorted(totals["all"].items()):
        print(f"  {rule:28} {totals['safe'][rule]:4} {count:4}")
    assert not totals["safe"] - totals["all"]
    rules = made.catalogue.rules
    for rule in totals["safe"]:
        assert rules[rule].fix == "safe", rule
