"""Tests of the server's commands for one file, for the target, and for the server itself."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.command import REVIEW, SAFE
from lsp.conftest import Start, write
from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.profiles import PROFILES
from lsp.harness.traffic import Json
from lsp.test_fix_all_workspace import FIXED, LATIN, LEFT, TARGET, edits, messages, open_notebook
from uncuda.lsp.fixing.arguments import Wanted
from uncuda.lsp.fixing.jobs import job_of
from uncuda.lsp.fixing.open_file import fix_program
from uncuda.lsp.server import UncudaServer
from uncuda.lsp.state.documents import Program
from uncuda.project import UNKNOWN, Answers, Site

FILE, SWITCH, DEBUG = "uncuda.fixAllInFile", "uncuda.switchTarget", "uncuda.debugInformation"
COMMANDS = ["uncuda.fixAllInWorkspace", "uncuda.previewFixAllInWorkspace", FILE, SWITCH, DEBUG]


def ready(client: Client) -> None:
    """Wait until the server has scanned the folder's files for facts of the project."""
    client.wait(lambda: not re.search("still being read", client.execute(DEBUG)), "scan of the folder")


def test_all_are_announced(client: Client) -> None:
    assert set(COMMANDS) <= set(client.server["executeCommandProvider"]["commands"])


def test_each_can_be_called_without_arguments(client: Client) -> None:
    for command in COMMANDS:
        for params in ({"command": command}, {"command": command, "arguments": []}):
            client.request("workspace/executeCommand", params)


def test_an_unknown_one(client: Client) -> None:
    client.tolerated.append("does not offer")
    with pytest.raises(ResponseError, match=r"-32602: unknown command `uncuda.fixAllInFiles` \(did you mean"):
        client.execute("uncuda.fixAllInFiles")


class TestFile:
    def test_the_one_that_is_named(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, "b.py": SAFE, **TARGET})
        first, second = client.open(tmp_path / "a.py"), client.open(tmp_path / "b.py")
        result = client.execute(FILE, {"uri": first})
        assert result == {
            "applied": True,
            "files": 1,
            "edits": 2,
            "byRule": {"nccl-backend": 1},
            "skipped": [],
            **LEFT,
        }
        assert (client.text(first), client.text(second)) == (FIXED, SAFE)
        assert messages(client) == ["Fixed 1 finding in 1 file. Left: 0 to review, 0 by hand."]

    def test_the_only_one_that_is_open(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, "b.py": SAFE, **TARGET})
        client.open(tmp_path / "notes.txt", "nccl", language="plaintext")
        uri = client.open(tmp_path / "a.py")
        assert client.execute(FILE)["files"] == 1
        assert client.text(uri) == FIXED

    def test_the_one_that_is_chosen(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"one/a.py": SAFE, "two/a.py": SAFE, **TARGET})
        uris = [client.open(tmp_path / name / "a.py") for name in ("one", "two")]
        titles: list[list[str]] = []

        def choose(params: Json) -> str:
            titles.append([action["title"] for action in params["actions"]])
            return titles[-1][-1]

        client.choose = choose
        assert client.execute(FILE)["files"] == 1
        assert titles[-1] == [str(Path("one/a.py")), str(Path("two/a.py"))]
        assert [client.text(uri) for uri in uris] == [SAFE, FIXED]

    def test_none_is_chosen(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, "b.py": SAFE, **TARGET})
        for name in ("a.py", "b.py"):
            client.open(tmp_path / name)
        assert client.execute(FILE)["applied"] is False
        assert messages(client) == ["Nothing was changed."]

    def test_none_is_open(self, client: Client) -> None:
        assert client.execute(FILE)["files"] == 0
        assert messages(client) == ["No Python file is open."]

    def test_one_that_is_not_open(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, "b.py": SAFE, **TARGET})
        assert client.execute(FILE, {"uri": (tmp_path / "a.py").as_uri()})["files"] == 1
        assert [(tmp_path / name).read_text() for name in ("a.py", "b.py")] == [FIXED, SAFE]

    def test_quietly(self, start: Start, tmp_path: Path) -> None:
        """The command that a client sends whenever a file is saved shows no message, whether there is something to fix
        or not."""
        write(tmp_path, {"a.py": SAFE, "b.py": REVIEW, **TARGET})
        client = start(PROFILES["vscode"])
        uri, other = (client.open(tmp_path / name) for name in ("a.py", "b.py"))
        for one, files in ((uri, 1), (uri, 0), (other, 0)):
            assert client.execute(FILE, {"uri": one, "quiet": True})["files"] == files
        assert client.text(uri) == FIXED
        assert not [
            m
            for m in ("showMessage", "showMessageRequest", "workDoneProgress/create")
            if client.traffic.received(f"window/{m}")
        ]
        with pytest.raises(ResponseError, match="`quiet` is true or false"):
            client.execute(FILE, {"uri": uri, "quiet": "yes"})

    def test_one_that_an_editor_would_write_otherwise(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": LATIN, **TARGET})
        result = client.execute(FILE, {"uri": (tmp_path / "a.py").as_uri()})
        assert result["files"] == 0
        assert "`uncuda fix " in result["skipped"][0]["reason"]

    def test_one_outside_of_the_workspace(self, start: Start, tmp_path: Path) -> None:
        write(tmp_path, {"out.py": SAFE, "in/a.py": SAFE})
        client = start(folders=[tmp_path / "in"])
        uri = client.open(tmp_path / "out.py")
        assert client.execute(FILE, {"uri": uri})["files"] == 1
        assert client.text(uri) == FIXED
        assert client.execute("uncuda.fixAllInWorkspace")["files"] == 1

    def test_an_untitled_one(self, client: Client) -> None:
        uri = client.open("untitled:Untitled-1", SAFE)
        assert client.execute(FILE)["files"] == 1
        assert client.text(uri) == FIXED

    def test_a_notebook_by_one_of_its_cells(self, client: Client, tmp_path: Path) -> None:
        cells = {"one": "%matplotlib inline\nimport torch\n", "two": "torch.device('cuda')\n", "three": "x.cuda()\n"}
        uris = open_notebook(client, tmp_path / "n.ipynb", cells)
        result = client.execute(FILE, {"uri": uris[1]})
        assert (result["applied"], result["files"]) == (True, 1)
        texts = [client.text(uri) for uri in uris]
        assert texts[0].startswith("%matplotlib inline\nimport torch\nimport torch_npu")
        assert texts[1:] == ["torch.device('npu')\n", "x.npu()\n"]
        (edit,) = edits(client)
        assert [part["textDocument"]["version"] for part in edit["documentChanges"]] == [1, 1, 1]

    def test_fixes_to_review_and_rules(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": REVIEW, **TARGET})
        uri = client.open(tmp_path / "a.py")
        ready(client)
        assert client.execute(FILE, {"uri": uri})["files"] == 0
        assert client.execute(FILE, {"uri": uri, "applicability": "review", "rules": ["nccl-backend"]})["files"] == 0
        assert client.execute(FILE, {"uri": uri, "applicability": "review"})["files"] == 1

    def test_a_dry_run(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, **TARGET})
        uri = client.open(tmp_path / "a.py")
        for _ in range(2):  # the command gives the same result before and after the scan of the folder
            result = client.execute(FILE, {"uri": uri, "dryRun": True})
            assert result["applied"] is False and '+dist.init_process_group("hccl")' in result["diff"]
            ready(client)
        assert client.text(uri) == SAFE and not messages(client)

    def test_one_that_does_not_parse(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {**TARGET})
        uri = client.open(tmp_path / "a.py", SAFE + "def f(:\n")
        for _ in range(2):
            (skipped,) = client.execute(FILE, {"uri": uri})["skipped"]
            assert skipped["uri"] == uri and "does not parse" in skipped["reason"]
            ready(client)

    def test_one_that_is_excluded(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"uncuda.toml": "target = 'npu'\nexclude = ['gen']\n"})
        uri = client.open(tmp_path / "gen/a.py", SAFE)
        for _ in range(2):
            assert client.execute(FILE, {"uri": uri})["files"] == 0
            ready(client)

    def test_what_is_known_of_the_project_counts(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": SAFE, "b.py": "import torch_musa\n"})
        uri = client.open(tmp_path / "a.py")
        client.execute(FILE, {"uri": uri})
        assert "mccl" in client.text(uri)
        client.buffers.undo()
        ready(client)
        client.execute(FILE, {"uri": uri})
        assert "mccl" in client.text(uri)

    def test_bad_arguments(self, client: Client) -> None:
        bad: tuple[tuple[Json, str], ...] = (
            ({"uri": 5}, "`uri` is a text"),
            ({"uri": "https://example.com/a.py"}, "`uri` is the URI of a file or folder"),
            ({"uri": "file:///somewhere/else.py"}, "`uri` is not in the workspace"),
            ({"scope": "x"}, "unknown key `scope`"),
        )
        for argument, message in bad:
            with pytest.raises(ResponseError) as caught:
                client.execute(FILE, argument)
            assert message in caught.value.message


class TestSwitchTarget:
    def targets(self, client: Client, path: Path) -> set[str]:
        return set(re.findall(r"Ascend NPU|Moore Threads MUSA", str(client.diagnostics(path))))

    def test_findings_are_for_another_target(self, client: Client, tmp_path: Path) -> None:
        client.open(tmp_path / "a.py", SAFE)
        ready(client)
        assert self.targets(client, tmp_path / "a.py") == {"Ascend NPU"}
        assert client.execute(SWITCH, {"target": "musa"}) == {"target": "musa", "overrides": None}
        assert self.targets(client, tmp_path / "a.py") == {"Moore Threads MUSA"}
        assert client.traffic.received("workspace/diagnostic/refresh")
        client.execute(FILE)
        assert "mccl" in client.text(tmp_path / "a.py")

    def test_a_configuration_that_says_otherwise_is_named(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {**TARGET, "a.py": SAFE})
        path = str(tmp_path / "uncuda.toml")
        assert client.execute(SWITCH, {"target": "musa"}) == {"target": "musa", "overrides": path}
        assert path in messages(client)[-1]
        client.execute("uncuda.fixAllInWorkspace")
        assert "mccl" in (tmp_path / "a.py").read_text()
        assert client.execute(SWITCH, {"target": "npu"})["overrides"] is None

    def test_in_all_folders(self, start: Start, tmp_path: Path) -> None:
        write(tmp_path, {"one/a.py": SAFE, "two/uncuda.toml": "target = 'npu'", "two/b.py": SAFE})
        client = start(folders=[tmp_path / "one", tmp_path / "two"])
        said = client.execute(SWITCH, {"target": "musa"})
        assert said == {"target": "musa", "overrides": str(tmp_path / "two" / "uncuda.toml")}
        assert client.execute("uncuda.fixAllInWorkspace")["files"] == 2
        assert all("mccl" in (tmp_path / name).read_text() for name in ("one/a.py", "two/b.py"))

    def test_the_user_is_asked(self, start: Start) -> None:
        client = start(PROFILES["vscode"].speaking("zh-cn"))
        client.choose = lambda params: str(params["actions"][1]["title"])
        result = client.execute(SWITCH)
        (asked,) = client.traffic.received("window/showMessageRequest")
        assert asked["message"] == "要迁移到哪一种加速器？"
        assert len(asked["actions"]) > 1 and result["target"] == "npu"
        assert messages(client)[-1].startswith("uncuda 现已切换到昇腾 NPU")

    def test_no_answer_changes_nothing(self, client: Client) -> None:
        client.execute(SWITCH, {"target": "musa"})
        assert client.execute(SWITCH) == {"target": None, "overrides": None}
        assert len(messages(client)) == 1
        assert "target: musa" in client.execute(DEBUG)

    @pytest.mark.parametrize(
        ("argument", "message"),
        [
            ({"target": "nup"}, "unknown target `nup` (did you mean 'npu'?)"),
            ({"target": ["npu"]}, "`target` is a text"),
            ("npu", "the argument is one object: {target?}"),
        ],
    )
    def test_bad_arguments(self, client: Client, argument: Any, message: str) -> None:
        with pytest.raises(ResponseError) as caught:
            client.execute(SWITCH, argument)
        assert caught.value.code == -32602 and message in caught.value.message


class TestDebugInformation:
    def test_what_it_says(self, client: Client, tmp_path: Path) -> None:
        write(
            tmp_path,
            {"uncuda.toml": "target = 'musa'\nstrategy = 'rewrite'\n", "b.py": "import torchada\n", "a.py": SAFE},
        )
        client.configure({"target": "npu", "hardware": "A2", "severity": {"nccl-backend": "information"}})
        client.open(tmp_path / "a.py")
        client.watched(tmp_path / "b.py", 1)
        client.wait(lambda: "shims musa" in client.execute(DEBUG), "fact about the project")
        text = client.execute(DEBUG)
        for expected in (
            r"^uncuda \d",
            r"^Python 3\.",
            r"^pygls 2\.",
            "client: Visual Studio Code",
            f"folder: {re.escape(str(tmp_path))}",
            f"configuration file: {re.escape(str(tmp_path / 'uncuda.toml'))}",
            r"target = 'musa' \(.*uncuda\.toml\)",
            r"strategy = 'rewrite' \(.*uncuda\.toml\)",
            r"hardware = 'A2' \(editor\)",
            r"severity = \{'nccl-backend': 'information'\} \(editor\)",
            r"a\.py: 4 lines, musa, torch_musa [\d.]+ is assumed.*, 1 findings, .*read anew in \d+\.\d ms",
            "last workspace job: none",
        ):
            assert re.search(expected, text, re.MULTILINE), (expected, text)
        client.execute(SWITCH, {"target": "npu"})
        assert "target = 'npu' (switchTarget)" in client.execute(DEBUG)
        client.execute("uncuda.fixAllInWorkspace")
        assert re.search(r"last workspace job: \d+\.\d\d s", client.execute(DEBUG))

    def test_a_broken_configuration(self, client: Client, tmp_path: Path) -> None:
        write(tmp_path, {"uncuda.toml": "target = 1"})
        client.tolerated.append("target")
        assert "configuration: " in client.execute(DEBUG)

    def test_it_takes_no_argument(self, client: Client) -> None:
        with pytest.raises(ResponseError, match="unknown key `x`"):
            client.execute(DEBUG, {"x": 1})


class TestWhatTheEditorKnowsOfReceivers:
    """Without the setting `receivers`, a command that fixes many files skips a fix in an open document if the analysis
    of receivers (the `x` of `x.cuda()`) has removed the fix's finding, or has found that the fix needs review."""

    TEXT = "import torch\n\nx.cuda()\ny.cuda()\n"

    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[UncudaServer]:
        server = UncudaServer()
        server.begin({"rootUri": tmp_path.as_uri()})
        server.documents.open({"uri": (tmp_path / "a.py").as_uri(), "languageId": "python", "text": self.TEXT})
        server.analyses.answers = self.answers
        yield server
        server.loop.close()

    def answers(self, program: Program, text: str, sites: Sequence[Site]) -> Answers:
        return {site: "review" if text[: site.at].endswith("\nx.") else UNKNOWN for site in sites}

    def test_the_job_is_told(self, server: UncudaServer) -> None:
        (buffer,) = server.loop.run_until_complete(job_of(server, Wanted(review=True), diff=False)).buffers
        assert [self.TEXT[: site.at].splitlines()[-1] for site in buffer.spared] == ["x."]

    def test_one_file(self, server: UncudaServer, tmp_path: Path) -> None:
        (program,) = server.documents.programs()
        outcome = fix_program(server, program, Wanted(review=True), diff=True)
        assert "+y.npu()" in outcome.diff and "+x.npu()" not in outcome.diff
        assert outcome.skipped == [{"uri": program.uri, "reason": "receiver"}]
        (change,) = outcome.files
        assert (change.left[:3], outcome.left[program.uri][:3]) == ((0, 1, 0), (1, 1, 0))

    def test_what_is_lowered_is_left(self, server: UncudaServer) -> None:
        (buffer,) = server.loop.run_until_complete(job_of(server, Wanted(review=True), diff=False)).buffers
        assert buffer.lowered[:3] == (0, 1, 0)
