"""Checks how the helper module of a portable project works with real PyTorch.

`PYTHONPATH=tests:server .venv/bin/python -m execution.helper`.

The checks cover forked and spawned children, workers of a DataLoader, `torch.compile(fullgraph=True)` and pickling, on
a build of PyTorch for CUDA without a device. A line is printed for each check; the exit code is 1 if one fails.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from uncuda.catalogue import load
from uncuda.engine.portable.template import helper_text

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


def main() -> int:
    """Write the helper module for all targets and `checks.py` into one folder, and run the checks there."""
    catalogue = load()
    targets = [catalogue.target(name) for name in catalogue.declarations if catalogue.target(name).has_tables]
    with tempfile.TemporaryDirectory(prefix="helper-") as room:
        (Path(room) / "_accelerator.py").write_text(helper_text(targets), encoding="utf-8")
        (Path(room) / "checks.py").write_text(CHECKS, encoding="utf-8")
        return min(1, subprocess.run([str(PYTHON), "checks.py"], cwd=room, check=False).returncode)


if __name__ == "__main__":
    sys.exit(main())
