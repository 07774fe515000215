"""The number of processes, and questions for CUDA, stay if a question of another file stays and keeps the models on the
CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.engines import engine_for
from test_kernels import fixed
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
