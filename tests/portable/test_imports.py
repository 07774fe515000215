"""Tests of where the import of the helper module is inserted, and of the names under which it is imported."""

from __future__ import annotations

import pytest

from support.portable import HELPER, classes, found, ported
from uncuda.project import Helper

USE = "torch.cuda.synchronize()\ntorch.manual_seed(0)\n"
USED = "device_module().synchronize()\ntorch.manual_seed(0)\n"
LINE = "from pkg.device import device_module\n"


@pytest.mark.parametrize(
    "before, after",
    [
        ("import os\nimport torch\nimport numpy\n\n", f"import os\nimport torch\nimport numpy\n\n{LINE}\n"),
        ("import torch\nimport torch.nn as nn\n\n", f"import torch\nimport torch.nn as nn\n\n{LINE}\n"),
        (
            "import torch\n\nfrom pkg.a import b\nfrom pkg.c import d\n\nfrom other import e\n\n",
            f"import torch\n\nfrom pkg.a import b\nfrom pkg.c import d\n{LINE}\nfrom other import e\n\n",
        ),
        ("import torch\n\nfrom .a import b\n\n", f"import torch\n\n{LINE}\nfrom .a import b\n\n"),
        (
            "import torch\n\n# the base\nfrom ..a import b\nfrom .c import d\n\n",
            f"import torch\n\n{LINE}\n# the base\nfrom ..a import b\nfrom .c import d\n\n",
        ),
        (
            "import torch\n\nfrom pkg.a import b\n\nfrom .c import d\n\n",
            f"import torch\n\nfrom pkg.a import b\n{LINE}\nfrom .c import d\n\n",
        ),
        (
            "import torch\n\nfrom pkg.a import b\nfrom pkg2.c import d\nfrom pkg.x import y\n\n",
            f"import torch\n\nfrom pkg.a import b\n{LINE}from pkg2.c import d\nfrom pkg.x import y\n\n",
        ),
        (
            "import torch\n\nfrom pkg.a import b\nfrom pkg.e import f\n\n",
            f"import torch\n\nfrom pkg.a import b\n{LINE}from pkg.e import f\n\n",
        ),
        (
            "import torch\n\nfrom pkg.e import f\nfrom pkg.a import b\n\n",
            f"import torch\n\nfrom pkg.e import f\nfrom pkg.a import b\n{LINE}\n",
        ),
        (
            "import os\n\nos.environ['A'] = 'b'\n\nimport torch\nimport numpy\nX = 1\n",
            f"import os\n\nos.environ['A'] = 'b'\n\nimport torch\nimport numpy\n\n{LINE}\nX = 1\n",
        ),
        (
            "import torch\n# more\nimport numpy\ntry:\n    import apex\nexcept ImportError:\n    x = 1\n\n",
            f"import torch\n# more\nimport numpy\n\n{LINE}\ntry:\n    import apex\nexcept ImportError:\n    x = 1\n\n",
        ),
        (
            "from .compat import prepare\n\nprepare()\n\nimport torch\n\n",
            f"from .compat import prepare\n\nprepare()\n\nimport torch\n\n{LINE}\n",
        ),
        (
            "from .compat import prepare\n\nprepare()\n\nimport torch\nfrom .a import b\n\n",
            f"from .compat import prepare\n\nprepare()\n\nimport torch\n{LINE}from .a import b\n\n",
        ),
        (
            "import sys\nimport torch\n\nsys.path.append(ROOT)\n\nimport pkg.a\n\n",
            f"import sys\nimport torch\n\nsys.path.append(ROOT)\n\nimport pkg.a\n{LINE}\n",
        ),
        (
            "import sys\nimport torch\n\nif ROOT not in sys.path:\n    sys.path.append(ROOT)\nROOT = 1\n\n",
            f"import sys\nimport torch\n\nif ROOT not in sys.path:\n    sys.path.append(ROOT)\n{LINE}ROOT = 1\n\n",
        ),
        ("from torch import (\n    nn,\n    optim,\n)\nimport torch\n\n", None),
        ('"""Import torch."""\nfrom __future__ import annotations\nimport torch\n\n', None),
    ],
)
def test_place(before: str, after: str | None) -> None:
    assert ported(before + USE) == (after or f"{before.rstrip()}\n\n{LINE}\n") + USED


def test_own_imports_that_are_sorted_among_others() -> None:
    own = Helper(HELPER, "pkg/device.py", None, frozenset({"bench", "pkg"}), "pkg", line_length=100)
    head = "import torch\n\nfrom bench.conf import A\n"
    tail = "from other.testing import start\nfrom pkg.x import x\n\n"
    assert ported(head + tail + USE, path="pkg/a.py", helper=own) == (
        head + tail.replace("from pkg", f"{LINE}from pkg") + USED
    )
    unsorted = "from zip.testing import start\nfrom pkg.x import x\n\n"
    assert ported(head + unsorted + USE, path="pkg/a.py", helper=own) == head + LINE + unsorted + USED


def test_line_breaks_are_those_of_the_text() -> None:
    assert ported(f"import torch\r\n\r\n{USE}".replace(")\n", ")\r\n")).count("\r\n") == 6


def test_a_text_without_a_last_line_break() -> None:
    text = "def f(x):\n    return x.cuda()\n\n\nimport torch as t"
    assert ported(text, review=True) == (
        "from pkg.device import accelerator_type\ndef f(x):\n    return x.to(accelerator_type())\n\n\nimport torch as t"
    )


def test_names_are_added_to_the_import_that_is_there() -> None:
    text = "import torch\nfrom pkg.device import backend, device_type\n\n"
    assert ported(text + USE) == text.replace("backend, ", "backend, device_module, ") + USED
    several = "import torch\nfrom pkg.device import (\n    backend,\n    device_type,\n)\n\n"
    assert ported(several + USE) == several.replace("device_type,", "device_type, device_module,") + USED


def test_a_name_that_the_text_uses_gets_a_prefix() -> None:
    text = "import torch\n\n\ndef f(x, device):\n    return x.cuda(device)\n"
    fixed = ported(text, review=True)
    assert "import pkg.device as accelerator\n" in fixed
    assert "return x.to(accelerator.device(device))" in fixed


def test_the_import_of_the_whole_module_is_sorted_before_names() -> None:
    head, own = "import torch\n\n", "from pkg.a import b\nfrom pkg.e import f\n\n\n"
    fixed = ported(f"{head}{own}def f(x, device):\n    return x.cuda(device)\n", review=True)
    assert fixed.startswith(f"{head}import pkg.device as accelerator\n{own}")


def test_the_keyword_of_a_call_is_no_use() -> None:
    text = 'import torch.distributed as dist\n\ndist.init_process_group(backend="nccl")\n'
    assert "dist.init_process_group(backend=backend())" in ported(text)


def test_a_parameter_is_one() -> None:
    text = (
        'import torch.distributed as dist\n\n\ndef f(backend="nccl"):\n    dist.init_process_group(backend=backend)\n'
    )
    fixed = ported(text)
    assert "def f(backend=accelerator.backend()):" in fixed


def test_the_alias_of_the_module_meets_no_other_name() -> None:
    text = "import torch\n\naccelerator = Accelerator()\n\n\ndef f(x, device):\n    return x.cuda(device)\n"
    fixed = ported(text, review=True)
    assert "import pkg.device as accelerator_helper\n" in fixed
    assert "x.to(accelerator_helper.device(device))" in fixed


def test_what_the_text_calls_a_function_is_kept() -> None:
    text = "import torch\nfrom pkg.device import device_module as dm\n\n"
    assert ported(text + USE) == text + USED.replace("device_module", "dm")


def test_a_use_above_the_import_needs_review() -> None:
    text = 'import os\n\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\n\nimport torch\n\n' + USE
    assert classes(text) == ["review", "review"]
    fixed = ported(text, review=True)
    assert fixed.startswith("import os\nfrom pkg.device import device_module, visible_devices\n")


def test_a_use_above_the_import_that_is_there_is_by_hand() -> None:
    text = f'import os\n\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\n\nimport torch\n{LINE}\n'
    (finding,) = found(text)
    assert not finding.fixes
    assert "move it up" in finding.message


@pytest.mark.parametrize("head", ["", "import os\n\n", "from pkg.a import b\n\n", "from .a import b\n\n"])
def test_torch_imported_late_needs_review(head: str) -> None:
    """The helper module imports torch at once, but in this file torch may be optional, or slow to import."""
    code = "def f():\n    import torch\n\n    torch.cuda.synchronize()\n"
    assert classes(head + code) == ["review"]
    assert classes(f"{head}import torchvision\n\n{code}") == ["safe"]


def test_a_decorator_needs_review() -> None:
    """Python 3.8 accepts no call in the middle of a decorator."""
    assert classes("import torch\n\n\n@torch.cuda.amp.autocast()\ndef f(x): pass\n") == ["review"]


ALIASED = "import torch\nfrom torch.cuda.amp import GradScaler, autocast\n\n\n"
MAIN = '\n\nif __name__ == "__main__":\n    f(torch)\n'


def test_imported_names_go_with_their_uses() -> None:
    code = "@autocast()\ndef f(x):\n    g = GradScaler(1.0, 2.0, 0.5, 2000, True)\n    with autocast(x): pass\n"
    assert classes(ALIASED + code + MAIN) == ["review"] * 3, "a decorator is but a name and a call in Python 3.8"
    assert classes(ALIASED + code[code.index("def") :] + MAIN) == ["safe"] * 3
    fixed = ported(ALIASED + code + MAIN, review=True)
    assert fixed == (
        f"import torch\n\n{LINE}\n\n@device_module().amp.autocast()\ndef f(x):\n"
        "    g = device_module().amp.GradScaler(1.0, 2.0, 0.5, 2000, enabled=True)\n"
        f"    with device_module().amp.autocast(x): pass\n{MAIN}"
    )


def test_what_another_file_may_import_needs_review() -> None:
    text = f"{ALIASED}scaler = GradScaler()\n\n\ndef f(x):\n    with autocast(): pass\n"
    assert set(classes(text)) == {"review"}


@pytest.mark.parametrize(
    "code",
    [
        "__all__ = ['autocast']\nwith autocast(): pass\ng = GradScaler()\n",
        "def f(autocast): pass\nwith autocast(): pass\ng = GradScaler()\n",
    ],
)
def test_a_name_that_is_more_than_its_import_stays(code: str) -> None:
    text = ALIASED + code + MAIN
    assert ported(text, review=True) == text


def test_an_import_in_a_block_stays() -> None:
    text = (
        "import torch\n\ntry:\n    from torch.cuda.amp import autocast\nexcept ImportError:\n    autocast = None\n\n"
        f"with autocast(): pass\n{MAIN}"
    )
    assert ported(text, review=True) == text


def test_a_module_under_another_name_needs_review() -> None:
    text = f"import torch\nfrom torch.cuda import amp\n\nwith amp.autocast(): pass\n{MAIN}"
    assert set(classes(text)) == {"review"}
    assert "with device_module().amp.autocast(): pass" in ported(text, review=True)


BEFORE, GONE = "import torch\n\n", "from pkg.device import device_module\n\n"
ALONE = "torch.cuda.synchronize()\n"


@pytest.mark.parametrize(
    "before, after",
    [
        (BEFORE, GONE),
        (f"# a file\n\n{BEFORE}", f"# a file\n\n{GONE}"),
        (f"import os\n{BEFORE}", f"import os\n\n{GONE}"),
        (f"import os\n\n{BEFORE}", f"import os\n\n{GONE}"),
        ("import torch\nimport numpy\nfrom torch import nn\n\n", f"import numpy\nfrom torch import nn\n\n{GONE}"),
        (f"{BEFORE}import torch.nn as nn\n\n", f"import torch.nn as nn\n\n{GONE}"),
        (
            f'from pkg.a import b\nimport torch\n\n{"def f(): "}\n    """Gives a torch.Tensor."""\n\n',
            f'from pkg.a import b\n{LINE}\ndef f(): \n    """Gives a torch.Tensor."""\n\n',
        ),
        (
            f"{BEFORE}print('cuda graphs are good', \"no cuda\")\n",
            f"{GONE}print('cuda graphs are good', \"no cuda\")\n",
        ),
    ],
)
def test_torch_goes_where_nothing_else_uses_it(before: str, after: str) -> None:
    assert ported(before + ALONE).replace("\n\n\n", "\n\n") == f"{after}device_module().synchronize()\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{BEFORE}{ALONE}x: 'torch.Tensor'\n",
        f"import torch  # first\n\n{ALONE}",
        f"import torch.nn\n{BEFORE}{ALONE}",
        f"{BEFORE}{ALONE}major = torch.cuda.get_device_capability()\n",
        f"{BEFORE}__all__ = ['torch']\n{ALONE}",
        f"import torch\nimport fused_ext\n\n{ALONE}",
        f"import torch\nfrom pkg import _C\n\n{ALONE}",
        f"import torch\n\nprepare()\n\nfrom pkg import a\n\n{ALONE}",
    ],
)
def test_torch_stays_where_something_may_need_it(text: str) -> None:
    fixed = ported(text, review=True)
    assert "import torch" in fixed
    assert "device_module().synchronize()" in fixed


def test_torch_that_a_function_imports_goes_where_the_function_does_not_use_it() -> None:
    head = "import torch.distributed as dist\n\n\n"
    code = "def f():\n    # where it is\n    import torch\n\n    torch.cuda.synchronize()\n"
    assert "    # where it is\n    device_module().synchronize()\n" in ported(head + code)
    assert "    import torch\n" in ported(f"{head}{code}    return torch.ones(1)\n")


def test_a_comment_stays_with_its_import() -> None:
    text = "import torch\n\nfrom pkg.a import b\n# what e is for\n# in short\nfrom pkg.e import f\n\n"
    assert ported(text + USE) == text.replace("# what", f"{LINE}# what") + USED
