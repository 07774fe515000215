"""Findings in code that runs only with versions of PyTorch older than those of the plugin are only information."""

from __future__ import annotations

import pytest

from engine.typist import Typist, prepared
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

USE = 'op = torch._C._jit_get_operation("aten::cudnn_convolution_backward_weight")'
OLDER = {
    "below": f'if torch.__version__ < "1.11":\n    {USE}\n',
    "parsed": f'if version.parse(torch.__version__) < version.parse("1.11"):\n    {USE}\n',
    "the other way": f'if digit_version(torch.__version__) >= digit_version("1.11.0"):\n    pass\nelse:\n    {USE}\n',
    "left before": f"def f():\n    if TORCH_VERSION >= (1, 11):\n        return\n    {USE}\n",
    "turned": f'if "1.11" > torch.__version__:\n    {USE}\n',
    "one version": f'if torch_version() == "1.9":\n    {USE}\n',
    "numbers": f"if Version(torch.__version__).release[:2] <= (1, 10):\n    {USE}\n",
    "a function": f'if is_torch_version("<", "1.11"):\n    {USE}\n',
    "and more": f'if torch.__version__ < "1.11" and fast:\n    {USE}\n',
}
OTHERS = {
    "a newer one": f'if torch.__version__ < "2.9":\n    {USE}\n',
    "not below": f'if torch.__version__ >= "1.11":\n    {USE}\n',
    "or more": f'if torch.__version__ < "1.11" or fast:\n    {USE}\n',
    "another library": f'if torchvision.__version__ < "0.12":\n    {USE}\n',
    "no number": f"if torch.__version__ < oldest:\n    {USE}\n",
    "nothing": f"{USE}\n",
}


@pytest.mark.parametrize("name", [*OLDER, *OTHERS])
@pytest.mark.parametrize("target", ["npu", "musa"])
def test_what_runs_only_with_an_older_pytorch_is_information(name: str, target: str) -> None:
    engine = engine_for(target, Settings(select=("cudnn-op-name",), locale="en"))
    (found,) = engine.check(Source("import torch\n" + {**OLDER, **OTHERS}[name])).findings
    assert found.severity == ("information" if name in OLDER else "error")
    assert ("older than those of the plugin" in found.message) == (name in OLDER)


def test_what_is_older_is_a_question_of_the_version_in_use() -> None:
    text = f'import torch\nif torch.__version__ < "2.6":\n    {USE}\n'
    for version, severity in (("2.1.0", "error"), ("2.7.1", "information")):
        engine = engine_for("npu", Settings(select=("cudnn-op-name",), locale="en", target_version=version))
        (found,) = engine.check(Source(text)).findings
        assert found.severity == severity


def test_fixes_in_such_code_stay_as_they_are() -> None:
    text = 'import torch\nif torch.__version__ < "1.11":\n    torch.cuda.synchronize()\n'
    (found,) = engine_for("npu", Settings(select=("cuda-api",))).check(Source(text)).findings
    assert found.fixes and found.fixes[0].applicability == "safe"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_test_for_an_older_pytorch_is_typed(newline: str) -> None:
    text = f"import torch\nfrom packaging import version\nif torch.cuda.is_available():\n    {USE}\nelse:\n    {USE}\n"
    typist = Typist(text.replace("\n", newline), prepared("musa"))
    at = typist.text.index("torch.cuda.is")
    typist.erase(at + len("torch.cuda.is_available()"), len("torch.cuda.is_available()"))
    words = 'version.parse(torch.__version__) < version.parse("1.11")'
    typist.type(at, words)
    typist.erase(at + len(words), 6)
    typist.type(at + len(words) - 6, '("2.12")')
