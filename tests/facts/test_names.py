"""Tests of the resolution of names: imports, aliases, scopes."""

from __future__ import annotations

import pytest

from facts.common import facts, references
from uncuda.facts.changes import Searches
from uncuda.facts.names import from_imports

SYNC = "torch.cuda.synchronize"


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntorch.cuda.synchronize()\n",
        "import torch as t\nt.cuda.synchronize()\n",
        "import torch.cuda as tc\ntc.synchronize()\n",
        "import torch.nn\ntorch.cuda.synchronize()\n",
        "from torch import cuda\ncuda.synchronize()\n",
        "from torch import cuda as gpu\ngpu.synchronize()\n",
        "from torch.cuda import synchronize\nsynchronize()\n",
        "from torch.cuda import *\nsynchronize()\n",
        "import torch\nt = torch\nt.cuda.synchronize()\n",
        "import torch\nrun = torch.cuda\nrun.synchronize()\n",
        "import torch\na = torch\nb = a.cuda\nb.synchronize()\n",
        "import torch\nif (c := torch.cuda):\n    c.synchronize()\n",
        "import importlib\ntorch = importlib.import_module('torch')\ntorch.cuda.synchronize()\n",
        "import pytest\ntorch = pytest.importorskip('torch')\ntorch.cuda.synchronize()\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.cuda.synchronize()\n",
        "def f():\n    import torch\n    torch.cuda.synchronize()\n",
        "def f():\n    import torch\n    def g():\n        torch.cuda.synchronize()\n",
        "def f():\n    global torch\n    import torch\ndef g():\n    torch.cuda.synchronize()\n",
        "def f(): import torch; torch.cuda.synchronize()\n",
        "from torch import (  # the one\n    cuda,\n)\ncuda.synchronize()\n",
        "from torch \\\n    import cuda\ncuda.synchronize()\n",
        "import torch\nx = [torch.cuda.synchronize() for x in y]\n",
        "import torch\nf = lambda x: torch.cuda.synchronize()\n",
        "import torch\nx = f'{torch.cuda.synchronize()}'\n",
        "import torch\nx = f'''a{'b'\n}{torch.cuda.synchronize()!r:>{w}}'''\n",
        "import torch\ntorch . cuda \\\n  . synchronize()\n",
        "import torch\n(torch\n .cuda  # here\n .synchronize())\n",
        "import torch\n@torch.cuda.synchronize\ndef f(): pass\n",
        "import torch\nmatch x:\n    case torch.cuda.synchronize:\n        pass\n",
        "import torch\nclass A(torch.cuda.synchronize): pass\n",
        "import torch\nasync def f(a=torch.cuda.synchronize): pass\n",
        "import torch\ntry: pass\nexcept torch.cuda.synchronize: pass\n",
        "import torch\nx: 'torch.cuda.synchronize' = None\n",
        "import torch\ndef f(a, *, b: 'list[torch.cuda.synchronize] | None' = 1): pass\n",
        "import torch\nasync def f(a) -> Optional['torch.cuda.synchronize']: pass\n",
    ],
)
def test_found(text: str) -> None:
    assert SYNC in references(text)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nx: Literal['torch.cuda.synchronize'] = None\n",
        "import torch\nx = 'torch.cuda.synchronize'\n",
        "import torch\ndef f(a='torch.cuda.synchronize'): pass\n",
        "from numba import cuda\ncuda.synchronize()\n",
        "import mytorch as torch\ntorch.cuda.synchronize()\n",
        "from . import torch\ntorch.cuda.synchronize()\n",
        "torch.cuda.synchronize()\n",
        "import torch\ndef f(torch):\n    torch.cuda.synchronize()\n",
        "import torch\ndef f(torch): torch.cuda.synchronize()\n",
        "import torch\ndef f(*, torch=None):\n    if x:\n        torch.cuda.synchronize()\n",
        "import torch\nf = lambda torch: torch.cuda.synchronize()\n",
        "import torch\nx = [torch.cuda.synchronize() for torch in y]\n",
        "import torch\ndef f():\n    torch = g()\n    torch.cuda.synchronize()\n",
        "import torch\ndef f():\n    for torch in y:\n        torch.cuda.synchronize()\n",
        "import torch\ndef f():\n    with g() as torch:\n        torch.cuda.synchronize()\n",
        "import torch\nmatch x:\n    case [torch, *_]:\n        torch.cuda.synchronize()\n",
        "import torch\nmatch x:\n    case [*torch]:\n        torch.cuda.synchronize()\n",
        "import torch\nmatch x:\n    case {'a': 1, **torch}:\n        torch.cuda.synchronize()\n",
        "import torch\nmatch x:\n    case A() as torch:\n        torch.cuda.synchronize()\n",
        "class A:\n    import torch\n    def f(self):\n        torch.cuda.synchronize()\n",
        "def f():\n    import torch\ndef g():\n    torch.cuda.synchronize()\n",
        "import torch\n# torch.cuda.synchronize()\n",
        'import torch\n"""torch.cuda.synchronize()"""\n',
        'import torch\ndef f():\n    r"""\n    torch.cuda.synchronize()\n    """\n',
        "import torch\nself.torch.cuda.synchronize()\n",
    ],
)
def test_not_found(text: str) -> None:
    assert SYNC not in references(text)


STORED = "import torch\nclass A:\n    def __init__(self):\n        self.torch = torch\n    def f(self, a, torch):\n{}"


def test_torch_that_an_object_stores() -> None:
    """As in the trainer_utils.py of transformers."""
    text = STORED.format("        self.torch.cuda.synchronize()\n")
    (name,) = [name for name in facts(text).references if name.dotted == SYNC]
    assert [span and text[span[0] : span[1]] for span in name.spans()] == ["torch", "cuda", "synchronize"]
    for other in ("a.torch.cuda.synchronize()", "self.a.torch.cuda.synchronize()", "torch.cuda.synchronize()"):
        assert SYNC not in references(STORED.format(f"        {other}\n"))


def test_an_outer_name_is_seen_past_the_first_iterable() -> None:
    text = "import torch\nx = [1 for torch in torch.cuda.synchronize()]\n"
    assert SYNC in references(text)


def test_spans_hide_what_an_alias_hides() -> None:
    text = "import torch.cuda as tc\ntc.nvtx.mark('x')\n"
    (name,) = facts(text).references
    assert [span and text[span[0] : span[1]] for span in name.spans()] == [None, None, "nvtx", "mark"]


def test_columns_are_characters() -> None:
    text = "import torch\nx = '𝛼é', torch.cuda.synchronize()\n"
    (name,) = facts(text).references
    assert [span and text[span[0] : span[1]] for span in name.spans()] == ["torch", "cuda", "synchronize"]


@pytest.mark.parametrize(
    "text",
    [
        "from a import b, c as d\n",
        "from a import b, \\\n    c as d\nx = 1\n",
        "from a import b, \\\r\n    c \\\r\n    as d\r\nx = 1\r\n",
        "from a import (b,  # why\n    c as d)\n",
        "from a import b, \\\n    c as d",
    ],
)
def test_names_that_an_import_over_several_lines_binds(text: str) -> None:
    """As in h2ogpt's gen.py, whose function that selects the device comes from such an import."""
    assert list(from_imports(Searches(text))) == [("b", "a.b"), ("d", "a.c")]
