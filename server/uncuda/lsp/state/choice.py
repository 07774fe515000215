"""The settings with which a program is checked: its folder, settings and engine, and how its target was chosen."""

from __future__ import annotations

from dataclasses import dataclass

from uncuda.engine import Engine
from uncuda.engine.several import PortableEngine
from uncuda.report.words import Words
from uncuda.settings import Settings
from uncuda.workspace import Chosen

from .roots import Folder

PORTABLE = "portable"
"""The value that is chosen instead of a target if one source is to run on all targets."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The settings with which a program is checked. `left_out`: whether the program is excluded; `baseline`: the path
    of its baseline, which need not exist, or "" if there is none."""

    folder: Folder | None
    settings: Settings
    engine: Engine
    chosen: Chosen
    left_out: bool
    baseline: str = ""

    @property
    def aim(self) -> str:
        """Return the target, or the value that means all targets."""
        return PORTABLE if isinstance(self.engine, PortableEngine) else self.engine.target.id

    def plugin(self, locale: str) -> str:
        """The plugin's versions with the source that states them, in a language, and a note if the target has no
        tables."""
        if isinstance(self.engine, PortableEngine):
            return ", ".join(self.engine.plugins)
        words, (key, values) = Words(locale), self.chosen.taken.note
        plugin = words(key, *values) if self.chosen.taken.versions else self.chosen.taken.package
        return "; ".join(filter(None, [plugin, self.no_tables(locale)]))

    def no_tables(self, locale: str) -> str:
        """The note for a target without tables, in a language; "" for other targets."""
        target = self.engine.target
        title = target.title_zh if locale == "zh" else target.title
        return "" if target.has_tables else Words(locale)("no tables", title)
