"""Tests of paths that are not source files: pipes, devices, endless files, binary files."""

import os
import socket
import sys
from pathlib import Path

import pytest

from support.bounded import run_bounded
from uncuda.reading import NotUtf8Error, TooLargeError, decode_utf8, read_bytes

READ = """
import sys
from uncuda.reading import read_bytes
from uncuda.workspace import FileProblem, read_file

for path in sys.argv[1:]:
    try:
        print(len(read_bytes(path)))
    except OSError as error:
        print(error.strerror)
    try:
        read_file(path)
    except FileProblem as problem:
        print(problem)
"""


def read(*paths: Path) -> list[str]:
    return run_bounded(READ, *map(str, paths)).splitlines()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_that_nobody_writes_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    what = "is a pipe, not a file"
    assert read(tmp_path / "pipe", tmp_path / "link") == 2 * [what, f"cannot be read: {what}"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no device that never ends")
def test_a_link_to_a_device(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("/dev/zero")
    what = "is a device, not a file"
    assert read(tmp_path / "a.py") == [what, f"cannot be read: {what}"]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX") or sys.platform != "linux", reason="needs sockets with a name")
def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert read(tmp_path / "socket")[0] == "is a socket, not a file"


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"directory|denied"):
        read_bytes(str(tmp_path))


def test_a_sparse_file_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.truncate(2_000_000)
        if sys.platform == "linux":
            file.truncate(5_000_000_000)
    with pytest.raises(TooLargeError, match="larger than 1 MB"):
        read_bytes(str(path))


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 3000)
    before = os.stat_result((path.stat().st_mode, *[0] * 9))
    monkeypatch.setattr(os, "fstat", lambda file: before)
    assert read_bytes(str(path), 3000) == b"x" * 3000
    with pytest.raises(TooLargeError):
        read_bytes(str(path), 2999)


def test_a_name_that_no_file_has() -> None:
    with pytest.raises(OSError, match="null"):
        read_bytes("a\0b")


def test_what_is_not_text_is_named_by_its_line() -> None:
    assert decode_utf8(b"\xef\xbb\xbfx\n") == "x\n"
    with pytest.raises(NotUtf8Error) as caught:
        decode_utf8(b"one\ntwo\n\xe9\n")
    assert (caught.value.line, caught.value.message) == (3, "byte 0xe9")
