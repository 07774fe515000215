"""Smoke test of GPU idioms: some ninety short CUDA idioms, one function each."""
import importlib
import sys

import torch

from registry import IDIOMS

GROUPS = ["tensors", "modules", "streams", "memory", "random_state", "amp", "loading", "backends"]


def run(function):
    torch.manual_seed(0)
    name = function.__name__
    try:
        loss = function()
    except Exception as error:
        print(f"idiom {name} failed: {type(error).__name__}")
        if "-v" in sys.argv:
            print(f"    {error}", file=sys.stderr)
        return False
    if loss is None:
        print(f"idiom {name} ok")
    else:
        print(f"idiom {name} loss {float(loss):.8f}")
    return True


def main():
    failed = 0
    for group in GROUPS:
        try:
            importlib.import_module(group)
        except Exception as error:
            print(f"group {group} failed: {type(error).__name__}")
            failed += 1
    for function in IDIOMS:
        failed += not run(function)
    print(f"idioms {len(IDIOMS)}")
    print(f"failed {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
