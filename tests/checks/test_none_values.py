"""`CUDA_HOME` is None without CUDA: code that joins it with text fails, so the finding is an error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.typist import Typist, prepared
from support.counted import growing, kept_work
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "from torch.utils.cpp_extension import CUDA_HOME\nimport os, subprocess  # nvcc\n\n\n"
ASKS = "def version(folder):\n    return subprocess.check_output([folder + '/bin/nvcc', '-V'])\n\n\n"
FAILS = {
    "added to": "nvcc = CUDA_HOME + '/bin/nvcc'",
    "joined": "nvcc = os.path.join(CUDA_HOME, 'bin', 'nvcc')",
    "given to a function that adds": f"{ASKS}version(CUDA_HOME)",
    "given to a function that joins": "def f(a, b):\n    return os.path.join(b, a)\n\n\nf('bin', CUDA_HOME)",
    "refused": "def f():\n    if CUDA_HOME is not None:\n        return\n    raise RuntimeError",
}
RUNS = {
    "tested around": f"{ASKS}if CUDA_HOME is not None:\n    version(CUDA_HOME)",
    "tested before": "def f():\n    if CUDA_HOME is None:\n        return ''\n    return CUDA_HOME + '/bin'",
    "tested beside": "nvcc = CUDA_HOME and CUDA_HOME + '/bin/nvcc'",
    "tested in the function": (
        "def f(folder):\n    if folder is None:\n        return ''\n    return folder + '/bin'\n\n\nf(CUDA_HOME)"
    ),
    "given to what is not known": "version(CUDA_HOME)",
    "printed": "print(CUDA_HOME)",
    "not refused": "def f():\n    if CUDA_HOME is not None:\n        return\n    print('no CUDA')",
}


def gravest(text: str) -> str:
    engine = engine_for("musa", Settings(select=("cuda-paths",), locale="en"))
    found = {one.severity for one in engine.check(Source(HEAD + text + "\n")).findings}
    return "error" if "error" in found else "warning" if "warning" in found else ""


@pytest.mark.parametrize("name", FAILS)
def test_a_path_that_is_none_is_joined(name: str) -> None:
    assert gravest(FAILS[name]) == "error"


@pytest.mark.parametrize("name", RUNS)
def test_a_path_that_is_none_does_no_harm(name: str) -> None:
    assert gravest(RUNS[name]) == "warning"


def test_a_test_for_the_path_is_typed() -> None:
    text = HEAD + ASKS + "if x:\n    version(CUDA_HOME)\nversion(CUDA_HOME)\n"
    typist = Typist(text, prepared("musa"))
    at = typist.text.index("if x") + 3
    typist.erase(at + 1, 1)
    typist.type(at, "CUDA_HOME")
    at = typist.text.index("folder + ") + len("folder")
    typist.erase(at + 2, 2)
    typist.type(typist.text.index("    return subp"), "    if folder: pass\n")


LONG_NAME = "a" * 100  # so that a search of the condition costs more than the statement below it
LONG: dict[str, Callable[[int], str]] = {
    "one function": lambda size: ASKS + "version(CUDA_HOME)\n" * size,
    "many functions": lambda size: "".join(f"def f{n}(p{n}):\n    p{n} + 'a'\nf{n}(CUDA_HOME)\n" for n in range(size)),
    "many functions of one name": lambda size: "def f(p):\n    p + 'a'\nf(CUDA_HOME)\n" * size,
    "many parameters": lambda size: with_parameters(size) + f"f({', '.join(['CUDA_HOME'] * size)})\n",
    "many parameters, many calls": lambda size: with_parameters(size) + "f(CUDA_HOME)\n" * size,
    "below a long condition": lambda size: (
        f"if ({' and '.join(f'{LONG_NAME}{n}' for n in range(2 * size))}):\n" + "    x = CUDA_HOME + 'b'\n" * size
    ),
}


def with_parameters(size: int) -> str:
    return f"def f({', '.join(f'p{n}' for n in range(size))}):\n    p0 + 'a'\n\n\n"


@pytest.mark.parametrize("name", LONG)
def test_many_uses_of_the_path_take_as_long_as_the_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the text takes about four times the work; in each function of uncuda, too."""
    engine, kept = engine_for("musa", Settings(select=("cuda-paths",))), kept_work(monkeypatch)
    engine.check(Source(HEAD))

    def check(size: int) -> Callable[[], object]:
        return lambda: engine.check(Source(HEAD + LONG[name](size))).findings

    assert growing(check(50), check(200), 6) == []
    small, large = (work.comparisons for work in kept[-2:])
    assert small < large < 6 * small
