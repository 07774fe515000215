"""Tests that a call, its object and its arguments are fixed together or not at all, and so are CUDA graphs and the
objects passed to them."""

from __future__ import annotations

import ast

import pytest

from support.engines import engine_for
from support.halves import Half, programs
from uncuda.catalogue import load
from uncuda.edits import SAFE, apply_edits
from uncuda.engine import Engine
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}
NPU, MUSA = ENGINES["npu"], ENGINES["musa"]
HEAD = "import torch\nimport torch_npu\nimport torch_musa\n"


def classes(text: str, engine: Engine = NPU) -> list[str]:
    """The fix class of each finding, in the order of the text."""
    findings = engine.check(Source(HEAD + text)).findings
    return [finding.fixes[0].applicability if finding.fixes else "by hand" for finding in findings]


def fixed(text: str, engine: Engine = NPU) -> str:
    """The text after its safe fixes."""
    return engine.fix(Source(HEAD + text)).text.removeprefix(HEAD)


@pytest.mark.parametrize(
    "text",
    [
        'ok = torch.cuda.get_device_capability("cuda")[0] >= 8\n',
        'ok = torch.cuda.get_device_capability(torch.device("cuda"))[0] >= 8\n',
        'ok = torch.cuda.get_device_capability(torch.device("cuda", torch.cuda.current_device()))\n',
        "ok = torch.cuda.get_device_capability(device=torch.cuda.current_device()) >= (8, 0)\n",
        "ok = torch.cuda.get_device_capability(rank % torch.cuda.device_count())\n",
        'ok = torch.cuda.get_device_capability("cuda" if x else "cpu")\n',
        'ok = torch.cuda.get_device_capability(f"cuda:{i}")\n',
    ],
)
def test_what_a_call_by_hand_is_given_is_by_hand(text: str) -> None:
    assert set(classes(text)) == {"by hand"}
    assert fixed(text) == text


def test_a_call_that_is_given_something_by_hand_is_by_hand() -> None:
    text = "torch.cuda.check_error(torch.cuda.cudart().cudaHostRegister(p, n, 0))\n"
    assert classes(text, MUSA) == ["by hand", "by hand"]


def test_a_call_and_its_argument_are_one_fix() -> None:
    text = HEAD + "torch.cuda.set_device(torch.cuda.current_device())\n"
    for finding in NPU.check(Source(text)).findings:
        assert "cuda" not in apply_edits(text, finding.fixes[0].edits)


@pytest.mark.parametrize(
    "text",
    [
        "print(torch.cuda.get_device_capability(), torch.cuda.device_count())\n",
        "torch.cuda.get_device_capability(f(torch.cuda.device_count()))\n",
        "torch.cuda.get_device_capability(xs[torch.cuda.current_device()])\n",
        "torch.cuda.get_device_capability(0 if torch.cuda.is_available() else 1)\n",
        "torch.cuda.get_device_capability([f(i) for i in range(torch.cuda.device_count())])\n",
        "device = torch.cuda.current_device()\ntorch.cuda.get_device_capability(device)\n",
        "torch.cuda.nvtx.range_push(f'on {torch.cuda.current_device()}')\n",
        "torch.cuda.nvtx.range_push('on ' + str(torch.cuda.current_device()))\n",
        "model = torch.nn.DataParallel(model.cuda())\n",
    ],
)
def test_what_stands_near_by_is_not_given_to_the_call(text: str) -> None:
    found = classes(text)
    assert len(found) == 2
    assert found.count("safe") == 1


def test_an_argument_waits_for_the_method() -> None:
    text = "class A:\n    def cuda(self):\n        pass\nmodel.cuda(torch.cuda.current_device())\n"
    assert classes(text) == ["review", "review"]
    assert classes("model.cuda(torch.cuda.current_device())\n") == ["safe", "safe"]


@pytest.mark.parametrize("engine", [NPU, MUSA], ids=["npu", "musa"])
@pytest.mark.parametrize(
    "call",
    [
        'x.cuda("cuda:0")',
        'x.cuda(f"cuda:{i}", non_blocking=True)',
        'x.cuda("cuda:" + str(i))',
        'x.cuda("cuda:{}".format(i))',
        'm.cuda(device="cuda")',
        'm.cuda(torch.device("cuda", 1))',
    ],
)
def test_a_device_by_its_name_is_given_to_the_method_that_takes_one_of_modules_too(call: str, engine: Engine) -> None:
    device = engine.target.id
    assert classes(call + "\n", engine) == ["safe", "safe"]
    assert fixed(call + "\n", engine) == call.replace(".cuda(", ".to(").replace("cuda", device) + "\n"


@pytest.mark.parametrize("call", ["x.cuda(0)", "x.cuda(d)", "x.cuda(non_blocking=True)", "x.cuda(args.gpu)"])
def test_without_a_device_by_its_name_the_method_stays_the_targets_own(call: str) -> None:
    assert fixed(call + "\n", MUSA) == call.replace("cuda", "musa") + "\n"


def test_a_class_of_its_own_with_that_method_takes_the_name_out_of_safe() -> None:
    assert classes('class A:\n    def cuda(self, d):\n        pass\nx.cuda("cuda:0")\n') == ["review", "review"]


KIT = """g = torch.cuda.CUDAGraph()
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    y = f(x)
with torch.cuda.graph({}stream=s, pool=torch.cuda.graph_pool_handle()):
    y = f(x)
"""


@pytest.mark.parametrize("engine", [NPU, MUSA], ids=["npu", "musa"])
@pytest.mark.parametrize("given", ["g, ", "cuda_graph=g, "])
def test_a_graph_and_its_context_are_safe_where_the_parameter_has_another_name_only(given: str, engine: Engine) -> None:
    text = KIT.format(given)
    assert set(classes(text, engine)) == {"safe"}
    device = engine.target.id
    expected = text.replace("CUDAGraph", f"{device.upper()}Graph").replace("cuda", device)
    assert fixed(text, engine) == expected


@pytest.mark.parametrize("given", ["g, None, ", "*args, ", "g, enable_annotations=True, ", "**options, "])
def test_a_graph_takes_along_its_context_pools_and_streams(given: str) -> None:
    text = KIT.format(given).replace("**options, stream=s, pool=torch.cuda.graph_pool_handle()", "g, stream=s, **o")
    assert set(classes(text)) == {"review"}
    assert fixed(text) == text
    ported = NPU.fix(Source(HEAD + text), review=True).text
    assert "cuda." not in ported


def test_a_stream_of_another_function_or_class_is_not_in_the_kit() -> None:
    kit = "def f():\n    s = torch.cuda.Stream()\n    with torch.cuda.graph(g, None, s):\n        pass\n"
    assert classes(kit) == ["review", "review"]
    assert classes(kit + "def g():\n    s = torch.cuda.Stream()\n")[2:] == ["safe"]
    held = "class A:\n    def a(self):\n        self.s = torch.cuda.Stream()\n"
    used = "    def b(self):\n        with torch.cuda.graph(g, None, self.s):\n            pass\n"
    assert classes(held + used) == ["review", "review"]
    assert classes(held + "class B:\n" + used) == ["safe", "review"]


def test_streams_that_wait_for_each_other_through_names_change_together() -> None:
    text = """import cupy
class A:
    def __init__(self):
        self.ours = torch.cuda.Stream()
        self.theirs = torch.cuda.Stream()
        cupy.cuda.ExternalStream(self.theirs.cuda_stream)
    def enter(self):
        self.now = torch.cuda.current_stream()
        {0}
"""
    waits = ("self.theirs.wait_stream(self.now)", "self.now.wait_stream(stream=self.theirs)")
    for wait in waits:
        assert "torch.cuda.current_stream" in fixed(text.format(wait))
    for wait in ("pass", "self.now.wait_stream(other)", "self.now.wait_stream(theirs)", "f(self.theirs, self.now)"):
        assert "torch.npu.current_stream" in fixed(text.format(wait))


def test_an_answer_changes_with_the_question() -> None:
    assert classes('get_backend("cuda")\n') == ["review"]
    for text in ('assert get_backend("cuda") == "nccl"\n', 'assert "nccl" == get_backend("cuda")\n'):
        assert classes(text) == ["review", "review"]
    assert classes('get_backend("cuda")\nassert get_backend(x) == "nccl"\n') == ["review", "safe"]
    assert classes('assert get_backend() == "nccl"\n') == ["safe"]


def test_a_state_and_what_it_is_given_back_to_change_together_through_a_name() -> None:
    text = "s = torch.cuda.get_rng_state_all()\ntorch.cuda.set_rng_state_all(s)\n"
    for finding in NPU.check(Source(HEAD + text)).findings:
        assert apply_edits(HEAD + text, finding.fixes[0].edits).count("cuda") == 0


def test_a_state_that_is_stored_is_set_by_the_device_that_gave_it() -> None:
    text = (
        "def save(states):\n    states['cuda'] = torch.cuda.get_rng_state()\n"
        "def load(states, wanted):\n    if torch.cuda.is_available() and torch.cuda.nccl.version() > (2, 0):\n"
        "        torch.cuda.set_rng_state(states['cuda'])\n"
    )
    assert fixed(text) == text
    plain = text.replace(" and torch.cuda.nccl.version() > (2, 0)", "")
    assert "torch.npu.get_rng_state" in fixed(plain) and "torch.npu.set_rng_state" in fixed(plain)


def test_questions_of_one_call_are_decided_alike() -> None:
    left = "f(kind=torch.cuda.nccl.version() if torch.cuda.is_available() else 0{0})\n"
    text = left.format(", size=16 if torch.cuda.is_available() else 32")
    assert fixed(text) == text
    assert "torch.npu" in fixed(left.format("") + "f(size=16 if torch.cuda.is_available() else 32)\n")
    assert "torch.npu" in fixed(left.format(", size=g(16 if torch.cuda.is_available() else 32)"))


def test_answers_of_one_expression_are_decided_alike() -> None:
    """As in pytest-torch's markers.py: the kind of a device, which a function of the file knows, needs review."""
    text = "def f(kind_of, d):\n    on = kind_of(d) == 'cuda' if d is not None else torch.cuda.is_available()\n"
    assert classes(text) == ["review", "review"]
    named = text.replace("kind_of(d) == 'cuda'", "str(d).startswith('cuda')").replace(
        "torch.cuda.is", "torch.cuda.nccl.is"
    )
    assert fixed(named) == named
    other = text.replace("kind_of(d)", "d.type")
    assert fixed(other) == other.replace("cuda", "npu")
    chosen = text.replace("kind_of(d) == 'cuda' if d", "kind_of('cuda') if d")
    assert "torch.npu.is_available()" in fixed(chosen)


def test_types_of_one_tuple_are_decided_alike() -> None:
    """As in mlop's compat/torch.py: `torch.cuda.DoubleTensor` needs review."""
    text = "ok = isinstance(x, (torch.cuda.FloatTensor, torch.cuda.DoubleTensor))\n"
    assert fixed(text) == text
    other = text.replace("Double", "Half")
    assert fixed(other) == other.replace("torch.cuda", "torch.npu")
    functions = "FUNCTIONS = [torch.cuda.synchronize, torch.cuda.get_device_capability]\n"
    assert "torch.npu.synchronize" in fixed(functions)
    compared = "def f(self, x):\n    return self.is_cuda != x.is_cuda\n"
    assert fixed(compared) == compared
    asserted = "assert x.is_cuda == flag, f'{self.is_cuda}'\n"
    assert fixed(asserted) == asserted


VALID_DEVICES = """def validate(config):
    valid_devices = ["cuda", "cpu", "auto"]
    device_value = config.get("device", {}).get("device", "cuda").lower()
    if device_value not in valid_devices:
        raise ValueError(device_value)
"""


def test_a_default_moves_with_the_devices_that_are_valid() -> None:
    """As in gptmed's config_loader.py, which refused its own default, and in kito, of whose two lists one stayed."""
    assert fixed(VALID_DEVICES) == VALID_DEVICES.replace('"cuda"', '"npu"')
    alone = VALID_DEVICES.partition("    device_value")[0]
    assert fixed(alone) == alone.replace('"cuda"', '"npu"')


def test_packed_sequences_and_tensors_of_one_name_are_asked_and_moved_alike() -> None:
    text = "x = pack_padded_sequence(x, n)\nif x.is_cuda:\n    m = m.cuda()\ny = pack_sequence(z).cuda()\n"
    assert set(classes(text)) == {"safe"}
    assert fixed(text) == text.replace("x.is_cuda", "x.data.is_npu").replace("m.cuda", "m.npu").replace(
        "cuda()", 'to("npu")'
    )
    assert classes("y = pack_sequence(z).cuda(0)\n") == ["by hand"]
    assert fixed('y = pack_sequence(z).cuda("cuda:1")\n') == 'y = pack_sequence(z).to("npu:1")\n'


@pytest.mark.parametrize("engine", [NPU, MUSA], ids=["npu", "musa"])
def test_what_a_keyword_gives_to_cuda_stays_beside_the_targets(engine: Engine) -> None:
    text = "sync = dict(cuda=lambda: torch.cuda.synchronize(), {0}=lambda: torch.{0}.synchronize())\n"
    assert classes(text.format(engine.target.id), engine) == []
    assert classes(text.format("xpu"), engine) == ["safe"]


@pytest.mark.parametrize(
    "text",
    [
        'def f():\n    return "cuda", torch.cuda.device_count()\n',
        'def f():\n    return torch.cuda.get_device_properties(0).total_memory, "cuda"\n',
        'kind, count = "cuda", torch.cuda.device_count()\n',
    ],
)
def test_a_word_in_a_tuple_and_what_is_asked_beside_it_change_together(text: str) -> None:
    assert classes(text) == ["review", "review"]
    assert "cuda" not in NPU.fix(Source(HEAD + text), review=True).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('print("cuda", torch.cuda.device_count())\n', ["safe"]),
        ('device, count = "cuda", torch.cuda.device_count()\n', ["safe", "safe"]),
        ('def f():\n    return "cuda", g(torch.cuda.device_count())\n', ["review", "safe"]),
        ('def f():\n    return "cpu", torch.cuda.device_count()\n', ["safe"]),
    ],
)
def test_a_label_and_what_stands_near_by_take_nothing_along(text: str, expected: list[str]) -> None:
    assert classes(text) == expected


def test_a_kernel_given_to_a_wrapper_by_hand_is_its_own_fix() -> None:
    text = "import amp_C\nfrom apex.multi_tensor_apply import multi_tensor_applier\n"
    text += "multi_tensor_applier(amp_C.multi_tensor_scale, overflow, [grads, grads], scale)\n"
    assert classes(text).count("review") == 2
    assert classes("from apex import amp\nmodel = amp.initialize(model.cuda())\n")[-1] == "safe"


KINDS = {"mixed-statement", "argument-left", "kit-split"}
HALVES = [half for half in programs() if half.kind in KINDS and half.name != "list_of_devices"]


def statements(text: str) -> list[str]:
    """The statements of a text and the headers of its blocks, without imports."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.With):
            found.append(", ".join(map(ast.unparse, node.items)))
        elif isinstance(node, (ast.If, ast.While)):
            found.append(ast.unparse(node.test))
        elif isinstance(node, ast.stmt) and not hasattr(node, "body") and not isinstance(node, ast.ImportFrom):
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("half", HALVES, ids=lambda half: half.name)
def test_no_statement_of_a_seeded_program_is_left_half(half: Half) -> None:
    for path, text in half.before.items():
        for said in statements(ENGINES[half.target].fix(Source(text, path)).text):
            assert not ("cuda" in said.lower() and half.target in said.lower()), said


@pytest.mark.parametrize(
    "text",
    [
        "a.settings['CUDA_VISIBLE_DEVICES'] = ','.join(str(i) for i in range(torch.cuda.device_count()))\n",
        "settings = {'CUDA_VISIBLE_DEVICES': str(torch.cuda.device_count()), 'A': '1'}\n",
    ],
)
def test_a_variable_of_the_environment_and_its_value_change_together(text: str) -> None:
    text = f"import torch\nimport torch_npu\n{text}"
    assert ENGINES["npu"].fix(Source(text)).text == text
    fixed = ENGINES["npu"].fix(Source(text), review=True).text
    assert "ASCEND_RT_VISIBLE_DEVICES" in fixed and "torch.npu.device_count" in fixed


def test_a_word_and_the_method_that_it_is_given_to_by_a_name_change_together() -> None:
    text = "import torch\nimport torch_npu\nclass A:\n    def cuda(self, device=None):\n"
    text += (
        "        device = 'cuda' if device is None else device\n        return self.apply(lambda x: x.cuda(device))\n"
    )
    assert ENGINES["npu"].fix(Source(text)).text == text


def test_what_an_attribute_holds_is_the_same_whoever_has_it() -> None:
    text = "import torch\nimport torch_npu\nclass A:\n    def f(self):\n"
    text += "        self.done = torch.cuda.Event(external=True)\n"
    text += "def g(a):\n    torch.cuda.current_stream().wait_event(a.done)\n"
    assert ENGINES["npu"].fix(Source(text)).text == text


def test_the_streams_of_a_function_change_together() -> None:
    text = "import torch\nimport torch_npu\nclass A:\n    def f(self):\n"
    text += "        self.done = torch.cuda.Event(external=True)\n"
    text += (
        "def g(a):\n    torch.cuda.current_stream().wait_event(a.done)\n    with torch.cuda.stream(a.s):\n        h()\n"
    )
    other = "def k(a):\n    torch.cuda.current_stream().synchronize()\n"
    assert ENGINES["npu"].fix(Source(text + other)).text == text + other.replace("cuda", "npu")


def test_an_object_that_a_condition_chooses_keeps_its_question_too() -> None:
    text = (
        "import cupy\nstream = torch.cuda.Stream() if torch.cuda.is_available() else None\n"
        "if stream is not None:\n    cupy.cuda.ExternalStream(stream.cuda_stream)\n"
    )
    assert fixed(text) == text
    assert fixed(text.replace("cupy.cuda.ExternalStream", "print")) != text


@pytest.mark.parametrize(
    "given",
    [
        "Trainer(data, torch.cuda.is_available())\n",
        "Trainer(data, fast=torch.cuda.is_available() and not slow)\n",
    ],
)
def test_an_answer_that_a_function_is_given_keeps_its_question(given: str) -> None:
    text = (
        "class Vocabulary:\n    def cuda(self):\n        self.count = 0\n"
        "class Trainer:\n    def __init__(self, data, fast):\n        self.fast = fast\n"
        "        if fast:\n            make(data).cuda()\n"
    )
    assert fixed(text + given) == text + given
    moved = text.replace("make(data).cuda()", "torch.ones(1).cuda()").replace("class Vocabulary", "class V")
    assert "torch.npu.is_available()" in fixed(moved + given)


FOLLOWS = """try:
    from amp_C import multi_tensor_l2norm
except ImportError:
    multi_tensor_l2norm = None


def total(grads, device):
    if device.type == "cuda":
        with torch.cuda.device(device):
            norm = multi_tensor_l2norm(2048, torch.zeros(1), [grads], False)
    torch.cuda.synchronize()
    return norm
"""


def test_what_is_safe_only_after_a_fix_to_review_is_to_review_as_well() -> None:
    """A preview lists all fixes and ticks the safe ones. Applying only the ticked fixes gives the same text as a run
    that makes only safe fixes: a fix that is safe only after a fix that needs review is not ticked."""
    source = Source(HEAD + FOLLOWS)
    every, safe = NPU.fix(source, review=True), NPU.fix(source)
    ticked = [change.edit for change in every.changes if change.applicability == SAFE]
    assert 'device.type == "npu"' in every.text
    assert 'device.type == "cuda"' in safe.text and "torch.npu.synchronize" in safe.text
    assert apply_edits(source.text, ticked) == safe.text


OPTIONS = """import torch.distributed as dist


def group(ranks):
    {before}
    return dist.new_group(ranks, backend={backend}, pg_options={options})
"""
NCCLS = "dist.ProcessGroupNCCL.Options(is_high_priority_stream=True)"


@pytest.mark.parametrize(
    ("before", "backend", "options", "moves"),
    [
        ("pass", '"nccl"', NCCLS, False),
        (f"options = {NCCLS}", '"nccl"', "options", False),
        (f"options = {NCCLS} if fast else None", '"nccl" if options else None', "options", False),
        ("pass", '"nccl"', "None", True),
        (f"other = {NCCLS}", '"nccl"', "options", True),
    ],
)
def test_a_backend_stays_with_the_options_of_its_process_group(
    before: str, backend: str, options: str, moves: bool
) -> None:
    text = OPTIONS.format(before=before, backend=backend, options=options)
    assert ("hccl" in NPU.fix(Source(text)).text) is moves
