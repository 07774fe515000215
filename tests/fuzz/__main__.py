"""Passes random input to the real command and the real server: `make fuzz MINUTES=10`.

    python -m fuzz --minutes 10 [--seed S] [--kind files …]
    python -m fuzz --seed S --kind files --case 12          one input of a run, once more

Exit code: 0 no failures, 1 failures, 130 interrupted without a failure.
"""

import argparse
import secrets
import signal
import sys
from pathlib import Path

from fuzz.kinds import KINDS
from fuzz.runner import FOLDER, Runner


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; returns the exit code."""
    parser = argparse.ArgumentParser(prog="fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="how long it goes on (default: 10)")
    parser.add_argument("--seed", default="", help="repeat what this seed made (default: a new one)")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=[*KINDS], help="kinds of input (default: all)")
    parser.add_argument("--case", default="", metavar="N[-M]", help="only this input of the seed, or these")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where finds are written (default: .cache/fuzz)")
    given = parser.parse_args(arguments)
    seed = given.seed or str(secrets.randbelow(10**6))
    print(f"seed {seed}", flush=True)
    runner = Runner([KINDS[name]() for name in given.kind], seed, folder=given.folder)
    interrupted = False
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if given.case:
            first, _, last = given.case.partition("-")
            runner.repeat(range(int(first), int(last or first) + 1))
        else:
            runner.run(given.minutes * 60)
    except KeyboardInterrupt:
        interrupted = True
    print(runner.table(), flush=True)
    return 1 if runner.found else 130 if interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
