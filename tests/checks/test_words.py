"""Whose word a string is: torch's, or the program's own, which changes as a group or not at all."""

from __future__ import annotations

import pytest

from uncuda.catalogue import load
from uncuda.engine import Engine, Finding
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
ENGINES = {target: Engine(CATALOGUE, target, Settings(locale="en")) for target in ("npu", "musa")}


def head(target: str) -> str:
    return f"import torch\nimport torch_{target}\nimport torch.distributed as dist\n"


def findings(code: str, target: str = "npu") -> list[Finding]:
    return list(ENGINES[target].check(Source(head(target) + code)).findings)


def classes(code: str, target: str = "npu") -> list[tuple[str, str]]:
    """Rule and class of each finding, in order."""
    return [(f.rule, f.fixes[0].applicability if f.fixes else "manual") for f in findings(code, target)]


def fixed(code: str, review: bool = False, target: str = "npu") -> str:
    text = ENGINES[target].fix(Source(head(target) + code), review).text
    assert ENGINES[target].fix(Source(text), review).text == text
    return text.removeprefix(head(target))


@pytest.mark.parametrize(
    "code",
    [
        "ok = inference_moe_token_dispatcher_type == 'nccl'\n",
        "ok = 'nccl' != config.kind\n",
        "ok = kind in ('nccl', 'shared')\n",
        "match kind:\n    case 'nccl': pass\n",
        "kind = 'nccl'\nok = kind == 'nccl'\n",
        "p.add_argument('--copy', default='nccl')\nok = args.copy == 'nccl'\n",
        "p.add_argument('--refit-method', default='nccl', choices=['nccl', 'gloo', 'nvshmem'])\n",
        "def f(backend):\n    if backend == 'nvshmem': pass\n    elif backend == 'nccl': pass\n",
        "Name = Literal['nccl', 'gloo', 'nvshmem']\ndef f(backend: Name = 'nccl'):\n    return backend == 'nccl'\n",
        "class A:\n    backend: Literal['nccl', 'nvshmem'] = 'nccl'\n",
    ],
)
def test_a_word_of_the_program_is_told_and_stays(code: str) -> None:
    assert set(classes(code)) == {("nccl-word", "manual")}
    assert {finding.severity for finding in findings(code)} == {"information"}
    assert fixed(code, review=True) == code


@pytest.mark.parametrize(
    "code",
    [
        "ok = my_backend == 'nccl'\n",
        "ok = dist.get_backend() == 'nccl'\n",
        "kind = dist.get_backend()\nok = kind == 'nccl'\n",
        "kind = 'nccl'\nok = kind == 'nccl'\ndist.init_process_group(kind)\n",
        "p.add_argument('--comm', default='nccl', choices=['nccl', 'gloo'])\nok = args.comm == 'nccl'\n",
        "p.add_argument('--comm', default='nccl', choices=['nccl', 'xccl'])\n",
        "def f(backend='nccl'):\n    if backend == 'nvshmem': g()\n    dist.init_process_group(backend)\n",
    ],
)
def test_a_word_that_torch_gets_is_its_backend(code: str) -> None:
    assert {applicability for _, applicability in classes(code)} == {"safe"}
    assert "nccl" not in fixed(code)


@pytest.mark.parametrize("name", ["pg", "pg_type", "dist_kind", "process_group_kind"])
def test_a_name_that_may_be_a_backend_is_for_review(name: str) -> None:
    assert classes(f"ok = {name} == 'nccl'\n") == [("nccl-check", "review")]


def test_next_to_a_patch_a_word_of_the_program_is_silent() -> None:
    engine = Engine(CATALOGUE, "npu", Settings(locale="en", strategy="shim"))
    assert not engine.check(Source("import torch\nok = kind == 'nccl'\n")).findings


def test_a_value_stays_with_a_test_that_cannot_change() -> None:
    code = "def f(device='cuda'):\n    return device[:4] == 'cuda'\n"
    assert classes(code) == [("device-string", "manual")] * 2
    assert fixed(code, target="musa") == code.replace("cuda", "musa")
