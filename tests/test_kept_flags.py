"""The number of processes, and questions for CUDA, stay if a question of another file stays and keeps the models on the
CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from test_kernels import fixed
from uncuda.project import FLAG_BY_CUDA, WRAPS_BY_COUNT, Project
from uncuda.source import Source
from uncuda.workspace.kept_flags import models_stay

TRAINER = """import torch
import torch_npu


class Trainer:
    def __init__(self, args, model):
        self.cuda = torch.cuda.is_available() and not args.cpu
        if self.cuda:
            model = model.cuda()
        if self.cuda and torch.cuda.get_device_capability(0)[0] < 7:
            print("NOTE: your device does not support faster training with --fp16")
"""
OPTIONS = "import torch\nimport torch_npu\nparser.add_argument('--distributed-world-size', default={})\n"
MAIN = "import torch\nimport torch_npu\n{}\nx = torch.zeros(1, device='cuda')\n"
PROCESSES = [
    "if torch.cuda.device_count() > 1 and not args.no_spawn:\n    main()",
    "torch.multiprocessing.spawn(main, nprocs=torch.cuda.device_count())",
    "def main(args):\n    assert args.distributed_world_size <= torch.cuda.device_count()",
    "cfg.distributed_num_procs = min(torch.cuda.device_count(), cfg.distributed_world_size)",
]


@pytest.mark.parametrize("line", PROCESSES)
@pytest.mark.parametrize("target", ["npu", "musa"])
def test_the_number_of_processes_stays_if_models_stay_on_the_cpu(line: str, target: str, tmp_path: Path) -> None:
    """As in fairseq, whose trainer compares the compute capability: with several devices, each of the processes would
    wrap a model on the CPU in `DistributedDataParallel`."""
    files = {"trainer.py": TRAINER, "options.py": OPTIONS.format("max(1, torch.cuda.device_count())")}
    files["main.py"] = MAIN.format(line)
    files = {path: text.replace("torch_npu", f"torch_{target}") for path, text in files.items()}
    after = fixed(tmp_path, files, target)
    assert after["trainer.py"] == files["trainer.py"]
    assert after["options.py"] == files["options.py"]
    assert after["main.py"] == files["main.py"].replace("'cuda'", f"'{target}'")


def test_the_number_of_processes_moves_with_the_models(tmp_path: Path) -> None:
    plain = TRAINER[: TRAINER.index("        if self.cuda and")]
    files = {"trainer.py": plain, "main.py": MAIN.format(PROCESSES[1])}
    after = fixed(tmp_path, files, "npu")
    assert after["main.py"] == files["main.py"].replace("torch.cuda", "torch.npu").replace("'cuda'", "'npu'")
    assert "cuda.is_available" not in after["trainer.py"]


@pytest.mark.parametrize(
    "line",
    [
        "print(torch.cuda.device_count())",
        "print('world_size', torch.cuda.device_count())",
        "respawned(torch.cuda.device_count())",
    ],
)
def test_other_numbers_of_devices_move(line: str, tmp_path: Path) -> None:
    files = {"trainer.py": TRAINER, "main.py": MAIN.format(line)}
    assert "torch.npu.device_count" in fixed(tmp_path, files, "npu")["main.py"]


@pytest.mark.parametrize(
    "line",
    [
        "self.cuda = torch.cuda.is_available()",
        "self.other = torch.cuda.is_available()\nif self.cuda and torch.cuda.get_device_capability(0)[0] < 7: pass",
        "self.cuda = True\nif self.cuda and torch.cuda.get_device_capability(0)[0] < 7: pass",
        "if torch.cuda.get_device_capability() >= (8, 0): pass",
        TRAINER.replace("model.cuda()", "model"),
        TRAINER.replace("        self.cuda =", "        # self.cuda ="),
    ],
)
def test_files_that_keep_no_flag(line: str) -> None:
    assert not models_stay(line.encode(), "a/trainer.py")
    assert models_stay(TRAINER.encode(), "a/trainer.py")
    assert not models_stay(TRAINER.encode(), "tests/trainer.py")


def test_a_device_behind_the_flag_counts_as_a_move() -> None:
    """As in fairseq since 0.10."""
    later = TRAINER.replace("model = model.cuda()", "self.device = torch.device('cuda')")
    assert models_stay(later.encode(), "a/trainer.py")
    assert models_stay(later.replace("\n", "\r\n").encode(), "a/trainer.py")


def test_the_flag_of_one_file_is_unknown_to_an_editor_before_the_scan() -> None:
    found = engine_for("npu").check(Source(MAIN.format(PROCESSES[1]))).findings
    assert [one.fixes[0].applicability for one in found] == ["safe", "safe"]


WRAPS = """import torch
import torch_npu


def build(model):
    if torch.cuda.device_count() > 1{}:
        print("several devices")
        model = torch.nn.DataParallel(model)
    return model.to("cuda")
"""
UNWRAPS = [
    "if torch.cuda.device_count() > 1 and not on_cpu:\n    batch_size = batch_size * torch.cuda.device_count()",
    "if torch.cuda.device_count() > 1:\n    model = model.module\nelse:\n    print()",
    "if torch.cuda.device_count() <= 1:\n    print()\nelse:\n    model.module.save()",
    "save(model.module if 2 <= torch.cuda.device_count() else model)",
    "key = f'module.{key}' if args.several and torch.cuda.device_count() >= 2 else key",
    "if torch.cuda.device_count() < 2:\n    state = {key[7:]: value for key, value in state.items()}",
]
OTHER_COUNTS = [
    "if torch.cuda.device_count() == 1:\n    state = {key[7:]: value for key, value in state.items()}",
    "if torch.cuda.device_count() > 1:\n    model = DistributedDataParallel(model)\n    model.module.save()",
    "if torch.cuda.device_count() > 0:\n    model.module.save()",
    "if torch.cuda.device_count() > 1:\n    print()\nmodel.module.save()",
    "if torch.cuda.device_count() > 1:\n    model = model.module if hasattr(model, 'module') else model",
    "if torch.cuda.device_count() > 1 and isinstance(model, nn.DataParallel):\n    model = model.module",
    "if torch.cuda.device_count() > 1:\n    model = DDP(model)\n    model.module.save()",
    "if torch.cuda.device_count() > 1:\n    self.module.sync = True",
    "if torch.cuda.device_count() > 1:\n    print(names[7:])  # of model.module",
    "if torch.cuda.device_count() > 1:\n    import a.module",
    "several = torch.cuda.device_count() > 1\nmodel.module.save()",
    "size = torch.cuda.device_count() * (model.module.size if several else 1)",
]


@pytest.mark.parametrize("line", UNWRAPS)
def test_a_question_for_several_devices_stays_with_the_wrapper_of_another_file(line: str, tmp_path: Path) -> None:
    """With several NPUs, the model would have no attribute `module`: the file that wraps it keeps its question."""
    files = {"train.py": WRAPS.format(""), "hook.py": MAIN.format(line)}
    after = fixed(tmp_path, files, "npu")
    assert after["train.py"] == files["train.py"].replace('"cuda"', '"npu"')
    assert after["hook.py"] == files["hook.py"].replace("'cuda'", "'npu'")
    for other in ({"train.py": "x = 1\n"}, {"train.py": WRAPS.format("").replace("torch.nn.Data", "DistributedData")}):
        assert "torch.npu.device_count" in fixed(tmp_path, files | other, "npu")["hook.py"]


def test_a_question_for_several_devices_moves_where_the_wrapper_works(tmp_path: Path) -> None:
    files = {"train.py": WRAPS.format(""), "hook.py": MAIN.format(UNWRAPS[0])}
    after = fixed(tmp_path, {path: text.replace("torch_npu", "torch_musa") for path, text in files.items()}, "musa")
    assert "torch.musa.device_count" in after["train.py"]
    assert "torch.musa.device_count" in after["hook.py"]


@pytest.mark.parametrize("line", OTHER_COUNTS)
def test_other_questions_for_a_number_move_beside_the_wrapper(line: str, tmp_path: Path) -> None:
    files = {"train.py": WRAPS.format(" and not args.cpu"), "hook.py": MAIN.format(line)}
    assert "torch.npu.device_count" in fixed(tmp_path, files, "npu")["hook.py"]


def test_typing_beside_a_question_for_several_devices() -> None:
    """The findings after each edit are those of a new analysis."""
    text = "\n\n".join(["import torch", *UNWRAPS, OTHER_COUNTS[0], "x = torch.zeros(1, device='cuda')\n"])
    typed = (
        "x = 1",
        "model = DistributedDataParallel(model)",
        "elif torch.cuda.device_count() > 1:",
        "y = model.module",
        "",
    )
    type_in_each_line(text, typed, 0, "hook.py", Project(models_stay=frozenset({WRAPS_BY_COUNT})))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if torch.cuda", "# if torch.cuda"),
        ("if torch.cuda", "print(torch.cuda"),
        ("> 1", "== 1"),
        ("        print", "    else:\n        print"),
        ("torch.nn.Data", "torch.nn.DistributedData"),
        ("> 1", ">= 1"),
        ("        model", "    model"),
        ("import torch\n", "import torch\nfrom torch.nn.parallel import DistributedDataParallel as DataParallel\n"),
    ],
)
def test_files_that_wrap_no_model_where_there_are_several_devices(old: str, new: str) -> None:
    assert models_stay(WRAPS.format("").encode(), "a/train.py") == {WRAPS_BY_COUNT}
    returned = WRAPS.format("").replace("model = torch", "return torch").replace("> 1", ">= 2").replace("\n", "\r\n")
    assert models_stay(returned.encode(), "a/train.py") == {WRAPS_BY_COUNT}
    assert not models_stay(WRAPS.format("").replace(old, new).encode(), "a/train.py")


LIGHTNING = {
    "dictionary": "CONFIG = {\n    'gpus': -1 if torch.cuda.is_available() else None,\n"
    "    'strategy': 'ddp' if torch.cuda.is_available() else None,\n}\ntrainer = pl.Trainer(**CONFIG)\n",
    "keyword": "trainer = pl.Trainer(gpus=min(1, torch.cuda.device_count()))\n",
    "accelerator": "trainer = pl.Trainer(accelerator='gpu' if torch.cuda.is_available() else 'cpu')\n",
}
QUESTIONS = """import torch
import torch_npu

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def ids(lengths):
    use_cuda = torch.cuda.is_available()
    if use_cuda:
        lengths = lengths.cuda()
    print(torch.{0}.is_available())
    log_model.to("cuda" if torch.cuda.is_available() else "cpu")
    return torch.arange(9).to(device)
"""


@pytest.mark.parametrize("given", LIGHTNING.values(), ids=LIGHTNING)
def test_questions_stay_if_lightning_keeps_the_models_on_the_cpu(given: str, tmp_path: Path) -> None:
    """Lightning counts CUDA's devices only. Without the device of the target, all of the program runs on the CPU."""
    main = f"import pytorch_lightning as pl\nimport torch\nimport torch_npu\n\n{given}"
    after = fixed(tmp_path, {"main.py": main, "tools.py": QUESTIONS.format("cuda")}, "npu")
    assert after == {"main.py": main, "tools.py": QUESTIONS.format("npu")}


OTHERS = [
    "trainer = pl.Trainer(gpus=1)\n",
    "trainer = pl.Trainer(max_epochs=2)\n",
    "# Trainer(gpus = torch.cuda.device_count())\n",
    '"""Trainer. number of gpus: torch.cuda.device_count()"""\n',
    "print(f'Trainer, gpus: {torch.cuda.device_count()}')\n",
    "accelerator = Accelerator(Trainer, cpu=not torch.cuda.is_available())\n",
]


@pytest.mark.parametrize("given", OTHERS)
def test_questions_move_beside_another_trainer(given: str, tmp_path: Path) -> None:
    main = f"import pytorch_lightning as pl\nimport torch\nimport torch_npu\n\n{given}"
    after = fixed(tmp_path, {"main.py": main, "tools.py": QUESTIONS.format("cuda")}, "npu")
    assert "cuda." not in after["tools.py"].replace("use_cuda", "")


MODEL = """import torch
from torch import nn


class Model(nn.Module):
    def cuda(self):
        super().cuda()
        self.use_cuda = True

    def zero(self, inputs):
        h0 = torch.zeros(len(inputs))
        if self.use_cuda:
            return h0.cuda()
        return h0
"""
OWN = [
    ("super().cuda()", "super(Model, self).cuda(device)"),
    ("if self.use_cuda:", "if inputs and not self.use_cuda:"),
    ("(self):\n        super", '(self, device=None):\n        """To CUDA."""\n\n        super'),
    ("\n", "\r\n"),
]
OTHER_MODELS = [
    ("self.use_cuda = True", "self.weight = self.weight.cuda()"),
    ("super().cuda()", "self.model.cuda()"),
    ("        super().cuda()", "        # super().cuda()"),
    ("if self.use_cuda:", "if inputs.use_cuda:"),
    ("        self.use_cuda = True", "    def other(self):\n        self.use_cuda = True"),
]


@pytest.mark.parametrize(("old", "new"), OWN)
def test_questions_stay_if_the_own_cuda_of_a_model_sets_an_attribute(old: str, new: str, tmp_path: Path) -> None:
    """The plugin's method would not set the attribute; calls of `cuda` on unknown objects need review."""
    model = MODEL.replace("import torch\n", "import torch\nimport torch_npu\n").replace(old, new)
    after = fixed(tmp_path, {"model.py": model, "tools.py": QUESTIONS.format("cuda")}, "npu")
    assert after["tools.py"] == QUESTIONS.format("npu")
    assert after["model.py"].replace(".npu(", ".cuda(") == model


@pytest.mark.parametrize(("old", "new"), OTHER_MODELS)
def test_questions_move_beside_other_models(old: str, new: str, tmp_path: Path) -> None:
    assert models_stay(MODEL.encode(), "a/model.py") == {FLAG_BY_CUDA}
    assert not models_stay(MODEL.replace(old, new).encode(), "a/model.py")
    after = fixed(tmp_path, {"model.py": MODEL.replace(old, new), "tools.py": QUESTIONS.format("cuda")}, "npu")
    assert "torch.npu.is_available" in after["tools.py"]


PARAMETER = """import torch


class OnCpu(torch.nn.Parameter):
    def cuda(self, device=None):
        return self
"""
TOOLS = "import torch\n\nENABLED = False\n\n\ndef move(x):\n    return x.cuda() if ENABLED else x\n"
ANSWERS = [
    ("tools.ENABLED = allowed and {}", "review"),
    ("args.cuda = not args.no_cuda and {}", "review"),
    ("tools.device = 'cuda' if {} else 'cpu'", "safe"),
    ("self.enabled = {}", "safe"),
    ("enabled = {}", "safe"),
    ("if {}:\n        torch.ones(1).cuda()", "safe"),
]


@pytest.mark.parametrize(("line", "due"), ANSWERS)
def test_an_answer_for_other_files_stays_where_calls_of_cuda_need_review(line: str, due: str, tmp_path: Path) -> None:
    """As in PyText, one of whose parameters stays on the CPU: with the fixed question, other files would call `cuda`,
    and fail on the target instead of running on the CPU."""
    asking = line.format("torch.cuda.is_available()")
    main = f"import torch\nimport torch_npu\nimport tools\n\n\ndef set(self, args, allowed):\n    {asking}\n"
    after = fixed(tmp_path, {"main.py": main, "tools.py": TOOLS, "parameter.py": PARAMETER}, "npu")
    assert after["tools.py"] == TOOLS
    assert ("torch.npu" in after["main.py"]) == (due == "safe")
    after = fixed(tmp_path / "plain", {"main.py": main, "tools.py": TOOLS}, "npu")
    assert "torch.npu" in after["main.py"]
    assert "x.npu()" in after["tools.py"]


RUNS = """import pytorch_lightning as pl
import torch
import torch_npu


def run(config, model):
    print(torch.cuda.device_count())
    pl.Trainer(accelerator=config.accelerator).fit(model)
"""
DECODER = """import torch
import torch_npu
from torch import nn


class Decoder(nn.Module):
    def forward(self, targets):
        if torch.cuda.is_available():
            targets = targets.cuda()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return targets
"""


def test_models_stay_where_lightning_places_them(tmp_path: Path) -> None:
    """As in openspeech, whose decoders would move their tokens to a device where the model is not."""
    main = DECODER + "\n\nif __name__ == '__main__':\n    Decoder()\n"
    tools = DECODER.replace("from torch import nn\n", "").replace("nn.Module", "Base")
    loads = DECODER + "\n\nnet = Decoder.load_from_checkpoint(path)\n"
    files = {"run.py": RUNS, "decoder.py": DECODER, "main.py": main, "tools.py": tools, "loads.py": loads}
    after = fixed(tmp_path, files, "npu")
    assert "    if torch.cuda.is_available():\n            targets = targets.cuda()\n" in after["decoder.py"]
    assert fixed(tmp_path, after, "npu") == after
    assert not any("cuda" in after[path] for path in ("main.py", "tools.py", "loads.py"))
    without = fixed(tmp_path, files | {"run.py": RUNS.replace("pl.Trainer(", "pl.fit(")}, "npu")
    assert "cuda" not in without["decoder.py"]


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ('device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n', True),
        ("if torch.cuda.is_available():\n    x = x.cuda()\n", True),
        ("if torch.cuda.is_available():\n    train(model)\n", False),
        ("if torch.cuda.is_available():\n    torch.cuda.empty_cache()\n", False),
        ("dev = 'cuda' if torch.cuda.is_available() else 'cpu'\nnet.to(dev)(x.cuda())\n", True),
    ],
)
def test_models_of_lightning_choose_no_device(line: str, stays: bool) -> None:
    """As in biobb-pytorch, whose energy tables would be on another device than the model."""
    text = "import lightning.pytorch as pl\nimport torch\nimport torch_npu\n" + line
    after = engine_for("npu").fix(Source(text)).text
    assert after == (text if stays else text.replace("torch.cuda", "torch.npu"))
    alone = text.replace("lightning.pytorch", "light")
    assert "cuda" not in engine_for("npu").fix(Source(alone)).text


def test_models_of_lightning_are_typed() -> None:
    text = "import lightning.pytorch as pl\n" + DECODER
    type_in_each_line(text, ("import lightning", "x = '__main__'", "targets = targets.cuda()"), 5)


DRIVER = """import GPUtil
from pytorch.tools import *


def train(params):
    if params["use_gpu"]:
        GPUs = GPUtil.getGPUs()
        used = GPUs[0].memoryUsed
"""
ASKING = """import torch
import torch_npu


def set_device(params, value):
    if value and not torch.cuda.is_available():
        value = False
    params["use_gpu"] = value
    torch.cuda.empty_cache()
"""


def test_questions_stay_where_another_file_asks_the_driver(tmp_path: Path) -> None:
    """As in monk, whose training would stop after the first phase: the driver lists no GPU."""
    files = {"train.py": DRIVER, "params.py": ASKING}
    assert fixed(tmp_path, files, "npu")["params.py"] == ASKING.replace("torch.cuda.empty", "torch.npu.empty")
    plain = files | {"train.py": DRIVER.replace("GPUs[0].memoryUsed", "len(GPUs)")}
    assert fixed(tmp_path, plain, "npu")["params.py"] == ASKING.replace("torch.cuda", "torch.npu")


def test_all_stays_where_the_project_registers_a_backend(tmp_path: Path) -> None:
    """As in torchax: the plugin takes the only place that torch has for another backend."""
    files = {"tensor.py": "import torch\n\nif device == 'cuda':\n    x = torch.zeros(3, device='cuda')\n"}
    files["setup_backend.py"] = "import torch\n\ntorch.utils.rename_privateuse1_backend('jax')\n"
    assert fixed(tmp_path, files, "npu") == files
    other = files | {"setup_backend.py": files["setup_backend.py"].replace("jax", "npu")}
    assert "'npu'" in fixed(tmp_path, other, "npu")["tensor.py"]
