"""A name for a finding that stays the same when lines above it come and go."""

from __future__ import annotations

from hashlib import sha256

from uncuda.engine import Finding
from uncuda.source import Source


class Fingerprints:
    """Counts findings that look alike, so that each has a name of its own."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, finding: Finding, source: Source) -> str:
        """64 hexadecimal digits made from the file, the rule, the line's text and how many alike came before."""
        line, _ = source.position(finding.span.start)
        what = f"{source.path}\0{finding.rule}\0{finding.target}\0{source.line_text(line).strip()}"
        number = self._seen[what] = self._seen.get(what, 0) + 1
        return sha256(f"{what}\0{number}".encode("utf-8", "surrogatepass")).hexdigest()
