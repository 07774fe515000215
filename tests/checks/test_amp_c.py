"""Tests of the rules about the module amp_C: its imports, guards and uses."""

from __future__ import annotations

import ast

import pytest

from support.engines import engine_for
from uncuda.engine import Finding
from uncuda.facts.read import Facts, Statement
from uncuda.settings import Settings
from uncuda.source import Source

RULES = ("amp-c-import", "amp-c-guarded", "amp-c-use")
ENGINE = engine_for("npu", Settings(select=RULES, locale="en"))


def rules(text: str) -> list[str]:
    return [finding.rule for finding in ENGINE.check(Source(text)).findings]


def findings(text: str) -> list[Finding]:
    return list(ENGINE.check(Source(text)).findings)


def fixed(text: str, review: bool = True) -> str:
    result = ENGINE.fix(Source(text), review)
    assert result.refused is None, result.refused
    ast.parse(result.text)
    assert ENGINE.fix(Source(result.text), review).text == result.text
    return result.text


def test_the_calls_of_the_applier_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    peek = Facts.peek

    def counted(self: Facts, offset: int) -> Statement | None:
        looks.append(offset)
        return peek(self, offset)

    monkeypatch.setattr(Facts, "peek", counted)
    counts = []
    for size in (20, 80):
        looks.clear()
        ops = "".join(f"op{i} = amp_C.multi_tensor_scale\napply(op{i}, flag, [a, b], 2.0)\n" for i in range(size))
        findings("import torch, amp_C\n" + ops.replace("apply(", "multi_tensor_applier("))
        counts.append(len(looks))
    assert 0 < counts[1] <= 5 * counts[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import amp_C\nx = 1\n", "x = 1\n"),
        ("import torch, amp_C\nx = 1\n", "import torch\nx = 1\n"),
        ("import amp_C, torch\nx = 1\n", "import torch\nx = 1\n"),
        ("from amp_C import multi_tensor_scale, multi_tensor_axpby\nx = 1\n", "x = 1\n"),
        ("from amp_C import (\n    multi_tensor_scale,\n)\nx = 1\n", "x = 1\n"),
        ("def f():\n    import amp_C\n\n\nx = 1\n", "def f():\n    pass\n\n\nx = 1\n"),
        ("x = 1; import amp_C; y = 2\n", "x = 1; pass; y = 2\n"),
        ("import amp_C  # fused\r\nx = 1\r\n", "x = 1\r\n"),
    ],
)
def test_an_unused_import_is_removed(before: str, after: str) -> None:
    assert fixed(before, review=False) == after


def test_an_import_with_uses_that_stay_is_guarded() -> None:
    text = "def f():\n\timport amp_C\n\treturn amp_C.multi_tensor_adam\n"
    guard = "\ttry:\n\t\timport amp_C\n\texcept ImportError:\n\t\tamp_C = None\n"
    guarded = text.replace("\timport amp_C\n", guard)
    assert fixed(text, review=False) == text
    assert fixed(text) == guarded
    assert rules(guarded) == ["amp-c-guarded", "amp-c-use"]


def test_an_import_goes_with_its_uses() -> None:
    text = "import torch\nimport amp_C\nf = apply(amp_C.multi_tensor_scale, flag, [a, b], 2.0)\n"
    one, two = findings(text)
    assert one.fixes[0].edits == two.fixes[0].edits
    assert "amp_C" not in fixed(text)


def test_an_import_in_a_function_has_the_uses_of_the_function() -> None:
    text = (
        "import torch\n\n\ndef f():\n    import amp_C\n    return amp_C.multi_tensor_adam\n\n\n"
        "def g():\n    import amp_C\n    return 1\n"
    )
    after = fixed(text)
    assert after.count("try:") == 1
    assert after.endswith("def g():\n    return 1\n")


GUARDED = {
    "flag": "try:\n    import amp_C\n    OK = True\nexcept ImportError:\n    OK = False\nif OK:\n    {use}\n",
    "none": "try:\n    import amp_C\nexcept ImportError:\n    amp_C = None\nif amp_C is not None:\n    {use}\n",
    "early": "try:\n    import amp_C\nexcept (ImportError, OSError):\n    amp_C = None\n\n\ndef f():\n"
    "    if amp_C is None:\n        raise OSError\n    for x in y:\n        {use}\n",
    "assert": "try:\n    import amp_C\nexcept ImportError:\n    amp_C = None\n\n\ndef f():\n"
    "    assert amp_C\n    {use}\n",
    "own try": "try:\n    import amp_C\nexcept ImportError:\n    pass\ntry:\n    {use}\nexcept Exception:\n    pass\n",
    "fallback": "try:\n    from amp_C import multi_tensor_adam as step\nexcept ImportError:\n"
    "    from .slow import step\nstep()\n",
    "available": "if multi_tensor_applier.available:\n    import amp_C\n    {use}\n",
    "found": "if importlib.util.find_spec('amp_C'):\n    import amp_C\n    {use}\n",
}


@pytest.mark.parametrize("name", GUARDED)
def test_a_guarded_use_is_silent(name: str) -> None:
    assert rules(GUARDED[name].format(use="amp_C.multi_tensor_adam()")) == ["amp-c-guarded"]


RAISING = {
    "try": "try:\n    import amp_C\nexcept ImportError as error:\n    log(error)\n    raise OSError from error\n",
    "bare": "try:\n    import amp_C\nexcept ImportError:\n    raise\n",
    "in one line": "try:\n    import amp_C\nexcept ImportError: raise RuntimeError('no')\n",
    "quits": "try:\n    import amp_C\nexcept ImportError:\n    quit('no')\n",
    "ends in one line": "try:\n    import amp_C\nexcept ImportError: os._exit(1)\n",
    "ends": "try:\n    import amp_C\nexcept ImportError:\n    sys.exit('no')\n",
    "else": "if multi_tensor_applier.available:\n    import amp_C\n    f = amp_C.multi_tensor_adam\n"
    "else:\n    raise RuntimeError('requires cuda extensions')\n",
}


@pytest.mark.parametrize("name", RAISING)
def test_a_guard_whose_other_way_raises_is_none(name: str) -> None:
    (found,) = [each for each in findings(RAISING[name]) if each.rule != "amp-c-use"]
    assert (found.rule, found.severity, found.fixes) == ("amp-c-import", "error", ())
    assert "only raises" in found.message


@pytest.mark.parametrize(
    "text",
    [
        (
            "try:\n    try:\n        import amp_C\n    except ImportError:\n        raise RuntimeError\n"
            "except RuntimeError:\n    amp_C = None\nexcept Exception:\n    pass\n"
        ),
        "try:\n    import amp_C\nexcept ImportError:\n    if strict:\n        raise\n    amp_C = None\n",
        "if multi_tensor_applier.available:\n    import amp_C\nelse:\n    amp_C = None\n",
    ],
)
def test_a_guard_with_another_way_is_information(text: str) -> None:
    assert rules(text) == ["amp-c-guarded"]


def test_a_use_past_its_guard_is_reported() -> None:
    text = (
        "try:\n    import amp_C\nexcept ImportError:\n    amp_C = None\n\n\ndef f():\n    amp_C.multi_tensor_adam()\n"
    )
    assert rules(text) == ["amp-c-guarded", "amp-c-use"]


def test_a_device_is_no_guard() -> None:
    assert rules("import torch\nif torch.cuda.is_available():\n    import amp_C\n") == ["amp-c-import"]


@pytest.mark.parametrize(
    ("call", "stand_in"),
    [
        (
            "apply(amp_C.multi_tensor_l2norm, f, [xs])",
            "(torch.stack(torch._foreach_norm([x.float() for x in xs])).norm().view(1), torch.empty(0))",
        ),
        (
            "apply(amp_C.multi_tensor_l2norm, f, [xs], True)",
            "(torch.stack(norms := torch._foreach_norm([x.float() for x in xs])).norm().view(1), torch.stack(norms))",
        ),
        (
            "amp_C.multi_tensor_l2norm(512, f, lists, each)",
            (
                "(torch.stack(norms := torch._foreach_norm([x.float() for x in lists[0]])).norm().view(1),"
                " torch.stack(norms) if each else torch.empty(0))"
            ),
        ),
        (
            "apply(amp_C.multi_tensor_scale, f, [xs, ys], 1 / n)",
            "torch._foreach_copy_(ys, [x.float() * (1 / n) for x in xs])",
        ),
        (
            "apply(amp_C.multi_tensor_scale, f, [gs, gs], x / y)",  # these names are defined by the text itself
            "torch._foreach_copy_(gs, [one.float() * (x / y) for one in gs])",
        ),
        (
            "apply(amp_C.multi_tensor_axpby, f, [xs, ys, zs], a, b, 0)",
            "torch._foreach_copy_(zs, [x.float() * a + y.float() * b for x, y in zip(xs, ys)])",
        ),
    ],
)
def test_stand_ins(call: str, stand_in: str) -> None:
    call = call.replace("apply", "multi_tensor_applier")
    assert fixed(f"import torch\nimport amp_C\nn = {call}\n") == f"import torch\nn = {stand_in}\n"


def test_a_norm_that_is_not_finite_raises_the_flag_that_is_read() -> None:
    text = (
        "import torch\nimport amp_C\nn, _ = amp_C.multi_tensor_l2norm(512, f, [xs], False)\nif f.item():\n    skip()\n"
    )
    norms = "torch._foreach_norm([x.float() for x in xs])"
    checked = "torch.isfinite(torch.stack(norms)).all() or f.fill_(1)"
    new = f"(torch.stack(norms := {norms}).norm().view(1), torch.empty(0), {checked})[:2]"
    assert fixed(text) == f"import torch\nn, _ = {new}\nif f.item():\n    skip()\n"


@pytest.mark.parametrize(
    "code",
    [
        "op = amp_C.multi_tensor_scale",
        "run = partial(multi_tensor_applier, amp_C.multi_tensor_l2norm)",
        "multi_tensor_applier(amp_C.multi_tensor_axpby, flag, lists(), 1.0, 2.0)",
        "multi_tensor_applier(amp_C.multi_tensor_scale, flag, *rest)",
        "multi_tensor_applier(amp_C.multi_tensor_scale, flag, [a, b], scale=2.0)",
    ],
)
def test_a_use_that_is_no_plain_call_gets_a_function(code: str) -> None:
    after = fixed(f"import amp_C\n{code}\n")
    assert after.startswith("import torch\n")
    assert "(lambda size, flag, lists" in after
    assert "amp_C" not in after


def test_a_flag_that_is_read_is_set() -> None:
    text = (
        "import torch\nfrom amp_C import multi_tensor_axpby as mix\nmix(1, f, [xs, ys, zs], 2.0, 3.0)\nbad = f.item()\n"
    )
    after = fixed(text)
    assert "all(torch.isfinite(x).all() for x in [*xs, *ys]) or f.fill_(1)" in after


@pytest.mark.parametrize(
    ("use", "read"),
    [
        ("check(f)", True),
        ("found = f", True),
        ("self.found[0] = f.bool()", True),
        ("f.zero_()", False),
        ("f = torch.zeros(1)", False),
        ("multi_tensor_applier(step, f, lists)", False),
        ("pass  # f is not read", False),
    ],
)
def test_what_counts_as_reading_the_flag(use: str, read: bool) -> None:
    after = fixed(f"import torch\nimport amp_C\namp_C.multi_tensor_scale(1, f, [xs, ys], 2.0)\n{use}\n")
    assert ("f.fill_(1)" in after) == read


def test_a_function_sets_the_flag_that_it_is_given() -> None:
    for name in ("scale", "axpby", "l2norm"):
        assert "flag.fill_(1)" in fixed(f"import amp_C\nop = amp_C.multi_tensor_{name}\n")


@pytest.mark.parametrize(
    "code",
    [
        "multi_tensor_applier(amp_C.multi_tensor_scale, flag, *rest)",
        "run = partial(multi_tensor_applier, amp_C.multi_tensor_l2norm)",
        "op = amp_C.multi_tensor_scale\nmulti_tensor_applier(op, flag, [xs, ys], 2.0)",
        "self.op = amp_C.multi_tensor_scale\nmulti_tensor_applier(\n    self.op,\n    flag, [xs, ys], 2.0)",
    ],
)
def test_the_applier_goes_along(code: str) -> None:
    after = fixed(f"import amp_C\n{code}\n")
    assert "multi_tensor_applier" not in after
    assert "65536" in after


def test_a_function_that_may_be_given_to_the_applier_anywhere_has_no_stand_in() -> None:
    text = "import amp_C\nops = {1: amp_C.multi_tensor_scale}\nmulti_tensor_applier(ops[1], flag, [xs, ys], 2.0)\n"
    assert not findings(text)[-1].fixes


def test_fused_steps_are_left_to_the_reader() -> None:
    text = "try:\n    import amp_C\nexcept ImportError:\n    pass\namp_C.multi_tensor_lamb(1, f, lists, 2.0)\n"
    use = findings(text)[-1]
    assert not use.fixes
    assert "torch._foreach_" in use.message
    assert fixed(text) == text
