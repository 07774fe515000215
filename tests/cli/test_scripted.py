"""Tests that no safe fix changes a function that TorchScript compiles, even if it is compiled because of a call in
another file of the project."""

from pathlib import Path

import pytest

from cli.command import make, uncuda

ASKS = "import torch\n\n\ndef {}(x):\n    return x if x.is_cuda else -x\n"
JIT = "import torch\n\njit_fuser = torch.jit.script\n"
USES = (
    "import torch\nfrom pkg.jit import jit_fuser\nfrom pkg.ops import f\n\n\n@jit_fuser\ndef k(x):\n    return f(x)\n"
)
PACKAGE = {"pkg/__init__.py": "", "uncuda.toml": 'strategy = "portable"\n'}


def ported(files: dict[str, str]) -> set[str]:
    """Return the names of the files that safe fixes change."""
    make({**PACKAGE, **files})
    uncuda("fix", "--workers", "1")
    return {name for name, text in files.items() if Path(name).read_text() != text}


def test_a_function_is_followed_through_imports() -> None:
    ops, deep = "from .deep import f as f\n", ASKS.format("f")
    files = {"pkg/use.py": USES, "pkg/ops.py": ops, "pkg/deep.py": deep, "pkg/free.py": ASKS.format("f")}
    assert ported({**files, "pkg/jit.py": JIT}) == {"pkg/free.py"}
    assert ported({**files, "pkg/jit.py": "def jit_fuser(f):\n    return f\n"}) == {"pkg/deep.py", "pkg/free.py"}


@pytest.mark.parametrize(
    "ops",
    [
        "import pkg.deep\n\n\ndef f(x):\n    return pkg.deep.g(x)\n",
        "from unknown_package import f\n",
        "from . import deep as f\n",
        "f = make()\n",
    ],
)
def test_what_cannot_be_followed_may_be_anything(ops: str) -> None:
    files = {"pkg/jit.py": JIT, "pkg/use.py": USES, "pkg/ops.py": ops, "pkg/deep.py": ASKS.format("g")}
    assert not ported({**files, "pkg/free.py": ASKS.format("h")})


def test_a_library_compiles_nothing_of_the_project() -> None:
    files = {
        "pkg/jit.py": JIT,
        "pkg/use.py": USES.replace("pkg.ops", "flash_attn.ops"),
        "pkg/free.py": ASKS.format("h"),
    }
    assert ported(files) == {"pkg/free.py"}
