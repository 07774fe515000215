"""Tests that untrusted names, comments and settings are never printed as control characters to a terminal or as
commands to a CI system."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from cli.command import CLEAN, MANUAL, REVIEW, ROOT, SAFE, Run, environment, make, uncuda
from cli.test_terminal import on_terminal
from uncuda.printable import cut, printable, printable_json
from uncuda.report.diff import readable_diff, unified_diff

pytestmark = pytest.mark.skipif(os.name == "nt", reason="such names cannot be there")

NAMES = [
    "new\n::error file=x::owned.py",
    "return\r::error::x.py",
    "esc\x1b[7m.py",
    "c1\x9b7m.py",
    "delete\x7f.py",
    "turned\u202egpj.py",
    "isolate\u2066x\u2069\u200f\u061c.py",
    "separator\u2028x\u2029.py",
    "bad\udcff.py",
    "::error::first.py",
    " ::warning::blank.py",
    "##[error]anywhere.py",
    "##vso[task.setvariable]azure.py",
    "folder\n::error::x/\x1b[7m.py",
]
LIKED = ["中 文.py", "e\u0301.py", "😀.py", "back\\slash.py", "it's.py"]
# A text with control characters and commands on a reported line, and in a comment that suppresses no finding.
HOSTILE = (
    'import torch.distributed as dist\ndist.init_process_group("nccl")  # \x1b[7m \x9b \u202e \u2028 ##[error]x\n'
    "x = 1  # uncuda: ignore[\x1b[7mname,\u202e,##[error]x]\n" + MANUAL + REVIEW
)
BREAKERS = [
    ["check", "--bogus\n::error::x\x1b[7m"],
    ["chek\n::error::x\x1b[7m"],
    ["check", "--target", "npu\n::error::x\x1b[7m"],
    ["check", "--select", "\x1b[7m\u202e"],
    ["check", "--output-format", "\n::error::x"],
    ["rule", "\n::error::x\x1b[7m##[error]"],
    ["check", "--config", "no\n::error::x\x1b[7m.toml"],
    ["check", "no\n::error::x\x1b[7m.py", "::error::no.py", "\u202e.py"],
]


def steering(text: str) -> set[str]:
    """Return the characters of a text that control a terminal."""
    bidi = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
    kinds = ("Cc", "Zl", "Zp", "Cs")
    return {char for char in text if char not in "\n\t" and (unicodedata.category(char) in kinds or char in bidi)}


def commands(text: str) -> list[str]:
    """Return the lines that GitHub or Azure Pipelines would run as a command."""
    return [line for line in text.split("\n") if line.strip().startswith("::") or "##[" in line or "##vso[" in line]


def harmless(run: Run) -> None:
    assert not steering(run.out + run.err)
    assert not commands(run.err)


@pytest.fixture
def tree() -> None:
    make(dict.fromkeys((*NAMES, *LIKED), HOSTILE))
    make({"unread\x1b[7m.py": 'import torch\ntorch.cuda.synchronize(]\n"\x1b'})
    make({"key\x1b[7m/uncuda.toml": '"tar\\u001b[7m\\n::error::x" = "npu"\n', "key\x1b[7m/a.py": SAFE})
    make({"value/uncuda.toml": 'target = "\\u202e\\n::error::x"\n', "value/a.py": SAFE})
    make({"large\n::error::x.py": b"\0", "coding.py": "# coding: kling_on\n# cuda é\n"})


@pytest.mark.usefixtures("tree")
class TestTree:
    def test_text(self) -> None:
        run = uncuda("check", "--target", "npu", "--verbose")
        harmless(run)
        assert not commands(run.out)
        shown = {line.split(".py:")[0] for line in run.out.split("\n") if re.search(r"\.py:\d+:\d+: ", line)}
        assert {printable(name)[:-3] for name in (*NAMES, *LIKED)} <= shown
        assert r"large\n::error::x.py: " in run.err
        assert "kling_on" in run.err

    @pytest.mark.parametrize("output_format", ["json", "sarif", "gitlab"])
    def test_machines_read_the_names_as_they_are(self, output_format: str) -> None:
        run = uncuda("check", "--target", "npu", "--output-format", output_format)
        harmless(run)
        assert not commands(run.out)
        found = run.json
        if output_format == "json":
            paths = {finding["path"] for finding in found["findings"]}
            messages = [finding["message"] for finding in found["findings"]]
            assert any("\x1b[7mname" in message for message in messages)
            assert "large\n::error::x.py" in {error["path"] for error in found["errors"]}
        elif output_format == "sarif":
            locations = [result["locations"][0]["physicalLocation"] for result in found["runs"][0]["results"]]
            paths = {os.fsdecode(unquote_to_bytes(place["artifactLocation"]["uri"])) for place in locations}
        else:
            paths = {entry["location"]["path"] for entry in found}
        wanted = {*NAMES, *LIKED} if output_format == "json" else {name.replace("\\", "/") for name in (*NAMES, *LIKED)}
        assert wanted <= paths

    def test_github_is_told_of_findings_and_of_nothing_else(self) -> None:
        run = uncuda("check", "--target", "npu", "--output-format", "github")
        harmless(run)
        command = re.compile(r"::(?:error|warning|notice) file=(?P<file>[^:,]*),(?:line=|title=uncuda::)")
        files = set()
        for line in run.out.splitlines():
            match = command.match(line)
            assert match, line
            files.add(re.sub("%(..)", lambda found: chr(int(found[1], 16)), match["file"]))
        assert {"new\n::error file=x::owned.py", "return\r::error::x.py", r"esc\x1b[7m.py", *LIKED} <= files

    def test_fix(self) -> None:
        diff = subprocess.run(
            [sys.executable, "-m", "uncuda", "fix", "--target", "npu", "--diff", "--verbose"],
            capture_output=True, check=False, env=environment(),
        )  # fmt: skip
        headers = [line for line in diff.stdout.split(b"\n") if line.startswith((b"---", b"+++"))]
        assert len(headers) >= 2 * len(NAMES)
        harmless(Run(diff.returncode, b"\n".join(headers).decode(), diff.stderr.decode()))
        assert not commands(b"\n".join(headers).decode())
        run = uncuda("fix", "--target", "npu", "--verbose")
        harmless(run)
        assert not commands(run.out)
        assert r"  new\n::error file=x::owned.py:" in run.err

    @pytest.mark.slow
    @pytest.mark.parametrize(("arguments", "term"), [(["check"], "dumb"), (["fix", "--diff"], "xterm")])
    def test_a_terminal_sees_colours_of_ours_alone(self, arguments: list[str], term: str) -> None:
        shown = on_terminal(*arguments, "--target", "npu", TERM=term)
        assert ("\x1b" in shown) is (term == "xterm")
        assert not steering(re.sub(r"\x1b\[(?:0|1|3[1-6])m|\r\x1b\[K|\r(?=\n)", "", shown))
        assert r"\x1b[7m" in shown
        assert "中 文.py" in shown


def test_arguments() -> None:
    make({"a.py": SAFE})
    code = (
        "import json, sys, uncuda.cli as cli\n"
        "for arguments in json.load(sys.stdin):\n"
        "    code = cli.main(arguments)\n"
        "    print(f'({code})', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(BREAKERS).encode(), capture_output=True, check=True, env=environment(),
    )  # fmt: skip
    *runs, last = done.stderr.decode().split("(2)\n")
    assert (len(runs), last) == (len(BREAKERS), "")
    for said in runs:
        harmless(Run(2, "", said))
        assert re.search(r"\\x1b|\\n|\\u202e", said)


def test_help_has_its_lines() -> None:
    assert len(uncuda().err.splitlines()) > 5


def test_an_internal_error_steers_nothing() -> None:
    code = (
        "import sys, uncuda.cli as cli\n"
        "def fail(*_, **__): raise RuntimeError('x\\x1b[7m\\n::error::y')\n"
        "cli.group.main = fail\n"
        "sys.exit(cli.main(['check', '--verbose']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=environment())
    assert done.returncode == 2
    shown = done.stderr.decode()
    assert "Traceback" in shown
    assert not steering(shown)
    assert not commands(shown)


def test_a_quote_can_be_read() -> None:
    make({"a.py": f"import torch\nx = 1  # uncuda: ignore[{'x' * 100_000}]\n"})
    run = uncuda("check", "--target", "npu", "--isolated")
    assert len(run.out) < 3_000
    assert "xxx…" in run.out
    assert len(uncuda("check", "--isolated", "--target", "x" * 100_000).err) < 2_000


def test_only_a_few_places_write_to_a_stream() -> None:
    writes = re.compile(r"click\.echo|\bprint\(|(?:stdout|stderr|\bout)(?:\.buffer)?\.write|print_exc")
    found: dict[str, int] = {}
    for folder in ("cli", "report"):
        for path in sorted((ROOT / "server" / "uncuda" / folder).glob("*.py")):
            lines = path.read_text(encoding="utf-8").splitlines()
            doors = [line for line in lines if writes.search(line) and "console.print(" not in line]
            if number := sum(" def " not in line for line in doors):
                found[f"{folder}/{path.name}"] = number
    assert found == {
        "cli/console.py": 7,  # four calls of Console.print, and three writes to stderr
        "cli/fix.py": 4,  # the fixed text, the unchanged text, and the diff
        "cli/report.py": 1,  # the report, in which each format escapes the text that it shows
        "cli/rule.py": 3,  # pages of rules, which contain only uncuda's own text
        "cli/session.py": 1,  # messages that click prints
        "cli/texts.py": 2,
        "report/concise.py": 1,
        "report/github.py": 1,
        "report/gitlab.py": 1,
        "report/json.py": 7,
        "report/sarif.py": 1,
        "report/summary.py": 1,
        "report/text.py": 6,
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b\\中文e\u0301😀👩\u200d💻\u3000x", None),
        ("a::b", None),
        ("a #[x]", None),
        ("\x00\x1b\x7f\x85\x9b\t\r\n", r"\x00\x1b\x7f\x85\x9b\t\r\n"),
        ("\u202e\u2028\u2066\u061c\udcff", r"\u202e\u2028\u2066\u061c\udcff"),
        ("::error::x", r"\x3a:error::x"),
        ("\u3000::error::x", "\u3000\\x3a:error::x"),
        (":", r"\x3a"),
        ("x ##[error]y ##vso[z]", r"x ##\x5berror]y ##vso\x5bz]"),
    ],
)
def test_what_is_escaped(text: str, shown: str | None) -> None:
    assert printable(text) == (text if shown is None else shown)
    assert json.loads(printable_json(json.dumps(text, ensure_ascii=False))) == text
    assert not steering(printable_json(json.dumps(text, ensure_ascii=False)))


def test_a_cut_shows_that_it_is_one() -> None:
    assert cut("x" * 200) == "x" * 200
    assert cut("x" * 201) == "x" * 199 + "…"


class TestDiff:
    @pytest.mark.parametrize(
        ("path", "header"),
        [
            ("a.py", b"--- a/a.py\n"),
            ("a b.py", b"--- a/a b.py\t\n"),
            ("中文.py", "--- a/中文.py\n".encode()),
            ("a\n\t\x1b.py", b'--- "a/a\\n\\t\\033.py"\n'),
            ('中"\\.py', '--- "a/中\\"\\\\.py"\n'.encode()),
            ("中\u202e.py", b'--- "a/\\344\\270\\255\\342\\200\\256.py"\n'),
            ("bad\udcff.py", b'--- "a/bad\\377.py"\n'),
            ("x ", b'--- "a/x "\t\n'),
        ],
    )
    def test_names_are_quoted_as_git_quotes_them(self, path: str, header: bytes) -> None:
        assert next(unified_diff(path, b"a\n", b"b\n")) == header

    def test_a_client_reads_it_in_the_encoding_of_the_file(self) -> None:
        lines = "# coding: gbk\n# 中文\nx = {}\n"
        before, after = (lines.format(value).encode("gbk") for value in (1, 2))
        assert " # 中文\n" in list(readable_diff("中文.py", before, after, "gbk"))

    @pytest.mark.slow
    @pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
    def test_applied_it_is_what_fix_writes(self) -> None:
        """The files have unusual names, some of them random, and random contents; the name of their folder is the
        seed."""
        make(dict(_random_tree(random.randrange(1_000_000))))
        git = ["git", "-c", "core.fsmonitor=false"]
        subprocess.run([*git, "init", "--quiet"], check=True)
        before = _contents()
        done = subprocess.run(
            [sys.executable, "-m", "uncuda", "fix", "--target", "npu", "--diff", "."],
            capture_output=True, check=False, env=environment(),
        )  # fmt: skip
        assert _contents() == before
        assert uncuda("fix", "--target", "npu", ".").code == 0
        fixed = _contents()
        assert sum(fixed[name] != before[name] for name in fixed) > 40
        for tool in ([*git, "apply", "--whitespace=nowarn", "-"], ["patch", "-p1", "--binary"]):
            if shutil.which(tool[0]):
                for name, data in before.items():
                    Path(os.fsdecode(name)).write_bytes(data)
                subprocess.run(tool, input=done.stdout, check=True, capture_output=True)
                assert _contents() == fixed

    def test_files_elsewhere_are_named(self, tmp_path: Path) -> None:
        make({"in/a.py": SAFE, "out/b.py": SAFE})
        where = [sys.executable, "-m", "uncuda", "fix", "--target", "npu", "--diff"]
        done = subprocess.run(
            [*where, "../out", str(tmp_path / "in" / "a.py"), "./../in"],
            cwd="in", capture_output=True, check=False, env=environment(),
        )  # fmt: skip
        assert done.stdout.count(b"--- a/a.py\n") == done.stdout.count(b"+++ b/a.py\n") >= 1
        assert f"--- a{tmp_path.resolve()}/out/b.py\n".encode() in done.stdout
        assert b"1 file outside the current folder (../out/b.py): `git apply` does not apply" in done.stderr


def _random_tree(seed: int) -> list[tuple[str, bytes]]:
    chosen = random.Random(seed)
    names = [
        *(
            "a b.py",
            " lead.py",
            "tail .py",
            "a -> b.py",
            'q"uote.py',
            "back\\slash.py",
            "tab\tx.py",
            "中文.py",
            "-d.py",
        ),
        *("2020-01-01 10:00:00.py", "b/a.py", "a/b.py", "dev/null.py", "new\nline/x y.py", "~.py", "*.py", "😀 .py"),
    ]
    letters = " \"\\'\n\r\t\x1b\x7f\x9b\u202eab.-#[]:*?~$é中😀\udcff\udce9"
    names += ["".join(chosen.choices(letters, k=chosen.randint(1, 6))) + f"{number}.py" for number in range(50)]
    fixed = SAFE.encode()
    texts = [
        *(fixed, fixed.replace(b"\n", b"\r\n"), fixed[:-1], b"\xef\xbb\xbf" + fixed, b"# \x1b[7m \x0c\n" + fixed),
        *(b"# coding: latin-1\n# \xe9\n" + fixed[:-1], b"# coding: gbk\n# \xd6\xd0\xce\xc4\n" + fixed),
        *(
            fixed.replace(b"\n", b"\r"),
            fixed.replace(b"\n\n", b"; ").strip(),
            CLEAN.encode(),
            b"# \xe4\xb8\xad\n" + fixed,
        ),
    ]
    return [(f"{seed}/{name}", chosen.choice(texts)) for name in names]


def _contents() -> dict[bytes, bytes]:
    """Return the contents of every file below the current folder, by name."""
    paths = [path for path in Path().rglob("*") if path.is_file() and ".git" not in path.parts]
    return {os.fsencode(path): path.read_bytes() for path in paths}
