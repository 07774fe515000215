"""Starts the simulation in other processes: a folder on PYTHONPATH contains a package `torch_npu` that starts it when
it is imported."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from .versions import PLUGINS

ROOM = Path(__file__).resolve().parent.parent
LIBRARIES = Path(__file__).resolve().parent / "libraries"

_PACKAGE = """\
import os
from simulator.setup import install
install({target!r}, os.environ.get("SIMULATOR_VERSION", ""), int(os.environ.get("SIMULATOR_DEVICES", "1")))
"""
_SHIM = """\
from simulator.shims import transfer_to_npu
transfer_to_npu()
"""
# For simulated CUDA there is no plugin whose import could start the simulation.
_SITE = """\
import os
if os.environ.get("SIMULATOR_TARGET") == "cuda" and not os.environ.get("SIMULATOR_WAIT"):
    from simulator.setup import install
    install("cuda", "", int(os.environ.get("SIMULATOR_DEVICES", "1")))
"""


def write_plugin(target: str, folder: Path | None = None) -> Path:
    """Write the folder for PYTHONPATH and return it; it is in the system's folder for temporary files unless `folder`
    is given."""
    folder = folder or Path(tempfile.gettempdir()) / f"simulated-{target}-{os.getuid()}"
    folder.mkdir(parents=True, exist_ok=True)
    if target == "cuda":
        (folder / "sitecustomize.py").write_text(_SITE, "utf-8")
    else:
        package = folder / PLUGINS[target].package
        package.mkdir(exist_ok=True)
        (package / "__init__.py").write_text(_PACKAGE.format(target=target), "utf-8")
        if target == "npu":
            (package / "contrib").mkdir(exist_ok=True)
            (package / "contrib" / "transfer_to_npu.py").write_text(_SHIM, "utf-8")
    return folder


def environment(folder: Path, target: str, version: str, devices: int) -> None:
    """Set the environment variables that tell this process and its children what to simulate."""
    os.environ["SIMULATOR_TARGET"] = target
    os.environ["SIMULATOR_VERSION"] = version
    os.environ["SIMULATOR_DEVICES"] = str(devices)
    paths = [str(folder), str(ROOM), *filter(None, [os.environ.get("PYTHONPATH")])]
    libraries = [str(LIBRARIES / "python"), *([str(LIBRARIES / "cuda")] if target == "cuda" else [])]
    paths += libraries
    sys.path += libraries
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    sys.path[:0] = [str(folder), str(ROOM)]
