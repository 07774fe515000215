"""Notebooks on disk are found, reported by cell and line, and fixed only within the strings of their cells."""

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cli.command import ROOT, SAFE, Run, check, make, uncuda
from support.notebook import code, markdown, notebook, sources

IMPORT, CALL = "import torch.distributed as dist", 'x = 1\ndist.init_process_group("nccl")'
TWO = notebook(IMPORT, markdown('torch.cuda and "nccl"'), CALL)
FIXED = ["import torch.distributed as dist\nimport torch_npu", 'x = 1\ndist.init_process_group("hccl")']


def fix(*arguments: str, stdin: str | bytes = b"") -> Run:
    return uncuda("fix", "--target", "npu", *arguments, stdin=stdin)


def report(output_format: str, *arguments: str) -> Run:
    return uncuda("check", "--target", "npu", "--output-format", output_format, *arguments)


class TestCheck:
    def test_cell_and_line(self) -> None:
        make({"n.ipynb": TWO})
        out = report("text").out
        assert "n.ipynb:cell 3:2:25: error nccl-backend: " in out
        assert '2 | dist.init_process_group("nccl")\n' in out

    def test_json(self) -> None:
        make({"n.ipynb": TWO, "a.py": SAFE})
        of_file, of_cell = sorted(report("json").json["findings"], key=lambda finding: str(finding["path"]))
        schema = json.loads((ROOT / "docs" / "findings.schema.json").read_text(encoding="utf-8"))
        jsonschema.validate(report("json").json, schema, jsonschema.Draft202012Validator)
        assert "cell" in schema["$defs"]["finding"]["properties"]
        assert "cell" not in of_file
        assert (of_cell["cell"], of_cell["range"]["start"]) == (3, {"line": 2, "column": 25})
        edits = of_cell["fixes"][0]["edits"]
        assert {(edit["cell"], edit["range"]["start"]["line"]) for edit in edits} == {(1, 1), (3, 2)}

    @pytest.mark.parametrize("output_format", ["sarif", "github", "gitlab"])
    def test_the_line_of_the_file_for_ci(self, output_format: str) -> None:
        make({"n.ipynb": TWO})
        rows = TWO.splitlines()
        (row,) = [number for number, text in enumerate(rows, 1) if "init_process_group" in text]
        column = rows[row - 1].index("nccl") + 1 - len('\\"')
        out = report(output_format).out
        if output_format == "github":
            assert f"line={row},endLine={row},col={column}," in out
            return
        found: Any = json.loads(out)
        if output_format == "gitlab":
            begin = found[0]["location"]["positions"]["begin"]
            assert (begin["line"], begin["column"]) == (row, column)
            return
        (result,) = found["runs"][0]["results"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region["startColumn"]) == (row, column)
        assert rows[row - 1][region["startColumn"] - 1 : region["endColumn"] - 1] == '\\"nccl\\"'
        assert "fixes" not in result
        assert result["properties"]["cell"] == 3

    def test_physical_columns_behind_escapes(self) -> None:
        cell = json.dumps("s = '中😀\t'; torch.cuda.synchronize()")
        assert "\\u4e2d\\ud83d\\ude00\\t" in cell
        text = notebook("import torch", "X").replace('"X"', cell)
        make({"n.ipynb": text})
        (result,) = json.loads(report("sarif").out)["runs"][0]["results"]
        region = result["locations"][0]["physicalLocation"]["region"]
        line = text.splitlines()[region["startLine"] - 1]
        assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "torch.cuda.synchronize"

    def test_the_line_is_shown_as_it_is_written(self) -> None:
        make({"n.ipynb": notebook("import torch", "y = 2\n!nvidia-smi -q")})
        out = report("text").out
        assert "n.ipynb:cell 2:2:2: " in out
        assert "2 | !nvidia-smi -q\n" in out

    def test_magics(self) -> None:
        cells = ["%load_ext autoreload\nimport torch", "%%bash\nexport X='torch.cuda.synchronize()", "%%time\nx.cuda()"]
        make({"n.ipynb": notebook(*cells)})
        (finding,) = report("json").json["findings"]
        assert (finding["cell"], finding["range"]["start"]["line"]) == (3, 2)

    def test_excluded_like_any_file(self) -> None:
        make({"n.ipynb": TWO, "a.py": SAFE, ".ipynb_checkpoints/n.ipynb": TWO})
        assert {finding["path"] for finding in check().json["findings"]} == {"a.py", "n.ipynb"}
        assert {finding["path"] for finding in check("--exclude", "*.ipynb").json["findings"]} == {"a.py"}

    def test_its_import_decides_for_the_project(self) -> None:
        make({"n.ipynb": notebook("import torch_musa"), "a.py": SAFE})
        run = uncuda("check")
        assert "torch_musa" in run.err
        assert "mccl" in run.out

    def test_what_a_cell_of_a_shell_writes_decides_nothing(self) -> None:
        make({"n.ipynb": notebook("%%writefile x.py\nimport torch_musa"), "a.py": SAFE})
        assert "torch_musa" not in uncuda("check").err

    def test_many_places_name_the_cell(self) -> None:
        make({"n.ipynb": notebook("import torch", *["torch.cuda.nothing_like_it()"] * 6)})
        out = report("text").out
        assert [f"n.ipynb:cell {number}:1:1: error " in out for number in range(2, 8)] == [True] * 6

    def test_a_statement_that_cannot_be_read(self) -> None:
        make({"n.ipynb": notebook("import torch", "\nx = torch.cuda.f(\ndef g(:\n")})
        run = report("text", "--verbose")
        assert run.code == 2
        assert "n.ipynb:cell 2:" in run.err


class TestFix:
    def test_only_its_strings(self) -> None:
        make({"n.ipynb": TWO})
        run = fix()
        assert run.code == 0
        text = Path("n.ipynb").read_text()
        assert sources(text) == [FIXED[0], 'torch.cuda and "nccl"', FIXED[1]]
        assert text == notebook(FIXED[0], markdown('torch.cuda and "nccl"'), FIXED[1])
        assert check().rules == []

    def test_a_string_instead_of_a_list(self) -> None:
        make({"n.ipynb": notebook(code("", source=IMPORT), code("", source=CALL))})
        assert fix().code == 0
        assert [cell["source"] for cell in json.loads(Path("n.ipynb").read_text())["cells"]] == FIXED

    def test_escapes_stay(self) -> None:
        text = TWO.replace("x = 1", "x = '\\u4e2d\\/\\ud83d\\ude00'").replace('nccl\\")', 'nccl\\")  # \\u00e9')
        make({"n.ipynb": text})
        assert fix().code == 0
        after = Path("n.ipynb").read_bytes().decode()
        assert "x = '\\u4e2d\\/\\ud83d\\ude00'" in after
        assert 'init_process_group(\\"hccl\\")  # \\u00e9"' in after

    @pytest.mark.parametrize("change", ["crlf", "mark", "no end", "compact", "tabs"])
    def test_bytes_around_stay(self, change: str) -> None:
        def as_written(text: str) -> bytes:
            made = {
                "crlf": lambda: text.replace("\n", "\r\n"),
                "mark": lambda: "\ufeff" + text,
                "no end": lambda: text.rstrip("\n"),
                "compact": lambda: json.dumps(json.loads(text), separators=(",", ":")),
                "tabs": lambda: json.dumps(json.loads(text), indent="\t", sort_keys=True),
            }[change]()
            return str(made).encode()

        make({"n.ipynb": as_written(TWO)})
        assert fix().code == 0
        assert Path("n.ipynb").read_bytes() == as_written(
            notebook(FIXED[0], markdown('torch.cuda and "nccl"'), FIXED[1])
        )

    def test_a_diff_that_git_takes(self) -> None:
        make({"n.ipynb": TWO})
        run = fix("--diff")
        assert Path("n.ipynb").read_text() == TWO
        subprocess.run(["git", "init", "-q"], check=True)
        subprocess.run(["git", "apply", "-"], input=run.out.encode(), check=True)
        assert sources(Path("n.ipynb").read_text())[::2] == FIXED

    @pytest.mark.parametrize("diff", [[], ["--diff"]])
    def test_what_is_left_is_named_by_cell(self, diff: list[str]) -> None:
        make({"n.ipynb": notebook("import torch\ntorch.cuda.synchronize()", "y = 1\ntorch.cuda.nothing_like_it()")})
        run = fix(*diff)
        assert run.code == 1
        assert "  n.ipynb:cell 2:2:1: error" in run.err

    def test_standard_input(self) -> None:
        run = fix("-", "--stdin-filename", "n.ipynb", stdin=TWO)
        assert (run.code, sources(run.out)[::2]) == (0, FIXED)
        run = fix("-", "--diff", "--stdin-filename", "n.ipynb", stdin=TWO)
        assert run.out.startswith("--- a/n.ipynb\n+++ b/n.ipynb\n")
        run = check("-", "--stdin-filename", "n.ipynb", stdin=TWO)
        assert [finding["cell"] for finding in run.json["findings"]] == [3]

    @pytest.mark.slow
    def test_workers_say_and_write_the_same(self) -> None:
        files: dict[str, str | bytes] = {f"n{number}.ipynb": TWO for number in range(8)}
        files |= {"r.ipynb": notebook(CALL, metadata={"language_info": {"name": "R"}}), "bad.ipynb": "{", "a.py": SAFE}
        runs = []
        for workers in ("1", "3"):
            make(files)
            said = [uncuda("check", "--target", "npu", "-v", "--workers", workers), fix("--workers", workers)]
            runs.append((said, {path.name: path.read_bytes() for path in Path().glob("*.ipynb")}))
        assert runs[0] == runs[1]
        assert sources(runs[0][1]["n3.ipynb"])[::2] == FIXED


BROKEN: dict[str, tuple[str | bytes, str]] = {
    "no json": ("{", "is a notebook with invalid JSON (line 1: "),
    "more behind": (TWO + "}", "is a notebook with invalid JSON (line "),
    "a list": ("[]", "is a notebook that is no JSON object"),
    "no cells": ("{}", "is a notebook without cells"),
    "cells": ('{"cells": 1}', "is a notebook without cells"),
    "a cell": ('{"cells": [1]}', "is a notebook whose cell 1 is no JSON object"),
    "no source": ('{"cells": [{"cell_type": "code"}]}', "is a notebook whose cell 1 has no source"),
    "a key": ("{1: 2}", "is a notebook with invalid JSON (line 1: "),
    "a number": ('{"cells": [{"cell_type": "code", "source": [1]}]}', "is a notebook whose cell 1 has a source that"),
    "format 3": ('{"nbformat": 3, "worksheets": []}', "is a notebook of a format before 4; `jupyter nbconvert"),
    "bytes": (b'{"cells": "\xff"}', "is a notebook that is not UTF-8 (line 1: byte 0xff)"),
    "deep": ("[" * 100_000, "is a notebook"),
    "nul": (b'{"cells": "\0"}', "is a notebook with invalid JSON"),
    "utf-16": (TWO.encode("utf-16"), "is a notebook that is not UTF-8"),
}


@pytest.mark.parametrize("kind", BROKEN)
class TestBroken:
    def test_named_and_the_others_go_on(self, kind: str) -> None:
        held, words = BROKEN[kind]
        make({"n.ipynb": held, "a.py": SAFE})
        before = Path("n.ipynb").read_bytes()
        run = check()
        assert run.code == 2
        assert f"uncuda: error: n.ipynb: {words}" in run.err
        assert run.rules == ["nccl-backend"]
        assert fix().code == 2
        assert Path("n.ipynb").read_bytes() == before
        assert "hccl" in Path("a.py").read_text()

    def test_standard_input_loses_nothing(self, kind: str) -> None:
        held = BROKEN[kind][0]
        data = held.encode() if isinstance(held, str) else held
        make({"in": data})
        done = fix("-", "--stdin-filename", "n.ipynb", stdin="" if b"\xff" in data else data)
        assert done.code in (0, 2)
        assert b"\xff" in data or done.out.encode() == data


class TestLeftOut:
    def test_another_language(self) -> None:
        text = notebook(IMPORT, CALL, metadata={"kernelspec": {"language": "julia"}})
        make({"n.ipynb": text, "a.py": SAFE})
        run = check("--verbose")
        assert (run.code, run.rules) == (1, ["nccl-backend"])
        assert "left out n.ipynb: is a notebook whose language is julia, not Python\n" in run.err
        assert "n.ipynb" not in check().err
        run = fix("-", "--stdin-filename", "n.ipynb", stdin=text)
        assert (run.code, run.out) == (0, text)

    def test_a_cell_of_another_language(self) -> None:
        make({"n.ipynb": notebook(IMPORT, code(CALL, metadata={"vscode": {"languageId": "sql"}}))})
        assert check().rules == []

    def test_a_blank_file_is_a_new_notebook(self) -> None:
        make({"n.ipynb": "\n"})
        assert (check().code, check().err) == (0, "")

    def test_too_large(self) -> None:
        make({"n.ipynb": TWO})
        run = check("--max-bytes", str(len(TWO) - 1))
        assert run.code == 2
        assert "n.ipynb: larger than" in run.err
        assert check("--max-bytes", str(len(TWO))).rules == ["nccl-backend"]
