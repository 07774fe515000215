"""Checks how the helper module of a portable project works with real PyTorch.

`PYTHONPATH=tests:server .venv/bin/python -m execution.helper`.

The checks cover forked and spawned children, workers of a DataLoader, `torch.compile(fullgraph=True)` and pickling,
with a build of PyTorch for CUDA on a machine without a device. The checks also compare what the helper module returns
if plugins are installed; these plugins are small modules that the checks write. A line is printed for each check; the
exit code is 1 if one fails. `--python FILE` names the interpreter of another PyTorch, such as 2.1, the oldest that the
helper module supports.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from uncuda.catalogue import load
from uncuda.engine.portable.template import helper_text
from uncuda.engine.several import portable_targets
from uncuda.settings import Settings

from .workers import written

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".cache/execution/venv/bin/python"
CHECKS = """
import multiprocessing, pickle, sys, warnings
import torch
import _accelerator as helper

FUNCTIONS = (helper.accelerator_type, helper.device_module, helper.device, helper.backend, helper.visible_devices)

def in_child(queue):
    answers = helper.accelerator_type(), str(helper.device()), helper.backend()
    queue.put((torch.cuda._is_in_bad_fork(), answers))

def child(method):
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=in_child, args=(queue,))
    process.start()
    found = queue.get(timeout=120)
    process.join()
    return found

class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, index):
        assert not torch.cuda._is_in_bad_fork()
        return torch.tensor([index, len(helper.accelerator_type())])

def workers(method):
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=4, num_workers=2, multiprocessing_context=method)
    return [batch.tolist() for batch in loader]

def compiled():
    def step(x):
        if x.device.type == helper.accelerator_type():
            return x
        return (x * 2).to(helper.device("cpu"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return torch.compile(step, fullgraph=True, backend="eager")(torch.ones(2)).tolist()

if __name__ == "__main__":
    for function in FUNCTIONS:
        function()
    answers = (False, ("cuda", "cuda", "nccl"))
    batches = [[[0, 4], [1, 4], [2, 4], [3, 4]], [[4, 4], [5, 4], [6, 4], [7, 4]]]
    checks = {
        "not started": lambda: not torch.cuda.is_initialized(),
        "fork": lambda: child("fork") == answers,
        "spawn": lambda: child("spawn") == answers,
        "DataLoader, fork": lambda: workers("fork") == batches,
        "DataLoader, spawn": lambda: workers("spawn") == batches,
        "torch.compile(fullgraph=True)": lambda: compiled() == [2.0, 2.0],
        "pickle": lambda: pickle.loads(pickle.dumps([helper.device(1), helper.accelerator_type()]))[0].index == 1,
        "no device": lambda: helper.device_type() == "cpu",
    }
    bad = 0
    for name, check in checks.items():
        try:
            good = check()
        except Exception as error:
            good = f"{type(error).__name__}: {error}"
        print(f"{name:32} {'as expected' if good is True else good}")
        bad += good is not True
    sys.exit(bad)
"""
_ASK = """
import warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import _accelerator as helper
said = [one for one in said if "cannot be imported" in str(one.message)]
print(helper.accelerator_type(), helper.backend(), helper.device_type(), helper.device_module().__name__, len(said))
"""
_PLUGIN = """
import types
import torch
torch.{0} = types.ModuleType("torch.{0}")
torch.{0}.is_available = lambda: {1}
"""
_NO_DRIVER = "raise ImportError('libascendcl.so: cannot open shared object file')\n"
_CUDA = "cuda nccl cpu torch.cuda"
PLUGINS: dict[str, tuple[dict[str, str], str]] = {
    "no plugin": ({}, f"{_CUDA} 0"),
    "a plugin": ({"torch_npu/__init__.py": _PLUGIN.format("npu", True)}, "npu hccl npu torch.npu 0"),
    "a plugin without a device": ({"torch_musa.py": _PLUGIN.format("musa", False)}, "musa mccl cpu torch.musa 0"),
    "two plugins, the second with a device": (
        {"torch_npu.py": _PLUGIN.format("npu", False), "torch_musa.py": _PLUGIN.format("musa", True)},
        "musa mccl musa torch.musa 0",
    ),
    "two plugins without a device": (
        {"torch_npu.py": _PLUGIN.format("npu", False), "torch_musa.py": _PLUGIN.format("musa", False)},
        "npu hccl cpu torch.npu 0",
    ),
    "a plugin without its driver": ({"torch_npu.py": _NO_DRIVER}, f"{_CUDA} 1"),
    "a folder named torch_npu": ({"torch_npu/notes.txt": ""}, f"{_CUDA} 0"),
}
"""For each test case: the files of the installed plugins, and the line that `_ASK` must print, i.e. the results of the
helper module's functions and the number of warnings."""


def main(python: Path = PYTHON) -> int:
    """Run all checks with an interpreter; returns 1 if one fails."""
    catalogue = load()
    targets = [catalogue.target(name) for name in portable_targets(catalogue, Settings(strategy="portable"))]
    text = helper_text(targets)
    with tempfile.TemporaryDirectory(prefix="helper-") as room:
        (Path(room) / "_accelerator.py").write_text(text, encoding="utf-8")
        (Path(room) / "checks.py").write_text(CHECKS, encoding="utf-8")
        bad = subprocess.run([str(python), "checks.py"], cwd=room, check=False).returncode
    for name, (files, answers) in PLUGINS.items():
        for autoload in ("1", "0"):
            found = _answers({**files, "_accelerator.py": text, "ask.py": _ASK}, python, autoload)
            said = "as expected" if found == answers else found
            case = f"{name}, autoload {'on' if autoload == '1' else 'off'}"
            print(f"{case:52} {said}", flush=True)
            bad += found != answers
    return min(1, bad)


def _answers(files: Mapping[str, str], python: Path, autoload: str) -> str:
    with tempfile.TemporaryDirectory(prefix="helper-") as room:
        environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": autoload}
        done = subprocess.run(
            [str(python), "ask.py"],
            cwd=written(Path(room), files),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip() or done.stderr.strip()[-300:]


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[2:3])))
