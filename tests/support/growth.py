"""Generates Python programs of any size that nobody would write, and that would make a quadratic analysis slow.

Each function returns a text of a given size; analysing a text four times as large must take about four times as long,
or must be refused.
"""

from __future__ import annotations

from collections.abc import Callable

_TORCH = "import torch\n"


def and_chain(n: int) -> str:
    return _TORCH + "x = " + " and ".join(["torch.cuda.is_available()"] * n) + "\n"


def is_cuda_chain(n: int) -> str:
    return _TORCH + "y = " + " and ".join(f"x{i}.is_cuda" for i in range(n)) + "\n"


def is_cuda_again(n: int) -> str:
    return _TORCH + " and ".join(["x.is_cuda"] * n) + "\n"


def if_after_if(n: int) -> str:
    return _TORCH + 'if d.type == "cuda":\n    pass\n' * n


def rebound_name(n: int) -> str:
    return _TORCH + 'device = "cuda"\n' * n + "x.to(device)\n"


def match_cases(n: int) -> str:
    return _TORCH + "match d:\n" + "".join(f'    case "cuda:{i}":\n        pass\n' for i in range(n))


def unclosed_brackets(n: int) -> str:
    return _TORCH + "torch.cuda.synchronize(\n" * n


def broken_statements(n: int) -> str:
    return _TORCH + "torch.cuda.synchronize() )(\n" * n


def unclosed_quotes(n: int) -> str:
    return _TORCH + "x = torch.cuda.synchronize('\n" * n


def unclosed_triple_quotes(n: int) -> str:
    return _TORCH + "x = '''torch.cuda\ny = \"\"\"\n" * n


def dict_of_values(n: int) -> str:
    return _TORCH + "d = {\n" + "".join(f'    "k{i}": "cuda",\n' for i in range(n)) + "}\nx.to(d)\n"


def list_of_values(n: int) -> str:
    return _TORCH + "d = [\n" + '    "cuda",\n' * n + "]\n"


def nccl_checks(n: int) -> str:
    return "import torch.distributed as dist\n" + 'if dist.get_backend() == "nccl":\n    pass\n' * n


def argparse_options(n: int) -> str:
    head = _TORCH + "import argparse\np = argparse.ArgumentParser()\n"
    options = "".join(f'p.add_argument("--device{i}", default="cuda")\n' for i in range(n))
    return head + options + "a = p.parse_args()\n" + "".join(f"torch.device(a.device{i})\n" for i in range(n))


def amp_c_guards(n: int) -> str:
    guard = "try:\n    import amp_C\n    ok{0} = True\nexcept ImportError:\n    ok{0} = False\n"
    guard += "if ok{0}:\n    amp_C.f{0}(1)\n"
    return _TORCH + "".join(guard.format(i) for i in range(n))


def unused_suppressions(n: int) -> str:
    return _TORCH + "torch.cuda.synchronize()\n" + "x = 1  # uncuda: ignore[cuda-api]\n" * n


def used_suppressions(n: int) -> str:
    return _TORCH + "torch.cuda.synchronize()  # uncuda: ignore[cuda-api]\n" * n


def reversed_aliases(n: int) -> str:
    return _TORCH + "".join(f"a{i} = a{i + 1}\n" for i in range(n)) + f"a{n} = torch.cuda\na0.synchronize()\n"


def alias_chain(n: int) -> str:
    return _TORCH + "a0 = torch.cuda\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(n)) + f"a{n}.synchronize()\n"


def assignment_chain(n: int) -> str:
    return _TORCH + "".join(f"a{i} = " for i in range(n)) + "torch.cuda\na0.synchronize()\n"


def device_alias_chain(n: int) -> str:
    return _TORCH + 'a0 = "cuda"\n' + "".join(f"a{i + 1} = a{i}\n" for i in range(n)) + f"x.to(a{n})\n"


def star_imports(n: int) -> str:
    return "".join(f"from torch.cuda import *  # {i}\n" for i in range(n)) + "synchronize()\n"


def imports(n: int) -> str:
    return "".join(f"import torch.cuda as c{i}\n" for i in range(n)) + "c0.synchronize()\n"


def from_imports(n: int) -> str:
    return "".join(f"from torch.cuda import synchronize as s{i}\n" for i in range(n)) + "s0()\n"


def with_items(n: int) -> str:
    return _TORCH + "with " + ", ".join(f"torch.cuda.stream(s) as t{i}" for i in range(n)) + ":\n    pass\n"


def comprehension_clauses(n: int) -> str:
    return _TORCH + "x = [torch.cuda.f(a0) " + " ".join(f"for a{i} in torch.cuda.g(y)" for i in range(n)) + "]\n"


def comprehensions(n: int) -> str:
    n = min(n, 80)
    return _TORCH + "x = " + "[torch.cuda.f(y) for y in " * n + "z" + "]" * n + "\n"


def _nested(header: str, n: int) -> str:
    return _TORCH + "".join(" " * i + header + "\n" for i in range(n)) + " " * n + "torch.cuda.synchronize()\n"


def nested_if(n: int) -> str:
    return _nested("if torch.cuda.is_available():", n)


def nested_def(n: int) -> str:
    return _nested("def f(device='cuda'):", n)


def nested_class(n: int) -> str:
    return _nested("class A(torch.cuda.Stream):", n)


def elif_chain(n: int) -> str:
    return _TORCH + 'if d == "a":\n    pass\n' + 'elif d == "cuda":\n    x.cuda()\n' * n


def long_comment(n: int) -> str:
    return _TORCH + "# " + "torch.cuda " * n + "\ntorch.cuda.synchronize()\n"


def carriage_returns(n: int) -> str:
    return _TORCH.replace("\n", "\r") + "torch.cuda.synchronize()\r" * n


def many_findings(n: int) -> str:
    return _TORCH + "torch.cuda.synchronize()\n" * n


def try_after_try(n: int) -> str:
    return _TORCH + "try:\n    torch.cuda.synchronize()\nexcept Exception:\n    pass\n" * n


def returned_names(n: int) -> str:
    return (
        _TORCH
        + "".join(f'def f{i}():\n    return "cuda"\n' for i in range(n))
        + "".join(f"x.to(f{i}())\n" for i in range(n))
    )


def enum_members(n: int) -> str:
    return _TORCH + "class Device(Enum):\n" + "".join(f'    A{i} = "cuda"\n' for i in range(n))


def long_call(n: int) -> str:
    return _TORCH + "f(" + ", ".join(["torch.cuda.current_device()"] * n) + ")\n"


def attribute_chain(n: int) -> str:
    return _TORCH + "x = torch.cuda" + ".a" * n + "\n"


def call_chain(n: int) -> str:
    return _TORCH + "x = torch.cuda.f()" + ".cuda()" * n + "\n"


def sum_chain(n: int) -> str:
    return _TORCH + "x = " + " + ".join(["torch.cuda.current_device()"] * n) + "\n"


def string_sum(n: int) -> str:
    return _TORCH + "x = " + " + ".join(['"cuda"'] * n) + "\n"


def semicolons(n: int) -> str:
    return _TORCH + "torch.cuda.synchronize();" * n + "\n"


def backslashes(n: int) -> str:
    return _TORCH + "x = torch.cuda.f() \\\n" + " + torch.cuda.f() \\\n" * n + " + 1\n"


def long_word(n: int) -> str:
    return _TORCH + "x = " + "cuda" * n + "\ntorch.cuda.synchronize()\n"


def format_string(n: int) -> str:
    return _TORCH + 'x = f"' + "{torch.cuda.current_device()}" * n + '"\n'


def flags_of_a_word(n: int) -> str:
    return _TORCH + 'ok = kind == "cuda"\n' * n + "if ok:\n    x.cuda()\n"


def streams_of_a_name(n: int) -> str:
    waits = "    s.wait_stream(torch.cuda.current_stream())\n"
    return _TORCH + "def f():\n" + "    s = torch.cuda.Stream()\n" * n + waits * n


def events_of_an_attribute(n: int) -> str:
    made = "class A:\n    def f(self):\n" + "        self.e = torch.cuda.Event()\n" * n
    return _TORCH + made + "def g(a):\n" + "    torch.cuda.current_stream().wait_event(a.e)\n" * n


def words_for_a_method(n: int) -> str:
    return _TORCH + "def f(x):\n" + '    device = "cuda"\n' * n + "    x.cuda(device)\n" * n


def numbered_devices(n: int) -> str:
    return _TORCH + "if torch.cuda.is_available():\n    a = [" + '"cuda:0", ' * n + "]\n"


def formatted_chain(n: int) -> str:
    """Return a program with an f-string whose syntax CPython refuses, so that libcst parses it."""
    return _TORCH + "@f'{torch.cuda" + ".torch.cuda" * n + '."cuda"}\'\ndef f(): pass\n'


def decorators(n: int) -> str:
    return _TORCH + "@torch.cuda.amp.custom_fwd\n" * n + "def f(): pass\n"


def parameters(n: int) -> str:
    return _TORCH + "def f(" + ", ".join(f'a{i}="cuda"' for i in range(n)) + "):\n    pass\n"


def columns_of_parameters(n: int) -> str:
    names = ",".join(f"a{i}" for i in range(n))
    return _TORCH + f"@pytest.mark.parametrize('{names}', [(" + '"cuda",' * n + ")])\ndef t(): pass\n"


def fixtures_of_a_name(n: int) -> str:
    tests = "".join(f"def t{i}(kind):\n    if kind == 'cuda':\n        f()\n" for i in range(n))
    return _TORCH + "# fixture(\n" + "def kind(request): pass\n" * n + tests


def both_targets(n: int) -> str:
    return _TORCH + 'if d.type == "cuda":\n    x.cuda()\nelif d.type == "npu":\n    x.npu()\n' * n


def leaving_tests(n: int) -> str:
    return (
        _TORCH
        + "def f(d):\n"
        + '    if d.type == "npu":\n        return 1\n    if d.type == "cuda":\n        x.cuda()\n' * n
    )


def flags_of_flags(n: int) -> str:
    flags = "".join(f"f{i + 1} = f{i} and x\nif f{i + 1}:\n    torch.cuda.nccl.version()\n" for i in range(n))
    return _TORCH + "f0 = torch.cuda.is_available()\n" + flags


def flags_of_one_flag(n: int) -> str:
    flags = "".join(f"g{i} = f and x\nif g{i}:\n    torch.cuda.nccl.version()\n" for i in range(n))
    return _TORCH + "f = torch.cuda.is_available()\n" + flags


def flag_in_one_line(n: int) -> str:
    line = "g = " + " and ".join(["f"] * n) + "\nif g:\n    torch.cuda.nccl.version()\n"
    return _TORCH + "f = torch.cuda.is_available()\n" + line


def constants_kept(n: int) -> str:
    return _TORCH + "".join(f"C{i} = 'cuda'\nif torch.cuda.is_available():\n    y = C{i}\n" for i in range(n))


def constant_in_one_line(n: int) -> str:
    return _TORCH + "C = 'cuda'\nif torch.cuda.is_available():\n    y = [" + ", ".join(["C"] * n) + "]\n"


def words_that_wait(n: int) -> str:
    """Return a program in which each condition of an `if` can be judged only after the previous one."""
    made = "".join(f"def f{i}(a_device, b_device=None):\n    x.to(a_device)\n" for i in range(n + 1))
    used = "".join(f"if torch.cuda.is_available():\n    f{i}('cuda')\n    f{i + 1}('cuda')\n" for i in range(n))
    return _TORCH + made + used + "if torch.cuda.is_available():\n    torch.cuda.nccl.version()\n    f0('cuda')\n"


def names_given_away(n: int) -> str:
    given = "".join(f"M(device=device{i})\ndevice{i} = 'cuda'\n" for i in range(n))
    return _TORCH + "from faster_whisper import M\n" + given


def patterns_beside(n: int) -> str:
    return _TORCH + "ok = " + " or ".join(f"x == 'cuda' or re.match('cuda:{i}', x)" for i in range(n)) + "\n"


def words_of_programs(n: int) -> str:
    used = "".join(f"if k == K{i}.CUDA:\n    x.cuda()\nif k == K{i}.XPU:\n    pass\n" for i in range(n))
    return _TORCH + used


def variables_of_another_framework(n: int) -> str:
    imports = "import mxnet\n" + "".join(f"import m{i}\n" for i in range(n))
    return "import os\n" + imports + "os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n" * n


def decorators_with_params(n: int) -> str:
    return _TORCH + "@f('nccl', backend='nccl')\n" * n + "def g(request):\n    return request.param == 'nccl'\n"


def functions_for_horovod(n: int) -> str:
    return _TORCH + "".join(f"def f{i}(hvd, x):\n    x.cuda()\n" for i in range(n))


def dictionaries_by_defaults(n: int) -> str:
    made = "".join(f"D{i} = {{'cuda': f, 'cpu': g}}\n" for i in range(n))
    return _TORCH + made + "".join(f"def f{i}(d='cuda'):\n    return D{i}[d]\n" for i in range(n))


def dictionaries_by_options(n: int) -> str:
    made = "".join(f"D{i} = {{'cuda': f, 'cpu': g}}\n" for i in range(n))
    options = "".join(f"p.add_argument('--d{i}', default='cuda')\n" for i in range(n))
    return _TORCH + made + options + "".join(f"x = D{i}[args.d{i}]\n" for i in range(n))


def choices_of_widgets(n: int) -> str:
    offered = "".join(f"f{i}(choices=['cuda', 'cpu'])\n" for i in range(n))
    return _TORCH + offered + "".join(f"if d{i} == 'cuda':\n    x.cuda()\n" for i in range(n))


def answers_for_libraries(n: int) -> str:
    asked = "'gpu' if torch.cuda.is_available() else 'cpu'"
    return "import catboost\n" + _TORCH + "".join(f"x{i} = catboost.f({asked})\n" for i in range(n))


def answers_in_one_call(n: int) -> str:
    asked = "'gpu' if torch.cuda.is_available() else 'cpu',\n"
    return "import catboost\n" + _TORCH + "x = catboost.f([\n" + asked * n + "])\n"


def devices_of_which_parts_are_taken(n: int) -> str:
    return _TORCH + "device = f'cuda:{i}'\n" * n + "x = device[:4]\n" * n


def dictionaries_for_libraries(n: int) -> str:
    given = "".join(f"def f{i}():\n    return catboost.f(**{{'device': 'cuda'}})\n\n\n" for i in range(n))
    return "import catboost\n" + _TORCH + given


def devices_named_elsewhere(n: int) -> str:
    asked = "if not torch.cuda.is_available():\n"
    return _TORCH + "".join(f"{asked}    cfg.d{i} = 'cpu'\nx.to('cuda', d{i}='cuda')\n" for i in range(n))


def modules_that_are_chosen(n: int) -> str:
    return _TORCH + "".join(f"m{i} = torch.cuda if c else other\nm{i}._get_device(0)\n" for i in range(n))


def uses_of_a_chosen_module(n: int) -> str:
    chosen = "".join("m = torch.cuda if c else other\n" for _ in range(n))
    return _TORCH + chosen + "".join(f"m.f{i}(0)\n" for i in range(n))


def variables_set_in_functions_that_import_torch(n: int) -> str:
    setter = "    import torch\n    os.environ['CUDA_VISIBLE_DEVICES'] = x\n"
    return "import os\n" + _TORCH + "".join(f"def f{i}():\n{setter}" for i in range(n))


def gpus_for_lightning(n: int) -> str:
    asked = "if torch.cuda.is_available():\n"
    return _TORCH + "import lightning as pl\n" + "".join(f"{asked}    t = pl.Trainer(gpus=1)\n" for _ in range(n))


def variables_set_below_torch(n: int) -> str:
    return "import os\n" + _TORCH + "".join("os.environ['CUDA_VISIBLE_DEVICES'] = x\n" for _ in range(n))


def autocasts_as_decorators(n: int) -> str:
    return _TORCH + "".join(f"@torch.cuda.amp.autocast()\ndef f{i}(x):\n    x.cuda()\n" for i in range(n))


def models_moved_where_they_are_loaded(n: int) -> str:
    asked = "if torch.cuda.is_available():\n"
    loads = "    net.cuda()\n    torch.load(p)\nelse:\n    torch.load(p, map_location='cpu')\n"
    return _TORCH + "".join(f"{asked}{loads}{asked}    x{i}.cuda()\n" for i in range(n))


def devices_of_float64_tensors(n: int) -> str:
    chosen = "d{0} = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    kept = "k = {{'device': d{0}, 'dtype': torch.double}}\n"
    return _TORCH + "".join((chosen + kept).format(i) for i in range(n))


def models_unwrapped_where_they_are_wrapped(n: int) -> str:
    asked = "if torch.cuda.device_count() > {0}:\n"
    both = asked + "    m = torch.nn.DataParallel(m)\n" + asked + "    m.module.f()\n"
    return _TORCH + "".join(both.format(i) for i in range(n))


def models_that_move_behind_what_stays(n: int) -> str:
    text = "if torch.cuda.is_available():\n    import alt_cuda_corr\n    m{0}.cuda()\nm{0}.to(d{0})\n"
    text += "d{0} = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    return _TORCH + "".join(text.format(i) for i in range(n))


def tests_that_need_a_device(n: int) -> str:
    text = "D{0} = 'cuda' if torch.cuda.is_available() else 'cpu'\n\n\n"
    text += "def test_{0}():\n    x = f('a', 'cuda:0')\n    assert x.to(D{0}).device.type == 'cuda'\n\n\n"
    return _TORCH + "".join(text.format(i) for i in range(n))


def flags_of_two_accelerators(n: int) -> str:
    return _TORCH + "".join(f"has_cuda_{i} = torch.cuda.is_available()\nhas_xpu_{i} = f()\n" for i in range(n))


def defaults_that_ask(n: int) -> str:
    head = "import argparse\n" + _TORCH + "p = argparse.ArgumentParser()\n"
    options = "".join(f"p.add_argument('--f{i}', default=torch.cuda.is_available())\n" for i in range(n))
    return head + options + "a = p.parse_args()\n" + "".join(f"if a.f{i}:\n    x.cuda()\n" for i in range(n))


def variables_with_names_of_modules(n: int) -> str:
    return _TORCH + "".join(f"import m{i}\nm{i} = m{i}.N()\nm{i}.cuda()\n" for i in range(n))


SHAPES: dict[str, Callable[[int], str]] = {
    name: made
    for name, made in list(globals().items())
    if callable(made) and getattr(made, "__module__", "") == __name__ and not name.startswith("_")
}
