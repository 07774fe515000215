"""What a test expects changes with what it gives: an argument in the same comparison, or a value that it patches."""

from __future__ import annotations

import cProfile

import pytest

from engine.typist import Typist, type_in_each_line
from support.engines import engine_for
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}
HEAD = "import torch\nimport torch.distributed as dist\n{0}\n\n"
PATCHED = "def test(monkeypatch):\n    monkeypatch.setattr({0})\n    assert get_device() == torch.device('cuda:3')\n"


def fixed(code: str, engine: Engine) -> tuple[str, str]:
    head = HEAD.format(f"import {engine.target.words['package']}")
    return head + code, engine.fix(Source(head + code, "tests/test_a.py")).text


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize(
    "code",
    [
        "def test():\n    assert backend_of('cuda') == 'nccl'\n",
        "def test():\n    assert 'nccl' == backend_of(device('cuda'), offload=True)\n",
        PATCHED.format("'app.utils.device_type', 'cuda'"),
        PATCHED.format("\n        'app.utils.device_type',\n        'cuda',\n    "),
        PATCHED.format("'app.utils.device_type', 'cuda', raising=False"),
        PATCHED.format("utils, 'device_type', 'cuda:1'").replace("monkeypatch.setattr", "mock.patch.object"),
        PATCHED.format("torch.cuda, 'is_available', f"),
        "from app import utils\n\n\n" + PATCHED.format("utils.torch.cuda, 'is_available', f"),
    ],
)
def test_what_is_expected_waits_for_what_is_given(code: str, engine: Engine) -> None:
    text, done = fixed(code, engine)
    assert done == text


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize(
    "code",
    [
        "def test():\n    assert backend_of('cpu') == 'nccl'\n",
        "def test():\n    assert dist.get_backend() == 'nccl'\n",
        PATCHED.format("'app.utils.count', 3"),
        PATCHED.format("app, 'cuda', other, raising=False"),
        PATCHED.format("'app.utils.device_type', 'cuda'").replace("    assert", "\n\ndef test_other():\n    assert"),
    ],
)
def test_what_is_expected_of_others_changes(code: str, engine: Engine) -> None:
    text, done = fixed(code, engine)
    words = engine.target.words
    assert done == text.replace("'nccl'", f"'{words['ccl']}'").replace(
        "device('cuda:3')", f"device('{words['device']}:3')"
    )


MOCKED = """\
import torch
import torch_npu
from app import get_device_name

class Test:
    @patch("torch.cuda.is_available", return_value={0})
    @patch("app.seed")
    def test_name(self, seed, asked):
        self.assertEqual({1})
"""
WITHIN = """\
import torch
import torch_npu
from app import get_device_name

def test_name():
    with patch("torch.cuda.is_available", return_value=True):
        assert get_device_name() == "cuda"
"""
ASKED = Project(carried=frozenset({("npu", "tests/test_a.py", "torch.cuda.is_available")}))


@pytest.mark.parametrize(
    "text", [MOCKED.format(True, "get_device_name(), 'cuda'"), MOCKED.format(True, "'cuda', name()"), WITHIN]
)
def test_what_is_expected_changes_with_the_function_that_finds_a_device(text: str) -> None:
    moving = engine_for("npu", Settings(locale="en"), ASKED)
    assert moving.fix(Source(text, "tests/test_a.py")).text == text.replace("cuda", "npu")
    staying = engine_for("npu", Settings(locale="en"))
    assert staying.fix(Source(text, "tests/test_a.py")).text == text


@pytest.mark.parametrize(
    "text",
    [
        MOCKED.format(False, "get_device_name(), 'cuda'"),
        MOCKED.format(True, "get_device_name('first'), 'cuda'"),
        MOCKED.format(True, "name, 'cuda'"),
        MOCKED.format(True, "1, 1") + "    def test(self):\n        self.assertEqual(get_device_name(), 'cuda')\n",
        WITHIN.replace("        assert", "        pass\n    assert"),
    ],
)
def test_what_is_expected_of_other_calls_needs_review(text: str) -> None:
    fixed = engine_for("npu", Settings(locale="en"), ASKED).fix(Source(text, "tests/test_a.py")).text
    assert fixed == text.replace("torch.cuda.", "torch.npu.")


GIVEN = """\
class Test:
    def test_to_device(self):
        modified = to_device(batch, {0})
        if torch.cuda.is_available():
            self.assertEqual(modified.get_device(), torch.device("cuda:0"))
        assert modified.device.type == "cuda"
"""


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("given", ["'cuda'", "accelerator='cuda'"])
def test_what_is_expected_waits_for_what_the_test_passes_on(given: str, engine: Engine) -> None:
    text, done = fixed(GIVEN.format(given), engine)
    assert done == text


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize(
    "code",
    [
        GIVEN.format("'cpu'"),
        GIVEN.format("torch.device('cuda')"),
        GIVEN.format("device='cuda'"),
        GIVEN.format("'cuda'").replace("        if", "\n    def test_other(self, modified):\n        if"),
        GIVEN.format("'cuda'").replace("test_to", "run_to"),
    ],
)
def test_what_is_expected_changes_with_what_the_test_passes_on(code: str, engine: Engine) -> None:
    text, done = fixed(code, engine)
    moved = text.replace("cuda", engine.target.words["device"])
    assert done == moved.replace(f"(batch, '{engine.target.words['device']}'", "(batch, 'cuda'")


LOOP = """\
class Test:
    @parameterized.expand([("a.py", ("cpu", "cuda"))])
    def test_init(self, config, devices):
        for device in devices:
            if device == "cuda" and not torch.cuda.is_available():
                continue
            init(config, device=device)
"""
THREAD = """\
def test_thread():
    Thread(target=worker, args=("a", "cuda:0")).start()
    config.device = "cuda:1"
    assert results["a"] == torch.device("cuda:0")
"""
MOCKS = """\
def test_count():
    with patch("app.torch.cuda.is_available", return_value=True), patch("torch.cuda.device_count", return_value=2):
        assert devices() == [torch.device("cuda:0"), torch.device("cuda:1")]
"""
POOL = """\
def test_pool():
    POOL.set_devices([torch.device("cuda:0"), torch.device("cuda:1")])
    POOL.set_own("cuda:0")
    assert POOL.borrow() is not None
    x = torch.zeros(1).cuda()
"""
RECORDED = """\
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_record():
    out = finish(items, device="cuda")
    assert calls == [("cpu", 1), ("cuda", 2)]
"""
COUNTED = Project(carried=frozenset({("npu", "tests/test_a.py", "torch.cuda.device_count")}))


@pytest.mark.parametrize("code", [LOOP, THREAD, MOCKS, POOL, RECORDED])
def test_a_test_changes_whole_or_not_at_all(code: str) -> None:
    text = HEAD.format("import torch_npu") + code
    engine = engine_for("npu", Settings(locale="en"), COUNTED)
    assert engine.fix(Source(text, "tests/test_a.py")).text == text
    other = text.replace("def test", "def run")
    assert engine.fix(Source(other, "tests/test_a.py")).text != other


DEVICE = 'DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n\n'
MARK = 'gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")\n\n\n'
CLASS = '@unittest.skipIf(not torch.cuda.is_available(), "no GPU")\nclass Test(unittest.TestCase):\n'
MAKE = 'def make():\n    return torch.zeros(3, device="cuda" if torch.cuda.is_available() else "cpu")\n\n\n'
IDS = "@pytest.mark.parametrize('device', ['cpu', 'cuda'], ids=['cpu', 'cuda'])\ndef test_a(device):\n"
PLAIN = "def test_a():\n    x = torch.zeros(3).cuda()\n    {0}\n    assert x.device.type == 'cuda'\n"
TYPED = PLAIN.replace("torch.zeros(3).cuda()", "torch.zeros(3, device=DEVICE)")


@pytest.mark.parametrize(
    "code",
    [
        *(
            PLAIN.format(line)
            for line in (
                "config['cuda'] = 1",
                "times = {'cuda': 0}",
                "print('cuda')",
                "logger.info('%s', 'cuda')",
                "torch.load(p, map_location={'cuda:0': 'cpu'})",
                "assert x.is_leaf, 'cuda'",
                "getattr(self.mods[0], 'cuda')",
                "y = torch.zeros(3, device=r'cuda')",
            )
        ),
        IDS + "    assert torch.zeros(3, device=device).device.type == 'cuda'\n",
        PLAIN.format("pass") + "    assert 'cuda' in capsys.readouterr().out\n",
    ],
)
def test_a_test_that_gives_no_device(code: str) -> None:
    text = HEAD.format("import torch_npu") + code
    fixed = engine_for("npu", Settings(locale="en")).fix(Source(text, "tests/test_a.py")).text
    assert fixed != text
    assert "type == 'npu'" in fixed


NEEDED = {
    "a device of the module": DEVICE + TYPED,
    "a skip mark": MARK + "@gpu\n" + PLAIN,
    "a mark of all tests": "pytest" + MARK.replace("gpu =", "mark =") + PLAIN,
    "a function that needs a device of the module": DEVICE
    + "def make():\n    return torch.zeros(3, device=DEVICE).to('cuda')\n\n\n"
    + PLAIN.replace("torch.zeros(3).cuda()", "make()"),
    "a mark of the class": CLASS + "    def test_a(self):\n        {0}\n        assert x.device.type == 'cuda'\n",
}


@pytest.mark.parametrize("name", NEEDED)
def test_a_test_stays_with_the_code_that_it_needs(name: str) -> None:
    engine = engine_for("npu", Settings(locale="en"))
    text = HEAD.format("import torch_npu") + NEEDED[name].format("run(args=('a', 'cuda:0'))")
    assert engine.fix(Source(text, "tests/test_a.py")).text == text
    text = HEAD.format("import torch_npu") + NEEDED[name].format("run('a')")
    assert "cuda" not in engine.fix(Source(text, "tests/test_a.py")).text
    other = "\n\ndef test_other():\n    assert torch.zeros(3).cuda().device.type == 'cuda'\n"
    text = HEAD.format("import torch_npu") + NEEDED[name].format("run(args=('a', 'cuda:0'))") + other
    fixed = engine.fix(Source(text, "tests/test_a.py")).text
    assert fixed == (text if "all tests" in name else text.replace(other, other.replace("cuda", "npu")))


def test_many_tests_that_replace_one_name_change() -> None:
    test = (
        '@patch("torch.cuda.is_available", return_value=True)\ndef test_{0}(asked):\n    x = torch.zeros({0}, '
        'device="cuda")\n    assert x.device.type == "cuda"\n    assert get() == "cuda"\n\n\n'
    )
    text = HEAD.format("import torch_npu") + "".join(test.format(number) for number in range(70))
    engine = engine_for("npu", Settings(locale="en"), ASKED)
    report = engine.check(Source(text, "tests/test_a.py"))
    assert {fix.applicability for finding in report.findings for fix in finding.fixes} == {"safe"}
    assert all(finding.fixes for finding in report.findings)


@pytest.mark.parametrize("code", [LOOP, THREAD, MOCKS, POOL])
def test_a_test_that_stays_is_typed(code: str) -> None:
    typed = ("run(it, 'cuda')", "def test_more(self):", "assert x.device.type == 'cuda'", "x = 'cuda:0'")
    type_in_each_line(HEAD.format("import torch_npu") + code, typed, 3, "tests/test_a.py", COUNTED)


def test_typing_beside_what_is_passed_on_says_what_a_fresh_look_says() -> None:
    typed = ("run(it, 'cuda')", "def test_more(self):", "assert x.device.type == 'cuda'", "g()")
    type_in_each_line(HEAD.format("import torch_npu") + GIVEN.format("'cuda'"), typed, 3)


def test_typing_says_what_a_fresh_look_says() -> None:
    typed = ("@patch('a.b')", "def test_other(): pass", "with patch('c'): pass", "g()", "# g()")
    type_in_each_line(
        MOCKED.format(True, "get_device_name(), 'cuda'") + WITHIN.partition("\n\n")[2],
        typed,
        3,
        "tests/test_a.py",
        ASKED,
    )


def test_what_is_expected_costs_as_much_as_it_is_long() -> None:
    line = "    assert f('cuda', 0) == 'nccl' and g(torch.device('cuda')) == torch.device('cuda')\n"

    def cost(lines: int) -> int:
        text = HEAD + "def test(monkeypatch):\n    monkeypatch.setattr('a.b', 'cuda')\n" + line * lines
        engine_for("npu").check(Source(text))
        profile = cProfile.Profile()
        profile.runcall(engine_for("npu").check, Source(text))
        return sum(entry.callcount for entry in profile.getstats())

    assert cost(40) < 2.5 * cost(20)


FIXTURE = (
    "import pytest\nimport torch\n\n\n@pytest.fixture(params=[{}, 'gloo'])\ndef backend(request):\n"
    "    if {}:\n        return 1\n    return 0\n"
)


@pytest.mark.parametrize(
    ("value", "test", "due"),
    [
        ("pytest.param('nccl', marks=[gpu])", "request.param == 'nccl'", {"manual"}),
        ("pytest.param('nccl', marks=[gpu])", "request.param in ('nccl', 'gloo')", {"review"}),
        ("'nccl'", "request.param in ('nccl', 'gloo')", {"safe"}),
        ("pytest.param('nccl', marks=[gpu])", "backend in ('nccl', 'gloo')", {"safe", "review"}),
    ],
)
def test_what_a_fixture_compares_moves_with_its_params(value: str, test: str, due: set[str]) -> None:
    """As in tests/ignite/conftest.py of ignite."""
    found = engine_for("npu", Settings(locale="en")).check(Source(FIXTURE.format(value, test))).findings
    assert {one.fixes[0].applicability if one.fixes else "manual" for one in found} == due
    assert len(found) == 2


def test_what_a_fixture_compares_is_typed() -> None:
    text = FIXTURE.format("pytest.param('nccl', marks=[gpu])", "request.param == 'nccl'")
    type_in_each_line(text, ("if request.param == 'nccl':", "x = request.param", "@f('nccl')", ""), 3)


WIDGET = """import gradio as gr
import torch

def load(name, device):
    if device == "cuda":
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return name, device

{}
"""


@pytest.mark.parametrize(
    ("widget", "due"),
    [
        ('gr.Dropdown(label="Device", choices=["cuda", "cpu", "none"])', "review"),
        ('parser.add_argument("--kind", choices=["cuda", "cpu"])', "safe"),
        ('gr.Dropdown(label="Device", choices=["big", "small"])', "safe"),
    ],
)
def test_a_comparison_with_a_choice_of_a_widget(widget: str, due: str) -> None:
    """As in an extension of text-generation-webui: a person's choice `cuda` fell back to the CPU."""
    text = WIDGET.format(widget)
    findings = engine_for("musa", Settings(locale="en")).check(Source(text)).findings
    compared = next(one for one in findings if one.span.start == text.index('"cuda"'))
    assert compared.fixes[0].applicability == due


def test_a_choice_of_a_widget_is_typed() -> None:
    widget = 'gr.Dropdown(choices=["cuda", "cpu"])\n'
    text = WIDGET.format(widget)
    type_in_each_line(text, ('gr.Radio(choices=["cuda"])', 'if device == "cuda":', 'x = ["cuda"]'), 3)
    at = text.index("        device =")
    Typist(text, engine_for("npu")).replace(at, at, widget)  # the first choice in the text is that of another statement
