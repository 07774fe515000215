"""What a program is checked with: its folder, settings and engine, and what was chosen for it."""

from __future__ import annotations

from dataclasses import dataclass

from uncuda.engine import Engine
from uncuda.report.words import Words
from uncuda.settings import Settings
from uncuda.workspace import Chosen

from .roots import Folder


@dataclass(frozen=True, eq=False)
class Choice:
    """What a program is checked with. `settings` speak the client's language; `left_out`: it is not checked at all."""

    folder: Folder | None
    settings: Settings
    engine: Engine
    chosen: Chosen
    left_out: bool

    def plugin(self, locale: str) -> str:
        """The versions of the plugin, and what says so, in a language."""
        key, values = self.chosen.taken.note
        return Words(locale)(key, *values) if self.chosen.taken.versions else self.chosen.taken.package
