"""Runs a program on a simulated machine: `python -m simulator --target npu --version 2.14 -- train.py --epochs 1`."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from .launch import environment, write_plugin
from .versions import PLUGINS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", choices=sorted(PLUGINS), required=True)
    parser.add_argument("--version", default="")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    program = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    folder = write_plugin(arguments.target)
    environment(folder, arguments.target, arguments.version, arguments.devices)
    sys.path.insert(0, str(folder))
    if arguments.target == "cuda":
        from .setup import install

        install("cuda", "", arguments.devices)
    sys.argv = program
    sys.path.insert(0, str(Path(program[0]).resolve().parent))
    runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    main()
