"""Tests that many findings about one library or API count as one decision: the message is printed once, followed by the
position of every finding."""

import os
import re
import tracemalloc
from typing import Any

import pytest

from cli.command import SAFE, Run, check, make, uncuda
from cli.test_terminal import on_terminal
from uncuda.engine import Finding
from uncuda.report import repeated
from uncuda.report.repeated import FIRST, Repeated
from uncuda.source import Source, Span

IMPORT = "import torch\nimport flash_attn\n"
CALL = "import torch\n\ntorch.cuda.nothing_like_it()\n"
CALLS = "import torch\n" + "torch.cuda.nothing_like_it()\n" * 4
# The pattern by which problem matchers of editors and CI systems parse a line of the report.
PLACE = re.compile(r"^ *(\S.*?):(\d+):(\d+): (error|warning|information) ([a-z0-9-]+): (.*)$", re.M)
COLOR = re.compile(r"\x1b\[\d*m")


def text(*arguments: str, **env: str) -> Run:
    return uncuda("check", "--target", "npu", *arguments, **env)


def places(report: str) -> list[tuple[str, int, int, str, str]]:
    """Return the position of every finding in a text report, in order."""
    return [(path, int(line), int(column), *rest) for path, line, column, *rest, _ in PLACE.findall(report)]


def expected(run: Run) -> list[tuple[str, int, int, str, str]]:
    """Return the position of every finding in a JSON report, in order."""
    found = []
    for finding in run.json["findings"]:
        start = finding["range"]["start"]
        found.append((finding["path"], start["line"], start["column"], finding["severity"], finding["rule"]))
    return found


@pytest.fixture
def many() -> None:
    """Write 149 files that import the same library; a few of them also contain a call, and some contain code with a
    fix."""
    for number in range(149):
        more = "torch.cuda.nothing_like_it()\n" if number % 15 == 0 else ""
        make({f"pkg/m{number:03}.py": IMPORT + more})
    make({f"safe{number}.py": SAFE for number in range(6)})


@pytest.mark.usefixtures("many")
class TestText:
    def test_every_place_once(self) -> None:
        run = text()
        found = places(run.out)
        assert len(found) == len(set(found)) == 149 + 10 + 6
        assert sorted(found) == sorted(expected(check()))

    def test_the_message_once_and_then_its_places(self) -> None:
        blocks = text().out.split("\n\n")
        title = next(index for index, block in enumerate(blocks) if block.startswith("`flash_attn` needs CUDA"))
        first, *rest = blocks[title].splitlines()
        assert first.endswith(" [by hand], 146 more places in 146 files:")
        assert rest[0] == "pkg/m003.py:2:8: error module-unsupported: flash_attn"
        assert len(rest) == 146
        assert rest == sorted(rest, key=lambda line: line.split(":")[0])
        assert "`torch.cuda.nothing_like_it`" in blocks[title + 1]
        assert blocks[title + 1].splitlines()[0].endswith(" [by hand], 7 more places in 7 files:")

    def test_the_first_are_shown_where_they_stand(self) -> None:
        out = text("pkg").out
        assert out.count("`flash_attn` needs CUDA") == FIRST + 1
        assert out.startswith("pkg/m000.py:2:8: error module-unsupported: `flash_attn` needs CUDA")
        assert "\n2 | import flash_attn\n  |        ^^^^^^^^^^\n" in out

    def test_fixes_are_read_one_by_one(self) -> None:
        out = text().out
        assert out.count('3 | dist.init_process_group("nccl")\n') == 6

    def test_summary_and_statistics(self) -> None:
        out = text("--statistics").out
        assert "; 6 safe, 159 by hand (2 decisions).\n" in out
        (table,) = (block for block in out.split("\n\n") if block.startswith("Decisions by hand:\n"))
        assert table.splitlines()[1:] == [
            "   149  module-unsupported  flash_attn                  149 by hand; 149 files",
            "    10  cuda-api-missing    torch.cuda.nothing_like_it  10 by hand; 10 files",
        ]

    def test_chinese(self) -> None:
        out = text("--locale", "zh", "--statistics").out
        assert " [手动]，146 个文件中还有 146 处：\n" in out
        assert "（2 项决定）" in out
        assert "\n需手动作出的决定：\n   149  module-unsupported  flash_attn" in out
        assert sorted(places(out)) == sorted(places(text().out))

    @pytest.mark.slow
    def test_the_same_every_time(self) -> None:
        assert text("--statistics").out == text("--statistics", PYTHONHASHSEED="7").out

    def test_no_colours_but_on_a_terminal(self) -> None:
        assert "\x1b" not in text("--statistics").out

    @pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
    @pytest.mark.slow
    def test_a_terminal_shows_the_same(self) -> None:
        shown = on_terminal("check", "--target", "npu", "--quiet").replace("\r\n", "\n")
        plain = on_terminal("check", "--target", "npu", "--quiet", NO_COLOR="1").replace("\r\n", "\n")
        assert "\x1b[1mpkg/m003.py:2:8:\x1b[0m \x1b[31merror\x1b[0m" in shown
        assert "\x1b[3" not in plain
        assert COLOR.sub("", shown) == plain == text("--quiet").out


class TestWhatBelongsTogether:
    def test_few_places_are_shown_as_ever(self) -> None:
        make({"a.py": IMPORT, "b.py": IMPORT, "c.py": IMPORT + CALL})
        out = text("--statistics").out
        assert "more place" not in out
        assert out.count("[by hand]\n") == 4
        assert " 4 by hand (2 decisions)." in out

    def test_one_more(self) -> None:
        make({f"{name}.py": IMPORT for name in "abcd"})
        assert " [by hand], 1 more place in 1 file:\nd.py:2:8: error module-unsupported: flash_attn\n\n" in text().out

    def test_what_says_something_else_stands_apart(self) -> None:
        make({"a.py": "import torch\n" + "torch.cuda.nothing_like_it()\ntorch.cuda.nor_this()\n" * 5})
        out = text().out
        assert len(re.findall(r" \[by hand\], 2 more places in 1 file:$", out, re.M)) == 2
        assert len(places(out)) == 10

    def test_what_is_about_its_place_alone_is_not_grouped(self) -> None:
        make({"a.py": "import torch\n" + 'kind = opts.refit_method == "nccl"\n' * 6})
        findings = [finding for finding in check().json["findings"] if not finding["fixes"]]
        assert {finding["subject"] for finding in findings} == {""}
        assert len(findings) == 6
        out = text().out
        assert "more place" not in out
        assert "decision" not in out

    def test_a_library_has_one_row(self) -> None:
        make({"a.py": "import apex\nimport torch\n\napex.amp.initialize(m, o)\napex.optimizers.FusedSGD(p)\n"})
        rows = {row["subject"]: row["count"] for row in check("--statistics").json["decisions"]}
        assert rows == {"apex": 3}

    def test_settings_of_one_folder_do_not_join_those_of_another(self) -> None:
        make({f"{name}/a.py": CALLS for name in "xy"})
        make({"y/uncuda.toml": "[severity]\ncuda-api-missing = 'warning'\n"})
        out = text().out
        assert len(re.findall(r"^[xy]/a\.py:5:1: (?:error|warning) cuda-api-missing: torch\.cuda\.", out, re.M)) == 2
        assert out.count("1 more place in 1 file:") == 2

    @pytest.mark.skipif(os.name == "nt", reason="such names cannot be made there")
    def test_names_do_not_steer_the_report(self) -> None:
        make({"\x1b[2J::error::\n.py": CALLS + CALLS})
        out = text().out
        assert "\x1b" not in out
        assert len(places(out)) == 8


class TestSubjects:
    @pytest.mark.parametrize(
        ("code", "subject"),
        [
            ("import flash_attn.bert_padding\n", "flash_attn"),
            ("torch.cuda.nothing_like_it()\n", "torch.cuda.nothing_like_it"),
            ("torch.cuda.synchronize()\n", "torch.cuda.synchronize"),
            ("import torch as t\nt.cuda.synchronize()\n", "torch.cuda.synchronize"),
            ("import torch.cuda as tc\ntc.synchronize()\n", "torch.cuda"),
            ("x.cuda()\n", ".cuda"),
            ("x.is_cuda\n", ".is_cuda"),
            ('import os\nos.environ["CUDA_VISIBLE_DEVICES"]\n', "CUDA_VISIBLE_DEVICES"),
            ('x.to("cuda")\n', ""),
        ],
    )
    def test_subject(self, code: str, subject: str) -> None:
        for locale in ("en", "zh"):
            run = check("--locale", locale, "--ignore", "missing-plugin-import", "-", stdin="import torch\n" + code)
            assert subject in [finding["subject"] for finding in run.json["findings"]]

    def test_the_import_that_is_missing(self) -> None:
        run = check("--select", "missing-plugin-import", "-", stdin="import torch\n\ntorch.npu.synchronize()\n")
        assert [finding["subject"] for finding in run.json["findings"]] == ["torch_npu"]


@pytest.mark.usefixtures("many")
class TestOtherFormats:
    def test_json(self) -> None:
        rows = check("--statistics").json["decisions"]
        assert rows[:2] == [
            {"rule": "module-unsupported", "subject": "flash_attn", "count": 149, "files": 149}
            | {"safe": 0, "review": 0, "manual": 149},
            {"rule": "cuda-api-missing", "subject": "torch.cuda.nothing_like_it", "count": 10, "files": 10}
            | {"safe": 0, "review": 0, "manual": 10},
        ]
        assert sum(row["count"] for row in rows) == 165
        assert "decisions" not in check().json

    def test_sarif_has_one_place_a_result(self) -> None:
        (run,) = text("--output-format", "sarif").json["runs"]
        results: list[Any] = [result for result in run["results"] if result["properties"]["subject"] == "flash_attn"]
        assert len(results) == 149
        assert {len(result["locations"]) for result in results} == {1}
        assert len({result["partialFingerprints"]["uncuda/v1"] for result in results}) == 149

    def test_gitlab_has_one_place_an_entry(self) -> None:
        entries = text("--output-format", "gitlab").json
        assert len({entry["fingerprint"] for entry in entries}) == 165

    def test_github_shows_every_decision_among_the_first(self) -> None:
        lines = text("--output-format", "github").out.splitlines()
        told = [re.search(r"::([^:]+:\d+:\d+): ", line) for line in lines]
        assert len({match[1] for match in told if match}) == len(lines) == 165
        first = "\n".join(lines[:10])
        assert "flash_attn" in first
        assert "nothing_like_it" in first
        assert re.match(r"::error file=pkg/m135\.py,line=(\d+),endLine=\1,col=\d+,endColumn=\d+,title=", lines[-1])
        assert "torch.cuda.nothing_like_it" in lines[-1]


class TestFix:
    def test_every_place_that_is_left(self) -> None:
        make({f"{name}.py": IMPORT + "torch.cuda.synchronize()\n" for name in "abcdef"})
        left = [place for place in expected(check()) if place[-1] == "module-unsupported"]
        run = uncuda("fix", "--target", "npu", "--diff")
        assert "Left by hand (6 findings):\n" in run.err
        assert places(run.err) == left
        assert ", 3 more places in 3 files:\n    d.py:2:8: error module-unsupported: flash_attn\n" in run.err
        assert uncuda("fix", "--target", "npu", "--quiet").err == ""

    def test_lines_of_the_file_as_it_is(self) -> None:
        code = "import torch\n\ntorch.cuda.synchronize()\nimport flash_attn\n"
        make({f"{name}.py": code for name in "abcdef"})
        assert {place[1] for place in places(uncuda("fix", "--target", "npu", "--diff").err)} == {4}
        assert {place[1] for place in places(uncuda("fix", "--target", "npu").err)} == {5}


class TestSize:
    @pytest.mark.slow
    def test_ten_thousand_places(self) -> None:
        for number in range(100):
            make({f"m{number:03}.py": "import torch\n" + "torch.cuda.nothing_like_it()\n" * 100})
        run = text("--statistics")
        found = places(run.out)
        assert len(found) == len(set(found)) == 10_000
        assert run.out.count("remove the call or guard it") == FIRST + 1
        assert len(run.out) < 10_000 * 70
        assert "10,000 by hand; 100 files\n" in run.out
        assert "10,000 by hand (1 decision).\n" in run.out

    @pytest.mark.slow
    def test_what_is_kept_of_a_place_is_small(self) -> None:
        source = Source("x\n" * 1000, "a.py")
        finding = finding_at(1000, "torch.cuda.nothing_like_it")
        kept = Repeated()
        tracemalloc.start()
        try:
            taken = sum(kept.keeps(finding, source) for _ in range(100_000))
            size = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
        assert taken == 100_000 - FIRST
        assert size < 3_000_000
        (group,) = kept.groups()
        assert (len(group), group.files, set(group)) == (taken, 1, {("a.py", 501, 1, 501, 2, 0)})

    def test_decisions_beyond_a_number_are_not_told_apart(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(repeated, "_DECISIONS", 2)
        source, kept = Source("x\n", "a.py"), Repeated()
        taken = [kept.keeps(finding_at(0, name), source) for name in ("a", "b", "c") for _ in range(FIRST + 2)]
        assert taken == [*[False] * FIRST, True, True] * 2 + [False] * (FIRST + 2)


def finding_at(offset: int, subject: str) -> Finding:
    message = f"no counterpart of `{subject}` is known"
    return Finding("cuda-api-missing", "error", message, Span(offset, offset + 1), (), "npu", subject=subject)


def test_decisions_without_a_subject_count_one_by_one() -> None:
    make({"a.py": 'import torch\nkind = opts.refit_method == "nccl"\n' * 2 + CALLS})
    assert " 6 by hand (3 decisions)." in text().out


def test_suppressed_places_do_not_count() -> None:
    make({"a.py": "import torch\n" + "torch.cuda.nothing_like_it()  # uncuda: ignore[cuda-api-missing]\n" * 9 + CALLS})
    out = text().out
    assert ", 1 more place in 1 file:" in out
    assert len(places(out)) == 4
