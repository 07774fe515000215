"""Where the plugin's import goes: once a file, below the torch that the fixed code uses, if something needs it."""

from __future__ import annotations

import pytest

from uncuda.catalogue import load
from uncuda.engine import Engine
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = Engine(load(), "npu", Settings(locale="en"))

CASES = {
    "code follows on the line": (
        "\nimport torch; x = torch.ones(2).cuda()\n",
        "\nimport torch; import torch_npu; x = torch.ones(2).npu()\n",
    ),
    "code follows in a block on one line": (
        "\nif a: import torch; x = torch.ones(2).cuda()\n",
        "\nif a: import torch; import torch_npu; x = torch.ones(2).npu()\n",
    ),
    "code stands around it on the line": (
        "\na = 1; import torch as t, os; t.cuda.synchronize(); t.cuda.empty_cache()\n",
        "\na = 1; import torch as t, os; import torch_npu; t.npu.synchronize(); t.npu.empty_cache()\n",
    ),
    "imports follow on the line": (
        "\nimport torch; import os\nx.cuda()\n",
        "\nimport torch; import os\nimport torch_npu\nx.npu()\n",
    ),
    "an import of torch.cuda comes first": (
        """
try:
    import torch.cuda
except ImportError:
    pass
n = torch.cuda.device_count()
""",
        """
try:
    import torch
    import torch_npu
except ImportError:
    pass
n = torch.npu.device_count()
""",
    ),
    "a name that the plugin adds is imported first": (
        """
from torch.distributed import is_nccl_available
import torch
torch.cuda.synchronize()
""",
        """
import torch_npu
from torch.distributed import is_hccl_available as is_nccl_available
import torch
torch.npu.synchronize()
""",
    ),
    "torch is imported in a try, something of torch in a function": (
        """
try:
    import torch
except ImportError:
    torch = None


def g():
    from torch.utils.cpp_extension import CppExtension
    torch.cuda.synchronize()
""",
        """
try:
    import torch
    import torch_npu
except ImportError:
    torch = None


def g():
    from torch.utils.cpp_extension import CppExtension
    torch.npu.synchronize()
""",
    ),
    "every function imports torch itself": (
        """
def f(device='cuda'):
    import torch
    return torch.zeros(1, device=device)


def g():
    import torch
    torch.cuda.synchronize()
""",
        """
def f(device='npu'):
    import torch
    import torch_npu
    return torch.zeros(1, device=device)


def g():
    import torch
    import torch_npu
    torch.npu.synchronize()
""",
    ),
    "the name stays torch's": (
        """
import torch
try:
    f()
except torch.cuda.OutOfMemoryError:
    pass
""",
        """
import torch
try:
    f()
except torch.OutOfMemoryError:
    pass
""",
    ),
}


@pytest.mark.parametrize("text, after", CASES.values(), ids=CASES)
def test_place(text: str, after: str) -> None:
    assert ENGINE.fix(Source(text[1:]), review=True).text == after[1:]
