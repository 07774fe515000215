"""Tests whether a string has a meaning in torch or only in the checked code; strings with a meaning only in the code
change together or not at all."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.edits import apply_edits
from uncuda.engine import Finding
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}


def head(target: str) -> str:
    return f"import torch\nimport torch_{target}\nimport torch.distributed as dist\n"


def findings(code: str, target: str = "npu") -> list[Finding]:
    return list(ENGINES[target].check(Source(head(target) + code)).findings)


def classes(code: str, target: str = "npu") -> list[tuple[str, str]]:
    """Return the rule and the fix class of each finding, in order."""
    return [(f.rule, f.fixes[0].applicability if f.fixes else "manual") for f in findings(code, target)]


def fixed(code: str, review: bool = False, target: str = "npu") -> str:
    text = ENGINES[target].fix(Source(head(target) + code), review).text
    assert ENGINES[target].fix(Source(text), review).text == text
    return text.removeprefix(head(target))


@pytest.mark.parametrize(
    "code",
    [
        "ok = inference_moe_token_dispatcher_type == 'nccl'\n",
        "ok = 'nccl' != config.kind\n",
        "ok = kind in ('nccl', 'shared')\n",
        "match kind:\n    case 'nccl': pass\n",
        "kind = 'nccl'\nok = kind == 'nccl'\n",
        "p.add_argument('--copy', default='nccl')\nok = args.copy == 'nccl'\n",
        "p.add_argument('--refit-method', default='nccl', choices=['nccl', 'gloo', 'nvshmem'])\n",
        "def f(backend):\n    if backend == 'nvshmem': pass\n    elif backend == 'nccl': pass\n",
        "Name = Literal['nccl', 'gloo', 'nvshmem']\ndef f(backend: Name = 'nccl'):\n    return backend == 'nccl'\n",
        "class A:\n    backend: Literal['nccl', 'nvshmem'] = 'nccl'\n",
    ],
)
def test_a_word_of_the_program_is_told_and_stays(code: str) -> None:
    assert set(classes(code)) == {("nccl-word", "manual")}
    assert {finding.severity for finding in findings(code)} == {"information"}
    assert fixed(code, review=True) == code


@pytest.mark.parametrize(
    "code",
    [
        "ok = my_backend == 'nccl'\n",
        "ok = dist.get_backend() == 'nccl'\n",
        "kind = dist.get_backend()\nok = kind == 'nccl'\n",
        "kind = 'nccl'\nok = kind == 'nccl'\ndist.init_process_group(kind)\n",
        "p.add_argument('--comm', default='nccl', choices=['nccl', 'gloo'])\nok = args.comm == 'nccl'\n",
        "p.add_argument('--comm', default='nccl', choices=['nccl', 'xccl'])\n",
        "def f(backend='nccl'):\n    if backend == 'nvshmem': g()\n    dist.init_process_group(backend)\n",
    ],
)
def test_a_word_that_torch_gets_is_its_backend(code: str) -> None:
    assert {applicability for _, applicability in classes(code)} == {"safe"}
    assert "nccl" not in fixed(code)


def test_the_choices_of_one_parameter_are_not_anothers() -> None:
    code = "Name = Literal['nccl', 'nvshmem']\ndef f(backend='nccl', other: Name = ''):\n    return backend == 'nccl'\n"
    assert classes(code)[-2:] == [("nccl-backend", "safe"), ("nccl-check", "safe")]


@pytest.mark.parametrize("name", ["pg", "pg_type", "dist_kind", "process_group_kind"])
def test_a_name_that_may_be_a_backend_is_for_review(name: str) -> None:
    assert classes(f"ok = {name} == 'nccl'\n") == [("nccl-check", "review")]


def test_a_part_of_a_name_may_be_anything() -> None:
    assert classes("ok = 'NCCL' in key\n") == [("nccl-check", "review")]


def test_next_to_a_patch_a_word_of_the_program_is_silent() -> None:
    engine = engine_for("npu", Settings(locale="en", strategy="shim"))
    assert not engine.check(Source("import torch\nok = kind == 'nccl'\n")).findings


def test_a_value_stays_with_a_test_that_cannot_change() -> None:
    code = "def f(device='cuda'):\n    return device[:n] == 'cuda'\n"
    assert classes(code) == [("device-string", "manual")] * 2
    assert fixed(code, target="musa") == code.replace("cuda", "musa")  # "musa" has as many letters as "cuda"
    assert fixed(code.replace(":n", ":4")) == code.replace("cuda", "npu").replace(":n", ":3")


STATS = """
class Stats:
    def volume(self, device_type):
        if device_type == "cuda":
            return 1

    def run(self):
        return self.volume("cuda") + self.volume(device_type="cuda")


stats = Stats()
stats.volume("cuda")
Stats().volume("cuda")
"""
PLACE = """
def place(x, where, mode="cpu"):
    if mode == "cuda":
        x.copy()
    return x.to(where)


place(x, "cuda")
place(x, "cuda:0", mode="cuda")
place(x, "cpu", "cuda")
"""
CLICK = """
@click.option("--where", type=click.Choice(["cuda", "cpu"]), default="cuda")
@click.option("--half")
def main(where, half):
    torch.load(path, map_location=where)
"""
TESTED = """
@pytest.mark.parametrize("name", ["cuda", "cpu"])
def test(name):
    if name == "cuda":
        torch.ones(2, device=name)
"""


FIELDS = """
@dataclass
class Config:
    seed: int
    device: str = "cuda"

    def fast(self):
        return self.device == "cuda"


Config(1, "cuda")
Config(seed=1, device="cuda")
"""


@pytest.mark.parametrize("code", [STATS, CLICK, TESTED, FIELDS])
def test_what_is_passed_changes_with_the_parameter(code: str) -> None:
    found = findings(code)
    assert {finding.fixes[0].applicability for finding in found} == {"safe"}
    assert len({finding.fixes[0].edits for finding in found}) == 1
    assert fixed(code) == code.replace('"cuda"', '"npu"')


def test_a_field_by_any_name_changes_with_what_it_is_given() -> None:
    code = FIELDS.replace("device", "mode")
    found = findings(code)
    assert {finding.fixes[0].applicability for finding in found} == {"review"}
    assert len({finding.fixes[0].edits for finding in found}) == 1
    own = FIELDS.replace("    seed: int", "    def __init__(self, seed, kind):\n        f(kind)\n")
    assert [f.fixes[0].applicability for f in findings(own)] == ["safe", "safe", "review", "safe"]


def test_each_parameter_is_a_word_of_its_own() -> None:
    wanted = PLACE.replace('"cuda")', '"npu")', 1).replace('"cuda:0"', '"npu:0"')
    assert fixed(PLACE) == wanted
    assert fixed(PLACE, review=True) == PLACE.replace("cuda", "npu")


def test_a_call_that_is_not_resolved_stays_for_review() -> None:
    code = "def place(name):\n    return x.to(name)\n\n\nother.place('cuda')\nplace(*more, 'cuda')\n"
    assert classes(code) == [("device-string", "review")] * 2


def test_a_function_that_is_defined_twice_is_not_resolved() -> None:
    code = (
        "if a:\n    def place(name):\n        x.to(name)\nelse:\n    def place(name):\n        f(name)\nplace('cuda')\n"
    )
    assert classes(code) == [("device-string", "review")]


def test_methods_of_classes_are_told_apart_and_static_ones_have_no_self() -> None:
    code = (
        "class A:\n    def put(self, name):\n        x.to(name)\n    def f(self):\n        self.put('cuda')\n\n\n"
        "class B:\n    def put(self, name):\n        print(name)\n    def f(self):\n        self.put('cuda')\n\n\n"
        "class C:\n    @staticmethod\n    def put(other, name):\n        x.to(name)\n    def f(self):\n"
        "        self.put(1, 'cuda')\n"
    )
    assert [applicability for _, applicability in classes(code)] == ["safe", "review", "safe"]


def test_a_parameter_of_the_program_keeps_what_it_is_given() -> None:
    code = (
        "def service(backend):\n    return One() if backend == 'nccl' else backend == 'nvshmem'\n\n\nservice('nccl')\n"
    )
    assert set(classes(code)) == {("nccl-word", "manual")}
    assert fixed(code + "service(backend='nccl')\n", review=True) == code + "service(backend='nccl')\n"


def test_a_test_that_cannot_change_keeps_what_is_passed() -> None:
    code = "def place(device):\n    return device[:n] == 'cuda'\n\n\nplace('cuda')\n"
    assert fixed(code, review=True) == code


def test_what_people_read_is_nothing_passed() -> None:
    assert not classes("def info(message):\n    print(message)\n\n\ninfo('cuda')\n")


def test_a_field_that_takes_a_parameter_changes_with_it() -> None:
    code = (
        "class A:\n    def __init__(self, kind='cuda'):\n        self.kind = kind\n        x.to(kind)\n\n"
        "    def fast(self):\n        return self.kind == 'cuda'\n"
    )
    one, other = findings(code)
    assert one.fixes[0].edits == other.fixes[0].edits
    assert one.fixes[0].applicability == other.fixes[0].applicability


def test_typing_in_the_function_that_is_called_leaves_the_same_as_a_fresh_look() -> None:
    engine = engine_for("npu", Settings(locale="en"), remember=16)
    first = head("npu") + "def place(name):\n    x.to(name)\n    f()\n\n\nplace('cuda')\n"
    second = first.replace("    x.to(name)\n", "    x.t(name)\n")
    for text in (
        first,
        second,
        first,
        first.replace("    f()", "    place()"),
        first.replace("    f()", "    placed()"),
    ):
        assert engine.check(Source(text, path="a.py")) == ENGINES["npu"].check(Source(text))


HPARAMS = (
    "import tensorflow as tf\n\n\ndef make():\n    return tf.contrib.training.HParams(dist_backend='nccl', seed=1)\n"
)


def test_a_library_silences_its_own_calls_only() -> None:
    found = ENGINES["npu"].check(Source(HPARAMS)).findings
    assert [(f.rule, f.fixes[0].applicability) for f in found] == [("nccl-backend", "safe")]
    for call in ("tf.distribute.Strategy(backend='nccl')", "tf.contrib.training.HParams('nccl')"):
        assert not ENGINES["npu"].check(Source(f"import tensorflow as tf\nx = {call}\n")).findings


ASKED = {
    "lists added up": "DEVICES = ['cpu'] + (['cuda'] if torch.cuda.is_available() else [])\n",
    "lists that follow a name": "y = torch.cuda.is_available()\nfor k in ('cpu', 'cuda') if y else ('cpu',): pass\n",
    "a list that gets more": "kinds = ['cpu']\nif torch.cuda.is_available():\n    kinds.append('cuda')\n",
    "a list of devices": "if torch.cuda.device_count() > 0:\n    all_devices += ['cuda']\n",
    "a value and its test": "kind = 'cuda' if torch.cuda.is_available() else 'cpu'\nok = kind == 'cuda'\n",
    "a value of a block": "def f():\n    k = 'cpu'\n    if torch.cuda.is_available() and x:\n        k = 'cuda'\n",
    "a negated question": "kind = 'cpu' if not torch.cuda.is_available() else 'cuda'\n",
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("target", ["npu", "musa"])
def test_a_word_that_exists_only_where_a_device_was_found_is_a_device(name: str, target: str) -> None:
    code = ASKED[name]
    assert {applicability for _, applicability in classes(code, target)} == {"safe"}
    assert fixed(code, target=target) == code.replace("cuda", target)
    word = next(f for f in findings(code, target) if f.rule == "device-string")
    together = apply_edits(head(target) + code, word.fixes[0].edits)
    assert f"torch.{target}." in together, "a word takes its question along"


@pytest.mark.parametrize(
    "code",
    [
        "if torch.cuda.is_available():\n    features.append('cuda')\n",
        "if torch.cuda.is_available():\n    run('cuda')\n",
        "k = os.environ['K']\nif torch.cuda.is_available():\n    k = 'cuda'\nok = k in ('cpu', 'cuda', 'xpu')\n",
        "kind = 'cuda' if torch.cuda.is_available() else 'cpu'\nif kind == 'cuda': f()\nelif kind == 'mlu': g()\n",
        "def device_facts():\n    if torch.cuda.is_available():\n        return ('cuda', 1)\n    return 'x', 0\n",
        "lang = 'cuda' if torch.cuda.is_available() else 'triton'\n",
        "if ask():\n    kinds = ['cpu']\n    kinds.append('cuda')\n",
        "if torch.cuda.is_available() or x:\n    kind = 'cuda'\nelse:\n    kind = 'cpu'\n",
        "if torch.cuda.is_available():\n    kind = 'cpu'\nelse:\n    kind = 'cuda'\n",
    ],
)
def test_a_question_alone_does_not_make_a_device(code: str) -> None:
    assert ("device-string", "review") in classes(code)
    assert "'cuda'" in fixed(code)


def test_a_word_stays_where_its_question_stays() -> None:
    code = "kinds = ['cpu'] + (['cuda'] if torch.cuda.is_available() and torch.cuda.clock_rate() > 9 else [])\n"
    assert fixed(code, review=True) == code
    engine = engine_for("npu", Settings(locale="en", ignore=("cuda-api",)))
    (finding,) = engine.check(Source(head("npu") + ASKED["lists added up"])).findings
    assert not finding.fixes, "it would change what is ignored"


def test_a_label_under_a_question_is_no_device() -> None:
    code = "if torch.cuda.is_available():\n    print('cuda', 'cpu')\n"
    code += "print('cuda' if torch.cuda.is_available() else 'cpu')\n"
    assert fixed(code) == code.replace("torch.cuda", "torch.npu")


def test_fixed_one_at_a_time_it_ends_the_same() -> None:
    for code in ASKED.values():
        wanted = fixed(code)
        for first in range(2):
            text = head("npu") + code
            while found := ENGINES["npu"].check(Source(text)).findings:
                text = apply_edits(text, found[min(first, len(found) - 1)].fixes[0].edits)
            assert text == head("npu") + wanted


TABLE = "libraries = {'xpu': 'ccl', 'hpu': 'hccl', 'cuda': 'nccl'}\n"
ENTRY = {"npu": ", 'npu': 'hccl'}", "musa": ", 'musa': 'mccl'}"}
LOOKED_UP = [
    "use(libraries[kind])\n",
    "use(libraries.get(kind, 'gloo'))\n",
    "if kind in libraries:\n    use(libraries[kind])\n",
    "def f(self):\n    return self.libraries[kind]\n",
    "use(f'{libraries[kind]}')\n",
]
PASSED_ON = [
    "",
    "use(libraries)\n",
    "for kind in libraries: use(libraries[kind])\n",
    "libraries['x'] = 1\nuse(libraries[kind])\n",
    "libraries.update(more)\nuse(libraries[kind])\n",
    "use(len(libraries), libraries[kind])\n",
    "libraries = more\nuse(libraries[kind])\n",
    "use(libraries.items())\n",
    "del libraries[kind]\n",
    "if libraries in kinds: use(libraries[kind])\n",
]


@pytest.mark.parametrize("use", LOOKED_UP)
@pytest.mark.parametrize("target", ["npu", "musa"])
def test_one_more_entry_is_safe_where_keys_are_looked_up(use: str, target: str) -> None:
    assert fixed(TABLE + use, target=target) == TABLE.replace("}", ENTRY[target]) + use


@pytest.mark.parametrize("use", PASSED_ON)
def test_one_more_entry_is_for_review_where_the_dictionary_goes_on(use: str) -> None:
    assert ("device-map", "review") in classes(TABLE + use)
    assert fixed(TABLE + use) == TABLE + use
    assert fixed(TABLE + use, review=True).startswith(TABLE.replace("}", ENTRY["npu"]))


def test_a_table_that_is_asked_where_it_stands_is_looked_up() -> None:
    for use in ("[kind]", ".get(kind)"):
        code = f"x = {{'cpu': 'gloo', 'cuda': 'nccl'}}{use}\n"
        assert fixed(code) == code.replace("'nccl'", "'nccl', 'npu': 'hccl'")


def test_a_key_says_whom_an_entry_serves() -> None:
    assert not classes("m = {'cuda': 'nccl', 'npu': 'hccl'}\nuse(m[kind])\n")
    assert not classes("m = {'hpu': 'hccl', 'cuda': 'nccl', 'npu': 'hccl'}\nuse(m[kind])\n")
    both = "m = dict(cuda=lambda: torch.cuda.synchronize(), npu=lambda: torch.npu.synchronize())\n"
    assert not classes(both)
    assert classes(both.replace("npu=", "cpu="))


def test_an_entry_brings_the_plugin_only_where_its_value_needs_it() -> None:
    text = "import torch\nm = {'cpu': 1e-4, 'cuda': 1e-3}\nuse(m[kind])\n"
    assert ENGINES["npu"].fix(Source(text)).text == text.replace("}", ", 'npu': 1e-3}")
    text = text.replace("1e-3", "'nccl'")
    assert ENGINES["npu"].fix(Source(text)).text.startswith("import torch\nimport torch_npu\n")


TYPED = {
    "dictionary": (TABLE + "use(libraries.get(kind))\nf()\n", "f()", ["use(libraries)", "use(library)", "libraries"]),
    "parameter": ("def put(x, where):\n    x.to(where)\n    f()\n\n\nput(x, 'cuda')\n", "f()", ["f(where)", "put(x)"]),
    "asked": (ASKED["a value and its test"] + "f()\n", "f()", ["f(kind)", "kind", "f(is_available)"]),
    "own": ("kind = 'nccl'\nok = kind == 'nccl'\nf()\n", "f()", ["dist.init_process_group(kind)", "f(kind)"]),
}


@pytest.mark.parametrize("name", TYPED)
def test_after_a_key_all_is_as_in_a_fresh_look(name: str) -> None:
    code, line, lines = TYPED[name]
    engine = engine_for("npu", Settings(locale="en"), remember=16)
    for typed in (line, *(full[:end] for full in lines for end in (len(full) - 1, len(full))), line):
        source = Source(head("npu") + code.replace(line, typed), path="a.py")
        assert engine.check(source) == ENGINES["npu"].check(Source(source.text)), typed


@pytest.mark.parametrize("other", ["triton", "cutlass", "flashinfer"])
def test_implementations_of_one_operator_are_no_devices(other: str) -> None:
    text = f'import torch\n@pytest.mark.parametrize("impl", ["cuda", "{other}"])\ndef test_a(impl):\n    f(impl=impl)\n'
    assert engine_for("npu", Settings(locale="en")).check(Source(text)).findings == ()
    assert engine_for("npu", Settings(locale="en")).check(Source(text.replace(other, "cpu"))).findings
