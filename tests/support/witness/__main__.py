"""Counts the half-ported places that `uncuda fix` leaves in real packages; run by `make witness`.

    python -m support.witness                          the packages of corpus.lock and witness.lock
    python -m support.witness FOLDER … --list          these folders; every place is printed
    python -m support.witness --packages mmcv timm --target npu --mode safe

To run another checkout's engine, set UNCUDA_TEST_PATH=FOLDER/server. The exit code is 0 if nothing is half-ported, and
1 if something is.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from corpus.fetch import LOCKS, pinned, tree
from support.witness.figures import figures, table, write
from support.witness.runs import MODES, TARGETS, run_all


def main(arguments: list[str] | None = None) -> int:
    """Run the witness; returns the exit code."""
    parser = argparse.ArgumentParser(prog="witness", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, help="trees to read (default: the pinned packages)")
    parser.add_argument("--packages", nargs="+", choices=list(pinned(*LOCKS)), default=[], metavar="NAME")
    parser.add_argument("--target", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--mode", nargs="+", choices=list(MODES), default=list(MODES))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--list", action="store_true", help="print every place")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write counts and places there")
    parser.add_argument("--write", action="store_true", help="make these the committed figures and the page of docs/")
    given = parser.parse_args(arguments)
    packages = {folder.name: folder for folder in given.folders}
    names = given.packages or ([] if packages else sorted(pinned(*LOCKS)))
    packages |= {name: tree(name) for name in names}
    runs = []
    for run in run_all(packages, given.target, given.mode, given.jobs):
        runs.append(run)
        for item in run.records if given.list else ():
            print(f"{run.package} {run.target} {run.mode} {item.path}:{item.line}: {item.kind}: {item.saw}", flush=True)
    found = figures(runs, _engine())
    for mode in given.mode:
        for target in given.target:
            print(f"{target}, {mode} ({found['engine']})\n\n{table(found, target, mode)}")
    if given.json:
        places = [
            {"package": run.package, "target": run.target, "mode": run.mode, **vars(item)}
            for run in runs
            for item in run.records
        ]
        given.json.write_text(json.dumps({**found, "places": places}, indent=1), encoding="utf-8")
    if given.write:
        write(found)
    return 1 if any(run.records for run in runs) else 0


def _engine() -> str:
    """Return the commit of the engine under test."""
    server = Path(os.environ.get("UNCUDA_TEST_PATH") or Path(__file__).parents[3] / "server")
    command = ["git", "-C", str(server), "describe", "--always", "--abbrev=7", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
