"""Tests of `strategy = "portable"` on code whose fix would differ between the targets: a fix that needs review for
one target needs review for all. A finding that has no fix for one of the targets has no fix at all, and its message is
the one for that target."""

from __future__ import annotations

import pytest

from support.portable import classes, found, ported
from uncuda.project import Helper


def test_a_name_that_one_target_lacks_is_by_hand_with_its_sentence() -> None:
    """According to the tables, `torch.cuda.OutOfMemoryError` is PyTorch's own class on one target, and belongs to the
    plugin on the other."""
    text = "import torch\n\ntry:\n    f()\nexcept torch.cuda.OutOfMemoryError:\n    pass\n"
    assert classes(text) == ["manual"]
    assert ported(text, review=True) == text


def test_one_target_alone() -> None:
    text = "import torch\n\ntorch.cuda.synchronize()\n"
    (finding,) = found(text, portable_targets=("musa",))
    assert finding.message.endswith("runs on CUDA, Moore Threads MUSA")


def test_code_that_branches_for_one_of_them_stays() -> None:
    text = (
        "import torch\n\nif hasattr(torch, 'npu') and torch.npu.is_available():\n    torch.npu.synchronize()\n"
        "elif torch.cuda.is_available():\n    torch.cuda.synchronize()\n"
    )
    assert ported(text, review=True) == text


def test_a_file_on_torch_accelerator_needs_review_where_it_asks() -> None:
    text = "import torch\n\nd = torch.accelerator.current_accelerator()\nif torch.cuda.is_available():\n    pass\n"
    assert classes(text) == ["review"]


def test_the_helper_is_silent() -> None:
    helper = Helper("pkg.device", "pkg/device.py", frozenset({"device_module"}))
    text = 'import torch\n\nNAMES = {"cuda": "nccl"}\nD = torch.device("cuda")\n'
    assert not found(text, "pkg/device.py", helper)
    assert found(text, "pkg/other.py", helper)


def test_a_function_that_the_helper_lacks_is_said() -> None:
    helper = Helper("pkg.device", "pkg/device.py", frozenset({"device_module"}))
    (finding,) = found('import torch\n\nd = torch.device("cuda")\n', "pkg/a.py", helper)
    assert not finding.fixes
    assert "has no such function; add it there" in finding.message
    assert classes("import torch\n\ntorch.cuda.synchronize()\n") == ["safe"]


def test_names_of_a_helper_of_the_projects_own() -> None:
    names = {"device_type": "get_device_name()", "device_module": "get_torch_device()", "accelerator_type": "NAME"}
    text = 'import torch\n\nd = "cuda" if torch.cuda.is_available() else "cpu"\ntorch.cuda.empty_cache()\n'
    fixed = ported(text, portable_names=names)
    assert fixed == (
        "import torch\n\nfrom pkg.device import get_device_name, get_torch_device\n\n"
        "d = get_device_name()\nget_torch_device().empty_cache()\n"
    )
    assert "torch.zeros(1, device=NAME)" in ported(
        'import torch\n\ntorch.zeros(1, device="cuda")\n', portable_names=names
    )


def test_an_expression_with_quotes_is_not_written_into_an_f_string() -> None:
    text = 'import torch\n\nd = torch.device(f"cuda:{i}")\n'
    assert ported(text, portable_names={"accelerator_type": 'get("type")'}) == text


def test_what_lies_behind_a_question_that_stays_is_not_ported_alone() -> None:
    """The compute capability exists on CUDA only; the condition that asks for it stays unchanged, and the fixes of the
    code that the condition guards need review."""
    text = (
        "import torch\n\nif torch.cuda.is_available():\n    major, _ = torch.cuda.get_device_capability()\n"
        "    torch.cuda.synchronize()\n"
    )
    assert "safe" not in classes(text)


CORNERS = [
    'if accelerator_type() == "cuda":\n    torch.cuda.nvtx.range_push("a")\n',
    'if accelerator_type() == "cuda" and fast:\n    g = torch.cuda.CUDAGraph()\n',
    'if accelerator_type() != "cuda":\n    pass\nelse:\n    g = torch.cuda.CUDAGraph()\n',
    'ok = accelerator_type() != "cuda" or torch.cuda.get_device_capability()[0] >= 8\n',
    'ok = accelerator_type() == "cuda" and torch.cuda.get_device_capability()[0] >= 8\n',
    'ok = torch.cuda.get_device_capability()[0] if accelerator_type() == "cuda" else 0\n',
    'ok = accelerator_type() == "cuda"\n',
]


@pytest.mark.parametrize("code", CORNERS)
def test_a_corner_of_cudas_own_is_silent(code: str) -> None:
    text = f"import torch\nfrom pkg.device import accelerator_type\n\n{code}"
    assert not found(text)
    assert ported(text, review=True) == text


@pytest.mark.parametrize(
    "code",
    [
        'if accelerator_type() == "cuda" or fast:\n    torch.cuda.synchronize()\n',
        'if accelerator_type() != "cuda":\n    torch.cuda.synchronize()\n',
        'if accelerator_type() == "cuda":\n    pass\nelse:\n    torch.cuda.synchronize()\n',
        'ok = torch.cuda.device_count() if accelerator_type() != "cuda" else 0\n',
        'ok = accelerator_type() == "cuda" or torch.cuda.device_count()\n',
    ],
)
def test_the_other_way_is_no_corner(code: str) -> None:
    assert found(f"import torch\nfrom pkg.device import accelerator_type\n\n{code}")


HARD_CODED = 'import torch\n\nx = torch.zeros(1, device="npu")\ntorch.musa.synchronize()\ny = x.cuda()\n'


def test_every_accelerator_by_its_name_is_a_finding() -> None:
    assert [finding.rule for finding in found(HARD_CODED)] == ["hard-coded-accelerator"] * 2 + ["cuda-method"]
    assert [finding.rule for finding in found(HARD_CODED, portable_targets=("npu",))] == [
        "hard-coded-accelerator",
        "cuda-method",
    ]
    assert ported(HARD_CODED) == HARD_CODED  # no fix is safe in a file in which other code stays unchanged
    assert ported(HARD_CODED, review=True).count("accelerator_type()") == 1
