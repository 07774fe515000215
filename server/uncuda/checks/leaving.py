"""Recognises statements that end a block: return, raise, `sys.exit()` and similar statements."""

from __future__ import annotations

from uncuda import lazy_re

_ENDING = (
    r"raise\b(?![ \t]+(?:unittest\.)?SkipTest\b)|assert[ \t]+(?:False|0)\b"
    r"|(?:sys\.exit|exit|quit|os\._exit|os\.abort|pytest\.(?:exit|fail)|self\.fail|parser\.(?:error|exit))[ \t]*\("
)
_SKIPPING = (
    r"(?:pytest\.(?:skip|xfail)|(?:self|cls)\.skipTest)[ \t]*\(|raise[ \t]+(?:unittest\.)?SkipTest\b"
    r"|skip[ \t]*\("
)
_SKIPS = lazy_re.compile(_SKIPPING)
_RAISES = lazy_re.compile(_ENDING)
_LEAVES = lazy_re.compile(rf"(?:return|continue|break)\b|{_ENDING}|{_SKIPPING}")
_LAST_OF_LINE = lazy_re.compile(rf":[ \t]*(?:{_ENDING})[^\n]*\s*\Z")


def raises(statement: str) -> bool:
    """Whether a statement raises an exception or ends the program."""
    return _RAISES.match(statement) is not None


def leaves(statement: str) -> bool:
    """Whether a statement leaves its block: return, continue, break, raise, an exit of the program, or a call that
    skips the pytest test."""
    return _LEAVES.match(statement) is not None


def skips(statement: str) -> bool:
    """Whether a statement skips the test."""
    return _SKIPS.match(statement) is not None


def raises_inline(header: str) -> bool:
    """Whether a block header has its block on the same line, and this block raises an exception: `except ImportError:
    raise`."""
    return _LAST_OF_LINE.search(header) is not None
