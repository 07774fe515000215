"""Tests that a condition that asks for CUDA is not fixed if calls in the block that it guards would raise an exception
on the target."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.project import ACTS, Owner, Project
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
WAITS = {
    "a constant of a class that changes with that of another": (
        "SKIP = unittest.skipUnless(torch.cuda.is_available(), '')\n"
        "@SKIP\nclass Other(unittest.TestCase):\n    DEVICE = 'cuda'\n"
        "    def test(self):\n        torch.cuda.nccl.version()\n"
        "@unittest.skipUnless(torch.cuda.is_available(), '')\nclass Test(unittest.TestCase):\n    DEVICE = 'cuda'\n"
        "    def test(self):\n        torch.zeros(1, device=self.DEVICE)\n"
    ),
    "the version of the driver": (
        "from torch.utils.collect_env import get_nvidia_driver_version, run\n"
        "if torch.cuda.is_available():\n    driver = parse(get_nvidia_driver_version(run))\n"
    ),
    "a function that answers by returning": (
        "def fast(x):\n    if not a or x.device.type != 'cuda':\n        return False\n    return True\n"
        "if fast(x):\n    torch.cuda.nccl.version()\n"
    ),
    "a function that answers yes": (
        "def fast():\n    if torch.cuda.is_available():\n        return True  # only there\n    return False\n"
        "if fast():\n    torch.cuda.nccl.version()\n"
    ),
    "a function that answers below other code": (
        "def fast():\n    if torch.cuda.is_available():\n        # only there\n        print('GPU')\n"
        "        return (True)\n    return False\nif fast():\n    torch.cuda.nccl.version()\n"
    ),
    "a function that answers in one line": (
        "def fast():\n    if torch.cuda.is_available(): return 1\n    return 0\n"
        "if fast():\n    torch.cuda.nccl.version()\n"
    ),
    "a function that answers with CRLF": (
        "def fast():\r\n    if torch.cuda.is_available():\r\n        return True\r\n    return False\r\n"
        "if fast():\r\n    torch.cuda.nccl.version()\r\n"
    ),
    "a method that answers by returning": (
        "class A:\n    def fast(self, x):\n        if not x.is_cuda:\n            return False\n        return self.a\n"
        "    def f(self, x):\n        if self.fast(x):\n            torch.cuda.nccl.version()\n"
    ),
    "a flag that a block takes back": (
        "class A:\n    def init(self, x):\n        if x.device.type not in ('cuda', 'meta'):\n"
        "            warn('only on CUDA')\n            self.on = False\n"
        "    def start(self):\n        if not self.on:\n            return\n        torch.cuda.nccl.version()\n"
    ),
    "a flag that a block takes back, before a method": (
        "class A:\n    def init(self, x):\n        if not torch.cuda.is_available(): self.on = False\n"
        "    def start(self, now):\n        if self.on and now:\n            self.run()\n"
        "    def run(self):\n        torch.cuda.nccl.version()\n"
    ),
    "a flag that a block gives": (
        "on = False\nif torch.cuda.is_available():\n    # only there\n    on = True\n"
        "if on:\n    torch.cuda.nccl.version()\n"
    ),
    "not without CUDA": ("if not args.no_cuda and torch.cuda.is_available():\n    torch.cuda.nccl.version()\n"),
    "a flag before and": "ok = torch.cuda.is_available()\nif ok and torch.cuda.nccl.version() > (2, 0):\n    pass\n",
    "a flag in a value": "ok = torch.cuda.is_available()\nx = torch.cuda.nccl.version() if ok else None\n",
    "a flag that is denied": "ok = torch.cuda.is_available()\nx = None if not ok else torch.cuda.nccl.version()\n",
    "an attribute before and": (
        "class A:\n    def __init__(self):\n        self.cuda = torch.cuda.is_available()\n"
        "    def f(self):\n        return self.cuda and torch.cuda.nccl.version()\n"
    ),
    "for review": 'if torch.cuda.is_available():\n    torch.cuda.nvtx.range_push("x")\n',
    "by hand": "if x.is_cuda:\n    print(torch.cuda.nccl.version())\n",
    "elif": "if a:\n    pass\nelif x.device.type == 'cuda':\n    y = torch.cuda.nccl.version()\n",
    "a method of None": "if torch.cuda.is_available():\n    v = int(torch.version.cuda.split('.')[0])\n",
    "a provider of ONNX Runtime in a list": "if x == 'cuda':\n    providers.insert(0, ('CUDAExecutionProvider', {}))\n",
    "a condition": "if torch.cuda.is_available():\n    if torch.cuda.nccl.version() > (2, 18):\n        f()\n",
    "with": "if torch.cuda.is_available():\n    with f():\n        torch.cuda.nccl.version()\n",
    "else": "if not torch.cuda.is_available():\n    f()\nelse:\n    torch.cuda.nccl.version()\n",
    "early return": "def f():\n    if not x.is_cuda:\n        return 0\n    return torch.cuda.nccl.version()\n",
    "one line": "if torch.cuda.is_available(): torch.cuda.nccl.version()\n",
    "kept": "use_cuda = torch.cuda.is_available() and not a\nif use_cuda:\n    torch.cuda.nccl.version()\n",
    "kept in self": "def f(s):\n    s.cuda = x.is_cuda\ndef g(s):\n    if s.cuda:\n        torch.cuda.nccl.version()\n",
    "not always reached": "if torch.cuda.is_available():\n    if a:\n        torch.cuda.nccl.version()\n",
    "perhaps": "if torch.cuda.is_available():\n    f(a and torch.cuda.nccl.version())\n",
    "a function": "def f():\n    torch.cuda.nccl.version()\ndef g():\n    f()\nif x.is_cuda:\n    g()\n",
    "a method": (
        "class A:\n    def f(self):\n        torch.cuda.nccl.version()\n"
        "    def g(self, x):\n        if x.is_cuda:\n            self.f()\n"
    ),
    "a method of an object": (
        "class A:\n    def f(self):\n        torch.cuda.nccl.version()\nONE = A()\nif x.is_cuda:\n    ONE.f()\n"
    ),
    "a class that a function gives": (
        "def f():\n    class A:\n        def forward(x):\n            torch.cuda.nccl.version()\n    return A\n"
        "if x.is_cuda:\n    f().apply(x)\n"
    ),
    "a word that only one test says": "def f():\n    if kind == 'cuda':\n        torch.cuda.nccl.version()\n",
    "kept, and denied": (
        "def f():\n    ok = torch.cuda.is_available()\n    if not ok:\n        raise E\n    torch.cuda.nccl.version()\n"
    ),
    "a word": "def f(device, i):\n    if device.type == 'cuda':\n        return f'cuda:{i}'\n    return device\n",
    "an activity": "ok = x.is_cuda\nif ok:\n    a.append(torch.profiler.ProfilerActivity.CUDA)\n",
    "a member of an enumeration": (
        "class Kind(Enum):\n    CPU = 'cpu'\n    CUDA = 'cuda'\n"
        "def f(x):\n    if torch.cuda.is_available():\n        return Kind.CUDA\n    return Kind.CPU\n"
    ),
    "a constant": "GPU = 'cuda'\nkind = GPU if torch.cuda.is_available() else None\n",
    "a flag of a flag": "ok = torch.cuda.is_available()\nfast = ok and a\nif fast:\n    torch.cuda.nccl.version()\n",
    "a flag of a flag in self": (
        "class A:\n    def f(self):\n        ok = torch.cuda.is_available()\n        self.fast = not a and ok\n"
        "    def g(self):\n        if self.fast:\n            torch.cuda.nccl.version()\n"
    ),
    "a flag that a function gives": (
        "def f():\n    ok = torch.cuda.is_available()\n    return ok\nif f():\n    torch.cuda.nccl.version()\n"
    ),
    "all of several": "def f():\n    if not (x.is_cuda and y.is_cuda):\n        raise\n    torch.cuda.nccl.version()\n",
    "a word in a value": "devices = ('cpu',)\nif torch.cuda.is_available():\n    devices = devices + ('cuda:0',)\n",
    "words of a dictionary": "if torch.cuda.is_available():\n    kwargs = {'storing': 'cuda:0'}\n",
    "a scheduler's GPUs": "f({'num_gpus': 0.2 if torch.cuda.is_available() else None})\n",
    "an activity that is given": (
        "@pytest.mark.skipif(not torch.cuda.is_available(), reason='no')\ndef test_it():\n"
        "    f(activities=[torch.profiler.ProfilerActivity.CUDA])\n"
    ),
    "a package that is built for CUDA": (
        "cuda = torch.cuda.is_available()\ncheck_requirements(('onnx', 'onnxruntime-gpu' if cuda else 'onnxruntime'))\n"
    ),
    "a package that is built for CUDA, in a block": (
        "def f(device):\n    if device.type == 'cuda':\n        packages.append('faiss-gpu')\n"
    ),
    "a call in a class that a mark skips": (
        "@unittest.skipIf(not torch.cuda.is_available(), 'no')\nclass Test:\n    def test(self):\n"
        "        torch.cuda.nccl.version()\n"
    ),
    "a call in a file that a mark skips": (
        "pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='no')\ndef test():\n"
        "    torch.cuda.nccl.version()\n"
    ),
    "a GPU, as a library calls it": "t = Trainer(accelerator='gpu' if torch.cuda.is_available() else 'cpu')\n",
    "a number of GPUs for Lightning": (
        "import pytorch_lightning as pl\n@unittest.skipIf(not torch.cuda.is_available(), 'no')\nclass Test:\n"
        "    def test(self):\n        self.run_on(True)\n\n    def run_on(self, gpu):\n"
        "        t = pl.Trainer(max_epochs=1, gpus=int(gpu))\n"
    ),
    "a number of GPUs that depends on the device": (
        "import pytorch_lightning as pl\nif torch.cuda.is_available():\n    d = torch.device('cuda')\n"
        "    pl.Trainer(\n        gpus=None if d == torch.device('cpu') else 1,\n    )\n"
    ),
    "a GPU, kept for a library": "kind = 'cpu'\nif torch.cuda.is_available():\n    kind = 'gpu'\n",
    "an accelerator, as a library calls it": (
        "from lightning import Fabric\nkind = 'cpu'\nif torch.cuda.is_available():\n    kind = 'cuda'\n"
        "f = Fabric(accelerator=kind)\n"
    ),
    "a list beside a count": (
        "kinds = ['', 'cuda', 'cuda_ddp'] if torch.cuda.is_available() and torch.cuda.device_count() != 0 else ['']\n"
    ),
    "a provider of ONNX Runtime": "if d.type == 'cuda':\n    s.set_providers([('CUDAExecutionProvider', {})])\n",
    "where a checkpoint was saved": "map_location = None if torch.cuda.is_available() else 'cpu'\n",
    "where a checkpoint is loaded": "torch.load('a', map_location='cpu' if not torch.cuda.is_available() else None)\n",
    "a checkpoint in two ways": (
        "if torch.cuda.is_available():\n    a = torch.load('a')\nelse:\n    a = torch.load('a', map_location='cpu')\n"
    ),
    "a checkpoint in two ways, denied": (
        "if not torch.cuda.is_available():\n    a = torch.load('a', map_location='cpu')\n"
        "else:\n    a = torch.load('a')  # no map_location=\n"
    ),
    "a checkpoint behind a flag": (
        "ok = torch.cuda.is_available()\nif ok:\n    map_location = None\nelse:\n    map_location = 'cpu'\n"
    ),
    "a default tensor type": (
        "if torch.cuda.is_available():\n    if args.cuda:\n"
        "        torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
    ),
    "which load maps a checkpoint": (
        "a = torch.load('a') if torch.cuda.is_available() else torch.load('a', map_location=self.device)\n"
    ),
    "which load maps a checkpoint, denied": (
        "a = torch.load('a', map_location='cpu') if not torch.cuda.is_available() else torch.load('a')\n"
    ),
    "where a variable loads": (
        "at = None if torch.cuda.is_available() else 'cpu'\na = torch.load('a', map_location=at)\n"
    ),
    "where an object loads": "self.map_location = None if torch.cuda.is_available() else 'cpu'\n",
    "a callee nobody knows": (
        "from codec import Decoder\nDecoder(device=d if d is not None and d.type == 'cuda' else None)\n"
    ),
    "a function that is given": "if torch.cuda.is_available():\n    f(lambda: torch.cuda.nccl.version())\n",
    "a function of each way": (
        "if torch.cuda.is_available():\n    f = lambda: torch.cuda._sleep(9)\nelse:\n    f = lambda: None\n"
    ),
    "a definition of each way": (
        "if torch.cuda.is_available():\n    def f():\n        torch.cuda._sleep(9)\nelse:\n    def f(): pass\nf()\n"
    ),
    "a class of each way": (
        "if torch.cuda.is_available():\n    class A:\n        def f(self):\n            torch.cuda._sleep(9)\n"
        "else:\n    class A: pass\nA().f()\n"
    ),
    "a definition below": (
        "def g():\n    if not torch.cuda.is_available():\n        return h\n    def f():\n"
        "        try:\n            1\n        finally:\n            torch.cuda._sleep(9)\n    return f\n"
    ),
    "a definition that is tried": (
        "if torch.cuda.is_available():\n    try:\n        def f():\n            torch.cuda._sleep(9)\n"
        "    except E:\n        pass\n"
    ),
    "an expression of each way": "f = (lambda: torch.cuda._sleep(9)) if torch.cuda.is_available() else g\n",
    "a function by its name": "f = lambda: torch.cuda._sleep(9)\nif torch.cuda.is_available():\n    f()\n",
    "a function that calls what it is given": (
        "def f(a):\n    return list(map(lambda x: torch.cuda._sleep(x), a))\nif torch.cuda.is_available():\n    f(a)\n"
    ),
    "a generator": "if torch.cuda.is_available():\n    a = tuple(torch.cuda._sleep(x) for x in xs)\n",
    "a function within one that it is given to": (
        "def f():\n    def g():\n        torch.cuda._sleep(9)\n    run(g)\nif torch.cuda.is_available():\n    f()\n"
    ),
    "a function within one, by keyword": (
        "def f():\n    def g():\n        torch.cuda._sleep(9)\n    run(1, call=g)\nif x.is_cuda:\n    f()\n"
    ),
    "an item of what the target lacks": "if torch.cuda.is_available():\n    f(torch._C._cuda_getStreams[0].x)\n",
    "an attribute of what the target lacks": (
        "if x.is_cuda:\n    made = getattr(torch.cuda.sparse, name)\nelse:\n    made = getattr(torch.sparse, name)\n"
    ),
    "a program that is started": (
        "if torch.cuda.is_available():\n    command.extend(['--device', 'cuda'])\n"
        "else:\n    command.extend(['--device', 'cpu'])\n"
    ),
    "a library of CUDA": "if torch.cuda.is_available():\n    torch.backends.cuda.preferred_blas_library('cublaslt')\n",
    "the device of ONNX Runtime in the block": (
        "import onnxruntime\nif x.device.type == 'cuda':\n    assert onnxruntime.get_device() == 'GPU'\n"
    ),
    "two questions": "if torch.cuda.is_available() and x.is_cuda:\n    torch.cuda.nccl.version()\n",
}
WAITS |= {
    "a wrapper for several devices": "if torch.cuda.device_count() > 1:\n    net = torch.nn.DataParallel(net)\n",
    "a wrapper for several devices, behind a number": (
        "count = torch.cuda.device_count()\nif count > 1:\n    net = torch.nn.DataParallel(net)\n"
    ),
    "a wrapper for several devices, after a return": (
        "def wrap(net):\n    if torch.cuda.device_count() <= 1:\n        return net\n"
        "    return torch.nn.DataParallel(net)\n"
    ),
}
GOES_ON = {
    "a constant of another class": (
        "class Other:\n    DEVICE = 'xpu'\n    HOST = 'cpu'\n"
        "@unittest.skipUnless(torch.cuda.is_available(), '')\nclass Test(unittest.TestCase):\n"
        "    def test(self):\n        self.DEVICE, self.HOST\n"
    ),
    "caught": "if torch.cuda.is_available():\n    try:\n        torch.cuda.nccl.version()\n    except E:\n        1\n",
    "the providers of ONNX Runtime": (
        "import onnxruntime\nif torch.cuda.is_available():\n    f(onnxruntime.get_available_providers())\n"
    ),
    "the default library": "if x.is_cuda:\n    torch.backends.cuda.preferred_blas_library('default')\n",
    "the library that is set": "if x.is_cuda:\n    f(torch.backends.cuda.preferred_linalg_library())\n",
    "defined, for whom nobody knows": "f = lambda: torch.cuda.nccl.version()\nif x.is_cuda:\n    g()\n",
    "kept in an object": "def f():\n    a = {1: lambda: torch.cuda.nccl.version()}\nif x.is_cuda:\n    f()\n",
    "a function within one, kept": (
        "def f():\n    def g():\n        torch.cuda._sleep(9)\n    a.g = g\nif x.is_cuda:\n    f()\n"
    ),
    "the other block": "if torch.cuda.is_available():\n    f()\nelse:\n    torch.cuda.nccl.version()\n",
    "below": "if torch.cuda.is_available():\n    f()\ntorch.cuda.nccl.version()\n",
    "a wrapper for several devices, which is stored": (
        "if torch.cuda.device_count() > 1:\n    kind = torch.nn.DataParallel\n"
    ),
    "a wrapper in a function": (
        "def train(net):\n    net = torch.nn.DataParallel(net)\nif torch.cuda.is_available():\n    train(net)\n"
    ),
    "a wrapper behind a flag": "ok = torch.cuda.is_available()\nif ok:\n    net = torch.nn.DataParallel(net)\n",
    "the name of a mode": "mode = 'multi-gpu' if torch.cuda.device_count() > 1 else 'single-gpu'\n",
    "a label": "print('gpu' if torch.cuda.is_available() else 'cpu')\n",
    "a key": "if torch.cuda.is_available():\n    found = {'gpu': torch.cuda.device_count()}\n",
    "printed": "if torch.cuda.is_available():\n    print(torch.version.cuda)\n",
    "reported": "if torch.cuda.is_available():\n    info['CUDA'] = torch.version.cuda\n",
    "printed from a variable": "if torch.cuda.is_available():\n    v = torch.version.cuda\n    print(v)\n",
    "a checkpoint for each": (
        "b = torch.load('a', map_location='cuda') if torch.cuda.is_available() else torch.load('a', 'cpu')\n"
        "if torch.cuda.is_available():\n    a = torch.load('a', map_location='cuda:0')\nelse:\n"
        "    a = torch.load('a', map_location='cpu')\n"
    ),
    "another load": (
        "if torch.cuda.is_available():\n    a = json.load('a')\n    a.to('cuda')\nelse:\n    f(map_location='cpu')\n"
    ),
    "a comment on loading": (
        "if torch.cuda.is_available():\n    a = torch.load('a')\nelse:\n    # without map_location=\n    pass\n"
    ),
    "kept elsewhere": "def f():\n    gpu = x.is_cuda\ndef g(gpu):\n    if gpu:\n        torch.cuda.nccl.version()\n",
    "a flag that a block does not always take back": (
        "if not torch.cuda.is_available() and a:\n    on = False\nif on:\n    torch.cuda.nccl.version()\n"
    ),
    "a flag that a block below takes back": (
        "if not torch.cuda.is_available():\n    if a:\n        on = False\nif on:\n    torch.cuda.nccl.version()\n"
    ),
    "a flag of the other devices": (
        "if not torch.cuda.is_available():\n    on = True\nif on:\n    torch.cuda.nccl.version()\n"
    ),
    "a flag of another function": (
        "def f():\n    if not torch.cuda.is_available():\n        on = False\n"
        "def g(on):\n    if on:\n        torch.cuda.nccl.version()\n"
    ),
    "a flag in a text": (
        'if not torch.cuda.is_available():\n    f("""\non = False\n""")\nif on:\n    torch.cuda.nccl.version()\n'
    ),
    "kept with more": "use_cuda = torch.cuda.is_available() or a\nif use_cuda:\n    torch.cuda.nccl.version()\n",
    "a question with a name": "device = 'cuda'\nx.to(device)\nif device == 'cuda':\n    torch.cuda.nccl.version()\n",
}

OPTION = "p.add_argument('--device', choices=['cpu', 'cuda'], default='cuda')\nargs = p.parse_args()\n"
TESTED = "    if device == 'cuda':\n        {0}\n"
GIVEN = {
    "by position": f"def f(x, device):\n{TESTED}f(1, args.device)\n",
    "by keyword": f"def f(x, *, device):\n{TESTED}f(1, device=args.device)\n",
    "through a name": f"def f(device):\n{TESTED}def g():\n    kind = args.device\n    f(kind)\n",
    "through another function": f"def f(device):\n{TESTED}def g(kind):\n    f(kind.lower())\ng(args.device)\n",
    "to a method": f"class A:\n    def f(self, device):\n    {TESTED}    def g(self):\n        self.f(args.device)\n",
    "to a class": f"class A:\n    def __init__(self, x, device):\n    {TESTED}A(1, args.device or 'cpu')\n",
    "to a name": "device = getattr(args, 'device', None)\nif device == 'cuda':\n    {0}\n",
    "a part of it": "device = str(args.device).split(':')[0]\nif device == 'cuda':\n    {0}\n",
    "in one of two ways": f"def f(device):\n{TESTED}f(args['device'] if a else 'cpu')\n",
}


@pytest.mark.parametrize("name", GIVEN)
def test_an_option_waits_for_the_tests_of_what_it_gives(name: str) -> None:
    code = GIVEN[name].replace("    {0}", "        {0}") if "class A" in GIVEN[name] else GIVEN[name]
    stays = HEAD + OPTION + code.format("torch.cuda.nccl.version()")
    assert ENGINE.fix(Source(stays)).text == stays
    goes = HEAD + OPTION + code.format("torch.cuda.synchronize()")
    assert "cuda" not in ENGINE.fix(Source(goes)).text


def test_an_option_waits_however_many_other_names_are_tested() -> None:
    others = "".join(f"def f{n}(x{n}):\n    if x{n} == 'cuda':\n        pass\n" for n in range(110))
    text = HEAD + OPTION + others + f"def f(device):\n{TESTED}f(args.device)\n".format("torch.cuda.nccl.version()")
    assert OPTION in ENGINE.fix(Source(text)).text


def test_an_option_does_not_wait_for_the_tests_of_others() -> None:
    text = HEAD + OPTION + f"def f(x, device):\n{TESTED}f(args.device, other)\n".format("torch.cuda.nccl.version()")
    assert ENGINE.fix(Source(text)).text == text.replace("'cuda']", "'npu']").replace("default='cuda'", "default='npu'")


@pytest.mark.parametrize("name", WAITS)
def test_a_question_waits_for_what_raises_in_its_block(name: str) -> None:
    text = HEAD + WAITS[name]
    assert ENGINE.fix(Source(text)).text == text
    questions = [f for f in ENGINE.check(Source(text)).findings if f.rule in ("cuda-api", "is-cuda", "device-string")]
    assert questions and {finding.fixes[0].applicability for finding in questions} == {"review"}
    assert ENGINE.fix(Source(text), review=True).text != text


@pytest.mark.parametrize("name", GOES_ON)
def test_a_question_does_not_wait_for_what_may_not_run(name: str) -> None:
    text = HEAD + GOES_ON[name]
    assert ENGINE.fix(Source(text)).text != text


def test_what_runs_only_behind_a_question_waits_with_it() -> None:
    text = HEAD + "if torch.cuda.is_available():\n    torch.cuda.synchronize()\n    torch.cuda.nccl.version()\n"
    assert ENGINE.fix(Source(text)).text == text
    question, behind, _ = ENGINE.check(Source(text)).findings
    assert "is not changed by a safe fix" in question.message
    assert "it runs only where a question that stays" in behind.message
    assert [fix.applicability for finding in (question, behind) for fix in finding.fixes] == ["review", "review"]


def test_only_functions_wait_with_the_mark_of_their_file() -> None:
    text = HEAD + "pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='no')\n"
    text += "class Test:\n    device = torch.device('cuda')\n    def test(self):\n        {}\n        x.cuda()\n"
    text += "device = torch.device('cuda')\n"
    waits = text.format("torch.cuda.nccl.version()")
    assert ENGINE.fix(Source(waits)).text == waits.replace("torch.device('cuda')", "torch.device('npu')")
    moves = text.format("run()")
    assert ENGINE.fix(Source(moves)).text == moves.replace("cuda", "npu")


ONLY_CALLED = {
    "a function": "def _fast(x):\n    return x.cuda()\n",
    "a function of a function": "def _move(x):\n    return x.cuda()\ndef _fast(x):\n    return _move(x)\n",
    "a class in a function": (
        "def _fast(x):\n    class Fast:\n        def forward(self):\n            x.cuda()\n    return Fast()\n"
    ),
    "a function that is kept in a cache": "@functools.lru_cache\ndef _fast(x):\n    return x.cuda()\n",
}
ALSO_CALLED = {
    "a public function": "def fast(x):\n    return x.cuda()\n",
    "a function with another caller": "def _fast(x):\n    return x.cuda()\ndef g(x):\n    return _fast(x)\n",
    "a function that is registered": "@register\n# for all\ndef _fast(x):\n    return x.cuda()\n",
    "a function that is looked up": "def _fast(x):\n    return x.cuda()\nfast = globals()['_fast']\n",
}


@pytest.mark.parametrize("name", [*ONLY_CALLED, *ALSO_CALLED])
def test_a_function_waits_with_the_only_question_behind_which_it_is_called(name: str) -> None:
    code = ONLY_CALLED.get(name) or ALSO_CALLED[name]
    call = "fast" if name == "a public function" else "_fast"
    text = HEAD + code + f"def f(x):\n    if x.is_cuda:\n        {{}}\n        return {call}(x)\n    return x + 1\n"
    moves = text.format("run()")
    assert ENGINE.fix(Source(moves)).text == moves.replace("cuda", "npu")
    waits = text.format("torch.cuda.nccl.version()")
    expected = waits if name in ONLY_CALLED else waits.replace(".cuda()", ".npu()")
    assert ENGINE.fix(Source(waits)).text == expected


def test_a_function_waits_with_all_questions_behind_which_it_is_called() -> None:
    text = HEAD + "def _fast(x):\n    return x.cuda()\n"
    asking = "if {}.is_cuda:\n    torch.cuda.nccl.version()\n    _fast(x)\n"
    text += asking.format("x") + asking.format("y")
    assert ENGINE.fix(Source(text)).text == text


@pytest.mark.slow
def test_a_long_chain_of_functions_waits_with_the_question_behind_which_it_is_called() -> None:
    """Functions that call each other are followed without recursion, because Python limits its depth."""
    count = 1000
    chain = "".join(f"def _g{i}():\n    torch.cuda.synchronize()\n    _g{i - 1}()\n" for i in range(1, count))
    text = HEAD + chain + f"if torch.cuda.is_available():\n    torch.cuda.nccl.version()\n    _g{count - 1}()\n"
    assert len(ENGINE.check(Source(text)).findings) == count + 1
    assert ENGINE.fix(Source(text)).text == text
    assert "torch.npu" in ENGINE.fix(Source(text + "_g7()\n")).text


BEHIND = {
    "a flag in a value": "ok = kind == 'cuda'\nx = torch.cuda.current_device() if ok else 0\n",
    "a flag before and": "ok = kind == 'cuda'\nif ok and torch.cuda.current_device() > 0:\n    pass\n",
    "a flag": "ok = kind == 'cuda'\nif ok:\n    f(torch.cuda.current_device())\n",
    "a flag of a flag": "ok = kind == 'cuda'\nfast = ok and a\nif fast:\n    f(torch.cuda.current_device())\n",
    "a word for review": "if kind == 'cuda':\n    f(torch.cuda.current_device())\n",
    "a backend": (
        "import torch.accelerator\nif torch.distributed.get_backend() == torch.distributed.Backend.NCCL:\n"
        "    f(torch.cuda.current_device())\n"
    ),
    "a case": "import torch.accelerator\nmatch kind:\n    case 'cuda':\n        f(torch.cuda.current_device())\n",
    "the rest": "def f(kind):\n    if kind != 'cuda':\n        return\n    f(torch.cuda.current_device())\n",
    "denied": "if name != 'nccl':\n    pass\nelse:\n    torch.cuda.synchronize()\n",
}


@pytest.mark.parametrize("name", BEHIND)
def test_what_runs_behind_a_question_for_review_is_for_review(name: str) -> None:
    text = HEAD + BEHIND[name]
    assert ENGINE.fix(Source(text)).text == text
    assert ENGINE.fix(Source(text), review=True).text != text


def test_a_question_waits_for_a_method_that_is_for_review() -> None:
    """The condition is not fixed: the project's `cuda()` method does more than move the object, so the fix of `.cuda()`
    needs review, and without that fix the call raises on the target."""
    owner = Owner("cuda", "Quantized", ACTS)
    text = HEAD + "if torch.cuda.is_available():\n    model = model.cuda()\n"
    assert ENGINE.fix(Source(text)).text == text.replace("cuda", "npu")
    assert ENGINE.knowing(Project(owners=frozenset({owner}))).fix(Source(text)).text == text


def test_a_question_waits_for_the_random_state_that_a_function_within_is_given() -> None:
    """The condition is not fixed: `cb` is passed to `_lazy_call`, and reads generators whose fix for MUSA needs
    review."""
    engine = engine_for("musa", Settings(locale="en", strategy="rewrite", target_version="2.7.1"), Project())
    text = """\
import torch
from torch.cuda import _lazy_call
def set_state(state, device):
    def cb():
        torch.cuda.default_generators[device.index].set_state(state)
    _lazy_call(cb)
class Tracker:
    def add(self, seed):
        set_state(seed, 0)
TRACKER = Tracker()
def seed_all(seed):
    if torch.cuda.is_available():
        torch.cuda.manual_seed(seed)
        TRACKER.add(seed)
"""
    assert engine.fix(Source(text)).text == text


@pytest.mark.parametrize("question", ["torch.has_cuda", "torch.backends.cuda.is_built()"])
def test_a_device_behind_a_question_for_the_build_needs_review(question: str) -> None:
    """The question stays, and is false on the target."""
    text = HEAD + f"if {question}:\n    device = torch.device('cuda:0')\nelse:\n    device = torch.device('cpu')\n"
    assert ENGINE.fix(Source(text)).text == text
    choice = HEAD + f"device = torch.device('cuda' if {question} else 'cpu')\n"
    assert ENGINE.fix(Source(choice)).text == choice


CLASS_METHODS = """
class Device:
    @{0}
    def query(index=0):
        return torch.cuda.nccl.version()

    def other(self):
        torch.cuda.synchronize()


def resolve():
    if not torch.cuda.is_available():
        return None
    return Device.{1}(0)
"""


@pytest.mark.parametrize("decorator", ["staticmethod", "classmethod"])
def test_a_question_waits_for_a_method_that_is_called_by_the_name_of_its_class(decorator: str) -> None:
    text = HEAD + CLASS_METHODS.format(decorator, "query")
    assert ENGINE.fix(Source(text)).text == text.replace("cuda.synchronize", "npu.synchronize")
    other = HEAD + CLASS_METHODS.format(decorator, "other")
    assert "torch.npu.is_available" in ENGINE.fix(Source(other)).text


def test_typing_beside_a_method_that_is_called_by_the_name_of_its_class() -> None:
    typed = ("x = Device.query()", "class Device:", "if torch.cuda.is_available():", "def query(self):", "")
    type_in_each_line(HEAD + CLASS_METHODS.format("classmethod", "query"), typed, 0)


def test_of_several_questions_the_last_waits() -> None:
    text = HEAD + "def f():\n    if not x.is_cuda:\n        return 0\n    if not y.is_cuda:\n        return 1\n"
    text += "    return torch.cuda.nccl.version()\n"
    assert ENGINE.fix(Source(text)).text == text.replace("x.is_cuda", "x.is_npu")


def test_a_question_waits_for_a_word_that_waits_with_another() -> None:
    """If an `if` that asks for CUDA is not fixed, and its block passes a device string to a function, no device string
    that is passed to this function is fixed."""
    guarded = "if torch.cuda.is_available():\n    {}batch('cuda')\n    torch.cuda.synchronize()\n"
    text = HEAD + "def batch(device):\n    return x.to(device)\n" + guarded.format("")
    assert ENGINE.fix(Source(text)).text == text.replace("cuda", "npu")
    text += guarded.format("torch.cuda.nccl.version()\n    ")
    assert ENGINE.fix(Source(text)).text == text


@pytest.mark.parametrize("count", [3, 400])
def test_an_answer_is_followed_from_name_to_name(count: int) -> None:
    """If the result of a condition that asks for CUDA is assigned to more names than are traced, the condition is not
    fixed."""
    text = HEAD + "f0 = torch.cuda.is_available()\n" + "".join(f"f{n + 1} = f{n} and a\n" for n in range(count))
    assert ENGINE.fix(Source(text + f"if f{count}:\n    torch.cuda.synchronize()\n")).text == (
        text.replace("cuda", "npu") + f"if f{count}:\n    torch.npu.synchronize()\n"
        if count == 3
        else text + f"if f{count}:\n    torch.npu.synchronize()\n"
    )
    text += f"if f{count}:\n    torch.cuda.nccl.version()\n"
    assert ENGINE.fix(Source(text)).text == text


def test_names_are_those_of_their_function() -> None:
    head = HEAD + "use = torch.cuda.is_available()\n"
    one = "def g():\n    fast = use\n    if fast:\n        torch.cuda.synchronize()\n"
    other = "def f():\n    fast = use\n    if fast:\n        torch.cuda.nccl.version()\n"
    for text in (head + one + other, head + other + one):
        assert ENGINE.fix(Source(text)).text == text


def test_questions_wait_for_one_another_as_far_as_they_are_followed() -> None:
    """The device strings of each function are fixed only together with those of the previous one, however many
    functions there are."""
    count = 12
    parts = [f"def f{n}(a{n}_device, b{n}_device=None):\n    x.to(a{n}_device)\n" for n in range(count + 1)]
    for n in range(count):
        parts.append(f"if torch.cuda.is_available():\n    f{n}('cuda')\n    f{n + 1}('cuda')\n")
    text = HEAD + "".join(parts)
    assert ENGINE.fix(Source(text)).text == text.replace("cuda", "npu")
    text += "if torch.cuda.is_available():\n    torch.cuda.nccl.version()\n    f0('cuda')\n"
    assert ENGINE.fix(Source(text)).text == text


@pytest.mark.parametrize(
    ("target", "use", "kept"),
    [
        ("npu", "torch.cuda._lazy_call(f)", True),  # what `f` does is not known
        ("npu", "x = y.to(torch.get_autocast_gpu_dtype())", False),
        ("musa", "x = y.to(torch.get_autocast_gpu_dtype())", True),
        ("npu", "torch.cuda.synchronize()", False),
    ],
)
def test_what_is_silently_wrong_keeps_the_test_around_it(target: str, use: str, kept: bool) -> None:
    text = f"import torch\nif torch.cuda.is_available():\n    {use}\n"
    found = engine_for(target, Settings(locale="en")).check(Source(text)).findings
    (test,) = (one for one in found if one.rule == "cuda-api" and "is_available" in one.message)
    assert (test.fixes[0].applicability == "safe") != kept
    (other,) = (one for one in found if one is not test)
    assert other.severity == ("error" if "synchronize" in use else "warning")


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize(
    ("use", "stays"), [("torch.version.cuda.split('.')", True), ("print(torch.version.cuda)", False)]
)
def test_a_question_waits_for_a_method_of_what_is_none_there(target: str, use: str, stays: bool) -> None:
    engine = engine_for(target, Settings(locale="en"))
    text = f"import torch\nimport torch_{target}\nif torch.cuda.is_available():\n    {use}\n"
    done = engine.fix(Source(text)).text
    assert done == (text if stays else text.replace("cuda.is", f"{target}.is"))


@pytest.mark.parametrize("asked", ["str(device) == 'cuda'", "torch.cuda.is_available()"])
def test_a_question_beside_the_device_of_onnx_runtime_has_no_fix(asked: str) -> None:
    code = (
        f"import onnxruntime as ort\ndef f(device):\n    if {asked} and ort.get_device() != 'GPU':\n        raise E\n"
    )
    findings = ENGINE.check(Source(HEAD + code)).findings
    assert len(findings) == 2 and not any(finding.fixes for finding in findings)


def test_a_question_waits_for_what_is_asked_of_cudas_module_by_its_name() -> None:
    """As in torch-harness: the numbers would be CUDA's, under a question about the target."""
    code = (
        "def facts():\n    if not torch.cuda.is_available():\n        return {}\n"
        "    cuda = getattr(torch, 'cuda', None)\n    return {'used': cuda.memory_allocated()}\n"
    )
    assert ENGINE.fix(Source(HEAD + code)).text == HEAD + code
    type_in_each_line(HEAD + code, ("cuda = getattr(torch, 'npu', None)", "cuda = getattr(torch, 'cuda', None)"), 3)


PARSING = """import torch


def init(path):
    net = Net()
    if torch.cuda.is_available():
        {}
        net.load_state_dict(torch.load(path))
    else:
        net.load_state_dict(torch.load(path, map_location="cpu"))
    return net


def run(net, x):
    if torch.cuda.is_available():
        x = x.cuda()
    return net(x)
"""


@pytest.mark.parametrize(
    ("moved", "due"),
    [
        ("net.cuda()", "review"),
        ("net.to(device)", "review"),
        ("x = x.to(torch.float32)", "safe"),
        ("net.eval()", "safe"),
    ],
)
def test_an_input_moves_with_a_model_that_is_moved_where_it_is_loaded(moved: str, due: str) -> None:
    """As in MuseTalk's face parsing: the model stayed on the CPU, and its input moved."""
    text = PARSING.format(moved)
    findings = engine_for("npu", Settings(locale="en")).check(Source(text)).findings
    found = [one for one in findings if one.span.start > text.index("def run") and one.fixes]
    assert [one.fixes[0].applicability for one in found] == [due, due]


def test_a_model_that_is_moved_where_it_is_loaded_is_typed() -> None:
    text = PARSING.format("net.cuda()")
    type_in_each_line(
        text, ("net.cuda()", "torch.load(path)", "map_location='cpu'", "if torch.cuda.is_available():"), 6
    )
