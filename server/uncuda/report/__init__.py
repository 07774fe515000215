"""Reports: one module for each output format, imported only when that format is requested."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import Frame, Reporter

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab")


def reporter(name: str, frame: Frame) -> Reporter:
    """Return the reporter for a format, which is one of FORMATS."""
    module = import_module(f"uncuda.report.{name}")
    made: Reporter = getattr(module, f"{name.capitalize()}Reporter")(frame)
    return made
