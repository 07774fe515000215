"""Unified diffs of bytes: what they say can be applied to the file as it is, whatever its encoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator

_COLORS = {b"-": b"31", b"+": b"32", b"@": b"36"}


def unified_diff(path: str, before: bytes, after: bytes, color: bool = False) -> Iterator[bytes]:
    """The lines of a diff that `git apply` and `patch -p1` take; nothing if nothing differs."""
    from difflib import diff_bytes, unified_diff

    name = path.replace("\\", "/").lstrip("/").encode("utf-8", "surrogateescape")
    old, new = _by_newline(before), _by_newline(after)
    for line in diff_bytes(unified_diff, old, new, b"a/" + name, b"b/" + name, lineterm=b"\n"):
        ended = line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        code = _COLORS.get(line[:1]) if color else None
        yield b"\x1b[" + code + b"m" + ended.rstrip(b"\n") + b"\x1b[0m\n" if code else ended


def lines_before(before: str, after: str) -> Callable[[int], int]:
    """From a line of `after` (from 1) to the line of `before` that it was, or that it was put at."""
    from difflib import SequenceMatcher

    blocks = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()

    def line_before(line: int) -> int:
        for _, old, old_end, new, new_end in blocks:
            if new <= line - 1 < new_end:
                return max(1, min(old + line - new, old_end))
        return line

    return line_before


def _by_newline(data: bytes) -> list[bytes]:
    """Lines as diff tools see them: they end with \\n, and a lone \\r is part of a line."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
