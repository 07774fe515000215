"""The bundle that the editors' extensions carry, made for a test."""

import subprocess
import sys
from pathlib import Path

from support.imports import ROOT

BUNDLING = ROOT / "server" / "scripts" / "bundling.py"


class Missing(Exception):
    """No bundle can be made here; the message says why."""


def make_bundle(folder: Path) -> Path:
    """Write the bundle into a folder, and give its launch.py; raises Missing."""
    done = subprocess.run([sys.executable, str(BUNDLING), str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"the bundle's packages cannot be fetched (is an index reachable?): {done.stderr.strip()[-500:]}")
    return folder / "launch.py"
