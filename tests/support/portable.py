"""Fixes texts with the strategy "portable", for tests."""

from __future__ import annotations

from typing import Any

from uncuda.engine import Engine, Finding
from uncuda.project import Helper, Project
from uncuda.settings import Settings
from uncuda.source import Source

from .engines import engine_for

HELPER = "pkg.device"


def portable_engine(helper: Helper | None = None, **settings: Any) -> Engine:
    """Return the engine of a portable project whose helper module is `pkg.device`."""
    made = Settings(strategy="portable", portable_helper=HELPER, locale=settings.pop("locale", "en"), **settings)
    return engine_for("npu", made, Project(helper=helper or Helper(HELPER, line_length=100)))


def ported(text: str, review: bool = False, path: str = "", helper: Helper | None = None, **settings: Any) -> str:
    """Return the text after its fixes; fixing it a second time must change nothing."""
    engine = portable_engine(helper, **settings)
    fixed = engine.fix(Source(text, path), review)
    assert fixed.refused is None, fixed.refused
    again = portable_engine(helper, **settings).fix(Source(fixed.text, path), review)
    assert again.text == fixed.text
    return fixed.text


def found(text: str, path: str = "", helper: Helper | None = None, **settings: Any) -> list[Finding]:
    """The findings of a text."""
    return list(portable_engine(helper, **settings).check(Source(text, path)).findings)


def classes(text: str, **settings: Any) -> list[str]:
    """The class of each finding: "safe", "review", "manual"."""
    return [finding.fixes[0].applicability if finding.fixes else "manual" for finding in found(text, **settings)]
