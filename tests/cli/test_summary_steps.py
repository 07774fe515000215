"""Compares the counts of `--summary` with those of the JSON report, after each of many random steps of a port.

UNCUDA_SOAK_STEPS sets the number of steps, UNCUDA_SOAK_SEED the seed.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.command import MANUAL, REVIEW, SAFE, check, uncuda
from cli.test_summary import numbers, section
from support.notebook import code, notebook

pytestmark = pytest.mark.slow

STEPS = int(os.environ.get("UNCUDA_SOAK_STEPS", "60"))
SEED = int(os.environ.get("UNCUDA_SOAK_SEED", "18"))
PARTS = (SAFE, REVIEW, MANUAL, "import torch\n\ntorch.cuda.synchronize()\nx.cuda()\n", "import apex\n", "x = 1\n")
FOLDERS = ("", "pkg", "pkg/deep/er", "tests", "docs")
ACTIONS = ("write", "write", "write", "notebook", "append", "fix", "accept", "move", "drop")
CLASSES = ("safe", "review", "manual")


class Port:
    """A project that is ported by random steps."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._made = 0

    def step(self) -> str:
        """Take a random step and return its name."""
        chosen = self._random.choice(ACTIONS)
        getattr(self, f"_{chosen}")()
        return chosen

    def _files(self) -> list[Path]:
        return sorted(path for path in Path().rglob("*") if path.suffix in (".py", ".ipynb"))

    def _new(self, suffix: str) -> Path:
        self._made += 1
        path = Path(self._random.choice(FOLDERS)) / f"f{self._made}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _text(self) -> str:
        return "".join(self._random.choices(PARTS, k=self._random.randint(1, 3)))

    def _write(self) -> None:
        self._new(".py").write_text(self._text(), encoding="utf-8")

    def _notebook(self) -> None:
        self._new(".ipynb").write_text(notebook(code(self._text()), code(self._text())), encoding="utf-8")

    def _some(self) -> Path | None:
        files = self._files()
        return self._random.choice(files) if files else None

    def _append(self) -> None:
        path = self._some()
        if path is not None and path.suffix == ".py":
            path.write_text(path.read_text(encoding="utf-8") + self._text(), encoding="utf-8")

    def _fix(self) -> None:
        path = self._some()
        if path is not None:
            uncuda("fix", "--target", "npu", *self._random.choice([(), ("--review-fixes",)]), str(path))

    def _accept(self) -> None:
        path = self._some()
        if path is not None:
            check("--write-baseline", str(path))

    def _move(self) -> None:
        path = self._some()
        if path is not None:
            path.rename(self._new(path.suffix))

    def _drop(self) -> None:
        path = self._some()
        if path is not None:
            path.unlink()


def counted(findings: list[dict[str, Any]]) -> dict[str, Any]:
    """The counts computed from the JSON report."""

    def kind(finding: dict[str, Any]) -> str:
        return str(finding["fixes"][0]["applicability"]) if finding["fixes"] else "manual"

    by_hand = [(each["rule"], each["subject"]) for each in findings if kind(each) == "manual"]
    return {
        "count": len(findings),
        "files": len({each["path"] for each in findings}),
        "classes": {name: sum(kind(each) == name for each in findings) for name in CLASSES},
        "decisions": len({each for each in by_hand if each[1]}) + sum(not subject for _, subject in by_hand),
        "rules": Counter(each["rule"] for each in findings),
    }


def walk(steps: int, seed: int) -> int:
    """Change the project in the current folder at random, `steps` times (write, fix, move or delete a file, for
    example), and compare the counts of `--summary` with those of the JSON report after each change. Return how many
    findings were counted in total."""
    port, seen = Port(seed), 0
    for number in range(steps):
        step = f"{number}: {port.step()}"
        report = check("--summary").json
        told, wanted = report["summary"], counted(report["findings"])
        seen += wanted["count"]
        assert {name: told[name] for name in wanted if name != "rules"} == {
            name: value for name, value in wanted.items() if name != "rules"
        }, step
        assert (
            sum(row["count"] for row in told["folders"])
            == wanted["count"]
            == sum(row["count"] for row in told["order"])
        ), step
        text = uncuda("check", "--summary", "--target", "npu").out
        if wanted["count"]:
            assert [numbers("  " + line)[0] for line in text.splitlines()[1:4]] == [*wanted["classes"].values()], step
            rows = {row.split()[0]: numbers(row)[0] for row in section(text, "By rule") if not row.startswith("  and ")}
            assert rows.items() <= wanted["rules"].items(), step
        else:
            assert "By rule" not in text, step
    return seen


def test_after_each_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert walk(STEPS, SEED) > 20 * STEPS, json.dumps(check("--summary").json["summary"])
