"""The report on a whole port: one module a format. Nothing is imported before it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .shown import PortReport

FORMATS = ("html", "markdown", "json", "csv")


def port_report(name: str, report: PortReport) -> str:
    """The report in a format, one of FORMATS."""
    module = import_module(f"{__name__}.{name}")
    text: str = module.text_of(report)
    return text
