"""Tests of environment variables that are read, set, passed to processes, or only mentioned in text."""

from __future__ import annotations

import pytest

from engine.typist import Typist, prepared, type_in_each_line
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
RULES = ("environment-variable", "environment-variable-review", "environment-variable-manual")
ENGINES = {t: engine_for(t, Settings(select=RULES, locale="en")) for t in ("npu", "musa")}
SAFE = [
    "os.environ['{}'] = '1'",
    "del os.environ['{}']",
    "x = os.environ.get('{}', '0')",
    "x = os.getenv(key='{}')",
    "os.environ.pop('{}', None)",
    "ok = '{}' in os.environ",
    "x = os.environ['{}'] if '{}' in os.environ.keys() else ''",
    "ok = '{}' not in list(os.environ)",
    "ok = os.environ.__contains__('{}')",
    "from os import environ, getenv\nx = environ['{}'], getenv('{}')",
    "os.environ.update({}='1')",
    "os.environ.update({{'{}': '1'}})",
    "env = os.environ.copy()\nenv['{}'] = '1'",
    "env = dict(os.environ)\nx = env.get('{}')\nenv.setdefault('{}', '1')",
    "env: dict[str, str] = {{**os.environ}}\nenv.update({}='1')\nenv.update({{'{}': '2'}})",
    "def f():\n    new = copy.deepcopy(os.environ) | more\n    x = new['{}'] if '{}' in new else ''",
    "base = os.environ.copy()\ndef f():\n    env = base.copy()\n    env['{}'] = '1'",
    "env = dict(os.environ, {}='1')",
    "run(command, env={{**os.environ, '{}': '1'}})",
    "env = os.environ\nx = os.environ['{}'] if '{}' in env else ''",
    "env = os.environ\nif '{}' in env:\n    x = os.getenv('{}')",
    "x = os.getenv('{}')\nmonkeypatch.setenv('{}', '1')\nmonkeypatch.delenv('{}')",
]
REVIEW = [
    "env['{}'] = '1'",
    "env = {{'{}': '1'}}",
    "env = dict(base, {}='1')",
    "env = os.environ.copy()\nenv = make()\nenv['{}'] = '1'",
    "def f(env):\n    env['{}'] = '1'\nenv = os.environ.copy()",
    "def f(env=None):\n    env = env or os.environ.copy()\n    env['{}'] = '1'",
    "for env in (os.environ,):\n    env['{}'] = '1'",
    "x = os.getenv('{}')\nenv = make()\nenv['{}'] = x",
    "os.environ['{}'] = '0'\nrun(env={{'{}': '1'}})",
    "os.environ['{}'] = '0'\nos.system('{}=1 python train.py')",
    "def name():\n    return '{}'\nx = os.getenv('{}')",
    "names = ['{}']",
    "NAME = '{}'",
    "os.system('{}=1 python train.py')",
    "cmd = f'env {}={{x}} python train.py'",
    "env = remote.copy(os.environ)\nenv['{}'] = '1'",
    "\n".join(["e0 = os.environ.copy()", *(f"e{n + 1} = e{n}.copy()" for n in range(300)), "e300['{}'] = '1'"]),
    "ok = '{}' in env",
    "env = make()\nx = os.environ['{}'] if '{}' in env else ''",
    "env = make()\nif '{}' in env:\n    x = os.getenv('{}')",
]
SILENT = ["print('{}')", "'''{}'''", "raise OSError('{}')", "x = table['{}']", "x = '{} is set'", "x = f'{}'.lower()"]


def test_a_search_in_a_text_holds_no_variable() -> None:
    code = "os.environ['CUDA_VISIBLE_DEVICES'] = '1'\nif 'CUDA_VISIBLE_DEVICES' in line:\n    pass"
    assert classes(code) == {"safe", "review"}
    assert classes(code.replace("line", "env")) == {"review"}


def classes(code: str, target: str = "npu") -> set[str]:
    findings = ENGINES[target].check(Source(f"import os\n{code}\n")).findings
    return {finding.fixes[0].applicability if finding.fixes else "manual" for finding in findings}


@pytest.mark.parametrize("name", ["CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "PYTORCH_NO_CUDA_MEMORY_CACHING"])
@pytest.mark.parametrize("target", ENGINES)
def test_three_variables_are_safe_where_the_environment_is_asked(name: str, target: str) -> None:
    for code in SAFE:
        assert classes(code.replace("{}", name).replace("{{", "{").replace("}}", "}"), target) == {"safe"}, code
    for code in REVIEW:
        assert classes(code.replace("{}", name).replace("{{", "{").replace("}}", "}"), target) == {"review"}, code
    for code in SILENT:
        assert classes(code.replace("{}", name), target) == set(), code


def test_a_mention_of_a_variable_leaves_its_other_places() -> None:
    for mention in ("names = ['{}']", "note('{}')", "use(x, ('{}', 1))"):
        code = f"os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n{mention.format('CUDA_VISIBLE_DEVICES')}"
        assert classes(code) == {"safe", "review"}, mention


def test_copies_of_the_environment_are_typed() -> None:
    """As in tools/vqgan/extract_vq.py of Fish Speech, which reads the variable and sets it for its workers."""
    name = "CUDA_VISIBLE_DEVICES"
    text = f"import os\n\n\ndef f(n):\n    x = os.environ.get('{name}')\n    env = \n    g()\n    env['{name}'] = x\n"
    typist = Typist(text, prepared("npu"))
    at = text.index("env = ") + 6
    typist.type(at, "os.environ.copy()")
    typist.type(typist.text.index("g()"), "env = h(n)\n    ")
    typist.erase(typist.text.index("g()"), 15)
    typist.replace(at, at, "base or ")


@pytest.mark.parametrize("target", ENGINES)
def test_every_row_has_the_class_of_its_status(target: str) -> None:
    for row in ENGINES[target].target.environment.values():
        if row.status == "late":  # only code that sets the variable is reported
            continue
        name = row.name.replace("*", "X")
        assert classes(f"x = '{name}' in os.environ", target) == {row.status}, name
        assert bool(row.replacement) == (row.status != "manual"), name


@pytest.mark.parametrize(
    "code",
    [
        "os.environ['NCCL_DEBUG'] = 'INFO'",
        "os.environ['NCCL_DEBUG'] = level",
        "os.environ['NCCL_DEBUG'], x = 'INFO', 1",
        "os.environ['NCCL_DEBUG']: str = 'INFO'",
        "os.environ.setdefault('NCCL_DEBUG', 'INFO')",
        "monkeypatch.setenv('NCCL_DEBUG', 'INFO')",
        "os.environ.update(NCCL_DEBUG='INFO')",
        "os.environ.update({'NCCL_DEBUG': 'INFO'})",
        "os.system('NCCL_DEBUG=INFO python train.py')",
        "os.environ['NCCL_ALGO'] = 'Ring'",
        "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:cudaMallocAsync'",
        "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True,backend:cudaMallocAsync'",
        "os.environ['PYTORCH_CUDA_ALLOC_CONF'] += ',backend:native'",
    ],
)
def test_a_value_that_means_something_else_is_left_to_a_person(code: str) -> None:
    assert classes(code) == {"manual"}


@pytest.mark.parametrize(
    "code",
    [
        "x = os.environ['NCCL_BLOCKING_WAIT']",
        "x = os.environ.get('PYTORCH_CUDA_ALLOC_CONF', '')",
        "os.environ.pop('NCCL_BLOCKING_WAIT', None)",
        "del os.environ['NCCL_BLOCKING_WAIT']",
        "ok = 'NCCL_DEBUG' in os.environ",
        "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True, max_split_size_mb:128'",
        "os.system('PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py')",
        "os.environ['NCCL_BLOCKING_WAIT'] = '1'",
    ],
)
def test_a_variable_that_is_read_or_takes_the_value_is_for_review(code: str) -> None:
    assert classes(code) == {"review"}


@pytest.mark.parametrize(
    "code",
    [
        "x = os.environ['NCCL_DEBUG']",
        "x = os.environ.get('NCCL_DEBUG', 'INFO')",
        "os.environ.pop('NCCL_DEBUG', None)",
        "del os.environ['NCCL_DEBUG']",
        "algorithms = env.get('NCCL_ALGO')\nassert algorithms is None or algorithms in ('Ring', 'Tree')",
    ],
)
def test_a_value_that_is_written_otherwise_there_is_read_under_its_old_name(code: str) -> None:
    assert classes(code) == {"manual"}


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize(
    "name",
    ["HOME", "INCLUDE_DIR", "INCLUDE_DIRS", "INSTALL_PATH", "LIBRARIES", "LIBRARY", "LIB_DIR", "LIB_DIRS", "ROOT",
     "ROOT_DIR", "STATIC"],
)  # fmt: skip
def test_a_name_that_says_where_a_build_finds_the_library_is_no_setting_of_it(name: str, target: str) -> None:
    for code in (f"x = os.getenv('NCCL_{name}')", f"env['NCCL_{name}'] = '1'", f"os.system('NCCL_{name}=1 make')"):
        assert classes(code, target) == set(), code
    assert classes(f"x = os.getenv('NCCL_{name}_LEVEL')", target) == {"manual"}


RAISES = "this raises `KeyError`"


@pytest.mark.parametrize("name", ["NCCL_BLOCKING_WAIT", "CUDA_VISIBLE_DEVICES"])
@pytest.mark.parametrize(
    ("code", "raises"),
    [
        ("x = os.environ['{}']", True),
        ("log(os.environ['{}'])\nos.environ['{}'] = '1'", True),
        ("ok = os.environ['{}'] == '1'", True),
        ("os.environ['{}'] = '1'\nx = os.environ['{}']", False),
        ("os.environ.setdefault('{}', '1')\nx = os.environ['{}']", False),
        ("if '{}' in os.environ:\n    x = os.environ['{}']", False),
        ("x = os.environ['{}'] if '{}' in os.environ else ''", False),
        ("try:\n    x = os.environ['{}']\nexcept KeyError:\n    x = ''", False),
        ("x = os.environ.get('{}')", False),
        ("os.environ['{}'] = '1'", False),
    ],
)
def test_a_read_without_a_default_says_that_it_raises_where_nothing_sets_the_new_variable(
    name: str, code: str, raises: bool
) -> None:
    findings = ENGINES["npu"].check(Source(f"import os\n{code.replace('{}', name)}\n")).findings
    assert [RAISES in finding.message for finding in findings] == [raises] + [False] * (code.count("{}") - 1)
    assert all(finding.fixes for finding in findings)


def test_a_variable_whose_old_name_stays_raises_nothing_new() -> None:
    (found,) = ENGINES["npu"].check(Source("import os\nx = os.environ['NCCL_DEBUG']\n")).findings
    assert not found.fixes and RAISES not in found.message


def test_a_read_says_anew_that_it_raises_while_code_above_it_is_typed() -> None:
    name = "NCCL_BLOCKING_WAIT"
    text = f"import os\nimport torch\n\n\nclass A:\n    def f(self):\n        x = os.environ['{name}']\n"
    typist = Typist(text, prepared("npu"))
    above = f"os.environ['{name}'] = '1'\n"
    at = text.index("\n\n\n") + 1
    typist.type(at, above)
    typist.erase(at + len(above), len(above))
    at = typist.text.index("        x =")
    typist.type(at, "        try:\n    ")
    typist.erase(at + len("        try:\n    "), 8)


@pytest.mark.parametrize(
    ("test", "for_cards"),
    [
        ("not check_cuda_p2p_ib_support()", True),
        ('kind == "cuda" and not utils.check_cuda_p2p_ib_support()', True),
        ("check_cuda_p2p_ib_support()", False),
        ("not check()", False),
        ("not check_cuda_p2p_ib_support() or x", False),
        ("x or y and not check_cuda_p2p_ib_support()", False),
        ("not (x and not check_cuda_p2p_ib_support())", False),
        ("(not check_cuda_p2p_ib_support()) and x", True),
        ("not check_cuda_p2p_ib_support() if x else y", False),
        ("not check_cuda_p2p_ib_support(x)", False),
    ],
)
def test_a_variable_for_certain_cards_of_nvidia_is_left(test: str, for_cards: bool) -> None:
    """As in accelerate/commands/launch.py of Accelerate, for RTX cards of NVIDIA that nvidia-smi lists."""
    text = f"import os\nfrom accelerate.utils import check_cuda_p2p_ib_support\nif {test}:\n"
    text += '    if "NCCL_IB_DISABLE" not in os.environ:\n        os.environ["NCCL_IB_DISABLE"] = "1"\n'
    found = ENGINES["musa"].check(Source(text)).findings
    assert len(found) == 2
    assert all((one.severity == "information") == for_cards for one in found)
    assert all(("nothing has to be done" in one.message) == for_cards for one in found)
    assert any(one.fixes for one in found) != for_cards


@pytest.mark.parametrize(
    ("line", "for_nvidia"),
    [("tool = 'cuda-checkpoint'", True), ("f(cuda_checkpoint=x)", True), ("checkpoint = x", False)],
)
def test_a_variable_beside_a_tool_of_nvidias_driver_is_left(line: str, for_nvidia: bool) -> None:
    """As in vllm/snapshot/runtime.py of vLLM, which stops and restores processes with cuda-checkpoint."""
    text = f"import os\n{line}\nos.environ.setdefault('NCCL_IB_DISABLE', '1')\n"
    (found,) = ENGINES["musa"].check(Source(text)).findings
    assert (found.severity == "information") == for_nvidia
    assert ("which other accelerators do not have" in found.message) == for_nvidia
    assert bool(found.fixes) != for_nvidia


@pytest.mark.parametrize(
    ("imports", "stays"),
    [
        ("import mxnet as mx", True),
        ("import tensorflow.compat.v1 as tf", True),
        ("from jax import numpy", True),
        ("import mxnet as mx\nimport torch", False),
        ("import tensorflow\nimport pytorch_lightning as pl", False),
        ("import tensorflow\n\n\ndef f():\n    from torch import nn", False),
        ("import mxnets", False),
        ("import numpy", False),
    ],
)
def test_a_variable_in_a_file_for_another_framework_is_left(imports: str, stays: bool) -> None:
    """As in insightface, whose programs for MXNet set CUDA_VISIBLE_DEVICES."""
    text = f"import os\n{imports}\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
    (found,) = ENGINES["musa"].check(Source(text)).findings
    assert (found.severity == "information") == stays
    assert ("another framework than PyTorch" in found.message) == stays
    assert bool(found.fixes) != stays


def test_imports_of_another_framework_are_typed() -> None:
    text = "import os\n\n\ndef f():\n    os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
    type_in_each_line(text, ("import mxnet", "import torch", "mxnet", "mport mxnet"), 0)
    type_in_each_line("import mxnet\n" + text, ("import torch", "import mxnet"), 0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("assert 'NCCL_IB_DISABLE=1' in message", False),
        ("assert message == 'NCCL_IB_DISABLE=1'", False),
        ("run(['env', 'NCCL_IB_DISABLE=1'])", True),
        ("assert 'NCCL_IB_DISABLE' in os.environ", True),
    ],
)
def test_a_setting_that_is_looked_for_in_a_text_is_none(line: str, said: bool) -> None:
    assert bool(ENGINES["musa"].check(Source(f"import os\n{line}\n")).findings) == said


def test_the_test_for_certain_cards_of_nvidia_is_typed() -> None:
    text = "import os\n\n\ndef f():\n    if not check():\n        a = 1\n        os.environ['NCCL_IB_DISABLE'] = '1'\n"
    typist = Typist(text, prepared("musa"))
    at = text.index("()", text.index("check"))
    typist.type(at, "_cuda_p2p_ib_support")
    typist.erase(at + len("_cuda_p2p_ib_support"), 4)
    typist.type(text.index("not "), "x and ")
    typist.erase(typist.text.index("not ") + 4, 4)


@pytest.mark.parametrize(
    ("value", "is_right"),
    [
        ("'0'", True),
        ("'0,1'", True),
        ("'0, 2,10'", True),
        ("''", True),
        ("'-1'", True),
        ("'MIG-1,MIG-0'", True),
        ("','.join(map(str, numbers))", True),
        ("f'1,{other}'", True),
        ("'1,0'", False),
        ("'0, 0'", False),
        ("'2,10,3'", False),
    ],
)
def test_numbers_of_devices_that_do_not_ascend(value: str, is_right: bool) -> None:
    """torch_npu/npu/__init__.py, _device_count_ascend_hal: with other numbers, the number of devices is 0."""
    for code in (
        f"os.environ['CUDA_VISIBLE_DEVICES'] = {value}",
        f"env = dict(os.environ, CUDA_VISIBLE_DEVICES={value})",
    ):
        for target, engine in ENGINES.items():
            (found,) = engine.check(Source(f"import os\n{code}\n")).findings
            assert bool(found.fixes) == (is_right or target == "musa")
            assert ("ascending order" in found.message) == (not is_right and target == "npu")
    (read,) = ENGINES["npu"].check(Source("import os\nx = os.environ.get('CUDA_VISIBLE_DEVICES', '1,0')\n")).findings
    assert read.fixes and "ascending" not in read.message


SET = "os.environ['MUSA_VISIBLE_DEVICES'] = '1'\n"


@pytest.mark.parametrize(
    ("text", "is_late"),
    [
        (f"import os\n{SET}import torch\n", False),
        (f"import os\nimport torch\n{SET}", True),
        (f"import os\nfrom torch import nn\nif x:\n    {SET}", True),
        (f"import os\ndef f():\n    {SET}\nimport torch\n", True),
        (f"import os\ndef f():\n    {SET}    import torch\n", False),
        (f"import os\nif __name__ == '__main__':\n    {SET}    import torch\n", False),
        ("import os\nimport torch\nos.environ.setdefault('MUSA_VISIBLE_DEVICES', '1')\n", True),
        ("import os\nimport torch\nos.putenv('MUSA_VISIBLE_DEVICES', '1')\n", True),
        ("import os\nimport torch\nx = os.getenv('MUSA_VISIBLE_DEVICES', '1')\n", False),
        ("import os\nimport torch\nenv = dict(os.environ, MUSA_VISIBLE_DEVICES='1')\n", False),
        ("import os\nimport torch\nenv = os.environ.copy()\nenv['MUSA_VISIBLE_DEVICES'] = '1'\n", False),
    ],
)
def test_devices_are_chosen_after_torch_is_imported(text: str, is_late: bool) -> None:
    """torch_musa/_dynamo/__init__.py counts the devices."""
    for target in ENGINES:
        findings = engine_for(target, Settings(select=("environment-variable-late",), locale="en")).check(Source(text))
        assert ["when it is imported" in one.message for one in findings.findings] == [True] * (
            is_late and target == "musa"
        )


def test_a_port_says_that_the_choice_comes_too_late() -> None:
    text = "import os\n\nimport torch\n\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\nx.cuda()\n"
    made = engine_for("musa", Settings(locale="en"))
    fixed = made.fix(Source(text)).text
    assert "MUSA_VISIBLE_DEVICES" in fixed
    assert [one.rule for one in made.check(Source(fixed)).findings] == ["environment-variable-late"]


def test_an_import_of_torch_is_typed_around_a_choice_of_devices() -> None:
    text = f"import os\n\n{SET}x = os.getenv('CUDA_VISIBLE_DEVICES')\nimport torch\n"
    typist = Typist(text, prepared("musa"))
    typist.type(text.index("\n") + 1, "import torch\n")
    typist.erase(text.index("\n") + 1 + len("import torch\n"), len("import torch\n"))
    typist.type(text.index("x = "), "import torch.nn\n")
    typist.type(0, "import torch\n")


def test_a_list_of_devices_is_typed() -> None:
    text = "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0,1'\nx = os.getenv('CUDA_VISIBLE_DEVICES')\n"
    typist = Typist(text, prepared("npu"))
    typist.erase(text.index("0,1"), 1)
    typist.type(text.index("0,1"), "2")


MANAGER = (
    "import os\n\n\nclass Manager:\n    def ask(self):\n        return os.popen('nvidia-smi -L').readlines()\n\n"
    "    def chosen(self):\n        return os.environ['CUDA_VISIBLE_DEVICES'].split(',')\n"
)


def test_a_variable_beside_a_query_of_nvidias_tool() -> None:
    """As in xautodl/utils/gpu_manager.py: the variable selects among the devices that nvidia-smi lists."""
    for engine in ENGINES.values():
        (found,) = engine.check(Source(MANAGER)).findings
        assert not found.fixes and "NVIDIA's driver" in found.message
        (found,) = engine.check(Source(MANAGER.replace("os.popen('nvidia-smi -L')", "f()  # nvidia-smi\n"))).findings
        assert found.fixes


CHOSEN = """\
import os

import GPUtil


def free():
    return [device.id for device in GPUtil.getGPUs()]


def mask(ids):
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, ids))
"""


def test_a_variable_beside_a_library_that_chooses_nvidias_devices() -> None:
    """As in torchness/devices.py: without NVIDIA's driver the list is empty, and the target's devices would be
    hidden."""
    for engine in ENGINES.values():
        (found,) = engine.check(Source(CHOSEN)).findings
        assert not found.fixes and "NVIDIA's driver" in found.message
        shown = CHOSEN.replace("return [device.id for device in GPUtil.getGPUs()]", "GPUtil.showUtilization()")
        (found,) = engine.check(Source(shown)).findings
        assert found.fixes
        (found,) = engine.check(Source(CHOSEN.replace("CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING"))).findings
        assert found.fixes
    type_in_each_line(CHOSEN, ("import GPUtil", "import os", "x = GPUtil.getGPUs()", "GPUtil.show()"), 3)


def test_a_query_of_nvidias_tool_is_typed() -> None:
    type_in_each_line(MANAGER, ("os.system('nvidia-smi')", "# nvidia-smi", "x = 1", "def f():"), 3)
