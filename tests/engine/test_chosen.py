"""A comparison with a device string whose block only returns or assigns a string changes only with this string."""

from __future__ import annotations

import pytest

from engine.typist import Typist, prepared
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}
HEAD = "import os\nimport torch\n\n\ndef f(x):\n"
RETURNED = "    if x.device.type == 'cuda':\n        return 'CUDA_VISIBLE_DEVICES'\n    return None\n"
HELD = {
    "returned": RETURNED,  # as in tests_v1/conftest.py of LLaMA-Factory
    "with comments": RETURNED.replace("        return", "        # the variable\n        return").replace(
        "    return None", "\n    # none\n    return None"
    ),
    "assigned": RETURNED.replace("return 'CUDA", "name = 'CUDA") + "    x.to('cuda')\n",
    "in another clause": RETURNED.replace("    if x", "    if x is None:\n        return ''\n    elif x"),
    "in a case": "    match x.device.type:\n        case 'cuda':\n            return 'CUDA_VISIBLE_DEVICES'\n",
    "no fix": RETURNED.replace("CUDA_VISIBLE_DEVICES", "TORCH_CUDA_ARCH_LIST"),
}
FREE = {
    "a variable of the environment": RETURNED.replace("'CUDA_VIS", "os.environ['CUDA_VIS").replace("ES'\n", "ES']\n"),
    "more than the string": RETURNED.replace("        return", "        g(x)\n        return"),
    "a plain string": RETURNED.replace("CUDA_VISIBLE_DEVICES", "fast"),
    "information": RETURNED.replace("CUDA_VISIBLE_DEVICES", "tcp://localhost:2345"),
    "another branch": RETURNED.replace("        return", "        return x\n    else:\n        return"),
    "another device": RETURNED.replace("==", "!="),
    "an argument": RETURNED.replace("'CUDA_VISIBLE_DEVICES'", "g('CUDA_VISIBLE_DEVICES')"),
}


def compares_cuda(code: str, target: str) -> bool:
    """Whether the fixed text still compares with the string "cuda"."""
    return "'cuda':" in ENGINES[target].fix(Source(HEAD + code)).text


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("code", HELD.values(), ids=HELD)
def test_a_comparison_waits_for_the_string_that_it_chooses(code: str, target: str) -> None:
    assert compares_cuda(code, target)
    assert compares_cuda(code.replace("\n", "\r\n"), target)
    assert "'cuda'" not in ENGINES[target].fix(Source(HEAD + code.replace("TORCH_CUDA_A", "CUDA_VISIBLE_A")), True).text


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("code", FREE.values(), ids=FREE)
def test_other_comparisons_keep_their_class(code: str, target: str) -> None:
    assert not compares_cuda(code, target)


def test_a_string_with_a_safe_fix_changes_with_its_comparison() -> None:
    code = (
        "    if x.device.type == 'cuda':\n        backend = 'nccl'\n    torch.distributed.init_process_group(backend)\n"
    )
    fixed = ENGINES["npu"].fix(Source(HEAD + code)).text
    assert "== 'npu'" in fixed and "backend = 'hccl'" in fixed


def test_typing_says_what_a_fresh_look_says() -> None:
    typist = Typist(HEAD + RETURNED, prepared("musa"))
    at = typist.text.index("        return 'CUDA")
    for words in ("        g(x)\n", "        # note\n"):
        typist.type(at, words)
        typist.erase(at + len(words), len(words))
    at = typist.text.index("    return None")
    typist.type(at, "        pass\n")
    typist.erase(at + 13, 13)
    at = typist.text.index("CUDA_VIS")
    typist.erase(at + 4, 2)
