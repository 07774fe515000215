"""Bad input gives a clear message and exit code 2, and all other files are still processed."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import ASSUMED, SAFE, check, environment, make, uncuda


@pytest.fixture(
    params=["missing.py", "empty", "binary.py", "undecodable.py", "encoding.py", "large.py", "loop.py", "pipe.py"]
)
def bad(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Return (a path that cannot be checked, words that the message about it must contain)."""
    name = str(request.param)
    path = Path(name)
    if name == "empty":
        path.mkdir()
        return name, "no Python file in this folder"
    if name == "binary.py":
        path.write_bytes(b"\x7fELF\0\0")
        return name, "binary"
    if name == "undecodable.py":
        path.write_bytes(b"x = 1\ny = '\xe9'\n")
        return name, "line 2 is not utf-8"
    if name == "encoding.py":
        path.write_bytes(b"# coding: klingon\n# \xe9 cuda\n")
        return name, "klingon"
    if name == "large.py":
        with path.open("wb") as file:
            file.truncate(50_000_000)
        return name, "larger than 8,000,000 bytes, left out; raise `max-bytes`, or `exclude` it"
    if os.name == "nt" and name in ("loop.py", "pipe.py"):
        pytest.skip("needs symbolic links and pipes")
    if name == "loop.py":
        path.symlink_to(name)
        return name, "a loop of symbolic links"
    if name == "pipe.py":
        os.mkfifo(name)
        return name, "is neither a file nor a folder"
    return name, "no such file or folder"


@pytest.mark.parametrize("command", ["check", "fix"])
def test_named_and_the_rest_is_done(bad: tuple[str, str], command: str) -> None:
    name, words = bad
    make({"good.py": SAFE})
    run = uncuda(command, "--target", "npu", name, "good.py")
    assert run.code == 2
    assert any(line.startswith(f"uncuda: error: {name}: ") and words in line for line in run.err.splitlines()), run.err
    assert "Traceback" not in run.err
    if command == "check":
        assert "good.py:3:" in run.out
    else:
        assert "hccl" in Path("good.py").read_text()


def test_in_a_folder_too(bad: tuple[str, str]) -> None:
    name, words = bad
    make({"good.py": SAFE})
    run = check()
    assert {finding["path"] for finding in run.json["findings"]} == {"good.py"}
    errors = {error["path"]: error["message"] for error in run.json["errors"]}
    # listing a folder does not return a missing path, a folder or a pipe
    if name in ("missing.py", "empty", "pipe.py"):
        assert (run.code, errors) == (1, {})
    else:
        assert run.code == 2
        assert words in errors[name]


def test_an_unreadable_file() -> None:
    """Root can read every file, so the test uses a path below a regular file, which nobody can read."""
    make({"good.py": SAFE, "file": ""})
    run = check("good.py", "file/a.py")
    assert run.code == 2
    assert run.json["errors"] == [{"path": "file/a.py", "message": "Not a directory"}]
    if os.name != "nt" and os.geteuid() != 0:
        make({"shut.py": SAFE})
        Path("shut.py").chmod(0)
        assert check().json["errors"] == [{"path": "shut.py", "message": "cannot be read: Permission denied"}]


def test_an_invalid_configuration() -> None:
    make({"uncuda.toml": "taget = 'npu'", "a.py": SAFE, "b/uncuda.toml": "target = 'npu'", "b/c.py": SAFE})
    run = check()
    assert run.code == 2
    assert run.json["errors"] == [
        {"path": "uncuda.toml", "message": "line 1: unknown key `taget` (did you mean 'target'?)"}
    ]
    assert {finding["path"] for finding in run.json["findings"]} == {"b/c.py"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.uncuda]\ntarget = 'nup'", "pyproject.toml: line 2: unknown target `nup` (did you mean 'npu'?)"),
        ("[tool.uncuda]\nselect = ['x", "pyproject.toml: line 2: not valid TOML"),
        ("[tool.uncuda]\nextend = 'pyproject.toml'", "pyproject.toml: `extend` leads back to itself"),
    ],
)
def test_configurations_are_told_where_they_are_wrong(text: str, words: str) -> None:
    make({"pyproject.toml": text, "a.py": SAFE})
    run = uncuda("check")
    assert run.code == 2
    assert f"uncuda: error: {words}" in run.err
    assert uncuda("check", "-", stdin=SAFE).code == 2
    before = Path("a.py").read_bytes()
    assert uncuda("fix").code == 2
    assert Path("a.py").read_bytes() == before


def test_a_reader_who_leaves() -> None:
    make({f"f{number}.py": SAFE * 50 for number in range(40)})
    with subprocess.Popen(
        [sys.executable, "-m", "uncuda", "check", "--target", "npu"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ASSUMED["npu"].encode()
        assert process.wait() == 1


@pytest.mark.skipif(os.name == "nt", reason="names are bytes elsewhere")
@pytest.mark.parametrize("output_format", ["text", "json", "sarif", "github", "gitlab"])
def test_a_name_that_is_not_text(output_format: str) -> None:
    try:
        Path(os.fsdecode(b"bad\xff.py")).write_text(SAFE)
    except OSError:  # the file system refuses names that are not valid text
        return
    run = uncuda("check", "--target", "npu", "--output-format", output_format)
    assert (run.code, run.err) == (1, ASSUMED["npu"])
    assert uncuda("fix", "--target", "npu").code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("arguments", [["check"], ["fix", "--diff"], ["--version"]])
def test_a_disk_that_is_full(arguments: list[str]) -> None:
    make({"a.py": SAFE})
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "uncuda", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment(),
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "uncuda: error: No space left on device"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_streams_that_are_closed() -> None:
    make({"a.py": SAFE})
    command = f"{shlex.quote(sys.executable)} -m uncuda check --target npu"
    for redirection, code in (("- <&-", 2), (">&-", 1), ("2>&-", 1)):
        done = subprocess.run(
            ["/bin/sh", "-c", f"{command} {redirection}"],
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
        )
        assert done.returncode == code
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["check", "fix"])
def test_an_empty_path_is_not_the_current_folder(command: str) -> None:
    make({"a.py": SAFE})
    run = uncuda(command, "--target", "npu", "")
    assert (run.code, run.err.splitlines()[0]) == (2, "uncuda: error: '': is an empty path; the current folder is `.`")
    assert Path("a.py").read_text() == SAFE


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.ipynb", "is a notebook with invalid JSON (line 1: "),
        ("a.sh", "is not a Python file"),
        ("a.yaml", "is not a Python file"),
    ],
)
@pytest.mark.parametrize("command", ["check", "fix"])
def test_what_is_not_python_is_refused(name: str, words: str, command: str) -> None:
    text = f'{{"source": "{SAFE}"}}'
    make({name: text, "good.py": SAFE})
    run = uncuda(command, "--target", "npu", "--review-fixes" if command == "fix" else "--no-receivers", name, ".")
    assert run.code == 2
    assert f"uncuda: error: {name}: {words}" in run.err
    assert Path(name).read_text() == text
    assert "good.py" in run.out or Path("good.py").read_text() != SAFE


@pytest.mark.parametrize("name", ["script", "a.pyi", "a.pyw"])
def test_other_names_of_python_files(name: str) -> None:
    make({name: SAFE})
    assert check(name).rules
