"""The settings with which a document is checked: its folder, settings and engine, and how its target was chosen."""

from __future__ import annotations

from dataclasses import dataclass

from uncuda.engine import Engine
from uncuda.engine.several import PortableEngine
from uncuda.report.words import Words
from uncuda.settings import Settings
from uncuda.workspace import Chosen

from .roots import Folder

PORTABLE = "portable"
"""The value that stands for all targets, if the user chooses portable source instead of one target."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The settings with which a document is checked. `left_out`: whether the document is excluded from checks;
    `baseline`: the path of its baseline, which need not exist, or "" if it has none."""

    folder: Folder | None
    settings: Settings
    engine: Engine
    chosen: Chosen
    left_out: bool
    baseline: str = ""

    @property
    def aim(self) -> str:
        """Return the chosen target, or the value that stands for all targets."""
        return PORTABLE if isinstance(self.engine, PortableEngine) else self.engine.target.id

    def plugin(self, locale: str) -> str:
        """Return, as text in the language `locale`, the plugin's versions and where they are stated; if the target has
        no tables, a note about that follows."""
        if isinstance(self.engine, PortableEngine):
            return ", ".join(self.engine.plugins)
        words, (key, values) = Words(locale), self.chosen.taken.note
        plugin = words(key, *values) if self.chosen.taken.versions else self.chosen.taken.package
        return "; ".join(filter(None, [plugin, self.no_tables(locale)]))

    def no_tables(self, locale: str) -> str:
        """Return the note about a target without tables of its APIs, in the language `locale`; "" if it has tables."""
        target = self.engine.target
        title = target.title_zh if locale == "zh" else target.title
        return "" if target.has_tables else Words(locale)("no tables", title)
