"""Tests that amp_C, channels_last, jit.script and comparisons with NCCL, which occur in every port, have a fix wherever
they are reported, with a short list of exceptions."""

from __future__ import annotations

import ast

import pytest

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.engine import Finding
from uncuda.settings import Settings
from uncuda.source import Source

TARGETS = ("npu", "musa")
CATALOGUE = load()
AMP_C = ("amp-c-import", "amp-c-use")
NCCL = ("nccl-check", "nccl-backend", "backend-map")
STEPS = (
    "adam",
    "adagrad",
    "sgd",
    "lamb",
    "lamb_stage1_cuda",
    "lamb_stage2_cuda",
    "novograd",
    "lars",
    "adam_capturable",
)
APPLY = "multi_tensor_applier"

AMP_C_USES = [
    "import amp_C",
    "import amp_C as fused",
    "from amp_C import multi_tensor_scale",
    "from amp_C import *",
    "def f():\n    import amp_C",
    "class A:\n    import amp_C\n    x = 1",
    "if flag: import amp_C",
    "import amp_C; x = 1",
    f"import amp_C\nn, _ = {APPLY}(amp_C.multi_tensor_l2norm, f, [xs], False)",
    f"import amp_C\nn, p = {APPLY}(amp_C.multi_tensor_l2norm, f, [xs], True)",
    f"import amp_C\nn = {APPLY}(amp_C.multi_tensor_l2norm, f, lists, each)[0]",
    f"import amp_C\n{APPLY}(amp_C.multi_tensor_scale, f, [xs, ys], 1.0)",
    f"import amp_C\n{APPLY}(amp_C.multi_tensor_scale, f, [list(xs), ys], scale)\nif f.item(): pass",
    f"import amp_C\n{APPLY}(amp_C.multi_tensor_axpby, f, [xs, ys, zs], 1.0, 2.0, -1)",
    "from amp_C import multi_tensor_l2norm\nn = multi_tensor_l2norm(65536, f, [xs], False)[0]",
    "from amp_C import multi_tensor_scale as scale\nop = scale",
    "import amp_C\nclass A:\n    op = amp_C.multi_tensor_axpby\n    def run(self, *a):\n        return self.op(*a)",
    f"import amp_C\nrun = partial({APPLY}, amp_C.multi_tensor_scale)",
    f"import amp_C\nn = {APPLY}(\n    amp_C.multi_tensor_l2norm,\n    f,\n    [xs],\n    False,\n)[0]",
]
CHANNELS_LAST = [
    "x = x.to(memory_format=torch.channels_last)",
    "x = x.to(device, memory_format=torch.channels_last, non_blocking=True)",
    "x = x.contiguous(memory_format=torch.channels_last)",
    "x = torch.empty(1, 2, 3, 4, memory_format=torch.channels_last)",
    "x = x.clone(memory_format=torch.channels_last)",
    "x = torch.preserve(x, torch.channels_last_3d)",
    "memory_format = torch.channels_last if flag else torch.contiguous_format",
    "def f(x, memory_format=torch.channels_last): return x",
    "formats = {'nhwc': torch.channels_last}",
    "from torch import channels_last\nx = x.to(memory_format=channels_last)",
    "if memory_format == torch.channels_last: pass",
]
JIT_SCRIPT = [
    "@torch.jit.script\ndef f(x):\n    return x",
    "class A:\n    @torch.jit.script_method\n    def f(self, x):\n        return x",
    "@torch.no_grad()\n@torch.jit.script\ndef f(x):\n    return x",
    "f = torch.jit.script(f)",
    "f = torch.jit.script(A(1).eval(), optimize=None)",
    "f = torch.jit.script(lambda x: x).to(device)",
    "return_ = [torch.jit.script(m) for m in ms]",
    "from torch.jit import script\n@script\ndef f(x):\n    return x",
    "import torch.jit as jit\nf = jit.script(f)",
    "from torch import jit\nf = jit.script(obj=f)",
    "scripted = torch.jit.script",
    "ms = map(torch.jit.script, ms)",
    "f = torch.jit.script(*args)",
    "compile_ = functools.partial(torch.jit.script, optimize=True)",
]
NCCL_CHECKS = [
    "if dist.get_backend() == 'nccl': pass",
    "if 'nccl' == dist.get_backend(group): pass",
    'if torch.distributed.get_backend() != "nccl": pass',
    "assert backend in ['gloo', 'nccl']",
    "assert args.dist_backend in ('nccl',), 'nccl only'",
    "if cfg['backend'] == 'nccl': pass",
    "if backend.lower().startswith('nccl'): pass",
    "if 'nccl' in dist.get_backend(): pass",
    "flag = pg_name == 'nccl'",
    "if kind in {'NCCL', 'GLOO'}: pass",
    "match dist.get_backend():\n    case 'nccl':\n        pass",
    "match backend:\n    case 'nccl' | 'gloo':\n        pass",
    "x = 1 if backend == 'nccl' else 2",
    "while dist.get_backend() == 'nccl' and flag: pass",
    "ys = [y for y in ys if y.backend == 'nccl']",
    "if dist.get_backend() == 'cpu:gloo,cuda:nccl': pass",
]


def found(code: str, target: str, prefix: tuple[str, ...], strategy: str = "auto") -> list[Finding]:
    """Return the findings for one construct; the fixes must remove all of them, and the fixed text must parse."""
    text = f"import torch\nimport torch.distributed as dist\n{code}\n"
    engine = engine_for(target, Settings(locale="en", strategy=strategy))
    result = engine.fix(Source(text), review=True)
    assert result.refused is None, result.refused
    ast.parse(result.text)
    fixable = [f for f in engine.check(Source(text)).findings if f.rule.startswith(prefix)]
    left = [f.rule for f in result.report.findings if f.rule.startswith(prefix) and f.fixes]
    assert not left, result.text
    return fixable


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("code", AMP_C_USES)
def test_amp_c_has_a_fix(code: str, target: str) -> None:
    findings = found(code, target, AMP_C)
    assert findings
    assert all(finding.fixes for finding in findings)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("step", STEPS)
def test_fused_optimizers_of_amp_c_are_an_exception(step: str, target: str) -> None:
    findings = found(f"import amp_C\n{APPLY}(amp_C.multi_tensor_{step}, f, lists, lr)", target, AMP_C)
    assert [bool(finding.fixes) for finding in findings] == [True, False]
    assert "optim" in findings[1].message or "_foreach" in findings[1].message


@pytest.mark.parametrize("target", TARGETS)
def test_a_guarded_import_is_an_exception(target: str) -> None:
    (finding,) = found("try:\n    import amp_C\nexcept ImportError:\n    amp_C = None", target, ("amp-c",))
    assert (finding.rule, finding.severity, finding.fixes) == ("amp-c-guarded", "information", ())


@pytest.mark.parametrize("strategy", ["auto", "shim"])
@pytest.mark.parametrize("code", CHANNELS_LAST)
def test_channels_last_has_a_fix_where_it_is_not_supported(code: str, strategy: str) -> None:
    findings = found(code, "npu", ("channels-last",), strategy)
    assert findings
    assert all(finding.fixes for finding in findings)
    assert not found(code, "musa", ("channels-last",), strategy)


@pytest.mark.parametrize("strategy", ["auto", "shim"])
def test_asking_for_channels_last_is_an_exception(strategy: str) -> None:
    (finding,) = found("ok = x.is_contiguous(memory_format=torch.channels_last)", "npu", ("channels-last",), strategy)
    assert not finding.fixes


@pytest.mark.parametrize("code", JIT_SCRIPT)
def test_jit_script_has_a_fix_next_to_the_patch_that_disables_it(code: str) -> None:
    findings = found(code, "npu", ("jit-script",), "shim")
    assert findings
    assert all(finding.fixes for finding in findings)
    assert not found(code, "npu", ("jit-script",))
    assert not found(code, "musa", ("jit-script",), "shim")


@pytest.mark.parametrize("strategy", ["auto", "shim"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("code", NCCL_CHECKS)
def test_checks_for_nccl_have_a_fix(code: str, target: str, strategy: str) -> None:
    findings = found(code, target, NCCL, strategy)
    assert findings
    assert all(finding.fixes for finding in findings)


@pytest.mark.parametrize(
    ("condition", "due"),
    [
        ("device.type == 'cpu'", ["review"]),
        ("'cpu' == device", ["review"]),
        ("x.is_cpu", ["review"]),
        ("fast and str(device) == 'cpu'", ["review"]),
        ("device.type != 'cpu'", ["safe"]),
        ("not x.is_cpu", ["safe"]),
        ("not (device == 'cpu')", ["safe"]),
        ("x.is_npu or x.is_cpu", ["safe"]),
        ("offload == 'cpu'", ["safe"]),
        ("fast", ["safe"]),
    ],
)
def test_a_layout_on_the_cpu(condition: str, due: list[str]) -> None:
    """As in easydetect's pose_trainer.py, where the layout makes convolutions on the CPU faster."""
    move = "net.to(memory_format=torch.channels_last)"
    text = f"import torch\n\n\ndef f(net, device):\n    if {condition}:\n        return {move}\n"
    findings = engine_for("npu", Settings(locale="en")).check(Source(text)).findings
    assert [one.fixes[0].applicability for one in findings] == due


def test_a_function_that_is_named_for_layouts_keeps_its_layout() -> None:
    """As in pytest-torch's invariance.py, which checks that a model computes the same in both layouts."""
    text = "import torch\n\n\ndef _relayout(x, device):\n    return x.contiguous(memory_format=torch.channels_last)\n"
    (finding,) = engine_for("npu", Settings(locale="en")).check(Source(text)).findings
    assert finding.fixes[0].applicability == "review"
