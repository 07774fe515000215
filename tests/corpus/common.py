"""Helpers that the tests on large packages share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from uncuda.catalogue import load
from uncuda.engine import Engine, Finding
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source, SourceError

PACKAGES = ("transformers", "timm", "deepspeed", "fairseq", "accelerate")
TARGETS = ("npu", "musa")


@lru_cache
def engine(target: str) -> Engine:
    """Return an engine with all rules and the strategy `rewrite`, whose fixes write the target's name into the code."""
    return Engine(load(), target, Settings(strategy="rewrite", locale="en"), Project())


def sources(folder: Path, target: str) -> Iterator[Source]:
    """Yield the Python files below a folder, except for files that cannot be decoded or cannot have findings."""
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        if engine(target).concerns(data):
            try:
                yield Source.decode(data, str(path))
            except SourceError:
                continue


def key(finding: Finding) -> Any:
    """All fields of a finding, as a key for comparison."""
    return (finding.span, finding.rule, finding.severity, finding.message, finding.fixes)
