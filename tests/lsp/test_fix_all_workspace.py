"""Tests that "Fix all in workspace" gives the same result as `uncuda fix`, for every LSP client, even if files change
meanwhile."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.command import MANUAL, REVIEW, SAFE, uncuda
from lsp.conftest import Start, write
from lsp.harness.client import Client
from lsp.harness.connection import Later, Refused, ResponseError
from lsp.harness.editbuffer import Buffer
from lsp.harness.profiles import PROFILES
from lsp.harness.traffic import Json
from support.notebook import notebook

FIXED = SAFE.replace("nccl", "hccl").replace(" dist\n", " dist\nimport torch_npu\n", 1)
OPENER = "this entry makes no change; all ticked changes are safe"
COMMAND, PREVIEW = "uncuda.fixAllInWorkspace", "uncuda.previewFixAllInWorkspace"
TARGET = {"uncuda.toml": 'target = "npu"\n'}
LATIN = "# -*- coding: latin-1 -*-\n# caf\xe9\n".encode("latin-1") + SAFE.encode()
MANY: dict[str, str | bytes] = {f"{number:03}.py": SAFE for number in range(300)}
ABLE = [name for name, profile in PROFILES.items() if profile.can("workspace.applyEdit")]
CANCELLED = -32800
LEFT = {"safe": 0, "review": 0, "manual": 0}


@pytest.fixture(params=ABLE)
def able(start: Start, request: pytest.FixtureRequest) -> Client:
    """Return a session of each LSP client that supports `workspace/applyEdit`, in turn, with a target set."""
    return start(request.param, files=dict(TARGET))


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def edits(client: Client) -> list[Json]:
    return [params["edit"] for params in client.traffic.received("workspace/applyEdit")]


def documents(edit: Json) -> list[str]:
    return (
        [part["textDocument"]["uri"] for part in edit["documentChanges"]]
        if "changes" not in edit
        else [*edit["changes"]]
    )


def messages(client: Client) -> list[str]:
    """Return the messages shown to the user; a message with a single button is included, but one with several buttons
    counts as a question and is left out."""
    told = [record for record in client.traffic if record.source == "server" and "message" in (record.params or {})]
    methods = ("window/showMessage", "window/showMessageRequest")
    return [r.params["message"] for r in told if r.method in methods and len(r.params.get("actions", "1")) == 1]


def log(client: Client) -> str:
    return "\n".join(params["message"] for params in client.traffic.received("window/logMessage"))


def begin(client: Client, command: str = COMMAND, **argument: Any) -> Any:
    return client.begin("workspace/executeCommand", {"command": command, "arguments": [argument]})


def reports(client: Client) -> list[Json]:
    return [params for params in client.traffic.received("$/progress") if params["value"]["kind"] == "report"]


def cancel(client: Client) -> None:
    (token,) = {params["token"] for params in client.traffic.received("$/progress")}
    client.notify("window/workDoneProgress/cancel", {"token": token})


class TestLikeTheCommandLine:
    def test_open_and_closed_files(self, able: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": "old", "pkg/b.py": SAFE, "c.py": MANUAL, "d.py": "x = 1\n", "e.py": REVIEW})
        able.open(tmp_path / "a.py", "# typed\n" + SAFE)
        result = able.execute(COMMAND)
        assert result == {
            "applied": True,
            "files": 2,
            "edits": 4,
            "byRule": {"nccl-backend": 2},
            "skipped": [],
            "safe": 0,
            "review": 2,
            "manual": 1,
        }
        assert able.text(tmp_path / "a.py") == "# typed\n" + FIXED
        assert (tmp_path / "pkg/b.py").read_text() == FIXED
        assert (tmp_path / "a.py").read_text() == "old"
        assert len(edits(able)) == 1
        assert messages(able)[-1] == "Fixed 2 findings in 2 files. Left: 2 to review, 1 by hand."
        able.buffers.undo()
        assert (able.text(tmp_path / "a.py"), (tmp_path / "pkg/b.py").read_text()) == ("# typed\n" + SAFE, SAFE)
        assert able.execute(COMMAND)["files"] == 2

    @pytest.mark.parametrize("typed", [False, True])
    @pytest.mark.parametrize(
        "form",
        [
            'patch("torch.cuda.Stream")',
            'patch.object(torch.cuda, "Stream")',
            'patch.object(app.torch.cuda, "Stream")',
        ],
    )
    def test_names_that_tests_replace_move_with_the_code_under_test(
        self, start: Start, tmp_path: Path, form: str, typed: bool
    ) -> None:
        code = "import torch\n\n\ndef wrap():\n    return torch.cuda.Stream()\n"
        head = "import torch\nfrom unittest.mock import patch\nimport app\nfrom app import wrap\n\n\n"
        test = f"{head}@{form}\ndef test(_): ...\n"
        files: dict[str, str | bytes] = {"app.py": code, "test_app.py": test, "uncuda.toml": TARGET["uncuda.toml"]}
        client = start(files=files)
        client.open(tmp_path / "app.py", code.replace("Stream()", "Stream()  # uncuda: ignore") if typed else code)
        assert client.execute(COMMAND)["files"] == (0 if typed else 2)
        assert (form.replace("cuda", "npu") in (tmp_path / "test_app.py").read_text()) is not typed

    @pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
    def test_a_link_out_of_the_workspace_is_left_alone(self, start: Start, tmp_path: Path) -> None:
        folder, outside = tmp_path / "in", tmp_path / "out.py"
        write(tmp_path, {"in/a.py": SAFE, "in/uncuda.toml": TARGET["uncuda.toml"], "out.py": SAFE})
        (folder / "link.py").symlink_to(outside)
        client = start(folders=[folder])
        result = client.execute(COMMAND)
        assert [skipped["uri"] for skipped in result["skipped"]] == [(folder / "link.py").as_uri()]
        assert ((folder / "a.py").read_text(), outside.read_text()) == (FIXED, SAFE)
        assert "link.py: not changed: the file is a link" in uncuda("fix", str(folder)).err
        assert outside.read_text() == SAFE

    def test_a_client_that_takes_no_edits_gets_a_diff(self, start: Start, tmp_path: Path) -> None:
        client = start("kate", files={"a.py": SAFE, **TARGET})
        result = client.execute(COMMAND)
        assert (result["applied"], result["files"]) == (False, 1)
        assert '+dist.init_process_group("hccl")' in result["diff"]
        assert not edits(client)
        assert (tmp_path / "a.py").read_text() == SAFE
        assert "cannot apply changes" in messages(client)[-1]

    @pytest.mark.slow
    @pytest.mark.corpus
    @pytest.mark.parametrize(
        ("package", "target", "profile", "applicability"),
        [
            ("yolov5", "npu", "vscode", "safe"),
            ("yolov5", "musa", "neovim", "review"),
            ("fairseq", "npu", "jetbrains", "review"),
            ("fairseq", "musa", "lsp-mode", "safe"),
            ("deepspeed", "npu", "vscode", "review"),
        ],
    )
    def test_every_byte_of_a_large_package(
        self,
        start: Start,
        corpus: Callable[[str], Path],
        tmp_path: Path,
        package: str,
        target: str,
        profile: str,
        applicability: str,
    ) -> None:
        ours, theirs = tmp_path / "ours", tmp_path / "theirs"
        shutil.copytree(corpus(package), ours)
        shutil.copytree(corpus(package), theirs)
        client = start(profile, folders=[ours])
        client.execute("uncuda.switchTarget", {"target": target})
        opened = sorted(ours.rglob("*.py"))[::17]
        for path in opened:
            client.open(path)
        result = client.execute(COMMAND, {"applicability": applicability})
        for path in opened:
            client.save(path)
        review = ["--review-fixes"] if applicability == "review" else []
        run = uncuda("fix", "--target", target, *review, str(theirs))
        assert result["files"] > 10 and f"Fixed {sum(result['byRule'].values()):,} findings" in run.err
        for item in result["skipped"]:
            if "`uncuda fix " in item["reason"]:
                uncuda(*item["reason"].partition("`uncuda ")[2].rstrip("`").split())
        after, expected = tree(ours), tree(theirs)
        assert after.keys() == expected.keys()
        assert [name for name, data in expected.items() if after[name] != data] == []

    def test_receivers(self, start: Start, tmp_path: Path) -> None:
        text = "import torch\nimport box\n\nx = box.Box()\nx.to('cuda')\nx.cuda()\ny.cuda()\n"
        files: dict[str, str | bytes] = {
            "a.py": text,
            "box.py": "class Box:\n    def to(self, where):\n        return 1\n",
        }
        for name in ("one", "two"):
            write(tmp_path / name, {**files, "uncuda.toml": 'target = "npu"\nreceivers = true\n'})
        start(folders=[tmp_path / "one"]).execute(COMMAND)
        uncuda("fix", str(tmp_path / "two"))
        assert tree(tmp_path / "one") == tree(tmp_path / "two")
        assert "y.npu()" in (tmp_path / "one/a.py").read_text()


class TestForm:
    def test_one_edit_with_versions_and_annotations(self, start: Start, tmp_path: Path) -> None:
        client = start(files={"a.py": SAFE, "b.py": SAFE, **TARGET})
        client.open(tmp_path / "a.py", version=7)
        client.execute(COMMAND)
        (params,) = client.traffic.received("workspace/applyEdit")
        versions = {
            part["textDocument"]["uri"]: part["textDocument"]["version"] for part in params["edit"]["documentChanges"]
        }
        assert versions == {client.uri(tmp_path / "a.py"): 7, client.uri(tmp_path / "b.py"): None}
        annotations = params["edit"]["changeAnnotations"]
        assert [(name, item["label"], item["needsConfirmation"]) for name, item in annotations.items()] == [
            ("nccl-backend", "nccl-backend", False)
        ]
        assert params["metadata"] == {"isRefactoring": True}

    @pytest.mark.parametrize("profile", ["eglot", "lsp-mode", "neovim", "neovim-0.7", "jetbrains"])
    def test_nothing_that_the_client_does_not_know(self, start: Start, tmp_path: Path, profile: str) -> None:
        client = start(profile, files={"a.py": SAFE, **TARGET})
        client.execute(COMMAND)
        (params,) = client.traffic.received("workspace/applyEdit")
        assert "metadata" not in params
        assert "changeAnnotations" not in params["edit"]
        assert "annotationId" not in str(params["edit"])
        assert ("documentChanges" in params["edit"]) == bool(
            client.profile.can("workspace.workspaceEdit.documentChanges")
        )

    def test_a_notebook(self, start: Start, tmp_path: Path) -> None:
        client = start(files={"n.ipynb": "{}", **TARGET})
        cells = {"one": "import torch.distributed as dist\n", "two": 'dist.init_process_group("nccl")\n'}
        uris = open_notebook(client, tmp_path / "n.ipynb", cells)
        result = client.execute(COMMAND)
        assert (result["applied"], result["files"]) == (True, 1)
        assert "import torch_npu" in client.text(uris[0])
        assert client.text(uris[1]) == 'dist.init_process_group("hccl")\n'

    def test_a_closed_notebook_is_edited_as_its_file(self, able: Client, tmp_path: Path) -> None:
        cells = ["import torch.distributed as dist", 'x = "é"\ndist.init_process_group("nccl")']
        text = notebook(*cells)
        write(tmp_path, {"n.ipynb": text, "julia.ipynb": notebook(SAFE, metadata={"language_info": {"name": "julia"}})})
        result = able.execute(COMMAND)
        assert (result["applied"], result["files"], result["skipped"]) == (True, 1, [])
        after = (tmp_path / "n.ipynb").read_text(encoding="utf-8")
        write(tmp_path, {"n.ipynb": text})
        uncuda("fix", str(tmp_path))
        assert (
            after
            == (tmp_path / "n.ipynb").read_text(encoding="utf-8")
            == text.replace("nccl", "hccl").replace(
                '"import torch.distributed as dist"', '"import torch.distributed as dist\\n",\n    "import torch_npu"'
            )
        )

    def test_a_broken_notebook_is_named(self, start: Start, tmp_path: Path) -> None:
        client = start(files={"n.ipynb": "{", "a.py": SAFE, **TARGET})
        result = client.execute(COMMAND)
        assert result["files"] == 1
        (skipped,) = result["skipped"]
        assert skipped["uri"] == (tmp_path / "n.ipynb").as_uri()
        assert skipped["reason"].startswith("is a notebook with invalid JSON")

    def test_a_notebook_that_is_opened_meanwhile(self, start: Start, tmp_path: Path) -> None:
        cells = {"one": "import torch.distributed as dist\n", "two": 'dist.init_process_group("nccl")\n'}
        text = notebook(*cells.values())
        client = start(files={**MANY, "zz.ipynb": text, **TARGET})
        pending = begin(client)
        client.wait(lambda: reports(client), "progress")
        uris = open_notebook(client, tmp_path / "zz.ipynb", cells)
        assert client.reply(pending)["files"] == len(MANY) + 1
        assert client.text(uris[1]) == 'dist.init_process_group("hccl")\n'
        assert (tmp_path / "zz.ipynb").read_text() == text


def open_notebook(client: Client, path: Path, cells: dict[str, str]) -> list[str]:
    """Open a notebook of code cells; returns their URIs."""
    uris = [f"vscode-notebook-cell:{path.as_posix()}#{name}" for name in cells]
    texts: list[Json] = [
        {"uri": uri, "languageId": "python", "version": 1, "text": text} for uri, text in zip(uris, cells.values())
    ]
    with client.changed:
        for item in texts:
            client.buffers.open[item["uri"]] = Buffer(item["uri"], "python", 1, item["text"])
        notebook = {"uri": path.as_uri(), "notebookType": "jupyter-notebook", "version": 1}
        cells_ = [{"kind": 2, "document": uri} for uri in uris]
        params = {"notebookDocument": {**notebook, "cells": cells_}, "cellTextDocuments": texts}
        client.notify("notebookDocument/didOpen", params)
    return uris


class TestArguments:
    def test_to_review(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": REVIEW, **TARGET})
        assert client.execute(COMMAND)["applied"] is False
        assert client.execute(COMMAND, {"applicability": "review"})["applied"] is True
        assert '"npu"' in (tmp_path / "a.py").read_text()

    def test_rules(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": "import torch\ntorch.cuda.synchronize()\ntorch.device('cuda')\n", **TARGET})
        result = client.execute(COMMAND, {"rules": ["device-string"]})
        assert list(result["byRule"]) == ["device-string"]
        assert "torch.cuda.synchronize()" in (tmp_path / "a.py").read_text()

    def test_scope(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, "pkg/b.py": SAFE, **TARGET})
        assert client.execute(COMMAND, {"scope": (tmp_path / "pkg").as_uri()})["files"] == 1
        assert (tmp_path / "a.py").read_text() == SAFE

    def test_a_dry_run_says_what_would_be(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, **TARGET})
        result = client.execute(COMMAND, {"dryRun": True})
        assert (result["applied"], result["files"], result["edits"]) == (False, 1, 2)
        assert result["diff"].startswith("--- a/a.py\n+++ b/a.py\n")
        assert not edits(client) and not messages(client)

    BAD: tuple[tuple[Any, str], ...] = (
        ([5], "the argument is one object"),
        ([{}, {}], "the argument is one object"),
        ([{"rule": "x"}], "unknown key `rule` (did you mean 'rules'?)"),
        ([{"rules": "nccl-backend"}], "`rules` is a list of texts"),
        ([{"rules": ["nccl-backed"]}], "unknown rule `nccl-backed` (did you mean 'nccl-backend'?)"),
        ([{"applicability": "unsafe"}], '`applicability` is "safe" or "review"'),
        ([{"scope": 1}], "`scope` is a text"),
        ([{"scope": "untitled:x"}], "`scope` is the URI of a file or folder"),
        ([{"scope": "file:///somewhere/else.py"}], "`scope` is not in the workspace"),
        ([{"dryRun": "yes"}], "`dryRun` is true or false"),
    )

    def test_bad_ones_are_answered(self, client: Client) -> None:
        for arguments, message in self.BAD:
            for command in (COMMAND, PREVIEW):
                with pytest.raises(ResponseError, match=r"^-32602: ") as caught:
                    client.execute(command, *arguments)
                assert message in caught.value.message
        assert not messages(client)

    def test_none_is_fine(self, client: Client) -> None:
        none: tuple[Any, ...] = (None, [], [None], [{}], [{"rules": None, "scope": None}])
        for arguments in none:
            params = {"command": COMMAND, "arguments": arguments}
            assert client.request("workspace/executeCommand", params)["files"] == 0
        assert set(messages(client)) == {"Nothing to fix."}


class TestLeftAlone:
    def test_what_is_skipped_is_named(self, start: Start, tmp_path: Path) -> None:
        bad: dict[str, str | bytes] = {"a.py": LATIN, "b.py": b"x\r\n" + SAFE.encode(), "c.py": SAFE + "def f(:\n"}
        client = start(files={**bad, "d.py": b"\0cuda", "good.py": SAFE, **TARGET})
        result = client.execute(COMMAND)
        reasons = {Path(item["uri"]).name: item["reason"] for item in result["skipped"]}
        assert sorted(reasons) == ["a.py", "b.py", "c.py", "d.py"]
        assert f"`uncuda fix {tmp_path}/a.py`" in reasons["a.py"]
        assert {name: (tmp_path / name).read_bytes() for name in bad} == {
            name: text.encode() if isinstance(text, str) else text for name, text in bad.items()
        }
        assert (tmp_path / "good.py").read_text() == FIXED
        message = messages(client)[-1]
        assert "Left: 3 safe, 0 to review, 0 by hand. 4 files left out: " in message and "and 1 more" in message
        assert all(reason in log(client) for reason in reasons.values())

    @pytest.mark.parametrize(
        ("language", "said"),
        [("en", "Nothing was changed. 1 file left out: "), ("zh-cn", "没有进行任何改动。未处理 1 个文件：")],
    )
    def test_where_all_is_left_out(self, start: Start, tmp_path: Path, language: str, said: str) -> None:
        client = start(PROFILES["vscode"].speaking(language), files={"a.py": SAFE, "uncuda.toml": "target = \n"})
        client.execute(COMMAND)
        assert messages(client)[-1].startswith(f"{said}{tmp_path / 'uncuda.toml'}")

    def test_a_document_that_the_editor_could_not_read(self, start: Start, tmp_path: Path) -> None:
        client = start(files={"a.py": LATIN, "b.py": SAFE, **TARGET})
        uri = client.open(tmp_path / "a.py", LATIN.decode("utf-8", "replace"))
        result = client.execute(COMMAND)
        assert (result["files"], [item["uri"] for item in result["skipped"]]) == (1, [uri])
        assert "reopen the file with encoding" in result["skipped"][0]["reason"]
        assert client.execute("uncuda.fixAllInFile", {"uri": uri})["skipped"] == result["skipped"]

    def test_files_that_the_editor_reads_in_another_encoding(self, start: Start, tmp_path: Path) -> None:
        """In files that the editor reads in another encoding, the columns of editor and server differ, unless the file
        has a byte order mark or is ASCII."""
        wide = '"中文"; ' + SAFE.splitlines(keepends=True)[-1]
        files: dict[str, str | bytes] = {
            "wide.py": SAFE + wide,
            "plain.py": SAFE,
            "bom.py": b"\xef\xbb\xbf" + SAFE.encode(),
        }
        client = start(files={**files, **TARGET})
        settings = {"uncuda": {}, "files.encoding": "iso88591"}
        client.answers["workspace/configuration"] = lambda asked: [settings[item["section"]] for item in asked["items"]]
        result = client.execute(COMMAND)
        assert (result["files"], [Path(item["uri"]).name for item in result["skipped"]]) == (2, ["wide.py"])
        assert "iso88591" in result["skipped"][0]["reason"] and "`uncuda fix " in result["skipped"][0]["reason"]
        assert (tmp_path / "wide.py").read_text(encoding="utf-8") == SAFE + wide
        settings["files.encoding"] = "utf8"
        assert client.execute(COMMAND)["files"] == 1

    def test_excluded_folders(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"uncuda.toml": "target = 'npu'\nexclude = ['gen']", "gen/a.py": SAFE, "venv/b.py": SAFE})
        client.open(tmp_path / "gen/a.py")
        assert client.execute(COMMAND)["files"] == 0


class TestPreview:
    def test_what_is_to_review_is_unticked(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, "b.py": REVIEW, **TARGET})
        result = client.execute(PREVIEW)
        (edit,) = edits(client)
        ticked = {item["label"]: not item["needsConfirmation"] for item in edit["changeAnnotations"].values()}
        assert ticked == {"nccl-backend": True, "device-string (to review)": False}
        assert all("annotationId" in one for part in edit["documentChanges"] for one in part["edits"])
        assert (result["applied"], result["files"]) == (True, 2)
        assert messages(client) == ["Fixed 2 findings in 2 files. Left: 0 to review, 0 by hand."]

    def test_it_opens_where_all_is_safe(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, **TARGET})
        client.execute(PREVIEW, {"applicability": "safe"})
        (edit,) = edits(client)
        unticked = {item["label"] for item in edit["changeAnnotations"].values() if item["needsConfirmation"]}
        assert unticked == {OPENER}
        assert edit["documentChanges"][0]["edits"][0]["newText"] == ""

    def test_what_several_rules_need_has_a_label_of_its_own(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": "import torch\ntorch.cuda.synchronize()\ntorch.device('cuda')\n", **TARGET})
        client.execute(PREVIEW)
        labels = {item["label"] for item in edits(client)[0]["changeAnnotations"].values()}
        assert labels == {OPENER, "cuda-api", "device-string", "needed by several rules"}

    def test_the_user_may_decline(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, **TARGET})
        client.answers["workspace/applyEdit"] = lambda params: {"applied": False}
        result = client.execute(PREVIEW)
        assert (result["applied"], result["files"]) == (False, 0)
        assert len(edits(client)) == 1

    def test_what_changed_while_it_was_open_is_named(self, client: Client, tmp_path: Path) -> None:
        """If files changed while the preview was open, VS Code applies nothing and shows no message."""
        write(tmp_path, {"a.py": SAFE, "b.py": SAFE, **TARGET})

        def apply(params: Json) -> Json:
            write(tmp_path, {"b.py": "# meanwhile\n" + SAFE})
            return {"applied": False}

        client.answers["workspace/applyEdit"] = apply
        result = client.execute(PREVIEW)
        assert [Path(item["uri"]).name for item in result["skipped"]] == ["b.py"]
        said = "Nothing was changed. Left: 2 safe, 0 to review, 0 by hand. 1 file left out: "
        assert messages(client)[-1].startswith(said)

    def test_others_are_answered_while_it_is_open(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, **TARGET})
        inner: list[Any] = []

        def apply(params: Json) -> Json:
            if not inner:  # the first request comes while the preview is open
                inner.append(begin(client, dryRun=True))
                raise Later
            return {"applied": True}

        client.answers["workspace/applyEdit"] = apply
        pending = begin(client, PREVIEW)
        client.wait(lambda: inner and client.answered(inner[0]), "reply to another command")
        (asked,) = [item.message["id"] for item in client.traffic if item.method == "workspace/applyEdit"]
        client.send({"jsonrpc": "2.0", "id": asked, "result": {"applied": True}})
        assert client.reply(pending)["applied"] is True

    @pytest.mark.parametrize("profile", ["neovim", "eglot", "lsp-mode", "jetbrains", "kate"])
    def test_a_client_without_one_gets_the_diff(self, start: Start, tmp_path: Path, profile: str) -> None:
        client = start(profile, files={"a.py": SAFE, **TARGET})
        result = client.execute(PREVIEW)
        assert result["applied"] is False and "hccl" in result["diff"]
        assert not edits(client)
        assert (tmp_path / "a.py").read_text() == SAFE
        assert messages(client)[-1].endswith("Would fix 1 finding in 1 file. Left: 0 to review, 0 by hand.")


class TestProgress:
    @pytest.mark.parametrize("profile", ["vscode", "jetbrains"])
    def test_it_begins_and_ends(self, start: Start, tmp_path: Path, profile: str) -> None:
        client = start(profile, files={**MANY, **TARGET})
        client.execute(COMMAND)
        kinds = [params["value"]["kind"] for params in client.traffic.received("$/progress")]
        assert kinds[0] == "begin" and kinds[-1] == "end" and set(kinds[1:-1]) == {"report"}

    def test_a_client_that_shows_none(self, start: Start, tmp_path: Path) -> None:
        client = start("eglot", files={"a.py": SAFE, **TARGET})
        client.execute(COMMAND)
        assert not client.traffic.received("$/progress")
        assert not client.traffic.received("window/workDoneProgress/create")

    def test_on_the_token_of_the_request(self, start: Start, tmp_path: Path) -> None:
        client = start("eglot", files={**MANY, **TARGET})
        client.request("workspace/executeCommand", {"command": COMMAND, "workDoneToken": "mine"})
        assert {params["token"] for params in client.traffic.received("$/progress")} == {"mine"}
        assert not client.traffic.received("window/workDoneProgress/create")

    def test_a_client_may_refuse_it(self, start: Start, tmp_path: Path) -> None:
        client = start(files={"a.py": SAFE, **TARGET})

        def refuse(params: Json) -> None:
            raise Refused("no")

        client.answers["window/workDoneProgress/create"] = refuse
        assert client.execute(COMMAND)["applied"] is True
        assert not client.traffic.received("$/progress")

    def test_cancelled_before_the_edit_nothing_is_done(self, start: Start, tmp_path: Path) -> None:
        client = start(files={**MANY, **TARGET})
        pending = begin(client)
        client.wait(lambda: reports(client), "progress")
        cancel(client)
        result = client.reply(pending)
        assert result == {"applied": False, "files": 0, "edits": 0, "byRule": {}, "skipped": []} | LEFT
        assert not edits(client)
        assert messages(client) == ["Cancelled. Nothing was changed."]
        assert client.execute(COMMAND)["files"] == len(MANY)

    def test_a_cancelled_request_names_what_was_not_changed(self, start: Start, tmp_path: Path) -> None:
        client = start("jetbrains", files={**MANY, **TARGET})
        pending: list[Any] = []
        asked = threading.Event()

        def take_back(params: Json) -> Json:
            if not asked.is_set():
                asked.set()
                client.notify("$/cancelRequest", {"id": pending[0]})
            return {"applied": True}

        client.answers["workspace/applyEdit"] = take_back
        pending.append(begin(client))
        with pytest.raises(ResponseError) as caught:
            client.reply(pending[0])
        assert caught.value.code == CANCELLED
        client.wait(lambda: messages(client), "what was done")
        left = len(MANY) - 25
        assert f"Left: {left} safe, 0 to review, 0 by hand. {left} files left out: " in messages(client)[-1]

    def test_a_cancelled_request(self, start: Start, tmp_path: Path) -> None:
        client = start(files={**MANY, **TARGET})
        pending = begin(client)
        client.wait(lambda: reports(client), "progress")
        client.notify("$/cancelRequest", {"id": pending})
        with pytest.raises(ResponseError) as caught:
            client.reply(pending)
        assert caught.value.code == CANCELLED
        client.settle()
        assert not edits(client)
        assert client.traffic.received("$/progress")[-1]["value"]["kind"] == "end"

    def test_the_server_can_leave_meanwhile(self, start: Start, tmp_path: Path) -> None:
        client = start(files={**MANY, **TARGET})
        begin(client)
        client.wait(lambda: reports(client), "progress")
        client.tolerated += ["has no end", "no reply"]
        assert client.shutdown() == 0
        assert not client.stderr

    def test_the_server_can_leave_while_the_editor_makes_the_edit(self, start: Start, tmp_path: Path) -> None:
        client = start(files={"a.py": SAFE, **TARGET})

        def never(params: Json) -> None:
            raise Later

        client.answers["workspace/applyEdit"] = never
        begin(client)
        client.wait(lambda: edits(client), "edit")
        client.tolerated += ["has no end", "no reply", "never answered"]
        assert client.shutdown() == 0
        assert not client.stderr

    def test_hovers_are_answered_meanwhile(self, start: Start, tmp_path: Path) -> None:
        client = start(files={**MANY, "x.py": SAFE, **TARGET})
        client.open(tmp_path / "x.py")
        pending = begin(client)
        client.wait(lambda: reports(client), "progress")
        position = client.range(tmp_path / "x.py", "nccl")["start"]
        answered = 0
        while not edits(client):
            params = {"textDocument": {"uri": client.uri(tmp_path / "x.py")}, "position": position}
            assert client.request("textDocument/hover", params) or edits(client)
            answered += 1
        assert answered > 3
        assert client.reply(pending)["files"] == len(MANY) + 1


class TestMovedMeanwhile:
    @pytest.mark.parametrize("profile", ["vscode", "jetbrains"])
    def test_a_version_that_moved_is_computed_again_once(self, start: Start, tmp_path: Path, profile: str) -> None:
        client = start(profile, files={"a.py": SAFE, "b.py": SAFE, **TARGET})
        uri = client.open(tmp_path / "a.py")
        apply = client.answers["workspace/applyEdit"]

        def typing(params: Json) -> Json:
            if "typed" not in client.text(uri):
                client.replace(uri, "import torch", "# typed\nimport torch")
            result: Json = apply(params)
            return result

        client.answers["workspace/applyEdit"] = typing
        result = client.execute(COMMAND)
        assert (result["applied"], result["files"], result["skipped"]) == (True, 2, [])
        assert client.text(uri) == "# typed\n" + FIXED

    def test_one_that_moves_all_the_time_is_named(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, "b.py": SAFE, **TARGET})
        uri = client.open(tmp_path / "a.py")
        apply = client.answers["workspace/applyEdit"]

        def typing(params: Json) -> Json:
            client.replace(uri, "import torch", "# typed\nimport torch")
            result: Json = apply(params)
            return result

        client.answers["workspace/applyEdit"] = typing
        result = client.execute(COMMAND)
        assert (result["applied"], result["files"]) == (False, 0)
        reasons = {item["uri"]: item["reason"] for item in result["skipped"]}
        assert "run the command again" in reasons[uri]
        assert "refused the changes" in reasons[(tmp_path / "b.py").as_uri()]
        assert len(edits(client)) == 2
        assert "did not make the changes" in messages(client)[-1]

    def test_what_is_typed_while_the_job_runs(self, start: Start, tmp_path: Path) -> None:
        client = start("neovim", files={**MANY, **TARGET})  # Neovim's edits have no document versions
        uri = client.open(tmp_path / "000.py")
        pending = begin(client)
        client.wait(lambda: reports(client), "progress")
        client.replace(uri, "import torch", "# typed\nimport torch")
        assert client.reply(pending)["files"] == len(MANY)
        assert client.text(uri) == "# typed\n" + FIXED

    def test_a_closed_file_that_changes_on_the_disk(self, start: Start, tmp_path: Path) -> None:
        client = start(files={**MANY, **TARGET})
        pending = begin(client)
        client.wait(lambda: reports(client), "progress")
        (tmp_path / "000.py").write_text("# written\n" + SAFE)
        assert client.reply(pending)["files"] == len(MANY)
        assert (tmp_path / "000.py").read_text() == "# written\n" + FIXED

    def test_a_file_that_is_opened(self, start: Start, tmp_path: Path) -> None:
        client = start(files={**MANY, **TARGET})
        pending = begin(client)
        client.wait(lambda: reports(client), "progress")
        uri = client.open(tmp_path / "000.py", "# other\n" + SAFE)
        assert client.reply(pending)["files"] == len(MANY)
        assert client.text(uri) == "# other\n" + FIXED

    def test_settings_that_change(self, start: Start, tmp_path: Path) -> None:
        client = start(files=dict(MANY))
        pending = begin(client)
        client.wait(lambda: reports(client), "progress")
        client.configure({"target": "musa"})
        client.reply(pending)
        assert "mccl" in (tmp_path / "000.py").read_text()

    def test_two_at_once_do_not_fix_twice(self, start: Start, tmp_path: Path) -> None:
        client = start(files={"a.py": SAFE, **TARGET})
        first, second = begin(client), begin(client)
        assert client.reply(first)["files"] == 1
        assert client.reply(second)["files"] == 0
        assert (tmp_path / "a.py").read_text() == FIXED

    def test_a_client_that_keeps_what_it_changed_open(self, start: Start, tmp_path: Path) -> None:
        client = start(files={"a.py": SAFE, **TARGET})
        client.answers["workspace/applyEdit"] = lambda params: {"applied": True}
        first, second = begin(client), None
        client.reply(first)
        second = begin(client)
        client.open(tmp_path / "a.py", FIXED)  # VS Code also opens the file after replying to the edit request
        assert client.reply(second)["files"] == 0


class TestRefused:
    def test_an_error_for_an_answer(self, start: Start, tmp_path: Path) -> None:
        client = start("eglot", files={"a.py": SAFE, **TARGET})

        def refuse(params: Json) -> None:
            raise Refused("Wrong type argument")

        client.answers["workspace/applyEdit"] = refuse
        result = client.execute(COMMAND)
        assert result["applied"] is False
        assert "Wrong type argument" in messages(client)[-1]
        assert len(edits(client)) == 1

    def test_an_edit_that_is_not_made(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, **TARGET})
        client.tolerated.append("applyEdit")
        for answer in (None, {"applied": False, "failureReason": "read-only"}, {"applied": "no"}):
            client.answers["workspace/applyEdit"] = lambda params, answer=answer: answer  # type: ignore[misc]
            result = client.execute(COMMAND)
            assert (result["applied"], result["files"]) == (False, 0)
            assert [item["uri"] for item in result["skipped"]] == [(tmp_path / "a.py").as_uri()]
            assert "did not make the changes" in messages(client)[-1]
        assert "read-only" in messages(client)[1]


class TestJetBrains:
    FILES = 60

    @pytest.fixture
    def ide(self, start: Start) -> Client:
        files: dict[str, str | bytes] = {f"{number:02}.py": SAFE for number in range(self.FILES)}
        return start("jetbrains", files={**files, **TARGET})

    def test_chunks(self, ide: Client) -> None:
        assert ide.execute(COMMAND)["files"] == self.FILES
        assert [len(documents(edit)) for edit in edits(ide)] == [25, 25, 10]

    def test_a_cancel_ends_it_after_the_chunk_on_its_way(self, ide: Client, tmp_path: Path) -> None:
        apply = ide.answers["workspace/applyEdit"]

        def cancelling(params: Json) -> Json:
            cancel(ide)
            result: Json = apply(params)
            return result

        ide.answers["workspace/applyEdit"] = cancelling
        result = ide.execute(COMMAND)
        assert (result["applied"], result["files"], len(result["skipped"])) == (True, 25, 35)
        assert {item["reason"] for item in result["skipped"]} == {"cancelled"}
        assert (tmp_path / "24.py").read_text() == FIXED
        assert (tmp_path / "25.py").read_text() == SAFE
        said = "Cancelled. Fixed 25 findings in 25 files. Left: 35 safe, 0 to review, 0 by hand. 35 files left out"
        assert said in messages(ide)[-1]
        assert f"+ {tmp_path}/24.py" in log(ide) and f"- {tmp_path}/25.py: cancelled" in log(ide)

    def test_one_file_that_it_refuses_does_not_cost_the_others(self, ide: Client, tmp_path: Path) -> None:
        apply = ide.answers["workspace/applyEdit"]

        def picky(params: Json) -> Json:
            if any(uri.endswith("/30.py") for uri in documents(params["edit"])):
                return {"applied": False}
            result: Json = apply(params)
            return result

        ide.answers["workspace/applyEdit"] = picky
        result = ide.execute(COMMAND)
        assert result["files"] == self.FILES - 1
        assert [item["uri"] for item in result["skipped"]] == [(tmp_path / "30.py").as_uri()]
        assert (tmp_path / "31.py").read_text() == FIXED


class TestWhichTarget:
    def test_the_user_chooses_where_nothing_does(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": "import torch_npu\nimport torch_musa\n" + SAFE})
        asked: list[Json] = []

        def choose(params: Json) -> str:
            asked.append(params)
            return "Moore Threads MUSA"

        client.choose = choose
        assert client.execute(COMMAND)["applied"] is True
        assert [action["title"] for action in asked[-1]["actions"]] == ["Moore Threads MUSA", "Ascend NPU"]
        assert "mccl" in (tmp_path / "a.py").read_text()

    def test_nothing_is_done_without_an_answer(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": "import torch_npu\nimport torch_musa\n" + SAFE})
        assert client.execute(COMMAND)["applied"] is False
        assert not edits(client)

    def test_each_folder_is_a_project(self, start: Start, tmp_path: Path) -> None:
        write(tmp_path, {"one/a.py": "import torch_npu\n" + SAFE, "two/b.py": "import torch_musa\n" + SAFE})
        assert start(folders=[tmp_path / "one", tmp_path / "two"]).execute(COMMAND)["files"] == 2
        assert "hccl" in (tmp_path / "one/a.py").read_text()
        assert "mccl" in (tmp_path / "two/b.py").read_text()


def test_without_a_folder_what_is_open_is_fixed(start: Start, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": SAFE, "b.py": SAFE})
    client = start(folders=[])
    client.open(tmp_path / "a.py")
    uri = client.open("untitled:Untitled-1", SAFE)
    assert client.execute(COMMAND)["files"] == 2
    assert client.text(tmp_path / "a.py") == client.text(uri) == FIXED
    assert (tmp_path / "b.py").read_text() == SAFE


def test_chinese(start: Start, tmp_path: Path) -> None:
    client = start(PROFILES["vscode"].speaking("zh-cn"), files={"a.py": SAFE, "b.py": LATIN, **TARGET})
    result = client.execute(COMMAND)
    assert "请运行 `uncuda fix" in result["skipped"][0]["reason"]
    said = "已修复 1 个文件中的 1 处问题。剩余：安全修复 1，需复核 0，需手动处理 0。未处理 1 个文件："
    assert messages(client)[-1].startswith(said)
