"""Tests of the import of the helper module that a fix writes: which module it imports, by an absolute or relative name,
and when the fix needs review because the file may not find the module."""

from __future__ import annotations

import pytest

from support.portable import portable_engine
from uncuda.project import Helper
from uncuda.source import Source

OWN = frozenset({"pkg", "models", "utils", "train"})
PACKAGE = Helper("pkg.device", "pkg/device.py", None, OWN, "pkg")
ALONE = Helper("_accelerator", "_accelerator.py", None, OWN)
SEVERAL = Helper(
    "_accelerator",
    "_accelerator.py",
    None,
    OWN,
    others=(PACKAGE, Helper("utils.device", "utils/device.py", None, OWN, "utils")),
)
SPACE = Helper("core.device", "/r/meg/core/device.py", None, OWN, "/r/meg/core", named=False)
MAIN = '\nif __name__ == "__main__":\n    pass\n'
CHANGED = "\nimport sys\n\nsys.path.append('..')\n"


@pytest.mark.parametrize(
    "helper, path, head, module, applicability",
    [
        (PACKAGE, "train.py", "", "pkg.device", "safe"),
        (PACKAGE, "pkg/models/a.py", "", "pkg.device", "safe"),
        (PACKAGE, "pkg/models/a.py", "from ..b import c", "..device", "safe"),
        (PACKAGE, "pkg/models/a.py", "from .b import c", "..device", "safe"),
        (PACKAGE, "pkg/examples/a.py", "from .b import c", "..device", "review"),
        (PACKAGE, "pkg/models/a.py", "from .b import c\nfrom pkg.d import e", "pkg.device", "safe"),
        (PACKAGE, "pkg/models/a.py", "from .b import c\nfrom .d import e\nfrom pkg.f import g", "..device", "safe"),
        (PACKAGE, "pkg/a/src/b/c.py", "from .d import e", "pkg.device", "review"),
        (PACKAGE, "pkg/a/b/c/d.py", "from .e import f", "pkg.device", "safe"),
        (PACKAGE, "pkg/full_cuda_graph.py", "", "pkg.device", "review"),
        (PACKAGE, "scripts/train.py", "", "pkg.device", "review"),
        (PACKAGE, "setup.py", "", "pkg.device", "review"),
        (PACKAGE, "pkg/train.py", MAIN, "pkg.device", "review"),
        (PACKAGE, "pkg/train.py", f"from .a import b\n{MAIN}", ".device", "safe"),
        (PACKAGE, "pkg/train.py", f"from pkg.a import b\n{MAIN}", "pkg.device", "safe"),
        (PACKAGE, "scripts/train.py", "from pkg.a import b", "pkg.device", "safe"),
        (PACKAGE, "scripts/train.py", CHANGED, "pkg.device", "review"),
        (PACKAGE, "tests/a.py", "from .b import c", "pkg.device", "review"),
        (ALONE, "train.py", "", "_accelerator", "safe"),
        (ALONE, "models/a.py", "from utils.b import c", "_accelerator", "safe"),
        (ALONE, "models/a.py", "", "_accelerator", "safe"),
        (ALONE, "models/a.py", MAIN, "_accelerator", "review"),
        (ALONE, "segment/a.py", "from utils.b import c", "_accelerator", "review"),
        (ALONE, "segment/a.py", f"{CHANGED}\nfrom utils.b import c", "_accelerator", "safe"),
        (ALONE, "segment/a.py", CHANGED, "_accelerator", "review"),
        (SEVERAL, "pkg/a.py", "", "pkg.device", "safe"),
        (SEVERAL, "utils/a.py", "from pkg.b import c", "utils.device", "safe"),
        (SEVERAL, "tests/a.py", "from pkg.b import c", "pkg.device", "safe"),
        (SEVERAL, "tests/a.py", "from utils.b import c", "utils.device", "review"),
        (SEVERAL, "train.py", "from utils.b import c", "utils.device", "safe"),
        (SEVERAL, "train.py", "", "_accelerator", "review"),
        (SPACE, "/r/meg/core/a.py", "", ".device", "safe"),
        (SPACE, "/r/meg/core/a.py", MAIN, ".device", "review"),
        (SPACE, "/r/meg/core/a.py", "from meg.core.b import c", "meg.core.device", "safe"),
        (SPACE, "/r/train.py", "import meg.core.b", "meg.core.device", "safe"),
        (SPACE, "/r/train.py", "", "core.device", "review"),
    ],
)
def test_reach(helper: Helper, path: str, head: str, module: str, applicability: str) -> None:
    engine = portable_engine(helper)
    source = Source(f"import torch\n{head}\n\ntorch.cuda.synchronize()\n", path)
    (finding,) = engine.check(source).findings
    assert finding.fixes[0].applicability == applicability
    fixed = engine.fix(source, review=True).text
    assert f"from {module} import device_module\n" in fixed
    assert engine.fix(Source(fixed, path), review=True).text == fixed
