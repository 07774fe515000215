"""Tests of strings: which uses prove or suggest that a string names a device or a backend, which strings are not
reported, and which change together."""

from __future__ import annotations

import time

import pytest

from engine.typist import Typist, prepared
from support.counted import steps
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.edits import apply_edits
from uncuda.engine import Engine, Finding
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
RULES = ("device-string", "nccl-backend", "nccl-check", "backend-map", "gpu-string", "tensor-type-string", "device-map")


def engine(target: str = "npu", **settings: str) -> Engine:
    return engine_for(target, Settings(locale="en", **{"select": RULES, **settings}))  # type: ignore[arg-type]


def findings(text: str, **settings: str) -> list[Finding]:
    return list(engine(**settings).check(Source(text)).findings)


def classes(text: str, **settings: str) -> list[str]:
    return [f.fixes[0].applicability if f.fixes else "manual" for f in findings(text, **settings)]


def fixed(text: str, review: bool = True, **settings: str) -> str:
    result = engine(**settings).fix(Source(text), review)
    assert result.refused is None, result.refused
    assert engine(**settings).fix(Source(result.text), review).text == result.text
    return result.text


SAFE = [
    "x = torch.device('cuda')",
    "valid_devices = ['cuda', 'cpu', 'auto']",
    "self.device_options = ['cuda', 'cpu']",
    "DEVICE_CHOICES = frozenset({'cpu', 'cuda'})",
    "box = gr.Dropdown(choices=['cuda', 'cpu'], value=x)",
    "x = torch.device(type='cuda', index=0)",
    "if (d := 'cuda'):\n    x.to(d)",
    "def init_device_mesh(kind, shape): return make(kind, shape)\ninit_device_mesh('cuda', (1,))",
    "x = torch.ones(2, device=torch.device('cuda:0'))",
    "x.to(device='cuda:1', dtype=torch.half)",
    "x.to('cuda' if flag else 'cpu')",
    "x.to(device or 'cuda')",
    "x.to(r'cuda')",
    "x.to(u'cuda:0')",
    'x.to("cuda" ":0")',
    "x.to(f'cuda:{i}')",
    "x.to(F'cuda:{args.local_rank}')",
    "x.to(f\"{'cuda' if flag else 'cpu'}:{i}\")",
    "x.to('cuda:{}'.format(i))",
    "x.to('cuda:%d' % i)",
    "x.to('cuda:' + str(i))",
    "x.to('''cuda''')",
    "ok = device == 'cuda' or re.fullmatch(r'cuda:[0-9]+', device)",
    "ok = re.fullmatch(r'auto|cpu|cuda(?::(\\d+))?', device)",
    "with torch.autocast('cuda'): pass",
    "with torch.amp.autocast(device_type='cuda', enabled=flag): pass",
    "def f():\n    scope = torch.autocast\n    with scope('cuda'): pass",
    "def f(fast):\n    scope = torch.autocast if fast else nullcontext\n    with scope('cuda'): pass",
    "def f(fast):\n    scope = torch.autocast\n    if fast: scope = c.nullcontext\n    with scope('cuda'): pass",
    "f(device='cuda')",
    "cast = functools.partial(torch.amp.autocast, 'cuda', enabled=False)",
    "cast = partial(torch.amp.autocast, device_type='cuda')",
    "make = partial(torch.zeros, 2, device='cuda')",
    "f(eval_device='cuda:0')",
    "f(**{'device': 'cuda'})",
    "cfg['device'] = 'cuda'",
    "self.device = 'cuda'",
    "DEVICE = 'cuda'",
    "device: str = 'cuda'",
    "device, dtype = 'cuda', torch.half",
    "def f(x, *, device='cuda'): pass",
    "f = lambda device='cuda': device",
    "device = os.environ.get('APP_DEVICE', 'cuda')",
    "where = cfg.get('device', 'cuda')",
    "where = kwargs.pop('device', 'cuda')",
    "where = getattr(args, 'device', 'cuda')",
    "where = torch.device(getattr(args, 'mode', 'cuda'))",
    "p.add_argument('--device', default='cuda', help='cuda, or cpu')",
    "p.add_argument('-d', '--device', type=str, default='cuda:0')",
    "p.add_argument('--where', dest='device', default='cuda')",
    "flags.DEFINE_string('device', 'cuda', 'the device')",
    "@click.option('--device', type=click.Choice(['cuda:0']))\ndef f(device): pass",
    "class A:\n    device: str = field(default='cuda', metadata={})",
    "class A:\n    device: str = Field('cuda', description='cuda')",
    "def f(device: Literal['cpu', 'cuda']): pass",
    "for device in ['cpu', 'cuda']: f(device)",
    "y = [f(device) for device in ('cpu', 'cuda')]",
    "@pytest.mark.parametrize('device', ['cpu', 'cuda'])\ndef test(device): pass",
    "def get_device():\n    return 'cuda'",
    "def get_device(i):\n    return 'cuda:{}'.format(i)",
    "def select(i):\n    return 'cuda:{}'.format(i)\ndevice = select(0)",
    "def select(i):\n    return f'cuda:{i}'\nx.to(select(1))",
    "def select(i):\n    return 'cuda' if i else 'cpu'\nx = torch.zeros(3, device=select(1))",
    "def select(i):\n    where = 'cuda:%d' % i\n    return where\nx.to(select(1))",
    "def select(i):\n    return 'cuda'\nwhere = select(0)\nx.to(where)",
    "class A:\n    def select(self):\n        return 'cuda'\n    def f(self, x):\n        x.to(self.select())",
    "places = ['cuda:0']\nfor d in places:\n    x.to(d)",
    "places = ['cuda:0']\ny = [x.to(d) for d in places]",
    "for i, d in enumerate(['cuda:0']):\n    x.to(d)",
    "ok = x.device.type == 'cuda'",
    "ok = 'cuda' != x.device.type",
    "ok = x.device.type in ('cuda', 'cpu')",
    "ok = x.device.type in ('cuda', 'mps')",
    "ok = x.device.type not in ['cpu', 'cuda', 'mps']",
    "assert x.device.type in {'cpu', 'cuda', 'mps', 'xpu', 'mtia'}",
    "devices = ('cuda', 'xpu')\nassert x.device.type in devices",
    "devices = ['cuda', 'xpu']\nfor device in devices:\n    x.to(device)",
    "assert x.device.type in ('cuda', 'xpu') and x.is_leaf, 'no device'",
    "device_map = {'': 'cuda:0'}",
    "f(device_map={'': f'cuda:{i}'})",
    "ok = device == 'cuda:0'",
    "ok = str(x.device) == 'cuda:0'",
    "ok = str(x.device).split(':')[0] == 'cuda'",
    "ok = device.lower() == 'cuda'",
    "ok = 'cuda' in str(device)",
    "ok = 'cuda' in device",
    "ok = device.startswith('cuda')",
    "ok = x.device.type.startswith(('cuda', 'mps'))",
    "n = int(device.replace('cuda:', ''))",
    "n = str(device).split('cuda:')[-1]",
    "match device:\n    case 'cuda': pass",
    "match x.device.type:\n    case 'cuda' | 'mps': pass",
    "name = 'cuda'\nx.to(name)",
    "device = ['cpu', 'cuda'][flag]",
    "where = ('cpu', f'cuda:{i}')[bool(flag)]\nx.to(where)",
    "x.to(['cpu', 'cuda'][flag])",
    "name = 'cuda'\nx.to(f'{name}:{i}')",
    "name = 'cuda'\nmodel = load(name, device=name)",
    "name = 'cuda'\nif x.device.type == name: pass",
    "kind = x.device.type\nif kind == 'cuda': pass",
    "self.where = 'cuda'\nx.to(self.where)",
    "def f(where='cuda'):\n    return x.to(where)",
    "torch.distributed.device_mesh.init_device_mesh('cuda', (2,))",
    "x = x.type('torch.cuda.FloatTensor')",
    "ok = x.type() == 'torch.cuda.HalfTensor'",
    "where = 'gpu:0'\nx.to(where)",
    "ok = str(utils.select_device('')) == 'cuda:0'",
    "torch.distributed.init_process_group('nccl')",
    "dist.init_process_group(backend='nccl')",
    "backend = 'nccl'",
    "x = 'nccl' if flag else 'gloo'",
    "ok = dist.get_backend(group) == 'nccl'",
    "ok = kind in ['gloo', 'nccl']",
    "ok = kind in {'mpi', 'NCCL'}",
    "p.add_argument('--ddp-backend', default='nccl', choices=['nccl', 'gloo'])",
    "now = dist.get_backend()\nif now == 'nccl': pass",
    "dist.init_process_group('cpu:gloo,cuda:nccl')",
]
REVIEW = [
    "p.add_argument('--impl', choices=['cuda', 'cpu'])",
    "choices = ['cuda', 'cpu']",
    "ok = str(select_model()) == 'cuda:0'",
    "ok = select_device() == 'cuda'",
    "ok = x.device.type in ('cuda', 'xpu')",
    "ok = x.device.type not in ['cpu', 'cuda', 'xla']",
    "assert x.device.type not in ['cpu', 'cuda', 'xla']",
    "assert x.device.type in ('cuda', 'xpu') or fast",
    "assert (1 if x.device.type in ('cuda', 'xpu') else 0)",
    "if x.device.type in {'cpu', 'cuda', 'xpu'}:\n    f()",
    "kinds = ('cuda', 'xpu')\nok = x.device.type in kinds",
    "other = ['cpu', 'cuda'][flag]",
    "ok = lang == 'cuda'",
    "x = 'cuda'",
    "f('cuda')",
    "f(mode='cuda')",
    "def f(scope):\n    with scope('cuda'): pass",
    "def f(scope=None):\n    scope = scope or torch.autocast\n    with scope('cuda'): pass",
    "def f(fast):\n    scope = torch.autocast\n    if fast: scope = fast\n    with scope('cuda'): pass",
    "def f():\n    if fast: scope = torch.autocast\n    else:\n        def scope(k): pass\n    scope('cuda')",
    "def f(fast):\n    for scope in (torch.autocast, fast):\n        with scope('cuda'): pass",
    "def f(mode='cuda'): pass",
    "def name():\n    return 'cuda'",
    "def name():\n    return 'cuda'\nprint(name())\nf(name())",
    "def name():\n    return 'cuda', 1\nx.to(name())",
    "class A:\n    def name(self):\n        return 'cuda'\ndef f(x, other):\n    x.to(other.name())",
    "def name():\n    return 'cuda'\nother = name()\nf(other)",
    "devices = ['cuda:0', 'cuda:1']",
    "f(['cpu', 'cuda'])",
    "y = {'fast': 'cuda', 'slow': 'cpu'}",
    "x = torch.load(path, map_location={'cuda:0': f'cuda:{get_rank()}'})",
    "def f():\n    yield {'cuda:0': 'cuda:1'}",
    "x = 'nccl'",
    "f('nccl')",
    "device = f'cuda{suffix}'",
    "m = {'cuda': 'nccl', 'cpu': 'gloo'}",
]
SILENT = [
    "'''cuda'''",
    "print('cuda', f'cuda:{i}')",
    "logging.info('cuda')",
    "self.log('cuda', loss)",
    "raise ValueError('cuda')",
    "assert flag, 'cuda'",
    "warnings.warn('nccl')",
    "p.add_argument('--mode', help='cuda')",
    "p.set_defaults(help='cuda')",
    "versions['cuda'] = 12",
    "x = versions['cuda']",
    "x = versions.get('cuda', {}).get('toolkit')",
    "y = {'cuda': 12, 'cudnn': 8}",
    "y = {'nccl': 1}",
    "ok = hasattr(x, 'cuda')",
    "x = getattr(x, 'cuda')()",
    "y = prefix + 'cuda'",
    "y = f'{prefix}cuda'",
    'y = f\'on {"cuda" if flag else "cpu"}\'',
    "x = os.path.join('csrc', 'cuda')",
    "x = Path('cuda')",
    "ok = re.match('cuda', name)",
    "x = b'cuda'",
    "x = 'cudagraph'",
    "x = 'cuda.h'",
    "x = 'cuda:0,cuda:1'",
    "x = f'cuda:{i}/x'",
    "version = f'cuda{version}'",
    "ext = torch.utils.cpp_extension.load('cuda', sources)",
    "with torch.profiler.record_function('cuda'): pass",
    "label = 'gpu:0'",
    "with tf.device('gpu:0'): pass",
    "x = 'torch.cuda'",
]


@pytest.mark.parametrize("code", SAFE)
def test_the_role_proves(code: str) -> None:
    assert set(classes(f"import torch\nimport torch.distributed as dist\n{code}\n")) == {"safe"}


@pytest.mark.parametrize("code", REVIEW)
def test_the_role_suggests(code: str) -> None:
    assert set(classes(f"import torch\n{code}\n")) == {"review"}


@pytest.mark.parametrize("code", SILENT)
def test_the_role_says_nothing(code: str) -> None:
    assert classes(f"import torch\n{code}\n") == []


def test_without_torch_the_type_of_a_device_is_one() -> None:
    """The checked file does not import torch, because the device is set in another file."""
    assert classes("import os\nok = device.type == 'cuda' or 'cuda' in x.device.type\n") == ["safe", "safe"]


@pytest.mark.parametrize("code", ["f(device='cuda')", "device = 'cuda'", "ok = kind.type == 'cuda'"])
def test_without_torch_a_device_is_only_suggested(code: str) -> None:
    assert classes(f"import os\n{code}\n") == ["review"]
    assert classes("import os\nok = lang == 'cuda'\nf('cuda')\n") == []


def test_the_plugin_takes_devices_too() -> None:
    text = "import torch\nimport torch_npu\ntorch_npu.npu.set_device('cuda:0')\ntorch.npu.synchronize('gpu:0')\n"
    assert classes(text) == ["safe", "safe"]
    assert classes("from torch_npu import npu\nnpu.set_device('cuda:0')\nok = mode == 'cuda'\n") == ["safe", "review"]


def test_prefixes_quotes_and_pieces_are_kept() -> None:
    text = "import torch\nimport torch_npu\nx.to(R'cuda')\ny.to('''cuda''')\nz.to('cuda' \":\" f'{i}')\n"
    assert fixed(text) == text.replace("cuda", "npu")


def test_an_option_and_what_it_is_compared_with_change_together() -> None:
    text = (
        "import torch\n"
        "p.add_argument('--mode', default='cuda', choices=['cuda', 'cpu'])\n"
        "if args.mode == 'cuda':\n    pass\n"
    )
    found = findings(text)
    assert len(found) == 3
    assert len({fix.edits for f in found for fix in f.fixes}) == 1
    assert {fix.applicability for f in found for fix in f.fixes} == {"review"}


def test_names_of_other_functions_are_other_names() -> None:
    text = (
        "import torch\n\n\n"
        "def one():\n    where = 'cuda'\n    return x.to(where)\n\n\n"
        "def two(where):\n    return where == 'cuda'\n"
    )
    assert classes(text) == ["safe", "review"]


def test_a_global_is_the_same_name_in_its_functions() -> None:
    text = "import torch\nwhere = 'cuda'\n\n\ndef f():\n    if where == 'cuda':\n        return x.to(where)\n"
    found = findings(text)
    assert classes(text) == ["safe", "safe"]
    assert found[0].fixes[0].edits == found[1].fixes[0].edits


def test_a_field_is_the_same_name_in_its_file() -> None:
    text = "import torch\n\n\nclass A:\n    mode: str = 'cuda'\n\n\ndef f(args):\n    return args.mode == 'cuda'\n"
    one, two = findings(text)
    assert one.fixes[0].edits == two.fixes[0].edits


def test_a_name_that_serves_the_target_was_ported_by_hand() -> None:
    head = "import torch\n\n\ndef f(x, device='cuda'):\n    ok = device == 'cuda'\n"
    assert classes(f"{head}    return x.to(device)\n") == ["safe", "safe"]
    for test in ("device == 'npu'", "device in {'npu', 'xpu'}", "'npu:0' != device"):
        assert classes(f"{head}    return g(x) if {test} else x.to(device)\n") == ["review", "review"]
    assert classes(f"{head}\n\ndef g(device):\n    return device == 'npu'\n") == ["safe", "safe"]


CHOICES = {
    "an option": "parser.add_argument('--device', choices=['cpu', 'npu', 'cuda'])\n",
    "an option of click": "@click.option('--device', type=click.Choice(['npu', 'cuda']))\ndef g(device): pass\n",
    "a list with a name": "KINDS = ['cpu', 'npu', 'cuda']\nparser.add_argument('--device', choices=KINDS)\n",
    "a lookup": "def g(args):\n    assert args.device in ('npu:0', 'cuda:0')\n",
    "a field": "class A:\n    device: Literal['cpu', 'cuda', 'npu']\n",
    "an alias": "Kind = Literal['cuda', 'npu']\nclass A:\n    device: Kind\n",
    "an enumeration": "class Kind(str, Enum):\n    CUDA = 'cuda'\n    NPU = 'npu'\nclass A:\n    device: Kind\n",
}
USE = (
    "def f(args):\n    if args.gpu >= 0:\n        args.device = 'cuda'\n    if 'cuda' in args.device:\n        run()\n"
)


@pytest.mark.parametrize("choices", CHOICES.values(), ids=CHOICES)
def test_choices_with_the_word_of_the_target_were_ported_by_hand(choices: str) -> None:
    """As in wenet/bin/recognize.py of WeNet: `--device npu` never came into the code for CUDA."""
    text = f"import torch\n{choices}{USE}"
    assert fixed(text, review=False).endswith(USE)
    assert fixed(text.replace("npu", "mps"), review=False) != text.replace("npu", "mps")
    other = engine_for("musa", Settings(select=RULES)).fix(Source(text), review=False).text
    assert "args.device = 'musa'" in other and "'musa' in args.device" in other


def test_a_variable_from_an_option_that_lists_the_target_was_ported_by_hand() -> None:
    use = "def f(args):\n    device = args.device\n    if device == 'cuda':\n        torch.zeros(1, device=device)\n"
    text = f"import torch\n{CHOICES['an option']}{use}"
    assert fixed(text, review=False) == text
    assert "device == 'npu'" in fixed(text.replace("'npu'", "'mps'"), review=False)


@pytest.mark.parametrize(
    "beside",
    [
        "parser.add_argument('--kind', choices=['cpu', 'npu', 'cuda'])\n",
        "parser.add_argument('--device', choices=['cpu', 'npu'])\n",
        "def g(device):\n    return h(device, ['npu', 'cuda'])\n",
    ],
)
def test_choices_of_another_name_or_without_cuda_change_nothing(beside: str) -> None:
    assert "args.device = 'npu'" in fixed(f"import torch\n{beside}{USE}", review=False)


def test_typing_choices_says_what_a_fresh_look_says() -> None:
    for name in ("an option", "a list with a name", "an alias", "an enumeration"):
        text = f"import torch\n{CHOICES[name].replace('npu', 'mps')}{USE}"
        typist = Typist(text, prepared("npu"))
        at = text.index("mps")
        typist.replace(at, at + 3, "")
        typist.type(at, "npu")
        typist.erase(at + 3, 1)


EXPRESSIONS = [
    r"cuda:[0-9]+", r"^cuda", r"cuda(:\d+)?$", r"cuda(?::\d+)?", r"^(cpu|cuda(:\d+)?)$", r"(cuda|mps):?", r"cuda.*",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_regular_expression_for_devices_is_a_comparison(expression: str) -> None:
    """As in flair/embeddings/legacy.py of Flair."""
    for call in ("re.match({0}, str(x.device))", "re.sub({0}, '', string=str(x.device))", "re.search({0}, device)"):
        text = f"import re\nimport torch\nimport torch_npu\nok = {call.format(repr(expression))}\n"
        assert classes(text) == ["safe"], text
        assert fixed(text, review=False) == text.replace("cuda", "npu")
    for call in ("re.compile({0})", "re.match({0}, name)", "re.sub({0}, 'x', name)"):
        assert classes(f"import re\nimport torch\nok = {call.format(repr(expression))}\n") == ["review"], call


@pytest.mark.parametrize(
    "code",
    [
        "re.match(r'cuda-(\\d+)', device)",
        "re.match(r'cuda(\\d+)', device)",
        "re.search('.*cuda/lib.*', device)",
        "re.search('lib_cuda', device)",
        "re.match(r'\\bcuda', device)",
        "re.match('cuda:0|npu:0', device)",
        "re.sub('x', 'cuda:', device)",
        "re.match(f'cuda:{i}', device)",
        "re.escape('cuda:')",
        f"re.match('{'(?:' * 60}cuda-', device)",
        "re.match('cuda', name)",
    ],
)
def test_other_regular_expressions_are_no_devices(code: str) -> None:
    assert classes(f"import re\nimport torch\nok = {code}\n") == []


def test_a_regular_expression_changes_with_the_comparisons_beside_it() -> None:
    text = "import re\nimport torch\nok = x.device.type == 'cuda' or re.match('cuda:', {0})\n"
    assert classes(text.format("str(x.device)")) == ["safe", "safe"]
    assert classes(text.format("name")) == ["review", "review"]
    one, two = findings(text.format("str(x.device)"))
    assert one.fixes[0].edits == two.fixes[0].edits
    assert classes(text.format("name").replace("'cuda:'", "'cuda-x'")) == ["review"]
    assert classes(text.format("str(x.device)").replace("'cuda:'", "'cuda'")) == ["safe", "safe"]


def test_typing_a_regular_expression_says_what_a_fresh_look_says() -> None:
    line = "    ok = x.device.type == 'cuda' or re.match('cuda:', str(x.device))\n"
    typist = Typist(f"import re\nimport torch\n\n\ndef f(x):\n{line}    g(x)\n", prepared("npu"))
    at = typist.text.index("cuda:") + 5
    typist.type(at, "[0-9]+")
    typist.erase(at + 6, 6)
    typist.replace(typist.text.index("str("), typist.text.index("))") + 1, "name")
    typist.type(typist.text.index("    g("), "    # cuda:\n")


def test_a_key_of_another_files_table_may_be_another_word() -> None:
    text = "import torch\nwhere = 'cuda'\nx.to(where)\nuse(REGISTRY.get(where))\n"
    assert classes(text) == ["review"]
    assert classes(text.replace("x.to", "REGISTRY = {}\nx.to")) == ["safe"]


def test_a_slice_is_cut_to_the_length_of_the_new_word() -> None:
    text = "import torch\nimport torch_npu\nok = str(device)[:4] == 'cuda'\n"
    assert fixed(text, review=False).endswith("ok = str(device)[:3] == 'npu'\n")
    other = engine_for("musa", Settings(select=RULES)).check(Source(text)).findings
    assert [len(f.fixes[0].edits) for f in other] == [2]  # one edit for the string and one for the import


@pytest.mark.parametrize(
    "code", ["ok = device[:n] == 'cuda'", "ok = device[-4:] == 'cuda'", "ok = device[:4] in ('cuda',)"]
)
def test_a_slice_of_another_length_holds_only_words_as_long(code: str) -> None:
    assert classes(f"import torch\n{code}\n") == ["manual"]


def test_a_list_is_replaced_not_extended() -> None:
    text = "assert backend in ['gloo', 'nccl']\n"
    assert fixed(text) == "assert backend in ['gloo', 'hccl']\n"


def test_a_dictionary_by_device_gets_an_entry() -> None:
    assert fixed("m = {'cpu': 'gloo', 'cuda': 'nccl'}\n") == "m = {'cpu': 'gloo', 'cuda': 'nccl', 'npu': 'hccl'}\n"
    text = "m = {\n    'cuda': F(1),\n    'cpu': F(2),\n}\n"
    assert fixed(text) == "m = {\n    'cuda': F(1),\n    'npu': F(1),\n    'cpu': F(2),\n}\n"


def test_the_entry_of_cuda_stays_what_it_is() -> None:
    text = "import torch\nimport torch_npu\nm = {'cuda': torch.cuda.synchronize, 'cpu': stop}\n"
    assert fixed(text, review=False) == text
    assert fixed(text).endswith("m = {'cuda': torch.cuda.synchronize, 'npu': torch.npu.synchronize, 'cpu': stop}\n")


SHIMMED = {
    "x.to('cuda')": [],
    "device = 'cuda'": [],
    "dist.init_process_group('nccl')": [],
    "ok = device == 'cuda'": [],
    "ok = x.device.type == 'cuda'": ["review"],
    "ok = dist.get_backend() == 'nccl'": ["safe"],
    "ok = backend in ('nccl', 'gloo')": ["review"],
    "now = dist.get_backend()\nassert now in ('nccl', 'gloo')": ["safe"],
    "ok = backend.startswith('nccl')": ["review"],
    "match dist.get_backend():\n    case 'nccl': pass": ["safe"],
}


@pytest.mark.parametrize("code", SHIMMED)
def test_next_to_a_patch_only_what_it_cannot_see_is_reported(code: str) -> None:
    text = f"from torch_npu.contrib import transfer_to_npu\nimport torch\nimport torch.distributed as dist\n{code}\n"
    assert classes(text, strategy="shim") == SHIMMED[code]


def test_what_a_function_returns_changes_with_what_it_is_compared_with() -> None:
    text = (
        "import torch\nimport torch_npu\n\ndef kind():\n    return 'cuda'\n\n"
        "where = kind()\nx.to(where)\nok = kind() == 'cuda'\nelse_ = where == 'cuda'\n"
    )
    found = findings(text)
    assert {f.fixes[0].edits for f in found} == {found[0].fixes[0].edits}
    assert len(found) == len(found[0].fixes[0].edits) == 3
    assert "cuda" not in fixed(text, review=classes(text)[0] == "review")


AWAY = "import ctranslate2 as ct\nimport torch\nfrom faster_whisper import WhisperModel\n"


@pytest.mark.parametrize(
    "code",
    [
        "device = 'cuda'\nmodel = WhisperModel('small', device=device)\n",
        "def load(name, device='cuda'):\n    return WhisperModel(name, device)\n",
        "class A:\n    def f(self):\n        self.device = 'cuda'\n        ct.models.A('d', device=self.device)\n",
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'\nx = y.to(device)\nct.Generator('d', device)\n",
        "p.add_argument('--device', default='cuda')\nargs = p.parse_args()\nct.Generator('d', device=args.device)\n",
    ],
)
def test_a_device_that_a_library_with_devices_of_its_own_is_given(code: str) -> None:
    assert classes(AWAY + code) == ["review"]
    away = AWAY.replace("ctranslate2", "mine").replace("faster_whisper", "mine")
    assert classes(away + code) == ["safe"]
    assert classes(AWAY + code.replace("WhisperModel", "f").replace("ct.", "mine.")) == ["safe"]


@pytest.mark.parametrize(
    "call",
    [
        "accelerate.InitProcessGroupKwargs(backend='nccl')",
        "accelerate.utils.InitProcessGroupKwargs('nccl', timeout=t)",
        "Given(backend='nccl')",
        "InitProcessGroupKwargs(backend='nccl')",
    ],
)
def test_accelerate_is_told_its_own_default_for_the_backend(call: str) -> None:
    imports = "import accelerate\nfrom accelerate import InitProcessGroupKwargs as Given\nimport torch\n"
    assert classes(f"{imports}x = {call}\n") == []
    assert classes(f"{imports}x = {call.replace('InitProcessGroupKwargs', 'f').replace('Given', 'f')}\n") != []


@pytest.mark.parametrize(
    ("code", "due"),
    [
        ("device = 'cuda:1'\nload({'cuda:0': device})", "device = 'npu:1'\nload({'cuda:0': device, 'npu:0': device})"),
        ("load({'cu' 'da:1': 'cuda:0'})", "load({'cu' 'da:1': 'npu:0', \"npu:1\": 'npu:0'})"),
        ("load({b'cuda:1': 'cuda:0'})", "load({b'cuda:1': 'npu:0'})"),
        (
            "device = torch.device('cuda:1')\nload({'cuda:0': device})",
            "device = torch.device('npu:1')\nload({'cuda:0': device, 'npu:0': device})",
        ),
        (
            "def f(p, device='cuda:1'):\n    load({f'cuda:{i}': device})",
            "def f(p, device='npu:1'):\n    load({f'cuda:{i}': device, f'npu:{i}': device})",
        ),
        (
            "p.add_argument('--device', default='cuda:1')\nload({'cuda:0': args.device})",
            "p.add_argument('--device', default='npu:1')\nload({'cuda:0': args.device, 'npu:0': args.device})",
        ),
        (
            "device = 'cuda:1'\nself.device = device\nload({'cuda:0': self.device})",
            "device = 'npu:1'\nself.device = device\nload({'cuda:0': self.device, 'npu:0': self.device})",
        ),
        ("device = 'cuda:1'\nload({'cpu': device})", "device = 'npu:1'\nload({'cpu': device})"),
        ("device = 'cuda:1'\nload({key: device})", None),
        ("device = 'cuda:1'\nload({'cuda:0': pick(device)})", None),
        (
            "device = torch.device('cuda:1')\nload({'cuda:0': str(device)})",
            "device = torch.device('npu:1')\nload({'cuda:0': str(device), 'npu:0': str(device)})",
        ),
        ("device = torch.device('cuda:0')\nload({str(device): 'cpu'})", None),
        ("load({'cuda:0': (device := 'cuda:1')})", None),
        ("device = 'cuda:1'\nload({'cuda:0': devices.get('main', device)})", None),
        (
            "device = torch.device('cuda:1')\nload({'cuda:0': f'{device.type}:0'})",
            "device = torch.device('npu:1')\nload({'cuda:0': f'{device.type}:0', 'npu:0': f'{device.type}:0'})",
        ),
        (
            "self.device = torch.device('cuda:1')\nload({'cuda:0': trainer.device.type})",
            "self.device = torch.device('npu:1')\nload({'cuda:0': trainer.device.type, 'npu:0': trainer.device.type})",
        ),
        (
            "def f(where):\n  load({'cuda:0': where})\nf(torch.device('cuda:1'))",
            "def f(where):\n  load({'cuda:0': where, 'npu:0': where})\nf(torch.device('npu:1'))",
        ),
        (
            "def f(where):\n  load({'cuda:0': where})\ndevice = 'cuda:1'\nf(device)",
            "def f(where):\n  load({'cuda:0': where, 'npu:0': where})\ndevice = 'npu:1'\nf(device)",
        ),
        (
            "def f():\n  device = 'cuda:1'\n  return device\nload({'cuda:0': f()})",
            None,
        ),
        ("devices = ['cuda:0', 'cuda:1']\nx.to(devices[1])\nload({devices[0]: devices[1]})", None),
        (
            "class T:\n  device = 'cuda:1'\n  def f(self):\n    load({'cuda:0': self.device})",
            "class T:\n  device = 'npu:1'\n  def f(self):\n    load({'cuda:0': self.device, 'npu:0': self.device})",
        ),
        ("old_device = 'cuda:0'\nload({old_device: 'cpu'})", None),
        ("def get_device():\n    return 'cuda:1'\nx.to(get_device())\nload({'cuda:0': get_device()})", None),
        ("load({key: 'cuda:1'})", None),
        ("load({'cuda:0': torch.device('cuda', rank())})", None),
        ("load({f'cuda:{i}': 'cuda:0' for i in range(8)})", None),
        ("here = {'cuda:0': torch.device('cuda:1')}\nload(here)", None),
        ("map_location['cuda:0'] = 'cuda:1'", None),
        (
            "map_location['cuda:0'] = torch.device('cuda:1')  # moved",
            "map_location['cuda:0'] = torch.device('npu:1')\nmap_location['npu:0'] = torch.device('npu:1')  # moved",
        ),
        (
            "if x: map_location['cuda:0'] = torch.device('cuda:1')",
            "if x: map_location['cuda:0'] = torch.device('npu:1'); map_location['npu:0'] = torch.device('npu:1')",
        ),
        (
            "if x:\n  map_location['cuda:%d' % 0] = (\n'cuda:%d' % r)",
            "if x:\n  map_location['cuda:%d' % 0] = (\n'npu:%d' % r)\n  map_location['npu:%d' % 0] = (\n'npu:%d' % r)",
        ),
        ("map_location['cpu'] = torch.device('cuda:1')", "map_location['cpu'] = torch.device('npu:1')"),
        ("map_location[key] = 'cuda:1'", None),
        ("map_location['cuda:0'] = other = 'cuda:1'", None),
        ("here['cuda:0'] = torch.device('cuda:1')\nload(here)", None),
        ("device = 'cuda:1'\nhere['cuda:0'] = device\nload(here)", None),
    ],
)
def test_a_device_that_a_checkpoint_goes_to_is_not_safe_without_the_targets_key(code: str, due: str | None) -> None:
    head = "import torch\nimport torch_npu\n"
    text = head + code.replace("load(", "torch.load(p, map_location=") + "\n"
    expected = head + (due or code).replace("load(", "torch.load(p, map_location=") + "\n"
    assert fixed(text, review=False) == expected
    found = findings(text)
    assert found
    if due is not None:
        done = apply_edits(text, found[0].fixes[0].edits)
        assert fixed(done, review=False) == expected


def test_a_comprehension_of_keys_has_those_of_either_device_after_review() -> None:
    head = "import torch\nimport torch_npu\nmap_location = "
    text = f"{head}{{f'cuda:{{i}}': 'cuda:0' for i in range(8)}}\n"
    due = "{**{f'cuda:{i}': 'npu:0' for i in range(8)}, **{f'npu:{i}': 'npu:0' for i in range(8)}}\n"
    assert fixed(text, review=False) == text
    assert fixed(text) == head + due


@pytest.mark.parametrize(
    ("code", "due"),
    [
        ("m = {'cpu': (1), ('cuda'): (2)}\nm[k]", "m = {'cpu': (1), ('cuda'): (2), ('npu'): (2)}\nm[k]"),
        ("m = {'cpu': 1, r'cuda': 2}\nm[k]", "m = {'cpu': 1, r'cuda': 2, r'npu': 2}\nm[k]"),
        ("f\"{ {'cuda': 1, 'cpu': 2}[k] }\"", "f\"{ {'cuda': 1, 'npu': 1, 'cpu': 2}[k] }\""),
        ("print(0, f\"{ {'cuda': 1, 'cpu': 2}[k] }\")", "print(0, f\"{ {'cuda': 1, 'npu': 1, 'cpu': 2}[k] }\")"),
    ],
)
def test_an_entry_is_written_as_the_one_beside_it_is(code: str, due: str) -> None:
    assert fixed(f"import torch\n{code}\n", review=False) == f"import torch\n{due}\n"


def test_what_a_generator_yields_is_the_item_of_the_loop_over_it() -> None:
    text = (
        "import torch\nimport torch_npu\n"
        "def devices(use):\n    yield {!r} if use else 'cpu'\n"
        "for device in devices(use):\n    torch.zeros(1, device=device)\n"
    )
    assert fixed(text.format("cuda:0"), review=False) == text.format("npu:0")
    (found,) = findings("import torch\ndef names():\n    yield 'first', 'cuda:0'\n")
    assert found.fixes[0].applicability == "review"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{'cuda:0': 'cuda:1'}", "{'cuda:0': 'npu:1', 'npu:0': 'npu:1'}"),
        ("{'cuda:0': 'cuda:1', 'cuda:1': 'cuda:0'}", None),
        ("{f'cuda:{i}': f'cuda:{j}'}", "{f'cuda:{i}': f'npu:{j}', f'npu:{i}': f'npu:{j}'}"),
        ("{'cuda:%d' % 0: 'cuda:%d' % r}", "{'cuda:%d' % 0: 'npu:%d' % r, 'npu:%d' % 0: 'npu:%d' % r}"),
        ("{'cpu': 'cuda:1'}", "{'cpu': 'npu:1'}"),
        ("{'cuda:0': 'cuda:1', 'npu:0': 'npu:1'}", "{'cuda:0': 'cuda:1', 'npu:0': 'npu:1'}"),
        ("{('cuda:0'): 'cuda:1'}", "{('cuda:0'): 'npu:1', ('npu:0'): 'npu:1'}"),
        ("{'cuda:0': ('cuda:1')}", "{'cuda:0': ('npu:1'), 'npu:0': ('npu:1')}"),
        (
            "{**rest, ( ('cuda:0')  # (old)\n): ('cuda:1' ) , 'cpu': 'cpu'}",
            "{**rest, ( ('cuda:0')  # (old)\n): ('npu:1' ), ( ('npu:0')  # (old)\n): ('npu:1' ) , 'cpu': 'cpu'}",
        ),
        ("{'cuda:0': torch.device('cuda:1')}", "{'cuda:0': torch.device('npu:1'), 'npu:0': torch.device('npu:1')}"),
        (
            "{'cuda:0': torch.device(type='cuda', index=i)}",
            "{'cuda:0': torch.device(type='npu', index=i), 'npu:0': torch.device(type='npu', index=i)}",
        ),
        ("{'cuda:0': 'cuda:1', \"npu:0\": 'npu:1'}", "{'cuda:0': 'cuda:1', \"npu:0\": 'npu:1'}"),
        ("{\n    'cuda:0': 'cuda:1',\n}", "{\n    'cuda:0': 'npu:1',\n    'npu:0': 'npu:1',\n}"),
        ("{\r\n\t'cuda:0': 'cuda:1'\r\n}", "{\r\n\t'cuda:0': 'npu:1',\r\n\t'npu:0': 'npu:1'\r\n}"),
    ],
)
def test_a_checkpoint_is_found_by_the_key_of_either_device(before: str, after: str | None) -> None:
    swapped = "{'cuda:0': 'npu:1', 'npu:0': 'npu:1', 'cuda:1': 'npu:0', 'npu:1': 'npu:0'}"
    text = f"import torch\nimport torch_npu\nx = torch.load(path, map_location={before})\n"
    done = fixed(text, review=False)
    assert done == text.replace(before, swapped if after is None else after)
    assert fixed(done) == done
    for finding in findings(text):  # applying fixes one at a time gives the same text as applying all at once
        assert apply_edits(text, finding.fixes[0].edits) == done


@pytest.mark.parametrize(
    ("code", "applicability"),
    [
        ("backend = dist.get_backend()\nif backend == 'nccl': pass", "safe"),
        ("def f():\n    backend = dist.get_backend(group).lower()\n    return backend in ['nccl']", "safe"),
        (
            "class A:\n    def f(self):\n        self.backend = get_backend()\n        assert self.backend == 'nccl'",
            "safe",
        ),
        ("backend = dist.get_backend()\nif late: backend = args.backend\nif backend == 'nccl': pass", "review"),
        ("def f(backend):\n    return backend == 'nccl'", "review"),
        ("backend = dist.get_backend()\n\n\ndef f(backend):\n    return backend == 'nccl'", "review"),
        ("kind = x.device.type\nif kind == 'cuda': pass", "review"),  # as `x.device.type == 'cuda'`
        ("for backend in dist.get_backend(), other:\n    print(backend == 'nccl')", "review"),
    ],
)
def test_next_to_a_patch_a_name_is_as_sure_as_what_it_holds(code: str, applicability: str) -> None:
    head = "from torch_npu.contrib import transfer_to_npu\nimport torch\nimport torch.distributed as dist\n"
    assert classes(f"{head}{code}\n", strategy="shim") == [applicability]


@pytest.mark.parametrize(
    "patch",
    [
        "torch.distributed.init_process_group = mine",
        "dist.init_process_group = mine",
        "setattr(dist, 'init_process_group', mine)",
    ],
)
def test_a_word_that_a_function_in_the_place_of_torchs_is_given_is_for_review(patch: str) -> None:
    text = f"import torch\nimport torch.distributed as dist\n{patch}\ndist.init_process_group('nccl')\n"
    assert classes(text) == ["review"]
    other = text.replace(patch, "self.init_process_group = mine\nsetattr(x, 'init_process_group', mine)")
    assert classes(other) == ["safe"]


@pytest.mark.parametrize(
    ("text", "package"),
    [
        ("faiss-gpu", True),
        ("faiss-gpu [a,b] >= 1.7, <2; python_version < '3.13'", True),
        ("onnxruntime-gpu~=1.2 --no-deps", True),
        ("cupy-cuda12x onnx==1.2", True),
        ("faiss-gpu is slow", False),
        ("onnxruntime-gpu was not found, falling back", False),
        ("faiss-gpu; the other one is faster", False),
        ("faiss-gpu = fast", False),
    ],
)
@pytest.mark.parametrize("code", ["need = package = {!r}", "def f(package):\n    return {!r}"])
def test_a_sentence_about_a_package_is_not_a_requirement(text: str, package: bool, code: str) -> None:
    engine = engine_for("npu", Settings(select=("gpu-package",), locale="en"))
    found = engine.check(Source(f"import torch\n{code.format(text)}\n")).findings
    assert bool(found) == package


@pytest.mark.parametrize(
    ("value", "severity"),
    [
        ("'onnxruntime-gpu' if cuda else 'onnxruntime'", "information"),
        ("'onnxruntime' if cpu else 'onnxruntime-gpu>=1.2'", "information"),
        ("'onnxruntime-gpu' if cuda else 'onnxruntime-directml'", "warning"),
        ("'onnxruntime-gpu'", "warning"),
    ],
)
def test_a_package_that_is_chosen_beside_the_one_for_the_cpu(value: str, severity: str) -> None:
    engine = engine_for("npu", Settings(select=("gpu-package",), locale="en"))
    (finding,) = engine.check(Source(f"import torch\npackage = {value}\n")).findings
    assert finding.severity == severity


def test_long_text_after_a_package_is_read_once() -> None:
    engine = engine_for("npu", Settings(select=("gpu-package",), locale="en"))
    start = time.process_time()
    for part in (" ", " a=", "==1", ",==1", " <1, "):
        engine.check(Source(f"import torch\npackage = 'faiss-gpu{part * 20_000} .'\n"))
    assert time.process_time() - start < 5


def test_the_backend_of_symmetric_memory_names_the_versions_that_have_their_own() -> None:
    """Ascend/pytorch has torch_npu/csrc/distributed/symm_mem from v7.3.0 on, that is torch_npu 2.7.1.post2, but not
    2.7.1, and registers no allocator for `torch.distributed._symmetric_memory.get_mem_pool`."""
    text = "import torch.distributed._symmetric_memory as symm_mem\nsymm_mem.set_backend('NCCL')\n"
    engine = engine_for("npu", Settings(select=("symmetric-memory-backend",), locale="en"))
    (found,) = engine.check(Source(text)).findings
    assert "from 2.7.1.post2, 2.8.0.post2 and 2.9.0 on: remove the call" in found.message
    assert "without `get_mem_pool()`" in found.message


GROWING = {
    "expressions": ("import re\nx = [{}]\n", 're.match("cuda:[0-9]", str(x.device)), '),
    "other expressions": ("import re\nx = [{}]\n", 're.match("cuda|gpu", x), x == "cuda", '),
    "removed operands": ("x = {}torch.cuda.is_available()\n", "torch.backends.cudnn.is_available() and "),
    "imports": ("{}if is_available(): pass\n", "from torch.cuda import is_available\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "part"), GROWING.values(), ids=GROWING)
def test_long_statements_take_time_in_proportion(text: str, part: str) -> None:
    def work(count: int) -> int:
        new, source = (
            engine_for("npu", Settings(locale="en")),
            Source("import torch\n" + text.replace("{}", part * count)),
        )
        return sum(steps(lambda: new.check(source)).values())

    work(90)  # fills the caches of the rules
    assert work(800) < 16 * work(100)


@pytest.mark.parametrize(("option", "due"), [("--vllm.device", ["safe", "safe"]), ("--vllm.kind", ["review", ""])])
def test_an_option_whose_name_has_a_dot(option: str, due: list[str]) -> None:
    """As in OpenRLHF, which makes an object of the options of each part of the program."""
    code = f"p.add_argument('{option}', default='cuda')\nif args.vllm.device == 'cuda':\n    import cupy\n"
    findings = engine_for("npu").check(Source("import argparse\nimport torch\n" + code)).findings
    found = [one for one in findings if one.rule == "device-string"]
    assert [one.fixes[0].applicability if one.fixes else "" for one in found] == due


@pytest.mark.parametrize(
    ("code", "due"),
    [
        ("model.encode(texts, device='cuda')", ["safe"]),
        ("model.encode(texts, device=['cpu', 'cuda'])", ["safe"]),
        ("'text'.encode('cuda')", []),
    ],
)
def test_a_model_that_encodes(code: str, due: list[str]) -> None:
    """As in sentence-transformers; the method of a string takes a name of an encoding."""
    findings = engine_for("npu").check(Source(f"import torch\nx = {code}\n")).findings
    assert [one.fixes[0].applicability for one in findings] == due


def test_a_device_without_an_index_where_one_is_needed() -> None:
    """As in DiffSynth-Studio: before torch_npu 2.10, `mem_get_info("npu")` raises."""
    text = 'import torch\n\nlimit = torch.cuda.mem_get_info("{0}")[1]\nx = torch.zeros(1, device="{0}")\n'
    old = engine_for("npu", Settings(locale="en", target_version="2.7.1"))
    assert 'torch.cuda.mem_get_info("cuda")' in old.fix(Source(text.format("cuda"))).text
    assert 'device="npu"' in old.fix(Source(text.format("cuda"))).text
    assert "cuda" not in old.fix(Source(text.format("cuda:0"))).text
    assert "cuda" not in engine_for("npu", Settings(locale="en")).fix(Source(text.format("cuda"))).text
    assert "cuda" not in engine_for("musa", Settings(locale="en")).fix(Source(text.format("cuda"))).text


@pytest.mark.parametrize(
    ("condition", "due"),
    [
        ("pycolmap.has_cuda and device.type == 'cuda'", ["review"]),
        ("device.type == 'cuda' and pycolmap.has_cuda()", ["review"]),
        ("pycolmap.has_sift and device.type == 'cuda'", ["safe"]),
        ("self.has_cuda and device.type == 'cuda'", ["safe"]),
        ("utils.has_cuda() and device.type == 'cuda'", ["safe"]),
        ("has_cuda and device.type == 'cuda'", ["review"]),
        ("pycolmap.has_cuda or device.type == 'cuda'", ["safe"]),
    ],
)
def test_a_device_on_which_another_library_has_cuda(condition: str, due: list[str]) -> None:
    """As in hloc: with a build of pycolmap for CUDA, the library would look for a CUDA device."""
    text = f"import pycolmap\nimport torch\nimport utils\nfrom pycolmap import has_cuda\nuse_gpu = {condition}\n"
    assert [f.fixes[0].applicability for f in findings(text) if f.rule == "device-string"] == due


SERVES_BOTH = """\
import torch
import torch.distributed as dist


class Mesh:
    def __init__(self, kind):
        self.{0} = "{1}" if kind == "gpu" else "{2}"

    def reduce(self):
        return 1 if self.{0} == "{1}" else 0
"""


@pytest.mark.parametrize(("name", "old", "new"), [("_backend", "nccl", "hccl"), ("device", "cuda", "npu")])
def test_a_variable_that_a_condition_gives_the_word_of_the_target_is_ported(name: str, old: str, new: str) -> None:
    """As in mindtorch's device_mesh.py: the value stays, so its comparison does."""
    text = SERVES_BOTH.format(name, old, new)
    assert fixed(text, review=False) == text
    other = SERVES_BOTH.format(name, old, "gloo" if name == "_backend" else "cpu")
    assert f'self.{name} == "{new}"' in fixed(other)
