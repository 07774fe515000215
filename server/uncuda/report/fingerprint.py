"""Computes a fingerprint for each finding that stays the same when lines are added or removed above the finding."""

from __future__ import annotations

from hashlib import sha256

from uncuda.engine import Finding
from uncuda.source import Source


class Fingerprints:
    """Computes fingerprints; findings with the same path, rule and line text are numbered, so that their fingerprints
    differ."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, finding: Finding, source: Source) -> str:
        """Return the fingerprint: 64 hexadecimal digits, made from the path, the rule, the line's text and the number
        of equal findings before this one."""
        line, _ = source.position(finding.span.start)
        what = f"{source.path}\0{finding.rule}\0{finding.target}\0{source.line_text(line).strip()}"
        number = self._seen[what] = self._seen.get(what, 0) + 1
        return sha256(f"{what}\0{number}".encode("utf-8", "surrogatepass")).hexdigest()
