"""What a program is checked with: its folder, settings and engine, and what was chosen for it."""

from __future__ import annotations

from dataclasses import dataclass

from uncuda.engine import Engine
from uncuda.engine.several import PortableEngine
from uncuda.report.words import Words
from uncuda.settings import Settings
from uncuda.workspace import Chosen

from .roots import Folder

PORTABLE = "portable"
"""What is chosen in the place of a target where one source is to run on all."""


@dataclass(frozen=True, eq=False)
class Choice:
    """What a program is checked with. `settings` speak the client's language; `left_out`: it is not checked at all;
    `baseline`: the file that says what is accepted, there or not, "" where nothing says which."""

    folder: Folder | None
    settings: Settings
    engine: Engine
    chosen: Chosen
    left_out: bool
    baseline: str = ""

    @property
    def aim(self) -> str:
        """The target, or that it is one source for all."""
        return PORTABLE if isinstance(self.engine, PortableEngine) else self.engine.target.id

    def plugin(self, locale: str) -> str:
        """The versions of the plugin, and what says so, in a language; and what follows where no table is known."""
        if isinstance(self.engine, PortableEngine):
            return ", ".join(self.engine.plugins)
        words, (key, values) = Words(locale), self.chosen.taken.note
        plugin = words(key, *values) if self.chosen.taken.versions else self.chosen.taken.package
        return "; ".join(filter(None, [plugin, self.no_tables(locale)]))

    def no_tables(self, locale: str) -> str:
        """What follows for a target without tables, in a language; "" for the others."""
        target = self.engine.target
        title = target.title_zh if locale == "zh" else target.title
        return "" if target.has_tables else Words(locale)("no tables", title)
