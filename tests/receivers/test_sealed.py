"""Tests that the jedi process runs no code of the workspace and writes no file, whatever the workspace contains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from receivers.project import FILES, HEAD, verdicts, write
from uncuda.child import command
from uncuda.receivers import Receivers

# Modules that jedi, parso, Python or a test runner would import if the workspace contained them, and modules that the
# checked text (_LOOKS_AT_BAIT) imports.
_BAIT = (
    *("jedi", "parso", "uncuda", "torch", "numba", "cupy", "sitecustomize", "usercustomize", "conftest", "json", "re"),
    *("typing", "argparse", "gi", "zlib", "zipimport", "encodings", "pkg_that_runs", "site", "warnings"),
)


def _every_file(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """Return the path of a file that workspace code would create if it ran."""
    return tmp_path / "marker"


@pytest.fixture
def workspace(tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace full of modules that create the file `marker`; it is also the current folder and on this
    process's import path."""
    root = tmp_path / "workspace"
    trap = f"open({str(marker)!r}, 'w').close()\n"
    write(root, FILES)
    write(root, {f"{name}.py": trap for name in _BAIT if name not in ("torch", "gi", "pkg_that_runs")})
    write(root, {f"{name}/__init__.py": trap for name in ("torch", "gi", "pkg_that_runs")})
    write(root, {"bait.pth": f"import os; {trap}", ".jedi/project.json": '[1, {"environment_path": "/bin/false"}]'})
    write(root, {"buildout.cfg": "[buildout]\n", "bin/python": f"#!{sys.executable}\n{trap}"})
    (root / "bin/python").chmod(0o755)
    (root / "compiled.abi3.so").write_bytes(b"no library")
    (root / "frozen.pyc").write_bytes(b"no code")
    with zipfile.ZipFile(root / "archive.zip", "w") as archive:
        archive.writestr("packed.py", trap)
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend("")
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.setenv("PYTHONSTARTUP", str(root / "conftest.py"))
    monkeypatch.setenv("VIRTUAL_ENV", str(root))
    return root


_LOOKS_AT_BAIT = """\
import sys
sys.path.append("archive.zip")
sys.path.insert(0, "elsewhere")
import gi, packed, pkg_that_runs, compiled, frozen, zlib, jedi
from gi.repository import Gtk
from numba import cuda as c
gi.thing().cuda()
Gtk.thing().cuda()
packed.thing().cuda()
pkg_that_runs.thing().cuda()
compiled.thing().cuda()
frozen.thing().cuda()
zlib.thing().cuda()
jedi.thing().cuda()
c.to_device(1).is_cuda
"""


def test_nothing_of_the_workspace_is_imported_or_written(
    workspace: Path, marker: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    before = _every_file(workspace)
    made = Receivers([str(workspace)], question_seconds=60)
    found = verdicts(made, workspace, HEAD + _LOOKS_AT_BAIT + "Renamed(1).cuda()\nBATCH.cuda()\n")
    made.close()
    assert found[-2:] == ["silent", "silent"], "jedi did look into the workspace"
    assert not marker.exists()
    assert _every_file(workspace) == before
    assert not cache.exists()


_TRIES = {
    "write": "open('written', 'w')",
    "append": "open('written', 'ab')",
    "create": "import os; os.open('written', os.O_CREAT | os.O_WRONLY)",
    "folder": "import os; os.mkdir('written')",
    "remove": "import os; os.remove('kept')",
    "process": "import subprocess; subprocess.run([sys.executable, '-c', ''])",
    "shell": "import os; os.system('true')",
    "fork": "import os; os.fork()",
    "socket": "import socket; socket.create_connection(('127.0.0.1', 9))",
    "pickle": "import pickle; pickle.loads(b'cos\\ngetcwd\\n(tR.')",
    "import": "sys.path.append('.'); import bait",
    "import with jedi's path": "sys.path = ['.']; import bait",
    "import of a name of ours with jedi's path": "sys.path = ['.']; import jedi.bait",
    "library": "import ctypes; ctypes.CDLL(None)",
}


@pytest.mark.parametrize("code", _TRIES.values(), ids=_TRIES)
def test_what_the_process_may_not_do(code: str, tmp_path: Path) -> None:
    write(tmp_path, {"kept": "", "bait.py": "open('written', 'w')\n", "jedi/bait.py": "open('written', 'w')\n"})
    done = _sealed(
        f"""
try:
    {code}
except PermissionError as error:
    print("refused", type(error).__name__)
""",
        tmp_path,
    )
    assert done == ["refused Refused"]
    assert not (tmp_path / "written").exists()
    assert (tmp_path / "kept").exists()


def test_reading_is_allowed(tmp_path: Path) -> None:
    write(tmp_path, {"kept": "text"})
    assert _sealed("import os, colorsys; print(open('kept').read(), len(os.listdir()))", tmp_path) == ["text 1"]


def _sealed(code: str, folder: Path) -> list[str]:
    """Return the output of code run in the isolated process."""
    program = command("uncuda.receivers.sandbox")
    program[-1] = program[-1].replace("import main; main()", "import seal; seal()\n") + code
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="address space cannot be limited")
def test_memory_is_limited() -> None:
    code = "from uncuda.receivers.sandbox import limit_memory; limit_memory(1 << 30); bytearray(2 << 30)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "MemoryError" in done.stderr


def test_what_is_printed_is_no_answer() -> None:
    program = command("uncuda.receivers.child")
    program[-1] = program[-1].replace(
        "main()",
        "from uncuda.receivers import child, judge; talk = lambda *_: print('noise', flush=True) or 'silent'; "
        "child.seal = lambda: setattr(judge, 'answer', talk); main()",
    )
    opened = json.dumps({"path": "a.py", "text": "x.cuda()\n", "roots": []})
    asked = json.dumps({"line": 1, "column": 2, "argument": False, "lacking": [], "seconds": 60})
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        process.stdin.write(f"{opened}\n{asked}\n")
        process.stdin.flush()
        ready, answer = json.loads(process.stdout.readline()), json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.stdout.read() == ""
    assert ready == {"ready": True}
    assert answer["verdict"] == "silent"
