"""Tests of the fix that imports the plugin: once per file, below the torch import that the fixed code uses, and only if
the plugin is needed."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.facts.read import read
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))

CASES = {
    "code follows on the line": (
        "\nimport torch; x = torch.ones(2).cuda()\n",
        "\nimport torch; import torch_npu; x = torch.ones(2).npu()\n",
    ),
    "pytest imports torch": (
        """
import pytest

torch = pytest.importorskip("torch", minversion="2.1")
nn = torch.nn


def test_sum(y):
    x = torch.ones(2, device="cuda")
    assert x.is_cuda and y.cuda().sum() > 0
""",
        """
import pytest

torch = pytest.importorskip("torch", minversion="2.1")
import torch_npu
nn = torch.nn


def test_sum(y):
    x = torch.ones(2, device="npu")
    assert x.is_npu and y.npu().sum() > 0
""",
    ),
    "pytest imports torch over two lines": (
        """
import pytest
torch: Any = pytest.importorskip(
    "torch", minversion="2.1")  # optional
x = torch.ones(2).cuda()
""",
        """
import pytest
torch: Any = pytest.importorskip(
    "torch", minversion="2.1")  # optional
import torch_npu
x = torch.ones(2).npu()
""",
    ),
    "code follows an import by pytest on the line": (
        "\nimport pytest\ntorch = pytest.importorskip('torch'); x = torch.ones(2).cuda()\n",
        "\nimport pytest\ntorch = pytest.importorskip('torch'); import torch_npu; x = torch.ones(2).npu()\n",
    ),
    "pytest imports torch in a function": (
        """
import pytest


def test_sum(y):
    torch = pytest.importorskip("torch")
    torch.cuda.synchronize()


def test_other(y):
    assert y.device.type == "cuda"
""",
        """
import pytest


def test_sum(y):
    torch = pytest.importorskip("torch")
    import torch_npu
    torch.npu.synchronize()


def test_other(y):
    assert y.device.type == "npu"
""",
    ),
    "pytest imports torch without a name": (
        """
import pytest
pytest.importorskip("torch"); import torch


def test_sum(y):
    y.cuda()
""",
        """
import pytest
pytest.importorskip("torch"); import torch; import torch_npu


def test_sum(y):
    y.npu()
""",
    ),
    "code follows in a block on one line": (
        "\nif a: import torch; x = torch.ones(2).cuda()\n",
        "\nif a: import torch; import torch_npu; x = torch.ones(2).npu()\n",
    ),
    "code stands around it on the line": (
        "\na = 1; import torch as t, os; t.cuda.synchronize(); t.cuda.empty_cache()\n",
        "\na = 1; import torch as t, os; import torch_npu; t.npu.synchronize(); t.npu.empty_cache()\n",
    ),
    "a function imports torch and its modules, and another function needs the plugin": (
        """
def choose(c):
    c.device = 'cuda'


def run(c):
    import torch
    import os
    from torch.utils import data

    return c.device == 'cuda'
""",
        """
def choose(c):
    c.device = 'npu'


def run(c):
    import torch
    import torch_npu
    import os
    from torch.utils import data

    return c.device == 'npu'
""",
    ),
    "a block of a function imports a module of torch": (
        """
def run(c):
    import torch
    if c:
        from torch.utils import data

        x.cuda()
""",
        """
def run(c):
    import torch
    if c:
        from torch.utils import data
        import torch_npu

        x.npu()
""",
    ),
    "imports follow on the line": (
        "\nimport torch; import os\nx.cuda()\n",
        "\nimport torch; import os\nimport torch_npu\nx.npu()\n",
    ),
    "a use above the import of torch": (
        """
from model import build

net = build().cuda()

import torch

x = torch.zeros(3).cuda()
""",
        """
from model import build

import torch_npu
net = build().npu()

import torch

x = torch.zeros(3).npu()
""",
    ),
    "a use above the import of torch, on several lines and by keyword": (
        """
from model import build

net = build(
    4,
).eval(device="cuda")
import torch
torch.cuda.synchronize()
""",
        """
from model import build

import torch_npu
net = build(
    4,
).eval(device="npu")
import torch
torch.npu.synchronize()
""",
    ),
    "a use above the import of torch in a function": (
        """
from model import build
net = build().cuda()

def main():
    import torch
    torch.cuda.synchronize()
""",
        """
from model import build
import torch_npu
net = build().npu()

def main():
    import torch
    torch.npu.synchronize()
""",
    ),
    "above the import of torch, but not run before it": (
        """
def move(net):  # net.cuda()
    return net.cuda()

text = "net.cuda()"
import torch
move(torch.zeros(3))
""",
        """
def move(net):  # net.cuda()
    return net.npu()

text = "net.cuda()"
import torch
import torch_npu
move(torch.zeros(3))
""",
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
    "torch.cuda is imported below torch": (
        """
import torch
import torch.cuda
import torch.nn as nn
try:
    import torch
    import torch.cuda  # kept: the comment is about it
except ImportError:
    torch = None
def f():
    import torch.cuda
    n = torch.cuda.device_count()
    import torch.cuda
""",
        """
import torch
import torch_npu
import torch.nn as nn
try:
    import torch
    import torch  # kept: the comment is about it
except ImportError:
    torch = None
def f():
    import torch
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
except ImportError:
    torch = None
else:
    import torch_npu


def g():
    from torch.utils.cpp_extension import CppExtension
    torch.npu.synchronize()
""",
    ),
    "torch is optional": (
        """
def f():
    try:
        import torch
        from torch import nn
        HAS_TORCH = True  # or not
    except (ImportError, OSError):
        HAS_TORCH = False
        # what then

    # and now
    return torch.cuda.is_available() if HAS_TORCH else False
""",
        """
def f():
    try:
        import torch
        from torch import nn
        HAS_TORCH = True  # or not
    except (ImportError, OSError):
        HAS_TORCH = False
        # what then
    else:
        import torch_npu

    # and now
    return torch.npu.is_available() if HAS_TORCH else False
""",
    ),
    "torch is optional, with an else": (
        "\ntry:\n    import torch\nexcept ImportError:\n    pass\nelse:  # it is\n    x = torch.zeros(1).cuda()\n",
        (
            "\ntry:\n    import torch\nexcept ImportError:\n    pass\nelse:  # it is\n    import torch_npu\n"
            "    x = torch.zeros(1).npu()\n"
        ),
    ),
    "torch is optional, with an else of another depth": (
        "\ntry:\n    import torch\nexcept ImportError:\n    pass\nelse:\n\n  x = torch.zeros(1).cuda()\n",
        (
            "\ntry:\n    import torch\nexcept ImportError:\n    pass\nelse:\n  import torch_npu\n"
            "\n  x = torch.zeros(1).npu()\n"
        ),
    ),
    "torch is optional, and a text that ends like a comment": (
        '\ntry:\n    import torch\nexcept ImportError:\n    x = """\n# no"""\ntorch.cuda.synchronize()',
        (
            '\ntry:\n    import torch\nexcept ImportError:\n    x = """\n# no"""\nelse:\n    import torch_npu\n'
            "torch.npu.synchronize()"
        ),
    ),
    "torch is optional, and then an end": (
        "\ntry:\n    import torch\nexcept ImportError:\n    pass\nfinally:\n    x = 1\ntorch.cuda.synchronize()",
        (
            "\ntry:\n    import torch\nexcept ImportError:\n    pass\nelse:\n    import torch_npu\n"
            "finally:\n    x = 1\n"
            "torch.npu.synchronize()"
        ),
    ),
    "torch is optional, at the end": (
        "\ndef f():\n    torch.cuda.synchronize()\ntry:\n    import torch\nexcept ImportError: pass",
        (
            "\ndef f():\n    torch.npu.synchronize()\ntry:\n    import torch\nexcept ImportError: pass\nelse:\n"
            "    import torch_npu\n"
        ),
    ),
    "something else may fail where torch is imported": (
        "\ntry:\n    import torch\n    import apex\nexcept ImportError:\n    apex = None\ntorch.cuda.synchronize()\n",
        (
            "\ntry:\n    import torch\n    import torch_npu\n    import apex\nexcept ImportError:\n    apex = None\n"
            "torch.npu.synchronize()\n"
        ),
    ),
    "what the try does needs the plugin": (
        "\ntry:\n    import torch\n    n = torch.cuda.device_count()\nexcept Exception:\n    n = 0\nx.cuda()\n",
        (
            "\ntry:\n    import torch\n    import torch_npu\n    n = torch.npu.device_count()\n"
            "except Exception:\n    n = 0\n"
            "x.npu()\n"
        ),
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


BY_STAR = (
    "import os\nfrom .common import *\n\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n\n"
    "def main(model):\n    if torch.cuda.is_available():\n        model = model.cuda()\n    return model.to(device)\n"
)


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_torch_that_a_star_brings(target: str) -> None:
    """The plugin's import is added below the star import, the only possible line, and every `cuda` is replaced."""
    fixed = engine_for(target, Settings()).fix(Source(BY_STAR), review=False).text
    wanted = BY_STAR.replace("cuda", target).replace("import *\n", f"import *\nimport torch_{target}\n")
    assert fixed == wanted


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_torch_that_a_star_brings_and_a_function_imports_too(target: str) -> None:
    text = BY_STAR + "\ndef count():\n    import torch\n    return torch.cuda.device_count()\n"
    fixed = engine_for(target, Settings()).fix(Source(text), review=False).text
    wanted = text.replace("cuda", target).replace("import *\n", f"import *\nimport torch_{target}\n")
    assert fixed == wanted


def test_a_star_that_no_use_of_torch_needs_brings_none() -> None:
    text = "from .common import *\n\ndef count():\n    import torch\n    return torch.cuda.device_count()\n"
    fixed = engine_for("npu", Settings()).fix(Source(text), review=False).text
    assert fixed == text.replace("cuda", "npu").replace("import torch\n", "import torch\n    import torch_npu\n")


@pytest.mark.parametrize(
    "text",
    [
        "from .common import *\nx = 1  # torch.device('cuda') would do\ndevice = dict(kind='cuda')\n",
        "from .common import *\n\ndef f(torch):\n    return torch.cuda.is_available()\n",
        "from .common import *\ntorch = fake()\nx = torch.cuda.is_available()\n",
        "x = torch.cuda.is_available()\n",
    ],
    ids=["in a comment", "a parameter", "bound otherwise", "no star"],
)
def test_no_star_brings_torch(text: str) -> None:
    assert engine_for("npu", Settings()).fix(Source(text), review=False).text == text


@pytest.mark.parametrize(
    "line",
    ["from .lazy import torch", "from pkg.compat import nn, torch  # late", "from pkg.thirdparty import torch, numpy"],
)
def test_torch_that_another_module_lends(line: str) -> None:
    """As in anemoi-inference, whose files get torch from a module that imports it late."""
    text = BY_STAR.replace("from .common import *", line)
    fixed = engine_for("npu", Settings()).fix(Source(text), review=False).text
    assert fixed == text.replace("cuda", "npu").replace(f"{line}\n", f"{line}\nimport torch_npu\n")


@pytest.mark.parametrize(
    "line", ["from mylib.backends import torch", "from . import torch", "from .lazy import torch as t"]
)
def test_what_no_module_lends(line: str) -> None:
    text = BY_STAR.replace("from .common import *", line)
    assert "torch_npu" not in engine_for("npu", Settings()).fix(Source(text), review=False).text


def test_a_comment_lends_nothing() -> None:
    text = "from .common import torch\n\nx = torch.load(y)  # unlike torch.cuda.is_available()\nz = x.cuda()\n"
    assert engine_for("npu", Settings()).fix(Source(text), review=False).text == text


def test_a_submodule_called_torch_is_not_torch() -> None:
    text = "from safetensors import torch\n\nx = torch.load_file(path, device='cuda:0')\n"
    assert engine_for("npu", Settings()).fix(Source(text), review=False).text == text


HANDED = (
    "def fit(self):\n    import torch\n    self.device = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    "    self.move(torch)\n\n\ndef move(self, torch):\n"
    "    if self.device == 'cuda' and torch.cuda.is_available():\n        torch.cuda.synchronize()\n"
)


def test_torch_that_is_handed_on() -> None:
    """As in cornac: methods import torch late, and hand it on to others."""
    fixed = engine_for("npu", Settings()).fix(Source(HANDED), review=False).text
    plugin = "    import torch\n    import torch_npu\n"
    assert fixed == HANDED.replace("cuda", "npu").replace("    import torch\n", plugin)
    other = f"import torch\n{HANDED}"
    assert "torch.cuda.synchronize" in engine_for("npu", Settings()).fix(Source(other), review=False).text


def test_torch_from_elsewhere_is_typed() -> None:
    lent = BY_STAR.replace("from .common import *", "from .lazy import torch")
    type_in_each_line(lent, ("from .lazy import torch", "import torch", "torch = 1", "x = torch.cuda.Event()"), 2)
    typed = (
        "import torch",
        "def move(self, torch):",
        "    torch = 1",
        "    x = torch.cuda.Event()",
        "from .a import torch",
    )
    type_in_each_line(HANDED, typed, 2)


STARS = [
    BY_STAR,
    BY_STAR.replace("from .common import *", "from .common import torch"),
    BY_STAR.replace("from .common import *", "from .common import torch as torch_"),
    BY_STAR.replace("from .common import *", "from .common import x"),
    BY_STAR.replace("from .common import *", "import torch"),
    BY_STAR.replace("torch.device", "core.device"),
    BY_STAR.replace("import os", "torch = None"),
    BY_STAR + "\ndef count():\n    import torch\n    return torch.cuda.device_count()\n",
]


@pytest.mark.parametrize("old", range(len(STARS)))
@pytest.mark.parametrize("new", range(len(STARS)))
def test_a_star_that_is_typed_is_read_like_one_that_is_there(old: int, new: int) -> None:
    words = engine_for("npu", Settings()).ruleset(shim=False).words
    fresh, typed = read(STARS[new], words), read(STARS[new], words, read(STARS[old], words))
    assert (typed.star, typed.followed) == (fresh.star, fresh.followed)
    assert sorted(name.dotted for name in typed.references) == sorted(name.dotted for name in fresh.references)


USED = "import torch\n\ntorch.npu.synchronize()\n"


@pytest.mark.parametrize(
    "test", ["assert hasattr(torch, 'npu')", "if not hasattr(torch, 'npu'):\n    raise SystemExit"]
)
def test_the_plugin_is_not_missed_below_a_test_of_the_target(test: str) -> None:
    engine = engine_for("npu")
    assert engine.check(Source(f"import torch\n{test.replace('npu', 'mps')}\ntorch.npu.synchronize()\n")).findings
    assert not engine.check(Source(f"import torch\n{test}\ntorch.npu.synchronize()\n")).findings


@pytest.mark.parametrize(
    ("settings", "severity", "loaded"),
    [
        (Settings(target_version="2.6.0.post5"), "information", True),
        (Settings(target_version=">=2.6,<2.8"), "information", True),
        (Settings(target_version="2.1.0"), "warning", False),
        (Settings(target_version=">=2.4,<2.8"), "warning", False),
        (Settings(), "warning", True),  # the version is unknown
        (Settings(target_version="2.6.0", severity={"missing-plugin-import": "error"}), "error", True),
    ],
)
def test_a_plugin_that_is_known_to_load_by_itself(settings: Settings, severity: str, loaded: bool) -> None:
    engine = engine_for("npu", settings)
    (found,) = engine.check(Source(USED)).findings
    assert (found.rule, found.severity, found.fixes[0].applicability) == ("missing-plugin-import", severity, "safe")
    assert ("not loaded by PyTorch itself" in found.message) is not loaded
    assert engine.fix(Source(USED)).text == "import torch\nimport torch_npu\n\ntorch.npu.synchronize()\n"


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("version", [None, "2.1.0"])
@pytest.mark.parametrize(
    "text",
    [
        "import torch\nx.cuda()\n",
        "import torch\nd = torch.device('cuda')\n",
        "from torch import nn\nx = nn.Linear(1, 1).cuda()\n",
        "import torch.distributed as dist\ndist.init_process_group('nccl')\n",
        "def f():\n    import torch\n    return torch.cuda.device_count()\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\nx.cuda()\n",
        "from torch import *\nx = zeros(1, device='cuda')\n",
        "from torch.cuda.amp import autocast\n",
    ],
)
def test_names_of_the_target_come_with_the_import_of_the_plugin(text: str, version: str | None, target: str) -> None:
    engine = engine_for(target, Settings(target_version=version))
    package = engine.target.words["package"]
    for finding in engine.check(Source(text)).findings:
        for fix in finding.fixes:
            assert any(package in edit.text for edit in fix.edits), (finding.rule, fix)
    assert package in engine.fix(Source(text)).text


BY_NAME = CASES["pytest imports torch"][0]


def test_typing_beside_an_import_by_name_says_what_a_fresh_look_says() -> None:
    lines = (
        "torch = pytest.importorskip('torch')",
        "import torch",
        "torch = 1",
        "x.cuda()",
        "# importorskip(",
        "import a",
    )
    type_in_each_line(BY_NAME, lines, 1)
    type_in_each_line(CASES["pytest imports torch in a function"][0], lines, 1)


@pytest.mark.parametrize("at", range(len('torch = pytest.importorskip("torch", ')))
def test_an_import_by_name_that_is_mistyped(at: int) -> None:
    first = BY_NAME.index("torch = pytest") + at
    wrong = BY_NAME[:first] + BY_NAME[first + 1 :]
    typing = engine_for("npu", Settings(locale="en"), remember=2)
    for now in (BY_NAME, wrong, BY_NAME):
        assert typing.check(Source(now, "a.py")).findings == ENGINE.check(Source(now, "a.py")).findings, now


LATE = (
    "from sktime.utils.dependencies import _safe_import\n\n{}\n\n\ndef resolve_device(device):\n"
    '    if device in ("cuda", "gpu") and torch.cuda.is_available():\n        return "cuda"\n    return "cpu"\n'
)


@pytest.mark.parametrize(
    "line",
    [
        'torch = _safe_import("torch")',
        "torch = lazy_import('torch', purpose='x')",
        'torch = cast("torch", lazy_load_dep("torch"))',
        "torch = _import_torch()",
        'torch = util.get_module("torch", "missing")',
    ],
)
def test_torch_that_a_function_imports_late(line: str) -> None:
    """As in sktime, llm-guard and wandb."""
    text = LATE.format(line)
    fixed = engine_for("npu", Settings()).fix(Source(text), review=False).text
    assert fixed == text.replace("cuda", "npu").replace(f"{line}\n", f"{line}\nimport torch_npu\n")


@pytest.mark.parametrize(
    "line",
    [
        'torch = types.ModuleType("torch")',
        'torch = make_stub_module("torch")',
        'torch = load_model("torch")',
        'torch: Any = lazy_import("torch")',
        'if (torch := lazy_import("torch")): pass',
        "torch = items.torch()",
        "torch = make()",
        'torch = f("flame")',
    ],
)
def test_what_is_no_late_torch(line: str) -> None:
    text = LATE.format(line)
    fixed = engine_for("npu", Settings()).fix(Source(text), review=False).text
    assert "torch.cuda.is_available()" in fixed and "torch_npu" not in fixed


def test_late_torch_is_typed() -> None:
    typed = ('torch = lazy_import("torch")', "torch = make()", "import torch", "    torch = _import_torch()", "x = 1")
    type_in_each_line(LATE.format('torch = _safe_import("torch")'), typed, 2)


def test_a_lent_torch_is_known_by_its_types() -> None:
    """As in qwen-tts-webui's model_loader.py."""
    text = "from app.deps import Model, torch\n\n\ndef dtype(device):\n"
    text += "    return torch.bfloat16 if device.startswith('cuda') else torch.float32\n"
    fixed = engine_for("npu", Settings()).fix(Source(text, "app/a.py"), review=False).text
    assert fixed == text.replace("'cuda'", "'npu'").replace("torch\n", "torch\nimport torch_npu\n", 1)


def test_a_torch_that_may_be_missing_is_not_lent() -> None:
    """The plugin's import at the top of the file would raise where neither is installed."""
    text = "from .lazy import torch\n\nif torch is not None and torch.cuda.is_available():\n    x = x.cuda()\n"
    assert engine_for("npu", Settings()).fix(Source(text), review=False).text == text


def test_strings_stay_with_the_questions_of_a_torch_from_elsewhere() -> None:
    """As in lazyllm's text_to_speech: the string became the target's, and its question stayed CUDA's."""
    text = (
        "import os\nfrom mylib.backends import torch\n\n\nclass A:\n    def load(self):\n"
        "        self.device = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    )
    engine = engine_for("npu", Settings(), Project(torch=True))
    assert engine.fix(Source(text, "mylib/a.py")).text == text
    assert "npu" in engine.fix(Source(text.replace(" if torch.cuda.is_available() else 'cpu'", ""), "mylib/a.py")).text
