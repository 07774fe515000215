"""The report of `uncuda report`: one module for each output format, imported only when that format is requested."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .shown import PortReport

FORMATS = ("html", "markdown", "json", "csv")


def port_report(name: str, report: PortReport) -> str:
    """Return the report as text in the format `name`, one of FORMATS."""
    module = import_module(f"{__name__}.{name}")
    text: str = module.text_of(report)
    return text
