"""Writes uncuda and all packages that it imports into a folder, which works with any Python from 3.10 on and on any
system.

    python server/scripts/bundling.py FOLDER

FOLDER/launch.py runs uncuda. FOLDER/libs contains uncuda with its rules, the record of how they were tested, and the
packages in requirements/bundle.txt, whose hashes are checked. Two runs in the same checkout write the same bytes.
Packages are downloaded once, into .cache/bundle, and used from there afterwards.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements" / "bundle.txt"
# Files that the bundle leaves out: those that pip writes about an installation, scripts, and type stubs that jedi does
# not find in the bundle.
_LEFT_OUT = {"INSTALLER", "RECORD", "REQUESTED", "WHEEL", "bin", "__pycache__"}
_STUBS = ("jedi", "third_party", "typeshed", "stubs")


def bundle(folder: Path) -> None:
    """Write the bundle into `folder`, replacing an existing bundle; raise ValueError if the folder contains anything
    else."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "launch.py").is_file():
        raise ValueError(f"{folder} is not empty, and not a bundle")
    for old in (folder / "libs", folder / "launch.py"):
        shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
    libs = folder / "libs"
    shutil.copytree(packages(), libs)
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(ROOT / "server" / "uncuda", libs / "uncuda", ignore=ignored)
    shutil.copytree(ROOT / "rules", libs / "uncuda" / "rules", ignore=ignored)
    shutil.copyfile(ROOT / "docs" / "execution.json", libs / "uncuda" / "execution.json")
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(ROOT / name, libs / "uncuda" / name)
    shutil.copyfile(ROOT / "server" / "launch.py", folder / "launch.py")


def packages() -> Path:
    """Return a folder with the packages that uncuda imports; they are downloaded if they are missing."""
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    key = hashlib.sha256(wanted.encode() + Path(__file__).read_bytes()).hexdigest()[:16]
    kept = ROOT / ".cache" / "bundle" / key
    if kept.is_dir():
        return kept
    part = kept.with_suffix(f".{_process()}")
    part.mkdir(parents=True)
    try:
        _install(wanted, part)
        _tidy(part / "libs")
        try:
            (part / "libs").rename(kept)
        except OSError:  # another process has created the folder meanwhile
            if not kept.is_dir():
                raise
    finally:
        shutil.rmtree(part)
    return kept


def _process() -> str:
    import os

    return f"part-{os.getpid()}"


def _install(wanted: str, folder: Path) -> None:
    """Install every package as a pure-Python wheel, even if its marker is for another Python or system."""
    everywhere = folder / "requirements.txt"
    everywhere.write_text(re.sub(r" ;[^\\\n]*", "", wanted), encoding="utf-8")
    anything = ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.10"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    command += ["--no-deps", "--require-hashes", "--only-binary", ":all:", *anything]
    subprocess.run([*command, "--target", str(folder / "libs"), "--requirement", str(everywhere)], check=True)


def _tidy(libs: Path) -> None:
    for path in [*libs.rglob("*"), libs.joinpath(*_STUBS)]:
        if path.name not in _LEFT_OUT and path != libs.joinpath(*_STUBS):
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def main() -> int:
    """Write the bundle; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where launch.py and libs/ go")
    folder = parser.parse_args().folder
    try:
        bundle(folder)
    except ValueError as error:
        parser.error(str(error))
    except subprocess.CalledProcessError:
        print("bundle: a package could not be installed; pip's words above say why", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
