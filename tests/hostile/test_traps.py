"""Tests that no code of a workspace is run: no program, no module, no command from its git or tool configuration."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from hostile import trace
from hostile.traps import CODE, Workspace, workspace
from lsp.harness.client import Client
from lsp.harness.profiles import PROFILES
from support.bundles import make_bundle
from support.imports import ROOT

SERVER = str(ROOT / "server")
# The script that pip writes for the entry point, without importing modules that only some versions of the script
# import.
SCRIPT = "import sys\nfrom uncuda.__main__ import main\nsys.exit(main())\n"
OTHERS = ("click", "jedi", "parso", "libcst", "pygls", "lsprotocol", "attr", "cattrs", "pathspec", "torch", "torch_npu")


@pytest.fixture
def traps(tmp_path: Path) -> Workspace:
    return workspace(tmp_path)


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "bin" / "uncuda"
    path.parent.mkdir()
    path.write_text(SCRIPT, encoding="utf-8")
    return str(path)


def _environment(root: Path, **more: str) -> dict[str, str]:
    """The environment of a shell in which the workspace's virtual environment is activated."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    path = f"{root / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "VIRTUAL_ENV": str(root / ".venv"), "LC_ALL": "C.UTF-8", **more}


def _run(command: list[str], folder: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=folder, env=_environment(folder, **more), capture_output=True, text=True, check=False, timeout=300
    )


def test_the_command_is_that_of_the_package() -> None:
    assert '\nuncuda = "uncuda.__main__:main"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


class TestCurrentFolder:
    """uncuda imports no module from the current folder. If Python has imported one before uncuda's first line, the
    command prints an error and ends."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Workspace:
        """A folder whose modules have the names of all modules that uncuda could import."""
        made = Workspace(tmp_path / "workspace", tmp_path / "witness")
        made.witness.mkdir()
        (tmp_path / "probe.py").write_text("import sys; print(*sys.modules)")
        command = [sys.executable, "-m", "probe"]
        started = subprocess.check_output(command, cwd=tmp_path, text=True, env={**os.environ, "PYTHONPATH": SERVER})
        for name in {*sys.stdlib_module_names, *OTHERS} - {*started.split(), "sitecustomize", "usercustomize"}:
            # modules of other systems are left out, because Python tries to import some of them at its start
            if name in OTHERS or find_spec(name):
                made.write(f"{name}.py", made.module(name))
        made.write("sub/main.py", CODE)
        return made

    @pytest.mark.parametrize("path", [SERVER, f"{os.pathsep}{SERVER}", f".{os.pathsep}{SERVER}"])
    def test_python_m(self, folder: Workspace, path: str) -> None:
        done = _run([sys.executable, "-m", "uncuda", "check", "--target", "npu", "sub"], folder.root, PYTHONPATH=path)
        assert (done.returncode, folder.sprung) == (1, []), done.stderr
        assert "sub/main.py:4:" in done.stdout.replace(os.sep, "/")

    @pytest.mark.parametrize("path", [f"{os.pathsep}{SERVER}", f".{os.pathsep}{SERVER}"])
    def test_the_command(self, folder: Workspace, script: str, path: str) -> None:
        done = _run([sys.executable, script, "check", "--target", "npu", "sub"], folder.root, PYTHONPATH=path)
        assert (done.returncode, folder.sprung) == (1, []), done.stderr

    def test_what_python_imported_first_ends_the_command(self, tmp_path: Path, script: str) -> None:
        made = Workspace(tmp_path / "workspace", tmp_path / "witness")
        made.witness.mkdir()
        made.write("sitecustomize.py", made.module("sitecustomize"))
        arguments = ["fix", "--target", "npu", "sitecustomize.py"]
        done = _run([sys.executable, script, *arguments], made.root, PYTHONPATH=f".{os.pathsep}{SERVER}")
        assert made.sprung == ["sitecustomize"]
        assert (done.returncode, done.stdout) == (2, "")
        english, chinese = done.stderr.splitlines()
        assert str(made.root / "sitecustomize.py") in english and "python -I -m uncuda" in english
        assert str(made.root / "sitecustomize.py") in chinese and "当前目录" in chinese
        assert (made.root / "sitecustomize.py").read_text(encoding="utf-8") == made.module("sitecustomize")

    def test_warnings_ends_python_m_or_is_not_imported(self, tmp_path: Path) -> None:
        made = Workspace(tmp_path / "workspace", tmp_path / "witness")
        made.witness.mkdir()
        made.write("warnings.py", made.module("warnings"))
        made.write("main.py", CODE)
        arguments = ["-m", "uncuda", "check", "--target", "npu", "main.py"]
        done = _run([sys.executable, *arguments], made.root, PYTHONPATH=SERVER)
        if made.sprung:
            assert (done.returncode, done.stdout) == (2, "")
            assert str(made.root / "warnings.py") in done.stderr
        else:
            assert done.returncode == 1, done.stderr

    @pytest.mark.parametrize("place", ["click", "os", "uncuda"])
    def test_a_folder_that_python_imports_from_by_itself_stays(self, place: str, script: str) -> None:
        module = sys.modules.get(place) or __import__(place)
        file = Path(str(module.__file__))
        folder = file.parent if place == "os" else file.parent.parent
        environment = {**os.environ, "PYTHONPATH": SERVER}
        for command in ([script], ["-m", "uncuda"]):
            done = subprocess.run(
                [sys.executable, *command, "--version"],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, "")

    def test_the_package_leaves_the_path_of_others_alone(self, tmp_path: Path) -> None:
        code = (
            "import sys; before = list(sys.path); import uncuda, uncuda.cli, uncuda.__main__; print(before == sys.path)"
        )
        done = _run([sys.executable, "-c", code], tmp_path, PYTHONPATH=SERVER)
        assert done.stdout == "True\n", done.stderr


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The launch.py of a bundle."""
    return str(make_bundle(tmp_path_factory.mktemp("bundle")))


@pytest.mark.skipif(sys.platform != "linux", reason="strace is Linux's")
@pytest.mark.slow
class TestTraced:
    """Tests with strace, which reports every program that is started and every file that is opened."""

    @pytest.fixture
    def log(self, tmp_path: Path) -> Path:
        return tmp_path / "strace"

    def test_it_sees_what_runs(self, traps: Workspace, log: Path) -> None:
        code = "import os; os.spawnv(os.P_WAIT, '.venv/bin/python', ['python']); import click"
        _run(trace.command(log, [sys.executable, "-c", code]), traps.root)
        seen = trace.read(log, traps.root)
        assert traps.sprung == ["bin-python", "click"]
        assert str(traps.root / ".venv" / "bin" / "python") in seen.started
        assert str(traps.root / "__pycache__") in {str(Path(path).parent) for path in seen.opened}

    @pytest.mark.parametrize("way", ["command", "-I -m", "bundle"])
    def test_command_line(self, traps: Workspace, log: Path, script: str, way: str, bundle: str) -> None:
        start = {"command": [script], "-I -m": ["-I", "-m", "uncuda"], "bundle": ["-I", bundle]}[way]
        path = {"PYTHONPATH": SERVER} if way == "command" else {}
        before = traps.files()
        commands = [["rule", "cuda-api"], ["check", "--receivers", "."], ["fix", "--diff", "."], ["fix", "."]]
        for arguments in commands if way == "command" else commands[3:]:
            assert traps.files() == before
            done = _run(trace.command(log, [sys.executable, *start, *arguments]), traps.root, **path)
            assert done.returncode in (0, 1), done.stderr
            assert _nothing_ran(traps, log) or arguments[0] == "rule", "nothing of the workspace was read"
        after = traps.files()
        assert after.keys() == before.keys()
        assert "hccl" in (traps.root / "main.py").read_text(encoding="utf-8")
        assert {name for name in after if after[name] != before[name]} == {
            name for name in before if name.endswith(".py") and "/." not in f"/{name}" and name != "helper.py"
        }

    @pytest.mark.parametrize("way", ["-m", "bundle"])
    def test_server(self, traps: Workspace, log: Path, way: str, bundle: str) -> None:
        start = ["-I", bundle] if way == "bundle" else ["-m", "uncuda"]
        # with `-m`, Python would import these modules before uncuda starts, so they are removed
        if way == "-m":
            for name in ("types", "warnings"):
                (traps.root / f"{name}.py").unlink()
            (traps.root / "uncuda" / "__init__.py").unlink()
            (traps.root / "uncuda").rmdir()
        before = traps.files()
        options = {"settings": {"workspaceDiagnostics": True, "receivers": True}}
        client = Client(
            PROFILES["vscode"],
            [traps.root],
            options=options,
            command=trace.command(log, [sys.executable, *start, "server", "--stdio"]),
            env={**_environment(traps.root), "PYTHONPATH": SERVER if way == "-m" else ""},
        )
        try:
            client.initialize()
            for name in ("main.py", "warnings.py", "setup.py", "libcst/__init__.py", "sub/deep.py"):
                if (traps.root / name).exists():
                    _look_at(client, traps.root / name)
            client.execute("uncuda.debugInformation")
            edits = client.execute("uncuda.fixAllInWorkspace", {"dryRun": True})["edits"]
            assert edits
            assert client.shutdown() == 0
        finally:
            client.kill()
        assert _nothing_ran(traps, log), "nothing of the workspace was read"
        assert len(trace.read(log, traps.root).started) > 2, "its own processes were not traced"
        assert traps.files() == before


def _look_at(client: Client, path: Path) -> None:
    uri = client.open(path)
    assert client.diagnostics(uri)
    where = client.range(uri, "nccl")
    client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": where["start"]})
    actions = client.actions(uri, where)
    assert actions
    client.resolve(actions[0])


def _nothing_ran(traps: Workspace, output: Path) -> list[str]:
    """Check that no trap was run, that no program except this Python was started, and that no compiled code (.pyc, .so)
    and no .pth file of the workspace was opened.

    Returns the files of the workspace that were opened.
    """
    seen = trace.read(output, traps.root)
    assert traps.sprung == []
    assert sorted({*seen.started} - {sys.executable}) == []
    assert seen.connected == []
    inside = [path for path in seen.opened if path.startswith(f"{traps.root}{os.sep}")]
    compiled = [path for path in inside if path.endswith((".pyc", ".so", ".pth")) or "__pycache__" in path]
    assert compiled == []
    return inside
