"""Tests that several processes report the same as a single process, and that no process is left running."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.command import CLEAN, MANUAL, REVIEW, SAFE, Run, check, environment, make, started, uncuda
from support.growth import SHAPES
from uncuda.workspace import cpus, number_for, processors, sizes_of
from uncuda.workspace.discover import File

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks in /proc")
pytestmark = pytest.mark.slow
PATIENCE = 60.0


def make_tree() -> None:
    """Write files of every kind, enough for more batches than processes."""
    for number in range(30):
        make({f"p/f{number:02}.py": SAFE, f"p/g{number:02}.py": MANUAL, f"q/h{number:02}.py": REVIEW + CLEAN * 9})
    make(
        {
            "p/large.py": SHAPES["many_findings"](50),
            "p/bytes.py": b"import torch\n\xff\xfe\n",
            "p/nul.py": b"torch.cuda\0",
            "p/unread.py": SAFE + "\nx = torch.cuda.is_available(\ndef f(:\n",
            "p/refused.py": "import torch\n\ntorch.cuda.synchronize()\nprint 'x'\n",
            "p/quiet.py": "import torch\n\ntorch.cuda.synchronize()  # uncuda: ignore\n",
            "p/latin.py": ("# coding: latin-1\nx = 'é'\n" + "\n" * 9 + SAFE).encode("latin-1"),
            "p/mark.py": "\ufeffimport torch\r\ntorch.cuda.synchronize()\r\n",
            "q/uncuda.toml": 'target = "musa"\nworkers = 2\n',
            "r/ops_cuda.py": "import torch\n\ntorch.cuda.synchronize()\n",
            "r/ops_npu.py": "import torch\nimport torch_npu\n",
            "r/own.py": "class Box:\n    def cuda(self):\n        log()\n\nBox().cuda()\n",
        }
    )
    Path("p/nowhere.py").symlink_to("gone.py")
    Path("p/link.py").symlink_to("f00.py")


def _outputs(*arguments: str) -> list[tuple[int, str, str]]:
    runs = []
    for workers in ("1", "3"):
        run = uncuda(*arguments, "--workers", workers)
        runs.append((run.code, run.out, run.err))
    return runs


@pytest.mark.parametrize(
    "arguments",
    [
        ("--statistics",),
        ("--statistics", "--output-format", "json"),
        ("--output-format", "sarif"),
        ("--output-format", "github", "--verbose"),
        ("--output-format", "gitlab", "--quiet", "--exit-zero"),
        ("--max-statements", "40", "--locale", "zh"),
        ("--max-bytes", "60"),
        ("--target", "npu", "--strategy", "shim"),
        ("missing", "p/f01.py", "p", "p/f01.py"),
    ],
)
def test_check_says_the_same(arguments: tuple[str, ...]) -> None:
    make_tree()
    one, several = _outputs("check", *arguments)
    assert several == one
    assert one[1] or one[2]


@pytest.mark.parametrize("arguments", [(), ("--review-fixes", "--locale", "zh"), ("--max-statements", "40")])
def test_fix_writes_the_same(arguments: tuple[str, ...]) -> None:
    trees = []
    for workers in ("1", "3"):
        make_tree()
        diff = uncuda("fix", *arguments, "--diff", "--workers", workers)
        run = uncuda("fix", *arguments, "--workers", workers)
        trees.append((diff, run, {str(path): path.read_bytes() for path in Path().rglob("*.py") if path.is_file()}))
        for folder in "pqr":
            shutil.rmtree(folder)
    assert trees[0] == trees[1]
    assert trees[0][0].out.startswith("--- a/p/f00.py\n")
    assert "hccl" in trees[0][2]["p/f29.py"].decode()


def test_a_file_that_changes_meanwhile_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    make({f"f{number}.py": SAFE for number in range(4)})
    program = _program("Path('f3.py').write_text('new')", at="f3.py", after=True)
    run = _run(program, "fix", "--target", "npu")
    assert run.code == 2
    assert "f3.py: changed while it was being fixed" in run.err
    assert Path("f3.py").read_text() == "new"
    assert "hccl" in Path("f2.py").read_text()


@pytest.mark.parametrize("command", ["check", "fix"])
def test_started_as_new_pythons_they_say_the_same(command: str) -> None:
    """The test simulates Windows and macOS, where a process cannot be forked, by patching the function that decides
    whether to fork."""
    make_tree()
    one = started(command, "--workers", "1", *(["--diff"] if command == "fix" else []))
    run = _run("", command, *(["--diff"] if command == "fix" else []), fork=False)
    assert run == one


def test_they_import_nothing_from_the_folder(tmp_path: Path) -> None:
    make(
        {"a.py": SAFE, "b.py": SAFE, "json.py": "raise SystemExit('imported')\n", "cattrs.py": "raise SystemExit(9)\n"}
    )
    run = _run("", "check", "--target", "npu", fork=False)
    assert run.code == 1
    assert "crashed" not in run.err


@needs_linux
def test_what_a_worker_had_not_done_is_done_and_it_is_named() -> None:
    make_tree()
    one = uncuda("check", "--workers", "1")
    program = _program("os.kill(os.getpid(), signal.SIGKILL)", at="p/f07.py")
    run = _run(program, "check")
    notes = [line for line in run.err.splitlines(keepends=True) if "crashed (SIGKILL)" in line]
    assert len(notes) == 1
    assert run._replace(err=run.err.replace(notes[0], "")) == one


@needs_linux
def test_a_file_that_ends_workers_is_named() -> None:
    make({f"f{number}.py": SAFE for number in range(9)})
    program = _program("os.kill(os.getpid(), signal.SIGKILL)", at="f4.py", once=False)
    # Replacement processes are forked as well, so that the patch is active in them.
    run = _run(program + "pool.command = str\npool.start = lambda _: child.Forked(made[0]._here.serve, [])\n", "check")
    assert run.code == 2
    assert "uncuda: error: f4.py: the process that read it crashed twice (SIGKILL); left out\n" in run.err
    assert [f"f{number}.py:3:" in run.out for number in range(9)] == [number != 4 for number in range(9)]


@needs_linux
@pytest.mark.parametrize("fork", [True, False], ids=["copies", "new Pythons"])
@pytest.mark.parametrize(
    ("command", "name"), [("check", "SIGINT"), ("check", "SIGTERM"), ("check", "SIGKILL"), ("fix", "SIGINT")]
)
def test_a_signal_leaves_no_process(command: str, name: str, fork: bool) -> None:
    make({f"f{number:03}.py": SAFE for number in range(40)})
    # The request stays unanswered: a forked worker hangs, and if the worker is a new process, the parent ignores its
    # reply.
    program = _program("time.sleep(1000)", at="f020.py", once=False)
    if not fork:
        program = "from uncuda.child import pool\npool.Pool._take = lambda self: time.sleep(0.01)\n"
    process = subprocess.Popen(
        _command(program, command, fork=fork), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    workers = _until(lambda: _children(process.pid), lambda found: len(found) == 3)
    # The signal is sent to the whole process group, as a terminal does.
    for each in (process.pid, *(workers if name == "SIGINT" else ())):
        os.kill(each, signal.Signals[name])
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == (130 if name == "SIGINT" else -signal.Signals[name])
    assert errors.decode().count("interrupted") == (name == "SIGINT")
    assert "Traceback" not in errors.decode()
    _until(lambda: [each for each in workers if _lives(each)], lambda left: not left)


@needs_linux
def test_a_reader_that_goes_leaves_no_process() -> None:
    make({f"f{number:03}.py": SAFE for number in range(400)})
    with subprocess.Popen(
        _command("", "check", "--quiet"), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        workers = _until(lambda: _children(process.pid), lambda found: len(found) == 3)
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(PATIENCE) == 1
        assert process.stderr is not None
        assert process.stderr.read() == b""
    _until(lambda: [each for each in workers if _lives(each)], lambda left: not left)


def test_small_trees_are_read_by_one_process() -> None:
    make({"a.py": SAFE})
    code = "import sys; from uncuda.cli import main; main(['check', '--target', 'npu']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert not {"uncuda.child", "uncuda.workspace.workers", "cattrs", "subprocess"} & {*done.stdout.split()}


def test_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "processors", lambda: 8)
    megabytes = [1_000_000] * 100
    assert number_for(megabytes, None, looked=False) == 6
    assert number_for(megabytes, None, looked=True) == 8
    assert number_for(megabytes[:5], None, looked=True) == 1
    assert number_for(megabytes[:29], None, looked=False) == 1
    assert number_for(megabytes[:2], 5, looked=False) == 2
    assert number_for(megabytes, 1, looked=False) == 1
    assert number_for([], 4, looked=False) == 1


def test_processors_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("process_cpu_count", "sched_getaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    for text, number in (("max 100000\n", 64), ("250000 100000\n", 2), ("5000 100000\n", 1), ("", 64)):
        monkeypatch.setattr(Path, "read_text", lambda *_, said=text: said)
        assert processors() == number


def test_a_file_that_is_gone_has_no_size() -> None:
    make({"a.py": "1234"})
    files = [File(name, None, given=True) for name in ("a.py", "gone.py", "nul\0.py")]  # type: ignore[arg-type]
    assert sizes_of(files) == [4, 0, 0]


@pytest.mark.parametrize(("value", "why"), [("0", "0"), ("65", "65"), ("many", "many")])
def test_a_number_that_cannot_be(value: str, why: str) -> None:
    run = uncuda("check", "--workers", value)
    assert run.code == 2
    assert why in run.err


def test_a_configuration_asks_for_no_more_than_there_are() -> None:
    make({f"f{number}.py": SAFE for number in range(9)})
    make({"uncuda.toml": 'target = "npu"\nworkers = 64\n'})
    program = """
from uncuda.child import pool
from uncuda.workspace import cpus
cpus.processors = lambda: 2
begin = pool.Pool.__init__
def told(self, number, *rest):
    print("started", number, file=sys.stderr)
    begin(self, number, *rest)
pool.Pool.__init__ = told
"""
    command = _command(program, "check")
    for given, number in ([], 2), (["--workers", "4"], 4):
        run = subprocess.run([*command[:-2], *given], env=environment(), capture_output=True, text=True, check=False)
        assert run.stderr.startswith(f"started {number}\n")
    run = subprocess.run([*command[:-2], "--receivers"], env=environment(), capture_output=True, text=True, check=False)
    assert "started" not in run.stderr


def test_a_report_in_json_names_what_could_not_be_read() -> None:
    make_tree()
    report = check("--workers", "3").json
    assert {"p/bytes.py", "p/nul.py", "p/unread.py"} <= {error["path"] for error in report["errors"]}
    assert json.dumps(report) == json.dumps(check("--workers", "1").json)


# A program that applies patches and then runs the command line; forked processes keep the patches, newly started ones
# do not.
_MAIN = """
import os, signal, sys, time
from pathlib import Path
{program}
from uncuda.child import pool
if {fork} is False:
    pool.may_fork = lambda: False
from uncuda.cli import main
sys.exit(main(sys.argv[1:]))
"""
_PATCH = """
from uncuda import child
from uncuda.child import pool
from uncuda.workspace import workers, worker
answered, begun, made = worker.Worker.answer, workers.Workers.__init__, []
def answer(self, request):
    def act():
        mark = Path(".done")
        looks = isinstance(request, worker.SurveyFiles)
        if {at!r} in [path for path, _ in getattr(request, "files", ())] and not looks:
            if not ({once} and mark.exists()):
                mark.touch()
                {act}
    {before}
    result = answered(self, request)
    {after}
    return result
worker.Worker.answer = answer
def begin(self, *arguments):
    made.append(self)
    begun(self, *arguments)
workers.Workers.__init__ = begin
"""


def _program(act: str, at: str, once: bool = True, after: bool = False) -> str:
    """Return a patch that makes a worker do something when it gets a request to check or fix a file."""
    before, behind = ("pass", "act()") if after else ("act()", "pass")
    return _PATCH.format(act=act, at=at, once=once, before=before, after=behind)


def _command(program: str, *arguments: str, fork: bool = True) -> list[str]:
    return [sys.executable, "-c", _MAIN.format(program=program, fork=fork), *arguments, "--workers", "3"]


def _run(program: str, *arguments: str, fork: bool = True) -> Run:
    command = _command(program, *arguments, fork=fork)
    done = subprocess.run(command, env=environment(), capture_output=True, check=False, timeout=PATIENCE)
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def _until(look: Callable[[], list[int]], enough: Callable[[list[int]], bool]) -> list[int]:
    """Call `look` until `enough` accepts its result, and return the result."""
    deadline = time.monotonic() + PATIENCE
    while not enough(seen := look()):
        assert time.monotonic() < deadline, seen
        time.sleep(0.005)
    return seen


def _children(process: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
