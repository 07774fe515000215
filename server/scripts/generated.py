"""Writes generated files, or with `--check` only compares them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def settle(about: str | None, make: Callable[[], Mapping[Path, str]]) -> int:
    """Write the files that `make` returns, or with --check compare them; return the exit code, which is 1 if --check
    finds a stale file.

    `about`: the description of the script, for its help.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    status = 0
    for path, text in make().items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            print(f"{path.relative_to(ROOT)} is stale", file=sys.stderr)
            status = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    return status
