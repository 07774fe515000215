"""A file that exceeds a limit is reported with the setting to raise; other files are processed."""

from pathlib import Path

import pytest

from cli.command import SAFE, check, make, uncuda
from support.growth import SHAPES

LARGE = SHAPES["many_findings"](50)


@pytest.mark.parametrize(
    ("setting", "limit", "english", "chinese"),
    [
        ("max-bytes", "900", "larger than 900 bytes", "大于 900 字节"),
        ("max-statements", "40", "more than 40 statements to read", "需要读取的语句超过 40 条"),
        ("max-comparisons", "4000", "more than 4,000 comparisons to make", "需要的比较超过 4,000 次"),
    ],
)
@pytest.mark.parametrize("command", ["check", "fix"])
def test_named_and_the_rest_is_done(command: str, setting: str, limit: str, english: str, chinese: str) -> None:
    make({"a.py": SAFE, "large.py": LARGE, "z.py": SAFE})
    result = uncuda(command, "--target", "npu", f"--{setting}", limit)
    assert result.code == 2
    assert f"uncuda: error: large.py: {english}, left out; raise `{setting}`, or `exclude` it" in result.err
    assert "internal error" not in result.err
    assert Path("large.py").read_text(encoding="utf-8") == LARGE
    if command == "check":
        assert "a.py:3:" in result.out
        assert "z.py:3:" in result.out
    else:
        assert "hccl" in Path("z.py").read_text(encoding="utf-8")
    result = uncuda(command, f"--{setting}", limit, "--locale", "zh")
    assert f"large.py: {chinese}，未检查；请调高 `{setting}`" in result.err


def test_a_program_reads_of_it() -> None:
    make({"a.py": SAFE, "large.py": LARGE})
    report = check("--max-statements", "40").json
    assert [error["path"] for error in report["errors"]] == ["large.py"]
    assert {found["path"] for found in report["findings"]} == {"a.py"}


def test_names_that_stand_for_names_are_no_internal_error() -> None:
    make({"a.py": SHAPES["device_alias_chain"](2000)})
    result = check()
    assert result.code == 1
    assert "error" not in result.err


def test_nesting_does_not_end_the_run() -> None:
    make({"a.py": 'x = f"{' + "(" * 1500 + "cuda" + ")" * 1500 + '}"\n', "b.py": SAFE})
    result = check()
    assert result.code == 2
    assert "a.py: 1 statement could not be read" in result.err
    assert [found["path"] for found in result.json["findings"]] == ["b.py"]


def test_standard_input_goes_through_as_it_is() -> None:
    result = uncuda("fix", "--target", "npu", "--max-statements", "1", "-", stdin=SAFE)
    assert (result.code, result.out) == (2, SAFE)
    assert "-: more than 1 statements to read" in result.err
