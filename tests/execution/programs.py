"""The programs that are ported and run: the declarations in programs/*.toml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from uncuda.settings.toml import parse_toml

ROOM = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Program:
    """One program: the file `programs/NAME/main.py`, and the other files in its folder.

    `cpu`: whether the original program runs on the CPU; `processes`: how many processes torchrun starts; `blind`:
    whether the author of the program knew only its `kind`, and not the rules; `serves`: targets on which the original
    program runs; `tolerance`: the relative difference that a loss may have, where 0 means equal in every digit;
    `reason` explains the tolerance.
    """

    name: str
    kind: str
    arguments: tuple[str, ...]
    processes: int
    cpu: bool
    blind: bool
    serves: tuple[str, ...] = ()
    tolerance: float = 0.0
    reason: str = ""

    @property
    def folder(self) -> Path:
        return ROOM / self.name


def load_programs(names: tuple[str, ...] = ()) -> list[Program]:
    """Return all programs in the order of their names, or only the programs with the given names.

    Raises: ValueError: a name in `names` is not the name of a program.
    """
    found = {}
    for file in sorted(ROOM.glob("*.toml")):
        for name, table in parse_toml(file.read_text("utf-8")).items():
            table["arguments"] = tuple(table.get("arguments", ()))
            table["serves"] = tuple(table.get("serves", ()))
            found[name] = Program(name, table.pop("kind"), **table)
    if unknown := set(names) - found.keys():
        raise ValueError(f"no program is called {', '.join(sorted(unknown))}; there are {', '.join(sorted(found))}")
    return [found[name] for name in sorted(found) if not names or name in names]
