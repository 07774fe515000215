"""Where the plugin's import goes: once a file, near the torch that the fixed code uses, only where something needs it."""

from __future__ import annotations

import pytest

from uncuda.catalogue import load
from uncuda.engine import Engine
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = Engine(load(), "npu", Settings(locale="en"))

CASES = {
    "an import of torch.cuda comes first": (
        "try:\n    import torch.cuda\nexcept ImportError:\n    pass\nn = torch.cuda.device_count()\n",
        "try:\n    import torch\n    import torch_npu\nexcept ImportError:\n    pass\nn = torch.npu.device_count()\n",
    ),
    "a name that the plugin adds is imported first": (
        "from torch.distributed import is_nccl_available\nimport torch\ntorch.cuda.synchronize()\n",
        "import torch_npu\nfrom torch.distributed import is_hccl_available as is_nccl_available\nimport torch\n"
        "torch.npu.synchronize()\n",
    ),
    "torch is imported in a try, something of torch in a function": (
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n\n\n"
        "def g():\n    from torch.utils.cpp_extension import CppExtension\n    torch.cuda.synchronize()\n",
        "try:\n    import torch\n    import torch_npu\nexcept ImportError:\n    torch = None\n\n\n"
        "def g():\n    from torch.utils.cpp_extension import CppExtension\n    torch.npu.synchronize()\n",
    ),
    "every function imports torch itself": (
        "def f(device='cuda'):\n    import torch\n    return torch.zeros(1, device=device)\n\n\n"
        "def g():\n    import torch\n    torch.cuda.synchronize()\n",
        "def f(device='npu'):\n    import torch\n    import torch_npu\n    return torch.zeros(1, device=device)\n\n\n"
        "def g():\n    import torch\n    import torch_npu\n    torch.npu.synchronize()\n",
    ),
    "the name stays torch's": (
        "import torch\ntry:\n    f()\nexcept torch.cuda.OutOfMemoryError:\n    pass\n",
        "import torch\ntry:\n    f()\nexcept torch.OutOfMemoryError:\n    pass\n",
    ),
}


@pytest.mark.parametrize("text, after", CASES.values(), ids=CASES)
def test_place(text: str, after: str) -> None:
    assert ENGINE.fix(Source(text), review=True).text == after
