"""Tests of `uncuda rule`: the paragraph that says how a rule was tested, in an installed package that contains the
record."""

import compileall
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.command import Run, uncuda
from support.imports import PACKAGE, ROOT, imports, modules
from uncuda.report import proofs

RECORD: dict[str, Any] = {
    "rules": {
        "cuda-method": {
            "musa": {"examples": 3, "proof": "signature", "reason": "", "run": 0, "versions": []},
            "npu": {"examples": 3, "proof": "run", "reason": "", "run": 3, "versions": ["2.7", "2.14"]},
            "xpu": {"examples": 1, "proof": "run", "reason": "", "run": 1, "versions": ["1"]},
        },
        "nccl-backend": {
            "musa": {"examples": 1, "proof": "neither", "reason": "", "run": 0, "versions": []},
            "npu": {"examples": 1, "proof": "run", "reason": "A cluster is shared.", "run": 1, "versions": ["2.14"]},
        },
        "gone": {},
    }
}
ENGLISH = (
    "\n\n**Proof.** Ascend NPU: 3 of 3 examples ran on simulated torch_npu 2.7, 2.14. "
    "Moore Threads MUSA: names and parameters compared with torch_musa's source.\n"
)
CHINESE = (
    "\n\n**验证。** 昇腾 NPU：3 个示例中有 3 个在模拟的 torch_npu 2.7，2.14 上运行通过。"
    "摩尔线程 MUSA：名称和参数已与 torch_musa 的源代码比对。\n"
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the import path of a package installed from the wheel, without the record of the runs on simulated
    accelerators."""
    site = tmp_path_factory.mktemp("site")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, site / "uncuda", ignore=ignored)
    shutil.copytree(ROOT / "rules", site / "uncuda" / "rules", ignore=ignored)
    compileall.compile_dir(site, quiet=1)  # the compiled modules make later runs faster
    return site


def rule(installed: Path, record: str | None, *arguments: str) -> Run:
    """Return the output of `uncuda rule` in an installed package. `record`: the text of its `execution.json`, which
    says how each rule was tested; None: the package does not contain this file."""
    path = installed / "uncuda" / "execution.json"
    path.unlink(missing_ok=True)
    if record is not None:
        path.write_text(record, encoding="utf-8")
    run = uncuda("rule", *arguments, PYTHONPATH=str(installed))
    assert (run.code, run.err) == (0, "")
    return run


@pytest.mark.parametrize(("locale", "section"), [("en", ENGLISH), ("zh", CHINESE)])
def test_a_page_ends_with_the_proof(installed: Path, locale: str, section: str) -> None:
    page = rule(installed, json.dumps(RECORD), "cuda-method", "--locale", locale).out.replace(os.linesep, "\n")
    assert page.endswith(section)
    assert page.count("xpu") == 0


@pytest.mark.slow
def test_a_reason_is_said(installed: Path) -> None:
    page = rule(installed, json.dumps(RECORD), "nccl-backend").out
    assert "NPU: 1 of 1 example ran on simulated torch_npu 2.14 (A cluster is shared). Moore" in page
    assert "MUSA: neither run nor compared.\n" in page.replace(os.linesep, "\n")
    page = rule(installed, json.dumps(RECORD), "nccl-backend", "--locale", "zh").out
    assert "1 个示例中有 1 个在模拟的 torch_npu 2.14 上运行通过（A cluster is shared）。摩尔" in page
    assert "MUSA：既未运行，也未比对。" in page


def test_all_pages_have_theirs(installed: Path) -> None:
    pages = rule(installed, json.dumps(RECORD), "--all").out.replace(os.linesep, "\n")
    assert pages.count("**Proof.**") == 2
    assert f"{ENGLISH}\n# " in pages  # the paragraph is the last one before the next page


@pytest.mark.slow
def test_json(installed: Path) -> None:
    record = json.dumps(RECORD)
    page = rule(installed, record, "cuda-method", "--output-format", "json").json
    assert page["proof"] == RECORD["rules"]["cuda-method"]
    pages = rule(installed, record, "--all", "--output-format", "json").json
    assert {page["name"] for page in pages if page["proof"]} == {"cuda-method", "nccl-backend"}


BROKEN = (
    "",
    b"\xff",
    "[" * 100_000,
    "[]",
    '{"rules": 3}',
    '{"rules": {"cuda-method": []}}',
    '{"rules": {"cuda-method": {"npu": {"proof": "run"}}}}',
    json.dumps(RECORD).replace('"run": 3', '"run": "3"'),
    json.dumps(RECORD).replace('["2.14"]', "[2.14]"),
    json.dumps(RECORD).replace('"signature"', '"signed"'),
)


@pytest.mark.slow
@pytest.mark.parametrize("record", [None, BROKEN[0], BROKEN[-1]], ids=["missing", "empty", "broken"])
def test_without_a_record_there_is_no_section(installed: Path, record: str | None) -> None:
    page = rule(installed, record, "cuda-method").out
    assert page.startswith("# `.cuda()`") and "**Proof.**" not in page
    assert rule(installed, record, "cuda-method", "--output-format", "json").json["proof"] == {}


def test_a_broken_record_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path("docs", "execution.json")
    path.parent.mkdir()
    # as in a checkout, the rules are outside of the package, so that load_proofs reads docs/execution.json
    monkeypatch.setattr(proofs, "folder", lambda: Path("rules"))
    path.write_text(json.dumps(RECORD), encoding="utf-8")
    assert list(proofs.load_proofs()) == list(RECORD["rules"])
    for record in BROKEN:
        path.write_bytes(record if isinstance(record, bytes) else record.encode())
        assert proofs.load_proofs() == {}, record[:60]
    path.unlink()
    path.mkdir()
    assert proofs.load_proofs() == {}


def test_a_rule_without_an_entry_has_no_section(installed: Path) -> None:
    assert "**Proof.**" not in rule(installed, json.dumps(RECORD), "tf32").out


@pytest.mark.slow
def test_only_pages_of_rules_read_it() -> None:
    importers = {
        (found.module, name)
        for name, path in modules().items()
        if re.search(r"\b(?:proofs|rule)\b", path.read_text(encoding="utf-8"))
        for found in imports(name, path)
        if found.module
        in ("uncuda.report.proofs", "uncuda.cli.rule")  # the second module is imported by name when the command runs
    }
    assert importers == {
        ("uncuda.report.proofs", "uncuda.cli.rule"),
        ("uncuda.report.proofs", "uncuda.report.rule_page"),
    }
