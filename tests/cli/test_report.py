"""Tests of `uncuda report`: the counts of `check --summary`, all formats, the comparison with an earlier report, other
targets, and upgrades of the plugin."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cli.command import CLEAN, MANUAL, REVIEW, ROOT, SAFE, Run, environment, make, uncuda
from support.notebook import code, notebook

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
CLASSES = ("safe", "review", "manual")
FORMATS = ("html", "markdown", "json", "csv")
LIBRARY = "import torch\nimport flash_attn\n"
KERNELS = 'from torch.utils.cpp_extension import load\n\nops = load(name="ops", sources=["ops.cu"])\n'
# The oldest known torch_npu is too old for `torch.accelerator`.
LATER = "import torch\n\ndevice = torch.accelerator.current_accelerator()\n"
FILES: dict[str, str | bytes] = {
    "pkg/a.py": SAFE + "dist.init_process_group('nccl')\n",
    "pkg/core/b.py": REVIEW,
    "pkg/core/c.py": MANUAL,
    "pkg/d.py": LIBRARY,
    "pkg/e.py": KERNELS,
    "tests/test_a.py": SAFE + MANUAL,
    "nb.ipynb": notebook("import torch\n", code('x = torch.ones(2, device="cuda")\n')),
    "clean.py": CLEAN,
}


def report(*arguments: str, **more: Any) -> Run:
    """Run `uncuda report` for npu, written to standard output; other targets only with `--beside` in the arguments."""
    beside = [] if "--beside" in arguments else ["--no-beside"]
    return uncuda("report", "--target", "npu", "--output", "-", *beside, *arguments, **more)


def as_json(*arguments: str) -> Any:
    """Return the JSON report, checked against its schema."""
    value = report("--format", "json", *arguments).json
    jsonschema.validate(value, SCHEMA)
    return value


def summary(*arguments: str) -> Any:
    run = uncuda("check", "--target", "npu", "--output-format", "json", "--summary", "--statistics", *arguments)
    return run.json


def test_the_numbers_are_those_of_the_summary_with_and_without_accepted_findings() -> None:
    make(FILES)
    for accepted in (False, True):
        if accepted:
            make({"uncuda.toml": ""})
            assert (
                uncuda("check", "--target", "npu", "--write-baseline", "--reason", "so", "pkg/core", "nb.ipynb").code
                == 0
            )
        ours, checks = as_json(), summary()
        total = checks["summary"]
        assert {kind: ours["summary"][kind] for kind in CLASSES} == total["classes"]
        assert (ours["summary"]["count"], ours["summary"]["files"]) == (total["count"], total["files"])
        assert ours["summary"]["decisions"] == total["decisions"]
        assert sum(ours["summary"]["accepted"].values()) == checks["accepted"] == (4 if accepted else 0)
        assert ours["folders"] == total["folders"]
        assert [row["rule"] for row in ours["rules"]] == [row["rule"] for row in checks["statistics"]]
        assert [row["count"] for row in ours["rules"]] == [row["count"] for row in checks["statistics"]]
        assert ours["decisions"] == checks["decisions"]
        assert ours["order"] == total["order"]
        left = [one for one in ours["findings"] if not one["accepted"]]
        assert [(one["path"], one["rule"], one["range"], one.get("cell")) for one in left] == [
            (one["path"], one["rule"], one["range"], one.get("cell")) for one in checks["findings"]
        ]
        assert Counter(one["class"] for one in left) == Counter(total["classes"]) - Counter()
        assert ours["summary"]["begun"] == (4 if accepted else 0)


def test_what_blocks_is_what_is_by_hand_of_such_rules() -> None:
    make(FILES)
    blocks = as_json()["blocks"]
    steps = {step["step"]: step for step in summary()["summary"]["order"]}
    assert [*blocks] == ["library", "extension"]
    for name, found in blocks.items():
        assert sum(block["places"] for block in found) == steps[name]["count"]
        assert {block["subject"] for block in found} == {*steps[name]["subjects"]}


def test_other_accelerators_are_checked_as_if_they_were_the_target() -> None:
    make({**FILES, "uncuda.toml": 'target-version = "2.6.0"\n'})
    ours = as_json("--beside")["targets"]
    assert [one["target"] for one in ours] == ["npu", "musa"]
    for one in ours:
        versions = ["--target-version", "2.6.0"] if one["target"] == "npu" else []
        arguments = ("--target", one["target"], "--isolated", *versions)
        counted = uncuda("check", *arguments, "--output-format", "json", "--summary").json["summary"]
        assert {kind: one[kind] for kind in CLASSES} == counted["classes"]
        assert one["decisions"] == counted["decisions"]
    assert ours[0]["plugins"][0]["version"] == "2.6.0"


def test_accepted_findings_of_each_accelerator_are_left_out_of_its_numbers() -> None:
    make({"uncuda.toml": "", "a.py": MANUAL + SAFE})
    assert uncuda("check", "--target", "musa", "--write-baseline", "--reason", "so").code == 0
    npu, musa = as_json("--beside")["targets"]
    assert (npu["count"], sum(npu["accepted"].values())) == (3, 0)
    assert (musa["count"], sum(musa["accepted"].values())) == (0, 3)


def test_what_is_odd_in_a_baseline_is_said_once() -> None:
    make({"uncuda.toml": "", "a.py": MANUAL})
    assert uncuda("check", "--target", "npu", "--write-baseline", "--reason", "one").code == 0
    baseline = Path("uncuda-baseline.jsonl")
    text = baseline.read_text(encoding="utf-8")
    baseline.write_text(text + text.splitlines()[1].replace('"one"', '"two"') + "\n", encoding="utf-8")
    run = report("--beside", "--format", "json")
    assert run.json["summary"]["count"] == 0
    assert len([line for line in run.err.splitlines() if line.startswith("uncuda-baseline.jsonl: ")]) == 1


def test_folders_with_targets_of_their_own_are_counted_for_each() -> None:
    make(
        {
            "a/uncuda.toml": 'target = "npu"\n',
            "b/uncuda.toml": 'target = "musa"\n',
            "a/x.py": SAFE,
            "b/y.py": SAFE + SAFE,
        }
    )
    run = uncuda("report", "--format", "json", "--output", "-")
    found = run.json
    assert {plugin["target"] for plugin in found["plugins"]} == {"npu", "musa"}
    assert found["summary"]["count"] == 3
    assert {one["target"]: one["count"] for one in found["targets"]} == {"npu": 3, "musa": 3}


class TestUpgrade:
    def test_the_oldest_version_that_brings_something_is_named(self) -> None:
        make({"requirements.txt": "torch==2.1.0\ntorch_npu==2.1.0\n", "a.py": LATER * 2, "b.py": MANUAL})
        (upgrade,) = as_json()["upgrades"]
        assert upgrade["plugin"]["version"] == "2.1.0"
        assert upgrade["version"].startswith("2.6.0")
        assert upgrade["gained"] == [
            {"rule": "accelerator-api", "subject": "torch.accelerator.current_accelerator", "count": 2}
        ]
        arguments = ["check", "--target", "npu", "--isolated", "--output-format", "json", "--only", "manual"]
        before = uncuda(*arguments, "--target-version", "2.1.0").json["findings"]
        after = uncuda(*arguments, "--target-version", upgrade["version"]).json["findings"]
        assert len(before) - len(after) == 2 - upgrade["lost"]
        said = report("--format", "markdown").out
        assert (
            f"torch_npu {upgrade['version']} is the oldest later version that reduces the manual work.".replace(
                "_", "\\_"
            )
            in said
        )
        assert "No longer manual with this version: 2 findings." in said

    def test_none_that_brings_nothing_is(self) -> None:
        make({"requirements.txt": "torch_npu==2.1.0\n", "b.py": MANUAL})
        (upgrade,) = as_json()["upgrades"]
        assert (upgrade["version"], upgrade["gained"]) == ("", [])
        assert upgrade["later"] > 5
        assert "known later versions of" in report("--format", "markdown").out

    def test_of_the_newest_none_is_later(self) -> None:
        make({"b.py": MANUAL})
        (upgrade,) = as_json()["upgrades"]
        assert (upgrade["version"], upgrade["later"]) == ("", 0)
        assert "is known" in report("--format", "markdown").out

    def test_what_is_accepted_is_none_of_its_gains(self) -> None:
        make({"uncuda.toml": "", "requirements.txt": "torch_npu==2.1.0\n", "a.py": LATER})
        assert uncuda("check", "--target", "npu", "--write-baseline").code == 0
        (upgrade,) = as_json()["upgrades"]
        assert upgrade["version"] == ""


class TestCompare:
    OLD = Path("old.json")

    def start(self, files: dict[str, str | bytes]) -> None:
        make(files)
        assert uncuda("report", "--target", "npu", "--no-beside", "--output", str(self.OLD)).code == 0

    def compared(self) -> Any:
        return as_json("--compare", str(self.OLD))["comparison"]

    def test_nothing_happened(self) -> None:
        self.start(FILES)
        found = self.compared()
        assert (found["fixed"], found["accepted"], found["new"]) == ([], [], [])
        assert found["left"] == summary()["summary"]["count"]

    def test_fixed_accepted_new_and_left(self) -> None:
        self.start({"uncuda.toml": "", **FILES})
        before = summary()["summary"]["count"]
        assert uncuda("fix", "--target", "npu", "-q", "pkg/a.py").code == 0
        assert uncuda("check", "--target", "npu", "--write-baseline", "pkg/core/c.py").code == 0
        make({"pkg/core/new.py": MANUAL, "pkg/d.py": "\n\n# lines move\n" + LIBRARY})
        found = self.compared()
        assert {(one["path"], one["rule"]) for one in found["fixed"]} == {("pkg/a.py", "nccl-backend")}
        assert {one["path"] for one in found["accepted"]} == {"pkg/core/c.py"}
        assert {one["path"] for one in found["new"]} == {"pkg/core/new.py"}
        assert found["left"] == before - len(found["fixed"]) - len(found["accepted"])
        page = report("--compare", str(self.OLD)).out
        assert "New (2)" in page
        assert f"Fixed ({len(found['fixed'])})" in page

    def test_what_has_moved_is_left(self) -> None:
        self.start({"a.py": MANUAL, "b.py": MANUAL})
        Path("lib").mkdir()
        Path("a.py").rename("lib/renamed.py")
        found = self.compared()
        assert (found["fixed"], found["new"], found["left"]) == ([], [], 4)

    def test_a_copy_is_new(self) -> None:
        self.start({"a.py": MANUAL})
        make({"b.py": MANUAL})
        assert {one["path"] for one in self.compared()["new"]} == {"b.py"}

    def test_what_is_accepted_no_more_is_new(self) -> None:
        make({"uncuda.toml": "", "a.py": MANUAL})
        assert uncuda("check", "--target", "npu", "--write-baseline").code == 0
        self.start({})
        Path("uncuda-baseline.jsonl").unlink()
        assert len(self.compared()["new"]) == 2

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            "{}",
            "{" * 100_000,
            '{"format": "uncuda-report", "version": 2, "findings": []}',
            '{"format": "uncuda-report", "version": 1, "findings": [{"path": 3}]}',
            '{"format": "uncuda-report", "version": 1, "findings": {}}',
            '{"version": 1, "findings": [], "errors": []}',
        ],
    )
    def test_what_is_no_report_is_said(self, text: str) -> None:
        make({"a.py": MANUAL, "old.json": text})
        run = report("--compare", "old.json")
        assert (run.code, run.out) == (2, "")
        assert "old.json is not a report" in run.err

    def test_no_file_and_another_target(self) -> None:
        make({"a.py": MANUAL})
        assert "No such file" in report("--compare", "none.json").err
        assert uncuda("report", "--target", "musa", "--no-beside", "--output", "old.json").code == 0
        run = report("--compare", "old.json")
        assert run.code == 2
        assert "old.json is a report for musa, this one is for npu" in run.err


def test_the_table_can_be_read_back() -> None:
    make(FILES)
    assert uncuda("check", "--target", "npu", "--write-baseline", "pkg/core/c.py").code == 0
    rows = list(csv.DictReader(io.StringIO(report("--format", "csv").out, newline="")))
    findings = as_json()["findings"]
    assert len(rows) == len(findings)
    for row, finding in zip(rows, findings, strict=True):
        assert row["File"] == finding["path"]
        assert row["Start Line"] == str(finding["range"]["start"]["line"])
        assert row["End Line"] == str(finding["range"]["end"]["line"])
        assert row["Class"] == ("accepted" if finding["accepted"] else finding["class"])
        assert (row["Rule"], row["Target"]) == (finding["rule"], "npu")
        by_hand = finding["class"] == "manual"
        assert row["Tips" if by_hand else "Message"] == finding["message"]
        assert (row["Message" if by_hand else "Tips"], row["OP"] != "") == ("", by_hand)
        assert (row["Operation Type"] in ("INSERT", "MODIFY", "DELETE")) == (not by_hand)
        if by_hand and finding["subject"]:
            assert row["OP"] == finding["subject"]


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be there")
def test_no_cell_is_a_formula() -> None:
    make({"=1+1.py": MANUAL, "@sum.py": SAFE, "-x.py": SAFE, 'quo"te,\n.py': SAFE})
    rows = list(csv.reader(io.StringIO(report("--format", "csv", "--", ".").out, newline="")))
    assert len(rows) == 6
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows for cell in row)
    assert {row[0] for row in rows[1:]} == {"./=1+1.py", "./@sum.py", "./-x.py", 'quo"te,\\n.py'}


def test_markdown_has_the_numbers_in_tables_that_are_tables() -> None:
    make(FILES)
    text, counted = report("--format", "markdown", "--beside").out, summary()["summary"]
    for kind, name in zip(CLASSES, ("safe", "to review", "by hand"), strict=True):
        assert re.search(rf"^\| {name} \| {counted['classes'][kind]} \|", text, re.M)
    for block in re.split(r"\n\n", text):
        if block.startswith("|"):
            wide = {len(re.findall(r"(?<!\\)\|", line)) for line in block.strip().split("\n")}
            assert len(wide) == 1
    assert "flash_attn" in text
    assert "Moore Threads" in text


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("locale", ["en", "zh"])
def test_two_runs_write_the_same_bytes_wherever_they_are(form: str, locale: str) -> None:
    make({f"one/{name}": text for name, text in FILES.items()})
    make({f"two/deeper/one/{name}": text for name, text in FILES.items()})
    texts = set()
    for folder in ("one", "one", "two/deeper/one"):
        home = Path.cwd()
        os.chdir(folder)
        texts.add(report("--beside", "--format", form, "--locale", locale).out)
        os.chdir(home)
    (text,) = texts
    assert str(Path.cwd()) not in text
    assert str(ROOT) not in text
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text)


@pytest.mark.slow
def test_several_processes_find_what_one_does() -> None:
    make({f"p{number}/{name}": text for number in range(4) for name, text in FILES.items()})
    make({"requirements.txt": "torch_npu==2.1.0\n", "later.py": LATER})
    one, two = (report("--beside", "--format", "json", "--workers", number).out for number in ("1", "2"))
    assert one.replace("--workers 1", "") == two.replace("--workers 2", "")


class TestOutput:
    def test_html_is_written_beside_and_the_path_is_said(self) -> None:
        make({"a.py": SAFE})
        run = uncuda("report", "--target", "npu", "--no-beside")
        assert (run.code, run.out) == (0, "")
        assert "The report is in uncuda-report.html." in run.err
        assert Path("uncuda-report.html").read_text(encoding="utf-8").startswith("<!doctype html>")

    @pytest.mark.parametrize(
        ("name", "begins"),
        [
            ("r.html", "<!doctype"),
            ("r.md", "# Port of"),
            ("r.json", '{"format"'),
            ("r.csv", "File,"),
            ("r.x", "<!doctype"),
        ],
    )
    def test_the_name_says_the_format(self, name: str, begins: str) -> None:
        make({"a.py": SAFE})
        assert uncuda("report", "--target", "npu", "--no-beside", "--output", name).code == 0
        assert Path(name).read_text(encoding="utf-8").startswith(begins)

    def test_it_is_written_over(self) -> None:
        make({"a.py": SAFE, "r.json": "old"})
        assert uncuda("report", "--target", "npu", "--no-beside", "--output", "r.json").code == 0
        assert json.loads(Path("r.json").read_text(encoding="utf-8"))["summary"]["count"] == 1

    def test_what_cannot_be_written_is_said(self) -> None:
        make({"a.py": SAFE})
        run = uncuda("report", "--target", "npu", "--no-beside", "--output", "no/such/r.html")
        assert run.code == 2
        assert "no/such/r.html" in run.err

    def test_nonsense_is_a_usage_error(self) -> None:
        assert "unknown format `htm` (did you mean 'html'?)" in report("--format", "htm").err

    def test_what_cannot_be_read_is_in_it_and_in_the_exit_code(self) -> None:
        make({"a.py": SAFE, "bad.py": b"import torch\nx.cuda()  # \xff\n"})
        run = report("--format", "json")
        assert run.code == 2
        assert [error["path"] for error in run.json["errors"]] == ["bad.py"]
        assert "bad.py" in report().out.replace("<wbr>", "")
        assert "bad.py" in report("--format", "markdown").out

    def test_files_elsewhere_are_called_from_their_folder(self) -> None:
        make({"project/pkg/a.py": SAFE, "here/x": ""})
        project = Path("project").absolute()
        os.chdir("here")
        found = as_json(str(project))
        assert (found["name"], [one["path"] for one in found["findings"]]) == ("project", ["pkg/a.py"])
        assert 'href="../project/pkg/a.py#L3"' in uncuda(
            "report", "--target", "npu", "--no-beside", "--output", "-", str(project)
        ).out.replace('href="pkg/', 'href="../project/pkg/')
        assert uncuda("report", "--target", "npu", "--no-beside", "--output", "r.html", str(project)).code == 0
        assert 'href="../project/pkg/a.py#L3"' in Path("r.html").read_text(encoding="utf-8")

    def test_nothing_is_found(self) -> None:
        make({"a.py": CLEAN})
        assert "Nothing ties this code to CUDA." in report("--format", "markdown").out
        assert as_json()["summary"]["count"] == 0

    def test_all_is_accepted(self) -> None:
        make({"uncuda.toml": "", "a.py": MANUAL})
        assert uncuda("check", "--target", "npu", "--write-baseline").code == 0
        text = report("--format", "markdown").out
        assert "Nothing is left." in text
        assert "2 of 2 findings done since the baseline was first written." in text


def test_other_commands_do_not_load_it(tmp_path: Path) -> None:
    make({"a.py": SAFE})
    script = (
        "import sys\nfrom uncuda.cli import main\nmain(['check', '--target', 'npu', '-q', 'a.py'])\n"
        "print(sorted(name for name in sys.modules if 'report.port' in name or name == 'uncuda.workspace.port'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment())
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_only_changed_lines() -> None:
    make({"a.py": SAFE, "b.py": MANUAL})
    for command in ("init -q", "add .", "-c user.name=x -c user.email=x commit -qm x"):
        subprocess.run(["git", *command.split()], check=True)
    make({"b.py": MANUAL + 'backend = "nccl"\nimport torch\nx.cuda()\ntorch.cuda.synchronize()\n'})
    found = as_json("--diff-base", "HEAD")
    assert {one["path"] for one in found["findings"]} == {"b.py"}
    assert found["summary"]["accepted"] == dict.fromkeys(CLASSES, 0)
