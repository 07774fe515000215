"""Tests of `uncuda fix`: what is written, which findings are left, and that no text is lost."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.command import ASSUMED, CLEAN, MANUAL, REVIEW, SAFE, Run, check, environment, make, uncuda

FIXED = '"hccl"'


def fix(*arguments: str, stdin: str | bytes = b"") -> Run:
    return uncuda("fix", "--target", "npu", *arguments, stdin=stdin)


class TestExitCode:
    def test_nothing_left(self) -> None:
        make({"a.py": SAFE, "b.py": CLEAN})
        assert fix().code == 0
        assert FIXED in Path("a.py").read_text()
        assert check().rules == []

    def test_nothing_to_do(self) -> None:
        make({"a.py": CLEAN})
        run = fix()
        assert (run.code, run.out, run.err) == (0, "", "Nothing to fix in 1 file.\n")

    def test_something_left(self) -> None:
        make({"a.py": SAFE, "b.py": MANUAL})
        assert fix().code == 1
        assert FIXED in Path("a.py").read_text()
        assert Path("b.py").read_text() == MANUAL

    def test_left_but_not_grave(self) -> None:
        lower = "".join(f"{rule} = 'information'\n" for rule in set(check("-", stdin=MANUAL).rules))
        make({"a.py": MANUAL, "uncuda.toml": f"[severity]\n{lower}"})
        assert fix().code == 0
        assert fix("--fail-level", "information").code == 1

    def test_error(self) -> None:
        make({"a.py": SAFE})
        run = fix("none.py", "a.py")
        assert run.code == 2
        assert FIXED in Path("a.py").read_text()


class TestReview:
    def test_not_without_asking(self) -> None:
        make({"a.py": REVIEW})
        run = fix()
        assert run.code == 1
        assert "can be fixed with --review-fixes" in run.err
        assert Path("a.py").read_text() == REVIEW

    @pytest.mark.parametrize("option", ["--review-fixes", "--unsafe-fixes"])
    def test_asked_for(self, option: str) -> None:
        make({"a.py": REVIEW})
        assert fix(option).code == 0
        assert '"npu"' in Path("a.py").read_text()


class TestSummary:
    def test_by_rule_and_what_is_left(self) -> None:
        make({"a.py": SAFE, "b.py": SAFE, "c.py": MANUAL, "d.py": REVIEW})
        (rule,) = {f["rule"] for f in check("a.py").json["findings"] if f["message"] and "nccl" in f["message"]}
        run = fix()
        assert run.out == ""
        assert " in 2 files:\n" in run.err
        assert f"     2  {rule}\n" in run.err
        assert "Left by hand (" in run.err
        assert "\n  c.py:3:" in run.err

    def test_quiet(self) -> None:
        make({"a.py": SAFE, "c.py": MANUAL})
        assert fix("--quiet") == (1, "", "")


class TestDiff:
    def test_nothing_is_written(self) -> None:
        make({"a.py": SAFE, "sub/b.py": MANUAL})
        before = Path("a.py").stat()
        run = fix("--diff")
        assert run.code == 1
        assert run.out.startswith("--- a/a.py\n+++ b/a.py\n@@ ")
        assert '+dist.init_process_group("hccl")\n' in run.out
        assert run.err.startswith(ASSUMED["npu"] + "Would fix ")
        assert (Path("a.py").read_text(), Path("a.py").stat().st_mtime_ns) == (SAFE, before.st_mtime_ns)

    @pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
    def test_git_takes_it(self) -> None:
        texts = {
            "a b.py": SAFE.encode().replace(b"\n", b"\r\n"),
            "c.py": b"# coding: latin-1\n# \xe9\n" + SAFE.encode()[:-1],
            "d/e.py": b"\xef\xbb\xbf" + SAFE.encode(),
        }
        make(dict(texts))
        diff = subprocess.run(
            [sys.executable, "-m", "uncuda", "fix", "--target", "npu", "--diff"],
            capture_output=True, check=False, env=environment(),
        ).stdout  # fmt: skip
        assert fix().code == 0
        fixed = {name: Path(name).read_bytes() for name in texts}
        make(dict(texts))
        subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=diff, check=True)
        assert {name: Path(name).read_bytes() for name in texts} == fixed


class TestStandardInput:
    def test_result(self) -> None:
        run = fix("-", stdin=SAFE.replace("\n", "\r\n"))
        assert FIXED in run.out
        assert run.out.count("\r\n") == run.out.count("\n")
        assert fix("-", stdin=CLEAN).out == CLEAN

    def test_diff(self) -> None:
        assert fix("-", "--diff", "--stdin-filename", "x/y.py", stdin=SAFE).out.startswith("--- a/x/y.py\n")

    def test_not_text(self) -> None:
        run = fix("-", stdin=b"\xff")
        assert (run.code, run.out) == (2, "")


class TestBytes:
    @pytest.mark.parametrize("mark", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("end", ["", "\n", "\n# é\n\f\n\t \n"])
    def test_line_ends(self, mark: str, end: str) -> None:
        text = ("import torch_npu\n" + SAFE.rstrip("\n") + end).replace("\n", mark).encode()
        make({"a.py": text})
        fix()
        assert Path("a.py").read_bytes() == text.replace(b"nccl", b"hccl")

    def test_the_plugin_import_has_the_line_ends_of_the_file(self) -> None:
        make({"a.py": SAFE.replace("\n", "\r\n")})
        fix()
        result = Path("a.py").read_bytes()
        assert b"import torch_npu\r\n" in result
        assert result.count(b"\r\n") == result.count(b"\n")

    def test_byte_order_mark(self) -> None:
        make({"a.py": b"\xef\xbb\xbf" + SAFE.encode()})
        fix()
        result = Path("a.py").read_bytes()
        assert result.startswith(b"\xef\xbb\xbfimport ")
        assert result.count(b"\xef\xbb\xbf") == 1

    @pytest.mark.parametrize("encoding", ["latin-1", "gbk", "shift_jis", "utf-8"])
    def test_encoding(self, encoding: str) -> None:
        comment = "# é" if encoding in ("latin-1", "utf-8") else "# 中"
        text = f"# coding: {encoding}\n{comment}\n{SAFE}".encode(encoding)
        make({"a.py": text})
        assert fix().code == 0
        result = Path("a.py").read_bytes()
        assert FIXED.encode() in result
        assert comment.encode(encoding) + b"\n" in result

    @pytest.mark.skipif(os.name == "nt", reason="needs mode bits and links")
    def test_mode_and_link(self) -> None:
        make({"real/a.py": "#!/usr/bin/env python\n" + SAFE})
        Path("real/a.py").chmod(0o750)
        Path("a.py").symlink_to("real/a.py")
        fix("a.py")
        assert Path("a.py").is_symlink()
        assert FIXED in Path("real/a.py").read_text()
        assert stat.S_IMODE(Path("real/a.py").stat().st_mode) == 0o750

    def test_a_file_without_a_fix_is_not_touched(self) -> None:
        make({"a.py": CLEAN, "b.py": MANUAL})
        before = [Path(name).stat().st_mtime_ns for name in ("a.py", "b.py")]
        fix()
        assert [Path(name).stat().st_mtime_ns for name in ("a.py", "b.py")] == before

    def test_twice_changes_nothing(self) -> None:
        make({"a.py": SAFE, "b.py": REVIEW})
        fix("--review-fixes")
        first = [Path(name).read_bytes() for name in ("a.py", "b.py")]
        fix("--review-fixes")
        assert [Path(name).read_bytes() for name in ("a.py", "b.py")] == first


def test_a_file_that_does_not_parse_is_left_alone_and_named() -> None:
    text = SAFE + "def f(:\n"
    make({"a.py": text, "b.py": SAFE})
    run = fix()
    assert run.code == 1
    assert Path("a.py").read_text() == text
    assert run.err.startswith(ASSUMED["npu"] + "a.py: not changed: it does not parse (line 4: ")
    assert "<" not in run.err
    assert FIXED in Path("b.py").read_text()


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
class TestInterrupted:
    COUNT = 300

    def test_no_half_written_file(self) -> None:
        make({f"f{number:03}.py": SAFE * 20 for number in range(self.COUNT)})
        before = Path("f000.py").read_bytes()
        with subprocess.Popen(
            [sys.executable, "-m", "uncuda", "fix", "--target", "npu"],
            stderr=subprocess.PIPE, text=True, env=environment(),
        ) as process:  # fmt: skip
            deadline = time.monotonic() + 60
            while Path("f000.py").read_bytes() == before and time.monotonic() < deadline:
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        texts = [path.read_bytes() for path in sorted(Path().iterdir())]
        after = texts[0]
        assert len(texts) == self.COUNT
        assert set(texts) <= {before, after}
        written = texts.count(after)
        if process.returncode == 130:  # the process may have ended before the signal arrived
            assert err.splitlines()[-1].startswith("uncuda: interrupted; written before that: f000.py")
            assert err.count(".py") == written
        else:
            assert (process.returncode, written) == (0, self.COUNT)

    @pytest.mark.parametrize(
        ("name", "step"),
        [
            *(("SIGTERM", step) for step in ("mkstemp", "write", "chmod", "replace")),
            ("SIGHUP", "write"),
            ("SIGQUIT", "write"),
        ],
    )
    def test_signals_at_any_time(self, name: str, step: str) -> None:
        """Whenever a signal arrives during writing, every file is either old or new, and no temporary file is left."""
        make({"x/a.py": SAFE, "x/b.py": SAFE})
        number = int(signal.Signals[name])
        done = _signalled(number, step)
        assert done.returncode == -number, done.stderr
        assert sorted(path.name for path in Path("x").iterdir()) == ["a.py", "b.py"]
        assert FIXED in Path("x/a.py").read_text()
        assert Path("x/b.py").read_text() == SAFE

    def test_a_signal_that_is_ignored_stays_so(self) -> None:
        make({"x/a.py": SAFE, "x/b.py": SAFE})
        done = _signalled(signal.SIGHUP, "write", "ignored")
        assert done.returncode == 0, done.stderr
        assert [FIXED in path.read_text() for path in Path("x").iterdir()] == [True, True]

    def test_what_a_kill_left_behind_is_in_nobodys_way(self) -> None:
        make({"x/a.py": SAFE, "x/b.py": SAFE})
        assert _signalled(signal.SIGKILL, "write").returncode == -signal.SIGKILL
        (left,) = (path for path in Path("x").iterdir() if not path.name.endswith(".py"))
        assert left.name.startswith(".a.py.uncuda-")
        assert {finding["path"] for finding in check("x").json["findings"]} == {"x/a.py", "x/b.py"}
        assert fix("x").code == 0
        assert [FIXED in Path("x", name).read_text() for name in ("a.py", "b.py")] == [True, True]


_SIGNALLED = """
import os, signal, sys, tempfile
number, step = int(sys.argv[1]), sys.argv[2]
if sys.argv[3:] == ["ignored"]:
    signal.signal(number, signal.SIG_IGN)
elif number != signal.SIGKILL:
    signal.signal(number, signal.SIG_DFL)  # a shell's job in the background is born with some of them ignored
from uncuda.workspace import files
real = {"mkstemp": tempfile.mkstemp, "chmod": os.chmod, "replace": os.replace}
def signalled(call):
    def run(*arguments, **named):
        result = call(*arguments, **named)
        os.kill(os.getpid(), number)
        return result
    return run
if step == "mkstemp":
    tempfile.mkstemp = signalled(tempfile.mkstemp)
elif step == "write":
    files._keep_properties = signalled(files._keep_properties)
else:
    call = getattr(os, step)
    setattr(os, step, signalled(call))
    os.supports_fd.add(getattr(os, step))
from uncuda.cli import main
sys.exit(main(["fix", "--target", "npu", "x"]))
"""


def _signalled(number: int, step: str, *how: str) -> "subprocess.CompletedProcess[str]":
    """Run `uncuda fix x` in a process that gets the signal `number` when the call that `step` names returns."""
    command = [sys.executable, "-c", _SIGNALLED, str(int(number)), step, *how]
    return subprocess.run(command, check=False, env=environment(), timeout=60, capture_output=True, text=True)


@pytest.mark.skipif(os.name == "nt", reason="needs hard links")
def test_other_names_of_a_file_keep_the_old_text_and_are_counted() -> None:
    make({"x/a.py": SAFE, "x/b.py": SAFE})
    os.link("x/a.py", "snapshot.py")
    run = fix("x")
    assert run.code == 0
    assert run.err.splitlines()[1] == "x/a.py: written; 1 other name of the same file (hard links) kept the old text"
    assert run.err.count("hard links") == 1
    assert Path("snapshot.py").read_text() == SAFE
    assert FIXED in Path("x/a.py").read_text()


@pytest.mark.skipif(os.name == "nt", reason="needs hard links")
def test_a_name_that_is_written_later_kept_nothing() -> None:
    make({"x/a.py": SAFE})
    os.link("x/a.py", "x/b.py")
    assert "hard links" not in fix("x").err
    assert Path("x/b.py").read_text() == Path("x/a.py").read_text() != SAFE


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
class TestLinks:
    def test_a_link_that_leads_out_of_the_folder_is_not_written_through(self) -> None:
        make({"in/a.py": SAFE, "out/b.py": SAFE})
        Path("in/b.py").symlink_to("../out/b.py")
        run = fix("in")
        assert run.code == 1
        assert "in/b.py: not changed: the file is a link to a file outside" in run.err
        assert Path("out/b.py").read_text() == SAFE
        assert FIXED in Path("in/a.py").read_text()
        assert "+++ b/in/b.py" not in fix("in", "--diff").out

    def test_a_link_that_stays_inside_or_is_given_is(self) -> None:
        make({"in/a.py": SAFE, "in/x/b.py": SAFE, "out/c.py": SAFE})
        Path("in/b.py").symlink_to("x/b.py")
        Path("in/c.py").symlink_to("../out/c.py")
        assert fix("in", "in/c.py").code == 0
        assert FIXED in Path("in/x/b.py").read_text()
        assert FIXED in Path("out/c.py").read_text()
        assert Path("in/c.py").is_symlink()


def test_what_is_left_has_the_line_that_the_file_has() -> None:
    text = "import torch\n\nx.cuda()\nn = torch.cuda.clock_rate()\n"
    make({"a.py": text})
    line = "  a.py:{}:5: error cuda-api-missing: "
    assert line.format(4) in fix("--diff").err
    assert Path("a.py").read_text() == text
    assert line.format(5) in fix().err
