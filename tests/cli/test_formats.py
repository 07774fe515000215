"""Tests of the output formats."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cli.command import CLEAN, MANUAL, REVIEW, ROOT, SAFE, Run, check, make, uncuda
from uncuda.report.diff import unified_diff
from uncuda.report.text import width

FORMATS = ["text", "json", "sarif", "github", "gitlab"]


def report(output_format: str, *arguments: str) -> Run:
    return uncuda("check", "--target", "npu", "--output-format", output_format, *arguments)


@pytest.fixture
def files() -> None:
    make({"a.py": SAFE, "b.py": REVIEW, "sub dir/c.py": MANUAL, "d.py": CLEAN, "é.py": SAFE})


@pytest.mark.usefixtures("files")
class TestJson:
    def validate(self, value: Any) -> None:
        schema = json.loads((ROOT / "docs" / "findings.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(value, _closed(schema), jsonschema.Draft202012Validator)

    def test_schema(self) -> None:
        for arguments in ([], ["--statistics"], ["--summary"], ["--locale", "zh"], ["d.py"], ["a.py", "none.py"]):
            self.validate(report("json", *arguments).json)

    def test_order_and_paths(self) -> None:
        paths = [finding["path"] for finding in report("json").json["findings"]]
        assert list(dict.fromkeys(paths)) == ["a.py", "b.py", "sub dir/c.py", "é.py"]

    def test_edits_can_be_made_by_another_tool(self) -> None:
        text = 'import torch.distributed as dist\r\n\r\n"😀é"; dist.init_process_group("nccl")\r\n'
        make({"x.py": text})
        findings = [f for f in report("json", "x.py").json["findings"] if f["fixes"] and f["severity"] == "error"]
        fix = findings[0]["fixes"][0]
        lines = text.split("\r\n")
        for edit in sorted(fix["edits"], key=lambda edit: edit["range"]["start"]["line"], reverse=True):
            start, end = edit["range"]["start"], edit["range"]["end"]
            assert start["line"] == end["line"]
            line = lines[start["line"] - 1]
            lines[start["line"] - 1] = line[: start["column"] - 1] + edit["text"] + line[end["column"] - 1 :]
        assert '"😀é"; dist.init_process_group("hccl")' in lines

    def test_statistics(self) -> None:
        run = report("json", "--statistics")
        counts = {row["rule"]: row["count"] for row in run.json["statistics"]}
        assert counts == {rule: run.rules.count(rule) for rule in run.rules}
        assert list(counts.values()) == sorted(counts.values(), reverse=True)

    def test_errors(self) -> None:
        run = report("json", "none.py", "a.py")
        assert run.code == 2
        assert run.json["errors"] == [{"path": "none.py", "message": "no such file or folder"}]
        assert run.rules


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with all undocumented members forbidden."""
    if "properties" in schema:
        schema = {**schema, "additionalProperties": False}
    return {key: _closed(value) if isinstance(value, dict) else value for key, value in schema.items()}


@pytest.mark.usefixtures("files")
class TestText:
    def test_a_block_a_finding(self) -> None:
        run = report("text", "--select", check("a.py").rules[-1], "a.py")
        head, line, caret, blank, *summary = run.out.splitlines()
        assert re.match(r"a\.py:3:\d+: error [a-z-]+: .* \[fix: safe\]$", head)
        assert line == '3 | dist.init_process_group("nccl")'
        assert re.match(r"  \| +\^+$", caret)
        assert line[caret.index("^") : caret.rindex("^") + 1].strip("\"'") == "nccl"
        assert blank == ""
        assert summary == [
            "1 finding in 1 file: 1 error; 1 safe.",
            "`uncuda fix` makes the safe fixes.",
        ]

    def test_by_hand(self) -> None:
        assert "[by hand]\n" in report("text", "sub dir/c.py").out

    def test_statistics(self) -> None:
        run = report("text", "--statistics")
        assert "By rule:\n" in run.out
        assert re.search(r"^ +\d+  [a-z-]+ +\d+ by hand$", run.out, re.MULTILINE)

    def test_wide_characters_and_tabs(self) -> None:
        make({"x.py": 'import torch.distributed as dist\nif 1:\n\ts = "中文"; dist.init_process_group("nccl")\n'})
        lines = report("text", "x.py").out.splitlines()
        line = next(number for number, text in enumerate(lines) if text.startswith('3 |     s = "中文"'))
        before = lines[line].partition("nccl")[0]
        assert lines[line + 1].index("^") in (width(before), width(before) - 1)

    def test_control_characters_do_not_reach_the_terminal(self) -> None:
        make({"x.py": 'import torch.distributed as dist\ns = "\x1b[31m"; dist.init_process_group("nccl")\n'})
        assert "\x1b" not in report("text", "x.py").out

    def test_long_lines_are_cut(self) -> None:
        line = f's = "{"x" * 500}"; dist.init_process_group("nccl"), "{"y" * 500}"'
        make({"x.py": f"import torch.distributed as dist\n{line}\n"})
        run = report("text", "x.py")
        assert max(map(len, run.out.splitlines())) < 240
        assert re.search(r'… *x*"; dist.init_process_group\("nccl"\), "y+…', run.out)

    def test_a_finding_over_several_lines(self) -> None:
        make({"x.py": MANUAL.replace("(chunk", "(\n    chunk")})
        assert report("text", "x.py").code == 1

    def test_no_colours_in_a_file(self) -> None:
        assert "\x1b" not in report("text").out


@pytest.mark.usefixtures("files")
class TestSarif:
    def test_log(self) -> None:
        run = report("sarif")
        log = json.loads(run.out)
        assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
        (results,) = (only["results"] for only in log["runs"])
        driver = log["runs"][0]["tool"]["driver"]
        assert driver["name"] == "uncuda"
        for result in results:
            assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["level"] in ("error", "warning", "note")
        uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
        assert uris == {"a.py", "b.py", "sub%20dir/c.py", "%C3%A9.py"}
        prints = [result["partialFingerprints"]["uncuda/v1"] for result in results]
        assert len(set(prints)) == len(prints)
        assert log["runs"][0]["columnKind"] == "unicodeCodePoints"
        assert log["runs"][0]["invocations"][0]["executionSuccessful"] is True

    def test_rules_have_their_page(self) -> None:
        for rule in json.loads(report("sarif").out)["runs"][0]["tool"]["driver"]["rules"]:
            assert rule["shortDescription"]["text"]
            assert rule["help"]["markdown"].startswith("# ")
            assert rule["helpUri"].endswith(f"/{rule['id']}.md")

    def test_fixes(self) -> None:
        result = json.loads(report("sarif", "a.py").out)["runs"][0]["results"][-1]
        changes = result["fixes"][0]["artifactChanges"]
        assert [change["artifactLocation"]["uri"] for change in changes] == ["a.py"]
        inserted = [replacement["insertedContent"]["text"] for replacement in changes[0]["replacements"]]
        assert any("hccl" in text for text in inserted)

    def test_errors(self) -> None:
        run = json.loads(report("sarif", "a.py", "none.py").out)["runs"][0]
        (invocation,) = run["invocations"]
        assert invocation["executionSuccessful"] is False
        assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "no such file or folder"

    def test_paths_outside(self, tmp_path: Path) -> None:
        log = json.loads(report("sarif", str(tmp_path / "a.py")).out)
        location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert location == {"uri": (tmp_path / "a.py").as_uri()}


@pytest.mark.usefixtures("files")
class TestGithub:
    def test_commands(self) -> None:
        run = report("github", "a.py", "sub dir/c.py", "none,x.py")
        assert run.code == 2
        lines = run.out.splitlines()
        assert re.match(
            r"::error file=a\.py,line=3,endLine=3,col=\d+,endColumn=\d+,title=uncuda \([a-z-]+\)::a\.py:3:",
            lines[0 if "line=3" in lines[0] else 1],
        )
        assert lines[-1] == "::error file=none%2Cx.py,title=uncuda::none,x.py: no such file or folder"


@pytest.mark.usefixtures("files")
class TestGitlab:
    def test_array(self) -> None:
        entries = json.loads(report("gitlab").out)
        assert entries
        for entry in entries:
            assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
            assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
            assert entry["location"]["lines"]["begin"] >= 1
        prints = [entry["fingerprint"] for entry in entries]
        assert len(set(prints)) == len(prints)

    def test_a_fingerprint_outlives_lines_above(self) -> None:
        before = json.loads(report("gitlab", "a.py").out)
        make({"a.py": "# one more line\n" + SAFE})
        after = json.loads(report("gitlab", "a.py").out)
        assert [entry["fingerprint"] for entry in before] == [entry["fingerprint"] for entry in after]


@pytest.mark.parametrize("output_format", FORMATS)
def test_nothing_found(output_format: str) -> None:
    make({"a.py": CLEAN})
    run = report(output_format)
    assert (run.code, run.err) == (0, "")
    if output_format in ("json", "sarif", "gitlab"):
        json.loads(run.out)


def test_unknown_format() -> None:
    run = report("sarf", "a.py")
    assert run.code == 2
    assert "unknown output format `sarf` (did you mean 'sarif'?)" in run.err


def test_statistics_have_no_place_elsewhere() -> None:
    assert "--statistics works only with" in report("sarif", "--statistics").err


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("中文", 4), ("é", 1), ("e\u0301", 1), ("ｆｕｌｌ", 8), ("😀", 2)]
)
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


def test_a_diff_says_where_there_is_no_newline() -> None:
    diff = b"".join(unified_diff("a.py", b"a\r\nb", b"a\r\nc"))
    assert diff == (
        b"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\r\n"
        b"-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
    )


def test_diff_of_a_long_file_keeps_a_blank_line_between_changed_lines() -> None:
    before = b"\n".join([b"a = 1\n"] * 150 + [b"first = 'cuda'\n", b"second = 'cuda'\n", b"a = 1\n"])
    diff = b"".join(unified_diff("a.py", before, before.replace(b"cuda", b"npu")))
    assert diff == (
        b"--- a/a.py\n+++ b/a.py\n@@ -298,8 +298,8 @@\n \n a = 1\n \n"
        b"-first = 'cuda'\n+first = 'npu'\n \n-second = 'cuda'\n+second = 'npu'\n \n a = 1\n"
    )
