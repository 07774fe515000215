"""What a program is checked with: its folder, settings and engine, and how its target was chosen."""

from __future__ import annotations

from dataclasses import dataclass

from uncuda.engine import Engine
from uncuda.report.words import Words
from uncuda.settings import Settings
from uncuda.workspace import Chosen

from .roots import Folder


@dataclass(frozen=True, eq=False)
class Choice:
    """What a program is checked with. `left_out`: it is excluded; `baseline`: the path of its baseline, which need not
    exist, or "" if there is none."""

    folder: Folder | None
    settings: Settings
    engine: Engine
    chosen: Chosen
    left_out: bool
    baseline: str = ""

    def plugin(self, locale: str) -> str:
        """The plugin's versions with the source that states them, in a language, and a note if the target has no
        tables."""
        words, (key, values) = Words(locale), self.chosen.taken.note
        plugin = words(key, *values) if self.chosen.taken.versions else self.chosen.taken.package
        return "; ".join(filter(None, [plugin, self.no_tables(locale)]))

    def no_tables(self, locale: str) -> str:
        """The note for a target without tables, in a language; "" for other targets."""
        target = self.engine.target
        title = target.title_zh if locale == "zh" else target.title
        return "" if target.has_tables else Words(locale)("no tables", title)
