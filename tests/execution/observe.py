"""Records what a program did, from inside its process: operators, changes of weights, exit code."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


class Observer:
    """Writes a file when the process ends: the exit code, the operators in order, the queried properties of the
    simulated plugin version, and whether weights changed."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.file, self.folder = file, folder
        self.optimizers: list[Any] = []  # optimizers are kept alive, so that no id() occurs twice
        self.first: dict[int, float] = {}
        self.last: dict[int, float] = {}
        self.hooks = [register_optimizer_step_pre_hook(self._before), register_optimizer_step_post_hook(self._after)]

    def _before(self, optimizer: Any, *_: Any) -> None:
        if id(optimizer) not in self.first:
            self.optimizers.append(optimizer)
            self.first[id(optimizer)] = _sum(optimizer)

    def _after(self, optimizer: Any, *_: Any) -> None:
        self.last[id(optimizer)] = _sum(optimizer)

    def write(self, code: int, error: BaseException | None) -> None:
        """Write the record, as JSON."""
        record: dict[str, Any] = {"code": code, "changed": [self.last[one] != self.first[one] for one in self.last]}
        record["operators"], record["asked"], record["touched"] = _simulated()
        if error is not None:
            record["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
            record["at"] = self._place(error)
        self.file.write_text(json.dumps(record), "utf-8")

    def _place(self, error: BaseException) -> list[Any]:
        """Return the innermost line of the program itself in a traceback: the file, relative to the folder, and the
        line number."""
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            path = Path(frame.filename)
            path = path if path.is_absolute() else self.folder / path
            if path.is_relative_to(self.folder) and frame.lineno:
                return [path.relative_to(self.folder).as_posix(), frame.lineno]
        return []


def _sum(optimizer: Any) -> float:
    total = 0.0
    with torch.no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                host = getattr(parameter, "host", parameter)
                total += float(host.detach().double().abs().sum())
    return total


def _simulated() -> tuple[list[str], dict[str, str], list[str]]:
    machine = sys.modules.get("simulator.machine")
    if machine is None or not machine._MACHINES:
        return [], {}, []
    return machine.MACHINE.trace, machine.MACHINE.asked, sorted(machine.MACHINE.touched)


def run(file: Path, record: Path) -> int:
    """Run a program in this process as `__main__` and record it; returns its exit code."""
    import runpy

    folder = Path.cwd()
    observer = Observer(record, folder)
    code = 0
    error: BaseException | None = None
    try:
        runpy.run_path(str(folder / file), run_name="__main__")
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
        error = exit_ if code else None
        if isinstance(exit_.code, str):
            print(exit_.code, file=sys.stderr)
    except BaseException as raised:  # noqa: BLE001 (whatever ends a program)
        traceback.print_exc()
        code, error = 1, raised
    sys.stdout.flush()
    sys.stderr.flush()
    observer.write(code, error)
    return code


if __name__ == "__main__":
    os._exit(run(Path(sys.argv[1]), Path(os.environ["OBSERVE_RECORD"])))
