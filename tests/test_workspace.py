"""Tests of reading and writing files: which files are read, what is reported about the others, and that an interrupted
write never leaves half a file."""

import io
import os
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from uncuda.engine import Fixed, Report
from uncuda.settings import Configuration, Settings, Vocabulary, values_of
from uncuda.source import Source
from uncuda.workspace import (
    FileProblem,
    Scanner,
    Words,
    check_files,
    discover,
    fix_files,
    reach,
    read_file,
    survey,
    write,
    write_atomically,
)
from uncuda.workspace.discover import Found

VOCABULARY = Vocabulary(("musa", "npu"), ("amp-c",))
WORDS = Words(
    {"npu": "torch_npu", "musa": "torch_musa"}, {"npu": "torch_npu.contrib.transfer_to_npu", "musa": "torchada"}
)
posix = pytest.mark.skipif(os.name == "nt", reason="needs modes, owners and symbolic links")

linux = pytest.mark.skipif(sys.platform != "linux", reason="Python knows extended attributes on Linux only")


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the test without root's rights, in a folder that every user may use."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        monkeypatch.chdir(folder)
        if os.geteuid() == 0:
            os.seteuid(65534)
            yield
            os.seteuid(0)
        else:
            yield


def make(*names: str) -> None:
    """Create files with these names; if a name contains `=`, the text after it is the file's contents."""
    for name in names:
        path, _, text = name.partition("=")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def look(*paths: str, **given: object) -> Found:
    table = {name.replace("_", "-"): value for name, value in given.items()}
    overrides = values_of(table, str(Path.cwd()), VOCABULARY)
    return discover(paths or ["."], Configuration(VOCABULARY, overrides).settings_for)


def names(found: Found) -> list[str]:
    return [file.path for file in found.files]


class TestDiscover:
    def test_python_files_by_path(self) -> None:
        make("b.py", "a/c.py", "a.py", "a-b/d.py", "x.pyi", "y.txt", "dir.py/e.py")
        assert names(look()) == ["a-b/d.py", "a.py", "a/c.py", "b.py", "dir.py/e.py"]

    def test_paths_are_shown_as_given(self, tmp_path: Path) -> None:
        make("a/b.py")
        assert names(look("./a/")) == ["a/b.py"]
        assert names(look("a/b.py")) == ["a/b.py"]
        assert names(look(str(tmp_path / "a"))) == [f"{tmp_path.as_posix()}/a/b.py"]

    def test_each_file_once(self) -> None:
        make("a/b.py", "a/c.py")
        assert names(look("a/c.py", "a", "./a/../a/b.py")) == ["a/c.py", "a/b.py"]

    def test_some_folders_are_left_out(self) -> None:
        make("a.py", ".venv/b.py", "node_modules/c.py", "pkg/__pycache__/d.py", "build/e.py", "pkg/.git/f.py")
        found = look()
        assert names(found) == ["a.py"]
        assert sorted(path for path, _ in found.skipped) == ["build", "node_modules"]

    def test_a_package_is_no_output_of_a_build(self) -> None:
        make("pkg/dist/__init__.py", "pkg/dist/a.py", "pkg/build/b.py", "build/__init__.py", "build/lib/c.py")
        found = look()
        assert names(found) == ["build/__init__.py", "build/lib/c.py", "pkg/dist/__init__.py", "pkg/dist/a.py"]
        assert [path for path, _ in found.skipped] == ["pkg/build"]

    def test_a_package_that_git_ignores_stays_out(self) -> None:
        make("a.py", "dist/__init__.py", ".gitignore=dist/")
        assert names(look()) == ["a.py"]

    def test_what_is_given_is_taken(self) -> None:
        make("build/a.py", "site-packages/yolov5/b.py", "script", "gen/c.py")
        assert names(look("build", "script", "gen/c.py", exclude=["gen", "script"])) == [
            "build/a.py",
            "script",
            "gen/c.py",
        ]
        assert names(look("site-packages/yolov5")) == ["site-packages/yolov5/b.py"]

    def test_exclude(self) -> None:
        make("a.py", "gen/b.py", "deep/gen/c.py", "d_pb2.py", "build/e.py", "data/f.py", "deep/data/g.py")
        found = look(exclude=["gen", "*_pb2.py", "!build", "/data"])
        assert names(found) == ["a.py", "build/e.py", "deep/data/g.py"]
        assert {path for path, _ in found.skipped} == {"gen", "deep/gen", "d_pb2.py", "data"}

    def test_exclude_is_relative_to_the_file_that_says_it(self) -> None:
        make("a/uncuda.toml=exclude = ['/x']", "a/x/b.py", "a/y/x/c.py", "x/d.py")
        assert names(look()) == ["a/y/x/c.py", "x/d.py"]

    def test_each_folder_has_the_settings_of_the_closest_file(self) -> None:
        make("a.py", "a/b.py", "a/uncuda.toml=target = 'musa'", "a/c/d.py")
        targets = {file.path: file.settings.target for file in look().files}
        assert targets == {"a.py": None, "a/b.py": "musa", "a/c/d.py": "musa"}

    def test_a_broken_configuration_costs_only_what_it_governs(self) -> None:
        make("a.py", "b/uncuda.toml=target = 1", "b/c.py", "b/d/e.py")
        found = look()
        assert names(found) == ["a.py"]
        assert found.problems == [("b/uncuda.toml", 'line 1: `target` is a text, not `1`; write target = "1"')]

    def test_missing(self) -> None:
        make("a.py")
        found = look("none.py", "a.py", "no/folder")
        assert names(found) == ["a.py"]
        assert found.problems == [
            ("none.py", "no such file or folder"),
            ("no/folder", "no such file or folder"),
        ]

    def test_no_python(self) -> None:
        make("empty/a.txt", "only/build/b.py")
        found = look("empty", "only")
        assert [path for path, _ in found.problems] == ["empty", "only"]
        assert found.problems[0].message == "no Python file in this folder"
        assert "1 left out" in found.problems[1].message

    @posix
    def test_neither_file_nor_folder(self) -> None:
        os.mkfifo("pipe.py")
        make("a.py")
        assert look("pipe.py").problems == [("pipe.py", "is neither a file nor a folder")]
        assert names(look()) == ["a.py"]

    @posix
    @pytest.mark.usefixtures("nobody")
    def test_a_folder_that_cannot_be_read(self) -> None:
        make("a.py", "shut/b.py")
        Path("shut").chmod(0)
        found = look()
        Path("shut").chmod(0o700)
        assert names(found) == ["a.py"]
        assert found.problems == [("shut", "no permission to read it")]


@posix
class TestLinks:
    def test_a_folder_that_leads_back(self) -> None:
        make("a/b.py")
        Path("a/up").symlink_to("..")
        found = look()
        assert names(found) == ["a/b.py"]
        assert found.problems == []
        assert found.skipped == [("a/up", "link to a folder; links are not followed")]

    def test_a_link_that_is_its_own_target(self) -> None:
        make("a.py")
        Path("loop.py").symlink_to("loop.py")
        found = look()
        assert names(found) == ["a.py"]
        assert found.problems == [("loop.py", "a loop of symbolic links")]
        assert look("loop.py").problems == found.problems

    def test_a_link_to_a_file_is_the_file(self) -> None:
        make("b.py", "sub/c.py")
        Path("a.py").symlink_to("b.py")
        Path("d.py").symlink_to("sub/e.py")
        found = look()
        assert names(found) == ["a.py", "sub/c.py"]
        assert found.skipped == [("d.py", "link that leads nowhere")]

    def test_a_given_link_is_followed(self) -> None:
        make("real/a.py")
        Path("link").symlink_to("real")
        assert names(look("link")) == ["link/a.py"]


class TestGitignore:
    def test_nested(self) -> None:
        make(
            ".gitignore=*_gen.py\n/out/\n",
            "a.py", "a_gen.py", "out/b.py", "sub/out/c.py", "sub/d_gen.py", "sub/e_gen.py", "sub/f.py",
            "sub/.gitignore=!d_gen.py\nf.py\n",
        )  # fmt: skip
        found = look()
        assert names(found) == ["a.py", "sub/d_gen.py", "sub/out/c.py"]
        assert ("out", "ignored by .gitignore") in found.skipped

    def test_of_the_repository_around(self) -> None:
        make(".gitignore=x.py", "sub/deep/x.py", "sub/deep/y.py", "sub/.gitignore=/deep/y.py", "sub/deep/z.py")
        Path(".git").mkdir()
        assert names(look("sub/deep")) == ["sub/deep/z.py"]

    def test_without_a_repository_folders_above_do_not_count(self) -> None:
        make(".gitignore=x.py", "sub/x.py")
        assert names(look("sub")) == ["sub/x.py"]

    def test_what_is_given_is_taken(self) -> None:
        make(".gitignore=out/\n", "out/a.py", "out/b/c.py")
        Path(".git").mkdir()
        assert names(look("out")) == ["out/a.py", "out/b/c.py"]
        assert names(look("out/a.py")) == ["out/a.py"]

    def test_exclude_can_take_back(self) -> None:
        make(".gitignore=*.py\n", "a.py", "b.py")
        assert names(look(exclude=["!a.py"])) == ["a.py"]

    def test_a_pattern_that_cannot_be_read_is_passed_over(self) -> None:
        make(".gitignore=a.py\n/\n!\n[\nb.py\n", "a.py", "b.py", "c.py")
        assert names(look()) == ["c.py"]


@pytest.mark.slow
class TestReach:
    def test_what_discover_finds_and_nothing_else(self, tmp_path: Path) -> None:
        make("repo/uncuda.toml=exclude = ['gen', '*_pb2.py', '!build']", "repo/.gitignore=secret.py\n/tmp/")
        make("repo/a.py", "repo/gen/b.py", "repo/c_pb2.py", "repo/build/d.py", "repo/dist/e.py", "repo/secret.py")
        make(
            "repo/tmp/f.py",
            "repo/x/tmp/g.py",
            "repo/x/uncuda.toml=exclude = ['h.py']",
            "repo/x/h.py",
            "repo/x/c_pb2.py",
        )
        make(
            "repo/x/.gitignore=!secret.py",
            "repo/x/secret.py",
            "repo/.venv/i.py",
            "repo/pkg/dist/__init__.py",
            "repo/y/dist/k.py",
            "repo/bad/uncuda.toml=x",
            "repo/bad/j.py",
        )
        root = str(tmp_path / "repo")
        settings_for = Configuration(VOCABULARY).settings_for
        found = {file.path: file.settings for file in discover([root], settings_for).files}
        assert len(found) == 6
        for path in map(str, (tmp_path / "repo").rglob("*.py")):
            file = reach(path, root, settings_for)
            assert (file.settings if file else None) == found.get(path), path

    def test_the_file_need_not_be_there(self, tmp_path: Path) -> None:
        make("repo/.gitignore=secret.py")
        settings_for = Configuration(VOCABULARY).settings_for
        assert reach(str(tmp_path / "repo/new/a.py"), str(tmp_path / "repo"), settings_for)
        assert not reach(str(tmp_path / "repo/new/secret.py"), str(tmp_path / "repo"), settings_for)


def test_a_folder_without_python_may_be_no_problem() -> None:
    make("a/x.txt")
    assert not discover(["a"], Configuration(VOCABULARY).settings_for, empty=True).problems


@pytest.mark.slow
def test_discovery_is_quick() -> None:
    for folder in range(100):
        make(*(f"p/d{folder}/m{number}.py" for number in range(50)))
    look()
    start = time.process_time()
    found = look()
    assert time.process_time() - start < 0.1
    assert len(found.files) == 5000


def scan(text: str) -> tuple[list[str], list[str], list[str]]:
    scanner = Scanner(WORDS)
    scanner.add(text.encode())
    project = scanner.project()
    return sorted(project.plugins), sorted(project.shims), sorted({owner.method for owner in project.owners})


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("import torch, torch_npu as n", (["npu"], [], [])),
        ("import torch_npu.npu.amp", (["npu"], [], [])),
        ("x = 1; import torch_npu", (["npu"], [], [])),
        ("from\ttorch_npu  import npu", (["npu"], [], [])),
        ("if x: import torch_musa", (["musa"], [], [])),
        ("from torch_npu.contrib import (a,\n    transfer_to_npu)", (["npu"], ["npu"], [])),
        ("import torch_npu.contrib.transfer_to_npu", (["npu"], ["npu"], [])),
        ("try:\n    import torchada  # why\nexcept ImportError: pass", ([], ["musa"], [])),
        ('"""\nimport torch_npu\n"""', ([], [], [])),
        ("# import torch_npu", ([], [], [])),
        ("import torch_npus", ([], [], [])),
        ("from . import torch_npu", ([], [], [])),
        ("print('import torch_npu')", ([], [], [])),
        ("class A:\n    def cuda(self): pass\n\tasync def is_cuda(self): pass", ([], [], ["cuda", "is_cuda"])),
        ("def cuda(x): pass", ([], [], [])),
        ("class A:\n    is_cuda: bool", ([], [], ["is_cuda"])),
        ("class A:\n    is_cuda: bool = field(default=False)\n", ([], [], ["is_cuda"])),
        ("class A:\n    is_cuda = False\n", ([], [], ["is_cuda"])),
        ("class A:\n    def f(self):\n        is_cuda = x.is_cuda\n", ([], [], [])),
        ("class A:\n    is_cuda: Optional[bool] = None  # why\n", ([], [], ["is_cuda"])),
        ("class A:\n    def f(self):\n        self.is_cuda = x.is_cuda", ([], [], ["is_cuda"])),
        ("class A:\n    def f(self):\n        if self.is_cuda == y: pass", ([], [], [])),
        ("def f(\n    is_cuda: bool,\n    a): pass", ([], [], [])),
        ("def f(\n    is_cuda: bool\n): pass", ([], [], [])),
        ("class A:\n    def f(\n        self, x,\n        is_cuda: bool\n    ): pass", ([], [], [])),
        ("is_cuda: bool = x", ([], [], [])),
        ("'''\n  def cuda(self):\n'''", ([], [], [])),
        ("x.cuda()", ([], [], [])),
    ],
)
def test_what_a_project_is(text: str, facts: tuple[list[str], list[str], list[str]]) -> None:
    assert scan(text) == facts


def test_survey_names_what_is_not_text() -> None:
    make("a.py=import torch_npu", "d.py")
    Path("b.py").write_bytes(b"\x00\x01")
    Path("c.py").write_bytes(b"# \xff\n")
    Path("e.py").write_bytes(b"# coding: latin-1\n# \xff\nimport torch_musa\n")
    Path("f.py").write_bytes(b"# coding: nonsense\n# \xff\n")
    with Path("g.py").open("wb") as file:
        file.truncate(50_000_000)
    result = survey(look().files, WORDS, lambda _, data: b"torch" in data)
    assert [file.path for file in result.files] == ["a.py", "d.py", "e.py"]
    assert result.silent == {"d.py"}
    assert result.project.plugins == {"npu", "musa"}
    told = dict(result.problems)
    assert "binary" in told["b.py"]
    assert "not utf-8" in told["c.py"]
    assert "nonsense" in told["f.py"]
    assert told["g.py"].startswith("more than 8,000,000 bytes")


class TestWrite:
    @pytest.fixture(autouse=True)
    def _nothing_else_is_left(self, request: pytest.FixtureRequest) -> Iterator[None]:
        if "nobody" in request.fixturenames:
            request.getfixturevalue("nobody")
        make("folder/a.py=old")
        yield
        assert [path.name for path in Path("folder").iterdir()] == ["a.py"]

    def test_contents_and_mode(self) -> None:
        path = Path("folder/a.py")
        path.chmod(0o751)
        write_atomically("folder/a.py", b"new")
        assert path.read_bytes() == b"new"
        assert stat.S_IMODE(path.stat().st_mode) == 0o751

    def test_through_a_link(self) -> None:
        Path("link.py").symlink_to("folder/a.py")
        write_atomically("link.py", b"new")
        assert Path("link.py").is_symlink()
        assert Path("folder/a.py").read_bytes() == b"new"

    @posix
    def test_owner(self) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root may give a file away")
        os.chown("folder/a.py", 12345, 54321)
        write_atomically("folder/a.py", b"new")
        after = Path("folder/a.py").stat()
        assert (after.st_uid, after.st_gid) == (12345, 54321)

    @posix
    @pytest.mark.usefixtures("nobody")
    def test_read_only_file(self) -> None:
        Path("folder/a.py").chmod(0o444)
        with pytest.raises(FileProblem, match="read-only"):
            write_atomically("folder/a.py", b"new")
        assert Path("folder/a.py").read_bytes() == b"old"

    @posix
    @pytest.mark.usefixtures("nobody")
    def test_read_only_folder_is_named(self) -> None:
        Path("folder").chmod(0o555)
        with pytest.raises(FileProblem, match=r"folder .*folder is read-only"):
            write_atomically("folder/a.py", b"new")
        Path("folder").chmod(0o755)

    def test_gone(self) -> None:
        with pytest.raises(FileProblem, match="cannot be written"):
            write_atomically("folder/b.py", b"new")

    def test_a_name_as_long_as_names_can_be(self) -> None:
        name = "folder/" + "n" * 252 + ".py"
        make(f"{name}=old")
        write_atomically(name, b"new")
        assert Path(name).read_bytes() == b"new"
        Path(name).unlink()

    def test_a_chinese_name_as_long_as_names_can_be(self) -> None:
        name = "folder/" + "名" * 84 + ".py"
        make(f"{name}=old")
        write_atomically(name, b"new")
        assert Path(name).read_bytes() == b"new"
        Path(name).unlink()

    @posix
    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o604, 0o444, 0o755, 0o4711])
    def test_nobody_else_may_read_it_at_any_time(self, mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
        if os.geteuid() != 0 and not mode & stat.S_IWUSR:
            pytest.skip("only root writes it")
        Path("folder/a.py").chmod(mode)
        before = os.umask(0)
        try:
            seen = _modes_seen(monkeypatch, Path("folder"), lambda: write_atomically("folder/a.py", b"new"))
        finally:
            os.umask(before)
        assert seen[0] == 0o600
        assert not [f"{other:o}" for other in seen if other & 0o077 & ~mode]
        assert stat.S_IMODE(Path("folder/a.py").stat().st_mode) == mode

    @posix
    def test_a_group_that_cannot_be_kept_is_anyone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root may give a file away")

        def refuse(*_: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        os.chown("folder/a.py", 12345, 54321)
        Path("folder/a.py").chmod(0o4664)
        monkeypatch.setattr(os, "chown", refuse)
        write_atomically("folder/a.py", b"new")
        assert stat.S_IMODE(Path("folder/a.py").stat().st_mode) == 0o644

    @linux
    def test_extended_attributes(self) -> None:
        _attribute("folder/a.py", "user.origin", b"https://example.com")
        write_atomically("folder/a.py", b"new")
        assert os.getxattr("folder/a.py", "user.origin") == b"https://example.com"
        assert os.listxattr("folder/a.py") == ["user.origin"]

    @linux
    def test_access_lists(self) -> None:
        _attribute("folder/a.py", "system.posix_acl_access", _access_list(0o6, 0o4, 0o6, 0o0))
        before = os.getxattr("folder/a.py", "system.posix_acl_access")
        write_atomically("folder/a.py", b"new")
        assert os.getxattr("folder/a.py", "system.posix_acl_access") == before
        assert stat.S_IMODE(Path("folder/a.py").stat().st_mode) == 0o660

    @linux
    def test_an_access_list_of_the_folder_lets_nobody_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("folder/a.py").chmod(0o660)
        _attribute("folder", "system.posix_acl_default", _access_list(0o7, 0o7, 0o7, 0o7))
        write_atomically("folder/a.py", b"new")
        assert os.listxattr("folder/a.py") == []
        assert stat.S_IMODE(Path("folder/a.py").stat().st_mode) == 0o660

    @posix
    def test_hard_links_keep_the_old_text_and_are_counted(self) -> None:
        for name in ("b", "c"):
            os.link("folder/a.py", name)
        assert write_atomically("folder/a.py", b"new") == 2
        assert [Path(name).read_bytes() for name in ("folder/a.py", "b", "c")] == [b"new", b"old", b"old"]
        assert write_atomically("folder/a.py", b"newer") == 0

    @pytest.mark.parametrize("step", ["chmod", "replace"])
    @pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError, OSError(28, "No space left on device")])
    def test_stopped_half_way(
        self, monkeypatch: pytest.MonkeyPatch, step: str, failure: type[BaseException] | OSError
    ) -> None:
        def stop(*_: object) -> None:
            raise failure

        monkeypatch.setattr(os, step, stop)
        monkeypatch.setattr(os, "supports_fd", {*os.supports_fd, stop})
        expected = FileProblem if isinstance(failure, OSError) else failure
        with pytest.raises(expected):
            write_atomically("folder/a.py", b"new")
        assert Path("folder/a.py").read_bytes() == b"old"


def _modes_seen(monkeypatch: pytest.MonkeyPatch, folder: Path, act: Callable[[], object]) -> list[int]:
    """Return the permissions of all files in a folder except a.py, read after each call that creates or changes a file
    in the folder."""
    seen: list[int] = []

    def watch(*_: object) -> None:
        seen.extend(stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir() if path.name != "a.py")

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> Any:
            result = call(*arguments, **named)
            watch()
            return result

        return run

    with monkeypatch.context() as patch:
        supported = set(os.supports_fd)
        for name in ("open", "chown", "chmod", "setxattr", "fdopen"):
            made = watched(getattr(os, name))
            supported |= {made}
            patch.setattr(os, name, made)
        patch.setattr(os, "supports_fd", supported)
        patch.setattr(io, "open", watched(io.open))  # Path.open calls io.open
        act()
    return seen


def _access_list(user: int, other_user: int, mask: int, others: int) -> bytes:
    """Return the bytes of a Linux ACL with entries for the owner, the user 12345, no group, the mask and everybody
    else."""
    entries = [(0x01, user, -1), (0x02, other_user, 12345), (0x04, 0, -1), (0x10, mask, -1), (0x20, others, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


def _attribute(path: str, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"no extended attributes in {path}: {error.strerror}")


@posix
@pytest.mark.usefixtures("nobody")
def test_unreadable_file() -> None:
    make("a.py=x")
    Path("a.py").chmod(0)
    with pytest.raises(FileProblem, match="Permission denied"):
        read_file("a.py")


def test_settings_are_shared_by_the_files_of_a_project() -> None:
    make("a.py", "b/c.py", "b/d/e.py")
    assert len({id(file.settings) for file in look().files}) == 1
    assert look().files[0].settings == Settings()


class Engine:
    """Replaces the engine in these tests: it replaces the word `old` and raises an error at the word `bug`."""

    def concerns(self, data: bytes) -> bool:
        return b"old" in data or b"bug" in data

    def check(self, source: Source, concerned: bool = False, answers: None = None) -> Report:
        if "bug" in source.text:
            raise RecursionError("too deep")
        return Report()

    def fix(
        self,
        source: Source,
        review: bool,
        concerned: bool = False,
        rules: None = None,
        answers: None = None,
        selection: None = None,
    ) -> Fixed:
        return Fixed(source.text.replace("old", "é" if review else "new"), {"rule": 1}, self.check(source))


class TestRun:
    @pytest.fixture(autouse=True)
    def _files(self) -> None:
        make("a.py=old", "b.py=bug", "c.py=none", "d.py=old")

    @staticmethod
    def engine(_: Settings) -> Any:
        return Engine()

    def test_a_file_that_fails_does_not_stop_the_rest(self) -> None:
        results = list(check_files(look().files, self.engine))
        assert [result.file.path for result in results if result.report] == ["a.py", "d.py"]
        (failed,) = [result for result in results if result.problem]
        assert failed.problem == ("b.py", "internal error, please report it: RecursionError: too deep")
        assert "Traceback" in failed.trace

    def test_fixes_are_written_one_by_one(self) -> None:
        results = {result.file.path: result for result in fix_files(look().files, self.engine, review=False)}
        assert [path for path, result in results.items() if result.problem] == ["b.py"]
        assert Path("a.py").read_text() == "old"
        write(results["a.py"])
        assert [Path(name).read_text() for name in ("a.py", "d.py")] == ["new", "old"]

    @pytest.mark.parametrize("text", ["someone else's", "of more bytes than are read"])
    def test_a_file_that_changed_meanwhile_is_left_as_it_is(self, text: str) -> None:
        settings = Settings(max_bytes=20)
        files = [file._replace(settings=settings) for file in look().files]
        results = {result.file.path: result for result in fix_files(files, self.engine, review=False)}
        make(f"a.py={text}")
        with pytest.raises(FileProblem, match="changed while"):
            write(results["a.py"])
        assert Path("a.py").read_text() == text

    def test_a_result_that_the_encoding_cannot_hold(self) -> None:
        make("a.py=# coding: ascii\nold")
        results = {result.file.path: result for result in fix_files(look().files, self.engine, review=True)}
        problem = results["a.py"].problem
        assert problem is not None
        assert "cannot be written in ascii" in problem.message

    def test_a_file_that_went_away(self) -> None:
        files = look().files
        Path("a.py").unlink()
        result = next(check_files(files, self.engine))
        assert result.problem == ("a.py", "cannot be read: No such file or directory")


@pytest.mark.parametrize(
    "line",
    [
        "x = 'torch_npu import\n",
        "import torch_npu\r",
        "# torch_npu import ",
        pytest.param("from torch_npu import (a,\n", marks=pytest.mark.slow),
        pytest.param("torch_npu, ", marks=pytest.mark.slow),
    ],
    ids=["no-closing-quote", "carriage-returns", "one-comment", "no-closing-bracket", "names"],
)
def test_what_is_looked_for_next_to_a_name_is_looked_for_once(line: str) -> None:
    """Checking a megabyte must take a fraction of a second; it once took minutes, because each name was looked up
    separately."""
    data = b"import torch_npu\n" + line.encode() * (1_000_000 // len(line))
    code = (
        "import sys; from uncuda.workspace import Scanner, Words\n"
        "said = Scanner(Words({'npu': 'torch_npu'}, {})).look(sys.stdin.buffer.read())\n"
        "assert said.modules, said"
    )
    subprocess.run([sys.executable, "-c", code], input=data, check=True, timeout=30)
