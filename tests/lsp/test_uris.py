"""Tests of converting URIs, as clients write them, to paths and back."""

from __future__ import annotations

import os

import pytest

from uncuda.lsp.wire.uris import path_of, uri_of


@pytest.mark.parametrize(
    "uri, path",
    [
        ("file:///a/b.py", "/a/b.py"),
        ("file:///a%20b/%E4%B8%AD.py", "/a b/中.py"),
        ("file:///a/100%25.py", "/a/100%.py"),
        ("file:///a/b%23c%3Fd.py", "/a/b#c?d.py"),
        ("file:///a/b.py#fragment", "/a/b.py"),
        ("file:///a/b.py?query", "/a/b.py"),
        ("file:/a/b.py", "/a/b.py"),
        ("file://localhost/a/b.py", "/a/b.py"),
        ("FILE:///a/b.py", "/a/b.py"),
        ("file:///c%3A/a.py", "/c:/a.py"),
    ],
)
def test_paths(uri: str, path: str) -> None:
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    "uri, path",
    [
        ("file:///c%3A/Users/a.py", "c:\\Users\\a.py"),
        ("file:///C:/Users/a.py", "c:\\Users\\a.py"),
        ("file:///c:", "c:\\"),
        ("file://server/share/a%20b.py", "\\\\server\\share\\a b.py"),
    ],
)
def test_windows_paths(uri: str, path: str) -> None:
    assert path_of(uri, windows=True) == path


@pytest.mark.parametrize(
    "uri",
    ["untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#W0", "git:/a.py", "", "a.py", "file", "jar:file:///a.py"],
)
def test_what_is_no_file(uri: str) -> None:
    assert path_of(uri) is None


@pytest.mark.parametrize(
    "path, uri",
    [
        ("/a/b.py", "file:///a/b.py"),
        ("/a b/中#?%.py", "file:///a%20b/%E4%B8%AD%23%3F%25.py"),
    ],
)
def test_uris(path: str, uri: str) -> None:
    assert uri_of(path, windows=False) == uri
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    "path, uri",
    [
        ("c:\\Users\\a b.py", "file:///c:/Users/a%20b.py"),
        ("\\\\server\\share\\a.py", "file://server/share/a.py"),
    ],
)
def test_windows_uris(path: str, uri: str) -> None:
    assert uri_of(path, windows=True) == uri
    assert path_of(uri, windows=True) == path


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize(
    "uri",
    [
        "file:///a%00b.py",
        "file:///a/\0.py",
        "file:///a/\ud800.py",
        f"file:///{'a' * 300}.py",
        f"file:///{'%E4%B8%AD' * 300}.py",
        f"file://{'/abc' * 10_000}.py",
    ],
)
def test_what_no_file_can_be_called(uri: str, windows: bool) -> None:
    assert path_of(uri, windows) is None


@pytest.mark.parametrize("uri", ["file://server/share/a.py", "file:////server/share/a.py"])
def test_the_file_of_another_machine_is_none_of_this_one(uri: str) -> None:
    assert path_of(uri, windows=False) is None


def test_names_of_the_longest_kind() -> None:
    assert path_of(f"file:///{'a' * 255}", windows=False) == f"/{'a' * 255}"
    assert path_of(f"file:///{'%E4%B8%AD' * 85}", windows=False) == f"/{'中' * 85}"
    assert path_of(f"file:///c:/{'%E4%B8%AD' * 255}", windows=True) == "c:\\" + "中" * 255


def test_a_name_that_is_no_text() -> None:
    path = os.fsdecode(b"/a/\xff.py")
    assert path_of("file:///a/%FF.py", windows=False) == path
    assert uri_of(path, windows=False) == "file:///a/%FF.py"
