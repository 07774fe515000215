"""Builds the bundle that the editor extensions contain, for a test."""

import sys
from pathlib import Path

from support.fetching import fetch
from support.imports import ROOT

BUNDLING = ROOT / "server" / "scripts" / "bundling.py"


def make_bundle(folder: Path) -> Path:
    """Write the bundle into a folder and return the path of its launch.py; raises Missing if packages cannot be
    fetched."""
    fetch([sys.executable, str(BUNDLING), str(folder)])
    return folder / "launch.py"
