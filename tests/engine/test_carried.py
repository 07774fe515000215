"""The findings that the engine reuses while a line is typed equal those of a new analysis of the text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import uncuda.engine.incremental_hits
from engine.typist import PATH, Typist, prepared
from uncuda.checks import Hit
from uncuda.edits import Fix
from uncuda.engine import Engine, Finding, Related, Report
from uncuda.engine.incremental_hits import carry
from uncuda.engine.kept import Kept
from uncuda.project import Project
from uncuda.source import Source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAM = '''\
"""About "cuda"."""
import torch
import torch.distributed as dist
from torch import nn
from torch.cuda import amp, synchronize as wait
tc = torch.cuda


def get_device(kind="cuda"):
    if kind == "npu":
        return torch.device("npu")

    if torch.npu.is_available():
        return "npu"
    return "cuda:0"


class Net(nn.Module):

    def __init__(self):
        self.device = "cuda"

        self.scaler = amp.GradScaler()
        self.use_cuda = torch.cuda.is_available()

    def is_cuda_ready(self):
        return self.weight.is_cuda

    def forward(self, x):
        device = torch.device("cuda")

        x = x.to(device).cuda()
        if self.use_cuda:
            torch.cuda.nccl.version()
            wait()
            tc.empty_cache()

        try:
            backend = "nccl"
            dist.init_process_group(backend)
        except RuntimeError:
            pass
        with torch.cuda.stream(torch.cuda.Stream()):
            y = net.half().cuda(non_blocking=True)

        return x, get_device()


@torch.jit.script
def compiled(x):
    return x.cuda()


if __name__ == "__main__":
    model = Net().cuda()

    model(torch.zeros(1, device="cuda"))
'''
FIELDS = '''\
"""Every field of a hit."""
import torch
import torch.distributed as dist
import torch.cuda as tc
from torch.cuda import amp, synchronize as wait

BACKEND = "nccl"
SYNC = {"cuda": torch.cuda.synchronize, "cpu": print}
KNOWN = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


def port():
    dist.init_process_group(BACKEND)
    if BACKEND == "hccl":
        return tc.nccl.version()
    elif BACKEND == "mccl":
        return tc.empty_cache()


def run(x, kind="cuda"):
    wait()
    name = torch.cuda.get_device_properties(0).name
    flags = torch.cuda.nccl.version(), torch.cuda.memory._record_memory_history()
    y = x.cuda() if x.is_cuda and torch.cuda.is_available() else x.to("cuda:0")
    with torch.cuda.stream(torch.cuda.Stream()), amp.autocast():
        torch.cuda.ExternalStream(1)
        y = torch.device(kind), y
    other = torch.device("cuda", 0)
    seen = kind
    if seen == "cuda":
        y = x.to(seen)
    return y, "cuda:{}".format(torch.cuda.current_device())


if __name__ == "__main__":
    port()
    run(torch.zeros(1, device="cuda"))
'''
VERSIONS = [("npu", None), ("npu", "2.1.0"), ("musa", None)]
UNUSED = {"severity"}
"""Fields of a hit (raw finding) that no check sets at present."""
TYPED = [
    *("torch.cuda.set_device(1)", "torch.cuda.seed()", "wait(1, 2)", "tc.synchronize()", "tc.list_gpu_processes()"),
    *(
        "amp.autocast()",
        "dist.barrier()",
        "torch.npu.synchronize()",
        "get_device()",
        "device",
        "self.device",
        "backend",
    ),
    *(
        "x.is_cuda",
        "x.cuda()",
        "self.scaler.step(x)",
        "torch.jit.script(Net)",
        "sys.exit(1)",
        "exit()",
        "parser.error(x)",
        "os.abort()",
        "return",
        "npu",
    ),
    *("model.to(device)", "dist.init_process_group(backend)", "pass", "torch.backends.cudnn", "is_npu_ready()", "gpu"),
    *(
        "x = 'cuda'",
        "if a:",
        "import torch_npu",
        "tc = torch.npu",
        "def cuda(self):",
        "x.is_cuda = 1",
        "# uncuda: ignore",
        "# device of x.cuda()",
        "#! torch.npu",
    ),
    *(
        "import flash_attn",
        "torch.version.cuda",
        "torch.distributed.is_nccl_available()",
        "torch.compile(x)",
        "é.cuda()",
    ),
]


def texts() -> list[str]:
    return [PROGRAM, FIELDS, *(path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.rglob("*.py")))]


def blank(text: str, indent: str, chance: random.Random) -> tuple[str, int]:
    """Return a text with a new empty line for a statement, and the offset at which the statement is to begin."""
    lines = text.splitlines(keepends=True)
    number = chance.randrange(len(lines))
    indent = indent if chance.random() < 0.2 else lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    start = sum(map(len, lines[:number])) + len(indent)
    return "".join([*lines[:number], f"{indent}\n", *lines[number:]]), start


@pytest.mark.slow
@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("seed", range(6))
def test_typed_findings_are_those_of_a_fresh_look(seed: int, target: str) -> None:
    chance = random.Random(seed)
    for words in chance.sample(TYPED, 8):
        text, at = blank(chance.choice(texts()), "    ", chance)
        typist = Typist(text, prepared(target), answering=chance.random() < 0.3)
        typist.type(at, words, told_of_edit=chance.random() < 0.8)
        if chance.random() < 0.5:  # edits at random places between the typed words
            other = chance.randrange(len(typist.text) + 1)
            typist.replace(other, min(other + chance.choice([0, 1, 5]), len(typist.text)), chance.choice("x (\n"))
        else:
            typist.erase(at + len(words), len(words))


@pytest.mark.slow
def test_two_lines_one_after_the_other() -> None:
    typist = Typist(PROGRAM, prepared("npu"))
    for above in ("        x = x.to(device).cuda()\n", "        return x, get_device()\n", "    model(torch.zeros"):
        at = typist.text.index(above)
        typist.replace(at, at, "        \n")
        typist.type(at + 8, "torch.cuda.seed()")


def given(engine: Engine, text: str) -> Iterator[str]:
    """Yield the names of those fields that checks set in at least one hit (raw finding) of a text."""

    engine.check(Source(text, PATH))
    for found in engine._carried._found.values():
        for hit in (hit for row in found.hits for hit, _ in row):
            yield from (name for name in Hit._fields if getattr(hit, name) != Hit._field_defaults.get(name))


def test_a_keyword_in_a_comment_below_a_decorator_defines_nothing() -> None:
    text = "import torch\nimport triton\n@triton.jit\n# backenddef other(x):\ndef kernel(x):\n    pass\n"
    typist = Typist(text + "if torch.cuda.is_available():\n    kernel[(1,)](x)\n", prepared("npu"))
    typist.type(text.index("def other"), ": ")


def test_the_program_has_hits_with_every_field() -> None:
    found = {name for version in VERSIONS for name in given(prepared(*version), FIELDS)}
    assert set(Hit._fields) - found == UNUSED


@pytest.mark.parametrize("kind", [Hit, Finding, Related, Fix, Report])
def test_nothing_is_left_out_of_comparisons(kind: type[Hit]) -> None:
    assert kind.__eq__ is tuple.__eq__


@pytest.mark.slow
@pytest.mark.parametrize(("target", "version"), VERSIONS)
def test_every_field_is_carried_past_each_line(target: str, version: str | None) -> None:
    words = "torch.cuda.sync"
    lines = FIELDS.splitlines(keepends=True)
    for number in range(2, len(lines) + 1):
        line = lines[number] if number < len(lines) else ""
        indent = line[: len(line) - len(line.lstrip())]
        above = "".join(lines[:number]) + indent
        typist = Typist(above + "\n" + "".join(lines[number:]), prepared(target, version))
        typist.replace(len(above), len(above), words[:-2])
        typist.type(len(above) + len(words) - 2, words[-2:])
        typist.erase(len(above) + len(words), 1)


def test_a_name_that_serves_the_target_elsewhere_is_left_to_review() -> None:
    """A keystroke in another line does not turn a fix that needs review into a safe one."""
    text = (
        'import torch\nimport torch.distributed as dist\n\nbackend = "nccl"\ndist.init_process_group(backend)\n'
        'if backend == "hccl":\n    port()\n\n\ndef wait():\n    torch.cuda.sync\n'
    )
    typist = Typist(text, prepared("npu"))
    for key in "hr":
        typist.type(len(typist.text) - 1, key)
        (found,) = (f for f in typist.typed.check(Source(typist.text, PATH)).findings if f.rule == "nccl-backend")
        assert [fix.applicability for fix in found.fixes] == ["review"]


def test_a_line_after_a_block_ends_it() -> None:
    """If a line is typed below an `if` block that ends with `return`, the fix of the condition and the fix of the typed
    line are linked: both make the same edits."""
    above = "import torch\n\n\ndef f(x, y):\n    if x.is_cuda:\n        return y.cuda()\n"
    typist = Typist(above + "    \n    return x\n", prepared("npu"))
    typist.type(len(above) + 4, "torch.cuda.seed()")
    question, _, seed = typist.typed.check(Source(typist.text, PATH)).findings
    assert question.fixes[0].edits == seed.fixes[0].edits
    typist.erase(len(above) + 21, 17)


@pytest.mark.parametrize("line", ["# yes", "wait()", "x", "x = 1", "return", "raise E"])
def test_lines_around_the_return_of_a_function_that_holds_a_test(line: str) -> None:
    above = "import torch\n\n\ndef ok():\n    if torch.cuda.is_available():\n"
    below = "        return True\n    return False\n\n\nif ok():\n    torch.cuda.nccl.version()\n"
    typed = f"        {line}\n"
    for at in (len(above), len(above) + below.index("    return False")):
        typist = Typist(above + below, prepared("npu"))
        typist.replace(at, at, typed)
        typist.replace(at, at + len(typed), "")


@pytest.mark.parametrize("question", ["current_platform.is_cuda()", "torch.version.hip"])
def test_a_call_of_what_only_another_platform_called(question: str) -> None:
    """When the name of a function is typed, its calls are searched again."""
    text = (
        "import torch\n\n\ndef _sync(x):\n    torch.cuda.synchronize()\n\n\ndef start(x):\n"
        f"    if {question}:\n        _sync(x)\n\n\ndef stop(x):\n    \n"
    )
    typist = Typist(text, prepared("npu"))
    typist.type(len(text) - 1, "_sync(x)")
    assert [found.severity for found in typist.typed.check(Source(typist.text, PATH)).findings] == ["error"]
    typist.erase(len(text) - 1 + len("_sync(x)"), len("_sync(x)"))


@pytest.mark.parametrize(
    ("line", "question", "words", "severity"),
    [
        ("import cupy\n", "", "argparse.ArgumentParser()", "error"),
        ("", "    if not current_platform.is_cuda():\n        return\n", "main()", "error"),
    ],
)
def test_what_makes_a_text_a_program_is_looked_at_anew(line: str, question: str, words: str, severity: str) -> None:
    text = (
        f"import argparse\nimport torch\n{line}\n\ndef run(x):\n    torch.cuda.synchronize()\n\n\ndef main():\n"
        f"{question}    run(1)\n\n\ndef other():\n    \n\n\nif __name__ == '__main__':\n    main()\n"
    )
    typist = Typist(text, prepared("npu").knowing(Project(served=frozenset({"npu"}))))
    assert typist.typed.check(Source(text, PATH)).findings[0].severity == "information"
    at = text.index("def other():\n    ") + len("def other():\n    ")
    typist.type(at, words)
    assert typist.typed.check(Source(typist.text, PATH)).findings[0].severity == severity
    typist.erase(at + len(words), len(words))


def test_the_first_of_two_lines_that_set_one_switch_is_reported_after_each_key() -> None:
    text = (
        "import torch\n\n\ndef run(allow):\n    torch.backends.cuda.matmul.allow_tf32 = allow  # allo\n"
        "    torch.backends.cudnn.allow_tf32 = allow\n"
    )
    typist = Typist(text, prepared("musa"))
    typist.type(text.index("# allo") + 6, "w it")


def test_edits_in_two_functions_leave_the_header_between_them_where_it_is() -> None:
    """A key that links the hit at `'cuda'` with other hits (`Hit.links`) contains the offset of `def second(y):`."""
    text = "import torch\n\n\ndef first(y):\n    y\n\n\ndef second(y):\n    z\n    x = 'cuda'\n    return x\n"
    typist = Typist(text, prepared("npu"))
    for line in ("    y\n", "    z\n"):
        typist.type(typist.text.index(line) + 5, "ou")


def test_an_import_that_cannot_be_read_is_named_after_each_key() -> None:
    line = "    from apex import amp    has_apex = True\n"
    text = f"import torch\ntry:\n{line}except ImportError:\n    torch.cuda.seed()\n"
    typist = Typist(text, prepared("npu"))
    assert typist.typed.check(Source(text, PATH)).skipped
    typist.erase(text.index("amp") + 3, 2)


def test_a_string_that_is_returned_outside_of_functions_has_no_function_to_trace() -> None:
    text = 'import torch\n\n\ndef f(y):\n    a = y\n    return a\n\n\ndef device():\nreturn "cuda"\ntorch.cuda.seed()\n'
    typist = Typist(text, prepared("npu"))
    typist.type(text.index("= y") + 3, " + 1")


def test_a_word_that_begins_statements_no_more_is_looked_above() -> None:
    """Typing an open bracket affects the lines below, because the bracket continues into them."""
    text = 'import torch\n\nx = f(1,\n      return\n      device="cuda")\ntorch.cuda.seed()\n'
    typist = Typist(text, prepared("npu"))
    typist.erase(text.index("return") + 6, 2)


@pytest.mark.parametrize("words", ["net.cuda()", "print(net.is_cuda)", "    net.cuda()"])
def test_a_use_above_the_import_of_torch_moves_the_import_of_the_plugin(words: str) -> None:
    above = "from model import net\n\n"
    typist = Typist(above + "\nimport torch\n\nx = torch.ones(2).cuda()\n\ntorch.cuda.seed()\n", prepared("npu"))
    typist.type(len(above), words)
    typist.erase(len(above) + len(words), len(words))


NAMED = """\
import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def run(model, x):
        model.cuda(device)
        x = x.to(device, non_blocking=True)
        return model(x)
"""


@pytest.fixture
def carried(monkeypatch: pytest.MonkeyPatch) -> list[Kept | None]:
    """Record what the engine keeps after each edit from now on; None means that it checks the whole text again."""
    results: list[Kept | None] = []

    def kept(*arguments: object) -> Kept | None:
        results.append(carry(*arguments))  # type: ignore[arg-type]
        return results[-1]

    monkeypatch.setattr(uncuda.engine.incremental_hits, "carry", kept)
    return results


@pytest.mark.parametrize("text", [PROGRAM, NAMED], ids=["program", "a name that is part of what is typed"])
def test_nearly_every_key_of_a_call_is_carried(text: str, carried: list[Kept | None]) -> None:
    typist = Typist(text.replace("        x = x.to", "        \n        x = x.to", 1), prepared("npu"))
    typist.type(typist.text.index("        x = x.to") - 1, "torch.cuda.set_device(1)")
    # while a bracket is open, the statement includes the following lines
    assert sum(kept is not None for kept in carried) >= len(carried) - 3


def test_nearly_every_key_of_a_value_for_a_local_name_is_carried(carried: list[Kept | None]) -> None:
    """The function has findings, but none of them is about the name `total`."""
    typist = Typist(PROGRAM.replace("        x = x.to", "        total\n        x = x.to", 1), prepared("npu"))
    typist.type(typist.text.index("        x = x.to") - 1, " = first + second * 2")
    assert sum(kept is not None for kept in carried) >= len(carried) - 1


@pytest.mark.parametrize("words", ["# the model's device (cuda:0", "# not x.cuda() (a call"])
def test_a_comment_is_carried(words: str, carried: list[Kept | None]) -> None:
    """The words of a comment affect no other line, so the lines around it are not checked again."""
    typist = Typist(PROGRAM.replace("        x = x.to", "        #\n        x = x.to", 1), prepared("npu"))
    typist.type(typist.text.index("        x = x.to") - 1, words)
    # a word that is new in the text makes the engine check the whole text again
    assert sum(kept is not None for kept in carried) >= len(carried) - 3


def test_the_module_torch_is_not_followed_as_a_tensor(carried: list[Kept | None]) -> None:
    """In `y = torch.tensor(…)` a check traces the uses of `y`, but not those of the module `torch`; otherwise the
    engine would check the whole text again after nearly every typed line."""
    made = "        y = torch.tensor(x, dtype=torch.float64)\n        \n        return x, get_device()"
    typist = Typist(PROGRAM.replace("\n        return x, get_device()", made), prepared("npu"))
    typist.type(typist.text.index("        return x, get_device()") - 1, "torch.cuda.set_device(1)")
    assert sum(kept is not None for kept in carried) >= len(carried) - 3


@pytest.mark.parametrize("line", ["        y = net.half()", "        x = x.to(device)", "    def is_cuda_ready(self):"])
def test_an_edit_that_is_undone_is_carried_whatever_it_was(line: str, carried: list[Kept | None]) -> None:
    typist = Typist(PROGRAM, prepared("npu"))
    at = PROGRAM.index(line)
    for new in ("x", "\n", "\n".join(PROGRAM.splitlines()[5:20])):
        typist.replace(at, at, new)
        carried.clear()
        typist.replace(at, at + len(new), "")
        assert carried[0] is not None
        assert len(carried[0].hits) == len(typist.typed.ruleset(False).checks)
        typist.replace(at, at, "#")
        typist.replace(at, at + 1, "")


@pytest.mark.parametrize("line", ["kept = tota", "make(tota"])
def test_the_first_mention_of_torch_in_a_text_is_looked_at_anew(line: str) -> None:
    """An import of some libraries is a finding only in a text that also mentions torch."""
    text = f'from megatron.core import parallel_state\n\nkind = "cuda"\n{APART}'.replace("total = 0", line)
    typist = Typist(text, prepared("npu"))
    at = text.index(line) + len(line)
    typist.type(at, " + torch")
    assert "module-adapted" in [found.rule for found in typist.typed.check(Source(typist.text, PATH)).findings]
    typist.erase(at + 8, 8)


def test_an_undone_edit_has_the_findings_of_the_text_and_not_of_an_earlier_project() -> None:
    engine = prepared("npu").knowing(Project())
    for text in (PROGRAM, PROGRAM + "\n", PROGRAM):
        engine.check(Source(text, PATH))
    other = engine.knowing(Project(served=frozenset({"npu"})))
    assert other.check(Source(PROGRAM, PATH)) != engine.check(Source(PROGRAM, PATH))


@pytest.mark.parametrize(
    "words",
    ["# class OfCuda(Base):", pytest.param("# class CudaKernel(Kernel): import npu", marks=pytest.mark.slow)],
)
def test_a_comment_may_say_what_a_search_without_a_word_finds(words: str) -> None:
    text = PROGRAM.replace("        x = x.to", "        #\n        x = x.to", 1)
    typist = Typist(text + "\n\nclass OfNpu(Base):\n    pass\n\n\nclass OfCuda(Base):\n    pass\n", prepared("npu"))
    typist.type(typist.text.index("        x = x.to") - 1, words[1:])


APART = """

class Meter:
    def mean(self, values):
        total = 0
        for value in values:
            total += value

        return total / len(values)
"""


@pytest.mark.parametrize("words", ["kept = total * 2", "if total > 2:", 'print(f"{total}", end="")', "# the sum of it"])
def test_nearly_every_key_in_a_function_in_which_nothing_was_found_is_carried(
    words: str, carried: list[Kept | None]
) -> None:
    text = PROGRAM + APART.replace("\n\n        return total", "\n        _\n        return total")
    typist = Typist(text, prepared("npu"))
    at = text.index("        _\n        return total") + 9
    typist.replace(at - 1, at, words[0])
    typist.type(at, words[1:])
    kept = [found is not None for found in carried]
    # while a bracket or quote is open, the statement includes the following lines
    assert sum(kept) >= len(words) - 8, kept


@pytest.mark.parametrize(
    "beside", ['name = "cpu"', "make(device(0))", "device = values.device", "print(Net)", "call = Net.mean"]
)
def test_a_key_beside_a_word_that_only_has_to_occur_is_carried(beside: str, carried: list[Kept | None]) -> None:
    """A line near the typed line contains a device or the name of the class `Net`, and a check searches for uses of
    this class."""
    apart = APART.replace("        total = 0\n", f"        total = 0\n        {beside}\n")
    typist = Typist(PROGRAM + apart, prepared("npu"))
    at = typist.text.index("total += value") + len("total")
    carried.clear()
    typist.type(at, "ity")
    assert sum(kept is not None for kept in carried) >= 2
    typist.erase(at + 3, 3)
    typist.type(typist.text.index(beside) + len(beside), "x")


@pytest.mark.slow
@pytest.mark.parametrize("words", ["device = 'npu'", "self.use_cuda = False", "x = get_device()", "return Net()"])
def test_a_line_of_a_function_in_which_nothing_was_found_that_says_a_known_name(words: str) -> None:
    for head in ("", "if torch.cuda.is_available():\n"):
        indent = "    " if head else ""
        text = PROGRAM + head + "".join(indent + line + "\n" for line in APART.splitlines())
        typist = Typist(text, prepared("npu"))
        at = typist.text.index("total += value") + len("total += value\n")
        typist.replace(at, at, indent + "        _\n")
        at += len(indent) + 8
        typist.replace(at, at + 1, "")
        typist.type(at, words)


LONG = APART.replace(
    "        total = 0\n",
    '        """Mean of the values.\n\n        One number.\n        """\n'
    "        total = sum(\n            values,\n            0,\n        )\n",
)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        *(("            total += value", key) for key in ("x", "\n", "    pass\n")),
        *(("        for value in values:", key) for key in ("x", "\n", "    pass\n")),
        *(("            values,", key) for key in ("x", "\n", "    1,\n")),
        ("        total = sum(", "x"),
        *(("        One number.", key) for key in ("x", "\n", "words\n")),
        *(("        return total", key) for key in ("\n", "        a = [\n            1,\n        ]\n        b = 2\n")),
    ],
)
def test_whole_lines_and_the_beginning_of_a_line_are_carried(line: str, key: str, carried: list[Kept | None]) -> None:
    """If an `x`, Enter or whole lines are inserted at the beginning of a line, the engine does not check the whole text
    again: an `x` before the indentation does not count as the end of the function."""
    typist = Typist(PROGRAM + LONG, prepared("npu"))
    at = typist.text.index(line)
    carried.clear()
    typist.replace(at, at, key)
    assert carried[0] is not None
    carried.clear()
    typist.replace(at, at + len(key), "")
    assert carried[0] is not None


@pytest.mark.parametrize("line", ["        total += value", "        pass"])
def test_a_line_of_whole_lines_is_carried_without_telling_where_it_is(line: str, carried: list[Kept | None]) -> None:
    typist = Typist(PROGRAM + LONG, prepared("npu"))
    at = typist.text.index("        for value")
    carried.clear()
    typist.replace(at, at, line + "\n", told_of_edit=False)
    typist.replace(at, at + len(line) + 1, "", told_of_edit=False)
    assert None not in carried[:2]


TRACED = """import torch


def move(x, device):
    if torch.cuda.is_available():
        return Kernel(x).cuda(device)
    raise ValueError


class Kernel:
    def __init__(self, x):
        self.x = torch.cuda.nccl.version()


def place(values, device):
    _
    for one in values:
        one.input = device
"""


@pytest.mark.parametrize(
    "words",
    ["torch_device = [device]", "if device is Kernel:", "inputs = device", "kind = Kernel", "x = device.type"],
)
def test_a_traced_name_in_a_function_of_its_own_is_carried(words: str, carried: list[Kept | None]) -> None:
    typist = Typist(TRACED + APART, prepared("npu"))
    at = typist.text.index("    _\n") + 4
    typist.replace(at, at + 1, words[0])
    carried.clear()
    typist.type(at + 1, words[1:])
    assert sum(kept is None for kept in carried) <= 4, [kept is not None for kept in carried]


def test_a_line_between_equal_tests_parts_them() -> None:
    """Two equal conditions that ask for a device are fixed together unless a line between them separates them."""
    asking = "        if not self.rocm and torch.cuda.is_available():\n"
    text = f"import torch\n\n\nclass Net:\n    def run(self):\n{asking}        \n{asking}{asking}            pass\n"
    typist = Typist(text, prepared("npu"))
    at = text.index("        \n") + 8
    typist.type(at, "i")
    typist.erase(at + 1, 1)


def test_the_value_of_an_attribute_goes_on_in_other_lines() -> None:
    text = """import torch
class Own:
    def cuda(self):
        self.n += 1
        return self
class User:
    def __init__(self):
        self.part = torch.ones(
            1,
        )
    def run(self):
        return self.part.cuda()
"""
    typist = Typist(text, prepared("npu"))
    at = text.index("        )\n") + 9
    typist.type(at, ".size()")
    typist.erase(at + 7, 7)


def test_a_comment_may_say_what_a_name_is_set_to() -> None:
    """uncuda knows the class of an object if the text contains only one assignment to its name; an assignment in a
    comment counts, too."""
    text = """import torch
class Net:
    def place(self, where):
        return torch.zeros(1, device=where)
net = Net()
net.place("cuda")
#
"""
    typist = Typist(text, prepared("npu"))
    typist.type(len(text) - 1, " net = Other(")


OWN = """import torch
from torch import nn
class Net(nn.Module):
    def cuda(self):
        self.inner.cuda()
        return self
def run(other, net):
    other.cuda()
    net.cuda()
run(1, 2)
"""


@pytest.mark.parametrize(("after", "words"), [("self.inner.cuda()\n", "        log()"), ("run(1, 2", ", Net()")])
def test_what_is_known_of_classes_changes_with_the_lines_that_say_it(after: str, words: str) -> None:
    typist = Typist(OWN, prepared("npu"))
    typist.type(OWN.index(after) + len(after), words)
    typist.erase(OWN.index(after) + len(after) + len(words), len(words))
    other = OWN.replace("run(1, 2)", "run(1, Net())\ntorch.cuda.init()")
    typist = Typist(other, prepared("npu"))
    typist.replace(other.index("run(1, Net())"), other.index("run(1, Net())") + 13, "run(1, 2)", True)
    typist.replace(typist.text.index("run(1, 2)"), typist.text.index("run(1, 2)") + 9, "run(1, Net())", True)


@pytest.mark.parametrize("words", ["_rows(y)", "kept = y", "z = _rows", "self.kept.append(y)"])
def test_what_a_private_function_is_passed_is_looked_at_anew(words: str) -> None:
    text = (
        "import torch\n\n\ndef _rows(x):\n    return x.to(torch.float64)\n\n\nclass A:\n    def add(self, x):\n"
        "        self.kept.append(x.cpu())\n\n    def f(self, y):\n        kept = torch.cat(self.kept)\n        \n"
        "        return _rows(kept)\n"
    )
    typist = Typist(text, prepared("npu"))
    at = text.index("        \n") + 8
    typist.type(at, words)
    typist.erase(at + len(words), len(words))


@pytest.mark.parametrize("values", [("True", "True"), ("True", "False")])
def test_settings_that_become_one_are_the_same_in_whatever_order_they_were_typed(values: tuple[str, str]) -> None:
    lines = [f"torch.backends.{name}.allow_tf32 = {value}" for name, value in zip(("cuda.matmul", "cudnn"), values)]
    text = "import torch\n" + "\n".join(lines) + "\n"
    typist = Typist(text, prepared("musa"))
    for line in (*lines, "import torch"):
        at = text.index(line)
        typist.erase(at + len(line), len(line) // 2)
        typist.type(at + len(line) - len(line) // 2, line[len(line) - len(line) // 2 :])


WAITING = """import pytest
import torch
import torch_npu
waits = pytest.mark.skipif(not torch.cuda.is_available(), reason="no")


def _fast(x):
    return x.cuda()


@waits
class Test:
    def test(self):
        _fast(1)
        torch.cuda.nccl.version()


def run(x):
    y = x
    return y
"""


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ("    y = x\n", "    _fast(y)\n"),
        ("return y\n", "_fast(1)\n"),
        ("return y\n", "pytestmark = waits\n"),
        ("@waits\n", "# slow\n"),
        ("@waits\n", "@slow\n"),
        ("import torch_npu\n", "@register\n"),
        ("x.cuda()\n\n\n", "@waits\n"),
        ("_fast(1)\n", "        x.cuda()\n"),
    ],
)
def test_what_waits_with_a_mark_is_looked_at_anew(after: str, words: str) -> None:
    typist = Typist(WAITING, prepared("npu"))
    at = WAITING.index(after) + len(after)
    typist.type(at, words)
    typist.erase(at + len(words), len(words))


UNREAD = """\
import torch
from lib import (
    one,
    two,
)


def run(model, path, sizes):
    total = one(path)
    if sizes:
        first = sizes[0]
        label = two(first)
    else:
        label = "none"
    for size in sizes:
        total += size
    if torch.cuda.is_available():
        model = model.cuda()
    count = len(path)
    report(total, label, count)
    return model
"""


@pytest.mark.parametrize(
    "line",
    [
        "    total = one(path)",
        "        label = two(first)",
        '        label = "none"',
        "        total += size",
        "    if sizes:",
        "    else:",
        "    for size in sizes:",
    ],
)
def test_nearly_every_key_of_a_line_that_no_check_read_is_carried(line: str, carried: list[Kept | None]) -> None:
    """The function has findings; no check reads these lines of it."""
    typist = Typist(UNREAD, prepared("npu"))
    start, first = UNREAD.index(line), len(line) - len(line.lstrip())
    typist.replace(start + first, start + len(line), "")
    typist.type(start + first, line.strip())
    typist.replace(start, start, "x")
    typist.replace(start, start + 1, "")
    # a line next to the header of the function, which was read, becomes a line of code or an empty line
    assert sum(kept is not None for kept in carried) >= len(carried) - 2


@pytest.mark.parametrize("line", ["    total = one(path, [", "    d = {"])
def test_a_bracket_that_is_not_closed_is_carried(line: str, carried: list[Kept | None]) -> None:
    typist = Typist(UNREAD.replace("    total = one(path)\n", "    \n"), prepared("npu"))
    typist.type(UNREAD.index("    total = one(path)") + 4, line.strip())
    # the line is next to the header of the function, which was read
    assert sum(kept is not None for kept in carried) >= len(carried) - 2


CALLING = """\
import torch
from fastlib import (
    here
    fast,
)


def f(x):
    if x.is_cuda:
        return fast(x)
    here
    return x.relu()
"""
RETURNING = """\
import torch


def ready():
    if torch.cuda.is_available():
        here
    return False


if ready():
    torch.cuda.nccl.version()
"""
NAMING = """\
import torch


class Maker:
    here
    def put(self, kind):
        return torch.zeros(1, device=kind)


def f(x, kind):
    here
    y = x.to(kind)
    if kind == "cuda":
        y = y.cuda()
    return y


Maker().put("cuda")
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CALLING, "slow,"),
        (CALLING, "return x.half()"),
        (CALLING.replace("return fast(x)", "here"), "return fast(x)"),
        (RETURNING, "return True"),
        (RETURNING.replace("return False", "here"), "else: return True"),
        (NAMING, "@staticmethod"),
        (NAMING, "kind = x.kind"),
        (NAMING, "for kind in x.kinds: pass"),
    ],
)
@pytest.mark.parametrize("target", ["npu", "musa"])
def test_a_line_beside_what_was_read_is_looked_at(text: str, words: str, target: str) -> None:
    """A check reads the place of the typed line although nothing is there yet."""
    for number in range(text.count("here")):
        parts = text.split("here")
        above, below = "".join(parts[: number + 1]), "".join(parts[number + 1 :])
        typist = Typist(above + below, prepared(target))
        typist.type(len(above), words)
        typist.erase(len(above) + len(words), len(words))
        typist.replace(len(above), len(above), words)


def test_a_statement_that_two_traced_names_are_in_is_read_at_the_same_name_first() -> None:
    """A statement with an open bracket counts as read if the first name that is looked up is in a line below it."""
    text = (
        "import torch\nfrom torch.cuda import clock_rate\nfrom torch.profiler import ProfilerActivity, profile\n\n\n"
        "def other(a):\n    with profile(activities=[ProfilerActivit\n    if a:\n        c = a\n\n    "
        "print(clock_rate())\n"
    )
    typist = Typist(text, prepared("npu"))
    typist.type(text.index("Activit\n") + 7, "y")


def test_an_import_binds_a_name_in_statements_that_were_parsed() -> None:
    text = "import x\nimport torch\n\n\ndef f():\n    if x.is_cuda:\n        torch.cuda.seed()\n"
    typist = Typist(text, prepared("npu"))
    typist.replace(0, len("import x\n"), "")
    typist.replace(0, 0, "import x\n")


FILLED = """

def choose(sizes):
    index = None
    for size in sizes:
        index = size
    return index if sizes else None


def capability():
    found = None
    if torch.cuda.is_available():
        found = torch.cuda.get_device_properties(0).major
    return found
"""


@pytest.mark.parametrize("line", ["        index = size", "    index = None", "    return index"])
def test_names_that_hold_none_are_carried(line: str, carried: list[Kept | None]) -> None:
    """Only code that the target runs assigns a value to the name `index`."""
    typist = Typist(UNREAD + FILLED, prepared("npu"))
    at = typist.text.index(line)
    carried.clear()
    typist.replace(at + len(line), at + len(line), "x")
    typist.replace(at, at, "x")
    # the line may say None for a name that code for CUDA assigns to
    assert sum(kept is not None for kept in carried) >= (2 if "None" not in line else 1), line


def test_a_character_before_an_import_is_not_imported(carried: list[Kept | None]) -> None:
    """A check read lines with the name `x`."""
    apart = APART.replace("        for", "        from stats import three\n        for")
    typist = Typist(UNREAD.replace("model", "x") + apart, prepared("npu"))
    at = typist.text.index("        from stats import three")
    carried.clear()
    typist.replace(at, at, "x")
    assert None not in carried


def test_a_line_with_the_name_of_a_subscripted_value_is_carried(carried: list[Kept | None]) -> None:
    """Only a variable that is called may hold a function of torch."""
    text = 'import torch\n\n\nclass A:\n    def f(self, x):\n        states = {}\n        states["cuda"] = x\n'
    text += "\n    def other(self, values):\n        total = 0\n        total += values\n        return total\n"
    typist = Typist(text, prepared("npu"))
    at = text.index("        total +=")
    carried.clear()
    typist.replace(at, at, "        total += states\n")
    assert None not in carried
