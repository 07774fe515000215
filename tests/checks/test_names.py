"""Tests of rules about names: every row of the tables of APIs has a rule; aliases; names that change together, such as
the names of a stream and of its handle; rules that are switched off."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.catalogue import Row, Target, load
from uncuda.checks.name import Check
from uncuda.checks.verdicts import Verdicts
from uncuda.engine import Engine, Finding
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
VERSIONS = [(name, version) for name, target in CATALOGUE.targets.items() for version in target.versions]

# Names in the targets' tables of APIs that no rule about names covers: modules that are imported only for their
# submodules, flags that have the same meaning on the target, and names that other checks find by their arguments.
ELSEWHERE = {
    "torch.backends.cuda": "its members count",
    "torch.backends.cudnn": "its members count",
    "torch.backends.cuda.preferred_linalg_library": "no difference is known where it is not a no-op",
    "torch.set_default_tensor_type": "default-tensor-type, an argument rule",
    "torch.utils.cpp_extension.library_paths": "differs for CUDA's paths only",
    "torch.utils.dlpack": "not bound to CUDA",
}
SAME_FLAGS = "sdp"


def engine(target: str = "npu", project: Project | None = None, **settings: object) -> Engine:
    return engine_for(target, Settings(locale="en", **settings), project)  # type: ignore[arg-type]


def findings(text: str, made: Engine | None = None) -> list[Finding]:
    return list((made or engine()).check(Source(text)).findings)


def fixed(text: str, made: Engine | None = None, review: bool = True) -> str:
    return (made or engine()).fix(Source(text), review).text


def verdicts(target: Target, name: str) -> Verdicts:
    made = engine_for(name, Settings(target_version=target.version))
    return next(check.verdicts for check in made.ruleset(False).checks if isinstance(check, Check))


def due(row: Row, target: Target) -> bool:
    """Return whether one of the rules about names must cover a row of the target's table of APIs."""
    if row.name == row.replacement or row.name in ELSEWHERE:
        return False
    return not (SAME_FLAGS in row.name and row.status == "limited" and target.has("sdp-backends"))


@pytest.mark.parametrize("name, version", VERSIONS)
def test_every_row_has_its_rule(name: str, version: str) -> None:
    target = CATALOGUE.target(name, version)
    every = verdicts(target, name)
    silent = [row.name for row in target.rows.values() if due(row, target) and every.of(row.name) is None]
    assert not silent


@pytest.mark.parametrize("name, version", VERSIONS)
def test_every_unknown_name_of_torch_cuda_has_its_rule(name: str, version: str) -> None:
    every = verdicts(CATALOGUE.target(name, version), name)
    for dotted in ("torch.cuda", "torch.cuda._sleep", "torch.cuda.no_such", "torch.cuda.amp.no_such", "torch.cuda.a.b"):
        verdict = every.of(dotted)
        assert verdict is not None
        assert verdict.applicability is None or dotted == "torch.cuda"


@pytest.mark.parametrize("name, version", VERSIONS)
def test_only_names_of_the_table_are_written(name: str, version: str) -> None:
    target = CATALOGUE.target(name, version)
    every = verdicts(target, name)
    for row in target.rows.values():
        verdict = every.of(row.name)
        if verdict is None or verdict.applicability is None:
            continue
        template = verdict.rule.get("replace")
        assert template or verdict.replacement == row.replacement
        assert "private-name" not in row.limits
        assert row.status not in ("missing", "noop") or template
        if verdict.applicability == "safe":
            # the fix writes a string, the value of the name, instead of another name
            said = (template or "").startswith('"')
            assert said or row.status in ("supported", "present", "renamed", "limited")
            assert row.present


@pytest.mark.parametrize(
    ("word", "target", "said"),
    [
        ("flags = ['-Icutlass/include']", "musa", "templates of CUTLASS are not converted"),
        ("modules = ['flash_attn_interface']", "musa", "MATE has FlashAttention-3's interface"),
        ("modules = ['flash_attn_interface']", "npu", "npu_fusion_attention"),
    ],
)
def test_a_message_says_what_the_words_of_the_file_are_about(word: str, target: str, said: str) -> None:
    text = "from torch.utils.cpp_extension import CUDAExtension\n{0}\nCUDAExtension('a', ['a.cu'])\n"
    engine = engine_for(target, Settings(select=("cuda-extension",), locale="en"))
    with_word, without = (engine.check(Source(text.format(line))).findings[-1] for line in (word, "x = 1"))
    assert said in with_word.message and said not in without.message


def test_a_rule_that_is_switched_off_keeps_its_names() -> None:
    """If a specific rule is switched off, the general rule does not report the names of that rule instead."""
    text = "import torch\ntorch.cuda.manual_seed(0)\ntorch.cuda.synchronize()\n"
    found = findings(text, engine(ignore=("cuda-random",)))
    assert [finding.rule for finding in found] == ["cuda-api"]


def test_a_call_and_its_handle_change_together() -> None:
    text = "import torch\nhandle = torch.cuda.current_stream().cuda_stream\n"
    assert (
        fixed(text, review=False) == "import torch\nimport torch_npu\nhandle = torch.npu.current_stream().npu_stream\n"
    )
    one, two = findings(text)
    assert {one.rule, two.rule} == {"cuda-stream", "cuda-stream-handle"}
    assert one.fixes[0].edits == two.fixes[0].edits


def test_a_private_call_that_no_list_names_keeps_what_it_is_given() -> None:
    text = "import torch\nimport torch_npu\ntorch._C._cuda_thatIsYetToCome(torch.cuda.current_device(), pool)\n"
    assert [finding.rule for finding in findings(text)] == ["cuda-private", "cuda-api"]
    assert fixed(text, review=False) == text


def test_an_alias_that_cannot_carry_a_name_is_spelled_anew() -> None:
    head = "import torch\nimport torch_npu\n"
    tail = "try:\n    cuda.synchronize()\nexcept {}.OutOfMemoryError:\n    pass\n"
    before = head + "from torch import cuda\n" + tail.format("cuda")
    assert fixed(before) == head + "from torch_npu import npu as cuda\n" + tail.format("torch")


def test_nothing_is_spelled_anew_where_torch_is_not_bound() -> None:
    text = "import torch.cuda as tc\ntry:\n    tc.synchronize()\nexcept tc.OutOfMemoryError:\n    pass\n"
    assert fixed(text) == text
    assert {finding.rule for finding in findings(text)} == {"cuda-api", "cuda-api-replaced"}


STORED = """\
import torch
import torch_npu


class Tracker:
    def __init__(self):
        self.torch = None
        if torch.cuda.is_available():
            self.torch = torch

    def stop(self):
        if self.torch is not None:
            self.torch.cuda.empty_cache()
            return self.torch.ones(2, device="cuda:0"), self.torch.cuda.memory_allocated()
"""


def test_torch_that_an_object_stores_changes_like_torch() -> None:
    """Also under another name, as in ai-vision-tool's memory_manager.py."""
    assert fixed(STORED) == STORED.replace("cuda", "npu")
    other = STORED.replace("self.torch", "self._torch")
    assert fixed(other) == other.replace("cuda", "npu")
    both = STORED + "        self._torch.cuda.synchronize()\n"
    assert fixed(both) == both.replace("cuda", "npu").replace("_torch.npu", "_torch.cuda")
    layout = other + "        self._torch.empty(3, memory_format=self._torch.channels_last)\n"
    assert "self._torch.contiguous_format" in fixed(layout)
    said = STORED.replace("    def stop", "    # self.torch = jax was a plan: self.torch\n    def stop")
    said = said.replace("if self.torch is", 'label = f"{self.torch=}"  # self.torch = jax\n        if self.torch is')
    assert fixed(said) == said.replace("cuda", "npu")
    apart = STORED.replace("self.torch = torch", "self.torch = other")
    ported = apart.replace("torch.cuda.is_available", "torch.npu.is_available").replace("cuda:0", "npu:0")
    assert fixed(apart) == ported


def test_typing_where_an_object_stores_torch_says_what_a_fresh_look_says() -> None:
    lines = (
        "self.torch = torch",
        "self.torch.cuda.synchronize()",
        "self.torch = x",
        "self._torch = torch",
        "# self.torch = torch",
        "    pass",
    )
    type_in_each_line(STORED, lines, 4)
    type_in_each_line(STORED.replace("self.torch = torch", "self.torch = other"), lines, 4)


def test_a_local_torch_is_not_torch() -> None:
    text = "import torch\nfrom torch.backends import cudnn\n\n\ndef set_up(torch):\n    cudnn.allow_tf32 = True\n"
    (found,) = findings(text, engine("musa"))
    assert found.rule == "tf32"
    assert not found.fixes


def test_a_use_without_a_counterpart_keeps_its_alias() -> None:
    """The import is not fixed alone, because uncuda would then no longer find the use."""
    text = "from torch import cuda\ncuda.synchronize()\ncuda.list_gpu_processes()\n"
    assert fixed(text) == text
    assert [finding.rule for finding in findings(text)] == ["cuda-api", "cuda-api-missing"]


@pytest.mark.parametrize("alias", ["from torch import cuda", "import torch.cuda as cuda", "cuda = torch.cuda"])
def test_other_uses_of_an_alias_that_stays_are_written_anew(alias: str) -> None:
    text = f"import torch\n{alias}\ncuda.synchronize()\ncuda.list_gpu_processes()\n"
    assert fixed(text) == (
        f"import torch\nimport torch_npu\n{alias}\ntorch.npu.synchronize()\ncuda.list_gpu_processes()\n"
    )
    assert [finding.rule for finding in findings(fixed(text))] == ["cuda-api", "cuda-api-missing"]


def test_a_variable_and_its_uses_change_together() -> None:
    text = "import torch\ncuda = torch.cuda\ncuda.synchronize()\ncuda.nvtx.range_push('a')\n"
    assert fixed(text, review=False) == text
    assert "cuda = torch.npu\ncuda.synchronize()\ncuda.mstx.range_push('a')\n" in fixed(text)


@pytest.mark.parametrize(
    ("call", "lacks"),
    [
        ("torch.cuda.CUDAGraph(keep_graph=True)", True),
        ("torch.cuda.CUDAGraph()", False),
        ("torch.cuda.CUDAGraph(**options)", False),  # the arguments are unknown
        ("torch.cuda.graphs.graph(cuda_graph=g)", False),  # the target's function has the argument under another name
    ],
)
def test_a_parameter_that_the_counterpart_lacks_is_said(call: str, lacks: bool) -> None:
    (finding,) = findings(f"import torch\n{call}\n")
    assert ("lacks a parameter" in finding.message) == lacks


def test_keywords_take_the_names_that_the_target_has_for_them() -> None:
    text = "import torch\nwith torch.cuda.graph(cuda_graph=g, pool=p):\n    y = torch.cuda.get_device_name(device=0)\n"
    assert "torch.npu.graph(npu_graph=g, pool=p)" in fixed(text)
    assert "torch.npu.get_device_name(device_name=0)" in fixed(text)


@pytest.mark.parametrize(
    ("asked", "after"),
    [
        ('hasattr(torch.cuda, "CUDAGraph")', 'hasattr(torch.npu, "NPUGraph")'),
        ("getattr(torch.cuda, 'CUDAGraph', None)", "getattr(torch.npu, 'NPUGraph', None)"),
        ('hasattr(torch.cuda, "synchronize")', 'hasattr(torch.npu, "synchronize")'),
        ('hasattr(torch.cuda, "list_gpu_processes")', 'hasattr(torch.npu, "list_gpu_processes")'),
        ('getattr(torch.cuda, "list_gpu_processes")', 'getattr(torch.cuda, "list_gpu_processes")'),
    ],
)
def test_attributes_that_are_asked_for_take_the_names_of_the_target(asked: str, after: str) -> None:
    assert fixed(f"import torch\nimport torch_npu\ny = {asked}\n").endswith(f"y = {after}\n")


@pytest.mark.parametrize(
    ("call", "applicability"),
    [
        ("torch.cuda.amp.GradScaler(enabled=True)", "safe"),
        ("torch.cuda.amp.GradScaler(2.0)", "safe"),
        ("torch.cuda.amp.GradScaler(2.0, 2.0, 0.5, 2000)", "safe"),
        ("torch.cuda.amp.GradScaler(2.0, 2.0, 0.5, 2000, enabled)", "safe"),
        ("torch.cuda.amp.GradScaler(2.0, 2.0, 0.5, 2000, enabled, more)", "review"),
        ("torch.cuda.amp.GradScaler(*given)", "review"),
        ("torch.cuda.graph(g)", "safe"),
        ("torch.cuda.graph(g, None)", "review"),
        ("torch.cuda.get_device_name(0)", "safe"),
        ("torch.cuda.get_device_name(device=0)", "review"),
        ("torch.cuda.get_device_name(**options)", "review"),
        ("torch.cuda.get_device_properties(0)", "safe"),
        ("torch.cuda.get_device_properties(0).total_memory", "safe"),
        ("torch.cuda.get_device_properties(0).multi_processor_count", "safe"),
        ("torch.cuda.get_device_properties(0).major", "review"),
        ("torch.cuda.DoubleTensor(1)", "review"),
        ("torch.cuda.FloatTensor(1)", "safe"),
    ],
)
def test_classes(call: str, applicability: str) -> None:
    (found,) = findings(f"import torch\n{call}\n")
    assert [fix.applicability for fix in found.fixes] == [applicability]


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_an_argument_whose_place_means_something_else_is_given_its_name(target: str) -> None:
    named = "enabled=" if target == "npu" else ""
    head = f"import torch\nimport torch_{target}\n"
    text = f"{head}s = torch.cuda.amp.GradScaler(2.0, 2.0, 0.5, 2000, not cpu)\n"
    written = text.replace("torch.cuda", f"torch.{target}").replace("not cpu", f"{named}not cpu")
    assert fixed(text, engine(target)) == written
    package = "torch_npu.npu" if target == "npu" else "torch_musa.core"
    text = f"{head}from torch.cuda.amp import GradScaler\ns = GradScaler(2.0, 2.0, 0.5, 2000, False)\n"
    assert fixed(text, engine(target)) == text.replace("torch.cuda", package).replace("False", f"{named}False")


def test_a_counterpart_that_answers_none_is_never_written() -> None:
    (found,) = findings("import torch\nnew = torch.cuda.get_device_capability()[0] >= 8\n")
    assert found.fixes == ()
    assert "returns None unless" in found.message


def test_a_message_names_the_api_and_not_what_is_chained_to_it() -> None:
    (found,) = findings("import torch\nmajor = torch.version.cuda.split('.')[0]\n", engine("musa"))
    assert "`torch.version.cuda` is None" in found.message
    assert found.fixes[0].title == "Replace with `torch.version.musa`"
    (found,) = findings("import torch\nmajor = torch.cuda.no.such.thing\n")
    assert "`torch.cuda.no.such.thing`" in found.message


def test_a_name_that_the_version_lacks_says_since_when() -> None:
    text = "import torch\ntorch.cuda.host_memory_stats()\n"
    (found,) = findings(text, engine(target_version="2.6.0"))
    assert "since torch_npu 2.7.1" in found.message
    assert found.fixes[0].applicability == "review"
    (found,) = findings(text, engine(target_version="2.7.1"))
    assert "not in torch_npu 2.7.1" in found.message
    (found,) = findings(text, engine(target_version="2.7.1.post11"))
    assert found.fixes[0].applicability == "safe"


@pytest.mark.parametrize("version, since", [("2.1.0", True), ("2.5.1", True), ("2.6.0", False)])
def test_a_name_of_pytorch_that_its_version_lacks_does_so_too(version: str, since: bool) -> None:
    text = "import torch\ntry:\n    step()\nexcept torch.cuda.OutOfMemoryError:\n    skip()\n"
    (found,) = findings(text, engine(target_version=version))
    assert ("since torch_npu 2.6.0" in found.message) == since
    assert found.fixes[0].applicability == "review"


MATMUL, CONV, ONE = (f"torch.backends.{name}.allow_tf32" for name in ("cuda.matmul", "cudnn", "mudnn"))


@pytest.mark.parametrize(
    "lines, found, by_hand",
    [
        ([f"{MATMUL} = True", f"{CONV} = True"], [2], 0),
        ([f"{CONV} = fast", f"{MATMUL} = fast", f"{CONV} = fast"], [2, 4], 0),
        ([f"{ONE} = True", f"{CONV} = True"], [], 0),
        ([f"{MATMUL} = True", f"{CONV} = False"], [2, 3], 2),
        ([f"{ONE} = True", f"{CONV} = False"], [3], 1),
        ([f"{MATMUL} = True", f"{MATMUL} = False"], [2, 3], 0),
        ([f"{MATMUL} = True", "if x:", f"    {CONV} = True"], [2, 4], 0),
        ([f"{MATMUL} = {CONV} = True"], [2, 2], 0),
    ],
)
def test_two_switches_that_are_one_on_the_target(lines: list[str], found: list[int], by_hand: int) -> None:
    made, text = engine("musa"), "\n".join(["import torch", *lines, ""])
    report = findings(text, made)
    assert [text.count("\n", 0, each.span.start) + 1 for each in report] == found
    assert sum(not each.fixes for each in report) == by_hand
    after = fixed(text, made)
    assert sum(bool(each.fixes) for each in findings(after, made)) == 0
    assert len(findings(after, made)) == by_hand


def test_a_list_of_types_may_have_any_name() -> None:
    assert not findings("import torch\nkinds['a(b'] = [torch.float32, torch.float64]\n")


@pytest.mark.parametrize(
    ("device", "count"),
    [("'cpu'", 0), ("'cpu:0'", 0), ("torch.device('cpu', 0)", 0), ("'cuda:0'", 1), ("'npu:0'", 1), ("where", 1)],
)
def test_a_type_of_what_is_made_on_another_device_is_silent(device: str, count: int) -> None:
    found = findings(f"import torch\nx = torch.zeros(3, dtype=torch.float64, device={device})\n")
    assert [finding.rule for finding in found].count("float64") == count


def test_the_profiler_changes_as_a_whole_or_not_at_all() -> None:
    text = (
        "from torch.profiler import ProfilerActivity, profile\n\n\ndef run(profiler):\n"
        "    with profile(activities=[ProfilerActivity.CUDA]):\n        pass\n"
    )
    found = findings(text)
    assert {finding.rule for finding in found} == {"profiler-activity"}
    assert len({finding.fixes[0].edits for finding in found}) == 1
    other = text.replace("ProfilerActivity.CUDA", "ProfilerActivity.CPU")
    assert not findings(other)


def test_an_activity_that_the_other_profiler_lacks_keeps_the_profiler() -> None:
    text = (
        "import torch\nfrom torch.profiler import ProfilerActivity, profile\n"
        "kinds = [ProfilerActivity.CPU, ProfilerActivity.CUDA, ProfilerActivity.XPU]\n"
    )
    assert fixed(text) == text
    assert "ProfilerActivity.MUSA, ProfilerActivity.XPU" in fixed(text, engine("musa"))


def test_a_variable_that_holds_a_name_is_reported_once() -> None:
    text = "import torch\nlister = torch.cuda.list_gpu_processes\nprint(lister())\n"
    assert [finding.span.start for finding in findings(text)] == [text.index("torch.cuda")]


def test_a_plugin_that_is_imported_without_its_name_is_imported_again() -> None:
    text = "import torch\nfrom torch_npu.contrib import helpers\nx = torch.profiler.ProfilerActivity.CUDA\n"
    assert "import torch_npu\n" in fixed(text)
    text = "import torch\nfrom torch_npu.contrib import helpers\ntorch.cuda.synchronize()\n"
    assert "import torch_npu\n" not in fixed(text)


def test_a_split_import_keeps_its_indentation() -> None:
    text = "import torch\ntry:\n    from torch.cuda import nvtx, synchronize\nexcept ImportError:\n    pass\n"
    assert fixed(text, engine("musa")) == (
        "import torch\ntry:\n    from torch.cuda import nvtx\n    from torch_musa import synchronize\n"
        "except ImportError:\n    pass\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("comment", "repeated"),
    [
        ("  # noqa: E402", True),
        (" #type: ignore[attr-defined]", True),
        ("  # isort:skip", True),
        ("  # pragma: no cover  # NOQA", True),
        ("  # of CUDA", False),
        ("  # type of both: functions", False),
    ],
)
def test_a_split_import_keeps_its_comment_for_linters(comment: str, repeated: bool, end: str) -> None:
    """The comment is for the whole statement: each of its lines needs it, once they are two."""
    text = f"import torch\nfrom torch.cuda import nvtx, synchronize{comment}\nsynchronize()\n"
    first = comment if repeated else ""
    after = f"from torch.cuda import nvtx{first}\nfrom torch_musa import synchronize{comment}\nsynchronize()\n"
    assert fixed(text.replace("\n", end), engine("musa")) == f"import torch\n{after}".replace("\n", end)


def test_a_default_tensor_type_is_reported_once() -> None:
    text = "import torch\ntorch.set_default_tensor_type(torch.cuda.FloatTensor)\n"
    assert [finding.rule for finding in findings(text)] == ["default-tensor-type"]


def test_what_the_patch_covers_is_silent_under_it() -> None:
    text = "import torch\ntorch.cuda.synchronize()\nx.cuda()\ntorch.cuda.list_gpu_processes()\n"
    found = findings(text, engine(strategy="shim"))
    assert {finding.rule for finding in found} - {"missing-shim-import"} == {"cuda-api-missing"}


@pytest.mark.parametrize(
    "given, found",
    [
        # this text imports only the plugin; a fix with the strategy `shim` may have written the import
        ("import torch_npu\n", True),
        ("from torch_npu.contrib import transfer_to_npu\n", False),
        ("import torch_npu.contrib.transfer_to_npu\n", False),
        ("import torch_npu.contrib.transfer_to_npu as patch\n", False),
    ],
)
def test_only_the_patch_is_the_patch(given: str, found: bool) -> None:
    text = f"{given}import torch\nif __name__ == '__main__':\n    torch.cuda.synchronize()\n"
    assert ("missing-shim-import" in {finding.rule for finding in findings(text, engine(strategy="shim"))}) is found


@pytest.mark.parametrize(
    "target, patch, code",
    [
        ("npu", "torch_npu.contrib.transfer_to_npu", "if torch.distributed.get_backend() == 'nccl':\n    x.cuda()\n"),
        ("musa", "torchada", "if torch.cuda.is_available():\n    x.cuda()\n"),
    ],
)
def test_what_relies_on_the_patch_is_for_review_until_it_is_imported(target: str, patch: str, code: str) -> None:
    """The fix of the condition is safe only if the file imports `patch`: without it, the fixed condition is true on the
    target, but `x.cuda()` below it still moves tensors to CUDA."""
    for head, expected in (("import torch\n", "review"), (f"import {patch}\nimport torch\n", "safe")):
        found = [finding for finding in findings(head + code, engine(target, strategy="shim")) if finding.fixes]
        assert [finding.fixes[0].applicability for finding in found] == [expected]


def test_a_dictionary_that_calls_cuda_when_it_is_made_keeps_its_keys() -> None:
    text = "import torch\nimport torch_npu\nm = {'cuda': torch.cuda.device_count(), 'cpu': 1}\n"
    assert fixed(text).endswith("m = {'cuda': torch.npu.device_count(), 'cpu': 1}\n")


def test_names_that_only_go_along_are_silent_where_nothing_changes() -> None:
    head = "import torch\nimport torch_npu\nx = torch.profiler.ProfilerActivity.MTIA\n"
    kept = head + "m = {'cpu': torch.profiler.ProfilerActivity.CPU, 'cuda': torch.profiler.ProfilerActivity.CUDA}\n"
    assert [finding.rule for finding in findings(kept)] == ["device-map"]
    assert fixed(kept) == kept
    (own,) = findings(head + "a = [torch.profiler.ProfilerActivity.CUDA]\n")
    assert own.rule == "profiler-activity"
    assert not own.fixes


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    {0}\nexcept ImportError:\n    {0}\n",
        "if new:\n    {0}\nelse:\n    {0}\n",
        "def f():\n    {0}\n    use(autocast)\ndef g():\n    {0}\n    use(autocast)\n",
    ],
)
@pytest.mark.parametrize("line", ["from torch.cuda.amp import autocast", "import torch.cuda.amp as autocast"])
def test_each_import_of_a_name_is_a_place_of_its_own(text: str, line: str) -> None:
    text = text.format(line)
    assert len(findings(text)) == 2
    ported = fixed(text, review=False)
    assert "torch.cuda" not in ported
    assert ported.count("torch_npu.npu.amp") == 2


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize(
    ("code", "applicability"),
    [
        ("xs = map(torch.Tensor.cuda, xs)", "safe"),
        ("x = torch.Tensor.cuda(x)", "safe"),
        ("x = torch.Tensor.cuda(x, non_blocking=True)", "safe"),
        ("x = torch.Tensor.cuda(x, 0)", "review"),
        ("x = torch.Tensor.cuda(*xs)", "review"),
        ("move = torch.Tensor.cuda", "review"),
        ("xs = map(torch.Tensor.cuda, xs, devices)", "review"),
        ("xs = tree_map(torch.Tensor.cuda, xs)", "review"),
        ("m = torch.nn.Module.cuda(m)", "review"),
        ("def cuda(x):\n    return torch.Tensor.cuda(x)", "review"),
    ],
)
def test_a_method_without_its_object_is_safe_where_it_is_given_tensors_alone(
    target: str, code: str, applicability: str
) -> None:
    (found,) = findings(f"import torch\n{code}\n", engine(target))
    assert [fix.applicability for fix in found.fixes] == [applicability]


@pytest.mark.parametrize("strategy", ["rewrite", "shim"])
@pytest.mark.parametrize(
    "code",
    [
        "if get_backend() == dist.Backend.NCCL: pass",
        "if Backend.NCCL == dist.get_backend(group): pass",
        "if dist.get_backend() != Backend.NCCL: pass",
        "if get_backend() in (Backend.NCCL, Backend.GLOO): pass",
        "backend = dist.get_backend()\nif backend == Backend.NCCL: pass",
    ],
)
def test_the_backends_constant_is_safe_in_every_form(code: str, strategy: str) -> None:
    head = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\nimport torch.distributed as dist\n"
    text = f"{head}from torch.distributed import Backend, get_backend\n{code}\n"
    (found,) = findings(text, engine(strategy=strategy))
    assert (found.rule, found.fixes[0].applicability) == ("backend-nccl", "safe")


@pytest.mark.parametrize(
    ("code", "due"),
    [
        ('f"{dist.Backend.NCCL}"', """f"{'hccl'}\""""),
        ("f'{dist.Backend.NCCL}'", """f'{"hccl"}'"""),
        ("F'''{dist.Backend.NCCL}'''", """F'''{"hccl"}'''"""),
        ('f"a" f"{x!r:>{dist.Backend.NCCL}}"', """f"a" f"{x!r:>{'hccl'}}\""""),
        ("""f"{d['a'] == dist.Backend.NCCL} {dist.Backend.NCCL}\"""", """f"{d['a'] == 'hccl'} {'hccl'}\""""),
        ('''f"{f'{dist.Backend.NCCL}'}"''', None),
        ('''f"""{f'{dist.Backend.NCCL}'}"""''', None),
        ("f(f'{x}', backend=dist.Backend.NCCL)", "f(f'{x}', backend=\"hccl\")"),
        ('f"{torch.nn.ReLU().cuda(0)} {x.cuda(1)}"', """f"{torch.nn.ReLU().to('npu:0')} {x.to('npu:1')}\""""),
        ('f"{torch.amp.GradScaler()}"', """f"{torch.amp.GradScaler('npu')}\""""),
        ("x: 'dist.Backend.NCCL' = 1", None),
    ],
)
def test_a_literal_in_a_field_does_not_take_the_quotes_around_it(code: str, due: str | None) -> None:
    text = f"import torch\nimport torch_npu\nimport torch.distributed as dist\n{code}\n"
    assert fixed(text) == text.replace(code, due or code)
    assert findings(text)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("p.add_argument('--comm', default='nccl')\nif args.comm == dist.Backend.NCCL: pass", ["review", "review"]),
        ("p.add_argument('--backend', default='nccl')\nif args.backend == dist.Backend.NCCL: pass", ["safe", "safe"]),
        ("if args.comm == dist.Backend.NCCL: pass", ["review"]),
        ("comm = dist.Backend.NCCL", ["review"]),
        ("comm = dist.Backend.NCCL\ndist.init_process_group(comm)", ["safe"]),
        ("def f(comm):\n    dist.new_group(backend=comm)\nf(dist.Backend.NCCL)", ["safe"]),
        ("f(dist.Backend.NCCL)", ["review"]),
        ("table = {dist.Backend.NCCL: 1}", ["review"]),
        ("x = table[dist.Backend.NCCL]", ["review"]),
        ("x = table.get(dist.Backend.NCCL)", ["review"]),
        ("print(dist.Backend.NCCL)", ["safe"]),
        ("match dist.get_backend():\n    case dist.Backend.NCCL: pass", ["safe"]),
        ("match args.comm:\n    case dist.Backend.NCCL: pass", ["review"]),
    ],
)
def test_the_backends_constant_is_as_sure_as_its_text(code: str, expected: list[str]) -> None:
    text = f"import torch_npu\nimport torch.distributed as dist\n{code}\n"
    assert [found.fixes[0].applicability for found in findings(text)] == expected


def test_quotes_that_a_field_has_already_are_written_there() -> None:
    pytest.importorskip("libcst", reason="newer syntax is read through libcst")
    text = 'import torch_npu\nimport torch.distributed as dist\nprint(f"{d["a"]} {dist.Backend.NCCL}{d["a"]}")\n'
    both = text.replace("} {", " == ")
    assert fixed(text) == text.replace("dist.Backend.NCCL", "'hccl'")
    assert fixed(both) == both.replace("dist.Backend.NCCL", '"hccl"')


def test_a_name_behind_a_test_that_it_is_there_is_information() -> None:
    text = (
        "import torch\n\nif hasattr(torch._C, '_cuda_x') and callable(torch._C._cuda_x):\n"
        "    def f():\n        torch._C._cuda_x()\n"
    )
    for found in findings(text):
        assert found.severity == "information" and "asks whether it is there" in found.message
    for other in (text.replace("'_cuda_x'", "'_cuda_y'"), text.replace("if has", "if not has")):
        assert findings(other)[-1].severity == "error"


CAUGHT = {
    "a value": "def f():\n    try:\n        return {0}\n    except Exception:\n        return 0\n",
    "nothing": "try:\n    {0}\nexcept:\n    # as it is\n    pass\n",
}
NOT_CAUGHT = {
    "raised": "try:\n    {0}\nexcept Exception:\n    if x:\n        raise\n    pass\n",
    "reported": "try:\n    {0}\nexcept Exception as e:\n    print(e)\n",
    "another": "try:\n    {0}\nexcept ValueError:\n    pass\n",
    "in the handler": "try:\n    x = 1\nexcept Exception:\n    {0}\n    x = 2\n",
    "in a function": "try:\n    def f():\n        {0}\nexcept Exception:\n    pass\n",
    "a whole program": "try:\n    {0}\n" + "    train()\n" * 200 + "except Exception:\n    pass\n",
}
BUILDS = "m = load_inline('m', cpp_sources=['x'], with_cuda=True)"


@pytest.mark.parametrize(
    ("caught", "severity"),
    [
        ("(RuntimeError, OSError) as e", "information"),
        ("EnvironmentError", "information"),
        ("RuntimeError", "error"),
        ("ValueError", "error"),
    ],
)
def test_an_extension_that_cannot_be_built_is_information_where_that_is_caught(caught: str, severity: str) -> None:
    """As in megatron/core/inference/unified_memory.py of Megatron-core 0.17. Without CUDA's toolkit,
    torch/utils/cpp_extension.py raises OSError."""
    start = "from torch.utils.cpp_extension import load_inline\n\n\ndef f():\n"
    text = f"    try:\n        {BUILDS}\n    except {caught}:\n        warn()\n        m = None\n"
    found = engine("musa").check(Source(start + text)).findings
    assert [one.severity for one in found] == [severity, severity]
    found = engine("musa").check(Source(f"{start}{text}\n\ndef g():\n    {BUILDS}\n")).findings
    assert [one.severity for one in found] == ["error", severity, "error"]


def test_comments_below_a_handler_are_no_part_of_it() -> None:
    text = f"try:\n    {SETS}\nexcept Exception:\n    x = 1  # one\n\n    # two # three\n# four\n\ny = 2\n"
    (found,) = findings("import torch\n" + text)
    assert found.severity == "information" and "goes on another way" in found.message


@pytest.mark.parametrize("handler", ["pass", "x = 1  # one", "pass\n\n    # two\n", "return 0"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_handler_goes_on_whatever_ends_its_lines(handler: str, end: str) -> None:
    text = f"import torch\ndef f():\n  try:\n    {SETS}\n  except Exception:\n    {handler}\n"
    (found,) = findings(text.replace("\n", end))
    assert found.severity == "information" and "goes on another way" in found.message


SETS = "torch.cuda.memory._set_allocator_settings('')"


@pytest.mark.parametrize("name", CAUGHT)
def test_what_fails_and_is_caught_is_information(name: str) -> None:
    (found,) = findings("import torch\n" + CAUGHT[name].format(SETS))
    assert found.severity == "information" and "goes on another way" in found.message


@pytest.mark.parametrize("name", NOT_CAUGHT)
def test_what_fails_is_an_error(name: str) -> None:
    (found,) = findings("import torch\n" + NOT_CAUGHT[name].format(SETS))
    assert found.severity == "error"


@pytest.mark.parametrize("target", CATALOGUE.targets)
def test_a_setting_without_effect_says_that_nothing_has_to_be_done(target: str) -> None:
    for locale, said in (("en", "nothing has to be done"), ("zh", "无需改动")):
        engine = Engine(CATALOGUE, target, Settings(locale=locale))
        (found,) = engine.check(Source("import torch\ntorch.backends.cudnn.enabled = True\n")).findings
        assert found.severity == "information" and said in found.message


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("_cuda_setRNGState(x)", "`set_rng_state` of `torch.get_device_module(device)`"),
        ("_cuda_beginAllocateCurrentThreadToPool(0, pool)", "use `use_mem_pool` with a `MemPool`"),
        ("_cuda_endAllocateToPool(0, pool)", "use `use_mem_pool` with a `MemPool`"),
        ("_cuda_clearCublasWorkspaces()", "leave the call out"),
    ],
)
def test_a_private_function_says_what_takes_its_place(name: str, advice: str, target: str) -> None:
    engine = engine_for(target, Settings(locale="en"))
    (finding,) = engine.check(Source(f"import torch\ntorch._C.{name}\n")).findings
    assert finding.rule == "cuda-private" and advice in finding.message


@pytest.mark.parametrize(
    ("target", "named"), [("npu", "`ASCEND_HOME_PATH`"), ("musa", "has `MUSA_HOME`, `MUDNN_HOME`")]
)
@pytest.mark.parametrize("name", ["CUDA_HOME", "CUDNN_HOME"])
@pytest.mark.parametrize("sources", ["['ops.cpp']", "['ops.cu']"])
def test_a_path_of_the_cuda_toolkit_says_where_the_targets_is(target: str, named: str, name: str, sources: str) -> None:
    text = f"from torch.utils.cpp_extension import {name}\n\nfiles = {sources} if {name} else []\n"
    findings = engine_for(target, Settings(locale="en")).check(Source(text)).findings
    assert findings and all(finding.rule == "cuda-paths" and named in finding.message for finding in findings)
    assert any(finding.fixes for finding in findings) == (target == "musa" and sources == "['ops.cpp']")


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        ("train.py", "{0}", "safe"),
        ("tests/test_channels_last.py", "{0}", "review"),
        ("nhwc.py", "{0}", "review"),
        ("train.py", "def apply_channels_last(x):\n    if x:\n        {0}", "review"),
        ("train.py", "class ChannelsLast:\n    def apply(self, x):\n        {0}", "review"),
        ("train.py", "def train(x, channels_last):\n    {0}", "safe"),
        ("channels_last/train.py", "def apply_channels_last(x):\n    pass\n{0}", "safe"),
        ("train.py", "def f(x, format):\n    return format == torch.channels_last\n", "review"),
        ("train.py", "def f(x, format):\n    return format not in [torch.channels_last, None]\n", "review"),
        ("train.py", "FORMATS = {torch.contiguous_format, torch.channels_last}\n", "review"),
        ("train.py", "FORMATS = [torch.channels_last]\n", "safe"),
        ("train.py", "x = torch.channels_last if fast else torch.contiguous_format\n", "review"),
        ("train.py", "x = torch.contiguous_format if slow else torch.channels_last\n", "review"),
        ("train.py", "x = torch.channels_last if fast else torch.preserve_format\n", "safe"),
        ("train.py", "def f(x, y):\n    return x == y.to(memory_format=torch.channels_last)\n", "safe"),
    ],
)
def test_a_name_in_code_that_is_about_it_is_for_review(path: str, code: str, expected: str) -> None:
    text = "import torch\nimport torch_npu\n" + code.replace("{0}", "x = x.to(memory_format=torch.channels_last)\n")
    (finding,) = engine_for("npu").check(Source(text, path=path)).findings
    assert [fix.applicability for fix in finding.fixes] == [expected]


@pytest.mark.parametrize(("word", "due"), [("", "review"), ("x.to(device)", "safe"), ("# on a GPU: gpu", "safe")])
def test_a_format_in_a_file_that_names_no_device(word: str, due: str) -> None:
    """As in executorch/backends/arm, which compiles on the CPU, where its quantizer asks for the format."""
    text = f"import torch\n\nx = x.to(memory_format=torch.channels_last)\n{word}\n"
    (finding,) = engine_for("npu").check(Source(text)).findings
    assert [fix.applicability for fix in finding.fixes] == [due]


def test_a_format_in_a_file_that_names_no_device_is_typed() -> None:
    text = "import torch\n\nx = x.to(memory_format=torch.channels_last)\ny = 1\n"
    type_in_each_line(text, ("x.to(device)", "x.cuda()", "gpu = 1", "z = 1"), 1)


def test_typing_the_name_of_a_function_says_what_a_fresh_look_says() -> None:
    text = "import torch\nimport torch_npu\n\n\ndef move(x):\n    return x.to(memory_format=torch.channels_last)\n"
    typed = text.replace("def move", "def move_nhwc")
    made = engine_for("npu", remember=1).knowing(Project())
    for one, expected in ((text, "safe"), (typed, "review"), (text, "safe")):
        (finding,) = made.check(Source(one, path="a.py")).findings
        assert finding.fixes[0].applicability == expected


CHOSEN = (
    "import torch\n\n\ndef select(other):\n    has_cuda = torch.cuda.is_available()\n"
    "    backend = torch.cuda if has_cuda else other\n    n = backend.device_count()\n"
    "    return backend._get_device(n - 1)\n"
)


def test_a_module_that_is_chosen_and_lacks_an_attribute() -> None:
    """As in ChatTTS/utils/gpu.py: torch_musa has no `_get_device`."""
    assert fixed(CHOSEN, engine("musa"), review=False) == CHOSEN
    asked, chosen = findings(CHOSEN, engine("musa"))
    assert [asked.fixes[0].applicability, chosen.fixes[0].applicability] == ["review", "review"]
    assert "`backend._get_device`" in chosen.message
    assert "torch.musa if has_cuda" in fixed(CHOSEN.replace("_get_device", "set_device"), engine("musa"), review=False)


def test_a_module_that_is_chosen_is_typed() -> None:
    typed = (
        "backend._get_device(0)",
        "x = backend",
        "# backend._get_device(0)",
        "backend = torch.cuda",
        "import backend",
    )
    type_in_each_line(CHOSEN, typed, 3)


@pytest.mark.parametrize(
    ("code", "ported"),
    [
        ("if torch.cuda._initialized:\n    f()\n", "if torch.{0}.is_initialized():\n    f()\n"),
        ("x = keeps and torch.cuda._initialized\n", "x = keeps and torch.{0}.is_initialized()\n"),
        ("torch.cuda._initialized = True\n", ""),
        ("del torch.cuda._initialized\n", ""),
        ("from torch.cuda import _initialized\nif _initialized:\n    f()\n", ""),
        ("import torch.cuda as tc\nif tc._initialized:\n    tc.synchronize()\n", ""),
    ],
)
@pytest.mark.parametrize("target", ["npu", "musa"])
def test_a_name_becomes_a_call_only_where_it_is_read(code: str, ported: str, target: str) -> None:
    text = f"import torch\nimport torch_{target}\n{code}"
    done = text.replace(code, ported.format(target)) if ported else text
    assert fixed(text, engine(target)) == done
    (found, *_) = [one for one in findings(text, engine(target)) if one.rule == "cuda-initialized"]
    assert "is_initialized()" in found.message


@pytest.mark.parametrize(
    ("above", "stays"), [("info['vendor'] = 'nvidia'\n", True), ("import subprocess\n", False), ("# first\n", False)]
)
def test_a_failure_below_other_statements_is_not_caught(above: str, stays: bool) -> None:
    """As in zse's attestation.py, which would have reported an Ascend device of NVIDIA's."""
    text = (
        "import torch\n\n\ndef f(info):\n    try:\n        if torch.cuda.is_available():\n"
        f"            {above}            info['cc'] = torch.cuda.get_device_capability(0)[0]\n"
        "    except Exception:\n        pass\n"
    )
    fixed = engine("npu").fix(Source(text)).text
    assert ("torch.cuda.is_available" in fixed) == stays
