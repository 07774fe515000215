"""Compares pycharm-plugin/api-surface.txt with the api dumps of a checkout of JetBrains/intellij-community.

compare_api.py CHECKOUT prints the members that are missing in the dumps now, and exits with 1 if there are any; run it
before the plugin is built for a newer IDE.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

SURFACE = Path(__file__).parents[2] / "pycharm-plugin" / "api-surface.txt"


def types(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the members and supertypes of each type; the keys are the lines that declare the types."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if line.startswith("- "):
            found[name].append(line[2:])
        elif line and not line.startswith("#"):
            name = line
            found[name] = []
    return found


def erased(line: str) -> str:
    """Return a line of api-surface.txt as an API dump of JetBrains writes it: without generic types and exceptions."""
    line = line.partition(" throws ")[0]
    while "<" in line.replace("<init>", ""):
        line = re.sub(r"<(?!init>)[^<>]*>", "", line)
    return re.sub(r"(?<=[(,:])T(?=[),]|$)", "java.lang.Object", line)


def sections(surface: str) -> dict[str, dict[str, list[str]]]:
    """Return the types grouped by the API dump from which they were taken, without the types that are in no dump."""
    found: dict[str, list[str]] = {}
    dump = ""
    for line in surface.splitlines():
        if line.startswith("# "):
            file, at, _ = line[2:].partition(" @ ")
            dump = file if at and file.endswith(".txt") else ""
        elif dump:
            found.setdefault(dump, []).append(erased(line))
    return {dump: types(lines) for dump, lines in found.items()}


def missing(surface: str, checkout: Path) -> list[str]:
    """Return the types and members in `surface`, the text of api-surface.txt, that the checkout's API dumps lack."""
    gone = []
    for dump, wanted in sections(surface).items():
        # a newer version may have moved a type from `api-dump-unreviewed.txt` of a module to its `api-dump.txt`
        have: dict[str, list[str]] = {}
        for file in sorted((checkout / dump).parent.glob("api-dump*.txt")):
            have.update(types(file.read_text(encoding="utf-8").splitlines()))
        for name, members in wanted.items():
            if name not in have:
                gone.append(f"{dump}: {name}")
            else:
                gone += [f"{dump}: {name}: {member}" for member in members if member not in have[name]]
    return gone


def main(arguments: list[str]) -> int:
    """Compare api-surface.txt with the checkout at the given path."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    gone = missing(SURFACE.read_text(encoding="utf-8"), Path(arguments[0]))
    print("\n".join(gone))
    return 1 if gone else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
