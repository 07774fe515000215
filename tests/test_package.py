"""The wheel contains everything that uncuda needs, and its command runs."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.imports import PACKAGE, ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("uncuda-*.whl"))


def test_the_wheel_has_code_and_rules(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("uncuda/")}
    code = {path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*.py")}
    rules = {f"uncuda/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "rules").rglob("*") if path.is_file()}
    hidden = {name for name in rules if "__pycache__" in name}
    page = {f"uncuda/report/port/page.{kind}" for kind in ("css", "html", "js")}
    assert names == code | (rules - hidden) | page | {"uncuda/py.typed", "uncuda/execution.json"}


def test_the_command_runs_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(tmp_path)]
    subprocess.run([*pip, str(wheel)], check=True)

    def run(*arguments: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout

    rules = run("-c", "import uncuda.catalogue; print(uncuda.catalogue.folder())").strip()
    assert Path(rules) == tmp_path / "uncuda" / "rules"
    assert run("-m", "uncuda", "--version").startswith("uncuda ")
    findings = run("-m", "uncuda", "check", "--isolated", "--exit-zero", "--target", "npu", str(ROOT / "examples"))
    assert "nccl" in findings
    page = json.loads(run("-m", "uncuda", "rule", "cuda-method", "--output-format", "json"))
    record = json.loads((ROOT / "docs" / "execution.json").read_text(encoding="utf-8"))
    assert page["proof"] == record["rules"].get("cuda-method", {})
