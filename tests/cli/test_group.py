"""The command `uncuda` itself: version, help, start-up cost."""

import subprocess
import sys

import pytest

import uncuda
from cli.command import environment
from cli.command import started as run_uncuda


def test_version() -> None:
    assert run_uncuda("--version").out == f"uncuda {uncuda.__version__}\n"
    assert run_uncuda("-V").code == 0


@pytest.mark.parametrize("arguments", [["--help"], ["check", "-h"], ["fix", "--help"], ["rule", "--help"]])
def test_help(arguments: list[str]) -> None:
    run = run_uncuda(*arguments)
    assert run.code == 0
    assert run.out.startswith("Usage: uncuda ")


def test_unknown_command() -> None:
    run = run_uncuda("chekc")
    assert run.code == 2
    assert "unknown command `chekc` (did you mean 'check'?)" in run.err


def test_unknown_option() -> None:
    run = run_uncuda("check", "--taget", "npu")
    assert run.code == 2
    assert "--target" in run.err


@pytest.mark.slow
def test_every_command_that_is_announced_works() -> None:
    announced = run_uncuda("--help").out.partition("Commands:")[2].splitlines()
    names = [line.split()[0] for line in announced if line.strip()]
    assert names == ["check", "fix", "report", "rule", "server"]
    for name in names:
        assert run_uncuda(name, "--help").code == 0


def test_asking_the_server_for_help_needs_no_server() -> None:
    code = (
        "import sys, uncuda.cli; uncuda.cli.main(['server', '--help'])\n"
        "assert not {'pygls', 'lsprotocol', 'uncuda.engine'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment(), capture_output=True)


def test_the_version_needs_no_engine() -> None:
    code = (
        "import sys, uncuda.cli; uncuda.cli.main(['--version'])\n"
        "print(*sorted(name for name in sys.modules if name.startswith(('uncuda.', 'libcst', 'jedi', 'tomllib'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment())
    assert done.stdout.splitlines()[1].split() == [
        "uncuda.cli",
        "uncuda.cli.texts",
        "uncuda.messages",
        "uncuda.messages.terminal",
    ]


def test_checking_needs_neither_libcst_nor_jedi_nor_a_server() -> None:
    code = (
        "import sys, uncuda.cli; uncuda.cli.main(['check', '--target', 'npu', '-'])\n"
        "assert not {'libcst', 'jedi', 'pygls', 'lsprotocol', 'pathspec', 'uncuda.report.proofs'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], input=b"x = 'cuda'\n", check=True, env=environment())


@pytest.mark.skipif(sys.platform == "win32", reason="needs the times of child processes")
def test_the_version_is_quick() -> None:
    import resource

    run_uncuda("--version")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run_uncuda("--version")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.15
