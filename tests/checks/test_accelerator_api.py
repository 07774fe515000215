"""Tests of findings about `torch.accelerator` and of their fixes: with several versions of PyTorch and of the plugin,
and with guards such as `hasattr`."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.engine import Finding
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
RULE = "accelerator-api"
TARGETS = ("npu", "musa")
ABSENT = ("manual_seed", "manual_seed_all", "get_device_name", "get_device_properties", "mem_get_info", "Stream",
          "Event", "stream", "is_bf16_supported", "memory_summary")  # fmt: skip


def findings(
    code: str, target: str = "npu", torch: str = "", plugin: str = "", strategy: str = "auto"
) -> list[Finding]:
    settings = Settings(
        torch_version=torch or None, target_version=plugin or None, strategy=strategy, locale="en", select=(RULE,)
    )
    text = code if "import" in code.split("\n", 1)[0] else f"import torch\n{code}"
    return list(engine_for(target, settings, Project()).check(Source(text)).findings)


def only(code: str, *arguments: str, **options: str) -> Finding:
    (found,) = findings(code, *arguments, **options)
    return found


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [*ABSENT, "made_up", "memory.made_up", "Stream.wait"])
def test_names_of_no_version(name: str, target: str) -> None:
    found = only(f"torch.accelerator.{name}(0)\n", target)
    assert "is in no version of PyTorch up to 2." in found.message
    assert found.severity == "error"
    assert all(fix.applicability == "review" for fix in found.fixes)


@pytest.mark.parametrize("name", ["_utils._lazy_call", "_snapshot", "__name__", "torch.cuda", "memory.OrderedDict"])
def test_names_that_are_there_by_chance(name: str) -> None:
    assert not findings(f"torch.accelerator.{name}\n")


def test_a_newer_pytorch_may_have_it() -> None:
    assert not findings("torch.accelerator.manual_seed_all(0)\ntorch.Event(True)\n", torch="3.0.0")
    assert findings("torch.accelerator.manual_seed_all(0)\n", torch="2.15.1")


@pytest.mark.parametrize(
    "name, since, before",
    [
        ("device_count", "2.6", "2.5.1"),
        ("device_index", "2.8", "2.7.1"),
        ("empty_cache", "2.9", "2.8.0"),
        ("memory.memory_stats", "2.9", "2.8.0"),
        ("get_memory_info", "2.10", "2.9.1"),
        ("get_device_capability", "2.10", "2.9.1"),
        ("Graph", "2.12", "2.11.0"),
        ("empty_host_cache", "2.12", "2.11.0"),
        ("random.get_rng_state", "2.14", "2.13.0"),
    ],
)
def test_an_older_pytorch(name: str, since: str, before: str) -> None:
    found = only(f"torch.accelerator.{name}(0)\n", torch=before)
    assert f"came with PyTorch {since}, and this is for {before}" in found.message


@pytest.mark.parametrize(
    "name, torch, way",
    [
        ("synchronize", "2.1.0", "use `torch.npu.synchronize`"),
        ("device_index", "2.1.0", "use `torch.npu.device`"),
        ("synchronize", "2.5.1", "where `d` is the accelerator's device, or `torch.npu.synchronize`"),
        ("get_device_capability", "2.1.0", "nothing is known that does the same on Ascend NPU"),
    ],
)
def test_what_does_the_same_in_an_older_pytorch(name: str, torch: str, way: str) -> None:
    assert only(f"torch.accelerator.{name}(0)\n", torch=torch).message.endswith(way)


@pytest.mark.parametrize("version", ["2.9.0", "2.10.0", "2.11.0.post1", "2.12.0"])
@pytest.mark.parametrize("option", ["plugin", "torch"])
def test_a_plugin_that_raises(version: str, option: str) -> None:
    if option == "torch":
        version = version.partition(".post")[0]
    found = only("torch.accelerator.empty_cache()\n", **{option: version})
    assert f"raises with torch_npu {version}, which serves it from 2.13 on" in found.message
    assert [fix.applicability for fix in found.fixes] == ["review"]


@pytest.mark.parametrize(
    "target, version, says",
    [
        ("npu", "2.13.0", False), ("npu", "2.14.0", False), ("npu", "", False),
        ("musa", "2.9.1", True), ("musa", "2.11.0.post1", True), ("musa", "2.11.0.post2", False),
        ("musa", "2.11.0", False),  # the post-release number of this version is unknown
        ("musa", "", False),  # the version is unknown
    ],
)  # fmt: skip
def test_from_which_version_on_it_is_served(target: str, version: str, says: bool) -> None:
    assert bool(findings("torch.accelerator.empty_cache()\n", target, plugin=version)) is says


@pytest.mark.parametrize(
    "name, target, version",
    [
        ("Graph", "npu", "2.12.0"),
        ("synchronize", "musa", "2.7.1"),
        ("synchronize", "musa", ""),
        ("get_device_capability", "npu", ""),
    ],
)
def test_other_names_that_are_not_served(name: str, target: str, version: str) -> None:
    assert "raises with" in only(f"x = torch.accelerator.{name}()\n", target, plugin=version).message


@pytest.mark.parametrize(
    "name, target, version",
    [
        ("get_device_capability", "npu", "2.16.0"),  # this version is newer than the last known version of the plugin
        ("synchronize", "musa", "2.12.0"),
        ("Graph", "musa", "2.12.0"),
        ("device_index", "npu", "2.8.0"),
        ("empty_host_cache", "npu", "2.12.0"),
    ],
)
def test_what_is_not_known_is_not_said(name: str, target: str, version: str) -> None:
    argument = "0" if name == "device_index" else ""
    assert not findings(f"x = torch.accelerator.{name}({argument})\n", target, plugin=version, torch="2.15.0")


@pytest.mark.parametrize(
    "code, lines",
    [
        ("import torch.accelerator as acc\nacc.manual_seed(0)\n", [2]),
        ("from torch import accelerator\naccelerator.empty_cache()\n", [2]),
        ("from torch import accelerator as acc\nacc.memory.empty_cache()\n", [2]),
        ("from torch.accelerator import empty_cache\nempty_cache()\nempty_cache()\n", [2, 3]),
        ("from torch.accelerator import manual_seed, empty_cache as clear\nmanual_seed(0)\nclear()\n", [1, 3]),
        ("import torch\nacc = torch.accelerator\nacc.manual_seed(0)\n", [3]),
        ("import torch\nclear = torch.accelerator.empty_cache\nclear()\n", [2]),
        ("import torch\natexit.register(torch.accelerator.empty_cache)\n", [2]),
        # this text alone does not make uncuda check a file
        ("import torch as t\nt.accelerator.empty_cache()\n", []),
        ("import torch as t\nx = t.cuda.torch.accelerator\n", []),
        ("import accelerator\naccelerator.empty_cache()\nx = 'torch.accelerator'\n", []),
        ("from mine import torch\ntorch.accelerator.empty_cache()\n", []),
    ],
)
def test_other_paths(code: str, lines: list[int]) -> None:
    found = [Source(code).position(one.span.start)[0] for one in findings(code, plugin="2.10.0")]
    assert found == lines


@pytest.mark.parametrize("name", ["Event", "Stream"])
def test_a_class_is_asked_only_where_it_is_called(name: str) -> None:
    assert not findings(f"def f(x: torch.{name}): ...\n", torch="2.3.0")
    assert "came with PyTorch 2.4" in only(f"x = torch.{name}()\n", torch="2.3.0").message


@pytest.mark.parametrize("strategy", ["rewrite", "shim"])
def test_with_and_without_the_patch(strategy: str) -> None:
    code = "torch.accelerator.manual_seed_all(0)\n"
    found = only(code, strategy=strategy)
    assert bool(found.fixes) is (strategy == "rewrite")  # with a shim, the source keeps CUDA's names
    assert bool(findings(code, "musa", strategy=strategy)) is (strategy == "rewrite")  # torchada supports this name
    assert len(findings("torch.Event(True)\n", "musa", strategy=strategy)) == 1


MISSING_GUARDS = [
    "if hasattr(torch.accelerator, 'NAME'):\n    torch.accelerator.NAME()\n",
    "if x and hasattr(torch.accelerator, 'NAME'):\n    if y:\n        torch.accelerator.NAME()\n",
    "if not hasattr(torch.accelerator, 'NAME'):\n    pass\nelse:\n    torch.accelerator.NAME()\n",
    "y = torch.accelerator.NAME() if hasattr(torch.accelerator, 'NAME') else None\n",
    "hasattr(torch.accelerator, 'NAME') and torch.accelerator.NAME()\n",
    "def f():\n    if not hasattr(torch.accelerator, 'NAME'):\n        return\n    torch.accelerator.NAME()\n",
    "assert hasattr(torch.accelerator, 'NAME')\ntorch.accelerator.NAME()\n",
    "HAS = hasattr(torch.accelerator, 'NAME')\nif HAS:\n    torch.accelerator.NAME()\n",
    "def has():\n    return hasattr(torch.accelerator, 'NAME')\nif has():\n    torch.accelerator.NAME()\n",
    "if Version(torch.__version__) >= Version('2.99'):\n    torch.accelerator.NAME()\n",
    "NEW = torch.__version__ >= '2.99'\nif NEW:\n    torch.accelerator.NAME()\n",
    "if hasattr(torch, 'accelerator') and is_torch_greater_or_equal('2.9'):\n    torch.accelerator.NAME()\n",
    "try:\n    torch.accelerator.NAME()\nexcept AttributeError:\n    pass\n",
    "try:\n    torch.accelerator.NAME()\nexcept (AttributeError, OSError):\n    pass\n",
    "try:\n    torch.accelerator.NAME()\nexcept:\n    pass\n",
    "try:\n    for y in x:\n        torch.accelerator.NAME()\nexcept Exception:\n    pass\n",
    "with contextlib.suppress(AttributeError):\n    torch.accelerator.NAME()\n",
    "@unittest.skipIf(not hasattr(torch.accelerator, 'NAME'), 'no')\ndef test():\n    torch.accelerator.NAME()\n",
    "torch.accelerator.NAME = f\ntorch.accelerator.NAME()\n",
    "setattr(torch.accelerator, 'NAME', f)\ntorch.accelerator.NAME()\n",
    "f = getattr(torch.accelerator, 'NAME', None)\n",
]


USE = "    torch.accelerator.NAME()\n"
OWN_USE = "    def f(self):\n        if self.has:\n            torch.accelerator.NAME()\n"
MISSING_GUARDS += [
    f"@unittest.skipIf(\n    not hasattr(torch.accelerator, 'NAME'),\n    'no',\n)\ndef test():\n{USE}",
    f"@slow\n@mark.skipif(\n    not hasattr(torch.accelerator, 'NAME'),\n    reason='',\n)\n@two\ndef test():\n{USE}",
    f"@unittest.skipIf(not hasattr(torch.accelerator, 'NAME'), 'no')\n# why\n\ndef test():\n{USE}",
    f"@skip_if(\n    not hasattr(torch.accelerator, 'NAME')\n)\nclass A:\n    def test(self):\n    {USE}",
    f"class A:\n    def __init__(self):\n        self.has = hasattr(torch.accelerator, 'NAME')\n\n{OWN_USE}",
    f"class A:\n    has = hasattr(torch.accelerator, 'NAME')\n\n{OWN_USE}",
    f"class A:\n    def __init__(self):\n        self.has = Version(torch.__version__) >= NEEDED\n\n{OWN_USE}",
    f"class A:\n    has = hasattr(torch.accelerator, 'NAME')\n\n\nif A.has:\n{USE}",
    f"torch_version = tuple(map(int, torch.__version__.split('.')[:2]))\nif torch_version >= (2, 99):\n{USE}",
    f"VERSION = tuple(map(int, torch.__version__.split('.')[:2]))\nif VERSION >= (2, 99):\n{USE}",
    f"if TORCH_VERSION >= (2, 99):\n{USE}",
    f"if utils.torch_version >= (2, 99):\n{USE}",
    f"if get_npu_version() >= (2, 99):\n{USE}",
    f"if torch_npu.__version__ >= '2.99':\n{USE}",
    f"if version('torch') >= '2.99':\n{USE}",
    f"if compare_versions('torch', '>=', '2.99'):\n{USE}",
    f"if is_torch_version('>=', '2.99') and x:\n{USE}",
    f"from torch import __version__\nif __version__ >= '2.99':\n{USE}",
    f"if 'NAME' in dir(torch.accelerator):\n{USE}",
    "def f():\n    if 'NAME' not in dir(torch.accelerator):\n        return\n" + USE,
    f"if 'NAME' in vars(torch.accelerator):\n{USE}",
    f"if 'NAME' in torch.accelerator.__all__:\n{USE}",
    f"clear = getattr(torch.accelerator, 'NAME', None)\nif clear is not None:\n{USE}",
    f"if (TORCH_MAJOR, TORCH_MINOR) >= (2, 99):\n{USE}",
    f"MAJOR, MINOR = map(int, torch.__version__.split('.')[:2])\nif (MAJOR, MINOR) >= (2, 99):\n{USE}",
    f"if 'NAME' in set(dir(torch.accelerator)):\n{USE}",
    "acc = torch.accelerator\nHAS = hasattr(acc, 'NAME')\nif HAS:\n    acc.NAME()\n",
]


@pytest.mark.parametrize("name", ["empty_cache", "memory_summary"])
@pytest.mark.parametrize("code", MISSING_GUARDS)
def test_guards(code: str, name: str) -> None:
    assert not findings(code.replace("NAME", name), plugin="2.10.0")


@pytest.mark.parametrize(
    "code",
    [
        "if hasattr(torch, 'accelerator'):\n    torch.accelerator.memory_summary()\n",  # PyTorch lacks this name
        "if hasattr(torch.accelerator, 'empty_cache'):\n    torch.accelerator.memory_summary()\n",
        "if torch.version.cuda is not None:\n    torch.accelerator.memory_summary()\n",
        "if model_version >= 2:\n    torch.accelerator.memory_summary()\n",
        "if args.version == 'v2':\n    torch.accelerator.memory_summary()\n",
        "if args.print_version or conversion:\n    torch.accelerator.memory_summary()\n",
        "if sys.version_info >= (3, 10):\n    torch.accelerator.memory_summary()\n",
        "if Version(numpy.__version__) >= Version('2.0'):\n    torch.accelerator.memory_summary()\n",
        "NEW = numpy.__version__ >= '2.0'\nif NEW:\n    torch.accelerator.memory_summary()\n",
        "if torchvision_version >= (0, 20):\n    torch.accelerator.memory_summary()\n",
        "if torch_max(x) > 2:\n    torch.accelerator.memory_summary()\n",
        "if is_torch_tensor(x):\n    torch.accelerator.memory_summary()\n",
        "HAS = hasattr(torch, 'compile')\nif HAS:\n    torch.accelerator.memory_summary()\n",
        "if hasattr(torch.cuda, 'memory_summary'):\n    torch.accelerator.memory_summary()\n",
        "if 'synchronize' in dir(torch.accelerator):\n    torch.accelerator.memory_summary()\n",
        "if 'memory_summary' in dir(torch.cuda):\n    torch.accelerator.memory_summary()\n",
        "@parametrize(\n    'x', [1]\n)\ndef test(x):\n    torch.accelerator.memory_summary()\n",
        "if torch.accelerator.is_available():\n    torch.accelerator.memory_summary()\n",
        "try:\n    torch.accelerator.memory_summary()\nexcept KeyError:\n    pass\n",
        "try:\n    f()\nexcept AttributeError:\n    torch.accelerator.memory_summary()\n",
        "if hasattr(torch.accelerator, 'memory_summary'):\n    f()\ntorch.accelerator.memory_summary()\n",
        "try:\n    torch.accelerator.synchronize(device=d)\nexcept AttributeError:\n    pass\n",
        "if hasattr(torch.accelerator, 'synchronize'):\n    torch.accelerator.synchronize(device=d)\n",
    ],
)
def test_no_guards(code: str) -> None:
    assert len(findings(code)) == 1


ELSEWHERE = [
    "if device.type == 'npu':\n    torch.npu.NAME()\nelse:\n    torch.accelerator.NAME()\n",
    "if device.type == 'npu':\n    f()\nelif x:\n    torch.accelerator.NAME()\n",
    "if device.type != 'npu':\n    torch.accelerator.NAME()\n",
    "if not is_npu():\n    for y in x:\n        torch.accelerator.NAME()\n",
    "if device.type == 'xpu':\n    torch.accelerator.NAME()\n",
]


@pytest.mark.parametrize("code", ELSEWHERE)
def test_where_the_plugin_has_no_part(code: str) -> None:
    assert not findings(code.replace("NAME", "empty_cache"), plugin="2.10.0")
    assert len(findings(code.replace("NAME", "memory_summary"), plugin="2.10.0")) == 1  # no known version has this name


@pytest.mark.parametrize("test", ["device.type == 'npu'", "device.type != 'cpu'", "device.type in ('npu', 'xpu')", "x"])
def test_where_the_plugin_has_a_part(test: str) -> None:
    assert len(findings(f"if {test}:\n    torch.accelerator.empty_cache()\n", plugin="2.10.0")) == 1


def test_the_module_is_guarded_by_a_question_for_it() -> None:
    code = "if hasattr(torch, 'accelerator'):\n    torch.accelerator.NAME()\n"
    assert not findings(code.replace("NAME", "device_count"), torch="2.5.1")
    assert findings(code.replace("NAME", "empty_cache"), torch="2.8.0")


WRONG = {
    "torch.accelerator.max_memory_allocated(device=d)": "torch.accelerator.max_memory_allocated(d)",
    "torch.accelerator.memory_stats(device_index = (d))": "torch.accelerator.memory_stats((d))",
    "torch.accelerator.synchronize(device=d)": "torch.accelerator.synchronize(d)",
    "torch.accelerator.device_index('cuda:3')": "torch.accelerator.device_index(3)",
    "torch.accelerator.device_index('cuda')": "",
    "torch.accelerator.device_index(torch.device('cuda', 1))": "",
    "torch.accelerator.device_index(f'cuda:{i}')": "",
    "torch.accelerator.device_index(torch.accelerator.current_accelerator())": "",
    "torch.accelerator.set_device_index('cpu')": "",
    "torch.accelerator.set_device_index()": "",
    "torch.accelerator.empty_cache(0)": "",
    "torch.Event(True)": "torch.Event(enable_timing=True)",
    "torch.Event(True, False)": "torch.Event(enable_timing=True, blocking=False)",
    "torch.Event(device, True)": "torch.Event(device, enable_timing=True)",
    "torch.Event((True))": "",
    "torch.Event(enable_timing=True, external=True)": "",
    "torch.Event(a, b, c, d, e)": "",
    "torch.Stream(device, -1)": "torch.Stream(device, priority=-1)",
    "torch.Stream(True)": "",
    "torch.Stream(stream_ptr=1)": "",
    "torch.get_device_module(0)": "",
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("code", WRONG)
def test_arguments(code: str, target: str) -> None:
    settings = Settings(locale="en", select=(RULE,))
    engine = engine_for(target, settings, Project())
    text = f"import torch\nx = {code}\n"
    found = [one for one in engine.check(Source(text)).findings if "raises with" not in one.message]
    if "synchronize" not in code or target == "npu":
        assert len(found) == 1
        assert "Error" in found[0].message
        fixed = engine.fix(Source(text), review=True).text
        assert fixed == (f"import torch\nx = {WRONG[code]}\n" if WRONG[code] else text)
        assert engine.fix(Source(text)).text == text


@pytest.mark.parametrize(
    "code",
    [
        "torch.accelerator.max_memory_allocated(d)",
        "torch.accelerator.max_memory_allocated(*given)",
        "torch.accelerator.max_memory_allocated(**given)",
        "torch.accelerator.device_index(None)",
        "torch.accelerator.device_index(device.index)",
        "torch.accelerator.device_index(index_of(device))",
        "torch.accelerator.set_device_index('cuda:0')",
        "torch.accelerator.set_stream(stream=s)",
        "torch.accelerator.current_accelerator(check_available=True)",
        "torch.accelerator.current_accelerator(True)",
        "torch.accelerator.Graph(keep_graph=True, pool=p)",
        "torch.Event()",
        "torch.Event(enable_timing=flag)",
        "torch.Event('cuda', blocking=True)",
        "torch.Event(device=d)",
        "torch.Stream(0)",
        "torch.Stream(1, 0, 1)",
        "torch.Stream(device=d, priority=-1)",
        "torch.get_device_module()",
        "torch.get_device_module(d)",
        "torch.get_device_module('cuda').empty_cache()",
        "torch.cuda.Event(True)",
    ],
)
def test_right_calls(code: str) -> None:
    assert not findings(f"x = {code}\n")


def test_a_parameter_that_came_later() -> None:
    code = "torch.accelerator.current_accelerator(check_available=True)\n"
    assert "from PyTorch 2.7 on" in only(code, torch="2.6.0").message
    assert not findings(code, torch="2.7.0")


@pytest.mark.parametrize(
    "code",
    [
        "major, minor = torch.accelerator.get_device_capability()\n",
        "major = torch.accelerator.get_device_capability()[0]\n",
        "ok = torch.accelerator.get_device_capability() >= (8, 0)\n",
        "cap = torch.accelerator.get_device_capability(0)\nif cap[0] >= 8:\n    f()\n",
        "def f():\n    cap = torch.accelerator.get_device_capability()\n    major, minor = cap\n",
    ],
)
def test_the_capability_is_a_dictionary(code: str) -> None:
    found = only(code, "musa")
    assert "returns a dictionary, not what `torch.cuda.get_device_capability` returns" in found.message
    assert not found.fixes


@pytest.mark.parametrize(
    "code",
    [
        "cap = torch.accelerator.get_device_capability()\nprint(cap['supported_dtypes'])\n",
        "cap = torch.cuda.get_device_capability()\nmajor, minor = cap\n",
        "def f():\n    cap = torch.accelerator.get_device_capability()\n\n\ndef g(cap):\n    return cap[0]\n",
    ],
)
def test_a_dictionary_that_is_used_as_one(code: str) -> None:
    assert not findings(code, "musa")


def titles(code: str, target: str = "npu", plugin: str = "") -> list[str]:
    return [fix.title.removeprefix("Replace with ") for fix in only(code, target, plugin=plugin).fixes]


OWN = "`torch.npu.memory_summary`, which no other accelerator has"
BY_DEVICE = "`torch.get_device_module(d).memory_summary`"


@pytest.mark.parametrize(
    "before",
    [
        "d = torch.accelerator.current_accelerator()\n",
        "d = torch.device('npu:0')\n",
        "d = 'npu'\n",
    ],
)
def test_a_device_in_reach(before: str) -> None:
    assert titles(f"{before}torch.accelerator.memory_summary()\n") == [BY_DEVICE, OWN]
    assert titles(f"{before}def f(x):\n    torch.accelerator.memory_summary()\n") == [BY_DEVICE, OWN]
    assert titles(f"def f():\n    {before}    torch.accelerator.memory_summary()\n") == [BY_DEVICE, OWN]


@pytest.mark.parametrize(
    "code",
    [
        "d = 'cuda'\nUSE\n",
        "d = torch.device('cpu')\nUSE\n",
        "d = torch.accelerator.current_accelerator() or 'cpu'\nUSE\n",
        "if x:\n    d = torch.accelerator.current_accelerator()\nUSE\n",
        "USE\nd = torch.accelerator.current_accelerator()\n",
        "d = torch.accelerator.current_accelerator()\nd = 'cpu'\nUSE\n",
        "d = torch.accelerator.current_accelerator()\nfor d in devices:\n    USE\n",
        "d = torch.accelerator.current_accelerator()\ndef f(\n    a,\n    d,\n):\n    USE\n",
        "def f():\n    d = torch.accelerator.current_accelerator()\ndef g():\n    USE\n",
        "class A:\n    d = torch.accelerator.current_accelerator()\n    def g(self):\n        USE\n",
        "# d = torch.accelerator.current_accelerator()\nUSE\n",
    ],
)
def test_no_device_in_reach(code: str) -> None:
    assert titles(code.replace("USE", "torch.accelerator.memory_summary()")) == [OWN]


def test_what_has_no_fix() -> None:
    for code, plugin in (
        ("torch.accelerator.made_up()\n", ""),
        ("torch.accelerator.Graph()\n", "2.12.0"),
        # a fix would have to change the function's name and its argument
        ("torch.accelerator.max_memory_allocated(device=0)\n", "2.10.0"),
        ("torch.accelerator.get_device_capability()\n", ""),  # the target's function returns another type
    ):
        assert not titles(code, plugin=plugin)


def test_the_plugin_is_as_old_as_pytorch() -> None:
    code = "torch.accelerator.host_memory_stats()\n"
    assert only(code, torch="2.14.0").fixes
    assert not only(code, torch="2.1.0").fixes  # torch.npu has this function only in later versions


def test_memory_info_has_another_name() -> None:
    code = "free, total = torch.accelerator.mem_get_info()\n"
    assert titles(code)[0] == "`torch.accelerator.get_memory_info`"
    assert titles(code, plugin="2.10.0") == ["`torch.npu.mem_get_info`, which no other accelerator has"]
    assert titles(code, "musa") == ["`torch.musa.mem_get_info`, which no other accelerator has"]


def test_both_languages() -> None:
    settings = Settings(locale="zh", select=(RULE,))
    text = "import torch\ntorch.accelerator.memory_summary()\n"
    (found,) = engine_for("npu", settings, Project()).check(Source(text)).findings
    assert "任何 PyTorch 版本中都不存在" in found.message
    assert found.fixes[0].title == "替换为 `torch.npu.memory_summary`（其他加速器没有此接口）"
