"""Tests of the process that fixes the workspace: which files it changes, which it skips and why, and that it can be
stopped."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from cli.command import MANUAL, REVIEW, SAFE, uncuda
from lsp.harness.text import Positions
from support.forked import IS_POSSIBLE, Forked
from uncuda.catalogue import load
from uncuda.child import command
from uncuda.engine import Engine
from uncuda.lsp.fixing.job import (
    CODEC,
    Buffer,
    FileChange,
    Form,
    Job,
    JobAnswer,
    JobDone,
    JobFailed,
    JobFolder,
    JobProgress,
    JobUndecided,
    Left,
)
from uncuda.lsp.state import inspected, scan
from uncuda.lsp.state.folders import Folders
from uncuda.lsp.wire.background import Background
from uncuda.lsp.wire.client import Client
from uncuda.lsp.wire.positions import Encoding
from uncuda.source import Source

FIXED = SAFE.replace("nccl", "hccl").replace(
    "import torch.distributed as dist\n", "import torch.distributed as dist\nimport torch_npu\n"
)
LATIN = "# -*- coding: latin-1 -*-\n# caf\xe9\n".encode("latin-1") + SAFE.encode()


@dataclass
class Done:
    """The results that the process reported about the files it fixed."""

    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    edits: dict[str, Any] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    left: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    diff: str = ""
    other: list[JobAnswer] = field(default_factory=list)


def forked() -> Forked:
    return Forked([], Path.cwd(), os.environ, module="uncuda.lsp.fixing.worker", errors=2)


@contextmanager
def started(job: Job, fork: bool = False) -> "Iterator[subprocess.Popen[bytes] | Forked]":
    """Yield a process that has received its job; with `fork`, a forked process, for tests that only check the
    results."""
    pipe = subprocess.PIPE
    with (
        forked() if fork else subprocess.Popen(command("uncuda.lsp.fixing.worker"), stdin=pipe, stdout=pipe) as process
    ):
        assert process.stdin
        process.stdin.write(CODEC.line(job))
        process.stdin.flush()
        yield process


def run(job: Job) -> Done:
    with started(job, fork=IS_POSSIBLE) as process:
        assert process.stdout
        done = Done()
        for answer in map(CODEC.record, process.stdout):
            if isinstance(answer, FileChange):
                done.files[answer.uri] = asdict(answer)
                body = answer.body
                done.edits[answer.uri] = json.loads(body) if body and job.form.document_changes else body
            elif isinstance(answer, JobDone):
                done.skipped = {item["uri"]: item["reason"] for item in answer.skipped}
                done.left = {Path(uri).name: left[:3] for uri, left in answer.left.items()}
                done.diff = answer.diff
            else:
                done.other.append(answer)
    assert process.returncode == 0
    return done


Make = Callable[..., Job]


@pytest.fixture
def job(tmp_path: Path) -> Make:
    """Return a function that makes a job with target npu for files in the test's folder."""

    def make(files: dict[str, str | bytes], **more: Any) -> Job:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        more.setdefault("folders", (JobFolder(str(tmp_path), {"target": "npu"}),))
        return Job(**more)

    return make


def applied(done: Done, uri: str, text: str, encoding: str = "utf-16") -> str:
    edits = done.edits[uri]["edits"]
    lines = Positions(text, encoding)
    for edit in reversed(edits):
        start, end = lines.span(edit["range"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


def test_a_file_with_fixes(job: Make, tmp_path: Path) -> None:
    done = run(job({"a.py": SAFE, "b.py": "x = 1\n", "c.py": MANUAL}))
    uri = (tmp_path / "a.py").as_uri()
    assert list(done.files) == [uri]
    assert applied(done, uri, SAFE) == FIXED
    assert done.edits[uri]["textDocument"] == {"uri": uri, "version": None}
    head = done.files[uri]
    stat = (tmp_path / "a.py").stat()
    assert (head["open"], head["stamp"], head["edits"]) == (False, (stat.st_mtime_ns, stat.st_size), 2)
    assert (done.left, done.skipped) == ({"a.py": (1, 0, 0), "c.py": (0, 1, 1)}, {})
    assert head["left"] == Left()


def test_edits_are_small(job: Make, tmp_path: Path) -> None:
    done = run(job({"a.py": "x = 1\n" * 1000 + SAFE + "y = 2\n" * 1000}))
    (document,) = done.edits.values()
    assert sum(len(edit["newText"]) for edit in document["edits"]) < 40
    assert all(edit["range"]["start"]["line"] >= 1000 for edit in document["edits"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_count_in_the_units_of_the_client(job: Make, tmp_path: Path, encoding: Encoding) -> None:
    text = 'import torch\nx = ("中文", "\U0001f600", torch.device("cuda"))\n'
    done = run(job({"a.py": text}, form=Form(encoding=encoding)))
    uri = (tmp_path / "a.py").as_uri()
    assert 'torch.device("npu")' in applied(done, uri, text, encoding)


def test_a_client_that_knows_changes_only(job: Make, tmp_path: Path) -> None:
    (body,) = run(job({"a.py": SAFE}, form=Form(document_changes=False))).edits.values()
    edits = json.loads("{" + body + "}")
    assert list(edits) == [(tmp_path / "a.py").as_uri()]
    assert len(edits[(tmp_path / "a.py").as_uri()]) == 2


def test_annotations_tell_rules_and_classes_apart(job: Make) -> None:
    text = 'import torch\ntorch.cuda.synchronize()\nx = torch.device("cuda")\nif lang == "cuda":\n    pass\n'
    done = run(job({"a.py": text}, review=True, form=Form(annotate=True)))
    (document,), (head,) = done.edits.values(), done.files.values()
    found = [(edit["newText"], edit["annotationId"]) for edit in document["edits"]]
    assert found == [
        ("import torch_npu\n", "*"),
        ("npu", "cuda-api"),
        ("npu", "device-string"),
        ("npu", "device-string?"),
    ]
    assert head["annotations"] == ["*", "cuda-api", "device-string", "device-string?"]


def test_what_is_to_review_is_left_unless_asked_for(job: Make) -> None:
    files: dict[str, str | bytes] = {"a.py": REVIEW}
    done = run(job(files))
    assert (done.files, done.left) == ({}, {"a.py": (0, 1, 0)})
    assert run(job(files, review=True)).files


def test_some_rules_only(job: Make, tmp_path: Path) -> None:
    text = 'import torch\ntorch.cuda.synchronize()\ntorch.device("cuda")\n'
    done = run(job({"a.py": text, "b.py": MANUAL}, rules=("device-string",)))
    after = applied(done, (tmp_path / "a.py").as_uri(), text)
    assert "torch.cuda.synchronize()" in after and 'device("npu")' in after
    assert list(done.files[(tmp_path / "a.py").as_uri()]["rules"]) == ["device-string"]
    assert done.left == {"a.py": (1, 0, 0)}


def test_an_open_buffer_counts_and_not_its_file(job: Make, tmp_path: Path) -> None:
    uri, text = (tmp_path / "a.py").as_uri(), "# typed\n" + SAFE
    buffer = Buffer(uri, str(tmp_path / "a.py"), 7, text)
    done = run(job({"a.py": b"\xff\xfe nothing"}, buffers=(buffer,)))
    assert applied(done, uri, text) == "# typed\n" + FIXED
    assert done.edits[uri]["textDocument"]["version"] == 7
    assert (done.files[uri]["open"], done.files[uri]["stamp"]) == (True, None)


def test_a_buffer_decides_the_project(job: Make, tmp_path: Path) -> None:
    buffer = Buffer((tmp_path / "b.py").as_uri(), str(tmp_path / "b.py"), 1, "import torch_musa\n")
    done = run(job({"a.py": SAFE, "b.py": ""}, buffers=(buffer,), folders=(JobFolder(str(tmp_path)),)))
    assert "mccl" in applied(done, (tmp_path / "a.py").as_uri(), SAFE)


def test_a_buffer_without_a_file_is_part_of_its_folder(job: Make, tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("secret.py\n")
    paths = [tmp_path / name for name in ("new.py", "secret.py", "venv/a.py")] + [tmp_path.parent / "other.py"]
    buffers = tuple(Buffer(path.as_uri(), str(path), 1, SAFE) for path in paths)
    done = run(job({}, buffers=buffers))
    assert list(done.files) == [paths[0].as_uri()]


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_a_buffer_under_another_name_of_the_file(job: Make, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    uri = (tmp_path / "link" / "a.py").as_uri()
    buffer = Buffer(uri, str(tmp_path / "link" / "a.py"), 3, SAFE)
    done = run(job({"real/a.py": "# not saved yet\n"}, buffers=(buffer,)))
    assert list(done.files) == [uri]


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
class TestLinks:
    """A symbolic link that leads out of the workspace is followed only if the user names it, as on the command line."""

    REASON = "the file is a link to a file outside of the given paths"

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        for name in ("out/a.py", "out/deep/b.py", "in/c.py"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(SAFE)
        (tmp_path / "in/link.py").symlink_to("../out/a.py")
        (tmp_path / "in/linked").symlink_to("../out/deep")
        (tmp_path / "in/own.py").symlink_to("c.py")
        return tmp_path / "in"

    def run(self, folder: Path, *buffers: str, **more: Any) -> Done:
        opened = tuple(Buffer((folder / name).as_uri(), str(folder / name), 1, SAFE) for name in buffers)
        return run(Job((JobFolder(str(folder), {"target": "npu"}),), opened, **more))

    @pytest.mark.parametrize("diff", [False, True])
    def test_a_link_out_is_left_alone_and_named(self, folder: Path, diff: bool) -> None:
        done = self.run(folder, diff=diff, review=diff)
        assert list(done.files) == [(folder / "c.py").as_uri()]
        assert list(done.skipped) == [(folder / "link.py").as_uri()]
        assert self.REASON in done.skipped[(folder / "link.py").as_uri()]
        assert "link.py" not in done.diff

    def test_in_chinese(self, folder: Path) -> None:
        (reason,) = self.run(folder, locale="zh").skipped.values()
        assert reason.startswith("它是指向给定目录之外文件的链接")

    def test_that_it_is_open_changes_nothing(self, folder: Path) -> None:
        done = self.run(folder, "link.py", "linked/b.py")
        assert list(done.files) == [(folder / "c.py").as_uri()]
        assert sorted(done.skipped) == sorted((folder / name).as_uri() for name in ("link.py", "linked/b.py"))

    @pytest.mark.parametrize("name", ["link.py", "linked/b.py"])
    def test_the_one_that_is_named_is_fixed(self, folder: Path, name: str) -> None:
        done = self.run(folder, name, scope=str(folder / name))
        assert (list(done.files), done.skipped) == ([(folder / name).as_uri()], {})

    def test_a_link_to_another_folder_of_the_workspace(self, folder: Path) -> None:
        settings = {"target": "npu"}
        done = run(Job((JobFolder(str(folder), settings), JobFolder(str(folder.parent / "out"), settings))))
        assert (folder / "link.py").as_uri() in done.files
        assert not done.skipped


def test_without_a_folder_each_buffer_is_by_itself(job: Make, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    buffers = (
        Buffer(path.as_uri(), str(path), 1, SAFE),
        Buffer("untitled:Untitled-1", "", 1, "import torch_musa\n" + SAFE),
    )
    done = run(job({"c.py": SAFE}, buffers=buffers, folders=(JobFolder("", {}, {"locale": "en"}),)))
    assert sorted(done.files) == sorted(buffer.uri for buffer in buffers)
    assert "hccl" in applied(done, path.as_uri(), SAFE)
    assert "mccl" in applied(done, "untitled:Untitled-1", buffers[1].text)


def test_a_notebook_comes_back_with_offsets(job: Make, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    buffer = Buffer(path.as_uri(), str(path), None, SAFE, cells=True)
    done = run(job({}, buffers=(buffer,)))
    text = SAFE
    for start, end, new, rule in reversed(done.files[path.as_uri()]["offsets"]):
        assert rule == "nccl-backend"
        text = text[:start] + new + text[end:]
    assert text == FIXED
    assert not done.edits[path.as_uri()]


class TestLeftAlone:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (LATIN, "encoding is iso8859-1"),
            (b"# coding: gbk\n# \xd6\xd0\n" + SAFE.encode(), "encoding is gbk"),
            (b"x = 1\r\n" + SAFE.encode(), "the file has different line ends"),
            (SAFE.encode().replace(b"\n", b"\r"), "the file has different line ends"),
        ],
    )
    def test_what_an_editor_would_write_back_otherwise(
        self, job: Make, tmp_path: Path, data: bytes, reason: str
    ) -> None:
        done = run(job({"a b.py": data}))
        assert not done.files
        why = done.skipped[(tmp_path / "a b.py").as_uri()]
        assert reason in why and f"`uncuda fix '{tmp_path}/a b.py' --target npu`" in why

    def test_the_command_that_it_names_does_it(self, job: Make, tmp_path: Path) -> None:
        done = run(job({"a.py": LATIN}, review=True))
        (why,) = done.skipped.values()
        words = why.partition("`uncuda ")[2].rstrip("`").split()
        uncuda(*words)
        assert b"hccl" in (tmp_path / "a.py").read_bytes()

    @pytest.mark.parametrize("data", [b"\xef\xbb\xbf" + SAFE.encode(), SAFE.encode().replace(b"\n", b"\r\n")])
    def test_a_byte_order_mark_and_windows_line_ends_stay(self, job: Make, tmp_path: Path, data: bytes) -> None:
        done = run(job({"a.py": data}))
        text = data.decode("utf-8-sig")
        uri = (tmp_path / "a.py").as_uri()
        assert applied(done, uri, text).replace("\r\n", "\n") == FIXED
        assert applied(done, uri, text).count("\r") == (len(FIXED.splitlines()) if b"\r" in data else 0)

    def test_a_declared_encoding_that_is_as_good_as_utf8(self, job: Make) -> None:
        assert run(job({"a.py": "# coding: latin-1\n" + SAFE})).files

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"\0" + SAFE.encode(), "binary file"),
            (b"# caf\xe9\n" + SAFE.encode(), "not utf-8"),
            (b"#" * 8_000_001, "more than 8,000,000 bytes"),
            (SAFE + "def f(:\n", "does not parse"),
        ],
    )
    def test_what_cannot_be_read(self, job: Make, tmp_path: Path, data: bytes, reason: str) -> None:
        done = run(job({"a.py": data, "b.py": SAFE}))
        assert list(done.files) == [(tmp_path / "b.py").as_uri()]
        assert reason in done.skipped[(tmp_path / "a.py").as_uri()]

    def test_a_document_whose_fixes_are_off(self, job: Make, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        buffer = Buffer(path.as_uri(), str(path), 1, SAFE, disabled="reopen it")
        done = run(job({"a.py": SAFE}, buffers=(buffer,)))
        assert (done.files, done.skipped) == ({}, {path.as_uri(): "reopen it"})

    def test_a_file_without_fixes_is_not_spoken_of(self, job: Make) -> None:
        assert not run(job({"a.py": LATIN.replace(b"nccl", b"gloo")})).skipped

    def test_a_broken_configuration(self, job: Make, tmp_path: Path) -> None:
        done = run(job({"a.py": SAFE, "b/uncuda.toml": "target = 1", "b/c.py": SAFE}))
        assert list(done.files) == [(tmp_path / "a.py").as_uri()]
        assert list(done.skipped) == [(tmp_path / "b/uncuda.toml").as_uri()]

    def test_excluded_folders(self, job: Make) -> None:
        assert not run(job({".venv/a.py": SAFE, "uncuda.toml": "exclude = ['gen']", "gen/b.py": SAFE})).files


def test_the_reasons_are_chinese_where_the_editor_is(job: Make) -> None:
    (why,) = run(job({"a.py": LATIN}, locale="zh")).skipped.values()
    assert "请运行 `uncuda fix " in why


@pytest.mark.parametrize(("scope", "found"), [("", 3), ("pkg", 2), ("pkg/a.py", 1), ("pk", 0)])
def test_scope(job: Make, tmp_path: Path, scope: str, found: int) -> None:
    files: dict[str, str | bytes] = {"pkg/a.py": SAFE, "pkg/b.py": SAFE, "c.py": SAFE, "pkg/bad.py": b"\0cuda"}
    done = run(job(files, scope=str(tmp_path / scope) if scope else ""))
    assert len(done.files) == found
    assert len(done.skipped) == (scope in ("", "pkg"))


def test_the_project_is_the_folders_whatever_the_scope(job: Make, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.py": SAFE, "b.py": "import torch_musa\n"}
    done = run(job(files, scope=str(tmp_path / "a.py"), folders=(JobFolder(str(tmp_path)),)))
    assert "mccl" in applied(done, (tmp_path / "a.py").as_uri(), SAFE)


def test_each_folder_is_a_project_of_its_own_and_the_innermost_counts(job: Make, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.py": SAFE, "sub/b.py": SAFE, "sub/c.py": "import torch_musa\n"}
    done = run(job(files, folders=(JobFolder(str(tmp_path)), JobFolder(str(tmp_path / "sub")))))
    assert len(done.files) == 2
    assert "hccl" in applied(done, (tmp_path / "a.py").as_uri(), SAFE)
    assert "mccl" in applied(done, (tmp_path / "sub/b.py").as_uri(), SAFE)


def test_settings_of_the_editor_are_over_or_under_those_of_files(job: Make, tmp_path: Path) -> None:
    base = job(
        {"a.py": SAFE, "uncuda.toml": "target = 'musa'"}, folders=(JobFolder(str(tmp_path), {}, {"target": "npu"}),)
    )
    uri = (tmp_path / "a.py").as_uri()
    assert "mccl" in applied(run(base), uri, SAFE)
    over = replace(base, folders=(JobFolder(str(tmp_path), {"target": "npu"}),))
    assert "hccl" in applied(run(over), uri, SAFE)


def test_two_plugins_and_no_setting(job: Make, tmp_path: Path) -> None:
    done = run(job({"a.py": SAFE + "import torch_npu, torch_musa\n"}, folders=(JobFolder(str(tmp_path)),)))
    assert done.other[-1] == JobUndecided(("musa", "npu"))
    assert not done.files


def test_the_diff_can_be_applied(job: Make, tmp_path: Path) -> None:
    done = run(job({"a.py": SAFE, "pkg/b.py": SAFE}, diff=True))
    (tmp_path / "x.patch").write_text(done.diff)
    if shutil.which("git") is None:
        pytest.skip("git is needed")
    subprocess.run(["git", "apply", "x.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "pkg/b.py").read_text() == FIXED
    assert not run(job({"a.py": SAFE})).diff


def test_progress(job: Make) -> None:
    done = run(job({f"{number}.py": SAFE for number in range(3)}))
    assert isinstance(done.other[0], JobProgress) and done.other[0].total == 3


@pytest.mark.parametrize("how", ["closed", "line"])
def test_it_stops_when_it_is_told_to(job: Make, how: str) -> None:
    job_ = job({f"{number}.py": SAFE * 200 for number in range(400)})
    with started(job_) as process:
        assert process.stdin and process.stdout
        process.stdout.readline()
        begun = time.monotonic()
        process.stdin.close() if how == "closed" else os.write(process.stdin.fileno(), b"stop\n")
        said = process.stdout.read()
    assert b'["JobDone"' not in said
    assert process.returncode == 0
    assert time.monotonic() - begun < 5


def test_it_ends_when_nobody_reads(job: Make) -> None:
    job_ = job({f"{number}.py": SAFE for number in range(50)})
    with started(job_) as process:
        assert process.stdin and process.stdout
        process.stdout.close()
        assert process.wait(30) == 0


@pytest.mark.slow
@pytest.mark.parametrize("module", ["uncuda.lsp.state.scan_process", "uncuda.lsp.state.inspection_process"])
def test_the_others_end_with_their_input_too(job: Make, tmp_path: Path, module: str) -> None:
    """The server's other child processes also exit when their standard input ends, whatever they are doing, because
    some systems send no signal when a parent process dies."""
    job({f"{number}.py": SAFE for number in range(1000)})
    folders = Folders(Client(), {"rootUri": tmp_path.as_uri()})
    asked = (
        scan.CODEC.line(scan.Scan(str(tmp_path), {}, {}))
        if module.endswith("scan_process")
        else inspected.CODEC.line(inspected.InspectAll(folders.known(), (tmp_path.as_uri(),), {}))
    )
    done = subprocess.run(command(module), input=asked, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0
    assert b'"Scanned"' not in done.stdout and b'"InspectionDone"' not in done.stdout


def test_a_process_that_ends_in_the_middle_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    line = CODEC.line(JobFailed("a")).decode()
    program = [sys.executable, "-I", "-c", f"print({line!r}, end='[\"JobFa')"]
    monkeypatch.setattr("uncuda.lsp.wire.background.command", lambda module: program)
    ended, taken = threading.Event(), list[Any]()
    Background("module", CODEC, lambda function, *arguments: function(*arguments), taken.append, ended.set)
    assert ended.wait(30)
    assert taken == [JobFailed("a")]


def test_a_process_that_cannot_be_started_has_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("uncuda.lsp.wire.background.command", lambda module: [str(tmp_path / "python")])
    ended, taken = list[bool](), list[Any]()
    Background("module", CODEC, lambda function: function(), taken.append, lambda: ended.append(True))
    assert (ended, taken) == ([True], [])


def test_it_imports_nothing_that_only_the_server_needs() -> None:
    code = "import uncuda.lsp.fixing.worker, uncuda.lsp.fixing.rewrite, sys; print(*sys.modules)"
    command_ = [*command("x")[:-1], command("x")[-1].partition("from x")[0] + code]
    loaded = subprocess.run(command_, capture_output=True, text=True, check=True).stdout.split()
    assert not {"pygls", "lsprotocol", "asyncio", "jedi", "libcst"} & set(loaded)


def test_a_failure_is_said(job: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = run(job({"a.py": SAFE}, folders=(JobFolder(str(tmp_path), {"target": "cuda"}),)))
    (failed,) = done.other
    assert isinstance(failed, JobFailed)
    assert "unknown target `cuda`" in failed.reason
    assert "Traceback" in capfd.readouterr().err


class TestReceivers:
    TEXT = "import torch\n\n\nclass Box:\n    def to(self, x):\n        return x\n\n\nx.cuda()\ny.cuda()\n"

    def buffer(self, path: Path, text: str) -> Buffer:
        """Return an open document that lists the finding at `x` in `spared`, so that the finding is not fixed."""
        engine = Engine(load(), "npu")
        site = next(site for site in engine.sites(Source(text)) if text[: site.at].endswith("\nx."))
        return Buffer(path.as_uri(), str(path), 1, text, spared=(site,))

    def test_what_an_open_document_does_not_show_is_not_fixed(self, job: Make, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        done = run(job({"a.py": self.TEXT}, buffers=(self.buffer(path, self.TEXT),)))
        after = applied(done, path.as_uri(), self.TEXT)
        assert "x.cuda()" in after and "y.npu()" in after
        assert done.skipped == {path.as_uri(): "receiver"}

    def test_with_the_setting_they_are_asked_as_on_the_command_line(self, job: Make, tmp_path: Path) -> None:
        text = "import torch\nimport box\n\nx = box.Box()\nx.to('cuda')\ny.cuda()\n"
        box = "class Box:\n    def to(self, where):\n        return 1\n"
        path = tmp_path / "a.py"
        folder = JobFolder(str(tmp_path), {"target": "npu", "receivers": True})
        done = run(job({"a.py": text, "box.py": box}, buffers=(self.buffer(path, text),), folders=(folder,)))
        after = applied(done, path.as_uri(), text)
        assert "x.to('cuda')" in after and "y.npu()" in after
        assert not done.skipped
