"""Reads the names that versions of a plugin have, and compares two versions. A plugin is never imported.

    python server/scripts/plugin_names.py read WHEEL-OR-FOLDER... [--from ORIGIN] [--partial] [--check]
    python server/scripts/plugin_names.py compare OLD NEW

`read` writes server/scripts/plugin/names/TARGET-VERSION.json, from which `make generate` generates tables. The script
reads a wheel, a checkout, or the site-packages folder that contains PyTorch. `torch-npu==2.9.0` is downloaded to
.cache/execution/wheels if it is not there. `compare` accepts the same arguments as `read`, or two JSON files that
`read` wrote.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.downloads import download
from scripts.generated import ROOT
from scripts.plugin.compare import differences
from scripts.plugin.known import NAMES, Version
from scripts.plugin.names import Facts, dumped, file_name, read

WHEELS = ROOT / ".cache" / "execution" / "wheels"
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux2014_x86_64")
_PINNED = re.compile(r"(torch-npu)==([\w.]+)")


def fetched(package: str, version: str) -> Path:
    """Return the wheel of a version, downloaded from the package index unless it is in the folder of wheels already."""
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    if not list(WHEELS.glob(pattern)):
        WHEELS.mkdir(parents=True, exist_ok=True)
        download(f"{package}=={version}", PLATFORMS, WHEELS)
    return min(WHEELS.glob(pattern))


def facts_of(place: str, origin: str = "", partial: bool = False) -> Facts:
    """Return what plugin/names.py reads from a plugin. `place`: a wheel, a folder, or a requirement such as
    `torch-npu==2.9.0`."""
    pinned = _PINNED.fullmatch(place)
    return read(fetched(*pinned.groups()) if pinned else Path(place), origin, partial)


def settle(found: Facts, check: bool) -> bool:
    """Write the JSON file with the names of a version, or only compare the names with the existing file; return whether
    they agree."""
    path, text = NAMES / file_name(found), dumped(found)
    same = path.is_file() and path.read_text(encoding="utf-8") == text
    if not check and not same:
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.name}: {found['version']}, {'same' if same else 'differs' if check else 'written'}")
    return same or not check


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 if --check finds a difference, 2 if something cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    reading = commands.add_parser("read", help="write what versions have")
    reading.add_argument("places", nargs="+", metavar="WHEEL-OR-FOLDER")
    reading.add_argument("--from", dest="origin", default="", help="where a folder came from: owner/name@commit")
    reading.add_argument("--partial", action="store_true", help="a folder with some of the files: the rest is unknown")
    reading.add_argument("--check", action="store_true", help="only compare")
    comparing = commands.add_parser("compare", help="print what two versions differ in")
    comparing.add_argument("old")
    comparing.add_argument("new")
    options = parser.parse_args(arguments)
    try:
        if options.command == "read":
            agree = [
                settle(facts_of(place, options.origin, options.partial), options.check) for place in options.places
            ]
            return 0 if all(agree) else 1
        old, new = (
            Version.load(Path(place)) if place.endswith(".json") else Version(facts_of(place))
            for place in (options.old, options.new)
        )
        print("\n".join(differences(old, new)) or f"{old.version} and {new.version}: no difference")
    except (OSError, ValueError, subprocess.CalledProcessError) as problem:
        print(f"plugin_names: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
