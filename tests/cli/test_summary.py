"""Tests with thousands of findings: `--summary` shows on one screen how many there are and what to do first."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cli.command import MANUAL, REVIEW, ROOT, SAFE, Run, check, make, uncuda
from cli.test_terminal import on_terminal
from uncuda.catalogue import load
from uncuda.report.text import width

SCREEN = 40
COLUMNS = 80
CLASSES = ("safe", "review", "manual")
# For each step of a port that the summary lists, a text with findings of this step; the tests vary these texts.
LIBRARY = "import torch\nimport flash_attn\n"
EXTENSION = 'from torch.utils.cpp_extension import load\n\nops = load(name="ops", sources=["ops.cu"])\n'
ENVIRONMENT = (
    'import os\nimport torch\n\nos.environ["NCCL_IB_DISABLE"] = "1"\nos.environ["CUBLAS_WORKSPACE_CONFIG"] = ":16:8"\n'
)
SAFES = "import torch\n\n" + "torch.cuda.synchronize()\ntorch.cuda.empty_cache()\nx.cuda()\n" * 5
REVIEWS = "import torch\n\n" + 'if lang == "cuda":\n    pass\n' * 6
MANUALS = "import torch\n\n" + "torch.cuda.nothing_like_it()\ny = torch.zeros(2, dtype=torch.float64)\n" * 4
# The fix of the condition that asks for CUDA needs review because of the code that it guards; without that code it
# would be safe.
LINKED = """import torch


def f(x):
    if x.is_cuda:
        kernel(x, torch.cuda.get_device_properties(x.device).major)
"""
FILES: dict[str, str | bytes] = {"a.py": SAFE, "b.py": REVIEW, "c.py": MANUAL, "d.py": LIBRARY}
LINE = re.compile(r"^(\S.*?):(\d+):(\d+): (error|warning|information) ([a-z0-9-]+): .* \[(safe|review|manual)\]$")


def make_many() -> None:
    """Write files with about 4,900 findings in folders of several depths, and in folders of tests."""
    for number in range(110):
        folder = f"pkg/{'abcdefghij'[number % 10]}/{'mn'[number % 2]}"
        make({f"{folder}/safe{number:03}.py": SAFES, f"{folder}/review{number:03}.py": REVIEWS})
        make(
            {f"pkg/core/part{number % 7}/manual{number:03}.py": MANUALS, f"tests/t{number % 4}/x{number:03}.py": SAFES}
        )
        make({f"pkg/d/environment{number:03}.py": ENVIRONMENT, f"pkg/library{number:03}.py": LIBRARY})
    make({f"pkg/extension{number}.py": EXTENSION for number in range(9)})


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with about 4,900 findings, which is created only once."""
    folder = tmp_path_factory.mktemp("large")
    with inside(folder):
        make_many()
    return folder


@pytest.fixture(scope="module")
def without_summary(large: Path) -> Any:
    """The JSON report of the findings without any option."""
    with inside(large):
        return check().json


@pytest.fixture(scope="module")
def findings(without_summary: Any) -> list[dict[str, Any]]:
    """All findings in the folder."""
    found: list[dict[str, Any]] = without_summary["findings"]
    return found


@pytest.fixture(scope="module")
def screen(large: Path) -> str:
    """The summary of the findings, as text."""
    with inside(large):
        return summary().out


@pytest.fixture(scope="module")
def with_summary(large: Path) -> Any:
    """The JSON report of the findings, with the summary."""
    with inside(large):
        return check("--summary").json


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Change the current folder during the block."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


@pytest.fixture
def many(large: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(large)
    return large


def summary(*arguments: str, **more: Any) -> Run:
    return uncuda("check", "--summary", "--target", "npu", *arguments, **more)


def class_of(finding: dict[str, Any]) -> str:
    fixes = finding["fixes"]
    return str(fixes[0]["applicability"]) if fixes else "manual"


def numbers(line: str) -> list[int]:
    """The numbers in the columns of a table row."""
    return [int(number.replace(",", "")) for number in re.findall(r"(?<=  )[\d,]+(?=  |$)", line)]


def section(out: str, heading: str) -> list[str]:
    """The rows below a heading."""
    lines = out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(heading)) + 1
    rows = []
    for line in lines[start:]:
        if not line.startswith("  "):
            break
        rows.append(line)
    return rows


@pytest.mark.usefixtures("many")
@pytest.mark.slow
class TestScreen:
    @pytest.mark.parametrize("locale", ["en", "zh"])
    def test_it_fits(self, locale: str) -> None:
        run = summary(LC_ALL=f"{locale}_XX.UTF-8")
        lines = run.out.splitlines()
        assert 4_700 < sum(numbers("  " + lines[1]) + numbers("  " + lines[2]) + numbers("  " + lines[3])) < 5_100
        assert max(map(width, lines)) <= COLUMNS
        notes = sum(1 + width(line) // COLUMNS for line in run.err.splitlines())
        assert 30 < len(lines) + notes <= SCREEN
        assert run.code == 1

    def test_classes_rules_and_folders_come_to_all(self, screen: str, findings: list[dict[str, Any]]) -> None:
        out = screen
        every = Counter(map(class_of, findings))
        assert out.splitlines()[0].startswith(f"{len(findings):,} findings in ")
        assert [numbers("  " + line)[0] for line in out.splitlines()[1:4]] == [every[kind] for kind in CLASSES]
        for heading in ("By rule", "By folder"):
            rows = [numbers(row) for row in section(out, heading)]
            sums = [sum(column) for column in zip(*rows, strict=True)]
            assert sums == [len(findings), *(every[kind] for kind in CLASSES)], heading

    def test_rows(self, screen: str, findings: list[dict[str, Any]]) -> None:
        out = screen
        rules = Counter(finding["rule"] for finding in findings)
        shown = [row.split()[0] for row in section(out, "By rule")]
        assert shown[:-1] == [rule for rule, _ in sorted(rules.items(), key=lambda row: (-row[1], row[0]))][:5]
        tests = sum(finding["path"].startswith("tests/") for finding in findings)
        (row,) = (row for row in section(out, "By folder") if row.startswith("  tests, in 4 folders "))
        assert numbers(row)[0] == tests > 1_500
        assert section(out, "Decisions by hand")[0].split() == [
            "torch.cuda.nothing_like_it",
            "(cuda-api-missing)",
            "440",
            "440",
            "110",
        ]

    def test_what_is_cut_says_how_to_see_it(self, screen: str) -> None:
        out = summary("--statistics").out
        assert "more" not in out
        assert "All rows" not in out
        (hint,) = re.findall(r"^All rows: uncuda (.*)$", screen, re.M)
        assert uncuda(*shlex.split(hint)).out == out
        assert {"  tests/t0", "  tests/t3"} <= {row[2:].split("   ")[0] for row in section(out, "By folder")}

    def test_workers_say_the_same(self) -> None:
        for arguments in (["--statistics"], ["--output-format", "json", "--only", "manual"]):
            one, several = (summary(*arguments, "--workers", number) for number in "13")
            assert one == several

    def test_no_finding_by_itself(self, screen: str) -> None:
        assert not re.search(r":\d+:\d+:", screen)

    @pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
    def test_bold_headings_on_a_terminal(self, screen: str) -> None:
        shown = on_terminal("check", "--target", "npu", "--summary").replace("\r\n", "\n")
        assert "\x1b[1mOrder of work\x1b[0m" in shown
        assert re.sub(r"\x1b\[\d*[mK]|\r|\[[#.]+\] [\d,/]+", "", shown).endswith(screen.partition("\n")[2])


@pytest.mark.usefixtures("many")
class TestOrder:
    STEPS = ("library", "extension", "environment", "safe", "review", "manual")

    @pytest.mark.slow
    def test_what_blocks_comes_first(self, screen: str) -> None:
        out = screen.partition("Order of work\n")[2]
        titles = re.findall(r"^ (\d)\. (.*?)(?: \(|:)", out, re.M)
        assert [title for _, title in titles] == [
            "Libraries without a port",
            "Kernels and extensions to port",
            "What the machine must have",
            "Safe fixes",
            "Review rule by rule",
            "The rest by hand",
        ]
        assert "Libraries without a port (110): flash_attn\n" in out

    @pytest.mark.slow
    def test_every_finding_is_in_one_step(self, with_summary: Any) -> None:
        order = with_summary["summary"]["order"]
        assert tuple(step["step"] for step in order) == self.STEPS
        assert sum(step["count"] for step in order) == len(with_summary["findings"])
        prerequisites = {rule.name: rule.prerequisite for rule in load().rules.values()}
        expected = Counter(
            (prerequisites[finding["rule"]] if class_of(finding) == "manual" else "") or class_of(finding)
            for finding in with_summary["findings"]
        )
        assert {step["step"]: step["count"] for step in order} == expected

    @pytest.mark.slow
    def test_each_command_shows_what_the_step_counts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        make({"pkg/a.py": LIBRARY, "pkg/b.py": EXTENSION, "pkg/c.py": ENVIRONMENT, "pkg/d.py": SAFES, "e.py": SAFES})
        make({"pkg/f.py": REVIEWS, "pkg/g.py": MANUALS + LINKED})
        given = ["--ignore", "float64", "pkg"]
        order = check("--summary", *given).json["summary"]["order"]
        assert tuple(step["step"] for step in order) == self.STEPS
        for step in order:
            program, command, *options = shlex.split(step["command"])
            assert program == "uncuda"
            assert options[-5:] == ["--target", "npu", *given]
            if command == "check":
                found = uncuda("check", "--output-format", "json", *options).json["findings"]
                assert len(found) == step["count"] or step["step"] == "manual"
            else:
                diff = [] if "--diff" in options else ["--diff"]
                run = uncuda("fix", *diff, *options)
                assert run.code == 1, run.err
                assert run.err.startswith("Would fix ") or "\nWould fix " in run.err
                if step["step"] == "safe":
                    assert f"\nFixes that would be made: {step['count']:,}. " in run.err

    @pytest.mark.slow
    def test_steps_without_findings_are_left_out(self) -> None:
        assert [step["step"] for step in check("--summary", "tests").json["summary"]["order"]] == ["safe"]
        assert " 2. " not in summary("tests").out


@pytest.mark.usefixtures("many")
class TestJson:
    @pytest.mark.slow
    def test_the_same_numbers(self, with_summary: Any, without_summary: Any) -> None:
        found, told = with_summary["findings"], with_summary["summary"]
        assert told["count"] == len(found)
        assert told["files"] == len({finding["path"] for finding in found})
        assert told["classes"] == Counter(map(class_of, found))
        assert told["hidden"] == dict.fromkeys(CLASSES, 0)
        assert told["targets"] == {"npu": told["classes"]}
        assert sum(row["count"] for row in told["folders"]) == len(found)
        for row in told["folders"]:
            assert row["count"] == sum(row[kind] for kind in CLASSES)
            assert row["tests"] == row["folder"].startswith("tests")
        assert "summary" not in without_summary

    @pytest.mark.slow
    def test_statistics_stay_what_they_were(self) -> None:
        run = check("--summary", "--statistics")
        assert run.json["statistics"] == check("--statistics").json["statistics"]
        rows = {row["rule"]: {kind: row[kind] for kind in CLASSES} for row in run.json["statistics"]}
        found: dict[str, dict[str, int]] = {}
        for finding in run.json["findings"]:
            found.setdefault(finding["rule"], dict.fromkeys(CLASSES, 0))[class_of(finding)] += 1
        assert rows == found

    @pytest.mark.slow
    def test_schema(self) -> None:
        schema = json.loads((ROOT / "docs" / "findings.schema.json").read_text(encoding="utf-8"))
        described = schema["$defs"]["summary"]
        told = check("--summary", "--only", "manual,library").json
        jsonschema.validate(told, schema, jsonschema.Draft202012Validator)
        assert told["summary"].keys() == described["properties"].keys() == set(described["required"])
        for name in ("folders", "order"):
            row = schema["$defs"][described["properties"][name]["items"]["$ref"].rpartition("/")[2]]
            assert told["summary"][name][0].keys() == row["properties"].keys() == set(row["required"])


class TestOnly:
    @pytest.fixture(autouse=True)
    def _files(self) -> None:
        make(FILES)

    @pytest.mark.parametrize("kind", CLASSES)
    def test_class(self, kind: str) -> None:
        every = check().json["findings"]
        run = check("--only", kind)
        assert run.json["findings"] == [finding for finding in every if class_of(finding) == kind]
        assert run.code == 1

    @pytest.mark.parametrize("given", [["--only", "safe,review"], ["--only", "safe", "--only", "review"]])
    def test_several(self, given: list[str]) -> None:
        assert {class_of(finding) for finding in check(*given).json["findings"]} == {"safe", "review"}

    def test_rules_and_what_they_are_prerequisites_of(self) -> None:
        assert set(check("--only", "nccl-backend").rules) == {"nccl-backend"}
        assert set(check("--only", "library").rules) == {"module-unsupported"}
        assert check("--only", "safe,library").rules == []
        assert set(check("--only", "library,nccl-backend").rules) == {"module-unsupported", "nccl-backend"}

    def test_the_class_of_a_finding_does_not_depend_on_what_is_shown(self) -> None:
        make({"x.py": LINKED})
        every = [finding for finding in check("x.py").json["findings"] if finding["rule"] == "is-cuda"]
        assert [class_of(finding) for finding in every] == ["review"]
        assert check("--only", "is-cuda", "x.py").json["findings"] == every
        assert check("--select", "is-cuda", "x.py").json["findings"] == every

    def test_the_exit_code_follows(self) -> None:
        assert check("--only", "review", "a.py").code == 0
        assert check("--only", "review", "a.py", "b.py").code == 1
        assert check("--only", "review", "--exit-zero").code == 0
        assert check("--only", "review", "a.py", "none.py").code == 2

    def test_how_many_are_not_shown(self) -> None:
        out = uncuda("check", "--target", "npu", "--only", "review").out
        assert re.search(r"\nNot shown: \d+ safe, \d+ by hand\.\n$", out)
        out = uncuda("check", "--target", "npu", "--only", "review", "a.py").out
        assert re.fullmatch(r"No findings of this selection in 1 file\.\nNot shown: \d+ safe\.\n", out)
        assert re.search(r"\nNot shown: \d+ safe, \d+ by hand\.\n$", summary("--only", "review").out)
        assert check("--summary", "--only", "manual").json["summary"]["hidden"]["safe"] > 0
        assert "Not shown" not in uncuda("check", "--target", "npu").out

    def test_every_format(self) -> None:
        text = {name: uncuda("check", "--target", "npu", "--output-format", name, "--only", "safe") for name in FORMATS}
        number = len(check("--only", "safe").rules)
        assert len(text["sarif"].json["runs"][0]["results"]) == number
        assert len(text["gitlab"].json) == number
        assert len(text["github"].out.splitlines()) == number
        assert len([line for line in text["concise"].out.splitlines() if LINE.match(line)]) == number
        assert text["text"].out.count("[fix: safe]\n") == number
        assert {run.code for run in text.values()} == {1}

    def test_with_statistics(self) -> None:
        run = check("--only", "manual", "--statistics")
        assert {row["safe"] + row["review"] for row in run.json["statistics"]} == {0}
        assert sum(row["count"] for row in run.json["decisions"]) == len(run.json["findings"])

    def test_the_summary_is_about_what_is_shown(self) -> None:
        order = check("--summary", "--only", "safe,manual").json["summary"]["order"]
        assert [step["step"] for step in order] == ["library", "safe", "manual"]

    def test_unknown(self) -> None:
        run = uncuda("check", "--only", "saef")
        assert (run.code, run.out) == (2, "")
        assert "unknown class or rule `saef` (did you mean 'safe'?)" in run.err


FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab")


class TestConcise:
    def test_a_line_a_finding(self) -> None:
        make({f"{name}.py": SAFE + REVIEW + MANUAL + LIBRARY for name in "abcdef"})
        findings = check().json["findings"]
        run = uncuda("check", "--target", "npu", "--output-format", "concise", "--quiet")
        found = [match.groups() for match in map(LINE.match, run.out.splitlines()) if match]
        assert len(found) == len(run.out.splitlines()) == len(findings)
        assert found == [
            (one["path"], str(start["line"]), str(start["column"]), one["severity"], one["rule"], class_of(one))
            for one in findings
            for start in [one["range"]["start"]]
        ]

    def test_summary_and_statistics_at_the_end(self) -> None:
        make({"a.py": SAFE})
        plain = uncuda("check", "--target", "npu", "--output-format", "concise", "--statistics")
        assert plain.out.partition("\n")[2].partition("By rule:\n")[2]
        assert plain.out.endswith("`uncuda fix` makes the safe fixes.\n")

    def test_the_class_is_the_word_of_the_option_in_every_language(self) -> None:
        make({"a.py": SAFE})
        run = uncuda("check", "--target", "npu", "--output-format", "concise", "--locale", "zh", "--quiet")
        assert run.out.splitlines()[0].endswith(" [safe]")

    @pytest.mark.skipif(os.name == "nt", reason="such names cannot be made there")
    def test_names_do_not_steer_it(self) -> None:
        make({"\x1b[2J::error::\n.py": SAFE})
        for options in (["--output-format", "concise"], ["--summary", "--statistics"]):
            assert "\x1b" not in uncuda("check", "--target", "npu", *options, "\x1b[2J::error::\n.py").out


@pytest.mark.parametrize(
    "options",
    [
        *(["--summary", "--output-format", name] for name in ("concise", "sarif", "github", "gitlab")),
        *(["--statistics", "--output-format", name] for name in ("sarif", "github", "gitlab")),
    ],
)
def test_what_does_not_go_together(options: list[str]) -> None:
    run = uncuda("check", *options)
    assert run.code == 2
    assert f"{options[0]} works only with these output formats: text, " in run.err


def test_nothing_found() -> None:
    make({"a.py": "import torch\n"})
    assert summary().out == "No findings in 1 file.\n"
    assert summary("none.py").out == ""
    assert check("--summary").json["summary"]["order"] == []


def test_standard_input() -> None:
    run = summary("-", "--stdin-filename", "tests/x.py", stdin=SAFES)
    assert "uncuda fix --stdin-filename tests/x.py --target npu -\n" in run.out
    assert "tests, in 1 folder" in run.out


def test_commands_can_be_copied_whatever_the_paths_are() -> None:
    make({f"a b/{name}.py": SAFE for name in "uvwxyz"})
    run = summary("--no-receivers", "a b", "a b/u.py")
    assert "    uncuda fix --target npu --no-receivers 'a b' 'a b/u.py'\n" in run.out
    assert "    uncuda fix --target npu …\n" in summary(*(f"a b/{name}.py" for name in "uvwxyz")).out


def test_every_prerequisite_is_that_of_a_rule() -> None:
    assert {rule.prerequisite for rule in load().rules.values()} == {"", *TestOrder.STEPS[:3]}


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
class TestTerminal:
    HINT = "For a summary on one screen: uncuda check --summary"

    @pytest.mark.slow
    def test_more_than_a_screen_names_it(self) -> None:
        make({"a.py": "import torch\n" + "torch.cuda.synchronize()\n" * 101})
        shown = on_terminal("check", "--target", "npu", "--select", "cuda-api").replace("\r\n", "\n")
        assert f"\n{self.HINT} --target npu --select cuda-api\n" in shown
        assert self.HINT in on_terminal("check", "--target", "npu", "--output-format", "concise")

    @pytest.mark.slow
    def test_nobody_else_is_told(self) -> None:
        make({"a.py": "import torch\n" + "torch.cuda.synchronize()\n" * 101})
        assert self.HINT not in uncuda("check", "--target", "npu").out
        for options in (["--quiet"], ["--only", "review"], ["--summary"], ["--output-format", "github"]):
            assert self.HINT not in on_terminal("check", "--target", "npu", *options)
        make({"a.py": "import torch\n" + "torch.cuda.synchronize()\n" * 99})
        assert self.HINT not in on_terminal("check", "--target", "npu")


class TestFix:
    @staticmethod
    def pending(run: Run) -> tuple[str, str]:
        """Return the last two lines of the output: the numbers, and the command to run next."""
        numbers, following = run.err.splitlines()[-2:]
        return numbers, following

    def left(self) -> Counter[str]:
        return Counter(map(class_of, check().json["findings"]))

    def test_always_three_numbers_and_what_next(self) -> None:
        make(FILES)
        before = self.left()
        numbers, following = self.pending(uncuda("fix", "--target", "npu", "--diff", "."))
        assert numbers.startswith(f"Fixes that would be made: {before['safe']}. Findings left: ")
        assert following == "Next: uncuda fix --target npu ."
        numbers, following = self.pending(uncuda(*shlex.split(following)[2:]))
        after = self.left()
        assert (
            numbers
            == f"Fixes made: {before['safe']}. Findings left: {after['review']} to review, {after['manual']} by hand."
        )
        rule = re.fullmatch(r"Next: uncuda fix --review-fixes --diff --fixable ([a-z-]+) --target npu \.", following)
        assert rule and rule[1] in check().rules
        numbers, following = self.pending(uncuda("fix", "--target", "npu", "--review-fixes"))
        assert numbers == f"Fixes made: {after['review']}. Findings left: 0 to review, {self.left()['manual']} by hand."
        assert following == "Next: uncuda check --summary --only manual --target npu"
        assert uncuda(*shlex.split(following)[2:]).code == 1

    def test_nothing_left(self) -> None:
        make({"a.py": "import torch\n\ntorch.cuda.synchronize()\n"})
        run = uncuda("fix", "--target", "npu", "--select", "cuda-api")
        assert run.err.endswith("\nFixes made: 1. Findings left: 0 to review, 0 by hand.\n")
        assert uncuda("fix", "--target", "npu", "--select", "cuda-api").err == "Nothing to fix in 1 file.\n"

    def test_chinese_and_quiet(self) -> None:
        make(FILES)
        run = uncuda("fix", "--target", "npu", "--locale", "zh", "--diff")
        assert re.search(
            r"\n将执行修复：\d+ 处。剩余问题：\d+ 处需复核，\d+ 处需手动处理。\n下一步：uncuda fix ", run.err
        )
        assert uncuda("fix", "--target", "npu", "--quiet").err == ""

    def test_standard_input_has_no_next_command(self) -> None:
        run = uncuda("fix", "--target", "npu", "-", stdin=SAFE + MANUAL)
        assert re.search(r"\nFixes made: 1\. Findings left: \d to review, \d by hand\.\n$", run.err)
        assert "Next:" not in run.err


class TestFixable:
    def test_only_these_and_what_must_change_with_them(self) -> None:
        make({"x.py": LINKED, "a.py": SAFE})
        run = uncuda("fix", "--target", "npu", "--review-fixes", "--fixable", "is-cuda")
        assert "is_npu" in Path("x.py").read_text()
        assert "get_device_properties" in Path("x.py").read_text()
        assert Path("a.py").read_text() == SAFE
        assert re.search(r"\nFixes made: \d\. Findings left: \d safe, ", run.err)
        assert "could not be applied" not in run.err

    def test_without_review_fixes_none_of_those(self) -> None:
        make({"x.py": LINKED})
        uncuda("fix", "--target", "npu", "--fixable", "is-cuda")
        assert Path("x.py").read_text() == LINKED

    @pytest.mark.slow
    def test_workers_and_standard_input_do_the_same(self) -> None:
        make({f"p/{name}.py": LINKED + SAFES for name in "abcdefghijklmnop"})
        options = ["--target", "npu", "--fixable", "cuda-api,cuda-method", "--diff"]
        one, several = (uncuda("fix", *options, "--workers", number, "p") for number in "13")
        assert one == several
        assert "cuda-memory" not in one.err
        shutil.rmtree("p")
        assert uncuda("fix", *options, "-", stdin=SAFES).out.count("\n+torch.npu.") == 5

    def test_unknown(self) -> None:
        run = uncuda("fix", "--fixable", "cuda-ap")
        assert run.code == 2
        assert "unknown rule `cuda-ap`" in run.err
