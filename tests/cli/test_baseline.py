"""Tests of accepted findings: what is written to the baseline, which findings stay accepted, which entries are unused,
and the effects of an invalid baseline."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import jsonschema
import pytest

from cli.command import CLEAN, MANUAL, REVIEW, ROOT, SAFE, Run, check, make, uncuda
from support.notebook import code, notebook

NAME = "uncuda-baseline.jsonl"
LIBRARY = """\
import torch


def run(x, flag):
    if flag:
        x = x.cuda()
    torch.cuda.synchronize()
    return x
"""


def accept(*arguments: str, reason: str = "") -> Run:
    """Accept all current findings."""
    return check("--write-baseline", *(["--reason", reason] if reason else []), *arguments)


def fix(*arguments: str, **more: Any) -> Run:
    return uncuda("fix", "--target", "npu", *arguments, **more)


def git(*arguments: str, folder: str = ".") -> None:
    author = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", "-C", folder, *author, *arguments], check=True, capture_output=True)


def lines(name: str = NAME) -> list[dict[str, Any]]:
    """The entries of a baseline, without its first line."""
    first, *rest = map(json.loads, Path(name).read_text(encoding="utf-8").splitlines())
    assert first["format"] == 1
    return rest


def keep(wanted: Callable[[dict[str, Any]], bool]) -> None:
    """Remove from the baseline the entries for which `wanted` returns False, as a user does in an editor."""
    path = Path(NAME)
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([first, *(line for line in rest if wanted(json.loads(line)))]), encoding="utf-8")


def entry(**other: object) -> str:
    """An entry of a baseline, as a line of JSON."""
    usual = {"path": "a.py", "rule": "cuda-api", "print": "0" * 24, "targets": ["npu"], "reason": ""}
    return json.dumps({**usual, **other}) + "\n"


BLOCK = """\


def {0}(x):
    torch.cuda.synchronize()
    return x.cuda()
"""
HEADER = '{"format": 1, "counts": {}}\n'


@pytest.mark.slow
def test_a_project_without_a_configuration_is_the_same_from_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A baseline that an editor, or `check` inside the project, has written is also used by `check PROJECT` in another
    folder."""
    root = Path.cwd()
    make({"one/a.py": SAFE, "one/deep/b.py": MANUAL, "two/a.py": SAFE, "three/a.py": SAFE, "away/c.py": CLEAN})
    for name in ("one", "two"):
        monkeypatch.chdir(root / name)
        accept(".")
    for folder, paths in (
        ("one", ["."]),
        (".", ["one"]),
        (".", ["one/deep", "two"]),
        ("three", ["../one", "../two/a.py"]),
    ):
        monkeypatch.chdir(root / folder)
        run = check(*paths)
        assert (run.code, run.json["findings"]) == (0, []), (folder, paths)
    monkeypatch.chdir(root)
    assert {Path(one["path"]).parts[0] for one in check(".").json["findings"]} == {"three"}
    monkeypatch.chdir(root / "one")
    assert [Path(one["path"]).name for one in check("../three").json["findings"]] == ["a.py"]
    accept("../one/deep")  # the findings are added to the existing baseline
    monkeypatch.chdir(root)
    assert not Path(NAME).exists() and not Path("one/deep", NAME).exists()
    accept("three")  # the baseline is written to the current folder, and is used for all files below it
    assert {one["path"] for one in lines()} == {"three/a.py"}
    assert {Path(one["path"]).parts[0] for one in check(".").json["findings"]} == {"one", "two"}


class TestAccepting:
    def test_what_is_written(self) -> None:
        make({"b.py": MANUAL, "a.py": SAFE, "中.py": REVIEW})
        run = accept(reason="not ported yet")
        assert run.code == 0
        assert f"{NAME} written: 4 findings accepted." in run.err
        text = Path(NAME).read_text(encoding="utf-8")
        assert text.startswith('{"format": 1, "counts": {"safe": 1, "review": 2, "manual": 1}}\n')
        found = lines()
        assert [(line["path"], line["rule"]) for line in found] == [
            ("a.py", "nccl-backend"),
            ("b.py", "amp-c-import"),
            ("b.py", "amp-c-use"),
            ("中.py", "device-string"),
        ]
        assert "中.py" in text
        for line in found:
            assert list(line) == ["path", "rule", "print", "targets", "reason"]
            assert (line["targets"], line["reason"]) == (["npu"], "not ported yet")

    @pytest.mark.parametrize("output_format", ["text", "json", "sarif", "github", "gitlab"])
    def test_no_format_has_them(self, output_format: str) -> None:
        make({"a.py": SAFE})
        accept()
        run = uncuda("check", "--target", "npu", "--output-format", output_format, "--workers", "1")
        assert run.code == 0
        assert "nccl-backend" not in run.out
        assert f"1 finding accepted by {NAME}." in run.err

    def test_json_counts_them(self) -> None:
        make({"a.py": SAFE, "b.py": REVIEW})
        assert check().json["accepted"] == 0
        accept("a.py")
        report = check().json
        assert (report["accepted"], len(report["findings"])) == (1, 1)
        schema = json.loads((ROOT / "docs" / "findings.schema.json").read_text(encoding="utf-8"))
        jsonschema.validate(report, schema, jsonschema.Draft202012Validator)
        assert "accepted" in schema["properties"]

    def test_what_is_new_is_reported(self) -> None:
        make({"a.py": SAFE})
        accept()
        make({"a.py": SAFE + "\n\ndef again():\n" + '    dist.init_process_group("nccl")\n'})
        run = check()
        assert run.code == 1
        assert [finding["range"]["start"]["line"] for finding in run.json["findings"]] == [7]

    def test_equal_ones_are_counted(self) -> None:
        make({"a.py": "import torch\n" + "torch.cuda.synchronize()\n" * 2})
        accept()
        assert [line["print"].partition(":")[2] for line in lines()] == ["", "2"]
        make({"a.py": "import torch\n" + "torch.cuda.synchronize()\n" * 3})
        assert len(check().json["findings"]) == 1

    @pytest.mark.parametrize("kept", [[2], [3], [1, 3], [2, 3], [1]])
    def test_which_of_equal_ones_does_not_matter_once_the_others_are_fixed(self, kept: list[int]) -> None:
        """If the second of two equal findings is accepted, it is still accepted when it is the only one left."""
        make({"a.py": "import torch\n\n\ndef run(x):\n" + "    x = x.cuda()\n" * 3 + "    return x\n"})
        accept(reason="why")
        keep(lambda line: int(line["print"].partition(":")[2] or 1) in kept)
        assert fix().code == 0
        after = Path("a.py").read_text()
        assert [".cuda()" in line for line in after.splitlines() if "x = " in line] == [n in kept for n in (1, 2, 3)]
        run = check("--strict-baseline", "--prune-baseline")
        assert (run.code, run.json["findings"], run.json["accepted"]) == (0, [], len(kept))
        assert [line["reason"] for line in lines()] == ["why"] * len(kept)
        assert fix().code == 0
        assert Path("a.py").read_text() == after

    def test_equal_ones_in_a_file_that_moves_when_the_others_are_fixed(self) -> None:
        make({"a.py": "import torch\n\n\ndef run(x):\n    x = x.cuda()\n    x = x.cuda()\n    return x\n"})
        accept(reason="why")
        keep(lambda line: line["print"].endswith(":2"))
        fix()
        Path("a.py").rename("b.py")
        run = check("--strict-baseline")
        assert (run.code, run.json["accepted"]) == (0, 1)
        accept()
        assert [(line["path"], line["reason"], ":" in line["print"]) for line in lines()] == [("b.py", "why", False)]

    def test_reasons_stay(self) -> None:
        make({"a.py": SAFE})
        accept(reason="first")
        make({"b.py": MANUAL})
        accept(reason="second")
        assert {line["path"]: line["reason"] for line in lines()} == {"a.py": "first", "b.py": "second"}
        before = Path(NAME).read_bytes()
        accept(reason="third")
        assert Path(NAME).read_bytes() == before

    def test_each_target_is_accepted_for_itself(self) -> None:
        make({"a.py": "import torch\n\ntorch.cuda.synchronize()\n"})
        accept(reason="same")
        assert uncuda("check", "--target", "musa").code == 1
        uncuda("check", "--target", "musa", "--write-baseline", "--reason", "same")
        assert [line["targets"] for line in lines()] == [["musa", "npu"]]
        assert check().code == uncuda("check", "--target", "musa").code == 0

    def test_each_configuration_has_its_own(self) -> None:
        make(
            {"x/uncuda.toml": 'target = "npu"\n', "x/p/a.py": SAFE, "y/pyproject.toml": '[tool.uncuda]\ntarget="npu"\n'}
        )
        make({"y/b.py": SAFE, "c.py": SAFE})
        run = accept()
        assert "3 findings accepted" in run.err
        assert [line["path"] for line in lines(f"x/{NAME}")] == ["p/a.py"]
        assert [line["path"] for line in lines(f"y/{NAME}")] == ["b.py"]
        assert [line["path"] for line in lines()] == ["c.py"]
        assert check().code == 0

    @pytest.mark.skipif(sys.platform == "win32", reason="links are for administrators")
    def test_a_folder_by_another_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A home folder is often a link: a path through the link is also below the current folder."""
        make({"real/a.py": SAFE, "real/p/b.py": MANUAL})
        Path("link").symlink_to("real")
        link = str(Path("link").absolute())
        monkeypatch.chdir("link")
        accept(link)
        assert {line["path"] for line in lines()} == {"a.py", "p/b.py"}
        for given in (".", link, f"{link}/p", f"{link}/a.py"):
            assert check("--strict-baseline", given).code == 0

    def test_another_file(self) -> None:
        make({"a.py": SAFE})
        accept("--baseline", "ci/b.jsonl")
        assert not Path("ci").exists()
        make({"ci/x": ""})
        accept("--baseline", "ci/b.jsonl")
        assert [line["path"] for line in lines("ci/b.jsonl")] == ["../a.py"]
        assert check("--baseline", "ci/b.jsonl").code == 0
        assert check().code == 1
        run = check("--baseline", "none.jsonl")
        assert (run.code, run.out) == (2, "")
        assert "none.jsonl: there is no such file" in run.err

    def test_none(self) -> None:
        make({"a.py": SAFE})
        accept()
        run = check("--no-baseline")
        assert (run.code, run.json["accepted"]) == (1, 0)
        assert "accepted by" not in run.err

    def test_standard_input(self) -> None:
        make({"a.py": SAFE})
        accept()
        assert check("-", "--stdin-filename", "a.py", stdin=SAFE).code == 0
        assert check("-", "--stdin-filename", "b.py", stdin=SAFE).code == 1
        assert fix("-", "--stdin-filename", "a.py", stdin=SAFE).out == SAFE

    def test_notebooks(self) -> None:
        text = notebook("import torch", "torch.cuda.synchronize()", "x = 1")
        make({"n.ipynb": text})
        accept()
        assert check().json["accepted"] == 1
        make({"n.ipynb": notebook(code("y = 2"), "import torch", "torch.cuda.synchronize()", "x = 1")})
        assert check().json["findings"] == []
        make({"n.ipynb": notebook("import torch", "torch.cuda.synchronize()", "torch.cuda.empty_cache()")})
        fix()
        assert "torch.cuda.synchronize" in Path("n.ipynb").read_text(encoding="utf-8")
        assert "torch.npu.empty_cache" in Path("n.ipynb").read_text(encoding="utf-8")

    def test_names_that_are_not_utf_8(self) -> None:
        try:
            Path(b"a\xff\n.py".decode("utf-8", "surrogateescape")).write_text(SAFE)
        except (OSError, UnicodeError):
            pytest.skip("this file system has no such names")
        accept()
        assert r'"a\udcff\n.py"' in Path(NAME).read_text(encoding="utf-8")
        assert check().code == 0

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--reason", "x"], "--reason goes with --write-baseline"),
            (["--no-baseline", "--write-baseline"], "--no-baseline cannot be combined"),
            (["--no-baseline", "--strict-baseline"], "--no-baseline cannot be combined"),
            (["--write-baseline", "-"], "what is on standard input cannot be accepted"),
        ],
    )
    def test_options_that_do_not_fit(self, arguments: list[str], said: str) -> None:
        make({"a.py": SAFE})
        run = check(*arguments)
        assert run.code == 2
        assert said in run.err


class TestFix:
    def test_accepted_findings_stay(self) -> None:
        make({"a.py": LIBRARY, "b.py": LIBRARY})
        accept("a.py")
        run = fix()
        assert Path("a.py").read_text() == LIBRARY
        assert "torch.npu.synchronize()" in Path("b.py").read_text()
        assert run.code == 0
        assert "2 findings accepted" in run.err
        assert fix("--diff").out == ""

    def test_their_statement_stays_and_the_rest_is_fixed(self) -> None:
        make({"a.py": "import torch\n\ntorch.cuda.synchronize()\n"})
        accept()
        text = "import torch\n\ntorch.cuda.synchronize()\nx = torch.zeros(2, device='cuda')\n"
        make({"a.py": text})
        assert fix().code == 0
        after = Path("a.py").read_text()
        assert after == text.replace("import torch\n", "import torch\nimport torch_npu\n").replace("'cuda'", "'npu'")
        assert fix().code == 0
        assert Path("a.py").read_text() == after

    def test_no_fix_changes_a_statement_that_was_accepted(self) -> None:
        text = "import torch\nx = torch.zeros(2, device='cuda').cuda()\n"
        make({"a.py": text})
        accept()
        kept = [line for line in Path(NAME).read_text().splitlines(keepends=True) if "cuda-method" not in line]
        Path(NAME).write_text("".join(kept))
        run = check()
        assert [(finding["rule"], finding["fixes"]) for finding in run.json["findings"]] == [("cuda-method", [])]
        fix("--review-fixes")
        assert Path("a.py").read_text() == text

    def test_what_changes_together_stays_together(self) -> None:
        text = (
            "import torch\n\n\ndef run(device='cuda'):\n    if device == 'cuda':\n        torch.cuda.synchronize()\n"
            "    return torch.zeros(2, device=device)\n"
        )
        make({"a.py": text})
        accept()
        first = next(line for line in lines() if "device" in line["rule"])
        Path(NAME).write_text(HEADER + json.dumps(first) + "\n")
        fix("--review-fixes")
        after = Path("a.py").read_text()
        assert ("device='cuda'" in after) == ("device == 'cuda'" in after)

    @pytest.mark.slow
    def test_workers_say_and_write_the_same(self) -> None:
        made = []
        for workers in ("1", "3"):
            make({f"p/f{number}.py": SAFE + LIBRARY for number in range(12)})
            if workers == "1":
                accept("p/f3.py", "p/f7.py", "--workers", "1")
            run = check("--workers", workers)
            diff = fix("--diff", "--workers", workers)
            done = fix("--workers", workers)
            made.append((run, diff, done, {str(path): path.read_bytes() for path in Path("p").iterdir()}))
        assert made[0] == made[1]
        assert made[0][3]["p/f3.py"] == (SAFE + LIBRARY).encode()
        assert b"hccl" in made[0][3]["p/f4.py"]


FORMATTED = [
    ("x = x.cuda()", "x = (\n        x.cuda()  # to the device\n    )"),
    ("x = torch.zeros(2, device='cuda')", 'x = torch.zeros(\n        2,\n        device="cuda",\n    )'),
    ("torch.cuda.synchronize(); y = 0XFF", "torch.cuda.synchronize()\n    y = 0xff"),
    ("if torch.cuda.is_available(): x = 1", "if torch.cuda.is_available():\n        x = 1"),
    ("if (torch.cuda.is_available()) :\n        pass", "if torch.cuda.is_available():\n        pass"),
    (
        "return x.to('cuda'), {'a': 1}",
        "return (\n        x.to(\n            'cuda'\n        ),\n        {\n            'a': 1,\n        },\n    )",
    ),
    ("x = torch.zeros(2, device='cuda') * .5E3 + 1.", 'x = torch.zeros(2, device="cuda") * 0.5e3 + 1.0'),
    ("print(f'{torch.cuda.device_count()/2}')", 'print(f"{torch.cuda.device_count() / 2}")'),
    ("x = torch.device(U'cuda')", 'x = torch.device("cuda")'),
    ("assert x.is_cuda, 'it\\'s'", 'assert x.is_cuda, "it\'s"'),
    ("x = torch.cuda.device_count() + \\\n        1", "x = (\n        torch.cuda.device_count()\n        + 1\n    )"),
]


class TestWhatStaysAccepted:
    @pytest.mark.parametrize(("before", "after"), FORMATTED)
    def test_formatting(self, before: str, after: str) -> None:
        text = "import torch\n\n\ndef run(x):\n    {}\n"
        make({"a.py": text.format(before)})
        accept()
        assert lines()
        make({"a.py": "# a line more\n" + text.format(after)})
        run = check("--strict-baseline")
        assert (run.code, run.json["findings"]) == (0, [])

    def test_line_ends_and_a_mark(self) -> None:
        make({"a.py": LIBRARY})
        accept()
        make({"a.py": "\ufeff" + LIBRARY.replace("\n", "\r\n")})
        assert check("--strict-baseline").code == 0

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("x = x.cuda()", "x = x.half().cuda()"),
            ("def run(", "def start("),
            ("torch.cuda.synchronize()", "torch.cuda.synchronize(0)"),
            ("x = x.cuda()", "y = x.cuda()"),
        ],
    )
    def test_another_statement_is_not(self, before: str, after: str) -> None:
        make({"a.py": LIBRARY})
        accept()
        make({"a.py": LIBRARY.replace(before, after)})
        assert check().json["findings"]

    def test_a_moved_file(self) -> None:
        make({"a.py": SAFE + LIBRARY})
        accept(reason="why")
        Path("p").mkdir()
        Path("a.py").rename("p/b.py")
        run = check("--strict-baseline")
        assert (run.code, run.json["accepted"]) == (0, 3)
        accept()
        assert {(line["path"], line["reason"]) for line in lines()} == {("p/b.py", "why")}

    def test_a_function_that_went_to_another_file(self) -> None:
        other = LIBRARY.replace("run", "other")
        make({"a.py": LIBRARY + other.removeprefix("import torch\n")})
        accept(reason="why")
        make({"a.py": LIBRARY, "b.py": other})
        run = check("--strict-baseline")
        assert (run.code, run.json["accepted"]) == (0, 4)

    @pytest.mark.parametrize("below", ["", "@once\n", "\n# why\n@once(\n    1,\n)\n"])
    def test_its_header_and_decorators_go_with_it(self, below: str) -> None:
        fast = f"@torch.cuda.amp.custom_fwd\n{below}def fast(x, device='cuda'):\n    pass\n"
        many = f"class Many:\n{indent(fast, '    ')}"
        head = "import torch\n\n\n"
        make({"a.py": f"{head}{fast}\n\n{many}"})
        found = len(check().json["findings"])
        assert found == 4
        accept(reason="why")
        make({"a.py": f"{head}{many}", "b.py": f"{head}{fast}"})
        run = check("--strict-baseline")
        assert (run.code, run.json["accepted"]) == (0, found)
        make({"a.py": f"{head}{many}{fast.replace('fast', 'other')}", "b.py": f"{head}{fast}"})
        assert len(check().json["findings"]) == 2, "equal lines of another function are new"

    def test_a_copy_is_new(self) -> None:
        make({"a.py": SAFE + LIBRARY})
        accept()
        shutil.copy("a.py", "b.py")
        assert {finding["path"] for finding in check().json["findings"]} == {"b.py"}
        make({"a.py": SAFE})  # the function is gone from a.py, so the function in b.py may be the same one, moved
        assert [finding["rule"] for finding in check().json["findings"]] == ["nccl-backend"]

    def test_what_was_fixed_is_not_accepted_elsewhere(self) -> None:
        make({"a.py": LIBRARY})
        accept()
        make({"a.py": LIBRARY.replace("torch.cuda.sync", "torch.sync"), "b.py": LIBRARY})
        assert len(check().json["findings"]) == 2

    def test_lines_outside_of_functions_are_looked_for_in_new_files_only(self) -> None:
        make({"a.py": SAFE, "b.py": REVIEW})
        accept()
        Path("a.py").unlink()
        make({"b.py": REVIEW + SAFE})
        assert check().rules == ["nccl-backend"]


class TestStaleEntries:
    def test_a_note_or_an_error(self) -> None:
        make({"a.py": SAFE, "b.py": MANUAL})
        accept()
        make({"a.py": CLEAN})
        Path("b.py").unlink()
        said = f"{NAME}: 3 findings no longer found (line 2, 3, 4); `uncuda check --prune-baseline` drops the entries"
        run = check()
        assert run.code == 0
        assert said in run.err
        run = check("--strict-baseline")
        assert run.code == 2
        assert f"uncuda: error: {said}" in run.err
        assert run.json["errors"][0]["path"] == NAME

    def test_pruned(self) -> None:
        make({"a.py": SAFE, "b.py": MANUAL})
        accept(reason="kept")
        make({"a.py": CLEAN})
        run = check("--prune-baseline")
        assert run.code == 0
        assert f"{NAME}: 1 finding dropped" in run.err
        assert [(line["path"], line["reason"]) for line in lines()] == [("b.py", "kept")] * 2
        assert json.loads(Path(NAME).read_text().splitlines()[0])["counts"] == {"safe": 1, "review": 1, "manual": 1}
        assert check("--strict-baseline").code == 0

    def test_writing_alone_drops_nothing(self) -> None:
        make({"a.py": SAFE})
        accept()
        make({"a.py": CLEAN, "b.py": SAFE})
        accept()
        assert [line["path"] for line in lines()] == ["a.py", "b.py"]

    @pytest.mark.parametrize(
        "arguments",
        [["b.py"], ["--ignore", "nccl-backend"], ["--select", "cuda-api"], ["--target", "musa"], ["--exclude", "a.py"]],
    )
    def test_what_was_not_looked_for_is_not_stale(self, arguments: list[str]) -> None:
        make({"a.py": SAFE, "b.py": CLEAN})
        accept()
        run = check("--strict-baseline", "--prune-baseline", *arguments)
        assert "no longer" not in run.err
        assert [line["path"] for line in lines()] == ["a.py"]

    def test_a_file_that_cannot_be_read_is_not_stale(self) -> None:
        make({"a.py": SAFE})
        accept()
        make({"a.py": b"\xff\n" + SAFE.encode()})
        run = check("--prune-baseline")
        assert run.code == 2
        assert [line["path"] for line in lines()] == ["a.py"]

    @pytest.mark.parametrize("given", [["src"], ["src/b.py"], ["src", "--diff-base", "HEAD"]])
    def test_what_may_have_moved_out_of_what_is_given_is_not_stale(self, given: list[str]) -> None:
        """A file and a function have moved to a sibling folder. A run that does not check this folder does not report
        their baseline entries as unused; a run that checks it gives the entries their new paths."""
        other = LIBRARY.replace("run", "other")
        make({"uncuda.toml": "", "src/a.py": LIBRARY, "src/b.py": LIBRARY.replace("run", "b") + other})
        git("init", "-q")
        accept(reason="a day of reading")
        git("add", ".")
        git("commit", "-qm", "x")
        Path("lib").mkdir()
        Path("src/a.py").rename("lib/a.py")
        make({"src/b.py": LIBRARY.replace("run", "b"), "lib/b.py": other})
        run = check(*given, "--strict-baseline", "--prune-baseline")
        assert (run.code, len(lines())) == (0, 6)
        run = check("--strict-baseline", "--prune-baseline")
        assert (run.code, run.json["findings"]) == (0, [])
        assert {(line["path"], line["reason"]) for line in lines()} == {
            (path, "a day of reading") for path in ("lib/a.py", "lib/b.py", "src/b.py")
        }

    def test_what_may_be_in_a_file_that_cannot_be_read_is_not_stale(self) -> None:
        other = LIBRARY.replace("run", "other")
        make({"a.py": LIBRARY + other, "c.py": SAFE})
        accept(reason="kept")
        make({"a.py": LIBRARY, "b.py": other.encode() + b"# \xff\n"})
        assert check("--prune-baseline").code == 2
        assert len(lines()) == 5
        make({"b.py": other})
        assert check("--prune-baseline", "--strict-baseline").code == 0
        assert {line["path"] for line in lines()} == {"a.py", "b.py", "c.py"}

    def test_what_is_gone_for_certain_is_stale_in_a_part_too(self) -> None:
        make({"src/a.py": LIBRARY + SAFE, "lib/a.py": SAFE})
        accept()
        make({"src/a.py": "def run(x, flag):\n    return x\n", "lib/a.py": CLEAN})
        run = check("src", "--prune-baseline")
        assert f"{NAME}: 3 findings dropped" in run.err
        assert [line["path"] for line in lines()] == ["lib/a.py"]

    def test_a_target_goes_alone(self) -> None:
        make({"a.py": "import torch\n\ntorch.cuda.synchronize()\n"})
        accept()
        uncuda("check", "--target", "musa", "--write-baseline")
        make({"a.py": CLEAN})
        check("--prune-baseline")
        assert [line["targets"] for line in lines()] == [["musa"]]


class TestBadFiles:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (HEADER + "{", ":2: is no valid JSON: "),
            (HEADER + "[" * 100_000, ":2: is no valid JSON: "),
            (HEADER + "[]\n", ":2: is no JSON object"),
            (HEADER + "<<<<<<< HEAD\n", ":2: has an unresolved merge conflict: "),
            (HEADER + entry() + '{"format": 2}\n', ":3: has the format 2, which this version of uncuda does not know"),
            ('{"format": "1"}\n', ':1: has the format "1"'),
            ('{"format": true}\n', ":1: has the format true"),
            ('{"format": 1, "counts": {"safe": -1}}\n', ":1: has an invalid value of `counts`"),
            ('{"format": 1, "color": 1}\n', ":1: has an unknown member `color`"),
            (entry(), ":1: has no line with the format"),
            (HEADER + entry(line=3), ":2: has an unknown member `line`"),
            (HEADER + '{"path": "a.py"}\n', ":2: has no `rule`"),
            (HEADER + entry(path=3), ":2: has an invalid value of `path`"),
            (HEADER + entry(print="x"), ":2: has an invalid value of `print`"),
            (HEADER + entry(targets="npu"), ":2: has an invalid value of `targets`"),
            (HEADER + entry(targets=[]), ":2: has an invalid value of `targets`"),
            (HEADER + entry(reason=None), ":2: has an invalid value of `reason`"),
            (HEADER.encode() + b"\xff", ":2: is not UTF-8: byte 0xff"),
        ],
    )
    def test_named_with_their_line_and_left_alone(self, text: str | bytes, said: str) -> None:
        make({"a.py": SAFE, NAME: text})
        before = Path(NAME).read_bytes()
        for run in (check("--write-baseline", "--prune-baseline"), check(), fix()):
            assert (run.code, run.out) == (2, "")
            assert f"uncuda: error: {NAME}{said}" in run.err
        assert Path(NAME).read_bytes() == before
        assert Path("a.py").read_text() == SAFE

    @pytest.mark.skipif(sys.platform != "linux", reason="a folder that is no folder")
    def test_one_that_cannot_be_written(self) -> None:
        make({"a.py": SAFE})
        run = check("--write-baseline", "--baseline", "/proc/b.jsonl")
        assert run.code == 2
        assert "/proc/b.jsonl: cannot be written: " in run.err
        assert "written: 1 finding" not in run.err

    def test_a_folder_of_that_name(self) -> None:
        make({"a.py": SAFE, f"{NAME}/x": ""})
        run = check("--write-baseline")
        assert run.code == 2
        assert f"{NAME}: cannot be read: " in run.err

    def test_in_chinese(self) -> None:
        make({"a.py": SAFE, NAME: HEADER + "{"})
        assert f"{NAME}:2: 不是有效的 JSON：" in check("--locale", "zh").err


class TestMerges:
    def test_what_a_union_leaves(self) -> None:
        make({"a.py": SAFE, "b.py": MANUAL})
        accept(reason="why")
        ours = Path(NAME).read_text()
        theirs = ours.replace('"safe": 1', '"safe": 7').replace('"why"', '""')
        Path(NAME).write_text(theirs + "\n" + ours.replace("\n", "\r\n") + ours)
        run = check("--strict-baseline")
        assert run.code == 0
        assert "different reasons" not in run.err
        accept()
        assert Path(NAME).read_text() == ours.replace('"safe": 1', '"safe": 7')

    def test_two_reasons(self) -> None:
        make({"a.py": SAFE})
        accept(reason="one")
        text = Path(NAME).read_text()
        Path(NAME).write_text(text + text.replace('"one"', '"two"'))
        run = check()
        assert (run.code, run.json["accepted"]) == (0, 1)
        assert f"{NAME}: lines 2 and 4 give different reasons for one finding; delete the wrong line" in run.err
        accept()
        assert [line["reason"] for line in lines()] == ["one", "two"]

    def test_two_clones(self) -> None:
        def port(folder: str, text: str, reason: str, *paths: str) -> None:
            Path(f"{folder}/d.py").write_text(text)
            uncuda("fix", "--target", "npu", f"{folder}/d.py")
            for path in paths:
                config = ("--baseline", f"{folder}/{NAME}")
                assert check(f"{folder}/{path}", "--write-baseline", "--reason", reason, *config).code == 0
            git("add", ".", folder=folder)
            git("commit", "-qm", reason, folder=folder)

        Path("one").mkdir()
        git("init", "-q", "-b", "main", folder="one")
        make({"one/.gitattributes": f"{NAME} merge=union\n", "one/d.py": SAFE})
        make({f"one/{name}.py": LIBRARY.replace("run", name) for name in "abc"})
        port("one", SAFE, "start", "a.py")
        git("clone", "-q", "one", "two")
        port("one", SAFE, "ours", "b.py")
        port("two", SAFE, "theirs", "c.py", "b.py")
        git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main", folder="two")
        run = check("two", "--baseline", f"two/{NAME}")
        assert (run.code, run.json["accepted"]) == (0, 6)
        said = {
            (line["path"], line["reason"])
            for line in map(json.loads, Path(f"two/{NAME}").read_text().splitlines())
            if "path" in line
        }
        assert said == {("a.py", "start"), ("b.py", "ours"), ("b.py", "theirs"), ("c.py", "theirs")}

    @pytest.mark.slow
    def test_two_clones_that_accept_and_fix_the_same_files(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each of two clones fixes findings that the other one accepts, moves code that the other one changes, and
        removes entries of the baseline that it does not need."""

        def functions(*names: str) -> str:
            return "import torch\n" + "".join(BLOCK.format(name) for name in names)

        def port(folder: str, reason: str, accepted: list[str], fixed: list[str]) -> None:
            monkeypatch.chdir(root / folder)
            for path in accepted:
                assert check("--write-baseline", "--reason", f"{reason} {path}", path).code == 0
            uncuda("fix", *fixed)
            assert check("--prune-baseline", "--exit-zero").code == 0
            git("add", ".")
            git("commit", "-qm", reason)

        root = Path.cwd()
        make({"one/.gitattributes": f"{NAME} merge=union\n", "one/uncuda.toml": 'target = "npu"\n'})
        make({f"one/{name}.py": functions(*(f"{name}{number}" for number in range(4))) for name in "abcdef"})
        git("init", "-q", "-b", "main", folder="one")
        port("one", "start", ["a.py"], ["f.py"])
        monkeypatch.chdir(root)
        git("clone", "-q", "one", "two")
        Path("one/e.py").rename("one/moved.py")
        port("one", "ours", ["b.py", "c.py", "moved.py"], ["d.py"])
        monkeypatch.chdir(root)
        text = Path("two/d.py").read_text()
        Path("two/d.py").write_text(text.replace("def d2", "# later\ndef d2"))
        port("two", "theirs", ["c.py", "d.py"], ["b.py", "a.py"])
        git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        run = check()
        assert (run.code, run.json["findings"]) == (0, [])
        assert "different reasons for one finding" in run.err and "8 findings no longer found" not in run.err
        said = [("a", "start"), ("b", "ours"), ("c", "ours"), ("c", "theirs"), ("d", "theirs"), ("moved", "ours")]
        assert Counter((line["path"], line["reason"]) for line in lines()) == {
            (f"{name}.py", f"{who} {name}.py"): 8 for name, who in said
        }
