"""The bundle that the editors' extensions carry, made for a test."""

import sys
from pathlib import Path

from support.fetching import fetch
from support.imports import ROOT

BUNDLING = ROOT / "server" / "scripts" / "bundling.py"


def make_bundle(folder: Path) -> Path:
    """Write the bundle into a folder, and give its launch.py; raises Missing."""
    fetch([sys.executable, str(BUNDLING), str(folder)])
    return folder / "launch.py"
