"""Tests of strings for CUDA that a condition chooses: as a default, a key, a part of a longer string or a file name."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace import Scanner, Words

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
CHOSEN = '"cuda" if torch.cuda.is_available() else "cpu"'


@pytest.mark.parametrize(
    "code",
    [
        f"@dataclass\nclass Config:\n    device: str = field(default_factory=lambda: {CHOSEN})\n",
        f"class Config(BaseModel):\n    device: str = Field(default_factory=lambda: {CHOSEN}, description='where')\n",
        f"import attr\n@attr.s\nclass Config:\n    device = attr.ib(factory=lambda: {CHOSEN})\n",
        f"def f(device=None):\n    device = str(device or ({CHOSEN})).lower()\n    return torch.zeros(1).to(device)\n",
        f"print('device: ' + ({CHOSEN}))\n",
        f"name = ({CHOSEN}).title()\n",
        f"text = 'on device: ' + ({CHOSEN})\n",
        f"add_argument('--x', help='default: ' + ({CHOSEN}))\n",
        f"logger.info('%s', TEXTS[{CHOSEN}])\n",
    ],
)
def test_a_chosen_device_changes_with_its_question(code: str) -> None:
    done = ENGINE.fix(Source(HEAD + code)).text
    assert 'torch.npu.is_available() else "cpu"' in done
    assert ('"npu" if' in done) == (
        "TEXTS" not in code and not any(word in code for word in ("print", "title", "text", "help"))
    )


@pytest.mark.parametrize(
    "code",
    [
        f"size = SIZES[{CHOSEN}]\n",
        f"path = Path({CHOSEN})\n",
        f"path = os.path.join(root, {CHOSEN})\n",
        f"name = 'run_' + ({CHOSEN})\n",
        f"get_device = lambda: {CHOSEN}\n",
        f"get = lambda size: SIZES[{CHOSEN}]\n",
    ],
)
def test_a_question_that_chooses_a_key_a_part_or_a_file_needs_review(code: str) -> None:
    findings = ENGINE.check(Source(HEAD + code)).findings
    assert findings and all(fix.applicability == "review" for one in findings for fix in one.fixes)


@pytest.mark.parametrize(
    ("code", "due"),
    [
        ("def f(device):\n    d = str(device or '').strip().lower()\n    return d.startswith('cuda')\n", "safe"),
        ("def f(device):\n    d = str(device or 'x').strip().lower()\n    return d.startswith('cuda')\n", "review"),
        ("backend = str(options.get('backend', 'nccl') or 'nccl').lower()\ninit(backend)\n", "safe"),
        ("class A:\n    def f(self, x):\n        self.backend = str(x.get('ddp_backend', 'nccl') or 'nccl')\n", "safe"),
    ],
)
def test_a_device_that_is_spelled_in_one_way_first(code: str, due: str) -> None:
    findings = ENGINE.check(Source(HEAD + code)).findings
    assert {fix.applicability for one in findings for fix in one.fixes} == {due}


@pytest.mark.parametrize(
    ("code", "due"),
    [
        ("if d.get('device') == 'cuda':\n    pass\n", "safe"),
        ("if d.get('device', 'cpu').startswith('cuda'):\n    pass\n", "safe"),
        ("if getattr(args, 'device', 'cpu') == 'cuda':\n    pass\n", "safe"),
        ("if getattr(x.device, 'type', None) == 'cuda':\n    pass\n", "safe"),
        ("if d.get('kind', 'cpu') == 'cuda':\n    pass\n", "review"),
        ("if options.get('ddp_backend') == 'nccl':\n    pass\n", "safe"),
        ("if self._device_type == 'cuda':\n    pass\n", "safe"),
        (
            "def get_device_type():\n    return str(d).split(':')[0]\nif get_device_type() == 'cuda':\n    pass\n",
            "safe",
        ),
        ("from other import get_device_type\nif get_device_type() == 'cuda':\n    pass\n", "review"),
        ("from utils import get_device\nif get_device() == 'cuda':\n    pass\n", "review"),
        ("from utils import get_device\nif get_device() in ('cuda', 'xpu'):\n    pass\n", "review"),
        ("from onnxruntime import get_device\nif get_device() == 'cuda':\n    pass\n", "review"),
        ("if os.environ.get('DEVICE') == 'cuda':\n    pass\n", "review"),
    ],
)
def test_a_device_that_is_read_by_its_name(code: str, due: str) -> None:
    """As in catalyst-gnn: the values moved, and these comparisons stayed."""
    findings = ENGINE.check(Source(HEAD + code)).findings
    assert [fix.applicability for one in findings for fix in one.fixes] == [due]


PLAIN = "def get_device():\n    return 'cuda' if torch.cuda.is_available() else 'cpu'\n"
OTHER = "def get_device():\n    return os.environ.get('DEVICE', 'cuda')\n"


@pytest.mark.parametrize(
    ("files", "line", "moves"),
    [
        ({"src/utils.py": PLAIN}, "from utils import get_device", True),
        ({"src/utils.py": PLAIN}, "from .utils import get_device", True),
        ({"pkg/utils/device.py": PLAIN}, "from pkg.utils import get_device", True),
        ({"src/utils.py": OTHER}, "from utils import get_device", False),
        ({"src/utils.py": PLAIN, "src/other.py": OTHER}, "from src.utils import get_device", True),
        ({"src/utils.py": PLAIN, "src/other.py": OTHER}, "from src.other import get_device", False),
        ({"src/utils.py": PLAIN, "src/other.py": OTHER}, "from src import get_device", False),
        ({"src/utils.py": PLAIN.replace("get_device", "get_name")}, "from utils import get_device", False),
        ({}, "from utils import get_device", False),
    ],
)
def test_a_function_of_another_file_selects_the_device(files: dict[str, str], line: str, moves: bool) -> None:
    """As in h2ogpt, where get_device() of utils.py moved, and what it is compared with stayed."""
    scanner = Scanner(Words.of_catalogue(load()))
    for path, text in files.items():
        scanner.add(f"import torch\n\n\n{text}".encode(), True, path)
    engine = engine_for("npu", Settings(locale="en"), scanner.project())
    code = f"{HEAD}{line}\nif get_device() == 'cuda':\n    pass\n"
    assert ("'npu'" in engine.fix(Source(code, "src/main.py")).text) == moves


def test_a_function_whose_device_another_library_gets_is_compared_with_cuda() -> None:
    project = Project(device_makers=frozenset({"utils.get_device"}), selectors=frozenset({"utils.get_device"}))
    engine = engine_for("npu", Settings(locale="en"), project)
    code = f"{HEAD}from utils import get_device\nif get_device() == 'cuda':\n    pass\n"
    assert engine.fix(Source(code)).text == code


def test_a_field_changes_with_what_is_read_by_its_name() -> None:
    code = "args.device = 'cuda'\nif getattr(args, 'device', None) == 'cuda':\n    pass\n"
    ported = (
        "parser.add_argument('--device', choices=['cuda', 'npu'])\nif getattr(args, 'device') == 'cuda':\n    pass\n"
    )
    assert ENGINE.fix(Source(HEAD + code)).text.count("npu") == 3
    assert ENGINE.fix(Source(HEAD + ported)).text == HEAD + ported


def test_chosen_strings_are_typed() -> None:
    text = (
        f"{HEAD}from dataclasses import field\n\n\nclass Config:\n"
        f"    device: str = field(default_factory=lambda: {CHOSEN})\n\n\n"
        f"size = SIZES[{CHOSEN}]\nd = str(given or '').strip().lower()\nsame = d.startswith('cuda')\n"
        "def device_type():\n    return d\nsame = device_type() == 'cuda' or given.get('device') == 'cuda'\n"
    )
    typed = ("lambda x: x", "d = str(given or 'x')", "size = 'run_' + SIZES", "given = {'device': ['cuda', 'npu']}")
    type_in_each_line(text, typed, 7)


WORKER = """import torch
import torch_npu
from faster_whisper import WhisperModel


def work(conn):
    worker_device = "cuda:0"
    conn.send({"worker_device": worker_device})
    WhisperModel(device=worker_device)


def check(conn):
    NAME = str(conn.recv()["NAME"])
    if NAME != "cuda:0":
        raise ValueError
"""


@pytest.mark.parametrize(("name", "moved"), [("worker_device", 0), ("device", 1)])
def test_a_variable_whose_name_says_which_device_it_is_changes_in_the_whole_file(name: str, moved: int) -> None:
    """As in nn-gpt's Reward.py: what the worker said stayed CUDA's, and what was expected of it moved."""
    assert ENGINE.fix(Source(WORKER.replace("NAME", name))).text.count('"npu:0"') == moved


def test_a_variable_of_the_whole_file_is_typed() -> None:
    text = WORKER.replace("NAME", "worker_device")
    type_in_each_line(text, ('worker_device = "cuda"', 'if worker_device == "cuda:0":', "import ctranslate2"), 2)


@pytest.mark.parametrize(
    ("code", "due"),
    [
        ("DEFAULT_DEVICES = ['cpu', 'cuda']\n", ["safe"]),
        ("devices = ['cpu', 'cuda']\n", ["review"]),
        ("NAMES = ['cpu', 'cuda']\n", ["review"]),
        ("DEVICES = ['cpu', 'cuda', 'xpu']\nif x.device.type in DEVICES:\n    pass\n", ["review"]),
    ],
)
def test_a_list_of_devices(code: str, due: list[str]) -> None:
    """As in torch-ans's benchmark.py: the default of its option stayed CUDA's, and what it is compared with moved."""
    findings = ENGINE.check(Source(HEAD + code)).findings
    assert [fix.applicability for one in findings for fix in one.fixes] == due


@pytest.mark.parametrize(
    "code",
    [
        "if getattr(a, 'device', 'cuda') == 'cuda':\n    pass\nWhisperModel(device=getattr(a, 'device', 'cuda'))\n",
        "kind = 'a' if cfg.get('device') == 'cuda' else 'b'\nWhisperModel(device=cfg.get('device'))\n",
        "options = {'device': 'cuda' if torch.cuda.is_available() else 'cpu'}\nWhisperModel(**options)\n",
        "def f(make=lambda: 'cuda'):\n    WhisperModel(device=make())\n",
        "get_device = lambda: 'cuda'\nWhisperModel(device=get_device())\nok = get_device() == 'cuda'\n",
    ],
)
def test_what_a_library_with_devices_of_its_own_gets_stays(code: str) -> None:
    text = f"{HEAD}from faster_whisper import WhisperModel\n{code}"
    assert ENGINE.fix(Source(text)).text == text


@pytest.mark.parametrize("read", ["environ.get('DEVICE')", "env.get('DEVICE')", "os.environ.get('DEVICE', 'x')"])
def test_environment_variables_are_not_read_as_fields(read: str) -> None:
    text = f"{HEAD}if {read} == 'cuda':\n    pass\n"
    assert ENGINE.fix(Source(text)).text == text


HELD = """import torch
import torch_npu
import faster_whisper


class Mode:
    def __init__(self, device):
        self._device = "cuda" if self.fast else "cpu"
        faster_whisper.WhisperModel(device=self._device)

    @property
    def device(self):
        return self._device

    @property
    def half(self):
        return self.device == "cuda"
"""


def test_a_property_changes_with_the_attribute_that_holds_it() -> None:
    """As in stable-diffusion-grpcserver's manager.py: self.device moved, and self._device stayed."""
    assert ENGINE.fix(Source(HELD)).text == HELD
    other = HELD.replace("faster_whisper.WhisperModel(", "Net(").replace("import faster_whisper\n", "")
    assert "cuda" not in ENGINE.fix(Source(other)).text


def test_a_property_and_its_attribute_are_typed() -> None:
    type_in_each_line(HELD, ("self._device = 'cuda'", "return self._device == 'cuda'", "x = 1"), 3)


VALID = """import torch
import torch_npu


def check(config):
    known = ["cuda", "cpu", "auto"]
    value = config.get("device", {}).get("device", "cuda").lower()
    if value not in known:
        raise ValueError(value)
"""


def test_a_default_changes_with_the_list_in_which_it_is_looked_for() -> None:
    """As in gptmed's config_loader.py: the default moved, the list stayed, and the default was refused."""
    assert ENGINE.fix(Source(VALID)).text == VALID
    fixed = ENGINE.fix(Source(VALID.replace("value not in known", "value not in other"))).text
    assert '.get("device", "npu")' in fixed


def test_a_list_of_valid_devices_is_typed() -> None:
    type_in_each_line(VALID, ("value = 'cuda'", "known = ['cuda', 'npu']", "if value in known:"), 3)


SCENARIOS = """import torch
import torch_npu


def run(n):
    scenarios = [
        ("one", "cpu", torch.float32),
        ("two", "cuda", torch.float16),
    ]
    for name, where, dtype in scenarios:
        used = where if not (where == "cuda" and not torch.cuda.is_available()) else "cpu"
        print(name, torch.zeros(n, device=used, dtype=dtype))
"""


def test_a_variable_of_a_loop_changes_with_its_column() -> None:
    """As in torch-lambda-happy's benchmark.py: the test moved, and the rows of the list stayed."""
    fixed = ENGINE.fix(Source(SCENARIOS)).text
    assert fixed in (SCENARIOS, SCENARIOS.replace("cuda", "npu"))
    assert '== "npu"' in ENGINE.fix(Source(SCENARIOS.replace("in scenarios", "in others"))).text


def test_a_column_of_a_list_is_typed() -> None:
    typed = ("for where, name in scenarios:", 'scenarios = [("cuda", 1)]', 'same = where == "cuda"')
    type_in_each_line(SCENARIOS, typed, 4)


REQUESTED = """import torch
import torch_npu


def get_device(requested="cpu"):
    if requested == "cuda" and torch.cuda.is_available():
        device = torch.device("cuda")
        print(torch.cuda.get_device_name(0))
    else:
        device = torch.device("cpu")
        if requested == "cuda":
            print("not available")
    return device
"""


def test_a_requested_device_is_one() -> None:
    """As in gnn-vuln's utils.py: the function stayed, and the code that compares its result moved."""
    assert "cuda" not in ENGINE.fix(Source(REQUESTED)).text
    for other in (REQUESTED.replace("get_device(", "get_kernel("), REQUESTED.replace("and torch", "or torch")):
        assert 'requested == "cuda"' in ENGINE.fix(Source(other)).text


def test_a_requested_device_is_typed() -> None:
    lines = ('if requested == "cuda":', "def get_kernel(requested):", 'requested = "cuda"')
    type_in_each_line(REQUESTED, lines, 4)


CONTINUED = """import torch
import torch_npu
from utils import a, \\
    get_device, b


def f():
    if get_device() == "cuda":
        g()
"""


def test_typing_in_an_import_over_several_lines() -> None:
    project = Project(selectors=frozenset({"utils.get_device"}))
    type_in_each_line(CONTINUED, ("get_device, \\", "x = 1", "from utils import get_device, \\"), 2, project=project)


PREFERRED = """import torch
import torch_npu


def resolve_device(device, prefer=("cuda", "mps", "cpu")):
    for backend in prefer:
        if backend == "cuda" and torch.cuda.is_available():
            return torch.device("cuda")
        if backend == "mps" and torch.backends.mps.is_available():
            return torch.device("mps")
    return torch.device("cpu")
"""


def test_a_variable_of_a_loop_changes_with_its_list() -> None:
    """As in torchrir's device.py, where the default of the list stayed, and the comparison moved."""
    assert ENGINE.fix(Source(PREFERRED)).text == PREFERRED
    other = PREFERRED.replace('prefer=("cuda", "mps", "cpu")', "prefer=()")
    assert "cuda" not in ENGINE.fix(Source(other)).text


def test_a_list_over_which_a_loop_runs_is_typed() -> None:
    type_in_each_line(PREFERRED, ("for backend in prefer:", "for backend in other:", 'prefer = ["cuda"]'), 4)
